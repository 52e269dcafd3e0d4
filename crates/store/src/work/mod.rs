//! What workers do: they lease jobs, and say how these ended.

pub mod game_checks;
pub mod leasing;
pub mod version_results;
