//! Tests of single modules. The crate has no test binary of its own: it would be compiled twice.

mod events;
mod group_quotas;
mod match_tags;
mod query_plans;
mod quota;
mod timestamp;
mod upgrade;
