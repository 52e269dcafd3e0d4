//! The fields of JSON outputs are those that docs/command-line.md lists, in both languages; an error
//! is an object, too.

use crate::place::rows::{check_row, documented};
use crate::place::table;
use crate::place::{says, split_words};
use std::collections::BTreeSet;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

/// Stdout as JSON, and stderr, of a command that ends with this status.
#[track_caller]
fn ask(place: &TempDir, words: &[&str], code: i32) -> (Value, String) {
    ask_with(place, words, code, &[])
}

/// The same with more variables of the environment.
#[track_caller]
fn ask_with(
    place: &TempDir,
    words: &[&str],
    code: i32,
    variables: &[(&str, &str)],
) -> (Value, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_leitai"))
        .args(words)
        .current_dir(place.path())
        .env("LC_ALL", "C")
        .env("LEITAI_ISOLATION", "none")
        .env("XDG_CONFIG_HOME", place.path())
        .envs(variables.iter().copied())
        .stdin(Stdio::null())
        .output()
        .expect("the binary starts");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{words:?}: {said}");
    let json = serde_json::from_slice(&output.stdout);
    let json = json.unwrap_or_else(|why| panic!("{words:?}: {why}: {:?}", output.stdout));
    (json, said)
}

#[test]
fn json_has_the_documented_fields() {
    let place = tempfile::tempdir().expect("a temporary folder");
    let asked = |words: &[&str], code| ask(&place, words, code).0;
    std::fs::create_dir(place.path().join("bots")).expect("own folder");
    let compare = asked(
        &["compare", "kob", "safe", "random", "--max", "2", "--json"],
        4,
    );
    let lines = Command::new(env!("CARGO_BIN_EXE_leitai"))
        .args(split_words(
            "compare kob safe random --max 2 --json-lines -q",
        ))
        .output()
        .expect("the binary starts");
    assert!(lines.stderr.is_empty(), "-q says nothing");
    let lines = String::from_utf8(lines.stdout).expect("UTF-8");
    let lines: Vec<Value> = (lines.lines())
        .map(|line| serde_json::from_str(line).expect("each line is JSON"))
        .collect();
    let [first, second, result] = &lines[..] else {
        panic!("two pairs and the result: {lines:?}");
    };
    assert_eq!((&first["pair"], &second["pair"]), (&0.into(), &1.into()));
    assert_eq!(second["seed"], 2);
    assert_eq!(
        (&second["llr"], &result["llr"]),
        (&compare["llr"], &compare["llr"])
    );
    has!(second, {"/games/#": 1});
    let rate = asked(&["rate", "kob", "random", "--max", "2", "--json"], 4);
    let words = ["tournament", "kob", "safe", "random", "--output", "json"];
    let tournament = asked(&words, 0);
    let words = [
        "ladder", "kob", "bots", "--with", "safe", "--with", "random", "--max", "2", "--json",
    ];
    let ladder = asked(&words, 4);
    let doctor = asked(&["doctor", "--json"], 0);
    asked(
        &[
            "match", "kob", "space", "random", "--seed", "3", "--replay", "x.json", "--json",
        ],
        0,
    );
    let words = ["regress", "add", "x.json", "--leg", "1", "--round", "2"];
    let added = Command::new(env!("CARGO_BIN_EXE_leitai"))
        .args(words)
        .current_dir(place.path())
        .output();
    assert!(added.is_ok_and(|output| output.status.success()));
    let regress = asked(&["regress", "run", "random", "--json"], 3);
    let (error, said) = ask(&place, &["compare", "kob", "safe", "randon", "--json"], 2);
    assert!(
        said.contains(error["error"].as_str().expect("a sentence")),
        "{said}"
    );

    let documents = [
        include_str!("../../../docs/command-line.md"),
        include_str!("../../../docs/command-line.zh.md"),
    ];
    let check = |row: &str, found: &Value| {
        let found = found
            .as_object()
            .unwrap_or_else(|| panic!("{row}: {found}"));
        let found: BTreeSet<String> = found.keys().cloned().collect();
        for document in documents {
            assert_eq!(documented(document, row), found, "{row}");
        }
    };
    check("| `compare` |", &compare);
    check("| `compare --json-lines` |", first);
    let new = asked(&["new", "kob", "cpp", "--json"], 0);
    has!(new, {"program": "kob-bot/main.cpp", "language": "cpp"});
    check("| `new` |", &new);
    check("| `rate` |", &rate);
    for document in documents {
        let row = document
            .lines()
            .find(|line| line.starts_with("| `rate` ") && line.contains("`levels[]`"));
        let row = row.expect("a row").split(" | ").next().expect("a column");
        let found = rate["levels"][0]
            .as_object()
            .expect("an object")
            .keys()
            .cloned();
        assert_eq!(documented(document, row), found.collect(), "levels");
    }
    check("| `tournament` |", &tournament);
    check("| `ladder` |", &ladder);
    for standings in [&tournament["standings"], &ladder["standings"]] {
        check("| `standings` |", standings);
        check("| `standings.rows[]` |", &standings["rows"][0]);
    }
    check("| `regress run` |", &regress);
    check("| `doctor` |", &doctor);
    let pins = asked(&["regress", "list", "--json"], 0);
    has!(pins, {"/positions/#": 1});
    check("| `regress list` |", &pins);
    let games = asked(&["games", "--json"], 0);
    assert_eq!(games["games"].as_array().map(Vec::len), Some(3), "{games}");
    check("| `games` |", &games);
    check("| `bots` |", &asked(&["bots", "kob", "--json"], 0));
    check(
        "| `replay verify` |",
        &asked(&["replay", "verify", "x.json", "--json"], 0),
    );
    std::fs::write(place.path().join("empty.jsonl"), "").expect("own folder");
    check(
        "| `parity` |",
        &asked(&["parity", "kob", "empty.jsonl", "--json"], 1),
    );
}

