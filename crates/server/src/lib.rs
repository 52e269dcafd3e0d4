//! The arena over HTTP: pages, API, live matches, the worker loop.
//!
//! | module | noun |
//! |---|---|
//! | [`app`] | what every handler may take; the router made of all routes |
//! | [`config`] | how the operator wants it |
//! | [`error`] | what a request gets that cannot be answered |
//! | [`connections`] | how many connections one address may hold, time-outs, an orderly end |
//! | [`auth`] | who asks: accounts, sessions, API tokens, how often |
//! | [`api`] | games, bots, versions, ladders, matches, administration |
//! | [`arena`] | matches that run now: workers, live watching, people who play |
//! | [`web`] | the page |
//! | [`layers`] | what every request passes: ids, logs, limits, headers |
//! | [`health`] | `/healthz` and `/metrics` |
//! | [`mod@upkeep`] | what a server does now and then |
//! | [`removal`] | what is removed after it was deleted, or because it is old |

pub mod api;
pub mod app;
pub mod arena;
pub mod auth;
pub mod config;
pub mod connections;
pub mod docs;
pub mod error;
pub mod health;
pub mod layers;
pub mod messages;
pub mod removal;
pub mod upkeep;
pub mod web;

pub use app::{App, api_document, build_router};
pub use config::{Limits, RateLimits, ServerOptions};
pub use connections::ConnectionLimits;
pub use error::ApiError;
pub use upkeep::run_upkeep;
