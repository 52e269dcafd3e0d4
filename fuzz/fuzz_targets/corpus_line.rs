//! Any text as lines of a corpus of every game.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    for game in leitai_games::ALL {
        game.compare_corpus(text, &mut |case| drop(case));
    }
});
