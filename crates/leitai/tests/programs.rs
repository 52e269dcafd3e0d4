//! Real programs on the command line: well-behaved, misbehaving and interrupted ones.

use crate::place;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use leitai_judge::build::Tool;
use leitai_judge::build::{BuildCache, BuildError, Builder, BuiltProgram, ProgramSource};
use leitai_sandbox::{ExitReason, Sandbox, StdioKind, Tier};
use serde_json::{Value, json};

use place::rows::documented;
use place::{
    Place, allow_all, cells, fill_words, processes_left, says, says_but_not, split_words, table,
    text, wait_for,
};

trait Play {
    fn play(&self, a: &str, b: &str, more: &[&str]) -> (Value, Output);
    fn play_limited(&self, a: &str, b: &str, own: &str, more: &[&str]) -> (Value, Output);
    fn entrant(&self, name: &str) -> String;
}

impl Play for Place {
    /// A match of two bots over 14 rounds without items.
    fn play(&self, a: &str, b: &str, more: &[&str]) -> (Value, Output) {
        self.play_limited(a, b, "", more)
    }

    fn play_limited(&self, a: &str, b: &str, own: &str, more: &[&str]) -> (Value, Output) {
        let (a, b) = (self.entrant(a), format!("{} {own}", self.entrant(b)));
        let mut words = vec!["match", "snakego", &a, &b];
        words.extend(split_words("--json --seed 1 --replay game.json"));
        words.extend(split_words("--config max_round=14 --config items=[]"));
        words.extend(more);
        // In tier C a program runs as another user, who may not read an interpreter in a home
        // folder.
        let path = std::env::var("PATH").unwrap_or_default();
        let path = format!("/usr/local/bin:/usr/bin:/bin:{path}");
        let output = self.leitai(&words).env("PATH", path).output();
        let output = output.expect("the binary starts");
        let result = serde_json::from_slice(&output.stdout);
        (
            result.unwrap_or_else(|_| panic!("{}", text(&output))),
            output,
        )
    }

    fn entrant(&self, name: &str) -> String {
        match name {
            "random" | "greedy" | "territory" => name.to_owned(),
            _ => self.bot(name, "snakego", flags(name)).display().to_string(),
        }
    }
}

/// The flags of `misbehave.py` for this mode.
fn flags(mode: &str) -> &'static str {
    match mode {
        "ok" | "ok-too" => "",
        "crash" => "--crash-at 3",
        "exit-at-once" => "--exit-at 1",
        "stall" => "--stall-at 3",
        "half-frame" => "--half-frame",
        "op-7" => "--wrong-op",
        "text" => "--text-before",
        "flood" => "--flood",
        "illegal" => "--illegal",
        "log-10M" => "--log 1M",
        "spin" => "--stay",
        "spin-turn" => "--spin-at 3",
        "spin-child" => "--spin-child-at 3",
        "think" => "--spin 100ms",
        "slow" => "--slow 200ms",
        "slow-start" => "--slow-start 2s",
        "never-starts" => "--slow-start 60s",
        "ponder" => "--ponder",
        "disown" => "--disown-at 3",
        "stop-child" => "--stop-child",
        other => panic!("no mock bot is called {other:?}"),
    }
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A well-behaved bot has the first seat; the misbehaving one has the second and loses at once.
#[track_caller]
fn loses(mode: &str, code: &str, what: &str) {
    loses_with(mode, "@limit=300ms", &[], code, what);
}

/// The same under these limits, which are its own: who plays soundly has time on any machine. Returns
/// the fault.
#[track_caller]
fn loses_with(mode: &str, own: &str, more: &[&str], code: &str, what: &str) -> Value {
    let place = Place::new();
    let more = [&["--limit", "1m"], more].concat();
    let (result, output) = place.play_limited("ok", mode, own, &more);
    // A judged match is a success.
    assert!(output.status.success(), "{}", stderr(&output));
    let fault = &result["legs"][0]["faults"][0];
    let codes = json!(["OK", code]);
    has!(result, {"winner": "A", "reason": "forfeit", "/legs/0/codes": codes, "/legs/1": null});
    has!(fault, {"entrant": "B", "code": code});
    says(&fault["what"].to_string(), &[what]);
    assert_verified(&place);
    fault.clone()
}

/// The measured value and the allowed value of the exceeded limit, in milliseconds.
#[track_caller]
fn measured(fault: &Value, name: &str) -> (u64, u64) {
    let limit = &fault["limit"];
    has!(limit, {"name": name, "unit": "us"});
    let millis = |field: &str| limit[field].as_u64().expect("a number") / 1000;
    (millis("used"), millis("allowed"))
}

#[track_caller]
fn assert_verified(place: &Place) {
    place.ends(0, "replay verify game.json", &[]);
}

#[test]
fn two_programs_play_a_whole_match() {
    let place = Place::new();
    let (result, _) = place.play("ok", "ok-too", &[]);
    has!(result, {"/legs/0/scores": [9, 9], "/legs/1/steps": 28, "reason": "second-in-first-leg"});
    assert_verified(&place);
    // The bots' own logs are kept.
    says(&place.read("game.json"), &["turn 14"]);
}

/// The fault says this, and names the limit, of so many milliseconds, that was used up.
#[track_caller]
fn uses_up(mode: &str, own: &str, more: &[&str], what: &str, (name, most): (&str, u64)) -> Value {
    let fault = loses_with(mode, own, more, "TLE", what);
    let (used, allowed) = measured(&fault, name);
    assert!(used >= most && allowed == most, "{mode} {more:?}: {fault}");
    fault
}

#[test]
fn a_program_that_stalls_ends_at_the_cap_of_wall_time() {
    for mode in ["stall", "half-frame"] {
        let what = "of 1.30 s in its turn, waiting";
        let fault = uses_up(mode, "@limit=300ms", &[], what, ("period-wall", 1300));
        has!(fault, {"leg": 1, "round": 3, "step": 5});
    }
}

#[test]
fn a_program_that_computes_ends_at_its_limit_of_cpu_time() {
    let what = "of CPU time of 300 ms in its turn";
    uses_up("spin-turn", "@limit=300ms", &[], what, ("period-cpu", 300));
}

