//! `leitai match … --from FILE@LEG:ROUND`: a fault is reproduced, and a moment that cannot be
//! reached again is explained.

use crate::place;

use std::process::{Command, Stdio};

use serde_json::{Value, json};

use place::{Place, cells, fill_words, says, says_but_not, table, text};

/// Walks in a ring near its corner, exits with code 3 in turn CRASH, and takes another direction in
/// turn OTHER.
const WALKER: &str = r#"# leitai: dialect=json-lines
import json, sys

ring, turn = [], 0
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "start":
        ring = "111444333222" if message["seat"] == "first" else "333222111444"
    if message["type"] == "turn":
        turn += 1
        if turn == CRASH:
            print("index out of range: 17", file=sys.stderr)
            sys.exit(3)
        action = ring[(turn - 1) % 12]
        if turn == OTHER:
            action = next(way for way in message["legal"] if way != action)
        print(json.dumps({"action": action}), flush=True)
"#;

trait Walks {
    fn walker(&self, name: &str, crash: u32, other: u32);
    fn play(&self, a: &str, b: &str, file: &str) -> String;
    fn shell(&self, command: &str) -> String;
    fn verifies(&self, file: &str);
}

impl Walks for Place {
    /// Writes the walker under this name.
    fn walker(&self, name: &str, crash: u32, other: u32) {
        let text = WALKER
            .replace("CRASH", &crash.to_string())
            .replace("OTHER", &other.to_string());
        self.write(name, text);
    }

    /// A match over 60 rounds without items, its replay in `file`.
    fn play(&self, a: &str, b: &str, file: &str) -> String {
        let words = fill_words(
            "match snakego {} {} --seed 7 --replay {} --config max_round=60",
            &[a, b, file],
        );
        text(&self.run(&[&words[..], &["--config", "items=[]"]].concat()))
    }

    /// Runs a command that was printed, in a shell.
    fn shell(&self, command: &str) -> String {
        let binary = concat!("'", env!("CARGO_BIN_EXE_leitai"), "' ");
        let command = command.replacen("leitai ", binary, 1) + " --replay again.json";
        let mut shell = Command::new("sh");
        shell
            .args(["-c", &command])
            .current_dir(self.path())
            .env("LC_ALL", "C")
            .stdin(Stdio::null());
        text(&shell.output().expect("a shell"))
    }

    #[track_caller]
    fn verifies(&self, file: &str) {
        let verified = self.run(&["replay", "verify", file]);
        assert!(verified.status.success(), "{}", text(&verified));
    }
}

/// The command that is printed after "play it again".
#[track_caller]
fn printed(said: &str) -> &str {
    let line = said
        .lines()
        .find_map(|line| line.trim().strip_prefix("play it again"));
    line.unwrap_or_else(|| panic!("no command to play it again:\n{said}"))
        .trim()
}

#[test]
fn a_crash_in_round_37_is_reproduced_by_the_printed_command() {
    let place = Place::new();
    place.walker("it's mine.py", 37, 0);
    let rows = r"
it's mine.py | random | leitai match snakego 'it'\''s mine.py' random --seed 7 --from game.json@1:37
random | it's mine.py | leitai match snakego random 'it'\''s mine.py' --seed 7 --from game.json@1:37
";
    for [a, b, command] in table(rows) {
        let said = place.play(a, b, "game.json");
        assert_eq!(printed(&said), command, "{said}");
        let again = place.shell(command);
        says(&again, &["✗ round 37", "it's mine ("]);
        says(&again, &["ended with exit code 3 [RE]"]);
        says(&again, &["index out of range: 17"]);
        says(&again, &["answered as in the replay before round 37"]);
        // The built-in bot repeats its moves, too, because it draws the same random numbers.
        let (first, second) = (place.replay("game.json"), place.replay("again.json"));
        assert_eq!(first["legs"][0]["replies"], second["legs"][0]["replies"]);
        assert_eq!(second["forced"], json!({"leg": 1, "round": 37}));
        place.verifies("again.json");
    }
}

