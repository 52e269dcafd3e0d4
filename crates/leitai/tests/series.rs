//! Series as a user runs them: comparisons that reach a decision, and tournaments that are killed
//! and continued.

use crate::place::{self, cells, open_leitai_in, says, says_but_not, words};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

fn place() -> TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

fn command(place: &TempDir, line: &str) -> Command {
    open_leitai_in(place, &words(line))
}

fn leitai(place: &TempDir, line: &str) -> Output {
    command(place, line).output().expect("the binary starts")
}

fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[track_caller]
fn ends(place: &TempDir, line: &str, code: i32, parts: &[&str]) -> String {
    place::ends(&mut command(place, line), code, parts)
}

/// Commands, how they end and what they say.
#[track_caller]
fn rows(place: &TempDir, rows: &str) {
    place::check_rows(|words| open_leitai_in(place, words), rows);
}

#[track_caller]
fn json(place: &TempDir, line: &str, code: i32) -> Value {
    serde_json::from_str(&ends(place, line, code, &[])).expect("JSON and nothing else")
}

#[test]
fn the_exit_status_of_a_comparison_says_what_was_decided() {
    let place = place();
    let table = "
0 | SPACE | accepted: space is better than safe | LLR | LOS | 2-0 | median
3 | compare kob safe space --elo1 50 | rejected: safe
4 | SPACE --max 3 | undecided | to go
2 | SPACE --legs 2 | --legs
2 | SPACE --elo0 80 | elo1 50 must be greater
2 | compare kob space nobody --elo1 50 | nobody
0 | SPACE --lang zh | 接受：space 强于 safe
";
    let table = table.replace("SPACE", "compare kob space safe --elo1 50");
    rows(&place, &table);
}

#[test]
fn a_comparison_does_not_depend_on_how_many_matches_run_at_once() {
    let place = place();
    let run = |jobs: &str| {
        let line = format!("compare kob sample safe --max 60 --json -j {jobs}");
        let mut result = json(&place, &line, 4);
        result.as_object_mut().expect("an object").remove("move_us");
        result
    };
    let one = run("1");
    assert_eq!(one, run("4"));
    let pairs = one["pairs"].as_array().expect("five counts").iter();
    assert_eq!(pairs.filter_map(Value::as_u64).sum::<u64>(), 60);
    assert_eq!(one["decision"], "undecided");
}

#[test]
fn a_comparison_goes_on_from_its_folder_and_refuses_another() {
    let place = place();
    let line = |max| format!("compare kob sample safe --folder f --json --max {max}");
    let first = json(&place, &line(20), 4);
    let journal = || lines(&place.path().join("f/journal.jsonl"));
    assert_eq!(journal(), 21);
    let again = json(&place, &line(20), 4);
    assert_eq!(again, first, "finished matches are not played again");
    assert_eq!(journal(), 21);
    let longer = json(&place, &line(40), 4);
    assert_eq!(journal(), 41);
    let unbroken = json(&place, "compare kob sample safe --json --max 40", 4);
    assert_eq!(longer["pairs"], unbroken["pairs"]);
    rows(
        &place,
        "
1 | compare kob space safe --folder f | another comparison
0 | replay verify f/replays/1.json | agrees
",
    );
}

/// The result of a tournament without times, which differ from run to run.
fn result(place: &TempDir, line: &str) -> Value {
    let mut result = json(place, &format!("{line} --output json"), 0);
    let keys = ["times", "move_us_median", "move_us_p99", "folder"];
    forget(&mut result, &keys);
    result
}

fn forget(value: &mut Value, keys: &[&str]) {
    match value {
        Value::Object(map) => {
            keys.iter().for_each(|key| drop(map.remove(*key)));
            map.values_mut().for_each(|value| forget(value, keys));
        }
        Value::Array(all) => all.iter_mut().for_each(|value| forget(value, keys)),
        _ => {}
    }
}

pub fn lines(journal: &Path) -> usize {
    fs::read(journal).map_or(0, |bytes| {
        bytes.iter().filter(|byte| **byte == b'\n').count()
    })
}

/// Starts a tournament and kills it with SIGKILL once its journal has this many lines.
fn kill_at(place: &TempDir, line: &str, journal: &Path, count: usize) {
    let mut child = command(place, line)
        .stdout(Stdio::null())
        .spawn()
        .expect("the binary starts");
    let begun = Instant::now();
    while lines(journal) < count && child.try_wait().expect("it is ours").is_none() {
        assert!(
            begun.elapsed() < Duration::from_secs(600),
            "the tournament does not reach {count} matches"
        );
        std::thread::park_timeout(Duration::from_millis(10));
    }
    child.kill().expect("it is ours");
    child.wait().expect("it is ours");
}

