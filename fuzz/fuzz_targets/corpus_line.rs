//! Any text as lines of a corpus of every game.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    for game in leitai_games::ALL {
        game.parity(text, &mut |case| drop(case));
    }
});
