//! Matches that run now: workers, live watching, people who play.

pub mod hub;
pub mod routes;

/// Handles of everything that runs.
#[derive(Clone, Debug, Default)]
pub struct Arena {
    /// The matches that are played now, for whoever watches.
    pub hub: hub::Hub,
}
