//! The official site's `replay.json`.
use leitai_game::Invalid;
use leitai_game::replay::Format;

/// The format's entry in the game's list.
pub const FORMAT: Format = Format {
    name: "official",
    import: |_| Err(Invalid("todo".into())),
    export: |_, _| Err(Invalid("todo".into())),
};
