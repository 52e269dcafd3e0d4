//! The official site's `replay.json` (`docs/rules/snakego.md`, "Official replay"): one half a file.
//!
//! An import plays the file's operations again and compares everything the official judge wrote
//! about them with what our rules give; a file that is imported is sound. Only what the rules
//! cannot know (how the judge described the end, its configuration, keys nobody knows) is kept
//! beside the replay, so that an export gives the same JSON value again.
//!
//! | module | noun |
//! |---|---|
//! | `file` | the parts of the file, field by field |
//! | `read` | a text as parts of the right kinds and sane sizes |
//! | `compare` | what is recorded against what the engine gives |
//! | `playback` | a half played again, described in the official judge's words |
//! | `import`, `export` | the two directions |

mod compare;
mod export;
mod file;
mod import;
mod playback;
mod read;

use leitai_game::replay::ReplayFormat;

/// The format's entry in the game's list.
pub const FORMAT: ReplayFormat = ReplayFormat {
    name: "official",
    import: import::import_file,
    export: export::export_leg,
};

/// Longest official file that is read, in bytes; real ones have less than 2 MB.
pub const MAX_BYTES: usize = 16 << 20;
/// Deepest nesting in the parts of a file that are kept as they are.
pub const MAX_DEPTH: usize = 32;
