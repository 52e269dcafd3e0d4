//! What is asked of a rating, its result, and its report.

use std::path::PathBuf;

use leitai_game::{RatedBot, RatingScale};
use leitai_ladder::bradley_terry::Estimated;
use leitai_ladder::known_opponents::{LevelPairs, LevelRating, rate_by_levels};
use leitai_ladder::normal::two_sided;
use leitai_ladder::{GameScore, ScoreTally};
use serde_json::{Value, json};

use crate::pair::player_entrant;
use crate::report::faults::FaultCounts;
use crate::report::words;
use crate::void_match::list_voids;
use crate::{DistinctGames, EloUnit, GameRecord, Language, PlayedPair, TimeHistogram, VoidMatch};

/// The number of the bot in the roster; level n of the scale has number n + 1.
pub const BOT: usize = 0;
/// The confidence of intervals.
const CONFIDENCE: f64 = 0.95;
/// The standard error of the prior around the middle of the scale, in Elo: wider than any scale.
const PRIOR_ERROR: f64 = 800.0;
/// Pairs before a rating may count as precise: the spread of fewer says little.
const FEWEST_PAIRS: u64 = 20;

/// The chance of a misfit between levels below which the bot's strength is taken to depend on the
/// opponent.
const MISFIT: f64 = 0.01;

/// How far beyond the levels a rating must be to be off the scale, in Elo: ten points for one.
const OFF_SCALE: f64 = 400.0;

/// What is asked.
#[derive(Clone, Debug)]
pub struct RatingOptions {
    /// Half the width of the 95 % interval at which the rating is precise enough, in Elo.
    pub precision: f64,
    /// The seed of the first pair; the next ones count on from it.
    pub seed: u64,
    /// Pairs after which the bot is not measured any longer.
    pub max_pairs: u64,
    /// Where pairs and replays are kept, so that an interrupted run can continue.
    pub folder: Option<PathBuf>,
}

impl Default for RatingOptions {
    /// ±40 Elo, or 500 pairs.
    fn default() -> RatingOptions {
        RatingOptions {
            precision: 40.0,
            seed: 1,
            max_pairs: 500,
            folder: None,
        }
    }
}

/// The result of a rating, or of its pairs so far.
#[derive(Clone, Debug)]
pub struct RatingResult {
    /// The scale.
    pub scale: RatingScale,
    /// The game's id.
    pub game: String,
    /// What every match was played with, see [`Roster::match_terms`](crate::Roster::match_terms).
    pub terms: Value,
    /// The seed of the first pair.
    pub seed: u64,
    /// The names of the bot and of the levels.
    pub names: Vec<String>,
    /// The bot's games against each level.
    pub tallies: Vec<ScoreTally>,
    /// The bot's faults.
    pub faults: FaultCounts,
    /// Times of the bot's moves.
    pub times: TimeHistogram,
    /// Pairs that could not be judged.
    pub void: Vec<VoidMatch>,
    /// The replay of a lost pair, as a path in the folder.
    pub lost_replay: Option<String>,
    /// Which games were new. A pair of copies is counted only here.
    pub distinct: DistinctGames,
    precision: f64,
    levels: Vec<LevelPairs>,
    /// Pairs without a new game.
    repeated: u64,
    rated: LevelRating,
}

/// What is known of a bot before its games: the middle of the scale, and an error wider than that.
fn scale_prior(scale: &RatingScale) -> Estimated {
    let sum: f64 = (scale.levels.iter())
        .map(|level| f64::from(level.rating))
        .sum();
    Estimated {
        value: sum / scale.levels.len() as f64,
        error: PRIOR_ERROR,
    }
}

/// Where a rating stands among the levels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RatingStanding {
    /// Below the weakest level.
    Below(RatedBot),
    /// Between two neighbours: the weaker and the stronger.
    Between(RatedBot, RatedBot),
    /// Above the strongest level.
    Above(RatedBot),
}

