//! What is counted and looked up across all of them.

pub mod counts;
pub mod operating;
#[doc(hidden)] // For tests.
pub mod query_plans;
pub mod search;