#[test]
fn a_program_that_lets_a_child_compute_gains_nothing() {
    loses("spin-child", "TLE", "in its turn");
}

#[test]
fn time_of_children_that_nobody_waits_for_is_charged() {
    // So little that it is used up within the wall time of a turn also on a crowded machine.
    for tier in ["A", "B", "C", "none"] {
        let (more, what) = (["--isolation", tier], "of CPU time of 150 ms in its turn");
        uses_up("disown", "@limit=150ms", &more, what, ("period-cpu", 150));
    }
}

#[test]
fn a_process_that_a_thaw_left_stopped_is_woken() {
    for tier in ["A", "B", "C", "none"] {
        let place = Place::new();
        let limits = ["--limit", "20s", "--isolation", tier];
        let (result, _) = place.play("stop-child", "ok", &limits);
        for leg in result["legs"].as_array().expect("both legs") {
            let codes = &leg["codes"];
            assert_eq!(*codes, json!(["OK", "OK"]), "{tier}: {result}");
        }
    }
}

#[test]
fn a_slow_start_has_time_of_its_own() {
    let place = Place::new();
    let words = ["--limit", "1m", "--legs", "1"];
    let (result, _) = place.play_limited("ok", "slow-start", "@limit=300ms", &words);
    has!(result, {"/legs/0/codes": ["OK", "OK"], "/limits/start_ms": 10_000});
    // Much longer than the limit: on a busy machine, noise excuses a part of it.
    let own = "@limit=300ms @start-limit=0";
    let (result, _) = place.play_limited("ok", "never-starts", own, &words);
    let fault = &result["legs"][0]["faults"][0];
    has!(fault, {"code": "TLE", "step": 1});
}

#[test]
fn a_match_may_be_limited_as_a_whole() {
    let own = "@limit=300ms @match-limit=500ms";
    let what = "in all its turns of the match";
    let fault = uses_up("think", own, &[], what, ("match-cpu", 500));
    assert!(fault["step"].as_u64() > Some(1), "{fault}");
}

#[test]
fn a_time_bank_may_be_one_entrants_alone() {
    let own = "@bank=500ms @start-limit=0";
    let what = "used up its time bank of 500 ms in its turn";
    let fault = uses_up("think", own, &[], what, ("bank-cpu", 500));
    assert!(fault["step"].as_u64() > Some(1), "{fault}");
}

/// It remembers how often it played, and says so; once it keeps too much.
const KEEPER: &str = r#"# leitai: protocol=json-lines
import json, os, sys
path = os.environ.get("LEITAI_KEPT")
before = open(path).read() if path else None
print("kept", before, file=sys.stderr, flush=True)
if path:
    open(path, "w").write("x" * (1 << 20 | 1) if before == "NAMENAME" else before + "NAME")
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "turn":
        print(json.dumps({"action": message["legal"][0]}), flush=True)
"#;

#[test]
fn a_program_keeps_a_file_from_leg_to_leg_where_the_match_says_so() {
    let place = Place::new();
    for name in ["a", "b"] {
        place.write(&format!("{name}.py"), KEEPER.replace("NAME", name));
    }
    // What each says in its legs; every leg has other seats.
    let check = |more: &[&str], expected: &dyn Fn(&str) -> Vec<String>| {
        let words = split_words("match kob ./a.py ./b.py --legs 4 --seed 1 --replay game.json");
        let output = place.run(&[&words[..], more].concat());
        let replay = place.replay("game.json");
        let legs = replay["legs"].as_array().expect("legs");
        assert_eq!(legs.len(), 4, "{}", stderr(&output));
        for (entrant, name) in [("A", "a"), ("B", "b")] {
            let logs = legs.iter();
            let logs = logs.flat_map(|leg| leg["logs"].as_array().into_iter().flatten());
            let own = logs.filter(|log| log["entrant"] == entrant);
            let text: String = own.filter_map(|log| log["text"].as_str()).collect();
            let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
            assert_eq!(lines, expected(name), "{more:?} {name}");
        }
    };
    check(&[], &|_| vec!["kept None".to_owned(); 4]);
    check(&["--keep"], &|name| {
        let line = |times: usize| format!("kept {}", name.repeat(times)).trim_end().to_owned();
        let over = "[leitai] LEITAI_KEPT has more than 1 MiB: what it had before this leg stays";
        let over = || over.to_owned();
        vec![line(0), line(1), line(2), over(), line(2), over()]
    });
    // From match to match, and the sum says that these games tell no interval.
    let series = |more: &[&str]| {
        let words = split_words("match kob ./a.py ./b.py --legs 1 --seed 1 --matches 3 --json");
        let output = place.run(&[&words[..], more].concat());
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let all = serde_json::Deserializer::from_slice(&output.stdout).into_iter();
        let mut all: Vec<Value> = all.map(|one| one.expect("JSON")).collect();
        let sum = all.pop().expect("a sum");
        let kept = |one: &Value| {
            let replay = place.replay(one["replay"].as_str().expect("a file"));
            let logs = replay["legs"][0]["logs"].as_array().expect("logs").clone();
            let own = logs.iter().find(|log| log["entrant"] == "A");
            let text = own.and_then(|log| log["text"].as_str()).expect("a line");
            text.trim_end().to_owned()
        };
        (all.iter().map(kept).collect::<Vec<String>>(), sum)
    };
    let (kept, sum) = series(&["--keep"]);
    assert_eq!(kept, ["kept", "kept a", "kept aa"]);
    has!(sum, {"format": "leitai-matches/1", "matches": 3, "independent": false});
    let (kept, sum) = series(&[]);
    assert_eq!(kept, ["kept None"; 3]);
    assert_eq!(sum["independent"], true);
    let found = sum.as_object().expect("an object").keys().cloned();
    let found: std::collections::BTreeSet<String> = found.collect();
    let document = include_str!("../../../docs/command-line.md");
    assert_eq!(documented(document, "| `match --matches N` |"), found);
    // While it runs, the kernel refuses what is more.
    place.write("c.py", KEEPER.replace("open(path, \"w\").write(", "try_write(").replace(
        "before = ",
        "def try_write(_):\n    try: open(path, \"wb\").write(bytes(3 << 20))\n    except OSError as e: print(e.errno, os.stat(path).st_size, file=sys.stderr, flush=True)\nbefore = ",
    ));
    place.run_line("match kob ./c.py random --legs 1 --seed 1 --keep --replay c.json");
    let text = place.replay("c.json")["legs"][0]["logs"].to_string();
    assert!(text.contains("27 1048577"), "{text}");

    // Games that are not independent have no interval, and no sequential test decides about them.
    place.check_rows(
        "
2 | compare kob space safe --keep | are not independent
2 | rate kob space --keep | are not independent
2 | tournament kob space safe --keep | are not independent
",
    );
}

