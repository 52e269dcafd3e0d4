//! The interface of games.
//!
//! This crate is the contract between the rules of a game (`games/*`) and all code that plays,
//! judges, shows or ranks it. It does no I/O, reads no clock and spawns no thread.
//!
//! | module | noun |
//! |---|---|
//! | [`seat`] | [`Seat`] in a leg, [`Entrant`] in a match, [`Perspective`] of a viewer |
//! | [`reply`] | a seat's reply: an action, or a [`Fault`] |
//! | [`game`] | the rules' interface, [`Game`] |
//! | [`game_fault`] | rules of a guest game that failed |
//! | [`package`] | everything of a game beside its rules, [`GamePackage`] |
//! | [`protocol`] | the meaning of the bytes between judge and program |
//! | [`bot`] | a built-in bot |
//! | [`assessment`] | what a judge of positions says of positions and decisions |
//! | [`search_budget`] | when a search stops |
//! | [`host`] | a program that runs bots which do not speak over stdin and stdout |
//! | [`template`] | starter kits: a running program and the SDK from which an author begins |
//! | [`config_options`] | the choices that people have before a match |
//! | [`lang`] | the two languages of texts for people, and catalogues of messages |
//! | [`render`] | a position drawn for a terminal |
//! | [`action_builder`] | an action that a person builds with several keys |
//! | [`frames`] | a leg as a viewer gets it, frame by frame |
//! | [`leg_frames`] | the frames of a leg of a replay with all that a viewer shows around them, as JSON |
//! | [`guide`] | pictures in the guide for players, drawn from positions |
//! | [`replay`] | a recorded match: setup and replies; frames are recomputed |
//! | [`erased`] | the same contract without type parameters, for judge, server and command line |
//! | [`handle`] | a game that somebody holds, compiled in or loaded |
//! | [`clean_text`] | untrusted texts made safe for people |
//! | [`plain_text`] | short texts of names and numbers, without `fmt` |
//! | [`parity`] | agreement with a corpus of recorded games |
//! | [`encode`] | observations and actions as numbers, for machine learning |
//! | [`conformance`] | the tests that every game must pass |

#![cfg_attr(not(test), warn(clippy::too_many_lines))]
// Pure: clippy.toml lists what that forbids.
#![cfg_attr(
    not(test),
    deny(
        clippy::disallowed_macros,
        clippy::disallowed_methods,
        clippy::disallowed_types
    )
)]

// The macros of messages name this crate.
extern crate self as leitai_game;

pub mod action_builder;
pub mod assessment;
pub mod board;
pub mod bot;
pub mod bot_program;
pub mod clean_text;
pub mod config_options;
#[allow(
    clippy::disallowed_macros,
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "a kit of tests, which measures time and reads corpora"
)]
pub mod conformance;
pub mod encode;
pub mod erased;
pub mod figures;
pub mod frames;
pub mod game;
pub mod game_fault;
pub mod guide;
pub mod handle;
pub mod hash;
pub mod host;
pub mod invalid;
pub mod lang;
pub mod leg_frames;
pub mod package;
pub mod parity;
pub mod plain_text;
pub mod protocol;
pub mod rating_scale;
pub mod render;
pub mod replay;
pub mod reply;
pub mod rng;
pub mod search_budget;
pub mod seat;
pub mod template;
pub mod text;

pub use action_builder::{ActionBuilder, KeyEffect, PartialAction};
pub use assessment::{Assessment, Assessor, AssessorInfo, DecisionAssessment};
pub use bot::{Bot, BotClock, BotInfo, Untimed};
pub use bot_program::{BotFile, BotProgram};
pub use config_options::{ConfigChoice, ConfigChoiceKind, ConfigOption, ConfigOptionKind};
pub use encode::Encode;
pub use erased::{
    AnyActionBuilder, AnyAssessor, AnyBot, AnyGame, AnyLeg, AnyProtocol, AnySetup, AnySink,
    Capabilities, Erased, PreparedRules,
};
pub use figures::{FigureInfo, FigureKind, LegFigures};
pub use game::{
    Game, Meta, MetaOf, Outcome, Reason, Replies, Scope, Sink, ToMove, Verdict, legs_won,
    sum_by_entrant,
};
pub use game_fault::GameFault;
pub use handle::{GameHandle, GameSet};
pub use host::Host;
pub use invalid::InvalidSetup;
pub use lang::Lang;
pub use package::{GamePackage, PackageContents};
pub use protocol::{Framing, JsonLines, Protocol, ProtocolInfo};
pub use rating_scale::{EarlierLevels, MissingScale, RatedBot, RatingScale};
pub use replay::Replay;
pub use reply::{Fault, FaultCode, Illegal, Reply};
pub use rng::Rng;
pub use search_budget::SearchBudget;
pub use seat::{ByEntrant, BySeat, Entrant, PerKey, Perspective, Seat};
pub use template::{SdkFile, SdkFileOf, Template, TemplateOf};
pub use text::{LocalizedText, Text};