#[track_caller]
fn killed_is_as_good_as_unbroken(format: &str, kills: &[usize]) {
    let place = place();
    let common = format!("tournament kob random sample safe space -j 3 {format}");
    let unbroken = result(&place, &format!("{common} --folder unbroken"));
    let line = format!("{common} --folder killed");
    let journal = place.path().join("killed/journal.jsonl");
    for count in kills {
        // Where this test gets no time to look, the tournament ends before it is killed.
        kill_at(&place, &line, &journal, *count);
        // A kill during a write leaves half a line.
        let mut text = fs::read(&journal).expect("it is there");
        text.extend_from_slice(b"{\"key\":{\"stage\":{\"rou");
        fs::write(&journal, text).expect("own folder");
    }
    assert_eq!(result(&place, &line), unbroken);
    let text = fs::read_to_string(&journal).expect("it is there");
    let places: Vec<String> = text
        .lines()
        .skip(1)
        .map(|line| {
            let entry: Value = serde_json::from_str(line).expect("every line is whole");
            format!("{}{}", entry["key"], entry["number"])
        })
        .collect();
    assert_eq!(
        places.iter().collect::<BTreeSet<_>>().len(),
        places.len(),
        "a match was played twice"
    );
    assert_eq!(
        places.len() as u64,
        unbroken["matches_played"].as_u64().expect("a count")
    );
}

#[test]
fn a_round_robin_that_is_killed_repeatedly_has_the_same_result() {
    killed_is_as_good_as_unbroken("--rounds 60", &[1, 2, 40, 200]);
}

#[test]
fn a_killed_swiss_has_the_same_result() {
    killed_is_as_good_as_unbroken("--format swiss --rounds 3 --matches 50", &[20, 120]);
}

#[test]
fn a_killed_knockout_has_the_same_result() {
    killed_is_as_good_as_unbroken("--format double --matches 41", &[10, 100]);
}

#[test]
fn a_tournament_from_a_file_keeps_everything_in_its_folder() {
    let place = place();
    let plan = r#"
        game = "kob"
        rounds = 2
        seeds = [5, 9]
        entrants = ["sample", { bot = "space", name = "<b>late</b>" }, "safe"]
        [config]
        grow_until = 12
    "#;
    fs::write(place.path().join("spring.toml"), plan).expect("own folder");
    rows(
        &place,
        "0 | tournament spring.toml | 6 matches | Elo per leg | tournaments/spring/report.html",
    );
    let read = |name: &str| {
        fs::read_to_string(place.path().join("tournaments/spring").join(name)).expect("it is kept")
    };
    let page = read("report.html");
    assert!(
        page.contains("&lt;b&gt;late&lt;/b&gt;") && !page.contains("<b>late"),
        "names in the page are escaped"
    );
    assert!(
        page.contains("<svg") && !page.contains("http"),
        "the page loads nothing from elsewhere"
    );
    assert!(read("standings.csv").lines().count() == 4 && read("matches.csv").contains(",9,"));
    assert!(read("crosstable.csv").contains("/2"));
    let replays = fs::read_dir(place.path().join("tournaments/spring/replays"))
        .expect("it is kept")
        .count();
    assert_eq!(replays, 6);
    rows(
        &place,
        "
1 | tournament spring.toml --matches 2 | begun with another | matches was 1 and is 2 | choose another folder
1 | tournament spring.toml --memory 1GiB | memory was 512 MiB and is 1024 MiB
1 | tournament spring.toml --disk 1MiB | disk was 64 MiB and is 1 MiB
1 | tournament spring.toml --file-size 1MiB | file-size was 16 MiB and is 1 MiB
1 | tournament spring.toml --open-files 64 | open-files was 256 and is 64
1 | tournament spring.toml --message 9KiB | and is 9216
0 | tournament spring.toml --rounds 3 --elo-per match | 9 matches | Elo per match
1 | tournament spring.toml | more rounds than are asked for
2 | tournament kob safe | two or more
2 | tournament safe space | safe
2 | tournament --game kob safe | two or more
",
    );
}

