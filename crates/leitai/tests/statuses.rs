//! The exit status of what was named wrongly: 2, in every command.

use std::fs;

use tempfile::TempDir;

use crate::place::{leitai_in, split_words, table, text};

/// A command with a file that is not there, one that is a folder, one that is no UTF-8 text, and one
/// with the wrong syntax.
const NAMED: [&str; 4] = ["none", "folder", "latin", "wrong"];

/// The statuses of these four files, `-` for what is no mistake of this kind, and the command, in which
/// `FILE` stands for the file's name without its ending.
const ROWS: &str = r"
2222 | match kob random safe --from FILE.json@1:1
2222 | match kob random safe --config map=FILE.txt
2222 | match kob random safe --config map=@FILE.txt
2222 | match kob ./FILE.txt safe
2222 | match ./FILE.leitai-game random random
22-- | check kob FILE.txt
22-- | compare kob ./FILE.txt safe --max 1
22-- | rate kob ./FILE.txt --max 1
2222 | tournament FILE.toml
22-- | tournament kob ./FILE.txt safe
2-22 | ladder kob FILE.txt
2221 | contest check FILE.toml
2222 | contest publish FILE.toml
2222 | contest update FILE.toml
2222 | debug FILE.json bot.py --round 1
2222 | analyze FILE.json
2222 | analyze FILE.json FILE.json
2222 | regress add FILE.json --round 1
2222 | regress run safe --folder FILE.json
2222 | situations check FILE.json
2222 | situations mine FILE.json
2222 | replay show FILE.json
2222 | replay trace FILE.json
2222 | replay frames FILE.json
2222 | replay export FILE.json --to official --leg 1
2222 | replay export FILE.json --to html
2222 | replay export FILE.json --to gif --leg 1
2222 | replay import FILE.json
2222 | replay import FILE.json --from official
2222 | replay show game.json --game FILE.leitai-game
2221 | replay verify FILE.json
2221 | replay verify game.json FILE.json
2222 | replay verify game.json --keys FILE.json
2221 | parity snakego FILE.json
2222 | game check FILE.leitai-game
2222 | game pack FILE.leitai-game
2-22 | game list FILE.json
222- | group import 1 FILE.csv
22-- | submit kob FILE.py
2222 | serve --listen 127.0.0.1:0 --data data --ladders FILE.toml
2222 | serve --listen 127.0.0.1:0 --data data --public-url http://x.example.org --oidc FILE.toml
2222 | serve --listen 127.0.0.1:0 --data data --docs FILE.json
";

fn run(place: &TempDir, line: &str) -> (Option<i32>, String) {
    let mut command = leitai_in(place, &split_words(line));
    // Nobody listens there.
    command.envs([
        ("LEITAI_SERVER", "http://127.0.0.1:9"),
        ("LEITAI_TOKEN", "x"),
    ]);
    let output = command.output().expect("the binary starts");
    (output.status.code(), text(&output))
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
    for [expected, words] in table(ROWS) {
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
