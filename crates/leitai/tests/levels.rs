//! Whether the levels stand in the order of their numbers. It takes many minutes:
//! `./dev test --long` runs it.

use std::process::{Command, Stdio};

/// The games, and the highest level that is measured.
const GAMES: [(&str, u32); 3] = [("kob", 10), ("snakego", 10), ("tankcraft", 8)];

/// Neighbours of a scale are 150 to 250 Elo apart, so this is decided within some tens of pairs.
const TEST: [&str; 6] = ["--elo0", "0", "--elo1", "100", "--max", "400"];

#[test]
#[ignore = "long: some hundred games"]
fn every_level_is_better_than_the_one_below() {
    for (game, highest) in GAMES {
        for number in 2..=highest {
            let [upper, lower] = [number, number - 1].map(|number| format!("level{number}"));
            let output = Command::new(env!("CARGO_BIN_EXE_leitai"))
                .args(["compare", game, &upper, &lower])
                .args(TEST)
                .env("LC_ALL", "C")
                .stdin(Stdio::null())
                .output()
                .expect("the binary starts");
            let said = String::from_utf8_lossy(&output.stdout);
            assert!(
                output.status.success() && said.contains("accepted"),
                "{game}, {upper} against {lower}: {said}{}",
                String::from_utf8_lossy(&output.stderr)
            );
        }
    }
}

/// What an author begins with has somebody to beat: of 20 matches 14.
#[test]
#[ignore = "long: programs play 60 matches"]
fn the_template_of_a_game_beats_its_lowest_level() {
    for (game, _) in GAMES {
        let place = tempfile::tempdir().expect("a temporary folder");
        let run = |words: &[&str]| {
            let output = Command::new(env!("CARGO_BIN_EXE_leitai"))
                .args(words)
                .current_dir(&place)
                .env("LC_ALL", "C")
                .stdin(Stdio::null())
                .output()
                .expect("the binary starts");
            let errors = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{words:?}: {errors}");
            String::from_utf8_lossy(&output.stdout).into_owned()
        };
        run(&["new", game, "--folder", "mine"]);
        let words = ["tournament", game, "mine", "level1", "--rounds", "20"];
        let said = run(&[&words[..], &["--output", "json"]].concat());
        let json: serde_json::Value = serde_json::from_str(&said).expect("JSON");
        let won = &json["standings"]["crosstable"][0][1]["wins"];
        assert!(won.as_u64() >= Some(14), "{game}: {won} of 20");
    }
}
