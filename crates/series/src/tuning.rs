//! Which values of a bot's parameters are strongest? Pairs of games between two settings of one bot
//! lead a search (SPSA) there.

mod axis;
mod options;
mod parameter;
mod result;
mod search;
mod surface;

use std::sync::Arc;

use anyhow::ensure;
use serde_json::json;

use crate::pair::{PairAssembly, PairLeg};
use crate::pair_series::{PairSeries, PairsInOrder};
use crate::series_job::SeriesJob;
use crate::{PlayedPair, Roster};

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

/// A running search.
pub struct Tuning<'a> {
    pairs: PairsInOrder,
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
            pairs: PairsInOrder::default(),
            result: TuningResult::new(options, search, roster),
            listener: Box::new(listener),
        };
        tuning.resume(roster)?;
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

    fn resume(&mut self, roster: &Roster) -> anyhow::Result<()> {
        let options = &self.result.options;
        let Some(folder) = options.folder.clone() else {
            return Ok(());
        };
        let parameters: Vec<&str> = options.parameters.iter().map(Parameter::text).collect();
        let header = json!({
            "format": FORMAT, "terms": roster.match_terms(), "seed": options.seed,
            "pairs": options.pairs, "restarts": options.restarts, "param": parameters,
            "fingerprints": roster.fingerprints,
        });
        self.resume_journal(&folder, &header, "search")
    }
}

impl PairSeries for Tuning<'_> {
    fn pairs(&mut self) -> &mut PairsInOrder {
        &mut self.pairs
    }

    fn is_over(&self) -> bool {
        self.result.is_over()
    }

    fn pair_count(&self) -> u64 {
        self.result.pair_count()
    }

    fn make_pair(&self, number: u64) -> Option<SeriesJob<PairLeg>> {
        let options = &self.result.options;
        let points = self.result.points_of(number)?;
        let own = points.each_ref().map(|point| options.settings_at(point));
        let seed = options.seed.wrapping_add(number);
        Some(SeriesJob {
            settings: Some(Arc::new(own)),
            ..PairAssembly::make_job(number, [0, 1], seed)
        })
    }

    fn add_pair(&mut self, pair: &PlayedPair) {
        self.result.add_pair(pair);
    }

    fn notify(&mut self, _counted: Option<&PlayedPair>) {
        (self.listener)(&self.result);
    }
}