#[test]
fn a_ladder_settles_the_order_and_accepts_new_bots() {
    let place = place();
    fs::create_dir(place.path().join("bots")).expect("own folder");
    let with = "--with space --with random --with safe";
    let line = format!("ladder kob bots --json {with}");
    let ladder = json(&place, &line, 0);
    let order = |ladder: &Value| -> Vec<String> {
        let rows = ladder["standings"]["rows"].as_array().expect("rows");
        rows.iter()
            .map(|row| row["name"].as_str().expect("a name").to_owned())
            .collect()
    };
    assert_eq!(order(&ladder), ["space", "safe", "random"]);
    let played = ladder["matches"].as_u64().expect("a count");
    // A settled ladder plays no matches.
    has!(json(&place, &line, 0), {"matches": played});
    let more = leitai(
        &place,
        &format!("ladder bots --with sample --json --max 6 {with}"),
    );
    let more: Value = serde_json::from_str(&out(&more)).expect("JSON, and the game is remembered");
    assert_eq!(
        (order(&more).len(), more["matches"].as_u64()),
        (4, Some(played + 6))
    );
    let table = "
2 | ladder bots | two or more
2 | ladder kob nowhere | not a folder
1 | ladder bots --limit 1s WITH | another game, config, time or seed
";
    rows(&place, &table.replace("WITH", with));
}

/// A changed bot of the folder starts with a new rating.
#[test]
fn a_changed_bot_begins_anew() {
    let place = place();
    fs::create_dir(place.path().join("bots")).expect("own folder");
    let write = |text: &str| fs::write(place.path().join("bots/own.py"), text).expect("own folder");
    write("# leitai: dialect=json-lines\nimport sys\nsys.exit(3)\n");
    let matches = || {
        let said = out(&leitai(
            &place,
            "ladder kob bots --with safe --json --max 2 -j 1",
        ));
        let ladder: Value = serde_json::from_str(&said).expect("JSON and nothing else");
        ladder["matches"].as_u64()
    };
    assert_eq!(matches(), Some(2));
    assert_eq!(matches(), Some(4));
    write("# leitai: dialect=json-lines\nimport sys\nsys.exit(4)\n");
    assert_eq!(matches(), Some(2));
}

/// A bot that exits in its third turn.
const LEAVES: &str = r#"# leitai: dialect=json-lines
import json, sys
turns = 0
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "turn":
        turns += 1
        if turns == 3:
            sys.exit(3)
        print(json.dumps({"action": message["legal"][0]}), flush=True)
"#;

#[test]
fn faults_are_counted_by_kind_and_can_be_looked_at() {
    let place = place();
    fs::write(place.path().join("leaves.py"), LEAVES).expect("own folder");
    let line = "tournament kob ./leaves.py safe --rounds 2 --folder f --output json";
    let result = json(&place, line, 0);
    let played = result["standings"]["rows"].as_array().expect("rows");
    let of = |name: &str| {
        let found = played.iter().find(|row| row["name"] == name);
        found.expect("it played")
    };
    let faults = of("leaves")["faults"].as_object().expect("kinds").values();
    assert!(
        faults.filter_map(Value::as_u64).sum::<u64>() > 0,
        "{result}"
    );
    assert_eq!(of("safe")["faults"], json!({}));
    let page = fs::read_to_string(place.path().join("f/report.html")).expect("it is kept");
    assert!(
        page.contains("leitai replay show replays/"),
        "the page says how to look at a fault"
    );
    rows(
        &place,
        "4 | compare kob ./leaves.py safe --max 2 | leaves: | RE; safe: none",
    );
}

/// A bot that crashes in its third turn if it is on SEAT, which may be "both".
const CRASHES: &str = r#"# leitai: dialect=json-lines
import json, sys
turns, seat = 0, None
for line in sys.stdin:
    message = json.loads(line)
    seat = message.get("seat", seat)
    if message["type"] == "turn":
        turns += 1
        if turns >= 3 and "SEAT" in (seat, "both"):
            sys.exit(3)
        print(json.dumps({"action": message["legal"][0]}), flush=True)
"#;

