//! Series of matches on many machines: one process asks, any number of workers play. They meet on a
//! NATS server with JetStream and need nothing else.
//!
//! The asking side uploads the programs, publishes one job for each match, and collects one result for
//! each job. A job goes to one worker at a time; if the worker does not say that it is alive, another
//! one gets it. A second result of a job is dropped, so that every match counts once.
//!
//! | module | content |
//! |---|---|
//! | [`subjects`] | names of streams and subjects |
//! | [`message`] | jobs and results as bytes, and their bounds |
//! | [`streams`] | the streams of batches, made and removed |
//! | [`place`] | what a folder remembers of its batch |
//! | [`batch`] | the asking side |
//! | [`results`] | results that arrive, each handed over once |
//! | [`attendance`] | who is attached |
//! | [`worker`] | the side that plays |
//! | [`programs`] | programs of batches, built once by each worker |
//! | [`notice`] | what the asking side tells people |

#![cfg_attr(not(test), warn(clippy::too_many_lines))]

pub mod attendance;
pub mod batch;
pub mod message;
pub mod messages;
pub mod notice;
pub mod place;
pub mod programs;
pub mod results;
pub mod streams;
pub mod subjects;
pub mod worker;

pub use batch::{AskOptions, Batch, BatchPlayer, PackedProgram, PreparedBatch};
pub use leitai_bus::show_addresses;
pub use notice::{BatchListener, BatchNotice};
pub use worker::{BatchWorker, BatchWorkerOptions};

/// The version of Leitai. Jobs go only to workers of the same version: built-in bots and rules may
/// differ in another.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
