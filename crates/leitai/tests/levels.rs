//! Whether the levels stand in the order of their numbers. It takes many minutes:
//! `./dev test --long` runs it.

use std::process::{Command, Stdio};

/// The games, and the highest level that is measured.
const GAMES: [(&str, u32); 3] = [("kob", 8), ("snakego", 8), ("tankcraft", 6)];

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