#[test]
fn a_program_that_sleeps_uses_up_its_waiting_allowance() {
    let what = "rather than computed in all its turns together, of 300 ms that a program may";
    let own = "@limit=2s @wait-limit=300ms";
    uses_up("stall", own, &[], what, ("waiting", 300));
}

/// The arguments of a short leg of this game.
fn short_leg(game: &str) -> Vec<&str> {
    split_words(match game {
        "snakego" => {
            "--legs 1 --seed 1 --replay game.json --json --config max_round=8 --config items=[]"
        }
        _ => "--legs 1 --seed 1 --replay game.json --json --config inner_pairs=0",
    })
}

/// The log lines of both programs in a leg without faults that begin with this word.
#[track_caller]
fn logged(place: &Place, [a, b]: [&str; 2], game: &str, more: &[&str], word: &str) -> Vec<String> {
    let [a, b] = [("a", a), ("b", b)].map(|(name, flags)| place.bot(name, game, flags));
    let [a, b] = [a, b].map(|path| path.display().to_string());
    let words = [&["match", game, &a, &b][..], &short_leg(game), more].concat();
    let output = place.run(&words);
    let replay = place.replay("game.json");
    assert_eq!(replay["status"], "complete", "{}", stderr(&output));
    let leg = &replay["legs"][0];
    let faults = leg["faults"].as_array();
    assert!(faults.is_none_or(Vec::is_empty), "{replay}");
    let logs = leg["logs"].as_array().expect("they log").iter();
    let texts = logs.filter_map(|log| log["text"].as_str());
    let found = texts
        .flat_map(str::lines)
        .filter_map(|line| line.strip_prefix(word));
    found.map(|rest| rest.trim().to_owned()).collect()
}

/// The lower quarter and the mean of the times that a program computed between two of its turns, in
/// milliseconds.
#[track_caller]
fn pondered(game: &str, programs: [&str; 2], more: &[&str]) -> (u64, u64) {
    let place = Place::new();
    let times = logged(&place, programs, game, more, "pondered ");
    let mut times: Vec<u64> = times.iter().filter_map(|time| time.parse().ok()).collect();
    times.sort_unstable();
    let may = &place.replay("game.json")["limits"]["pondering"];
    assert_eq!(may.as_bool().unwrap_or(false), !more.is_empty());
    let count = times.len() as u64;
    (times[times.len() / 4], times.iter().sum::<u64>() / count)
}

#[test]
fn programs_do_not_run_while_they_wait_unless_they_may() {
    // The opponent sleeps in every turn. On a busy machine the pondering program gets little of the core
    // in most turns, and in many the judge is late with freezing it: what it gets in the others tells.
    let check = |game: &str, programs: [&str; 2]| {
        let (frozen, _) = pondered(game, programs, &[]);
        let (_, free) = pondered(game, programs, &["--pondering"]);
        assert!(
            free > 2 && frozen < free / 2,
            "{game} {programs:?}: pondered {frozen} and {free} ms"
        );
    };
    check("snakego", ["--ponder", "--slow 100ms"]);
    check("kob", ["--slow 100ms", "--ponder"]);
    // A program does not run before its first question, either.
    check("snakego", ["--slow 1200ms", "--ponder-early"]);
}

#[test]
fn on_one_core_programs_that_are_asked_at_once_run_one_after_the_other() {
    let alone = || {
        leitai_judge::core_sharing::take_share(0, usize::MAX);
        let programs = ["--spin 20ms --tell-time"; 2];
        logged(&Place::new(), programs, "kob", &[], "from ")
    };
    let lines = std::thread::spawn(alone).join().expect("no panic");
    let time = |word: &str| word.trim().parse::<u64>().expect("a number");
    let slices = lines.iter().filter_map(|line| line.split_once(" to "));
    let mut slices: Vec<(u64, u64)> = slices.map(|(from, to)| (time(from), time(to))).collect();
    slices.sort_unstable();
    assert!(slices.len() > 10, "{slices:?}");
    let overlap = slices.windows(2).find(|two| two[0].1 > two[1].0);
    assert!(overlap.is_none(), "{overlap:?} of {slices:?}");
}

#[test]
fn wall_and_cpu_time_of_every_move_are_kept() {
    let place = Place::new();
    let (result, _) = place.play("think", "ok", &["--legs", "1"]);
    let replay = place.replay("game.json");
    let list = |field: &str| replay["legs"][0][field].as_array().expect(field).clone();
    let (wall, cpu) = (list("times_us"), list("cpu_us"));
    assert_eq!((wall.len(), cpu.len()), (28, 28));
    for at in (0..28).step_by(2) {
        let (wall, cpu) = (wall[at].as_u64(), cpu[at].as_u64());
        // The two clocks are read one after the other: time between the readings counts on one of
        // them alone.
        let most = wall.map(|wall| wall + 20_000);
        assert!(cpu <= most && cpu > Some(90_000), "{cpu:?} of {wall:?}");
    }
    let slowest = |field: &str| result[field][0].as_u64();
    let (wall, cpu) = (slowest("slowest_us"), slowest("slowest_cpu_us"));
    assert!(cpu > Some(90_000), "{result}");
    assert!(wall.map(|wall| wall + 20_000) >= cpu, "{result}");
}

