//! TankCraft programs of 2010, built with the SDK's header and shim by the game's host or by the
//! SDK's Makefile. Without a C++ compiler the tests print a note and pass.

use crate::place::table;
use crate::place::{fill_words, says, says_but_not};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use leitai_judge::build::Tool;
use serde_json::{Value, json};
use tempfile::TempDir;

const SDK: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../sdk/cpp/tankcraft");
const EXAMPLE: &str = include_str!("../../../sdk/cpp/tankcraft/example_2010.cpp");
const FIELDS: &str = include_str!("sdk/fields.cpp");
const LOUD: &str = include_str!("sdk/loud.cpp");
const CARELESS: &str = include_str!("sdk/careless.cpp");
const NAMES: &str = include_str!("sdk/names.cpp");

/// Whether the tests cannot run; prints the reason.
fn no_compiler() -> bool {
    let missing = [Tool::CXX, Tool::MAKE]
        .into_iter()
        .find_map(|tool| tool.find_command().err());
    missing
        .inspect(|missing| println!("skipped: {missing}"))
        .is_some()
}

fn place_with(name: &str, text: &str) -> TempDir {
    let place = tempfile::tempdir().expect("a temporary folder");
    fs::write(place.path().join(name), text).expect("it can be written");
    place
}

/// A folder with the SDK and this program.
fn folder_with(name: &str, text: &str) -> TempDir {
    let place = place_with(name, text);
    fs::create_dir(place.path().join("compat")).expect("a folder");
    let files = "Tank.h compat/tank.h shim.cpp build.sh Makefile example_2010.cpp";
    for file in files.split_whitespace() {
        fs::copy(Path::new(SDK).join(file), place.path().join(file)).expect("a file of the SDK");
    }
    place
}

/// A match on the map "crossroads" with fog=sdk: its result, its replay, and the output for people.
fn play(place: &Path, a: &str, b: &str, rounds: u32) -> (Value, Value, String) {
    play_in("sdk", place, a, b, rounds)
}

fn play_in(fog: &str, place: &Path, a: &str, b: &str, rounds: u32) -> (Value, Value, String) {
    let words = fill_words(
        "match tankcraft {} {} --json --seed 1 --replay game.json --limit 10s",
        &[a, b],
    );
    let mut leitai = Command::new(env!("CARGO_BIN_EXE_leitai"));
    leitai.args(words).args(fill_words(
        "--config {} --config map=crossroads",
        &[&format!("fog={fog}")],
    ));
    leitai.args(["--config", &format!("rounds={rounds}")]);
    let output = leitai
        .current_dir(place)
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .output();
    let output = output.expect("the binary starts");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let result =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("no result: {said}"));
    let replay = fs::read_to_string(place.join("game.json")).expect("a replay");
    (
        result,
        serde_json::from_str(&replay).expect("a replay"),
        said,
    )
}

#[track_caller]
fn assert_no_faults(result: &Value, said: &str) {
    let legs = result["legs"].as_array().expect("legs");
    assert_eq!(legs.len(), 2, "{result}");
    legs.iter()
        .for_each(|leg| assert_eq!(leg["faults"], json!([]), "{said}"));
}

#[test]
fn a_source_of_2010_is_played_by_the_host() {
    if no_compiler() {
        return;
    }
    let place = place_with("my2010.cpp", EXAMPLE);
    let (result, _, said) = play(place.path(), "./my2010.cpp", "random", 60);
    assert!(said.contains("host sdk-2010"), "{said}");
    assert_no_faults(&result, &said);
    assert_eq!(result["winner"], "A", "{result}");
}

#[test]
fn a_folder_with_the_sdk_in_it_is_made() {
    if no_compiler() {
        return;
    }
    let place = tempfile::tempdir().expect("a temporary folder");
    let bot = folder_with("bot.cpp", EXAMPLE);
    let path = bot.path().display().to_string();
    let (result, _, said) = play(place.path(), &path, "random", 20);
    // This user's cache may have it from an earlier run of the same binary.
    let built = ["built with make", "kept from an earlier build: make"];
    assert!(built.iter().any(|how| said.contains(how)), "{said}");
    assert_no_faults(&result, &said);
}

