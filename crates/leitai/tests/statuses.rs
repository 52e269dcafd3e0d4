//! The exit status of what was named wrongly: 2, in every command.

use std::fs;
use std::process::{Command, Stdio};

use tempfile::TempDir;

/// A command with a file that is not there, one that is a folder, one that is no UTF-8 text, and one
/// with the wrong syntax.
const NAMED: [&str; 4] = ["none", "folder", "latin", "wrong"];

/// What is expected of them; `-` stands for what is no mistake of this kind.
const ALL: &str = "2222";

/// `FILE` stands for the file's name without its ending.
const ROWS: &[(&str, &str)] = &[
    ("match kob random safe --from FILE.json@1:1", ALL),
    ("match kob random safe --config map=FILE.txt", ALL),
    ("match kob random safe --config map=@FILE.txt", ALL),
    ("match kob ./FILE.txt safe", ALL),
    ("match ./FILE.leitai-game random random", ALL),
    ("check kob FILE.txt", "22--"),
    ("compare kob ./FILE.txt safe --max 1", "22--"),
    ("rate kob ./FILE.txt --max 1", "22--"),
    ("tournament FILE.toml", ALL),
    ("tournament kob ./FILE.txt safe", "22--"),
    ("ladder kob FILE.txt", "2-22"),
    ("contest check FILE.toml", "2221"),
    ("contest publish FILE.toml", ALL),
    ("contest update FILE.toml", ALL),
    ("debug FILE.json bot.py --round 1", ALL),
    ("analyze FILE.json", ALL),
    ("analyze FILE.json FILE.json", ALL),
    ("regress add FILE.json --round 1", ALL),
    ("regress run safe --folder FILE.json", ALL),
    ("situations check FILE.json", ALL),
    ("situations mine FILE.json", ALL),
    ("replay show FILE.json", ALL),
    ("replay trace FILE.json", ALL),
    ("replay frames FILE.json", ALL),
    ("replay export FILE.json --to official --leg 1", ALL),
    ("replay export FILE.json --to html", ALL),
    ("replay export FILE.json --to gif --leg 1", ALL),
    ("replay import FILE.json", ALL),
    ("replay import FILE.json --from official", ALL),
    ("replay show game.json --game FILE.leitai-game", ALL),
    ("replay verify FILE.json", "2221"),
    ("replay verify game.json FILE.json", "2221"),
    ("replay verify game.json --keys FILE.json", ALL),
    ("parity snakego FILE.json", "2221"),
    ("game check FILE.leitai-game", ALL),
    ("game pack FILE.leitai-game", ALL),
    ("game list FILE.json", "2-22"),
    ("group import 1 FILE.csv", "222-"),
    ("submit kob FILE.py", "22--"),
    (
        "serve --listen 127.0.0.1:0 --data data --ladders FILE.toml",
        ALL,
    ),
    (
        "serve --listen 127.0.0.1:0 --data data --public-url http://x.example.org --oidc FILE.toml",
        ALL,
    ),
    (
        "serve --listen 127.0.0.1:0 --data data --docs FILE.json",
        ALL,
    ),
];

fn run(place: &TempDir, words: &str) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_leitai"));
    let output = command
        .args(words.split(' '))
        .current_dir(place.path())
        .env("LC_ALL", "C")
        // Nobody listens there.
        .envs([
            ("LEITAI_SERVER", "http://127.0.0.1:9"),
            ("LEITAI_TOKEN", "x"),
        ])
        .stdin(Stdio::null())
        .output()
        .expect("the binary starts");
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said).into_owned();
    (output.status.code(), said)
}

#[test]
fn what_was_named_wrongly_ends_with_2() {
    let place = tempfile::tempdir().expect("a temporary folder");
    let write = |name: &str, bytes: &[u8]| {
        fs::write(place.path().join(name), bytes).expect("own folder");
    };
    for ending in ["json", "toml", "txt", "csv", "py", "leitai-game"] {
        fs::create_dir(place.path().join(format!("folder.{ending}"))).expect("own folder");
        write(&format!("latin.{ending}"), b"\xff\xff\xe9t\xe9\n");
        write(&format!("wrong.{ending}"), b"{ this is = nothing\n");
    }
    write("bot.py", b"while True:\n    input()\n    print(0)\n");
    let short = "match snakego greedy random --seed 7 --config max_round=4 --replay game.json";
    let (status, said) = run(&place, short);
    assert_eq!(status, Some(0), "{said}");
    let mut wrong = String::new();
    for (words, expected) in ROWS {
        for (name, expected) in NAMED.iter().zip(expected.chars()) {
            let words = words.replace("FILE", name);
            let Some(expected) = expected.to_digit(10) else {
                continue;
            };
            let (status, said) = run(&place, &words);
            if status.and_then(|status| u32::try_from(status).ok()) != Some(expected) {
                wrong += &format!("{words}: {status:?}, not {expected}: {said}\n");
            }
            let is_said = !said.trim().is_empty() && !said.contains("panicked");
            assert!(is_said, "{words}: {said}");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