#[test]
fn a_verdict_is_printed_with_all_observations() {
    let place = Place::new();
    let rows = r#"
op-7 | leg 1 of 2  ✗ round 3, move 6: op-7 (second) sent | [PE] | it sent | 00 00 00 01 07
crash | [RE] | it ended with        exit code 3 | crash's last words | out of range: 17
text | 74 68 69 6e 6b | "thinking about it\n
flood | answers ahead of the questions: 8 answers allowed | [OLE] | slowest turn
"#;
    for row in cells(rows) {
        let (ok, bot) = (place.entrant("ok"), place.entrant(row[0]));
        let line = "--seed 1 --no-replay --config items=[]";
        let said = place.said(&format!("match snakego {ok} {bot} {line}"));
        for part in &row[1..] {
            assert!(said.contains(part), "{}: no {part:?} in {said}", row[0]);
        }
    }
}

#[test]
fn an_illegal_action_loses_the_leg_only() {
    let place = Place::new();
    let (result, _) = place.play("ok", "illegal", &[]);
    assert_eq!(result["legs"].as_array().map(Vec::len), Some(2), "{result}");
    // The score of the last completed round, and 0.
    has!(result, {"/legs/0/faults/0/code": "IA", "/legs/0/scores": [3, 0], "reason": "leg-wins"});
    assert_verified(&place);
    let (result, _) = place.play("ok", "illegal", &["--config", "fault_scope=match"]);
    assert_eq!(result["legs"].as_array().map(Vec::len), Some(1), "{result}");
}

#[test]
fn last_words_and_bytes_are_kept() {
    let place = Place::new();
    let (result, _) = place.play("ok", "crash", &[]);
    let fault = &result["legs"][0]["faults"][0];
    has!(fault, {"/last_words/3": "index out of range: 17", "exit": "exit code 3"});
    let (result, _) = place.play("ok", "op-7", &[]);
    assert_eq!(result["legs"][0]["faults"][0]["round"], 3, "{result}");
}

#[test]
fn ten_megabytes_of_log_block_neither_program_nor_judge() {
    let place = Place::new();
    let (result, _) = place.play("log-10M", "ok", &[]);
    has!(result, {"/legs/0/faults": [], "/legs/1/faults": [], "/legs/1/steps": 28});
    // Two legs keep at most 64 KiB of log each.
    let size = place.read("game.json").len();
    assert!(size < 400_000, "{size}");
}

#[test]
fn a_program_that_spins_after_the_end_is_not_to_blame() {
    let place = Place::new();
    let (result, _) = place.play("spin", "ok", &[]);
    assert_eq!(result["reason"], "second-in-first-leg", "{result}");
}

#[test]
fn a_program_that_cannot_be_started_loses() {
    let place = Place::new();
    place.write("broken", "#!/no/such/interpreter\n");
    allow_all(place.join("broken"));
    let result = place.json("match snakego ./broken random --json --seed 1 --replay game.json");
    has!(result, {"winner": "B", "/legs/0/faults/0/code": "CE"});
    assert_verified(&place);
}

#[test]
fn a_source_that_does_not_compile_is_shown_with_the_compilers_words() {
    let place = Place::new();
    place.write("bad.cpp", "int main( { return 0; }");
    let output = place.run_line("match snakego ./bad.cpp random --seed 1 --no-replay");
    says(&stderr(&output), &["bad.cpp:1:"]);
    says(&String::from_utf8_lossy(&output.stdout), &["random wins"]);
}

#[test]
fn a_bot_in_json_lines_takes_twenty_lines() {
    let place = Place::new();
    let bot = include_str!("../../../docs/examples/first_legal.py");
    place.write("first_legal.py", bot);
    let result =
        place.json("match snakego ./first_legal.py random --json --seed 4 --replay game.json");
    assert_eq!(result["entrants"][0]["protocol"], "json-lines", "{result}");
    let mut legs = result["legs"].as_array().expect("legs").iter();
    assert!(legs.all(|leg| leg["faults"] == json!([])), "{result}");
    assert_verified(&place);
}

#[test]
fn official_bots_may_connect_over_tcp() {
    let place = Place::new();
    place.write("tcp.py", format!("MODE = \"tcp\"\n{TCP}"));
    let more = "--replay game.json --config max_round=14 --config items=[] --legs 1";
    let line = format!("match snakego ./tcp.py random --connect tcp --json --seed 1 {more}");
    has!(place.json(&line), {"/legs/0/faults": []});
    says(&place.read("game.json"), &["stdout is only a log here"]);
}

/// The mock bot over a socket: the same messages over TCP.
const TCP: &str = r#"
import socket, sys
wire = socket.create_connection((sys.argv[1], int(sys.argv[2])))
print("stdout is only a log here", flush=True)
f = wire.makefile("rb")
def read(n):
    data = f.read(n)
    if len(data) < n: sys.exit(0)
    return data
read(4); me = read(1)[0]; read(1); read(7 * int.from_bytes(read(2), "big"))
ring = [3, 3, 3, 2, 2, 2, 1, 1, 1, 4, 4, 4] if me else [1, 1, 1, 4, 4, 4, 3, 3, 3, 2, 2, 2]
turn = 0
while turn < 14:
    wire.sendall(b"\0\0\0\1" + bytes([ring[turn % 12]])); turn += 1
    own = False
    while not own:
        byte = read(1)[0]
        if byte == 0x11: sys.exit(0)
        own = turn < 2 or byte == ring[(turn - 1) % 12]
        break
while read(1): pass
"#;

#[test]
fn an_interrupted_match_keeps_what_was_played() {
    for signal in ["INT", "TERM"] {
        interrupt_match(signal);
    }
}

