//! Any text as a replay file: it is refused, differs, or agrees; what agrees is written and read
//! again unchanged.
#![no_main]

use leitai_game::{Replay, replay::verify_replay};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let Ok(replay) = Replay::parse(text) else {
        return;
    };
    assert_eq!(Replay::parse(&replay.to_text()).as_ref(), Ok(&replay));
    for game in leitai_games::ALL {
        let first = verify_replay(*game, &replay);
        assert_eq!(verify_replay(*game, &replay), first);
    }
});
