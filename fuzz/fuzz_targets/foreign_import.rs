//! Any text as a foreign replay of every game; an import can be exported, written and verified
//! without a panic.
#![no_main]

use leitai_game::{Replay, replay::verify_replay};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    for game in leitai_games::ALL {
        for format in game.replay_formats() {
            let Ok(replay) = (format.import)(text) else {
                continue;
            };
            let _exported = (format.export)(&replay, 0); // The test is that it returns.
            let _verified = verify_replay(*game, &replay); // The test is that it returns.
            assert_eq!(Replay::parse(&replay.to_text()).as_ref(), Ok(&replay));
        }
    }
});
