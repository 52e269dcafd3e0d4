//! The judge: the referee decides, the driver moves the bytes.
//!
//! | module | noun |
//! |---|---|
//! | [`referee`] | one leg as a pure state machine: bytes and elapsed time in, orders out |
//! | [`script`] | replies known beforehand: a recorded leg up to a round |
//! | [`resume`] | a moment of a recorded match from which it is played on |
//! | [`clock`] | what a seat is charged, and when it is too much |
//! | [`noise`] | what disturbed it meanwhile |
//! | [`stopwatch`] | measures both for one seat |
//! | [`tasks`] | how long the threads of a program wait for a core |
//! | [`io_pattern`] | how the judge writes and reads a program's streams |
//! | [`check`] | the compliance run: a program, step by step |
//! | [`framing`] | where a message ends |
//! | [`player`] | who plays: a built-in bot, a program, a person |
//! | [`driver`] | plays a whole match: starts programs, listens, measures, writes the replay |
//! | [`wire`] | the pipes or the socket of one program |
//! | [`log`] | what a program writes to stderr |
//! | [`pin`] | which core does what, and who may run when |
//! | [`share`] | cores for matches that are played at once |
//! | [`build`] | from what a contestant has (a source, a folder, a zip) to a program |

pub mod affinity;
pub mod build;
pub mod check;
pub mod clock;
pub mod core_sharing;
pub mod driver;
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

pub use clock::Spent;
pub use driver::{
    JudgeError, MatchObserver, MatchProgress, MatchSpec, PlayedMatch, limits_record, play_match,
};
pub use forced_replies::{Divergence, DivergentReply, ForcedReplies};
pub use io_pattern::IoPattern;
pub use leitai_sandbox::{OwnedFolder, Sandbox, SandboxLimits as Resources, Tier};
pub use player::{
    HumanAnswer, HumanInput, NoHumans, Player, PlayerKind, Transport, is_choice_final,
};
pub use referee::{RefereeLimits, show_duration};
pub use resume::{ReplayPoint, ResumePoint};
