//! The arena server: accounts, jobs and workers, live matches, human matches, and HTTP.
//!
//! | module | content |
//! |---|---|
//! | [`http`] | routes, extractors, errors, layers, the page |
//! | [`analyses`] | analyses of finished matches, made once for all readers |
//! | [`accounts`] | names, passwords, tokens, rate limits |
//! | [`bots`], [`groups`] | their routes; the store does the rest |
//! | [`bus`] | what servers of one arena tell each other |
//! | [`work`] | the job queue and the workers that do jobs |
//! | [`live`] | matches that run, for spectators |
//! | [`play`] | matches in which people play |
//! | [`contests`] | contests: what is due in them, their files, and their routes |
//! | [`daily`] | the challenge of each day |
//! | [`experiments`] | sequential tests of versions: what is due, and their routes |
//! | [`person_ratings`] | how strong people are on a game's rating scale |
//! | [`ladders`] | the ladders of each game and what is played on them |
//! | [`schedule`] | creates ladder and exhibition matches |
//! | [`engine`] | starts and stops worker, scheduler and matches with people |
//! | [`libraries`] | the libraries that bots may use |
//! | [`dataset`] | the finished matches of each day as files |
//! | [`recount`] | reads the games of old matches and counts ladders again without copies |
//! | [`maintenance`], [`removal`] | periodic work; deletion of what was deleted or is old |
//! | [`config`], [`operator_file`] | the operator's options; files that they name |
//! | [`mail`] | mails that are sent through an SMTP server |
//! | [`oidc`] | sign in by OpenID Connect: providers, tokens |
//! | [`signatures`] | what the arena signs of a replay, and with which key |
//! | [`similar`] | which programs of a contest have long parts in common |
//! | [`webhooks`] | to which addresses webhooks point, signatures, sending |
//! | [`mcp`] | the doors for coding agents: documents and tools |
//! | [`messages`] | the Chinese of this crate's messages |
//!
//! Dependencies go one way: [`engine`] and [`maintenance`] to [`http`], [`http`] to everything,
//! [`play`] to [`work`], [`work`] to [`live`],
//! [`live`] to [`bus`]. `cargo xtask tidy` checks it.

#![cfg_attr(not(test), warn(clippy::too_many_lines))]

pub mod accounts;
pub mod analyses;
pub mod bots;
pub mod bus;
pub mod client_address;
pub mod config;
pub mod contests;
pub mod daily;
pub mod dataset;
pub mod engine;
pub mod experiments;
pub mod game_files;
pub mod groups;
pub mod http;
pub mod ladders;
pub mod libraries;
pub mod live;
pub mod mail;
pub mod maintenance;
pub mod match_limits;
pub mod mcp;
pub mod messages;
pub mod metrics_registry;
pub mod oidc;
pub mod operator_file;
pub mod person_ratings;
pub mod play;
mod process_metrics;
pub mod recount;
pub mod removal;
pub mod replay_privacy;
pub mod schedule;
pub mod signatures;
pub mod similar;
pub mod sync;
pub mod webhooks;
pub mod work;

pub use config::{Limits, RateLimits, ServerOptions};
pub use http::app::{App, Arena};
pub use http::connections::{self, ConnectionLimits};
pub use http::error::ApiError;
pub use http::routes::{api_document, build_router};
pub use maintenance::run_upkeep;
pub use recount::run_recount;
pub use webhooks::routes::delivery::run_webhooks;