fn interrupt_match(signal: &str) {
    let place = Place::new();
    let mark = format!("interrupted-{signal}-{}-", std::process::id());
    let bot = place.bot(&mark, "snakego", "--stall-at 1");
    let bot = bot.display().to_string();
    let line = "match snakego {} random --limit 1h --seed 1 --replay game.json";
    let mut running = place.leitai(&fill_words(line, &[&bot]));
    let running = running.stdout(Stdio::piped()).stderr(Stdio::piped());
    let running = running.spawn().expect("it starts");
    assert_eq!(wait_for(&mark, 1), 1);
    let leitai = running.id().to_string();
    let sent = Command::new("kill").args(["-s", signal, &leitai]).status();
    assert!(sent.expect("coreutils").success());
    let output = running.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130), "{}", stderr(&output));
    says(&String::from_utf8_lossy(&output.stdout), &["interrupted"]);
    let left = processes_left(&mark);
    assert!(left.is_empty(), "the bot has ended: {left:?}");
    let replay = place.replay("game.json");
    assert_eq!(replay["status"], "interrupted");
    assert_verified(&place);
}

#[test]
fn the_same_seed_gives_the_same_replay_but_for_times() {
    let place = Place::new();
    let play = |file: &str| {
        let line = format!("match snakego greedy random --seed 1 --replay {file}");
        place.ends(0, &line, &[]);
        let mut replay = place.replay(file);
        replay["recorded"] = Value::Null;
        for leg in replay["legs"].as_array_mut().expect("legs") {
            leg["times_us"] = Value::Null;
        }
        replay
    };
    assert_eq!(play("one.json"), play("two.json"));
}

/// The sandboxes of this machine, the best tier first.
fn sandboxes() -> Vec<Sandbox> {
    let helper = Path::new(env!("CARGO_BIN_EXE_leitai"));
    let tiers = [Tier::A, Tier::B, Tier::C].into_iter();
    tiers
        .filter_map(|tier| Sandbox::of_tier(helper, tier).ok())
        .collect()
}

const HELLO_C: &str = "#include <stdio.h>\nint main(void) { puts(\"hello\"); return 0; }\n";

/// Builds the source at this path of a place, beside it.
fn build_in(place: &Place, path: &str, builder: &Builder<'_>) -> Result<BuiltProgram, BuildError> {
    let source = ProgramSource::detect_path(&place.join(path), &[])?;
    builder.build_source(&source, &place.join("work"), &[])
}

/// The output of the program in the sandbox that it was built in.
fn output_of(built: &BuiltProgram, sandbox: &Sandbox) -> String {
    let child = sandbox.spawn_program(&built.program, StdioKind::Merged);
    let mut child = child.expect("it starts");
    let exit = child.wait_for(Duration::from_secs(60));
    let exit = exit.expect("our own child");
    let pipe = child.stdout.take().expect("a pipe");
    rustix::io::ioctl_fionbio(&pipe, false).expect("it is open");
    let text = std::io::read_to_string(fs::File::from(pipe)).expect("it is text");
    assert_eq!(exit, Some(ExitReason::Code(0)), "{text}");
    text
}

/// It was built anew, or kept, and runs.
#[track_caller]
fn says_hello(built: &BuiltProgram, sandbox: &Sandbox, kept: bool, why: &str) {
    let said = output_of(built, sandbox);
    assert_eq!((built.kept, &*said), (kept, "hello\n"), "{why}");
}

#[test]
fn a_build_that_computes_too_long_is_stopped_in_every_tier() {
    let place = Place::new();
    place.folders(&["b"]);
    let loops = "all:\n\t@echo begun; sh -c 'while :; do :; done' & while :; do :; done\n";
    place.write("b/Makefile", loops);
    for sandbox in sandboxes() {
        let mut builder = Builder::new(&sandbox);
        builder.limits.cpu = Duration::from_millis(300);
        let error = build_in(&place, "b", &builder).expect_err("it loops");
        let is_told = matches!(&error, BuildError::TimedOut { log, .. } if log == "begun\n");
        assert!(is_told && !error.is_infrastructure_error(), "{error}");
        says(&error.to_string(), &[" of CPU time of 300 ms"]);
    }
}

