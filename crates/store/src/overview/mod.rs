//! What is counted and looked up across all of them.

pub mod counts;
#[doc(hidden)] // For tests.
pub mod query_plans;
pub mod search;
pub mod waiting;
