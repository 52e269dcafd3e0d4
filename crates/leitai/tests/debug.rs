//! `leitai debug` and `leitai play --from` on a pseudo-terminal: programs of the templates under gdb,
//! pdb, jdb and node inspect. Where a debugger is not installed its test prints a note and passes.

use crate::place;

use std::process::{Command, Stdio};

use place::{Place, says, split_words, table, text};

/// Answers with the first legal direction, and with the second in turn OTHER.
const JAVASCRIPT: &str = "// leitai: protocol=json-lines
const lines = require('readline').createInterface({ input: process.stdin });
let turn = 0;
lines.on('line', line => {
  const message = JSON.parse(line);
  if (message.type !== 'turn') return;
  turn += 1;
  console.log(JSON.stringify({ action: message.legal[turn === OTHER ? 1 : 0] }));
});
";

/// Goes up, and exits in round CRASH.
const EACH_TURN: &str = "import sys
question = open('input.txt').read().split('#')
steps = question[3].strip('()')
if len(steps) + 1 == CRASH:
    sys.exit('lost')
print(0)
";

/// Whether this program of the machine is missing; prints a note then.
fn is_missing(program: &str) -> bool {
    let found = Command::new("sh")
        .args(["-c", &format!("command -v {program}")])
        .stdout(Stdio::null())
        .status();
    let missing = !found.is_ok_and(|status| status.success());
    if missing {
        println!("skipped: there is no {program}");
    }
    missing
}

trait Debugs {
    fn play(&self, game: &str, a: &str, b: &str);
    fn debug(&self, script: &str, line: &str) -> (i32, String);
    fn on_terminal(&self, script: &str, line: &str) -> (i32, String);
}

impl Debugs for Place {
    /// One leg of a match, without a sandbox; the replay is `game.json`.
    fn play(&self, game: &str, a: &str, b: &str) {
        let words = ["match", game, a, b, "--seed", "1", "--legs", "1"];
        let words = [
            &words[..],
            &split_words("--replay game.json --isolation none --limit 1m"),
        ]
        .concat();
        let output = self.run(&words);
        assert!(output.status.success(), "{}", text(&output));
    }

    /// `leitai debug game.json …` on a terminal; the status and the screen.
    fn debug(&self, script: &str, line: &str) -> (i32, String) {
        self.on_terminal(script, &format!("debug game.json {line}"))
    }

    fn on_terminal(&self, script: &str, line: &str) -> (i32, String) {
        let terminal = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/terminal.py");
        let mut command = Command::new("python3");
        command
            .args([terminal, "600", script, env!("CARGO_BIN_EXE_leitai")])
            .args(split_words(line))
            .current_dir(self.path())
            .env("LC_ALL", "C")
            .stdin(Stdio::null());
        let output = command.output().expect("python3");
        (output.status.code().unwrap_or(-1), text(&output))
    }
}

#[track_caller]
fn check_screen((status, screen): (i32, String), expected: &str) {
    says(&screen, &expected.split(" | ").collect::<Vec<_>>());
    assert_eq!(status, 0, "{screen}");
}

#[test]
fn gdb_takes_over_before_a_native_program_reads_the_question() {
    if is_missing("gdb") || is_missing("g++") {
        return;
    }
    let place = Place::new();
    place.run(&["new", "snakego", "cpp", "--folder", "c"]);
    place.play("snakego", "./c", "greedy");
    let script = "(gdb) =>bt|(gdb) =>tbreak choose|(gdb) =>continue|(gdb) =>bt 1|(gdb) =>kill|\
        (y or n) =>y|(gdb) =>quit";
    let without = "-O0 -g | without sandbox and without time limits";
    let over = "leg 1, round 5: gdb takes over | in main () at main.cpp: | state=";
    let expected = format!("{without} | {over}");
    check_screen(place.debug(script, "--round 5 ./c"), &expected);
}

#[test]
fn pdb_takes_over_in_the_bots_own_frame_for_either_seat() {
    let place = Place::new();
    place.run(&["new", "snakego", "python", "--folder", "p"]);
    let script = "(Pdb) =>w|(Pdb) =>u|(Pdb) =>b choose|(Pdb) =>c|(Pdb) =>p len(state.legal)|(Pdb) =>cl 1|(Pdb) =>c";
    for (a, b) in [("./p/main.py", "greedy"), ("greedy", "./p/main.py")] {
        place.play("snakego", a, b);
        let begin = "leg 1, round 5: pdb takes over | -> for line in sys.stdin:";
        let expected = format!("{begin} | choose() | round 5: p answered as recorded");
        let seen = place.debug(script, "--round 5 --leg 1 ./p/main.py");
        check_screen(seen, &expected);
    }
}