#[test]
fn a_build_is_kept_until_anything_changes() {
    let Some(sandbox) = sandboxes().into_iter().next() else {
        return;
    };
    if Tool::CC.find_command().is_err() || Tool::MAKE.find_command().is_err() {
        return;
    }
    let place = Place::new();
    place.folders(&["b", "d"]);
    place.write("b/x.c", HELLO_C);
    place.write("b/Makefile", "main: x.c\n\t@echo making; cc -o main x.c\n");
    let folder = place.join("cache/builds");
    let cache = BuildCache::open_folder(&folder).expect("our own folder");
    let builder = Builder {
        cache: Some(&cache),
        ..Builder::new(&sandbox)
    };
    let check = |kept: bool, why: &str| {
        let built = build_in(&place, "b", &builder).expect("it builds");
        says_hello(&built, &sandbox, kept, why);
        assert_eq!((&*built.how, &*built.log), ("make", "making\n"), "{why}");
    };
    check(false, "nothing is kept yet");
    check(true, "the same again");
    place.write("b/x.c", HELLO_C.replace("0;", "0 ;"));
    check(false, "another source");
    check(true, "the same again");
    let spoil = |how: &dyn Fn(&mut Vec<u8>)| {
        for entry in fs::read_dir(&folder).expect("a folder").flatten() {
            let mut bytes = fs::read(entry.path()).expect("an entry");
            how(&mut bytes);
            fs::write(entry.path(), bytes).expect("our own");
        }
    };
    type Damage<'a> = &'a dyn Fn(&mut Vec<u8>);
    let rows: [(&str, Damage<'_>); 3] = [
        ("damaged", &|bytes| bytes[200] ^= 1),
        ("half written", &|bytes| bytes.truncate(bytes.len() / 2)),
        ("empty", &|bytes| bytes.clear()),
    ];
    for (why, how) in rows {
        spoil(how);
        check(false, why);
        check(true, "it was replaced");
    }
    // A program that contains the path of its build folder is not cached: it may need the folder.
    place.write(
        "d/Makefile",
        "all:\n\tprintf '#!/bin/sh\\ncat %s/w' \"$(CURDIR)\" > main; chmod +x main; echo hello > w\n",
    );
    for _ in 0..2 {
        let built = build_in(&place, "d", &builder).expect("it builds");
        says_hello(&built, &sandbox, false, "d");
    }
}

#[test]
fn every_kind_of_build_runs_when_it_was_kept() {
    let Some(sandbox) = sandboxes().into_iter().next() else {
        return;
    };
    let place = Place::new();
    place.folders(&["m", "r/src"]);
    let java =
        "class Bot { public static void main(String[] a) { System.out.println(\"hello\"); } }";
    let cmake = "cmake_minimum_required(VERSION 3.10)\nproject(b C)\nadd_executable(b b.c)\n";
    let cargo = "[package]\nname = \"b\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
    for (name, text) in [
        ("a.c", HELLO_C),
        ("Bot.java", java),
        ("m/CMakeLists.txt", cmake),
        ("m/b.c", HELLO_C),
        ("r/Cargo.toml", cargo),
        ("r/src/main.rs", "fn main() { println!(\"hello\"); }\n"),
    ] {
        place.write(name, text);
    }
    let cache = BuildCache::open_folder(&place.join("cache")).expect("our own folder");
    let builder = Builder {
        cache: Some(&cache),
        ..Builder::new(&sandbox)
    };
    let rows: [(&str, &[Tool]); 4] = [
        ("a.c", &[Tool::CC]),
        ("Bot.java", &[Tool::JAVAC]),
        ("m", &[Tool::CMAKE, Tool::CC, Tool::MAKE]),
        ("r", &[Tool::CARGO]),
    ];
    for (path, tools) in rows {
        if tools.iter().any(|tool| tool.find_command().is_err()) {
            continue;
        }
        for kept in [false, true] {
            match build_in(&place, path, &builder) {
                Ok(built) => says_hello(&built, &sandbox, kept, path),
                // The sandbox may have no access to a toolchain in a home folder.
                Err(error) => assert!(error.is_infrastructure_error(), "{path}: {error}"),
            }
        }
    }
}

#[test]
fn two_builds_at_once_keep_one() {
    let (first, compiler) = (sandboxes().into_iter().next(), Tool::CC.find_command());
    let (Some(sandbox), Ok(_)) = (first, compiler) else {
        return;
    };
    let place = Place::new();
    place.write("a.c", HELLO_C);
    let cache = BuildCache::open_folder(&place.join("cache")).expect("our own folder");
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                let builder = Builder {
                    cache: Some(&cache),
                    ..Builder::new(&sandbox)
                };
                build_in(&place, "a.c", &builder).expect("it builds");
            });
        }
    });
    let kept = fs::read_dir(place.join("cache")).expect("a folder");
    assert_eq!(kept.count(), 1);
}

#[test]
fn the_command_line_keeps_builds_from_run_to_run() {
    if sandboxes().is_empty() || Tool::CC.find_command().is_err() {
        return;
    }
    let place = Place::new();
    place.write("mine.c", HELLO_C);
    let run = |cache: &str| {
        let words = split_words("match snakego mine.c random --no-replay --legs 1");
        let output = place.leitai(&words).env("LEITAI_CACHE", cache).output();
        text(&output.expect("the binary starts"))
    };
    let kept = "kept from an earlier build: gcc";
    for cache in ["builds", "off"] {
        let [first, second] = [run(cache), run(cache)];
        says_but_not(&first, &["built with gcc"], &[kept]);
        assert_eq!(second.contains(kept), cache == "builds", "{second}");
    }
    let everybody = fs::Permissions::from_mode(0o777);
    fs::set_permissions(place.join("builds"), everybody).expect("our own");
    let refused = run("builds");
    says(&refused, &["builds are not kept", "built with gcc"]);
}

/// A bot that looks for the other bot's secret and logs what it found in its first turn.
const SPY: &str = "import glob, sys
found = [open(path).read() for path in glob.glob('*') + glob.glob('FOLDER/*') if 'rival' in path]
try:
    import rival
    found.append(rival.SECRET)
except ImportError:
    pass
sys.stderr.write('spied: %r\\n' % found)
";

#[test]
fn bots_in_one_folder_do_not_read_each_other() {
    let place = Place::new();
    place.folders(&["bots"]);
    let bots = place.join("bots").display().to_string();
    place.write("bots/spy.py", SPY.replace("FOLDER", &bots));
    // It moves once, so that the spy is also asked on the second seat: a program does not run
    // before its first question.
    place.write(
        "bots/rival.py",
        "SECRET = 'secret-of-rival'\nimport sys, time\nsys.stdout.buffer.write(b'\\0\\0\\0\\1\\1')\nsys.stdout.flush()\ntime.sleep(60)\n",
    );
    for line in [
        "match snakego bots/spy.py bots/rival.py --replay game.json --limit 300ms --seed 1 --legs 1",
        "match snakego bots/rival.py bots/spy.py --replay game.json --limit 300ms --seed 1 --legs 1",
        "tournament snakego bots/spy.py bots/rival.py --folder cup --limit 300ms --seed 1 --legs 1",
        "ladder snakego bots --max 2 --limit 300ms --seed 1 --legs 1",
    ] {
        let said = place.said(line);
        says(&said, &["left behind: rival.py: another entrant's program"]);
        let replays = replays_in(place.path()).join("\n");
        assert!(replays.contains("spied: []"), "{said} {replays}");
        assert!(!replays.contains("secret-of-rival"), "{said}");
    }
}

/// The texts of all replays below a folder.
fn replays_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder").flatten();
    let paths = entries.map(|entry| entry.path());
    let texts = paths.flat_map(|path| match path.is_dir() {
        true => replays_in(&path),
        false if path.extension().is_some_and(|ending| ending == "json") => {
            fs::read_to_string(path).into_iter().collect()
        }
        false => Vec::new(),
    });
    texts.collect()
}

