//! Entrants with settings, as a user gives them: arguments, environment, own limits, names.

use crate::place::{Place, fill_words, text};

use serde_json::Value;

/// A program of King of Bots that is told what to do by its arguments.
const BOT: &str = include_str!("misbehave.py");

/// A place with the program.
pub fn place() -> Place {
    let place = Place::new();
    place.write("bot.py", BOT);
    place
}

/// Runs without isolation, and asserts the exit status and parts of what is said.
#[track_caller]
pub fn ends(place: &Place, words: &[&str], code: i32, parts: &[&str]) -> String {
    let output = place
        .leitai(words)
        .env("LEITAI_ISOLATION", "none")
        .output()
        .expect("the binary starts");
    let said = text(&output);
    assert_eq!(output.status.code(), Some(code), "{words:?}: {said}");
    for part in parts {
        assert!(said.contains(part), "{words:?} lacks {part:?}:\n{said}");
    }
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn two_settings_of_one_program_play_each_other() {
    let place = place();
    let (a, b) = (
        "./bot.py kob @name=sound",
        "./bot.py kob --crash-at 1 @env=LEVEL=3 @limit=1s @memory=256MiB",
    );
    let words = [
        "match", "kob", a, b, "--json", "--seed", "1", "--replay", "x.json",
    ];
    let result = ends(&place, &words, 0, &[]);
    let result: Value = serde_json::from_str(&result).expect("JSON");
    assert_eq!(result["winner"], "A", "{result}");
    let replay = place.replay("x.json");
    let settings = |index: usize| replay["entrants"][index]["settings"].clone();
    assert_eq!(settings(0), "kob");
    let own = "kob --crash-at 1 @env=LEVEL=3 @limit=1s @memory=256MiB";
    assert_eq!(settings(1), own);
    assert_eq!(replay["entrants"][0]["name"], "sound");
    ends(&place, &["replay", "verify", "x.json"], 0, &[]);
    let told = ["sound: kob\n", &format!(": {own}\n")];
    ends(&place, &["replay", "show", "x.json"], 0, &told);
    // The own limit is the one that counts, from the second turn on: of this seed it lives so long.
    let slow = "./bot.py kob --spin 300ms @limit=50ms @name=slow";
    let words = fill_words("match kob space {} --json --seed 1 --no-replay", &[slow]);
    let result = ends(&place, &words, 0, &["TLE"]);
    assert!(result.contains("50 ms"), "{result}");
}

#[test]
fn what_is_wrong_is_said_before_anything_is_built() {
    let place = place();
    place.write("broken.cpp", "int main( {");
    // The second entrant, and what is said about it; the first would not compile.
    let check = |second: &str, part: &str| {
        for words in [
            &["match", "kob", "./broken.cpp", second][..],
            &["compare", "kob", "./broken.cpp", second],
            &["tournament", "kob", "./broken.cpp", second],
        ] {
            let said = ends(&place, words, 2, &[part]);
            assert!(!said.contains("error:"), "{said}");
        }
    };
    check("./bot.py kob @limt=1s", "did you mean @limit?");
    check("./bot.py kob @limit=1h", "more than the match allows");
    check("./bot.py kob @memory=8GiB", "everybody more with --memory");
    check("spase @limit=1s", "did you mean space");
    check("space --fast", "built-in bot, which takes @limit");
    check("./bto.py kob", "./bto.py");
    check("./bot.py 'kob", "is not closed");
    let words = ["match", "kob", "space", "space @limt=1s", "--lang", "zh"];
    ends(&place, &words, 2, &["没有这项设置；是否想用 @limit？"]);
}

#[test]
fn reports_say_who_beats_whom() {
    let place = Place::new();
    const BEGIN: [&str; 7] = [
        "tournament",
        "kob",
        "space",
        "safe",
        "random",
        "--rounds",
        "12",
    ];
    let said = [
        "Nash average: space 100.0 %",
        "random cannot beat ",
        "safe cannot beat space",
    ];
    ends(&place, &BEGIN, 0, &said);
    ends(
        &place,
        &[&BEGIN[..], &["--lang", "zh"]].concat(),
        0,
        &["纳什平均：space 100.0 %", "safe 胜不了 space"],
    );
    let report = ends(
        &place,
        &[&BEGIN[..], &["--output", "json"]].concat(),
        0,
        &[],
    );
    let report: Value = serde_json::from_str(&report).expect("JSON");
    let payoffs = &report["standings"]["payoffs"];
    let cell = &payoffs["cells"][0][2];
    assert!(cell["chance"].as_f64() > Some(0.99) && cell["interval"][0].as_f64() > Some(0.5));
    assert_eq!(payoffs["cells"][1][1], Value::Null);
    assert_eq!(payoffs["nash"][0]["name"], "space");
    let page = std::fs::read_to_string(place.path().join("tournaments/kob/report.html"));
    assert!(
        page.expect("it was written")
            .contains(" % – 100.0 %\">12-0-0")
    );
}

#[test]
fn a_folder_notices_other_settings() {
    let place = place();
    let compare = |settings: &str, code: i32, parts: &[&str]| {
        let new = format!("new=./bot.py kob {settings}");
        let words = [
            "compare", "kob", &new, "random", "--max", "1", "--folder", "f",
        ];
        ends(&place, &words, code, parts)
    };
    compare("--at 3 @limit=2s", 4, &["new: kob --at 3 @limit=2s"]);
    compare("--at 3 @limit=2s", 4, &[]);
    compare(
        "--at 4 @limit=2s",
        1,
        &["the settings of an entrant were [kob --at 3 @limit=2s] and are [kob --at 4 @limit=2s]"],
    );
    place.write(
        "plan.toml",
        "game = \"kob\"\nseed = 1\nlegs = 1\nentrants = [\"space\", \"space @limit=20ms\", \"me=./bot.py kob @limit=1s\"]\n",
    );
    let words = ["tournament", "plan.toml", "--output", "json"];
    let report: Value = serde_json::from_str(&ends(&place, &words, 0, &[])).expect("JSON");
    let own = &report["terms"]["settings"];
    assert_eq!(own["me"], "kob @limit=1s");
    assert_eq!(own["space @limit=20ms"], "@limit=20ms");
    assert_eq!(own.as_object().map(serde_json::Map::len), Some(2));
    ends(&place, &["tournament", "plan.toml"], 0, &["own settings: "]);
}
