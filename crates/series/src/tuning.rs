//! Which values of a bot's parameters are strongest? Pairs of games between two settings of one bot
//! lead a search (SPSA) there.

mod axis;
mod options;
mod parameter;
mod result;
mod search;
mod surface;

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::ensure;
use serde_json::json;

use crate::pair::{PairAssembly, PairLeg};
use crate::run::{FinishedMatch, NextWork, Series, SeriesJob};
use crate::{PlayedPair, Roster, VoidMatch};

pub use axis::{Axis, Point};
pub use options::TuningOptions;
pub use parameter::{Parameter, Values, complete_bot, read_parameters, settings_at};
pub use result::{TunedParameter, TuningResult};
pub use search::{LOOK_BEHIND, Search};
pub use surface::{Estimate, estimate};

/// The version of the journal's format.
const FORMAT: &str = "leitai-tune/1";

/// Called with the search so far after every pair.
type TuningListener<'a> = Box<dyn FnMut(&TuningResult) + 'a>;

/// A running search. Pairs are counted in the order of their numbers, so that the way does not depend
/// on which of them ends first.
pub struct Tuning<'a> {
    /// Pairs that were given to workers.
    given: u64,
    /// Pairs that ended before one with a lower number.
    early: BTreeMap<u64, PlayedPair>,
    pairs: PairAssembly,
    result: TuningResult,
    listener: TuningListener<'a>,
}

impl<'a> Tuning<'a> {
    /// Begins a search with a roster of [`TuningOptions::entrants`], or resumes the one in the folder
    /// of the options.
    pub fn open(
        options: TuningOptions,
        roster: &Roster,
        listener: impl FnMut(&TuningResult) + 'a,
    ) -> anyhow::Result<Tuning<'a>> {
        ensure!(
            roster.players.len() == 2,
            "a search has the same bot twice, not {} entrants",
            roster.players.len()
        );
        let search = options.begin_search();
        let mut tuning = Tuning {
            given: 0,
            early: BTreeMap::new(),
            pairs: PairAssembly::default(),
            result: TuningResult::new(options, search, roster),
            listener: Box::new(listener),
        };
        tuning.resume_journal(roster)?;
        Ok(tuning)
    }

    /// The result so far.
    pub fn result(&self) -> &TuningResult {
        &self.result
    }

    /// The result, once the series was played.
    pub fn into_result(self) -> TuningResult {
        self.result
    }

    fn resume_journal(&mut self, roster: &Roster) -> anyhow::Result<()> {
        let options = &self.result.options;
        let Some(folder) = &options.folder else {
            return Ok(());
        };
        let parameters: Vec<&str> = options.parameters.iter().map(Parameter::text).collect();
        let header = json!({
            "format": FORMAT, "terms": roster.match_terms(), "seed": options.seed,
            "pairs": options.pairs, "restarts": options.restarts, "param": parameters,
            "fingerprints": roster.fingerprints,
        });
        let found = self.pairs.open_journal(folder, &header, "search")?;
        self.early
            .extend(found.into_iter().map(|pair| (pair.number, pair)));
        self.count_in_order();
        Ok(())
    }

    fn count_in_order(&mut self) {
        while let Some(pair) = self.early.remove(&self.result.pair_count()) {
            self.result.add_pair(&pair);
        }
    }

    fn count_pair(&mut self, pair: PlayedPair) {
        self.early.insert(pair.number, pair);
        self.count_in_order();
        (self.listener)(&self.result);
    }
}

impl Series for Tuning<'_> {
    type Tag = PairLeg;

    fn next(&mut self) -> anyhow::Result<NextWork<PairLeg>> {
        if self.result.is_over() {
            return Ok(NextWork::Stop);
        }
        if let Some(job) = self.pairs.next_other_leg() {
            return Ok(NextWork::Play(job));
        }
        while self.early.contains_key(&self.given) || self.given < self.result.pair_count() {
            self.given += 1;
        }
        let Some(points) = self.result.points_of(self.given) else {
            return Ok(NextWork::Wait);
        };
        let options = &self.result.options;
        let own = points.each_ref().map(|point| options.settings_at(point));
        let number = self.given;
        self.given += 1;
        let seed = options.seed.wrapping_add(number);
        let job = PairAssembly::make_job(number, [0, 1], seed);
        Ok(NextWork::Play(SeriesJob {
            settings: Some(Arc::new(own)),
            ..job
        }))
    }

    fn on_finished(
        &mut self,
        job: SeriesJob<PairLeg>,
        finished: FinishedMatch,
    ) -> anyhow::Result<()> {
        let pair = self.pairs.add_match(job, finished)?;
        let Some(pair) = pair else { return Ok(()) };
        self.count_pair(pair);
        Ok(())
    }

    fn on_void(&mut self, job: SeriesJob<PairLeg>, void: VoidMatch) -> anyhow::Result<()> {
        let pair = self.pairs.add_void(&job, void)?;
        self.count_pair(pair);
        Ok(())
    }
}
