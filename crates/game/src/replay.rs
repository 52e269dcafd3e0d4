//! A recorded match: the setup and the replies. Frames are never stored; [`ReplayWalker`]
//! recomputes every position. `docs/replay-format.md` describes the file format.

mod read;
#[doc(hidden)] // For tests.
pub mod record;
#[doc(hidden)] // For tests.
pub mod signature;
mod token;
#[doc(hidden)] // For tests.
pub mod verify;
#[doc(hidden)] // For tests.
pub mod walk;
mod words;

pub use read::{RefusalKind, ReplayRefusal, recognise_replay};
pub use record::{
    BrokenLimit, EntrantKind, EntrantRecord, FORMAT, FaultRecord, ForcedRecord, LegRecord,
    LimitName, LimitUnit, LimitsRecord, LogRecord, MAX_BYTES, MAX_LEGS, MAX_STEPS, MatchStatus,
    NoiseRecord, NoiseTimes, OutcomeRecord, Recorder, Replay, RerunRecord, StrikeRecord,
    VerdictRecord, fold8,
};
pub use signature::{SignatureRecord, signed_json, signed_text};
pub use token::{ReplyTokens, parse_token, write_token};
pub use verify::{Difference, Verified, verify_replay};
pub use walk::ReplayWalker;
pub use words::{describe_verification, list_unproven, locate_difference};

use crate::invalid::InvalidSetup;

/// A foreign replay format.
pub struct ReplayFormat {
    /// The name on the command line, such as `official`.
    pub name: &'static str,
    /// Reads a foreign text.
    pub import: fn(text: &str) -> Result<Replay, InvalidSetup>,
    /// Writes one leg (index from 0) as a foreign text.
    pub export: fn(replay: &Replay, leg: usize) -> Result<String, InvalidSetup>,
}