/// In SnakeGo a crash decides both legs, and the first seat reaches its third turn first.
#[test]
fn a_crash_that_two_copies_share_makes_neither_the_better() {
    let place = place();
    let write = |name: &str, seat: &str| {
        fs::write(place.path().join(name), CRASHES.replace("SEAT", seat)).expect("own folder");
    };
    let compare = |new: &str, base: &str| -> Value {
        let line = format!("compare snakego {new} {base} --max 2 --elo1 50 --limit 60s --json");
        serde_json::from_str(&out(&leitai(&place, &line))).expect("JSON and nothing else")
    };
    for seat in ["both", "first", "second"] {
        write("one.py", seat);
        write("two.py", seat);
        let result = compare("./one.py", "./two.py");
        assert_eq!(result["pairs"], json!([0, 0, 2, 0, 0]), "{seat}: {result}");
        assert_eq!(
            result["elo"].as_f64().map(f64::round).map(f64::abs),
            Some(0.0),
            "{seat}: {result}"
        );
        assert_eq!(result["faults"][0], result["faults"][1], "{seat}: {result}");
    }
    // A crash of one version alone counts by the rules, whichever version is the new one.
    write("one.py", "both");
    write("two.py", "neither");
    has!(compare("./one.py", "./two.py"), {"pairs": [2, 0, 0, 0, 0]});
    has!(compare("./two.py", "./one.py"), {"pairs": [0, 0, 0, 0, 2]});
}

#[test]
fn a_source_that_cannot_be_built_is_not_compared() {
    let place = place();
    fs::write(place.path().join("broken.cpp"), "int main( { return 0; }\n").expect("own folder");
    for [new, base] in [["./broken.cpp", "safe"], ["safe", "./broken.cpp"]] {
        let line = format!("compare kob {new} {base} --folder f --max 2");
        let parts = ["broken could not be built: ", "leitai check"];
        ends(&place, &line, 1, &parts);
        assert!(!place.path().join("f").exists(), "no match was played");
    }
}

/// An `elo0` below 0 asks whether the new version is worse.
#[test]
fn the_headline_answers_the_question_that_was_asked() {
    let place = place();
    rows(
        &place,
        "
0 | compare kob space safe --elo0 -30 --elo1 0 | accepted: space is not worse than safe by 30 Elo or more (evidence favours 0 Elo over -30 Elo)
3 | compare kob safe space --elo0 -30 --elo1 0 | rejected: safe is worse than space (evidence favours -30 Elo over 0 Elo)
3 | compare kob safe space --elo0 0 --elo1 50 | rejected: safe is not better than space by 50 Elo or more
0 | compare kob space safe --elo0 10 --elo1 50 | accepted: space is better than safe (evidence favours +50 Elo over +10 Elo)
",
    );
}

/// While the file AWAY exists, the bot moves its build folder away: its next leg cannot be started,
/// which is an infrastructure error and no fault.
const VANISHES: &str = r#"# leitai: dialect=json-lines
import json, os, sys
here = os.getcwd()
if os.path.exists("AWAY") and not here.endswith(".away"):
    os.rename(here, here + ".away")
    open("AWAY.lost", "w").write(here)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "turn":
        print(json.dumps({"action": message["legal"][0]}), flush=True)
"#;

/// A bot that moves such a folder back and removes the file AWAY.
const BRINGS_BACK: &str = r#"# leitai: dialect=json-lines
import json, os, sys
if os.path.exists("AWAY.lost"):
    here = open("AWAY.lost").read()
    os.rename(here + ".away", here)
    os.remove("AWAY")
    os.remove("AWAY.lost")
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "turn":
        print(json.dumps({"action": message["legal"][0]}), flush=True)
"#;

/// A folder with both bots.
fn place_of_vanishing() -> TempDir {
    let place = place();
    let away = place.path().join("away.txt").display().to_string();
    for (name, text) in [("vanishes.py", VANISHES), ("fixes.py", BRINGS_BACK)] {
        fs::write(place.path().join(name), text.replace("AWAY", &away)).expect("own folder");
    }
    fs::write(away, "").expect("own folder");
    place
}

/// Runs a command in that folder: exit status, stdout, stderr.
fn vanishing(place: &TempDir, line: &str) -> (Option<i32>, String, String) {
    let output = leitai(place, line);
    (
        output.status.code(),
        out(&output),
        String::from_utf8_lossy(&output.stderr).into_owned(),
    )
}

#[test]
fn a_void_match_is_played_again_later() {
    let place = place_of_vanishing();
    let line = "tournament kob ./vanishes.py ./fixes.py safe space --folder f -j 1";
    let (code, said, log) = vanishing(&place, line);
    assert_eq!(code, Some(0), "{said}{log}");
    let again = "void, will be played again later: seed";
    says(&log, &[again, "does not exist any more"]);
    says_but_not(&said, &["6 matches ("], &["void"]);
}

