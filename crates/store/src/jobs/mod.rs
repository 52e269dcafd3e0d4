//! Jobs under leases, whose turn it is, and the workers.

pub mod job_turns;
pub mod jobs;
pub mod workers;
