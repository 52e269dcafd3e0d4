//! Is a new version better than the old one? Pairs of legs are played until a sequential test has
//! decided.

mod result;

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use anyhow::ensure;
use leitai_ladder::Sprt;
use serde_json::json;

use crate::pair::{PairAssembly, PairLeg};
use crate::pair_series::{PairSeries, PairsInOrder};
use crate::run::{VoidNotice, play_series};
use crate::series_job::SeriesJob;
use crate::{EloUnit, PlayedPair, Roster};

pub use result::{BASE, ComparisonResult, NEW, VALUE_COLUMN, format_row};

/// Options of a comparison.
#[derive(Clone, Debug)]
pub struct ComparisonOptions {
    /// The test.
    pub sprt: Sprt,
    /// The seed of the first pair; the next ones count on from it.
    pub seed: u64,
    /// The number of pairs after which the comparison stops undecided.
    pub max_pairs: u64,
    /// The folder of pairs and replays, with which an interrupted run can continue.
    pub folder: Option<PathBuf>,
    /// What Elo is about, in the test, too.
    pub elo: EloUnit,
}

impl Default for ComparisonOptions {
    /// Is the new version 10 Elo better, with a probability of 5 % for either error?
    fn default() -> ComparisonOptions {
        let sprt = Sprt {
            elo0: 0.0,
            elo1: 10.0,
            alpha: 0.05,
            beta: 0.05,
        };
        ComparisonOptions {
            sprt,
            seed: 1,
            max_pairs: 20_000,
            folder: None,
            elo: EloUnit::default(),
        }
    }
}

/// Plays a comparison between the two entrants of a roster, the new version first, with this many
/// matches at once. Returns the result, and whether the run came to its end.
pub fn compare(
    roster: &Roster,
    options: ComparisonOptions,
    workers: usize,
    stop: &AtomicBool,
    notify: &mut dyn FnMut(&VoidNotice),
) -> anyhow::Result<(ComparisonResult, bool)> {
    let mut comparison = Comparison::open(options, roster, |_| {})?;
    let ended = play_series(&mut comparison, roster, workers, stop, notify)?;
    Ok((comparison.into_result(), ended))
}

/// The version of the journal's format.
const FORMAT: &str = "leitai-compare/2";

/// The state of a comparison after a pair has ended.
pub struct ComparisonUpdate<'a> {
    /// The result so far.
    pub result: &'a ComparisonResult,
    /// The further pair that was counted, if this is one. Pairs are counted in the order of their numbers.
    pub pair: Option<&'a PlayedPair>,
    /// Pairs played per second in this run.
    pub pairs_per_second: f64,
}

/// Called after every pair that was counted, and after one that has to wait for an earlier one.
type ComparisonListener<'a> = Box<dyn FnMut(&ComparisonUpdate<'_>) + 'a>;

/// A running comparison. Short games (crashes, for example) do not weigh more, and the decision does not depend on the
/// number of concurrent matches, because pairs are counted in their order.
pub struct Comparison<'a> {
    options: ComparisonOptions,
    pairs: PairsInOrder,
    result: ComparisonResult,
    listener: ComparisonListener<'a>,
    begun: Instant,
}

impl<'a> Comparison<'a> {
    /// Starts a comparison between the two entrants of a roster, the new version first, or resumes
    /// the one in the folder of the options.
    pub fn open(
        options: ComparisonOptions,
        roster: &Roster,
        listener: impl FnMut(&ComparisonUpdate<'_>) + 'a,
    ) -> anyhow::Result<Comparison<'a>> {
        ensure!(
            roster.players.len() == 2,
            "a comparison has two entrants, not {}",
            roster.players.len()
        );
        options
            .sprt
            .check_parameters()
            .map_err(crate::invalid_request)?;
        let mut comparison = Comparison {
            result: ComparisonResult::new(options.sprt, options.seed, options.elo, roster),
            options,
            pairs: PairsInOrder::default(),
            listener: Box::new(listener),
            begun: Instant::now(),
        };
        comparison.resume(roster)?;
        Ok(comparison)
    }

    /// The result so far.
    pub fn result(&self) -> &ComparisonResult {
        &self.result
    }

    /// The result after the series.
    pub fn into_result(self) -> ComparisonResult {
        self.result
    }

    /// Counts the pairs in the folder. The bounds of the test are not fixed by the folder: a
    /// comparison may be continued with others.
    fn resume(&mut self, roster: &Roster) -> anyhow::Result<()> {
        let Some(folder) = self.options.folder.clone() else {
            return Ok(());
        };
        let header = json!({
            "format": FORMAT, "terms": roster.match_terms(), "seed": self.options.seed,
            "entrants": roster.entrant_names(), "fingerprints": roster.fingerprints,
        });
        self.resume_journal(&folder, &header, "comparison")
    }
}

impl PairSeries for Comparison<'_> {
    fn pairs(&mut self) -> &mut PairsInOrder {
        &mut self.pairs
    }

    fn is_over(&self) -> bool {
        self.result.is_over(self.options.max_pairs)
    }

    fn pair_count(&self) -> u64 {
        self.result.pair_count()
    }

    fn make_pair(&self, number: u64) -> Option<SeriesJob<PairLeg>> {
        let seed = self.options.seed.wrapping_add(number);
        (number < self.options.max_pairs).then(|| PairAssembly::make_job(number, [NEW, BASE], seed))
    }

    fn add_pair(&mut self, pair: &PlayedPair) {
        self.result.add_pair(pair);
    }

    fn notify(&mut self, counted: Option<&PlayedPair>) {
        let seconds = self.begun.elapsed().as_secs_f64().max(1e-3);
        (self.listener)(&ComparisonUpdate {
            result: &self.result,
            pair: counted,
            pairs_per_second: self.pairs.played() as f64 / seconds,
        });
    }
}
