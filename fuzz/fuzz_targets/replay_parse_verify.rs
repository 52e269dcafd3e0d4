//! Any text as a replay file: it is refused, differs, or agrees; what agrees is written and read again unchanged.
#![no_main]

use leitai_game::{Erased, Replay, replay::verify};
use leitai_snakego::Position;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let Ok(replay) = Replay::parse(text) else { return };
    assert_eq!(Replay::parse(&replay.to_text()).as_ref(), Ok(&replay));
    let game = Erased::<Position>::new();
    let first = verify(&game, &replay);
    assert_eq!(verify(&game, &replay), first);
});
