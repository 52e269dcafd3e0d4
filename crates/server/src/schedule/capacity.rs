//! What the live workers can do.

use std::collections::HashSet;

/// The capacity of the live workers.
#[derive(Clone, Debug, Default)]
pub struct WorkerCapacity {
    /// Matches at a time.
    pub slots: u64,
    /// Whether a worker plays exhibitions with uploaded programs.
    pub shows_programs: bool,
    /// The names of the live workers.
    pub alive: HashSet<String>,
}