#[test]
fn names_tell_entrants_apart_and_stand_alone() {
    let place = Place::new();
    place.folders(&["x", "y", "long-folder1"]);
    for file in ["x/main", "y/main", "x/fast", "y/fast", "long-folder1/bot"] {
        place.write(&format!("{file}.py"), "print(open('net.bin'))\n");
    }
    place.write("long-folder1/net.bin", "");
    for [entrants, names] in table(
        "
x/main.py y/main.py | x y
x/fast.py y/fast.py | x-fast y-fast
new=x/main.py x/main.py | new x
old=greedy greedy | old greedy
long-folder1/bot.py greedy | long-folder1 greedy
",
    ) {
        let line = format!("match snakego {entrants} --json --no-replay --limit 300ms --legs 1");
        let result = place.json(&line);
        let names: Vec<&str> = names.split(' ').collect();
        let seen = [0, 1].map(|of| &result["entrants"][of]["name"]);
        assert_eq!(seen[..], names[..], "{entrants}");
    }
    // The name is not repeated with the path.
    let said = place.said("match snakego long-folder1/bot.py greedy --no-replay --legs 1");
    says(&said, &["long-folder1 left behind: net.bin"]);
}

#[test]
fn a_missing_file_is_reported() {
    let place = Place::new();
    place.check_rows(
        "
2 | match snakego ./nofile.py greedy | there is no ./nofile.py
2 | match snakego greddy greedy | did you mean greedy
",
    );
}

#[test]
fn a_program_is_found_by_a_path_with_dots() {
    let place = Place::new();
    let bot = place.bot("mine", "kob", "");
    place.folders(&["other"]);
    let bot = fs::read_to_string(bot).expect("a bot");
    place.write("mine/program", format!("#!/usr/bin/env python3\n{bot}"));
    allow_all(place.join("mine/program"));
    let line = "match kob other/../mine/program random --json --no-replay --legs 1 --seed 1";
    has!(place.json(line), {"/legs/0/faults": []});
}

/// Writes a script that everybody may run.
fn write_script(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().expect("it is in a folder")).expect("own folder");
    fs::write(path, format!("#!/bin/sh\n{text}\n")).expect("a file");
    allow_all(path);
}

/// As pyenv: its script looks for the interpreter, which takes longer than the interpreter's start.
#[test]
fn a_version_managers_script_is_asked_for_its_python_once_and_starts_no_bot() {
    let place = Place::new();
    let bot = place.bot("mine", "kob", "");
    let bot = bot.to_str().expect("a path");
    let shims = place.join("shims");
    write_script(
        &shims.join("python3"),
        "echo asked >>\"${0%/*}/asked\"; PATH=${PATH#*:} exec python3 \"$@\"",
    );
    let words = ["match", "kob", bot, bot, "--no-replay", "--legs", "2"];
    let mut leitai = place.leitai(&words);
    let search = std::env::var("PATH").expect("a search path");
    leitai.env("PATH", format!("{}:{search}", shims.display()));
    let output = leitai.output().expect("the binary starts");
    assert!(output.status.success(), "{}", text(&output));
    let asked = fs::read_to_string(shims.join("asked")).expect("it was asked");
    assert_eq!(asked, "asked\n", "{}", text(&output));
}

#[test]
fn rustup_is_found_where_it_lies_and_never_taken_for_a_compiler() {
    let place = Place::new();
    place.write("bot.rs", "fn main() {}\n");
    let home = place.join("home");
    let bin = home.join(".cargo/bin");
    write_script(
        &bin.join("rustup"),
        "exec \"${RUSTUP_HOME:?}/it/bin/rustc\" \"$@\"",
    );
    std::os::unix::fs::symlink("rustup", bin.join("rustc")).expect("a link");
    let compiler =
        "case \"$*\" in *sysroot*) dirname $(dirname $0);; *-o*) cp $0 leitai-bot;; esac";
    write_script(&home.join(".rustup/it/bin/rustc"), compiler);
    let run = |line: &str, path: &str| {
        let mut leitai = place.leitai(&split_words(line));
        leitai.env("PATH", path).env("HOME", place.path());
        leitai
            .env_remove("RUSTUP_HOME")
            .env_remove("RUSTUP_TOOLCHAIN");
        let output = leitai.env("LEITAI_CACHE", "off").output();
        text(&output.expect("the binary starts"))
    };
    let bin = bin.display().to_string();
    let play = |tier: &str| {
        let line = format!("match snakego bot.rs random --no-replay --legs 1 --isolation {tier}");
        run(&line, &format!("{bin}:/usr/bin:/bin"))
    };
    for tier in ["none", "auto"] {
        let said = play(tier);
        assert!(said.contains("built with rustc -O"), "{tier}: {said}");
    }
    fs::rename(home.join(".rustup"), home.join("elsewhere")).expect("own folder");
    let hint = "it is rustup, which has no toolchain for this user; set RUSTUP_HOME";
    says(&play("auto"), &[hint]);
    says(&run("doctor", &bin), &["✗ rustc"]);
}

#[test]
fn a_tool_in_a_closed_home_is_no_fault_of_the_bot() {
    let place = Place::new();
    place.write("bot.js", "console.log(1)\n");
    let home = place.join("home");
    write_script(&home.join("bin/node"), "[ \"$1\" = -p ] && echo $0");
    fs::set_permissions(&home, fs::Permissions::from_mode(0o700)).expect("own folder");
    let words = split_words("match snakego bot.js random --no-replay --legs 1 --isolation C");
    let mut leitai = place.leitai(&words);
    let output = leitai.env("PATH", home.join("bin")).output();
    let said = text(&output.expect("the binary starts"));
    assert!(!said.contains("chmod +x"), "{said}");
    let mut system = ["/usr/local/bin/node", "/usr/bin/node"].iter();
    let has_system = system.any(|node| Path::new(node).exists());
    if rustix::process::geteuid().is_root() && !has_system && !said.contains("doctor") {
        let hint = "to whom a folder above it is closed; apt-get install nodejs";
        says(&said, &[hint]);
    }
}

#[test]
fn a_program_that_opens_an_input_file_gets_a_hint_how_to_start_it() {
    let place = Place::new();
    place.write("reads.py", "print(open('input.txt').read())\n");
    let said = |program: &str| place.said(&format!("match {program} random --no-replay"));
    says(&said("kob reads.py"), &["give each-turn:PATH"]);
    says(&said("snakego reads.py"), &["everything comes on stdin"]);
    // No advice for a program that is started each turn.
    says_but_not(&said("kob each-turn:reads.py"), &[], &["nobody writes"]);
}