impl RatingResult {
    /// No pairs so far.
    pub(super) fn new(
        options: &RatingOptions,
        scale: &RatingScale,
        (game, terms): (String, Value),
        names: Vec<String>,
    ) -> RatingResult {
        let levels: Vec<LevelPairs> = (scale.levels.iter())
            .map(|level| LevelPairs::new(f64::from(level.rating)))
            .collect();
        RatingResult {
            scale: scale.clone(),
            game,
            terms,
            seed: options.seed,
            names,
            tallies: vec![ScoreTally::default(); scale.levels.len()],
            faults: FaultCounts::default(),
            times: TimeHistogram::default(),
            void: Vec::new(),
            lost_replay: None,
            distinct: DistinctGames::default(),
            precision: options.precision,
            rated: rate_by_levels(&levels, scale_prior(scale)),
            levels,
            repeated: 0,
        }
    }

    /// Counts a pair.
    pub(super) fn add_pair(&mut self, pair: &PlayedPair) {
        self.void.extend(pair.void.clone());
        let (Some(scores), Some(game)) = (pair.player_scores(BOT), pair.game.as_ref()) else {
            return;
        };
        let [one, other] = game.pair;
        let Some(level) = (one + other).checked_sub(1) else {
            return;
        };
        if level >= self.levels.len() {
            return;
        }
        if !self.distinct.count_match(pair.game_records()) {
            self.repeated += 1;
            return;
        }
        self.levels[level].count_pair(scores.iter().map(|score| score.points()).sum());
        self.rated = rate_by_levels(&self.levels, scale_prior(&self.scale));
        for score in scores {
            self.tallies[level].count_game(score);
        }
        for game in pair.game_records() {
            let entrant = player_entrant(game, BOT);
            self.faults.count_faults(game, entrant);
            self.times += &game.times[entrant];
        }
        let lost = |game: &&GameRecord| game.score_of(player_entrant(game, BOT)) == GameScore::Loss;
        if self.lost_replay.is_none() {
            self.lost_replay = pair
                .game_records()
                .find(lost)
                .and_then(|game| game.replay.clone());
        }
    }

    /// Pairs so far, void and repeated ones too.
    pub fn pair_count(&self) -> u64 {
        self.counted_pairs() + self.void.len() as u64 + self.repeated
    }

    /// Pairs that count.
    fn counted_pairs(&self) -> u64 {
        self.levels.iter().map(|level| level.pairs as u64).sum()
    }

    /// The rating on the scale. Its error holds the misfit between levels.
    pub fn rating(&self) -> Estimated {
        self.rated.rating
    }

    /// Half the width of the rating's 95 % interval, in Elo.
    pub fn half_width(&self) -> f64 {
        two_sided(CONFIDENCE) * self.rating().error
    }

    /// Whether the rating is as precise as asked.
    pub fn is_precise(&self) -> bool {
        self.has_enough_games() && self.half_width() <= self.precision
    }

    /// Whether more games would not make the rating more precise, because the bot's strength is not
    /// the same against different levels.
    pub fn depends_on_opponent(&self) -> bool {
        self.has_enough_games() && self.rated.misfit_chance < MISFIT
    }

    /// Whether no level brings new games any more.
    pub fn is_exhausted(&self) -> bool {
        (0..self.levels.len()).all(|level| self.is_level_exhausted(level))
    }

    /// Whether the games against a level repeat.
    pub(super) fn is_level_exhausted(&self, level: usize) -> bool {
        self.distinct.is_exhausted([BOT, level + 1], 1)
    }

    fn has_enough_games(&self) -> bool {
        self.counted_pairs() >= FEWEST_PAIRS
            && two_sided(CONFIDENCE) * self.rated.games_error <= self.precision
    }

    /// Whether the bot is surely so far above or below all levels that their games tell no more.
    pub fn is_off_scale(&self) -> bool {
        let [low, high] = self.rating().confidence_interval(CONFIDENCE);
        let levels = &self.scale.levels;
        let [weakest, strongest] =
            [0, levels.len() - 1].map(|index| f64::from(levels[index].rating));
        self.counted_pairs() >= FEWEST_PAIRS
            && (low > strongest + OFF_SCALE || high < weakest - OFF_SCALE)
    }

