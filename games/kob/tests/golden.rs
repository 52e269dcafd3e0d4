//! Parity with the corpus of the sites' judges, if the environment variable `LEITAI_CORPORA` names
//! the folder that contains `kob/`, and with our own corpus beside this crate.

use leitai_game::GamePackage;
use leitai_kob::Position;

/// The path of a file of the corpus, if `LEITAI_CORPORA` is set.
fn in_corpora(file: &str) -> Option<String> {
    let Ok(folder) = std::env::var("LEITAI_CORPORA") else {
        eprintln!("LEITAI_CORPORA is not set: nothing compared");
        return None;
    };
    Some(format!("{folder}/kob/{file}"))
}

/// Compares one file, if it exists; returns its number of cases.
fn compare(path: &str) -> Option<usize> {
    let Ok(text) = std::fs::read_to_string(path) else {
        eprintln!("no corpus at {path}: nothing compared");
        return None;
    };
    let (mut cases, mut differences) = (0, Vec::new());
    Position::compare_corpus(&text, &mut |case| {
        cases += 1;
        differences.extend(case.result.err().map(|why| format!("{}: {why}", case.id)));
    });
    assert!(
        differences.is_empty(),
        "{path}: {} of {cases} differ; first: {}",
        differences.len(),
        differences[0]
    );
    eprintln!("{path}: {cases} cases agree");
    Some(cases)
}

macro_rules! golden {
    ($($test:ident: $file:literal, at least $least:literal;)*) => {$(
        #[test]
        fn $test() {
            let Some(path) = in_corpora($file) else { return };
            if let Some(cases) = compare(&path) {
                assert!(cases >= $least, "{path} has {} cases, {cases} were read", $least);
            }
        }
    )*};
}

golden! {
    every_recorded_game_ends_as_the_sites_judged_it: "golden_games.jsonl", at least 200;
    every_seed_draws_the_sites_map: "maps.jsonl", at least 50;
    every_input_string_body_and_answer_agrees: "bot_inputs.jsonl", at least 40;
    heads_that_meet_die_by_the_rules_and_live_on_the_sites: "same_cell.jsonl", at least 6;
}

#[test]
fn our_own_corpus_agrees() {
    let cases = compare(concat!(env!("CARGO_MANIFEST_DIR"), "/golden/own.jsonl"));
    assert!(cases.expect("the corpus is part of the crate") >= 60);
}
