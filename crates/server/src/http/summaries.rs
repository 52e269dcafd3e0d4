//! Summaries of bots, entrants and matches in lists.

use leitai_ladder::bradley_terry::Estimated;
use leitai_store::{Json, MatchEntrant, MatchEntrantKind, MatchWinner, PerSide, Timestamp};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::live::LiveMatches;
use crate::messages;

/// A bot in a list.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct BotSummary {
    /// The id.
    pub id: i64,
    /// The game's id.
    pub game: String,
    /// The name; unique on its ladder.
    pub name: String,
    /// The author's name; null for a built-in bot.
    pub owner: Option<String>,
    /// Whether it is a built-in bot.
    pub built_in: bool,
    /// Whether it was deleted; its matches stay.
    pub deleted: bool,
    /// Whether an agent wrote it, as its author says; absent otherwise.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_agent: bool,
}

impl From<leitai_store::BotRow> for BotSummary {
    fn from(bot: leitai_store::BotRow) -> BotSummary {
        BotSummary {
            id: bot.id.0,
            game: bot.game,
            name: bot.name,
            built_in: bot.built_in,
            deleted: !bot.built_in && bot.owner.is_none(),
            owner: bot.owner,
            by_agent: bot.by_agent,
        }
    }
}

/// A rating, in Elo.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, ToSchema)]
pub struct RatingSummary {
    /// The most likely value; newcomers have 1500.
    pub value: f64,
    /// Its standard error.
    pub error: f64,
    /// What the points are of that a difference stands for: `match`, whose winner took more of its
    /// legs. The scale of `leitai rate` is of legs.
    #[schema(example = "match")]
    pub elo_unit: &'static str,
}

impl From<Estimated> for RatingSummary {
    fn from(measured: Estimated) -> RatingSummary {
        RatingSummary {
            value: round_to_tenths(measured.value),
            error: round_to_tenths(measured.error),
            elo_unit: "match",
        }
    }
}

/// Rounds to tenths; further digits have no meaning.
pub fn round_to_tenths(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

/// The kind of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum MatchKindName {
    /// Rated, for the ladder.
    Ladder,
    /// Unrated, created by a user.
    Friendly,
    /// At least one person plays.
    Human,
    /// Bots play for spectators.
    Exhibition,
    /// Counts in a contest; it is not rated.
    Contest,
    /// Counts in an experiment; only the people of its two bots see it.
    Experiment,
}

/// The state of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum MatchStateName {
    /// Waits for the invited person.
    Waiting,
    /// Waits for a worker.
    Queued,
    /// Is being played.
    Running,
    /// Has a result.
    Finished,
    /// Ended by an infrastructure error; it counts for nobody.
    Void,
    /// Cancelled.
    Cancelled,
}

/// Converts an enum of the store to the enum of the API with the same variants.
macro_rules! same_words {
    ($name:ident, $stored:ident: $($word:ident)*) => {
        impl From<leitai_store::$stored> for $name {
            fn from(word: leitai_store::$stored) -> $name {
                match word { $(leitai_store::$stored::$word => $name::$word,)* }
            }
        }
        impl From<$name> for leitai_store::$stored {
            fn from(word: $name) -> leitai_store::$stored {
                match word { $($name::$word => leitai_store::$stored::$word,)* }
            }
        }
    };
}

same_words!(MatchKindName, MatchKind: Ladder Friendly Human Exhibition Contest Experiment);
same_words!(MatchStateName, MatchState: Waiting Queued Running Finished Void Cancelled);

/// An entrant as it was when the match was created.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct EntrantSummary {
    /// A program or a person.
    kind: EntrantKindName,
    /// The name; empty while the invited person is awaited.
    name: String,
    /// The bot's id; null for people.
    bot: Option<i64>,
    /// The version's number.
    version: Option<i32>,
    /// The account of the person, or of the bot's author.
    user: Option<String>,
    /// Whether it is a built-in bot.
    built_in: bool,
    /// Whether the bot, or the person's account, was deleted since.
    deleted: bool,
    /// Whether it is a program that stays on the machine of its author, the account; absent otherwise.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    home: bool,
    /// The id of a program at home that was offered; others may play against it as long as it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    home_bot: Option<i64>,
    /// The median time to a program at home and back, in milliseconds, once its match is over.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = 23.4)]
    latency_ms: Option<f64>,
    /// What it alone plays with, in the words of the command line; absent: nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "--depth 5 @limit=1s")]
    settings: Option<String>,
}

/// A program or a person.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum EntrantKindName {
    Bot,
    Person,
}

impl EntrantSummary {
    /// The name; empty while the invited person is awaited.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl From<Option<MatchEntrant>> for EntrantSummary {
    fn from(entrant: Option<MatchEntrant>) -> EntrantSummary {
        let entrant = entrant.unwrap_or_else(|| MatchEntrant::human_entrant("", None));
        let kind = if entrant.kind == MatchEntrantKind::Bot {
            EntrantKindName::Bot
        } else {
            EntrantKindName::Person
        };
        EntrantSummary {
            kind,
            deleted: entrant.is_deleted(),
            name: entrant.name,
            bot: entrant.bot.map(|bot| bot.0),
            version: entrant.number,
            user: entrant.user_name,
            built_in: entrant.built_in,
            home: entrant.home.is_some(),
            home_bot: entrant.home_bot.map(|id| id.0),
            latency_ms: entrant
                .latency_us
                .map(|us| round_to_tenths(us as f64 / 1000.0)),
            settings: entrant.settings,
        }
    }
}

/// The winner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum WinnerName {
    /// Entrant A.
    A,
    /// Entrant B.
    B,
    /// Neither.
    Draw,
}

