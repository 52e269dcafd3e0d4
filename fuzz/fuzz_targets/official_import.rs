//! Any text as a foreign replay; an import can be exported, written and verified without a panic.
#![no_main]

use leitai_game::{AnyGame, Erased, Replay, replay::verify};
use leitai_snakego::Position;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let game = Erased::<Position>::new();
    for format in game.formats() {
        let Ok(replay) = (format.import)(text) else { continue };
        let _exported = (format.export)(&replay, 0); // Only that it returns matters.
        let _verified = verify(&game, &replay); // Only that it returns matters.
        assert_eq!(Replay::parse(&replay.to_text()).as_ref(), Ok(&replay));
    }
});