#[test]
fn a_later_leg_is_played_alone() {
    let place = Place::new();
    place.walker("sound.py", 0, 0);
    place.walker("crash.py", 0, 0);
    place.play("sound.py", "crash.py", "game.json");
    place.walker("crash.py", 5, 0);
    let line = "match snakego sound.py crash.py --from game.json@2:5 --replay again.json";
    let said = place.said(line);
    says_but_not(&said, &["leg 2 of 2"], &["leg 1 of 2"]);
    says(&said, &["✗ round 5", "--from again.json@2:5"]);
    says(&said, &["crash (first) ended with exit code 3 [RE]"]);
    let (game, again) = (place.replay("game.json"), place.replay("again.json"));
    assert_eq!(
        game["legs"][0], again["legs"][0],
        "the replies before the round are copied"
    );
    assert_eq!(again["legs"][1]["faults"][0]["entrant"], "B");
    place.verifies("again.json");
}

#[test]
fn a_changed_program_is_reported_to_diverge() {
    let place = Place::new();
    place.walker("walker.py", 37, 0);
    let said = place.play("walker.py", "random", "game.json");
    place.walker("walker.py", 0, 12);
    let again = place.shell(printed(&said));
    let part =
        "walker answered 1 in round 12 where the replay has 2: it would not reach this position";
    assert!(again.contains(part), "{again}");
    assert!(again.contains("leg 1 of 1  ✓"), "it plays on: {again}");
    place.walker("walker.py", 12, 0);
    let again = place.shell(printed(&said));
    let part = "walker ended with exit code 3 [RE] in round 12 where the replay has 2: it would not reach this position";
    assert!(again.contains(part), "{again}");
    let line = "match snakego walker.py random --from game.json@1:37 --json --no-replay";
    let result: Value = serde_json::from_slice(&place.run_line(line).stdout).expect("JSON");
    let expected = json!([{"entrant": "A", "seat": "first", "round": 12, "step": 25, "recorded": "2",
        "instead": {"fault": {"code": "RE", "what": "ended with exit code 3"}}}]);
    assert_eq!(result["divergences"], expected);
    assert_eq!(
        result["legs"][0]["play_again"],
        "leitai match snakego walker.py random --seed 7 --from game.json@1:37",
        "no new replay: the command names the old one"
    );
}

#[test]
fn built_in_bots_play_on_from_the_round() {
    let place = Place::new();
    place.play("random", "random", "game.json");
    let line = "match snakego territory greedy --from game.json@1:3 --replay again.json";
    // No program is compared.
    says_but_not(&place.said(line), &["territory"], &["recorded"]);
    let first = |file: &str| {
        place.replay(file)["legs"][0]["replies"]
            .as_str()
            .map(|all| all[..7].to_owned())
    };
    assert_eq!(first("game.json"), first("again.json"));
    place.verifies("again.json");
}

#[test]
fn moments_that_cannot_be_played_are_explained() {
    let place = Place::new();
    place.walker("walker.py", 37, 0);
    place.play("walker.py", "random", "game.json");
    let rows = "
snakego | game.json@1:38 | game.json: leg 1: in round 37 the first player crashed (RE) | 1 to 37
snakego | game.json@1:0 | there is no round 0
snakego | game.json@2:1 | there is no leg 2; it has 1
kob | game.json@1:2 | game.json: it is a replay of snakego, not of kob
snakego | nothing.json@1:2 | cannot read nothing.json
snakego | game.json | write FILE@LEG:ROUND
snakego | game.json@1:2 --seed 8 | played with seed 7, not 8
snakego | game.json@1:2 --legs 1 | cannot be used with
";
    for row in cells(rows) {
        let (game, from) = (row[0], row[1]);
        let output = place.run_line(&format!(
            "match {game} random random --no-replay --from {from}"
        ));
        let said = text(&output);
        assert!(!output.status.success(), "{from}: {said}");
        says(&said, &row[2..]);
    }
}
