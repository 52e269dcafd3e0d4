//! What the asking side tells people while a batch is played.

use std::sync::Arc;

use leitai_series::Language;
use leitai_series::entrant::BuildNotice;

/// Called with every notice, from any thread.
pub type BatchListener = Arc<dyn Fn(&BatchNotice) + Send + Sync>;

/// A notice to the person who asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BatchNotice {
    /// No worker has taken a job yet.
    NoWorkers {
        /// The bus, without its password.
        bus: String,
    },
    /// The workers that played are gone.
    NoWorkersLeft {
        /// The bus, without its password.
        bus: String,
    },
    /// Workers of other versions of Leitai alone are attached.
    OtherVersions {
        /// Their versions.
        found: String,
    },
    /// The number of workers of this version, and of their slots, has changed.
    Workers {
        /// Workers.
        workers: usize,
        /// Matches at once on all of them.
        slots: usize,
    },
    /// The connection to the bus was lost.
    BusAway {
        /// The bus, without its password.
        bus: String,
    },
    /// The connection is back.
    BusBack,
    /// The bus has no room for another job.
    BusFull {
        /// What it says.
        why: String,
    },
    /// How an entrant was built.
    Build(BuildNotice),
}

impl BatchNotice {
    /// The notice as a line for people.
    pub fn to_line(&self, language: Language<'_>) -> String {
        match self {
            BatchNotice::NoWorkers { bus } => language.fill(
                "no worker has taken a job yet: start one with leitai worker --bus {}",
                &[bus],
            ),
            BatchNotice::NoWorkersLeft { bus } => language.fill(
                "no worker is attached any longer; the run goes on when one comes: leitai worker \
                 --bus {}",
                &[bus],
            ),
            BatchNotice::OtherVersions { found } => language.fill(
                "workers of Leitai {} are attached, but this is {}; they leave its matches to \
                 workers of the same version: start one with the same leitai",
                &[found, &crate::VERSION],
            ),
            BatchNotice::Workers { workers, slots } => language.fill(
                "workers attached: {}; matches at once: {}",
                &[workers, slots],
            ),
            BatchNotice::BusAway { bus } => language.fill(
                "the bus {} is away; the run waits for it and goes on by itself",
                &[bus],
            ),
            BatchNotice::BusBack => language.label("the bus is back").to_owned(),
            BatchNotice::BusFull { why } => language.fill(
                "the bus has no room for another match ({}); free some of its storage, or let other \
                 batches end: the run goes on by itself then",
                &[why],
            ),
            BatchNotice::Build(notice) => notice.to_line(language),
        }
    }
}