/// The other matches are played to the end, the void ones are listed with their consequences, and
/// the same command tries them again.
#[test]
fn a_match_that_stays_void_does_not_end_a_tournament() {
    for format in ["--rounds 1", "--format swiss --rounds 2", "--format double"] {
        let place = place_of_vanishing();
        let begin = "tournament kob ./vanishes.py safe space random --folder f";
        let line = format!("{begin} {format} -j 1");
        let (code, said, log) = vanishing(&place, &line);
        assert_eq!(code, Some(4), "{format} {said}{log}");
        assert!(log.contains("stays void: seed"), "{log}");
        says(&said, &["no program is at fault", "vanishes – "]);
        // The consequence is printed.
        says(&said, &["same command to play"]);
        let file =
            |name: &str| fs::read_to_string(place.path().join("f").join(name)).expect("it is kept");
        assert!(
            file("report.html").contains("no program is at fault")
                && file("matches.csv").contains(",void,")
        );
        let before = lines(&place.path().join("f/journal.jsonl"));
        let again = vanishing(&place, &format!("{line} --output json")).1;
        let again: Value = serde_json::from_str(&again).expect("JSON and nothing else");
        has!(again, {"status": "incomplete", "/void/0/void/tries": 3});
        fs::remove_file(place.path().join("away.txt")).expect("own folder");
        let (code, said, log) = vanishing(&place, &line);
        if format == "--rounds 1" {
            assert_eq!(code, Some(0), "{said}{log}");
            says_but_not(&said, &["6 matches ("], &["void"]);
            assert!(
                lines(&place.path().join("f/journal.jsonl")) >= before + 3,
                "the void matches were played"
            );
        } else {
            assert!(!log.contains("stays void"), "{format}: {log}");
        }
    }
}

#[test]
fn void_pairs_do_not_count_in_a_comparison_or_on_a_ladder() {
    let place = place_of_vanishing();
    let line = "compare kob ./vanishes.py safe --max 3 --folder f -j 1";
    let (code, said, log) = vanishing(&place, line);
    assert_eq!(code, Some(4), "{said}{log}");
    says(&said, &["3 void matches"]);
    says(&said, &["the decision rests on the other pairs"]);
    let (code, said, log) = vanishing(&place, &format!("{line} --json"));
    let result: Value = serde_json::from_str(&said).expect("JSON and nothing else");
    assert_eq!(
        (code, log.contains("void")),
        (Some(4), false),
        "the journal records the void pair: {log}"
    );
    has!(result, {"/void/#": 3, "pairs": [0, 0, 0, 0, 0]});
    let (code, _, log) = vanishing(&place, "compare kob ./vanishes.py safe -j 1");
    assert!(
        code == Some(1) && log.contains("20 pairs in a row could not be judged"),
        "{log}"
    );

    fs::create_dir(place.path().join("bots")).expect("own folder");
    fs::copy(
        place.path().join("vanishes.py"),
        place.path().join("bots/vanishes.py"),
    )
    .expect("own folder");
    let with = "--with safe --with space";
    let line = format!("ladder kob bots {with} --max 30 -j 1");
    let (code, said, log) = vanishing(&place, &line);
    assert_eq!(code, Some(4), "{said}{log}");
    says(&said, &["void matches"]);
    says(&said, &["the order rests on the other matches"]);
    let (_, said, _) = vanishing(&place, &format!("ladder bots --max 1 --json {with}"));
    let result: Value = serde_json::from_str(&said).expect("JSON and nothing else");
    assert!(
        result["matches"].as_u64() >= Some(2),
        "the other matches were played: {said}"
    );
    let void = result["void"].as_array().expect("a list");
    let seeds: BTreeSet<String> = void
        .iter()
        .map(|one| format!("{} {}", one["pair"], one["seed"]))
        .collect();
    assert!(
        void.len() >= 4 && seeds.len() == void.len(),
        "every match has its own seed: {said}"
    );
}

