//! The table `standings`.

use leitai_ladder::weng_lin::Rating;
use sea_orm::FromJsonQueryResult;
use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};

use crate::{Bot, BotId, LadderId, MatchId, Timestamp};

/// The standing of a bot on a ladder.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "standings")]
pub struct Model {
    /// The ladder.
    #[sea_orm(primary_key, auto_increment = false)]
    pub ladder: LadderId,
    /// The bot.
    #[sea_orm(primary_key, auto_increment = false)]
    pub bot: BotId,
    /// Whether it is shown and paired: it has an active version, is neither retired nor disabled,
    /// does not rest, and its author has not opted out.
    pub listed: bool,
    /// Whether its author took it off this ladder, which is not the standard one.
    pub opted_out: bool,
    /// See [`Rating::skill`].
    pub skill: f64,
    /// See [`Rating::doubt`].
    pub doubt: f64,
    /// Rated matches.
    pub games: i64,
    /// Won.
    pub wins: i64,
    /// Drawn.
    pub draws: i64,
    /// Lost.
    pub losses: i64,
    /// Matches that did not count, because they were copies of earlier ones.
    pub copies: i64,
    /// Faults made in rated matches.
    pub faults: i64,
    /// The longest time that the bot used in one period of a rated match, in microseconds.
    pub longest_us: Option<i64>,
    /// The number of the ladder's pick at which it was last paired; `None` for a newcomer.
    pub picked: Option<i64>,
    /// When it last played.
    pub played: Option<Timestamp>,
    /// The last ratings as shown, oldest first.
    pub trend: RatingTrend,
    /// Failed matches in a row: with a fault and without a win.
    pub failing: i64,
    /// Since when the bot rests, because it failed too often.
    pub rests: Option<Timestamp>,
    /// The match after which it rests.
    pub rest_match: Option<MatchId>,
    /// The division, from 1, on a ladder that is divided.
    pub division: Option<i32>,
    /// The turn of its last change, beside [`Self::picked`].
    pub turn: i64,
    /// The best rank that it has had for sure, from 1; `None` before it was noted first.
    pub best_rank: Option<i32>,
    /// Since when.
    pub best_rank_since: Option<Timestamp>,
    /// The skill with which it joined; `None`: as a newcomer whose strength is unknown.
    pub base_skill: Option<f64>,
    /// The doubt with which it joined.
    pub base_doubt: Option<f64>,
}

relations!(Bot: Bot = bots.Id);

pub use Model as Standing;

/// The last ratings as shown, oldest first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, FromJsonQueryResult)]
pub struct RatingTrend(pub Vec<f64>);

/// How many ratings a trend keeps.
pub(crate) const TREND: usize = 16;

impl RatingTrend {
    /// Appends a rating, rounded to a tenth; the oldest one is dropped.
    pub(crate) fn push(&mut self, value: f64) {
        self.0.push((value * 10.0).round() / 10.0);
        let old = self.0.len().saturating_sub(TREND);
        self.0.drain(..old);
    }
}

impl Model {
    /// The standing of a bot that has not played.
    pub(crate) fn new_standing(bot: BotId, ladder: LadderId) -> Standing {
        let rating = Rating::default();
        Standing {
            ladder,
            bot,
            listed: false,
            opted_out: false,
            skill: rating.skill,
            doubt: rating.doubt,
            games: 0,
            wins: 0,
            draws: 0,
            losses: 0,
            copies: 0,
            faults: 0,
            longest_us: None,
            picked: None,
            played: None,
            trend: RatingTrend::default(),
            failing: 0,
            rests: None,
            rest_match: None,
            division: None,
            turn: 0,
            best_rank: None,
            best_rank_since: None,
            base_skill: None,
            base_doubt: None,
        }
    }

    /// The rating with which it joined.
    pub(crate) fn base_rating(&self) -> Rating {
        match (self.base_skill, self.base_doubt) {
            (Some(skill), Some(doubt)) => Rating { skill, doubt },
            _ => Rating::default(),
        }
    }

    /// The standing before its first rated match: without the columns that follow from matches and
    /// activated versions, which a rebuild computes again.
    pub(crate) fn without_results(&self) -> Standing {
        let kept = self.clone();
        let fresh = Standing::new_standing(kept.bot, kept.ladder.clone());
        let base = self.base_rating();
        Standing {
            skill: base.skill,
            doubt: base.doubt,
            games: fresh.games,
            wins: fresh.wins,
            draws: fresh.draws,
            losses: fresh.losses,
            faults: fresh.faults,
            longest_us: fresh.longest_us,
            played: fresh.played,
            trend: fresh.trend,
            ..kept
        }
    }

    /// Whether it is shown and paired, if its bot is now as `bot` says.
    pub(crate) fn is_listed(&self, bot: &Bot) -> bool {
        bot.is_listed() && self.rests.is_none() && !self.opted_out
    }

    /// Replaces the rating and extends the trend.
    pub(crate) fn set_rating(&mut self, rating: Rating) {
        self.skill = rating.skill;
        self.doubt = rating.doubt;
        self.trend.push(rating.shown_rating().value);
    }

    /// Raises the doubt after a new version was activated, to at least half a newcomer's. False if
    /// it was already larger.
    pub(crate) fn raise_doubt(&mut self) -> bool {
        let doubt = Rating::default().doubt / 2.0;
        let surer = self.doubt < doubt;
        if surer {
            self.set_rating(Rating {
                skill: self.skill,
                doubt,
            });
        }
        surer
    }

    /// Skill and doubt.
    pub fn current_rating(&self) -> Rating {
        Rating {
            skill: self.skill,
            doubt: self.doubt,
        }
    }
}
