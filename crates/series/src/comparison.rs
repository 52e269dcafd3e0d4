//! Is a new version better than the old one? Pairs of legs are played until a sequential test has
//! decided.

mod result;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use anyhow::ensure;
use leitai_ladder::Sprt;
use serde_json::json;

use crate::pair::{PairAssembly, PairLeg};
use crate::run::{FinishedMatch, NextWork, Series, VoidNotice, play_series};
use crate::series_job::SeriesJob;
use crate::{EloUnit, PlayedPair, Roster, VoidMatch};

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

/// A running comparison. Pairs are counted in the order of their seeds, so that short games
/// (crashes, for example) do not weigh more and the decision does not depend on the number of
/// concurrent matches.
pub struct Comparison<'a> {
    options: ComparisonOptions,
    /// Pairs that were given to workers.
    given: u64,
    /// Pairs that ended before one with a lower number.
    early: BTreeMap<u64, PlayedPair>,
    pairs: PairAssembly,
    result: ComparisonResult,
    listener: ComparisonListener<'a>,
    begun: Instant,
    played: u64,
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
            given: 0,
            early: BTreeMap::new(),
            pairs: PairAssembly::default(),
            listener: Box::new(listener),
            begun: Instant::now(),
            played: 0,
        };
        comparison.resume_journal(roster)?;
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
    fn resume_journal(&mut self, roster: &Roster) -> anyhow::Result<()> {
        let Some(folder) = &self.options.folder else {
            return Ok(());
        };
        let header = json!({
            "format": FORMAT, "terms": roster.match_terms(), "seed": self.options.seed,
            "entrants": roster.entrant_names(), "fingerprints": roster.fingerprints,
        });
        let found = self.pairs.open_journal(folder, &header, "comparison")?;
        self.early
            .extend(found.into_iter().map(|pair| (pair.number, pair)));
        self.count_in_order();
        Ok(())
    }

    fn count_in_order(&mut self) {
        while self.count_next().is_some() {}
    }

    /// Counts the next pair, if it has ended and the test needs it.
    fn count_next(&mut self) -> Option<PlayedPair> {
        if self.is_over() {
            return None;
        }
        let pair = self.early.remove(&self.result.pair_count())?;
        self.result.add_pair(&pair);
        Some(pair)
    }

    fn is_over(&self) -> bool {
        self.result.is_over(self.options.max_pairs)
    }

    /// Counts a finished pair.
    fn count_pair(&mut self, pair: PlayedPair) {
        self.early.insert(pair.number, pair);
        let mut counted = self.count_next();
        loop {
            (self.listener)(&ComparisonUpdate {
                result: &self.result,
                pair: counted.as_ref(),
                pairs_per_second: self.played as f64 / self.begun.elapsed().as_secs_f64().max(1e-3),
            });
            counted = self.count_next();
            if counted.is_none() {
                return;
            }
        }
    }
}

impl Series for Comparison<'_> {
    type Tag = PairLeg;

    fn next(&mut self) -> anyhow::Result<NextWork<PairLeg>> {
        if self.is_over() {
            return Ok(NextWork::Stop);
        }
        if let Some(job) = self.pairs.next_other_leg() {
            return Ok(NextWork::Play(job));
        }
        while self.early.contains_key(&self.given) || self.given < self.result.pair_count() {
            self.given += 1;
        }
        if self.given >= self.options.max_pairs {
            return Ok(NextWork::Wait);
        }
        let number = self.given;
        self.given += 1;
        let seed = self.options.seed.wrapping_add(number);
        let job = PairAssembly::make_job(number, [NEW, BASE], seed);
        Ok(NextWork::Play(job))
    }

    fn on_finished(
        &mut self,
        job: SeriesJob<PairLeg>,
        finished: FinishedMatch,
    ) -> anyhow::Result<()> {
        let pair = self.pairs.add_match(job, finished)?;
        let Some(pair) = pair else { return Ok(()) };
        self.played += 1;
        self.count_pair(pair);
        Ok(())
    }

    fn on_void(&mut self, job: SeriesJob<PairLeg>, void: VoidMatch) -> anyhow::Result<()> {
        let pair = self.pairs.add_void(&job, void)?;
        self.count_pair(pair);
        Ok(())
    }
}