/// In matches with an odd number of legs the encounters swap seats, and a Swiss with many rounds
/// repeats its encounters evenly.
#[test]
fn seats_and_opponents_are_shared_evenly() {
    let place = place();
    let pairs = |line: &str| -> Vec<(u64, u64)> {
        let result = result(&place, line);
        let all = result["matches"].as_array().expect("a list").iter();
        let pair = |game: &Value| serde_json::from_value(game["result"]["pair"].clone());
        all.map(|game| pair(game).expect("two numbers")).collect()
    };
    let line = "tournament kob space safe --legs 1 --format gauntlet --rounds 4 --folder g";
    assert_eq!(pairs(line), [(0, 1), (1, 0), (0, 1), (1, 0)]);
    let line = "tournament kob space safe sample random --format swiss --rounds 6 --folder s";
    let played = pairs(line);
    let met = |one: u64, other: u64| {
        played
            .iter()
            .filter(|pair| [(one, other), (other, one)].contains(pair))
            .count()
    };
    for one in 0..4 {
        (one + 1..4).for_each(|other| assert_eq!(met(one, other), 2, "{one} {other}: {played:?}"));
    }
}

#[test]
fn a_senseless_plan_is_refused() {
    let place = place();
    let check = |line: &str, parts: &[&str]| {
        let plan = format!("game = \"kob\"\n{line}\n");
        fs::write(place.path().join("plan.toml"), plan).expect("own folder");
        ends(&place, "tournament plan.toml", 2, parts);
    };
    let plans = r#"
entrants = ["safe", { bot = "space", nmae = "late" }] | unknown field `nmae` | expected `bot` or `name` | plan.toml
TWO jobs = 0 | jobs = 0 | 1 to 256
TWO seeds = [] | seeds = [] names none
TWO round = 2 | unknown field `round` | `rounds`
entrants = ["safe"] | two or more entrants, not 1
entrants = 3 | plan.toml | invalid type
entrants = [ | plan.toml
TWO limit = "3 parsecs" | not a duration
TWO configs = [{ rowz = 1 }] | config {"rowz":1}
TWO heads = 1 | add --format gauntlet
TWO rounds = 3 NEXT format = "single" | leave out the rounds
"#;
    for row in cells(plans) {
        let two = row[0].replace("TWO ", "entrants = [\"safe\", \"space\"]\n");
        check(&two.replace(" NEXT ", "\n"), &row[1..]);
    }
    fs::create_dir(place.path().join("bots")).expect("own folder");
    rows(
        &place,
        "
2 | tournament kob safe space --heads 5 --format gauntlet | this one has 5 of 2
2 | tournament kob safe space --heads 1 --format swiss | add --format gauntlet
2 | tournament kob safe space --rounds 3 --format double | leave out the rounds
2 | ladder kob bots --with safe | two or more bots, not 1
2 | ladder bots --with safe | which game?
",
    );
}

/// A round without an opponent is seen wherever its point is; and a folder is of one command.
#[test]
fn byes_are_shown() {
    let place = place();
    let line = |rounds| {
        format!("tournament kob safe space random --format swiss --rounds {rounds} --folder t")
    };
    let table = ends(&place, &line(2), 0, &["time a move", "byes"]);
    let rows = table
        .lines()
        .filter(|line| line.trim_end().ends_with('1') && line.contains("p99"));
    assert_eq!(rows.count(), 2, "{table}");
    let csv = fs::read_to_string(place.path().join("t/standings.csv")).expect("it was written");
    let byes: Vec<&str> = csv
        .lines()
        .filter_map(|line| line.rsplit(',').next())
        .collect();
    assert_eq!(byes, ["byes", "0", "1", "1"], "{csv}");
    ends(&place, &line(1), 1, &["rounds was 2 and is 1"]);
    let other = "compare kob safe random --folder t";
    let parts = ["t holds what `leitai tournament` played, and this is `leitai compare`"];
    ends(&place, other, 1, &parts);
}

/// Without a terminal lines of progress say how long it goes on.
#[test]
fn the_time_that_is_left_is_told_without_a_terminal() {
    let place = place();
    let output = leitai(&place, "tournament kob level2 level1 --rounds 600 -j 1");
    let said = String::from_utf8_lossy(&output.stderr);
    says(&said, &["  about ", "s left"]);
}

/// A dry run has as many entrants as may enter, and says so.
#[test]
fn the_entrants_of_a_dry_run_are_bounded() {
    let place = place();
    let table = "
0 | contest new spring --game kob
2 | CHECK --entrants 0 | --entrants 0: from 1 to
2 | CHECK --entrants 1000000 | may enter; entry.most in the file says so
0 | CHECK --entrants 8 | 8 entrants
";
    let check = "contest check spring.toml --dry-run --match-time 1s";
    rows(&place, &table.replace("CHECK", check));
}

#[test]
fn a_tournament_of_squads_in_the_fog_of_2010_is_played_to_its_end() {
    let place = place();
    let config = "--config fog=sdk --config rounds=60 --limit 300ms --folder f";
    let line = format!("tournament tankcraft squad miner random --rounds 2 {config}");
    ends(&place, &line, 0, &["6 matches", "squad"]);
}

#[test]
fn a_rating_is_on_the_scale_of_the_levels() {
    let place = place();
    let line = |max, folder| format!("rate kob safe --max {max} -j 1 --folder {folder} --json");
    // Few pairs are not precise enough: exit status 4, and the rating so far.
    let first = json(&place, &line(2, "f"), 4);
    assert_eq!(first["pairs"], 2);
    let rated = json(&place, &line(6, "f"), 4);
    assert_eq!(rated["pairs"], 6, "the two pairs of the folder count");
    let unbroken = json(&place, &line(6, "g"), 4);
    for key in ["rating", "rating_interval", "levels", "between", "scale"] {
        assert_eq!(
            rated[key], unbroken[key],
            "levels play the same again: {key}"
        );
    }
    let levels = rated["levels"].as_array().expect("a list");
    assert_eq!((levels.len(), &levels[0]["name"]), (10, &"level1".into()));
    let [low, high] = [0, 1].map(|end| rated["rating_interval"][end].as_f64().expect("a number"));
    let value = rated["rating"].as_f64().expect("a number");
    assert!(low < value && value < high, "{low} {value} {high}");
    let line = "rate kob safe --max 6 --folder f";
    let scale = rated["scale"].as_str().expect("a name");
    let parts = ["rating", "stands", "level", scale, "faults"];
    ends(&place, line, 4, &parts);
    let mut narrow = command(&place, line);
    let narrow = narrow.env("COLUMNS", "80").output();
    let text = out(&narrow.expect("the binary starts"));
    let fits = text.lines().all(|line| line.chars().count() <= 80);
    assert!(fits, "{text}");
    rows(
        &place,
        "
1 | rate kob sample --max 6 --folder f | another rating
2 | rate kob safe --legs 1 | --legs
2 | rate kob safe --precision 0 | --precision 0
2 | rate kob level11 --max 1 | level11
",
    );
}

#[test]
fn help_is_right_about_seeds_and_legs() {
    let place = place();
    let help = |command: &str| ends(&place, &format!("{command} --help"), 0, &[]);
    for command in ["compare", "rate", "tournament", "ladder"] {
        let said = help(command);
        assert!(
            said.contains("[default: 1]") && !said.contains("random, and printed"),
            "{command}: {said}"
        );
    }
    for command in ["compare", "rate", "check"] {
        assert!(!help(command).contains("--legs"), "{command} refuses it");
    }
    assert!(help("tournament").contains("--legs") && help("match").contains("random, and printed"));
}

/// Deterministic programs on one map, or with one seed, play the same games again: they are no
/// evidence, and the series ends with a status of its own.
#[test]
fn series_of_copies_stop_and_say_why() {
    let place = place();
    let row = |inner: &str| format!("1{}1\n", inner.repeat(12));
    let map = row("1") + &row("0").repeat(11) + &row("1");
    fs::write(place.path().join("open.txt"), map).expect("own folder");
    let said = "these programs play only 2 different games under these conditions; add maps, \
        seeds or positions";
    let table = "
5 | COMPARE | undecided: level7 | SAID | 2 of 42 games
5 | COMPARE --lang zh | 只会下出 2 种不同的对局
";
    let compare = "compare kob level7 level6 --config map=open.txt";
    rows(
        &place,
        &table.replace("COMPARE", compare).replace("SAID", said),
    );
    let plan = "game = \"kob\"\nrounds = 100\nseeds = [2]\nentrants = [\"space\", \"safe\"]\n";
    fs::write(place.path().join("plan.toml"), plan).expect("own folder");
    rows(
        &place,
        "5 | tournament plan.toml -j 1 | play only 4 different games | 4 of 44 games | 1–2",
    );
    let json = json(&place, "tournament plan.toml --output json", 5);
    assert_eq!(json["status"], "no-new-games");
    fs::create_dir(place.path().join("bots")).expect("own folder");
    let ladder = "ladder kob bots --with level7 --with level6 --config map=open.txt -j 1";
    ends(&place, ladder, 5, &["not settled", said]);
}
