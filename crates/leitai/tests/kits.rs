//! Starter kits: what `leitai new` writes is short, is accepted in the real sandbox, and wins.

use crate::place;

use std::fs;
use std::path::Path;
use std::process::Stdio;

use leitai_game::Template;
use leitai_sandbox::{Sandbox, Tier};
use place::{Place, says, text};
use serde_json::Value;

/// The most lines of a bot that are neither empty nor comments.
const SHORT: usize = 20;

/// The kit of a game in a language.
fn kit_of(game: &str, language: &str) -> Template {
    let game = leitai_games::find_game(game).expect("a game");
    let mut kits = game.list_templates().into_iter();
    kits.find(|kit| kit.language == language).expect("a kit")
}

fn can_play() -> bool {
    let helper = Path::new(env!("CARGO_BIN_EXE_leitai"));
    let tiers = [Tier::A, Tier::B, Tier::C];
    tiers
        .into_iter()
        .any(|tier| Sandbox::of_tier(helper, tier).is_ok())
}

/// What `leitai new` writes, and what its own test says: the folder is accepted, and wins both seats.
#[track_caller]
fn check_kit(game: &str, language: &str) {
    let place = check_written(game, language);
    if can_play() {
        run_own_test(&place, &format!("{game} {language}"));
    }
}

#[track_caller]
fn check_written(game: &str, language: &str) -> Place {
    let (place, kit) = (Place::new(), kit_of(game, language));
    let wrote = text(&place.run(&["new", game, language, "--folder", "mine"]));
    let read = |name: &str| fs::read_to_string(place.path().join("mine").join(name)).expect(name);
    assert_eq!(read(kit.file_name), kit.code);
    for file in &*kit.files {
        assert_eq!(read(file.name), file.text, "{game} {language}");
        assert!(wrote.contains(file.name), "{wrote}");
    }
    let own = kit.code.lines().map(str::trim);
    let own = own.filter(|line| !line.is_empty() && !line.starts_with(['#', '/', '*']));
    assert!(own.count() <= SHORT, "{game} {language} is not short");
    for (name, part) in [
        ("README.md", format!("leitai match {game} . random")),
        ("AGENTS.md", format!("leitai check {game} . ")),
        (".vscode/tasks.json", format!("leitai match {game} . ")),
    ] {
        let text = read(name);
        let holes = ["{game}", "{file}", "{sdk}", "{editor}", "{protocol}"];
        let is_filled = holes.iter().all(|hole| !text.contains(hole));
        assert!(text.contains(&part) && is_filled, "{name}: {text}");
        assert!(
            wrote.lines().all(|line| line.chars().count() <= 80),
            "{wrote}"
        );
    }
    place
}

fn run_own_test(place: &Place, what: &str) {
    let mut test = std::process::Command::new("./mine/test.sh");
    test.current_dir(place.path())
        .env("LEITAI", env!("CARGO_BIN_EXE_leitai"))
        .env("LC_ALL", "C")
        .stdin(Stdio::null());
    let output = test.output().expect("it can be run");
    let said = text(&output);
    assert!(output.status.success(), "{what}: {said}");
    for part in ["mine is accepted", "protocol: json-lines,", "it wins"] {
        assert!(said.contains(part), "{what} lacks {part:?}: {said}");
    }
}

#[test]
fn a_kit_of_each_language_is_accepted_and_wins() {
    for (game, language) in [
        ("kob", "cpp"),
        ("tankcraft", "python"),
        ("snakego", "javascript"),
        ("kob", "rust"),
        ("kob", "java"),
        ("snakego", "typescript"),
    ] {
        check_kit(game, language);
    }
    // Their compilers are large: `./dev test --long` installs them.
    for (game, language) in [
        ("snakego", "go"),
        ("tankcraft", "csharp"),
        ("kob", "kotlin"),
    ] {
        check_written(game, language);
    }
}

#[test]
fn the_test_of_a_kit_fails_where_the_bot_loses() {
    if !can_play() {
        return;
    }
    let place = Place::new();
    place.run(&["new", "kob", "--folder", "mine"]);
    let bot = kit_of("kob", "python").code.replace("max(", "min(");
    place.write("mine/main.py", bot);
    let mut test = std::process::Command::new(place.path().join("mine/test.sh"));
    let output = test.env("LEITAI", env!("CARGO_BIN_EXE_leitai")).output();
    let output = output.expect("it can be run");
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    says(&text(&output), &["it does not win"]);
}

mod long {
    use super::*;

    #[test]
    #[ignore = "a minute; ./dev long"]
    fn every_kit_is_accepted_and_wins() {
        for game in leitai_games::ALL {
            let kits = game.list_templates();
            assert_eq!(kits.len(), 9, "{}", game.meta().id);
            for kit in kits {
                check_kit(game.meta().id, kit.language);
            }
        }
    }

    /// The SDKs mean the same: their bots are the same, and so are their games, on either seat.
    #[test]
    #[ignore = "a minute; ./dev long"]
    fn bots_of_all_languages_play_the_same_game() {
        for game in leitai_games::ALL {
            let (id, place) = (game.meta().id, Place::new());
            let played = game.list_templates().into_iter().map(|kit| {
                place.run(&["new", id, kit.language, "--folder", kit.language]);
                let words = ["match", id, kit.language, "random", "--seed", "5"];
                let played = place.run(&[&words[..], &["--replay", "game.json"]].concat());
                assert!(played.status.success(), "{}", text(&played));
                let replay = place.replay("game.json");
                let legs = replay["legs"].as_array().expect("legs").iter();
                let actions = legs
                    .map(|leg| leg["replies"].clone())
                    .collect::<Vec<Value>>();
                assert!(!actions[0].is_null(), "{replay}");
                (kit.language, actions)
            });
            let played: Vec<_> = played.collect();
            for (language, actions) in &played[1..] {
                assert!(
                    *actions == played[0].1,
                    "{id}: {language} differs from Python"
                );
            }
        }
    }

    /// In every isolation that runs here, each language at most in one game: they build, run and draw.
    #[test]
    #[ignore = "a minute; ./dev long"]
    fn kits_of_large_compilers_play_in_every_isolation() {
        let helper = Path::new(env!("CARGO_BIN_EXE_leitai"));
        let all = [("a", Tier::A), ("b", Tier::B), ("c", Tier::C)].into_iter();
        let has = all.filter(|(_, tier)| Sandbox::of_tier(helper, *tier).is_ok());
        let tiers: Vec<&str> = has.map(|(name, _)| name).chain(["none"]).collect();
        for (game, language, key) in [
            ("snakego", "typescript", "line"),
            ("tankcraft", "go", "mark"),
            ("kob", "csharp", "value"),
            ("snakego", "kotlin", "line"),
        ] {
            let place = Place::new();
            place.run(&["new", game, language, "--folder", "mine"]);
            // Mono does not start in tier C; the judge's tests hold what the build says there.
            for tier in tiers
                .iter()
                .filter(|tier| (language, **tier) != ("csharp", "c"))
            {
                let line = format!("match {game} mine random --seed 5 --isolation {tier}");
                let played = place.run_line(&format!("{line} --replay game.json"));
                assert!(
                    played.status.success(),
                    "{language} {tier}: {}",
                    text(&played)
                );
                println!("{language} {tier}: {}", text(&played));
                says(&text(&played), &["mine wins"]);
                let logs = place.replay("game.json")["legs"][0]["logs"].to_string();
                let said = format!("#leitai {{\\\"{key}\\\":");
                assert!(logs.contains(&said), "{language} {tier}: {logs}");
            }
        }
    }
}