    /// `its strength depends on the opponent: level4 says 1227 ±80, level5 996 ±53`; `None` where
    /// the levels agree.
    fn misfit_line(&self, language: Language<'_>) -> Option<String> {
        let says = |(level, alone): (&RatedBot, &Option<Estimated>)| {
            let Estimated { value, error } = (*alone)?;
            let reach = two_sided(CONFIDENCE) * error;
            Some(format!("{} {value:.0} ±{reach:.0}", level.name))
        };
        let said: Vec<String> = (self.scale.levels.iter())
            .zip(&self.rated.alone)
            .filter_map(says)
            .collect();
        (self.rated.misfit_chance < MISFIT).then(|| {
            language.fill(
                "its strength depends on the opponent, and more games would not narrow the \
                interval; by the games against each level alone: {}",
                &[&said.join(language.label(", "))],
            )
        })
    }

    fn status_name(&self) -> &'static str {
        match () {
            () if self.is_precise() => "precise",
            () if self.is_off_scale() => "off-scale",
            () if self.depends_on_opponent() => "depends-on-opponent",
            () if self.is_exhausted() => "no-new-games",
            () => "imprecise",
        }
    }

    /// Where the rating stands among the levels.
    pub fn standing(&self) -> RatingStanding {
        let (levels, rating) = (&self.scale.levels, self.rating().value);
        match levels
            .iter()
            .position(|level| f64::from(level.rating) > rating)
        {
            Some(0) => RatingStanding::Below(levels[0]),
            Some(index) => RatingStanding::Between(levels[index - 1], levels[index]),
            None => RatingStanding::Above(levels[levels.len() - 1]),
        }
    }

    /// One line of progress.
    pub fn progress_line(&self, language: Language<'_>) -> String {
        language.fill(
            "pairs {}  rating {} (goal ±{})",
            &[
                &self.pair_count(),
                &self.format_rating(),
                &format!("{:.0}", self.precision),
            ],
        )
    }

    /// Labels and values of the result.
    pub fn rows(&self, language: Language<'_>) -> Vec<(&'static str, String)> {
        let scale = language.fill(
            "{} (95 %; scale {}, Elo per leg)",
            &[&self.format_rating(), &self.scale.name],
        );
        let mut rows = vec![
            (language.label("rating"), scale),
            (language.label("stands"), self.format_standing(language)),
        ];
        if let Some(line) = self.public_bots_line(language) {
            rows.push((language.label("public bots"), line));
        }
        rows.extend((self.misfit_line(language)).map(|line| (language.label("warning"), line)));
        rows.push((language.label("games"), self.games_line(language)));
        let settings = words::describe_settings(&self.terms, language);
        rows.extend(settings.map(|settings| (language.label("settings"), settings)));
        rows.extend(self.distinct.copies_row(language));
        if self.is_exhausted() {
            let scarcity = self.distinct.describe_scarcity(language);
            rows.push((language.label("stopped"), scarcity));
        }
        rows.push((
            language.label("faults"),
            self.faults.describe_faults(language),
        ));
        rows.push((
            language.label("time a move"),
            words::format_times(&self.times, language),
        ));
        rows
    }

    /// `1432 ±38`
    fn format_rating(&self) -> String {
        format!("{:.0} ±{:.0}", self.rating().value, self.half_width())
    }

    fn format_standing(&self, language: Language<'_>) -> String {
        let said = |bot: &RatedBot| format!("{} ({})", bot.name, bot.rating);
        match self.standing() {
            RatingStanding::Below(level) if self.is_off_scale() => {
                language.fill("far below {}, where the scale begins", &[&said(&level)])
            }
            RatingStanding::Above(level) if self.is_off_scale() => {
                language.fill("far above {}, where the scale ends", &[&said(&level)])
            }
            RatingStanding::Below(level) => language.fill("below {}", &[&said(&level)]),
            RatingStanding::Between(weaker, stronger) => {
                language.fill("between {} and {}", &[&said(&weaker), &said(&stronger)])
            }
            RatingStanding::Above(level) => language.fill("above {}", &[&said(&level)]),
        }
    }

    /// The public bots around the rating, the weakest first; `None` where the scale has none.
    fn public_bots_line(&self, language: Language<'_>) -> Option<String> {
        let rating = self.rating().value;
        let mut bots: Vec<&RatedBot> = self.scale.public_bots.iter().collect();
        bots.sort_by_key(|bot| bot.rating);
        let said = |bot: &&RatedBot| {
            let sign = if f64::from(bot.rating) > rating {
                '<'
            } else {
                '>'
            };
            format!("{sign} {} ({} ±{})", bot.name, bot.rating, bot.error)
        };
        let said: Vec<String> = bots.iter().map(said).collect();
        (!said.is_empty()).then(|| said.join(language.label(", ")))
    }

    fn games_line(&self, language: Language<'_>) -> String {
        let met = self.tallies.iter().zip(self.scale.levels.iter());
        let said: Vec<String> = met
            .filter(|(tally, _)| tally.game_count() > 0)
            .map(|(tally, level)| format!("{} {}", level.name, words::format_tally(tally)))
            .collect();
        let count: u32 = self.tallies.iter().map(ScoreTally::game_count).sum();
        language.fill(
            "{}; won-drawn-lost: {}",
            &[&count, &said.join(language.label(", "))],
        )
    }

    /// The void pairs, and what they mean; empty where there are none.
    pub fn void_text(&self, language: Language<'_>) -> String {
        list_voids(
            self.void.iter(),
            &self.names,
            language.label(
                "the rating rests on the other pairs; if many are void, play fewer matches at \
                once (-j) and rate again",
            ),
            language,
        )
    }

    /// The result for programs.
    pub fn to_json(&self) -> Value {
        let rating = self.rating();
        let rated =
            |bot: &RatedBot| json!({ "name": bot.name, "rating": bot.rating, "error": bot.error });
        let levels = self
            .scale
            .levels
            .iter()
            .zip(&self.tallies)
            .zip(&self.rated.alone);
        let level = |((level, tally), alone): ((&RatedBot, &ScoreTally), &Option<Estimated>)| {
            json!({
                "name": level.name, "rating": level.rating, "games": tally,
                "alone": alone.map(|alone| alone.value),
                "alone_interval": alone.map(|alone| alone.confidence_interval(CONFIDENCE)),
            })
        };
        let standing = match self.standing() {
            RatingStanding::Below(level) => [None, Some(level.name)],
            RatingStanding::Between(weaker, stronger) => [Some(weaker.name), Some(stronger.name)],
            RatingStanding::Above(level) => [Some(level.name), None],
        };
        json!({
            "game": self.game,
            "bot": self.names[BOT],
            "scale": self.scale.name,
            "terms": self.terms,
            "seed": self.seed,
            "rating": rating.value,
            "elo_unit": EloUnit::Leg,
            "rating_interval": rating.confidence_interval(CONFIDENCE),
            "confidence": CONFIDENCE,
            "is_precise": self.is_precise(),
            "is_off_scale": self.is_off_scale(),
            "status": self.status_name(),
            "games_error": self.rated.games_error,
            "misfit_chance": self.rated.misfit_chance,
            "games_played": self.distinct.played_count(),
            "distinct_games": self.distinct.distinct_count(),
            "games_fingerprint": self.distinct.fingerprint(),
            "between": standing,
            "pairs": self.counted_pairs(),
            "levels": levels.map(level).collect::<Vec<_>>(),
            "public_bots": self.scale.public_bots.iter().map(rated).collect::<Vec<_>>(),
            "faults": self.faults,
            "move_us": {
                "moves": self.times.move_count(),
                "median": self.times.quantile_micros(0.5),
                "p99": self.times.quantile_micros(0.99),
            },
            "void": self.void,
        })
    }
}