#[test]
fn every_field_of_the_first_round() {
    if no_compiler() {
        return;
    }
    let place = place_with("fields.cpp", FIELDS);
    let (result, replay, said) = play(place.path(), "./fields.cpp", "./fields.cpp", 3);
    assert_no_faults(&result, &said);
    let logs = replay["legs"].to_string();
    for side in ["RED", "BLUE"] {
        assert_eq!(
            logs.matches(&format!("fields: {side} sees what it must"))
                .count(),
            2,
            "{logs}"
        );
    }
}

/// A wrong map: the program that checks fields can fail, and its fault contains its output.
#[test]
fn a_wrong_field_is_noticed() {
    if no_compiler() {
        return;
    }
    let wrong = FIELDS.replacen("..A...B", ".2A...B", 1);
    assert_ne!(wrong, FIELDS);
    let place = place_with("fields.cpp", &wrong);
    let (result, replay, said) = play(place.path(), "./fields.cpp", "random", 3);
    assert_eq!(result["legs"][0]["faults"][0]["code"], "RE", "{said}");
    assert!(
        replay["legs"]
            .to_string()
            .contains("fields: type of 102 is 0, not 1"),
        "{replay}"
    );
}

/// Builds the program with the SDK's Makefile and sends it the judge's questions.
fn converse(text: &str, questions: &str) -> Output {
    let place = folder_with("loud.cpp", text);
    let mut make = Command::new("make");
    make.args(["--silent", "BOT=loud.cpp", "CXXFLAGS=-Wall -Wextra -Werror"])
        .current_dir(place.path());
    let made = make.output().expect("make starts");
    assert!(
        made.status.success(),
        "{}",
        String::from_utf8_lossy(&made.stderr)
    );
    assert_eq!(String::from_utf8_lossy(&made.stderr), "", "no warnings");
    talk(&place.path().join("main"), questions)
}

fn talk(program: &PathBuf, questions: &str) -> Output {
    let mut command = Command::new(program);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().expect("it was made");
    let mut stdin = child.stdin.take().expect("piped");
    // The questions fit into the pipe; a program that has ended does not read them.
    let _ = stdin.write_all(questions.as_bytes());
    drop(stdin);
    child.wait_with_output().expect("it ends")
}

fn rows(glyphs: &[(usize, usize, char)]) -> String {
    let glyph = |row, col| {
        glyphs
            .iter()
            .find(|at| (at.0, at.1) == (row, col))
            .map_or('.', |at| at.2)
    };
    (1..=21)
        .map(|row| (1..=21).map(|col| glyph(row, col)).collect::<String>() + "\n")
        .collect()
}

/// The opening message for blue on a map with three mines, a brick, and tanks in the corners.
fn opening() -> String {
    let spawns = "ABCDEFGHIJ"
        .chars()
        .enumerate()
        .map(|(n, name)| (1 + n / 5 * 20, 1 + n % 5, name));
    let mut glyphs = vec![(2, 3, 'r'), (11, 11, 'n'), (20, 19, 'b'), (9, 9, '2')];
    glyphs.extend(spawns);
    format!(
        "TANKCRAFT 1\nSIDE BLUE\nSIZE 21 21\nGOAL 1000\nROUNDS 400\nMAP\n{}CHOOSE\n",
        rows(&glyphs)
    )
}

/// The message of a round: tank 0 is visible, 1 is not, 2 is known to be dead; of blue, 5 is dead,
/// 6 invincible.
fn round(number: u32) -> String {
    let unseen: String = (3..5)
        .map(|n| format!("TANK {n} Sniper -2 -2 2 0 -1\n"))
        .collect();
    let own: String = (7..10)
        .map(|n| format!("TANK {n} Sniper 21 {n} 2 0 -1\n"))
        .collect();
    let brick = rows(&[(9, 9, '1')]);
    format!(
        "ROUND {number}\nGOLD 44 40\nKILLS 3 1\nTERRAIN\n{brick}OWNERS BNB\nTANK 0 Striker 21 8 1 0 -1\n\
         TANK 1 Pioneer -2 -2 7 0 -1\nTANK 2 Sniper -2 -2 0 0 14\n{unseen}TANK 5 Striker -2 -2 0 0 13\n\
         TANK 6 Pioneer 11 11 9 2 -1\n{own}GO\n"
    )
}

