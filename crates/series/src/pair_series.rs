//! A series of pairs: what comparisons, ratings and searches share. Pairs are counted in the order of their numbers, so
//! that the result does not depend on which of them ends first.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use crate::pair::{PairAssembly, PairLeg};
use crate::run::{FinishedMatch, NextWork, Series};
use crate::series_job::SeriesJob;
use crate::{PlayedPair, VoidMatch};

/// The pairs of a series that were given to workers, and those that ended too early to be counted.
#[derive(Default)]
pub struct PairsInOrder {
    /// Pairs that were given to workers.
    given: u64,
    /// Pairs that ended before one with a lower number.
    early: BTreeMap<u64, PlayedPair>,
    /// Pairs with a result, of this run alone.
    played: u64,
    assembly: PairAssembly,
}

impl PairsInOrder {
    /// The number of pairs that this run played.
    pub fn played(&self) -> u64 {
        self.played
    }
}

/// A series of pairs between two players each.
pub trait PairSeries {
    /// The pairs under way.
    fn pairs(&mut self) -> &mut PairsInOrder;

    /// Whether no further pair is needed.
    fn is_over(&self) -> bool;

    /// The number of pairs that were counted, void ones, too: the number of the next one.
    fn pair_count(&self) -> u64;

    /// The match of the pair with this number; `None` as long as it depends on pairs under way.
    fn make_pair(&self, number: u64) -> Option<SeriesJob<PairLeg>>;

    /// Counts the next pair.
    fn add_pair(&mut self, pair: &PlayedPair);

    /// A pair was counted, or has ended and waits for an earlier one (`None`).
    fn notify(&mut self, counted: Option<&PlayedPair>);

    /// Counts the pairs that a folder holds, or begins its journal with this header.
    ///
    /// # Errors
    /// If the folder holds another series; `kind` is the series in words.
    fn resume_journal(&mut self, folder: &Path, header: &Value, kind: &str) -> anyhow::Result<()> {
        let found = self.pairs().assembly.open_journal(folder, header, kind)?;
        let found = found.into_iter().map(|pair| (pair.number, pair));
        self.pairs().early.extend(found);
        while self.count_next().is_some() {}
        Ok(())
    }

    /// Counts the next pair, if it has ended and is needed.
    fn count_next(&mut self) -> Option<PlayedPair> {
        if self.is_over() {
            return None;
        }
        let number = self.pair_count();
        let pair = self.pairs().early.remove(&number)?;
        self.add_pair(&pair);
        Some(pair)
    }

    /// Takes a pair that is over.
    fn count_pair(&mut self, pair: PlayedPair) {
        self.pairs().early.insert(pair.number, pair);
        let mut counted = self.count_next();
        loop {
            self.notify(counted.as_ref());
            counted = self.count_next();
            if counted.is_none() {
                return;
            }
        }
    }
}

impl<S: PairSeries> Series for S {
    type Tag = PairLeg;

    fn next(&mut self) -> anyhow::Result<NextWork<PairLeg>> {
        if self.is_over() {
            return Ok(NextWork::Stop);
        }
        let counted = self.pair_count();
        let pairs = self.pairs();
        if let Some(job) = pairs.assembly.next_other_leg() {
            return Ok(NextWork::Play(job));
        }
        while pairs.early.contains_key(&pairs.given) || pairs.given < counted {
            pairs.given += 1;
        }
        let number = pairs.given;
        let Some(job) = self.make_pair(number) else {
            return Ok(NextWork::Wait);
        };
        self.pairs().given += 1;
        Ok(NextWork::Play(job))
    }

    fn on_finished(
        &mut self,
        job: SeriesJob<PairLeg>,
        finished: FinishedMatch,
    ) -> anyhow::Result<()> {
        if let Some(pair) = self.pairs().assembly.add_match(job, finished)? {
            self.pairs().played += 1;
            self.count_pair(pair);
        }
        Ok(())
    }

    fn on_void(&mut self, job: SeriesJob<PairLeg>, void: VoidMatch) -> anyhow::Result<()> {
        let pair = self.pairs().assembly.add_void(&job, void)?;
        self.count_pair(pair);
        Ok(())
    }
}
