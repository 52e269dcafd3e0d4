//! What loaded games cost a process, and that nothing of them stays when nobody holds them.

use std::io::Write;
use std::process::Command;
use std::sync::Arc;

use leitai_game::{GameHandle, GameSet};
use leitai_guest::file::parts::Parts;
use leitai_guest::{GameFile, Limits};
use serde_json::Value;

/// A whole game in WebAssembly's text.
const RULES: &str = include_str!("data/say_a.wat");

/// A packed game file with a guide of about this length.
fn packed(id: &str, version: u32, guide: usize) -> Vec<u8> {
    let about = format!(
        "interface = \"leitai-game/1\"\nid = \"{id}\"\nrules = \"{id}/{version}\"\nname = \"{id}\"\n\
         about = \"say a\"\nopen = true\nauthors = [\"A\"]\nlicence = \"MIT\"\n"
    );
    let rules = wat::parse_str(RULES).expect("sound text");
    let guide = format!("# {id}\n{}", "A line of the guide.\n".repeat(guide / 21));
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, bytes) in [
        ("rules.wasm", &*rules),
        ("game.toml", about.as_bytes()),
        ("guide.md", guide.as_bytes()),
    ] {
        let options = zip::write::SimpleFileOptions::default();
        archive.start_file(name, options).expect("it is packed");
        archive.write_all(bytes).expect("it is packed");
    }
    archive.finish().expect("it is packed").into_inner()
}

fn load(bytes: &[u8]) -> GameHandle {
    let parts = Parts::from_archive(bytes, "it".as_ref()).unwrap_or_else(|why| panic!("{why}"));
    let file = GameFile::load(parts, Limits::default()).unwrap_or_else(|why| panic!("{why:?}"));
    Arc::new(file.game).into()
}

/// The resident memory of this process, in KiB.
fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let words = line.expect("it is there").split_whitespace().next();
    words.and_then(|kib| kib.parse().ok()).expect("a number")
}

/// Plays a leg, so that its reasons are known too.
fn play(game: &GameHandle) {
    let setup = game.deal_setup(&Value::Null, 1).expect("a setup");
    let mut leg = setup.start_leg();
    let replies = leitai_game::BySeat::new(Some(leitai_game::Reply::Action("a")), None);
    leg.step(replies, &mut ());
    assert!(leg.outcome().is_some());
}

/// Run by [`nothing_of_a_game_stays`] in a process of its own: other tests take memory too.
#[test]
#[ignore = "a child of another test"]
fn measured() {
    let bytes = packed("say-a", 1, 250_000);
    let repeat = |times: usize| (0..times).for_each(|_| play(&load(&bytes)));
    repeat(20);
    let before = resident();
    repeat(200);
    let grown = resident().saturating_sub(before);
    assert!(grown < 10_000, "200 loads took {grown} KiB");
    let files: Vec<Vec<u8>> = (0..500)
        .map(|at| packed(&format!("game-{at}"), 1, 20_000))
        .collect();
    let before = resident();
    let games = GameSet::default();
    files.iter().for_each(|bytes| games.put(load(bytes)));
    let cost = resident().saturating_sub(before);
    assert_eq!(games.list().len(), 500);
    println!("500 games take {cost} KiB");
    assert!(cost < 100_000, "500 games take {cost} KiB");
}

#[test]
fn nothing_of_a_game_stays() {
    let own = std::env::current_exe().expect("it runs");
    let child = ["--exact", "memory::measured", "--ignored", "--nocapture"];
    let ended = Command::new(own).args(child).output().expect("it starts");
    let said = String::from_utf8_lossy(&ended.stdout).into_owned()
        + &String::from_utf8_lossy(&ended.stderr);
    assert!(
        ended.status.success() && said.contains("500 games"),
        "{said}"
    );
}

/// Versions of a game live side by side; who holds one goes on with it.
#[test]
fn versions_live_side_by_side() {
    let version = |number: u32| load(&packed("say-a", number, 100));
    let games = GameSet::default();
    let rules_of = |found: Option<GameHandle>| found.map(|game| game.meta().rules.to_owned());
    assert_eq!(rules_of(games.find("say-a")), None);
    games.put(version(1));
    let held = games.find("say-a").expect("it is there");
    games.put(version(2));
    assert_eq!(held.meta().rules, "say-a/1");
    play(&held);
    for (asked, found) in [
        ("say-a/1", "say-a/1"),
        ("say-a/2", "say-a/2"),
        ("say-a/9", "say-a/2"),
    ] {
        assert_eq!(
            rules_of(games.find_rules("say-a", asked)).as_deref(),
            Some(found),
            "{asked}"
        );
    }
    assert_eq!(games.list().len(), 1);
    games.unlist("say-a");
    assert_eq!(rules_of(games.find("say-a")), None);
    assert_eq!(
        rules_of(games.find_rules("say-a", "say-a/1")).as_deref(),
        Some("say-a/1")
    );
}