/// The values that the program with output must print in [`round`] 1.
const TOLD: &str = "choosing, stdin has -1
round 1 flag 1 gold 44 40 score 3 1
sources 0 2 3
tank 0 0 21 8 0 1 1 2 1 3 -1 0
tank 1 0 -2 -2 1 1 2 1 7 1 -1 0
tank 2 0 -2 -2 2 1 3 1 0 5 14 0
tank 3 0 -2 -2 2 1 4 1 2 5 -1 0
tank 4 0 -2 -2 2 1 5 1 2 5 -1 0
tank 5 1 -2 -2 0 21 1 2 0 3 13 0
tank 6 1 11 11 1 21 2 1 9 1 -1 2
tank 7 1 21 7 2 21 3 1 2 5 -1 0
tank 8 1 21 8 2 21 4 1 2 5 -1 0
tank 9 1 21 9 2 21 5 1 2 5 -1 0
cell 2 3 0 2 -1
cell 9 9 2 0 -1
cell 11 11 0 3 6
cell 20 19 0 2 -1
cell 21 7 0 0 7
cell 21 8 0 0 8
cell 21 9 0 0 9
asked 5asked 6asked 7asked 8asked 9";

#[test]
fn questions_and_answers_of_a_program_have_these_bytes() {
    if no_compiler() {
        return;
    }
    let end = "END WIN goal 44 40\n";
    let output = converse(
        LOUD,
        &[&opening(), &round(1), &round(2).replace('\n', "\r\n"), end].concat(),
    );
    let (answers, told) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    let expected = "TEAM Striker Pioneer Sniper Striker Pioneer x?xxxxxxxxxxxxxxxxxxx\n\
                    GOUP\nGODOWN\nGOLEFT\nGORIGHT\nFIRE -9 1\nSTOP\nSTOP\nSTOP\nSTOP\nSTOP\n";
    assert_eq!(answers, expected, "{told}");
    assert_eq!(told.split("round 2").next(), Some(TOLD));
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn how_a_conversation_ends() {
    if no_compiler() {
        return;
    }
    let place = folder_with("loud.cpp", LOUD);
    let made = Command::new("make")
        .args(["--silent", "BOT=loud.cpp"])
        .current_dir(place.path())
        .status();
    assert!(made.expect("make starts").success());
    let check = |questions: &str, code: i32, said: &str| {
        let output = talk(&place.path().join("main"), questions);
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{told}");
        assert!(told.contains(said), "{said}: {told}");
    };
    check("", 0, "");
    check(&opening(), 0, "choosing");
    check(
        "MAP\n.....\n",
        2,
        "shim: a row of the map has not 21 glyphs: .....",
    );
    check("TANK 12 Striker 1 1 1 1 1\n", 2, "shim: expected a tank");
    check("TANK 1 Striker 1 22 1 1 1\n", 2, "shim: expected a tank");
    check(
        "TANK 1 Tiger 1 1 1 1 1\n",
        2,
        "shim: unknown type of tank: TANK 1 Tiger",
    );
    check("OWNERS RR\n", 2, "shim: expected an owner for each mine");
    check("GOLD 1\n", 2, "shim: expected two numbers");
}

#[test]
fn an_error_of_the_program_is_shown_once() {
    if no_compiler() {
        return;
    }
    let broken = EXAMPLE.replace("return order;", "return oder;");
    let place = place_with("broken.cpp", &broken);
    let (result, _, said) = play(place.path(), "./broken.cpp", "random", 3);
    assert_eq!(result["winner"], "B", "{result}");
    says(&said, &["oder", "broken.cpp"]);
}

#[test]
fn newer_c_plus_plus_compiles_too() {
    if no_compiler() {
        return;
    }
    let newer = EXAMPLE.replace("Order order = stop();", "auto order = stop();");
    assert_ne!(newer, EXAMPLE);
    let place = place_with("newer.cpp", &newer);
    let (result, _, said) = play(place.path(), "./newer.cpp", "random", 5);
    assert_no_faults(&result, &said);
}

/// Superfluous headers, words of Visual C++, and names that the library uses, too.
#[test]
fn code_for_the_compilers_of_2010_plays() {
    if no_compiler() {
        return;
    }
    for (name, text) in [("careless.cpp", CARELESS), ("names.cpp", NAMES)] {
        let place = place_with(name, text);
        let (result, _, said) = play(place.path(), &format!("./{name}"), "random", 5);
        assert_no_faults(&result, &said);
    }
}

#[test]
fn code_for_windows_alone_is_refused_with_an_explanation() {
    if no_compiler() {
        return;
    }
    let rows = "
#include <queue> | #include <queue>\\n#include <windows.h> | that header belongs to Windows
#include <queue> | #include <queue>\\n#include <conio.h> | that header belongs to Windows
strcpy(info | for (int j = 0; j < 2; j++) info.tank[j] = Striker;\\n    for (j = 2; j < 5; j++) ;\\n    strcpy(info | a name declared in a for ends with the loop (Visual C++ 6 kept it): declare before the loop: j
Order stop() { | void main() {}\\nOrder stop() { | the main() is in the shim
";
    for [from, to, hint] in table(rows) {
        let text = EXAMPLE.replacen(from, &to.replace("\\n", "\n"), 1);
        assert_ne!(text, EXAMPLE, "{from}");
        let place = place_with("old.cpp", &text);
        let (result, _, said) = play(place.path(), "./old.cpp", "random", 3);
        assert_eq!(result["legs"][0]["faults"][0]["code"], "CE", "{result}");
        says(&said, &[&format!("hint: {hint}"), "提示："]);
        assert_eq!(said.matches("hint:").count(), 1, "{said}");
    }
}

#[test]
fn under_the_fog_of_today_a_program_of_2010_is_warned() {
    if no_compiler() {
        return;
    }
    let place = place_with("old.cpp", EXAMPLE);
    let (_, _, said) = play_in("strict", place.path(), "./old.cpp", "random", 1);
    says(&said, &["this match has fog=strict", "--config fog=sdk"]);
    let (_, _, said) = play_in("sdk", place.path(), "./old.cpp", "random", 1);
    assert!(!said.contains("fog="), "{said}");
    let (_, _, said) = play_in("strict", place.path(), "miner", "random", 1);
    assert!(!said.contains("fog="), "{said}");
}

/// For every game: a source that C++17 refuses is compiled as C++20.
#[test]
fn a_program_in_the_c_plus_plus_of_2020_is_built() {
    if no_compiler() {
        return;
    }
    use leitai_judge::build::{BuildError, BuildLimits, ProgramSource, build_source};
    let compile = |text: &str| {
        let place = place_with("bot.cpp", text);
        let source =
            ProgramSource::detect_path(&place.path().join("bot.cpp"), &[]).expect("a source");
        let sandbox = leitai_sandbox::Sandbox::without_isolation();
        build_source(
            &source,
            &place.path().join("work"),
            &BuildLimits::default(),
            &[],
            &sandbox,
        )
    };
    let built =
        compile("#include <span>\nint main() { int a[2] = {}; return std::span(a).size() == 3; }");
    let built = built.unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(
        (built.how.as_str(), built.log.as_str()),
        ("g++ -O2 -std=gnu++20", "")
    );
    let built = compile("int main() { return 0; }").unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(built.how, "g++ -O2 -std=c++17");
    let Err(BuildError::Failed { log, .. }) = compile("int main() { return oops; }") else {
        panic!("a wrong source compiled")
    };
    assert_eq!(
        log.matches("'oops' was not declared").count()
            + log.matches("‘oops’ was not declared").count(),
        1,
        "{log}"
    );
    // What is newer still: the author sees the newest standard that was tried, and by which compiler.
    let path = std::path::Path::new("bot.cpp");
    let error = compile("#include <no_such_header_of_2030>\nint main() {}").expect_err("it fails");
    let whole = error.to_string();
    says_but_not(&whole, &["-std=gnu++20"], &["-std=c++17"]);
    let short = leitai_judge::build::ready::summarize_error(&error, path);
    let tried = short.split_once("; g++ ").expect("the compiler is named").1;
    assert!(
        tried.starts_with(|c: char| c.is_ascii_digit())
            && tried.ends_with(" takes it neither as C++17 nor as C++20"),
        "{short}"
    );
}
