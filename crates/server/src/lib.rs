//! The arena over HTTP: pages, API, live matches, the worker loop.

pub mod api;
pub mod app;
pub mod arena;
pub mod auth;
pub mod error;

pub use app::{App, Options, router};
pub use error::ApiError;
