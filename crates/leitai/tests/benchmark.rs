//! `leitai benchmark`: seeds are committed to and revealed, anybody repeats the result game for game, and
//! a changed file is refused.

use std::fs;
use std::process::Command;

use crate::agents::find_python;
use crate::place::{FIRST_LEGAL, Place, says, split_words, table, text};

#[test]
fn a_benchmark_is_repeated_game_for_game_and_its_file_cannot_be_changed() {
    let place = Place::new();
    place.run(&["new", "kob", "--folder", "mybot"]);
    place.write("stubborn.py", FIRST_LEGAL);
    let line = "benchmark kob ./mybot --pairs 3 --agent 'a script' --cost 0.25 --tokens 1200";
    let measured = place.run_line(line);
    assert!(measured.status.success(), "{}", text(&measured));
    let file = "benchmark-kob-mybot.json";
    let result = place.replay(file);
    let commitment = result["seeds"]["commitment"].as_str().expect("a hash");
    let told = String::from_utf8_lossy(&measured.stderr).into_owned();
    assert!(
        told.starts_with("the seeds are committed to by SHA-256") && told.contains(commitment),
        "{told}"
    );
    has!(result, {"/author/tokens": 1200, "is_network_closed": result["isolation"] != "none"});
    check_schema(&place, file, "benchmark.schema.json");

    let again = place.run(&["benchmark", "--repeat", file, "./mybot", "-j", "1"]);
    assert!(again.status.success(), "{}", text(&again));
    says(&text(&again), &["the same, game for game"]);
    let other = place.run(&["benchmark", "--repeat", file, "./stubborn.py"]);
    assert!(!text(&other).contains("the same"), "{}", text(&other));

    let whole = fs::read_to_string(place.path().join(file)).expect("it was written");
    let first_seed = result["seeds"]["first_seed"].to_string();
    let rows = r#"
SEED | 1 | not those that were committed to
COMMITMENT | NOUGHT | not those that were committed to
"pairs_asked": 3 | "pairs_asked": 4 | not those that were committed to
"games_played": 6 | "games_played": 5 | the file was changed
leitai-benchmark/1 | leitai-benchmark/9 | this version reads
"author" | "auther" | not a result of `leitai benchmark`
"#;
    let rows = rows.replace("SEED", &first_seed);
    let rows = rows
        .replace("COMMITMENT", commitment)
        .replace("NOUGHT", &"0".repeat(64));
    for [from, to, why] in table(&rows) {
        assert!(whole.contains(from), "{from}: {whole}");
        place.write("changed.json", whole.replacen(from, to, 1));
        let refused = place.run(&["benchmark", "--repeat", "changed.json", "./mybot"]);
        assert!(
            !refused.status.success() && text(&refused).contains(why),
            "{}",
            text(&refused)
        );
    }
    for [line, why] in table(
        "
benchmark kob | leitai benchmark GAME BOT
benchmark --repeat FILE kob ./mybot | name the bot alone
benchmark kob ./nobody.py | nobody.py
benchmark kob ./mybot --cost NaN | --cost is not a sum
",
    ) {
        let refused = place.run(&split_words(&line.replace("FILE", file)));
        assert_eq!(refused.status.code(), Some(2), "{line}: {}", text(&refused));
        says(&text(&refused), &[why]);
    }
}

/// The file is as this schema of docs says, by the package `jsonschema`.
pub fn check_schema(place: &Place, file: &str, schema: &str) {
    let Some(python) = find_python() else { return };
    let schema = format!("{}/../../docs/{schema}", env!("CARGO_MANIFEST_DIR"));
    let script = "import json, sys, jsonschema\n\
                  one, two = (json.load(open(name)) for name in sys.argv[1:])\n\
                  jsonschema.Draft202012Validator(two).validate(one)";
    let checked = Command::new(python)
        .args(["-c", script, file, &schema])
        .current_dir(place.path())
        .output();
    let checked = checked.expect("Python starts");
    assert!(checked.status.success(), "{}", text(&checked));
}
