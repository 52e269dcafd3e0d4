//! The official site's `replay.json` (`docs/rules/snakego.md`, "Official replay"): one file for
//! each half.
//!
//! An import plays the operations of the file again and compares everything that the official judge
//! wrote about them with the results of our rules; so every imported file is valid. Facts that the
//! rules do not determine (the judge's description of the end, its configuration, unknown keys) are
//! stored with the replay, so that an export gives the same JSON value again.
//!
//! | module | noun |
//! |---|---|
//! | `file` | the parts of the file, field by field |
//! | `read` | a text as parts of the right types and sizes |
//! | `compare` | recorded values against the engine's |
//! | `playback` | a half played again, in the form of the official judge |
//! | `import`, `export` | the two directions |

mod compare;
mod export;
#[doc(hidden)] // For tests.
pub mod file;
mod import;
#[doc(hidden)] // For tests.
pub mod playback;
mod read;

use leitai_game::replay::ReplayFormat;

pub use read::{MAX_BYTES, MAX_DEPTH};

/// The format's entry in the game's list.
pub const FORMAT: ReplayFormat = ReplayFormat {
    name: file::NAME,
    import: import::import_file,
    export: export::export_leg,
};