/// Programs of other judges as they come, without a source: each is told how to start it.
#[test]
fn an_executable_that_is_started_each_turn_gets_a_hint_how_to_start_it() {
    let place = Place::new();
    let file = "FILE *input = fopen(\"input.txt\", \"r\"); char line[99];\n\
        fgets(line, 99, input); puts(\"0\"); return 0;";
    let argument = "puts(argc > 1 ? argv[1] : \"0\"); return 0;";
    let (play, check) = (
        "match kob ./file random --no-replay",
        "check kob ./argument",
    );
    for (name, body, line, hint) in [
        ("file", file, play, "give each-turn:PATH, or"),
        ("argument", argument, check, "give each-turn:PATH"),
    ] {
        let code = format!("#include <stdio.h>\nint main(int argc, char **argv) {{ {body} }}\n");
        place.write("bot.c", &code);
        compile(&place, name);
        let said = said_in_one_line(&place, line);
        assert!(said.contains(hint), "{name}: {said}");
    }
}

/// What a command says, wherever its lines are broken.
fn said_in_one_line(place: &Place, line: &str) -> String {
    let said = place.said(line);
    said.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Compiles `bot.c` as its author does at home.
fn compile(place: &Place, name: &str) {
    let compiled = Command::new("gcc")
        .args(["-O2", "-static", "-w", "-o", name, "bot.c"])
        .current_dir(place.path())
        .status();
    assert!(compiled.expect("gcc starts").success());
}

/// The usual causes of two signals that few people know, each of a real program in the sandbox.
#[test]
#[cfg(target_arch = "x86_64")]
fn a_program_for_another_processor_or_of_32_bits_is_told_the_cure() {
    if sandboxes().is_empty() {
        return;
    }
    let place = Place::new();
    let rows = "
ud2 | (SIGILL); most often it was built for another processor
int $0x80 | a 32-bit program is built for 64 bits, without -m32
";
    for [line, hint] in table(rows) {
        // getpid of a 32-bit program.
        let code = format!(
            "#include <stdio.h>\nint main(void) {{ char line[999]; fgets(line, 999, stdin);\n\
            int of = 20; __asm__ volatile(\"{line}\" : \"+a\"(of)); puts(\"0\"); return 0; }}\n"
        );
        place.write("bot.c", &code);
        compile(&place, "bot");
        let said = said_in_one_line(&place, "match kob ./bot random --no-replay");
        assert!(said.contains(hint), "{line}: {said}");
    }
}

#[test]
fn new_overwrites_nothing_and_lists_the_choices() {
    let place = Place::new();
    // Without a language, `new` takes the first of the game and names the others.
    let first = place.said("new kob");
    says(&first, &["kob-bot/main.py   python, protocol json-lines"]);
    says(&first, &["leitai new kob cpp|java|javascript|rust"]);
    place.write("kob-bot/main.py", "mine");
    place.check_rows("2 | new kob | kob-bot/main.py is there already | --folder");
    assert_eq!(place.read("kob-bot/main.py"), "mine");
    let other = place.said("new kob C++ --folder 'my bots/adder'");
    says(&other, &["leitai check kob 'my bots/adder'"]);
    assert!(place.join("my bots/adder/main.cpp").is_file());
    // A file is refused as a folder.
    place.check_rows(
        r#"
2 | new kob pyhton | did you mean python? | python, cpp, java | docs/protocols.md
2 | new kob haskell | no template in "haskell" | it has python, cpp, java
2 | new kbo | did you mean kob?
2 | new | <GAME>
1 | new kob --folder kob-bot/main.py
"#,
    );
}

/// An author who wrote for another protocol can read which one was spoken.
#[test]
fn the_line_about_a_built_program_names_its_protocol() {
    if sandboxes().is_empty() {
        return;
    }
    let place = Place::new();
    let say = "while input():\n    print(0, flush=True)\n";
    place.write("default.py", say);
    place.write("marked.py", format!("# leitai: dialect=json-lines\n{say}"));
    for (program, protocol) in [
        ("default.py", "protocol line"),
        ("marked.py", "protocol json-lines"),
        ("json-lines:default.py", "protocol json-lines"),
    ] {
        let said = place.said(&format!("match kob {program} random --no-replay --legs 1"));
        assert!(said.contains(protocol), "{program}: {said}");
    }
}

/// The wheel's program finds the Python beside itself, activated or not.
#[test]
fn in_a_python_environment_it_works_with_its_python() {
    let place = Place::new();
    place.folders(&["venv/bin", "plain/bin"]);
    place.write("venv/pyvenv.cfg", "");
    for name in ["venv", "plain"] {
        let bin = place.join(name).join("bin");
        fs::copy(env!("CARGO_BIN_EXE_leitai"), bin.join("leitai")).expect("own folder");
        write_script(&bin.join("python3"), "echo \"asked $0 for $4\" >&2; exit 2");
    }
    let asks = |program: &str, path: &str| {
        let mut leitai = Command::new(place.join(program));
        leitai.args(["match", "kob", "python:mine", "random"]);
        let output = leitai.env("PATH", path).env("LC_ALL", "C").output();
        text(&output.expect("it starts"))
    };
    let venv = place.join("venv/bin").display().to_string();
    let asked = format!("asked {venv}/python3 for mine");
    for path in ["/usr/bin:/bin", &format!("{venv}:/bin")] {
        says(&asks("venv/bin/leitai", path), &[&asked]);
    }
    // Where the environment is in PATH, its order decides.
    let first = format!("{}:{venv}", place.join("plain/bin").display());
    for (program, path, asked) in [
        (
            "venv/bin/leitai",
            first.as_str(),
            Some("plain/bin/python3 for mine"),
        ),
        ("plain/bin/leitai", "/none", None),
    ] {
        let said = asks(program, path);
        assert_eq!(said.contains("asked"), asked.is_some(), "{said}");
        says(
            &said,
            &[asked.unwrap_or("needs the Python package of Leitai")],
        );
    }
}
