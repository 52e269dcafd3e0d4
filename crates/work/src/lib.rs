//! One way to work, whatever the jobs are and wherever they come from: the queue of an arena, in its
//! process or over HTTP, and batches over NATS.
//!
//! | module | content |
//! |---|---|
//! | [`work`] | what a worker is given: where jobs come from, how one is done, where results go |
//! | [`worker`] | its slots, which take jobs, do them and deliver what came of them |
//! | [`leases`] | the right to do a job, kept alive while it is done |
//! | [`programs`] | programs that are built once and kept while they are used |

#![cfg_attr(not(test), warn(clippy::too_many_lines))]

pub mod leases;
pub mod programs;
pub mod work;
pub mod worker;

pub use leases::{HeldLease, LeaseKeeper, LeaseTerms};
pub use work::{JobSourceError, Work};
pub use worker::{Slot, Worker};
