//! The corpus of the official judge, when it is there (`../shared/golden/snakego`).

use leitai_game::GamePackage;
use leitai_snakego::Position;

#[test]
fn every_golden_game_agrees() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/golden/snakego/games.jsonl");
    let Ok(text) = std::fs::read_to_string(path) else {
        eprintln!("no corpus at {path}: nothing compared");
        return;
    };
    let (mut games, mut differences) = (0, Vec::new());
    Position::parity(&text, &mut |case| {
        games += 1;
        differences.extend(case.result.err().map(|why| format!("{}: {why}", case.id)));
    });
    assert!(differences.is_empty(), "{} of {games} differ; first: {}", differences.len(), differences[0]);
    assert!(games >= 300, "the corpus has 300 games, {games} were read");
}
