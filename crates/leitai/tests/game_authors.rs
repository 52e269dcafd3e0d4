//! Games as their authors write them: a first game, compiled, checked, packed and played; the examples
//! of `examples/games`; and what a check tells of rules that are wrong.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::place::{cells, leitai_in, says, says_but_not, split_words, text as said};

fn place() -> TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

fn leitai(place: &Path, line: &str) -> Command {
    let mut command = leitai_in(place, &split_words(line));
    command.env_remove("RUSTC_WORKSPACE_WRAPPER");
    command
}

/// Runs a command that has to end with this status and print these parts.
#[track_caller]
fn check(place: &Path, line: &str, status: i32, parts: &[&str]) -> String {
    let output = leitai(place, line).output().expect("the binary starts");
    let said = said(&output);
    assert_eq!(output.status.code(), Some(status), "{line}\n{said}");
    for part in parts {
        assert!(said.contains(part), "{line}: no {part:?} in\n{said}");
    }
    said
}

/// Commands, how they end and what they say.
#[track_caller]
fn check_rows(place: &Path, rows: &str) {
    crate::place::check_rows(|words| leitai(place, &words.join(" ")), rows);
}

/// Whether C++ can be compiled here; `./dev test` installs what that needs.
pub(crate) fn has_clang() -> bool {
    let runs = |name: &str| {
        let run = Command::new(name).arg("--version").output();
        run.is_ok_and(|output| output.status.success())
    };
    let has = runs("clang++") && runs("wasm-ld");
    if !has {
        eprintln!("SKIPPED: clang and lld are missing; apt-get install clang lld");
    }
    has
}

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/games")
}

/// A copy of an example, with the sources changed.
pub(crate) fn copy_of(place: &Path, game: &str, change: &[(&str, &str)]) {
    copy_folder(&examples().join(game), &place.join(game));
    let path = place.join(game).join("rules.cpp");
    let _built_before = fs::remove_file(place.join(game).join("rules.wasm"));
    let mut rules = fs::read_to_string(&path).expect("it was copied");
    for (from, to) in change {
        assert!(rules.contains(from), "{from}");
        rules = rules.replace(from, to);
    }
    fs::write(path, rules).expect("own folder");
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("own folder");
    for entry in fs::read_dir(from).expect("an example").flatten() {
        let (path, to) = (entry.path(), to.join(entry.file_name()));
        match path.is_dir() {
            true => copy_folder(&path, &to),
            false => drop(fs::copy(&path, &to).expect("own folder")),
        }
    }
}

/// What a person does who writes a first game in C++.
#[test]
fn a_new_game_in_cpp_is_complete() {
    if !has_clang() {
        return;
    }
    let place = place();
    check_rows(
        place.path(),
        "0 | game new two-coins cpp | wrote two-coins | leitai game build two-coins",
    );
    let missing = "rules.wasm: this part is missing; leitai game build FOLDER compiles it";
    let words = check(place.path(), "game check two-coins", 2, &[missing]);
    assert_eq!(words.matches("missing").count(), 1, "{words}");
    let test = Command::new(place.path().join("two-coins/test.sh"))
        .args(["--legs", "1", "--config", "most=10"])
        .env("LEITAI", env!("CARGO_BIN_EXE_leitai"))
        .env("LC_ALL", "C")
        .output()
        .expect("it can be run");
    let words = said(&test);
    assert!(test.status.success(), "{words}");
    let passes = "two-coins passes, with 1 recorded matches";
    says(&words, &["rules.wasm: ", passes, "first   "]);
    check_rows(
        place.path(),
        r#"
0 | game pack two-coins | two-coins.leitai-game:
0 | game list . | Two coins | two-coins/1
// It is never written over.
2 | game new two-coins cpp | is there already
2 | game new Two | "Two" cannot be the id of a game
2 | game new kob | belongs to a game of Leitai
"#,
    );
}

/// A person writes a first game in Rust. Compiling it takes a minute: `./dev modules`.
#[test]
#[ignore = "compiles Leitai's game crate for WebAssembly; ./dev modules runs it"]
fn a_new_game_in_rust_is_complete() {
    let place = place();
    let sources = examples().join("../..");
    let new = format!("game new two-coins rust --leitai {}", sources.display());
    check(place.path(), &new, 0, &["wrote two-coins"]);
    let rows = "
0 | game build two-coins | rules.wasm:
0 | game check two-coins | two-coins passes, with 1 recorded matches
0 | match two-coins two-coins/bots/first.py random --no-replay | first
0 | game build FOUR | rules.wasm:
0 | game check FOUR | connect-four passes, with 6 recorded matches
0 | match FOUR FOUR/bots/middle.py FOUR/bots/one-ahead.py --no-replay | by four in a line
";
    let four = examples().join("connect-four").display().to_string();
    check_rows(place.path(), &rows.replace("FOUR", &four));
}

#[test]
fn a_missing_compiler_is_named_with_what_installs_it() {
    let place = place();
    let empty = place.path().join("nothing");
    fs::create_dir(&empty).expect("own folder");
    let source = place.path().join("game");
    fs::create_dir(&source).expect("own folder");
    let run = |cure: &str| {
        let mut command = leitai(place.path(), "game build game");
        let output = command.env("PATH", &empty).output().expect("it starts");
        let words = said(&output);
        assert_eq!(output.status.code(), Some(1), "{words}");
        assert!(words.contains(cure), "no {cure:?} in\n{words}");
    };
    check_rows(
        place.path(),
        "2 | game build game | neither rules.cpp nor Cargo.toml",
    );
    fs::write(source.join("Cargo.toml"), "").expect("own folder");
    run("rustup target add wasm32-unknown-unknown");
    fs::write(source.join("rules.cpp"), "").expect("own folder");
    run("apt-get install clang lld");
    let sources = check(place.path(), "game new mine rust", 2, &["--leitai FOLDER"]);
    assert!(!place.path().join("mine").exists(), "{sources}");
}