#[test]
fn ctrl_c_breaks_into_a_python_program() {
    let place = Place::new();
    let bot = "# leitai: protocol=json-lines\nimport json, sys, time\nfor line in sys.stdin:\n    \
        message = json.loads(line)\n    if message['type'] == 'turn':\n        \
        if SLOW: print('now', file=sys.stderr, flush=True); time.sleep(100)\n        \
        print(json.dumps({'action': message['legal'][0]}), flush=True)\n";
    place.write("bot.py", bot.replace("SLOW", "False"));
    place.play("snakego", "./bot.py", "greedy");
    place.write("bot.py", bot.replace("SLOW", "True"));
    let (_, screen) = place.debug("now=>^C|(Pdb) =>q", "--round 3 ./bot.py");
    says(&screen, &["time.sleep(100)", "exited or closed its stdout"]);
}

#[test]
fn jdb_takes_over_in_a_bot_of_a_host() {
    if is_missing("jdb") || is_missing("javac") {
        return;
    }
    let place = Place::new();
    std::fs::create_dir(place.path().join("j")).expect("own folder");
    place.write(
        "j/Sample.java",
        include_str!("../../../games/kob/host/tests/Sample.java"),
    );
    place.play("kob", "./j", "safe");
    let script = "main[1] =>threads|main[1] =>resume|leg is over=>";
    let expected =
        "round 3: jdb takes over | All threads suspended | Play.main | answered as recorded";
    check_screen(place.debug(script, "--round 3 ./j"), expected);
}

#[test]
fn node_inspect_takes_over_in_the_bots_own_code_and_divergence_is_said() {
    if is_missing("node") {
        return;
    }
    let place = Place::new();
    place.write("walk.js", JAVASCRIPT.replace("OTHER", "0"));
    place.play("snakego", "./walk.js", "greedy");
    place.write("walk.js", JAVASCRIPT.replace("OTHER", "2"));
    let script = "debug> =>bt|debug> =>c|leg is over=>.exit";
    let over = "round 4: node inspect takes over | walk.js:5 | (anonymous)";
    let apart = "round 2, move 3: walk answered 2; the replay has 1: it goes on as recorded";
    let seen = place.debug(script, "--round 4 ./walk.js");
    check_screen(seen, &format!("{over} | {apart}"));
}

#[test]
fn a_program_that_is_started_every_turn_is_debugged_from_its_start() {
    let place = Place::new();
    place.write("up.py", EACH_TURN.replace("CRASH", "0"));
    place.play("kob", "each-turn:./up.py", "safe");
    let script = "(Pdb) =>n|(Pdb) =>n|(Pdb) =>p question[0][:3]|(Pdb) =>c";
    let seen = place.debug(script, "--round 2 each-turn:./up.py");
    check_screen(seen, "round 2: pdb takes over | answered as recorded");
}

#[test]
fn without_a_debugger_it_waits_for_the_developers_own() {
    let place = Place::new();
    place.run(&["new", "snakego", "python", "--folder", "p"]);
    place.play("snakego", "./p/main.py", "greedy");
    let words = split_words("debug game.json ./p/main.py --round 3 --wait");
    let output = place.run(&words);
    let said = text(&output);
    says(&said, &["-m pdb -p ", "press Enter"]);
    says(&said, &["round 3: p answered as recorded"]);
    assert!(output.status.success(), "{said}");
    // An unfinished fault: the question of the fault itself is asked.
    place.write("each.py", EACH_TURN.replace("CRASH", "2"));
    place.play("kob", "each-turn:./each.py", "safe");
    let said = place.said("debug game.json each-turn:./each.py --round 2 --wait");
    says(&said, &["input.txt has the question", "printed nothing"]);
}

#[test]
fn what_cannot_be_debugged_is_explained() {
    let place = Place::new();
    place.run(&["new", "snakego", "python", "--folder", "p"]);
    place.play("snakego", "./p/main.py", "greedy");
    place.write("shell.sh", "#!/bin/sh\ncat\n");
    let rows = "
./p/main.py --round 3 | add --wait
greedy --round 3 --wait | built-in bot
./p/main.py --round 9999 --wait | round 9999
./p/main.py --round 1 --leg 7 --wait | no leg 7
./none.py --round 1 --wait | none.py
";
    for [line, expected] in table(rows) {
        let output = place.run_line(&format!("debug game.json {line}"));
        assert!(!output.status.success());
        says(&text(&output), &[expected]);
    }
}

#[test]
fn a_person_sits_down_in_the_middle_of_a_replay_on_either_side() {
    let place = Place::new();
    place.play("kob", "space", "safe");
    for side in ["", " --second"] {
        let line = "play kob --from game.json@1:3 --replay mine.json --against safe";
        let (_, screen) = place.on_terminal("safe=>^C", &format!("{line}{side}"));
        let (mine, game) = (place.replay("mine.json"), place.replay("game.json"));
        assert_eq!(mine["forced"]["round"], 3, "{screen}");
        let [own, whole] = [&mine, &game].map(|replay| {
            let replies = replay["legs"][0]["replies"].as_str();
            replies.unwrap_or_default().split(' ')
        });
        assert!(own.take(2).eq(whole.take(2)), "{mine}");
        let person = usize::from(!side.is_empty());
        assert_eq!(mine["entrants"][person]["kind"], "human", "{mine}");
        let verified = place.run(&["replay", "verify", "mine.json"]);
        assert!(verified.status.success(), "{}", text(&verified));
    }
}
