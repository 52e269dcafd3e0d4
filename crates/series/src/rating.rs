//! How strong is a bot on the game's rating scale? It plays pairs of games against the levels around
//! its strength until its rating is as precise as asked.

mod result;

use anyhow::{Context, ensure};
use leitai_game::{AnyGame, MissingScale, RatedBot, RatingScale};
use leitai_ladder::known_opponents::choose_opponent;
use serde_json::{Value, json};

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
pub fn find_scale(game: &dyn AnyGame) -> anyhow::Result<&RatingScale> {
    let id = game.meta().id;
    let scale = game.rating_scale();
    let scale = scale.filter(|scale| !scale.levels.is_empty());
    scale.with_context(|| match game.missing_scale() {
        MissingScale::NoLevels => format!(
            "{id} has no levels, so it has no rating scale; compare the bot with built-in bots"
        ),
        MissingScale::NeverMeasured => format!(
            "{id} has no rating scale yet; `leitai game scale FOLDER` measures one, once for all"
        ),
        MissingScale::Outdated => format!(
            "the rating scale of {id} was measured with other rules or levels; \
            `leitai game scale FOLDER` measures it again"
        ),
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

/// The pairs of a rating, counted in their order: who plays the next ones follows from those before.
#[derive(Clone, Debug)]
pub struct RatedPairs {
    /// The opponents of the pairs, as indices of levels, as far as they are known.
    opponents: Vec<usize>,
    max_pairs: u64,
    result: RatingResult,
}

impl RatedPairs {
    /// No pairs so far. `about` is the game's id and what every match is played with, as
    /// [`Roster::match_terms`]; the names are those of the bot and of the levels.
    pub fn begin(
        options: &RatingOptions,
        scale: &RatingScale,
        about: (String, Value),
        names: Vec<String>,
    ) -> RatedPairs {
        let mut pairs = RatedPairs {
            opponents: Vec::new(),
            max_pairs: options.max_pairs,
            result: RatingResult::new(options, scale, about, names),
        };
        (0..LOOK_BEHIND).for_each(|_| pairs.choose_next());
        pairs
    }

    /// The result so far.
    pub fn result(&self) -> &RatingResult {
        &self.result
    }

    /// The level that the bot plays in a pair; `None` while it is not known, or where none is played.
    pub fn level_of(&self, number: u64) -> Option<usize> {
        let at = usize::try_from(number).ok()?;
        let level = self.opponents.get(at).copied();
        level.filter(|_| number < self.max_pairs)
    }

    /// Counts the next pair.
    pub fn add_pair(&mut self, pair: &PlayedPair) {
        self.result.add_pair(pair);
        self.choose_next();
    }

    /// Whether no more pairs are to be played.
    pub fn is_over(&self) -> bool {
        self.result.is_precise()
            || self.result.is_off_scale()
            || self.result.depends_on_opponent()
            || self.result.is_exhausted()
            || self.result.pair_count() >= self.max_pairs
    }

    /// Chooses the opponent of the next pair without one, by the pairs counted so far.
    fn choose_next(&mut self) {
        let levels = self.result.scale.levels.iter().enumerate();
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

/// A rating while it is played.
pub struct RatingRun<'a> {
    options: RatingOptions,
    rated: RatedPairs,
    pairs: PairsInOrder,
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
        let about = (roster.game_id().to_owned(), roster.match_terms());
        let mut rating = RatingRun {
            rated: RatedPairs::begin(&options, scale, about, roster.entrant_names()),
            options,
            pairs: PairsInOrder::default(),
            listener: Box::new(listener),
        };
        rating.resume(roster)?;
        Ok(rating)
    }

    /// The result so far.
    pub fn result(&self) -> &RatingResult {
        self.rated.result()
    }

    /// The result, once the series was played.
    pub fn into_result(self) -> RatingResult {
        self.rated.result
    }

    /// Takes the pairs that the folder holds.
    fn resume(&mut self, roster: &Roster) -> anyhow::Result<()> {
        let Some(folder) = self.options.folder.clone() else {
            return Ok(());
        };
        let header = json!({
            "format": FORMAT, "scale": self.result().scale.name, "terms": roster.match_terms(),
            "seed": self.options.seed, "entrants": roster.entrant_names(),
            "fingerprints": roster.fingerprints,
        });
        self.resume_journal(&folder, &header, "rating")
    }
}

impl PairSeries for RatingRun<'_> {
    fn pairs(&mut self) -> &mut PairsInOrder {
        &mut self.pairs
    }

    fn is_over(&self) -> bool {
        self.rated.is_over()
    }

    fn pair_count(&self) -> u64 {
        self.result().pair_count()
    }

    fn make_pair(&self, number: u64) -> Option<SeriesJob<PairLeg>> {
        let level = self.rated.level_of(number)?;
        let seed = self.options.seed.wrapping_add(number);
        Some(PairAssembly::make_job(number, [BOT, level + 1], seed))
    }

    fn add_pair(&mut self, pair: &PlayedPair) {
        self.rated.add_pair(pair);
    }

    fn notify(&mut self, _counted: Option<&PlayedPair>) {
        (self.listener)(self.rated.result());
    }
}
