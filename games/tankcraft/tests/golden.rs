//! Parity with the corpus, if the environment variable `LEITAI_CORPORA` names the folder that
//! contains `tankcraft/`, and always with our own corpus.

use leitai_game::GamePackage;
use leitai_tankcraft::Position;

/// Asserts that every document of a file agrees, and that the file has at least this many.
fn check(path: &str, at_least: usize) {
    let Ok(text) = std::fs::read_to_string(path) else {
        eprintln!("no corpus at {path}: nothing compared");
        return;
    };
    let (mut cases, mut differences) = (0, Vec::new());
    Position::compare_corpus(&text, &mut |case| {
        cases += 1;
        differences.extend(case.result.err().map(|why| format!("{}: {why}", case.id)));
    });
    assert!(
        differences.is_empty(),
        "{path}: {} of {cases} differ:\n{}",
        differences.len(),
        differences.join("\n")
    );
    assert!(
        cases >= at_least,
        "{path}: {cases} documents were read, {at_least} are expected"
    );
}

macro_rules! corpus {
    ($name:ident, $file:literal, $at_least:literal) => {
        #[test]
        fn $name() {
            let Ok(folder) = std::env::var("LEITAI_CORPORA") else {
                return eprintln!("LEITAI_CORPORA is not set: nothing compared");
            };
            check(&format!("{folder}/tankcraft/{}", $file), $at_least);
        }
    };
}

corpus!(every_golden_game_agrees, "games.json", 60);
corpus!(every_golden_round_agrees, "scenarios-round.json", 200);
corpus!(every_golden_view_agrees, "scenarios-view.json", 5);
corpus!(every_golden_map_agrees, "scenarios-map.json", 5);
corpus!(every_golden_generated_map_agrees, "scenarios-gen.json", 3);
corpus!(every_golden_line_agrees, "scenarios-parse.json", 1);

/// Recorded by this engine (`examples/tankcraft_record.rs`) when it agreed with the whole corpus,
/// so that a change of the rules is found where the corpus is missing.
#[test]
fn every_own_game_agrees() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/golden/games.json");
    assert!(
        std::path::Path::new(path).exists(),
        "{path} belongs to the crate"
    );
    check(path, 6);
}
