//! Matches that run now: workers, live watching, people who play.

pub mod routes;

/// Handles of everything that runs.
#[derive(Clone, Debug, Default)]
pub struct Arena {}
