//! The result of a rating, and its report.

use leitai_game::{RatedBot, RatingScale};
use leitai_ladder::bradley_terry::Estimated;
use leitai_ladder::known_opponents::{RatedPair, rate_player};
use leitai_ladder::normal::two_sided;
use leitai_ladder::{GameScore, ScoreTally};
use serde_json::{Value, json};

use super::{BOT, RatingOptions};
use crate::pair::player_entrant;
use crate::report::faults::FaultCounts;
use crate::report::words;
use crate::void_match::list_voids;
use crate::{GameRecord, Language, PlayedPair, Roster, TimeHistogram, VoidMatch};

/// The confidence of intervals.
const CONFIDENCE: f64 = 0.95;
/// The standard error of the prior around the middle of the scale, in Elo: wider than any scale.
const PRIOR_ERROR: f64 = 800.0;
/// Pairs before a rating may count as precise: the spread of fewer says little.
const FEWEST_PAIRS: u64 = 20;

/// How far beyond the levels a rating must be to be off the scale, in Elo: ten points for one.
const OFF_SCALE: f64 = 400.0;

/// The result of a rating, or of its pairs so far.
#[derive(Clone, Debug)]
pub struct RatingResult {
    /// The scale.
    pub scale: &'static RatingScale,
    /// The game's id.
    pub game: &'static str,
    /// What every match was played with, see [`Roster::match_terms`].
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
    precision: f64,
    pairs: Vec<RatedPair>,
}

/// Where a rating stands among the levels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RatingStanding {
    /// Below the weakest level.
    Below(&'static RatedBot),
    /// Between two neighbours: the weaker and the stronger.
    Between(&'static RatedBot, &'static RatedBot),
    /// Above the strongest level.
    Above(&'static RatedBot),
}

impl RatingResult {
    /// No pairs so far.
    pub(super) fn new(
        options: &RatingOptions,
        scale: &'static RatingScale,
        roster: &Roster,
    ) -> RatingResult {
        RatingResult {
            scale,
            game: roster.game_id(),
            terms: roster.match_terms(),
            seed: options.seed,
            names: roster.entrant_names(),
            tallies: vec![ScoreTally::default(); scale.levels.len()],
            faults: FaultCounts::default(),
            times: TimeHistogram::default(),
            void: Vec::new(),
            lost_replay: None,
            precision: options.precision,
            pairs: Vec::new(),
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
        let Some(rated) = self.scale.levels.get(level) else {
            return;
        };
        let half_points: u32 = scores.iter().map(|score| score.half_points()).sum();
        self.pairs.push(RatedPair {
            opponent: f64::from(rated.rating),
            points: f64::from(half_points) / 2.0,
        });
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

    /// Pairs so far, void ones too.
    pub fn pair_count(&self) -> u64 {
        (self.pairs.len() + self.void.len()) as u64
    }

    /// The rating on the scale.
    pub fn rating(&self) -> Estimated {
        let levels = self.scale.levels;
        let middle = levels
            .iter()
            .map(|level| f64::from(level.rating))
            .sum::<f64>()
            / levels.len() as f64;
        let prior = Estimated {
            value: middle,
            error: PRIOR_ERROR,
        };
        rate_player(&self.pairs, prior)
    }

    /// Half the width of the rating's 95 % interval, in Elo.
    pub fn half_width(&self) -> f64 {
        two_sided(CONFIDENCE) * self.rating().error
    }

    /// Whether the rating is as precise as asked.
    pub fn is_precise(&self) -> bool {
        self.pairs.len() as u64 >= FEWEST_PAIRS && self.half_width() <= self.precision
    }

    /// Whether the bot is surely so far above or below all levels that their games tell no more.
    pub fn is_off_scale(&self) -> bool {
        let [low, high] = self.rating().confidence_interval(CONFIDENCE);
        let levels = self.scale.levels;
        let [weakest, strongest] =
            [0, levels.len() - 1].map(|index| f64::from(levels[index].rating));
        self.pairs.len() as u64 >= FEWEST_PAIRS
            && (low > strongest + OFF_SCALE || high < weakest - OFF_SCALE)
    }

    /// Where the rating stands among the levels.
    pub fn standing(&self) -> RatingStanding {
        let (levels, rating) = (self.scale.levels, self.rating().value);
        match levels
            .iter()
            .position(|level| f64::from(level.rating) > rating)
        {
            Some(0) => RatingStanding::Below(&levels[0]),
            Some(index) => RatingStanding::Between(&levels[index - 1], &levels[index]),
            None => RatingStanding::Above(&levels[levels.len() - 1]),
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
            "{} (95 %; scale {})",
            &[&self.format_rating(), &self.scale.name],
        );
        let mut rows = vec![
            (language.label("rating"), scale),
            (language.label("stands"), self.format_standing(language)),
        ];
        if let Some(line) = self.public_bots_line(language) {
            rows.push((language.label("public bots"), line));
        }
        rows.push((language.label("games"), self.games_line(language)));
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
                language.fill("far below {}, where the scale begins", &[&said(level)])
            }
            RatingStanding::Above(level) if self.is_off_scale() => {
                language.fill("far above {}, where the scale ends", &[&said(level)])
            }
            RatingStanding::Below(level) => language.fill("below {}", &[&said(level)]),
            RatingStanding::Between(weaker, stronger) => {
                language.fill("between {} and {}", &[&said(weaker), &said(stronger)])
            }
            RatingStanding::Above(level) => language.fill("above {}", &[&said(level)]),
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
        let met = self.tallies.iter().zip(self.scale.levels);
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
        let levels = self.scale.levels.iter().zip(&self.tallies);
        let level = |(level, tally): (&RatedBot, &ScoreTally)| json!({ "name": level.name, "rating": level.rating, "games": tally });
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
            "rating_interval": rating.confidence_interval(CONFIDENCE),
            "confidence": CONFIDENCE,
            "is_precise": self.is_precise(),
            "is_off_scale": self.is_off_scale(),
            "between": standing,
            "pairs": self.pairs.len(),
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
