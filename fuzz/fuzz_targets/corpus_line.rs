//! Any text as lines of a corpus.
#![no_main]

use leitai_game::Game;
use leitai_snakego::Position;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    Position::parity(text, &mut |case| drop(case));
});