#[test]
fn an_error_is_an_object_where_json_is_asked_for() {
    let place = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(place.path().join("x.json"), "{}").expect("own folder");
    let check = |words: &[&str], code: i32, part: &str| {
        let (error, said) = ask(&place, words, code);
        let why = error["error"].as_str().expect("a sentence");
        assert!(
            why.contains(part) && !said.is_empty(),
            "{words:?}: {error} {said}"
        );
    };
    let rows = "
match kab safe safe --json | did you mean kob?
match --json | <GAME> <A> <B>
match kob a b --json --lgs 1 | --lgs
analyze x.json --json | x.json
--lang zh tournament kob safe --output json | 至少需要两个参赛方
tournament kob safe --output=json | two or more entrants
";
    for [line, part] in table(rows) {
        check(&split_words(line), 2, part);
    }
}

/// The command of a line: its words that are in the documents' table.
fn command_of(line: &str) -> String {
    let words: Vec<&str> = line.split(' ').collect();
    let alone = ["login", "download", "logs"];
    words[..if alone.contains(&words[0]) { 1 } else { 2 }].join(" ")
}

#[test]
fn commands_of_an_operator_answer_in_json() {
    let place = tempfile::tempdir().expect("a temporary folder");
    let data = place.path().join("data");
    std::fs::create_dir(&data).expect("own folder");
    let database = format!("sqlite:{}/arena.db", data.display());
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let store = leitai_store::Store::open_url(&database)
            .await
            .expect("a database");
        store.close_store().await.expect("it was open");
    });
    // A job that no worker could do.
    let aside = "import sqlite3, sys
arena = sqlite3.connect(sys.argv[1])
arena.execute(\"INSERT INTO jobs (kind, game, state, priority, programs, attempts, created) \
               VALUES ('match', 'kob', 'set-aside', 0, 0, 3, 0)\")
arena.commit()";
    let made = Command::new("python3")
        .args(["-c", aside])
        .arg(data.join("arena.db"))
        .status();
    assert!(made.is_ok_and(|made| made.success()));
    let data = data.display().to_string();
    let run = |line: &str| {
        let words = [split_words(line), vec!["--json", "--data", &data]].concat();
        let found = ask(&place, &words, 0).0;
        check_row(&command_of(line), &found);
        found
    };
    for line in [
        "admin add-user ada",
        "admin add-user bea",
        "admin retry-job 1",
        "admin promote ada",
        "admin game-right ada --withdraw",
        "admin password ada",
        "admin worker-token w --days 3",
        "admin rebuild-ratings kob",
        "admin recount",
        "admin set-aside",
        "admin backup copy.db",
        "admin export moved",
        "admin delete-user bea --yes",
    ] {
        run(line);
    }
    let key = run("admin rotate-signing-key")["key"].clone();
    assert_eq!(run("admin signing-keys")["keys"][0]["key"], key);
    let key = key.as_str().expect("a key");
    run(&format!("admin revoke-signing-key {key} --why lost"));
    let elsewhere = place.path().join("elsewhere").display().to_string();
    let words = ["admin", "import", "moved", "--json", "--data", &elsewhere];
    check_row("admin import", &ask(&place, &words, 0).0);
    let words = ["admin", "promote", "nobody", "--json", "--data", &data];
    let (error, _) = ask(&place, &words, 1);
    says(&error["error"].to_string(), &["nobody"]);
}