/// Hidden cards: the bots of the example play, programs never get the covered cards, and the recorded
/// matches of another program agree.
/// What the check below may take, in units of fuel.
const MOST_FUEL: u64 = 14_000_000;

#[test]
fn goofspiel_in_cpp_keeps_its_secrets() {
    if !has_clang() {
        return;
    }
    let place = place();
    copy_of(place.path(), "goofspiel", &[]);
    check(place.path(), "game build goofspiel", 0, &["rules.wasm: "]);
    let line = "game check goofspiel --legs 1 --config cards=3";
    let passes = "goofspiel passes, with 6 recorded matches";
    let words = check(
        place.path(),
        line,
        0,
        &[passes, " legal\n", " hostile-texts\n"],
    );
    let alike = "pairs of positions that differ in hidden facts alone look the same";
    let dearest = "the dearest call of each function";
    says_but_not(&words, &[alike, dearest], &["no two positions"]);
    // What a module said of a position is not asked again; this one took 12,668,296 units.
    let took = words.split("the whole check took ").nth(1);
    let took = took.and_then(|rest| rest.split(' ').next());
    let took = took.and_then(|units| units.replace(',', "").parse().ok());
    assert!(took.is_some_and(|units: u64| units < MOST_FUEL), "{words}");
    let listening = "import json, sys\nfor line in sys.stdin:\n    print(line.strip(), file=sys.stderr)\n    message = json.loads(line)\n    if message['type'] == 'turn':\n        print(json.dumps({'action': message['legal'][0]}), flush=True)\n";
    fs::write(place.path().join("listening.py"), listening).expect("own folder");
    check_rows(
        place.path(),
        "0 | match goofspiel listening.py goofspiel/bots/one-more.py --config cards=5 --isolation none --replay one.json | leg 2 of 2 | --game goofspiel",
    );
    let replay = fs::read_to_string(place.path().join("one.json")).expect("it was written");
    let replay: serde_json::Value = serde_json::from_str(&replay).expect("a replay");
    let heard = replay["legs"].to_string();
    assert!(
        heard.contains("\\\"view\\\"") || heard.contains("view"),
        "{heard}"
    );
    says_but_not(&heard, &[], &["setup", "deck"]);
}

/// What a check says of rules that are wrong: the check, the mistake, and the shortest input.
#[test]
fn mistakes_of_rules_are_told_with_the_shortest_input() {
    if !has_clang() {
        return;
    }
    // A view that leaks, and elsewhere; scores that tell what lies covered; a text that omits bids; a trap.
    let rows = r#"
if (seat == 2) { | if (seat >= 1) { | check secrets: the view of second shows the secret deck | replies -
out << "{\"cards\":" << cards | out << "{\"next\":" << (seat < 2 && turn == 0 ? prizes[1] : 0) << ",\"cards\":" << cards | check secrets: the view of first tells a secret at /next
int score(int seat) const { return points[seat]; } | int score(int seat) const { return points[seat] + (turn < cards ? prizes[cards - 1] : 0); } | check secrets: the scores tell first a secret:
if (i < turn) out << ' ' | if (i < turn) out << ' ' << bids[0][i] << '\n'; else if (i < 0) out << ' ' | check equal-texts: two positions have the same text, but differ
bids[1][turn] = | if (turn == 1) fail("no second bid"); bids[1][turn] = | no second bid | shortest failing input: config {"cards":3}, seed
"#;
    for row in cells(rows) {
        let [from, to, parts @ ..] = &row[..] else {
            panic!("a text and another one: {row:?}")
        };
        let place = place();
        copy_of(place.path(), "goofspiel", &[(from, to)]);
        fs::remove_dir_all(place.path().join("goofspiel/golden")).expect("it was copied");
        check(place.path(), "game build goofspiel", 0, &[]);
        let line = "game check goofspiel --legs 1 --config cards=3";
        let words = check(place.path(), line, 1, parts);
        if parts[0] == "no second bid" {
            let replies = words.split("replies ").nth(1).unwrap_or_default();
            let replies = replies.lines().next().unwrap_or_default();
            assert_eq!(replies.split(' ').count(), 2, "{words}");
        }
    }
}

#[test]
fn a_source_that_does_not_compile_is_shown_by_its_compiler() {
    if !has_clang() {
        return;
    }
    let place = place();
    copy_of(place.path(), "goofspiel", &[("int turn = 0;", "")]);
    let row = "1 | game build goofspiel | error: | does not compile | rules.cpp";
    check_rows(place.path(), row);
    assert!(!place.path().join("goofspiel/rules.wasm").exists());
}

/// The recorded matches of the examples are what the independent program writes.
#[test]
fn recorded_matches_come_from_the_independent_program() {
    let place = place();
    copy_folder(&examples(), place.path());
    let golden = |root: &Path| {
        let of =
            |game: &'static str| (1..=6).map(move |number| format!("{game}/golden/{number}.json"));
        let names = of("goofspiel").chain(of("connect-four"));
        let texts =
            names.map(|name| fs::read_to_string(root.join(name)).expect("a recorded match"));
        texts.collect::<Vec<_>>()
    };
    let before = golden(place.path());
    for game in ["goofspiel", "connect-four"] {
        fs::remove_file(place.path().join(game).join("golden/1.json")).expect("it was copied");
    }
    let python = Command::new("python3")
        .arg(place.path().join("independent.py"))
        .status()
        .expect("python3 is there");
    assert!(python.success());
    assert!(golden(place.path()) == before);
}
