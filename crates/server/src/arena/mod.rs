//! Matches that run now: workers, live watching, people who play.

pub mod hub;
pub mod routes;
pub mod table;

/// Handles of everything that runs.
#[derive(Clone, Debug, Default)]
pub struct Arena {
    /// The matches that are played now, for whoever watches.
    pub hub: hub::Hub,
    /// The matches in which people play.
    pub tables: table::Tables,
}