#[test]
fn commands_of_an_arena_and_of_files_answer_in_json() {
    let place = tempfile::tempdir().expect("a temporary folder");
    let bots = json!({"items": [{"id": 3, "name": "hydra", "game": "kob", "active": 1, "retired": false}]});
    let entries = json!({"entries": [{"id": 9, "name": "hydra", "left": null}]});
    let asked =
        |line: &str, code: i32| ask(&place, &[split_words(line), vec!["--json"]].concat(), code).0;
    asked("match kob space random --seed 3 --replay x.json", 0);
    let pack = include_str!("../../../games/kob/situations.jsonl");
    std::fs::write(place.path().join("pack.jsonl"), pack).expect("own folder");
    std::fs::write(place.path().join("class.csv"), "name\nbea\n").expect("own folder");
    let server = crate::cli::arena(vec![
        ("GET /api/me/bots", bots),
        (
            "GET /api/me",
            json!({"name": "ada", "user": {"name": "ada"}}),
        ),
        ("GET /api/contests/", entries),
        ("POST /api/groups ", json!({"id": 4})),
        ("GET /api/situations", json!([])),
        ("POST /api/situations", json!({"id": 3, "moments": 2})),
    ]);
    let variables = [("LEITAI_SERVER", server.as_str()), ("LEITAI_TOKEN", "lt_x")];
    for line in [
        "contest pause spring",
        "contest resume spring",
        "contest disqualify spring hydra --why copy",
        "contest replay spring 7 --why again",
        "contest take-back spring --stage 1 --why again",
        "contest annul spring --why again --yes",
        "contest export spring -o all.zip",
        "contest new autumn --game kob",
        "group new class",
        "group import 4 class.csv --check",
        "game remove othello",
        "game new othello cpp",
        "game build othello",
        "experiment unpin hydra 4",
        "download 12",
        "config show",
        "regress add x.json --leg 1 --round 2 --entrant random",
        "situations mine x.json --entrant random --budget 20",
        "situations check pack.jsonl",
        "situations upload pack.jsonl",
        "situations list",
        "situations remove 3",
        "logs 12",
    ] {
        let words = [split_words(line), vec!["--json"]].concat();
        check_row(
            &command_of(line),
            &ask_with(&place, &words, 0, &variables).0,
        );
    }
}

#[test]
fn options_have_their_defaults_from_files_and_the_command_line_wins() {
    let place = tempfile::tempdir().expect("a temporary folder");
    let write = |name: &str, text: &str| {
        let path = place.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("own folder");
        std::fs::write(path, text).expect("own folder");
    };
    write(
        "leitai/config.toml",
        "limit = \"2s\"\nmemory = \"64MiB\"\nlanguage = \"zh\"\n",
    );
    write(
        "leitai.toml",
        "limit = \"700ms\"\n[check]\nlimit = \"1s\"\n",
    );
    let play = |more: &[&str]| {
        let words = split_words("match kob space random --seed 3 --legs 1 --replay - -q");
        let output = Command::new(env!("CARGO_BIN_EXE_leitai"))
            .args([words, more.to_vec()].concat())
            .current_dir(place.path())
            .env("XDG_CONFIG_HOME", place.path())
            .stdin(Stdio::null())
            .output()
            .expect("the binary starts");
        let replay = serde_json::from_slice::<Value>(&output.stdout);
        let limits = replay.unwrap_or_else(|why| panic!("{why}: {output:?}"))["limits"].clone();
        (limits["period_ms"].clone(), limits["memory_bytes"].clone())
    };
    assert_eq!(play(&[]), (json!(700), json!(64 << 20)));
    assert_eq!(play(&["--limit", "3s"]).0, json!(3000));
    let shown = ask(&place, &split_words("config show --json"), 0).0;
    let of = |key: &str| {
        let mut all = shown["keys"].as_array().expect("a list").iter();
        let found = all.find(|one| one["key"] == key);
        let found = found.unwrap_or_else(|| panic!("{key}: {shown}"));
        (found["value"].clone(), found["from"].clone())
    };
    let own = place
        .path()
        .join("leitai/config.toml")
        .display()
        .to_string();
    assert_eq!(of("limit"), (json!("700ms"), json!("leitai.toml:1")));
    assert_eq!(of("check.limit"), (json!("1s"), json!("leitai.toml:3")));
    assert_eq!(of("memory"), (json!("64MiB"), json!(format!("{own}:2"))));
    assert_eq!(of("isolation"), (json!("none"), json!("LEITAI_ISOLATION")));
    assert_eq!(of("jobs"), (Value::Null, Value::Null));
    write("leitai.toml", "isolation = \"none\"\n");
    let words = split_words("match kob space random --seed 3 --json");
    let (error, _) = ask(&place, &words, 2);
    let why = error["error"].as_str().expect("a sentence");
    assert!(
        why.starts_with("leitai.toml:1：isolation 不能写在"),
        "{why}"
    );
}