impl From<MatchWinner> for WinnerName {
    fn from(winner: MatchWinner) -> WinnerName {
        match winner {
            MatchWinner::A => WinnerName::A,
            MatchWinner::B => WinnerName::B,
            MatchWinner::Draw => WinnerName::Draw,
        }
    }
}

/// A text in both languages.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct LocalizedText {
    /// English.
    pub en: String,
    /// 简体中文.
    pub zh: String,
}

impl From<leitai_game::text::TextOf<'_>> for LocalizedText {
    fn from(text: leitai_game::text::TextOf<'_>) -> LocalizedText {
        leitai_game::LocalizedText::from(text).into()
    }
}

impl From<leitai_game::LocalizedText> for LocalizedText {
    fn from(text: leitai_game::LocalizedText) -> LocalizedText {
        let leitai_game::LocalizedText { en, zh } = text;
        LocalizedText { en, zh }
    }
}

/// The rating changes of both entrants, in Elo.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, ToSchema)]
pub struct RatingChange {
    a: f64,
    b: f64,
}

/// A match in a list.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct MatchSummary {
    /// The id; later matches have larger ones.
    pub id: i64,
    /// The game's id.
    pub game: String,
    /// The kind.
    pub kind: MatchKindName,
    /// The name of the ladder for which it counts; null for other kinds.
    #[schema(example = "standard")]
    pub ladder: Option<String>,
    /// The state.
    pub state: MatchStateName,
    /// Entrant A; it has the first seat in legs 1, 3, ….
    pub a: EntrantSummary,
    /// Entrant B.
    pub b: EntrantSummary,
    /// The winner, once it is over.
    pub winner: Option<WinnerName>,
    /// The rule that decided: `{id, en, zh}`.
    #[schema(value_type = Option<Object>)]
    pub reason: Option<Json>,
    /// One pair for each finished leg, in the order of the entrants.
    #[schema(value_type = Vec<Vec<i32>>)]
    pub scores: Json,
    /// `{entrant, code}` for every fault.
    #[schema(value_type = Vec<Object>)]
    pub faults: Json,
    /// The rating changes of both entrants, in Elo.
    pub rating_change: Option<RatingChange>,
    /// When it was created.
    #[schema(value_type = String, format = DateTime)]
    pub created: Timestamp,
    /// When a worker last leased it.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub started: Option<Timestamp>,
    /// When it was finished, void or cancelled.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub finished: Option<Timestamp>,
    /// The most legs that are played.
    pub legs: i32,
    /// The present leg, from 1, while it is shown live.
    pub leg: Option<usize>,
    /// The round of that leg.
    pub round: Option<u32>,
    /// The last possible round of that leg.
    pub rounds: Option<u32>,
    /// The scores in that leg so far, in the order of the entrants; null while they are secret, or if
    /// another server plays it.
    #[schema(value_type = Option<Vec<i32>>)]
    pub live_scores: Option<[i32; 2]>,
    /// How many people watch it now; null if it is not being played.
    pub spectators: Option<usize>,
    /// The tags, in lists and where a match is asked for by its id.
    pub tags: Vec<String>,
}

impl From<leitai_store::MatchRow> for MatchSummary {
    fn from(own: leitai_store::MatchRow) -> MatchSummary {
        MatchSummary {
            id: own.id.0,
            game: own.game,
            kind: own.kind.into(),
            ladder: own.ladder.map(|ladder| ladder.name().to_owned()),
            state: own.state.into(),
            a: own.a.into(),
            b: own.b.into(),
            winner: own.winner.map(WinnerName::from),
            reason: own.reason.map(messages::complete_languages),
            scores: own.scores.unwrap_or_else(|| Json::Array(Vec::new())),
            faults: own.faults.unwrap_or_else(|| Json::Array(Vec::new())),
            rating_change: rating_change(own.a_change, own.b_change),
            created: own.created,
            started: own.started,
            finished: own.finished,
            legs: own.legs,
            leg: None,
            round: None,
            rounds: None,
            live_scores: None,
            spectators: None,
            tags: Vec::new(),
        }
    }
}

/// The part of a match that lists contain.
impl From<&leitai_store::Match> for MatchSummary {
    fn from(own: &leitai_store::Match) -> MatchSummary {
        MatchSummary::from(leitai_store::MatchRow {
            id: own.id,
            game: own.game.clone(),
            kind: own.kind,
            ladder: own.ladder.clone(),
            state: own.state,
            a: own.a.clone(),
            b: own.b.clone(),
            legs: own.legs,
            created: own.created,
            started: own.started,
            finished: own.finished,
            winner: own.winner,
            reason: own.reason.clone().map(messages::complete_languages),
            scores: own.scores.clone(),
            faults: own.faults.clone(),
            a_change: own.a_change,
            b_change: own.b_change,
        })
    }
}

fn rating_change(a: Option<f64>, b: Option<f64>) -> Option<RatingChange> {
    let PerSide { a, b } = PerSide {
        a: round_to_tenths(a?),
        b: round_to_tenths(b?),
    };
    Some(RatingChange { a, b })
}

/// Adds the live state of a match to its summary, at whichever server it is played.
pub fn with_live_state(mut brief: MatchSummary, live: &LiveMatches) -> MatchSummary {
    if brief.finished.is_some() {
        return brief;
    }
    let progress = live.progress_anywhere(brief.id);
    if let Some((leg, round, rounds)) = progress.at {
        (brief.leg, brief.round, brief.rounds) = (Some(leg), Some(round), Some(rounds));
        brief.spectators = Some(progress.spectators);
        brief.live_scores = progress.scores;
    }
    brief
}
