//! How long the analysis of a match takes at the default budget, and its digest.
//!
//! `cargo run --release -p leitai-analysis --example measure_analysis -- snakego territory greedy 1`

#[path = "../tests/kit/mod.rs"]
#[allow(dead_code, reason = "only matches are needed here")]
mod kit;

use std::ops::ControlFlow;
use std::time::Instant;

use leitai_analysis::digest::write_digest;
use leitai_analysis::{AnalysisOptions, analyze_replay, messages};
use leitai_game::Lang;
use leitai_game::lang::{Catalogue, Localizer};

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [game, a, b, seed] = &words[..] else {
        eprintln!("GAME BOT BOT SEED are needed");
        return;
    };
    let game = leitai_games::find_game(game).expect("a listed game");
    let seed = seed.parse().expect("a number");
    let config = serde_json::Value::Null;
    let replay = kit::play(game, [a, b], &config, seed, game.meta().legs);
    let begun = Instant::now();
    let mut first = None;
    let options = AnalysisOptions::default();
    let found = analyze_replay(game, &replay, options, &mut |progress| {
        if progress.done == 100 {
            first = Some(begun.elapsed());
        }
        ControlFlow::Continue(())
    });
    let took = begun.elapsed();
    let found = found.expect("an own replay");
    let decisions: usize = found.legs.iter().map(|leg| leg.decisions.len()).sum();
    let catalogue = Catalogue::new([&messages::MESSAGES]).with_labels(&messages::LABELS);
    print!(
        "{}",
        write_digest(&found, Localizer::new(Lang::En, &catalogue))
    );
    println!("{decisions} decisions in {took:.1?}; the first 100 steps in {first:.1?}");
}
