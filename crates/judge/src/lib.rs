//! The judge: the referee makes the rulings, the driver transfers the bytes.
//!
//! | module | content |
//! |---|---|
//! | [`referee`] | one leg as a pure state machine: bytes and elapsed time in, commands out |
//! | [`forced_replies`] | the recorded replies of a leg that is replayed up to a round |
//! | [`resume`] | the point of a recorded match from which it continues |
//! | [`clock`] | the charged time of a seat and its limit |
//! | [`noise`] | delays that were not the program's doing |
//! | [`stopwatch`] | measures both for one seat |
//! | [`thread_waits`] | the time that threads of a program wait for a core |
//! | [`io_pattern`] | the pattern in which the judge writes and reads a program's streams |
//! | [`check`] | the compliance run of a program, step by step |
//! | [`framing`] | the end of a message |
//! | [`player`] | players: a built-in bot, a program, a person |
//! | [`entrant_settings`] | arguments, environment and limits of one entrant alone |
//! | [`driver`] | plays a match: starts programs, moves bytes, measures, writes the replay |
//! | [`program_io`] | the pipes or the socket of one program |
//! | [`log`] | the stderr output of a program |
//! | [`affinity`], [`core_sharing`] | processor cores of one match, and of concurrent matches |
//! | [`build`] | programs from a source, a folder or a zip |

#![cfg_attr(not(test), warn(clippy::too_many_lines))]

pub mod affinity;
pub mod build;
pub mod check;
pub mod clock;
pub mod core_sharing;
pub mod driver;
mod duration;
pub mod entrant_settings;
pub mod forced_replies;
pub mod framing;
pub mod io_pattern;
pub mod log;
pub mod messages;
pub mod noise;
pub mod player;
pub mod program_io;
pub mod referee;
pub mod resume;
mod slow_exits;
pub mod stopwatch;
pub mod thread_waits;
pub mod traffic;

pub use clock::{Grace, Spent, TimeBank};
pub use driver::{
    JudgeError, MatchObserver, MatchProgress, MatchSpec, PlayedMatch, limits_record, play_match,
};
pub use duration::show_duration;
pub use entrant_settings::{EntrantSettings, OwnLimits};
pub use forced_replies::{Divergence, DivergentReply, ForcedReplies};
pub use io_pattern::IoPattern;
pub use leitai_sandbox::{OwnedFolder, Sandbox, SandboxLimits as Resources, Tier};
pub use player::{
    HumanAnswer, HumanInput, NoHumans, Player, PlayerKind, Transport, is_choice_final,
};
pub use referee::RefereeLimits;
pub use resume::{ReplayPoint, ResumePoint};
pub use traffic::TrafficLog;
