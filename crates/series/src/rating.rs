//! How strong is a bot on the game's rating scale? It plays pairs of games against the levels around
//! its strength until its rating is as precise as asked.

mod result;

use anyhow::{Context, ensure};
use leitai_game::{AnyGame, RatedBot, RatingScale};
use leitai_ladder::known_opponents::choose_opponent;
use serde_json::json;

use crate::pair::{PairAssembly, PairLeg};
use crate::pair_series::{PairSeries, PairsInOrder};
use crate::series_job::SeriesJob;
use crate::{EntrantRequest, PlayedPair, Roster};

pub use result::{BOT, RatingOptions, RatingResult, RatingStanding};

/// A pair's opponent is chosen by the pairs that are so many or more before it, so that it does not
/// depend on how many are played at once. So many can be.
const LOOK_BEHIND: usize = 16;

/// The version of the journal's format.
const FORMAT: &str = "leitai-rate/1";

/// The game's rating scale.
pub fn find_scale(game: &dyn AnyGame) -> anyhow::Result<&'static RatingScale> {
    let id = game.meta().id;
    game.rating_scale()
        .filter(|scale| !scale.levels.is_empty())
        .with_context(|| {
            format!("{id} has no rating scale yet; compare the bot with built-in bots")
        })
}

/// The entrants of a rating: the bot, then the levels of the scale.
pub fn list_entrants(bot: EntrantRequest, scale: &RatingScale) -> Vec<EntrantRequest> {
    let levels = scale.levels.iter().map(|level| EntrantRequest {
        word: level.name.to_owned(),
        ..EntrantRequest::default()
    });
    std::iter::once(bot).chain(levels).collect()
}

/// Called with the result so far after every pair.
type RatingListener<'a> = Box<dyn FnMut(&RatingResult) + 'a>;

/// A rating while it is played.
pub struct RatingRun<'a> {
    options: RatingOptions,
    scale: &'static RatingScale,
    /// The opponents of the pairs, as indices of levels, as far as they are known.
    opponents: Vec<usize>,
    pairs: PairsInOrder,
    result: RatingResult,
    listener: RatingListener<'a>,
}

impl<'a> RatingRun<'a> {
    /// Begins to rate the first entrant of a roster, or resumes the run in the folder of the
    /// options.
    pub fn open(
        options: RatingOptions,
        roster: &Roster,
        listener: impl FnMut(&RatingResult) + 'a,
    ) -> anyhow::Result<RatingRun<'a>> {
        let scale = find_scale(&**roster.game())?;
        ensure!(
            roster.players.len() == scale.levels.len() + 1,
            "a rating has one bot and the {} levels of {}, not {} entrants",
            scale.levels.len(),
            scale.name,
            roster.players.len()
        );
        let mut rating = RatingRun {
            result: RatingResult::new(&options, scale, roster),
            options,
            scale,
            opponents: Vec::new(),
            pairs: PairsInOrder::default(),
            listener: Box::new(listener),
        };
        (0..LOOK_BEHIND).for_each(|_| rating.choose_next());
        rating.resume(roster)?;
        Ok(rating)
    }

    /// The result so far.
    pub fn result(&self) -> &RatingResult {
        &self.result
    }

    /// The result, once the series was played.
    pub fn into_result(self) -> RatingResult {
        self.result
    }

    /// Takes the pairs that the folder holds.
    fn resume(&mut self, roster: &Roster) -> anyhow::Result<()> {
        let Some(folder) = self.options.folder.clone() else {
            return Ok(());
        };
        let header = json!({
            "format": FORMAT, "scale": self.scale.name, "terms": roster.match_terms(),
            "seed": self.options.seed, "entrants": roster.entrant_names(),
            "fingerprints": roster.fingerprints,
        });
        self.resume_journal(&folder, &header, "rating")
    }

    /// Chooses the opponent of the next pair without one, by the pairs counted so far.
    fn choose_next(&mut self) {
        let levels = self.scale.levels.iter().enumerate();
        let ratings: Vec<f64> = levels
            .clone()
            .map(|(_, level)| f64::from(level.rating))
            .collect();
        let chosen = |(level, _): (usize, &RatedBot)| {
            let times = self
                .opponents
                .iter()
                .filter(|other| **other == level)
                .count();
            (!self.result.is_level_exhausted(level)).then_some(times as u64)
        };
        let chosen: Vec<Option<u64>> = levels.map(chosen).collect();
        self.opponents
            .extend(choose_opponent(&ratings, &chosen, self.result.rating()));
    }
}

impl PairSeries for RatingRun<'_> {
    fn pairs(&mut self) -> &mut PairsInOrder {
        &mut self.pairs
    }

    fn is_over(&self) -> bool {
        self.result.is_precise()
            || self.result.is_off_scale()
            || self.result.depends_on_opponent()
            || self.result.is_exhausted()
            || self.result.pair_count() >= self.options.max_pairs
    }

    fn pair_count(&self) -> u64 {
        self.result.pair_count()
    }

    fn make_pair(&self, number: u64) -> Option<SeriesJob<PairLeg>> {
        if number >= self.options.max_pairs {
            return None;
        }
        let level = self.opponents.get(usize::try_from(number).ok()?)?;
        let seed = self.options.seed.wrapping_add(number);
        Some(PairAssembly::make_job(number, [BOT, level + 1], seed))
    }

    fn add_pair(&mut self, pair: &PlayedPair) {
        self.result.add_pair(pair);
        self.choose_next();
    }

    fn notify(&mut self, _counted: Option<&PlayedPair>) {
        (self.listener)(&self.result);
    }
}
