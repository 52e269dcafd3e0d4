//! Entrants with settings, as a user gives them: arguments, environment, own limits, names.

use crate::place::says;
use crate::place::{self, Place, open_leitai_in, table, words};

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
pub fn ends(place: &Place, line: &str, code: i32, parts: &[&str]) -> String {
    place::ends(&mut open_leitai_in(place.path(), &words(line)), code, parts)
}

#[test]
fn two_settings_of_one_program_play_each_other() {
    let place = place();
    let own = "kob --crash-at 1 @env=LEVEL=3 @limit=1s @memory=256MiB";
    let entrants = format!("'./bot.py kob @name=sound' './bot.py {own}'");
    let line = format!("match kob {entrants} --json --seed 1 --replay x.json");
    let result: Value = serde_json::from_str(&ends(&place, &line, 0, &[])).expect("JSON");
    assert_eq!(result["winner"], "A", "{result}");
    let entrants = &place.replay("x.json")["entrants"];
    has!(entrants[0], {"settings": "kob", "name": "sound"});
    assert_eq!(entrants[1]["settings"], own);
    ends(&place, "replay verify x.json", 0, &[]);
    let told = ["sound: kob\n", &format!(": {own}\n")];
    ends(&place, "replay show x.json", 0, &told);
    // The own limit is the one that counts, from the second turn on: of this seed it lives so long.
    let slow = "'./bot.py kob --spin 300ms @limit=50ms @name=slow'";
    let line = format!("match kob space {slow} --json --seed 1 --no-replay");
    let result = ends(&place, &line, 0, &["TLE"]);
    assert!(result.contains("50 ms"), "{result}");
}

#[test]
fn what_is_wrong_is_said_before_anything_is_built() {
    let place = place();
    place.write("broken.cpp", "int main( {");
    // The second entrant, and what is said about it; the first would not compile.
    let rows = "
./bot.py kob @limt=1s | did you mean @limit?
./bot.py kob @limit=1h | more than the match allows
./bot.py kob @memory=8GiB | everybody more with --memory
spase @limit=1s | did you mean space
space --fast | built-in bot, which takes @limit
./bto.py kob | ./bto.py
./bot.py 'kob | is not closed
";
    for [second, part] in table(rows) {
        for command in ["match", "compare", "tournament"] {
            let words = [command, "kob", "./broken.cpp", second];
            let mut command = open_leitai_in(place.path(), &words);
            let said = place::ends(&mut command, 2, &[part]);
            assert!(!said.contains("error:"), "{said}");
        }
    }
    let line = "match kob space 'space @limt=1s' --lang zh";
    ends(&place, line, 2, &["没有这项设置；是否想用 @limit？"]);
}

#[test]
fn reports_say_who_beats_whom() {
    let place = Place::new();
    let begin = "tournament kob space safe random --rounds 12";
    let rows = "
0 | BEGIN | Nash average: space 100.0 % | random cannot beat | safe cannot beat space
0 | BEGIN --lang zh | 纳什平均：space 100.0 % | safe 胜不了 space
";
    let command = |words: &[&str]| open_leitai_in(place.path(), words);
    place::check_rows(command, &rows.replace("BEGIN", begin));
    let report = ends(&place, &format!("{begin} --output json"), 0, &[]);
    let report: Value = serde_json::from_str(&report).expect("JSON");
    let payoffs = &report["standings"]["payoffs"];
    let cell = &payoffs["cells"][0][2];
    assert!(cell["chance"].as_f64() > Some(0.99) && cell["interval"][0].as_f64() > Some(0.5));
    has!(payoffs, {"/cells/1/1": null, "/nash/0/name": "space"});
    let page = std::fs::read_to_string(place.path().join("tournaments/kob/report.html"));
    says(&page.expect("it was written"), &[" % – 100.0 %\">12-0-0"]);
}

#[test]
fn a_folder_notices_other_settings() {
    let place = place();
    let compare = |settings: &str, code: i32, parts: &[&str]| {
        let new = format!("new=./bot.py kob {settings}");
        let line = format!("compare kob '{new}' random --max 1 --folder f");
        ends(&place, &line, code, parts)
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
    let report = ends(&place, "tournament plan.toml --output json", 0, &[]);
    let report: Value = serde_json::from_str(&report).expect("JSON");
    let own = &report["terms"]["settings"];
    has!(own, {"me": "kob @limit=1s", "space @limit=20ms": "@limit=20ms"});
    assert_eq!(own.as_object().map(serde_json::Map::len), Some(2));
    ends(&place, "tournament plan.toml", 0, &["own settings: "]);
}
