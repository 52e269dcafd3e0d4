//! A match of a series that is to be played.

use std::sync::Arc;

use leitai_judge::EntrantSettings;

/// A match to be played.
#[derive(Clone, Debug)]
pub struct SeriesJob<T> {
    /// The identity of the match in the series.
    pub tag: T,
    /// The entrants A and B by number.
    pub pair: [usize; 2],
    /// The seed of its setup.
    pub seed: u64,
    /// The number of its config.
    pub config: usize,
    /// The number of legs, if it is not the roster's.
    pub legs: Option<usize>,
    /// What the first two entrants of the roster alone play with in this match, if it is not what the
    /// roster says.
    pub settings: Option<Arc<[EntrantSettings; 2]>>,
}

impl<T> SeriesJob<T> {
    /// The match alone, without its identity.
    pub fn without_tag(&self) -> SeriesJob<()> {
        SeriesJob {
            tag: (),
            pair: self.pair,
            seed: self.seed,
            config: self.config,
            legs: self.legs,
            settings: self.settings.clone(),
        }
    }
}
