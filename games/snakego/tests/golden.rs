//! Parity with the corpus of the official judge, if the environment variable `LEITAI_CORPORA` names
//! the folder that contains `snakego/games.jsonl`.

use leitai_game::GamePackage;
use leitai_snakego::Position;

#[test]
fn every_golden_game_agrees() {
    let Ok(folder) = std::env::var("LEITAI_CORPORA") else {
        return eprintln!("LEITAI_CORPORA is not set: nothing compared");
    };
    let path = format!("{folder}/snakego/games.jsonl");
    let Ok(text) = std::fs::read_to_string(&path) else {
        return eprintln!("no corpus at {path}: nothing compared");
    };
    let (mut games, mut differences) = (0, Vec::new());
    Position::compare_corpus(&text, &mut |case| {
        games += 1;
        differences.extend(case.result.err().map(|why| format!("{}: {why}", case.id)));
    });
    assert!(
        differences.is_empty(),
        "{} of {games} differ; first: {}",
        differences.len(),
        differences[0]
    );
    assert!(games >= 300, "the corpus has 300 games, {games} were read");
}
