//! What lists say of bots, entrants and matches.

use leitai_ladder::bradley_terry::Measured;
use leitai_store::{BySide, Entrant, EntrantKind, Json, Timestamp, Winner};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A bot in a list.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct BotBrief {
    /// Its id.
    pub id: i64,
    /// The game's id.
    pub game: String,
    /// Unique on its ladder.
    pub name: String,
    /// The author's name; null for a built-in bot.
    pub owner: Option<String>,
    /// Whether it comes with Leitai.
    pub built_in: bool,
    /// Whether it was deleted: its matches stay.
    pub deleted: bool,
}

impl From<leitai_store::BotBrief> for BotBrief {
    fn from(bot: leitai_store::BotBrief) -> BotBrief {
        BotBrief {
            id: bot.id.0,
            game: bot.game,
            name: bot.name,
            built_in: bot.built_in,
            deleted: !bot.built_in && bot.owner.is_none(),
            owner: bot.owner,
        }
    }
}

/// A rating, in Elo.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, ToSchema)]
pub struct Rating {
    /// The most likely value; newcomers stand at 1500.
    pub value: f64,
    /// Its standard error.
    pub error: f64,
}

impl From<Measured> for Rating {
    fn from(measured: Measured) -> Rating {
        Rating { value: tenths(measured.value), error: tenths(measured.error) }
    }
}

/// More digits would say nothing.
pub fn tenths(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

/// What a match is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum MatchKind {
    /// It counts for the ladder.
    Ladder,
    /// Somebody wanted to see it.
    Friendly,
    /// At least one person plays.
    People,
    /// Built-in bots play for who watches.
    Show,
}

/// How far a match is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum MatchState {
    /// For the one who was invited.
    Waiting,
    /// For a worker.
    Queued,
    /// Is being played.
    Running,
    /// Has a result.
    Finished,
    /// We failed; it counts for nobody.
    Void,
    /// Nobody wants it any more.
    Cancelled,
}

/// The same words in the store's and in the API's type.
macro_rules! same_words {
    ($name:ident: $($word:ident)*) => {
        impl From<leitai_store::$name> for $name {
            fn from(word: leitai_store::$name) -> $name {
                match word { $(leitai_store::$name::$word => $name::$word,)* }
            }
        }
        impl From<$name> for leitai_store::$name {
            fn from(word: $name) -> leitai_store::$name {
                match word { $($name::$word => leitai_store::$name::$word,)* }
            }
        }
    };
}

same_words!(MatchKind: Ladder Friendly People Show);
same_words!(MatchState: Waiting Queued Running Finished Void Cancelled);

/// Who plays, as it was when the match was made.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct EntrantBrief {
    /// A program or a person.
    kind: EntrantWord,
    /// Empty while the one who was invited is awaited.
    name: String,
    /// The bot's id; null for people.
    bot: Option<i64>,
    /// The version's number.
    version: Option<i32>,
    /// The account of the person, or of the bot's author.
    user: Option<String>,
    /// Whether it comes with Leitai.
    built_in: bool,
    /// Whether the bot, or the person's account, was deleted since.
    deleted: bool,
}

/// A program or a person.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum EntrantWord {
    Bot,
    Person,
}

impl From<Option<Entrant>> for EntrantBrief {
    fn from(entrant: Option<Entrant>) -> EntrantBrief {
        let entrant = entrant.unwrap_or_else(|| Entrant::person("", None));
        let kind = if entrant.kind == EntrantKind::Bot { EntrantWord::Bot } else { EntrantWord::Person };
        EntrantBrief {
            kind,
            deleted: entrant.is_deleted(),
            name: entrant.name,
            bot: entrant.bot.map(|bot| bot.0),
            version: entrant.number,
            user: entrant.user_name,
            built_in: entrant.built_in,
        }
    }
}

/// Who won.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum WinnerWord {
    /// The entrant named first.
    A,
    /// The other.
    B,
    /// Neither.
    Draw,
}

impl From<Winner> for WinnerWord {
    fn from(winner: Winner) -> WinnerWord {
        match winner {
            Winner::A => WinnerWord::A,
            Winner::B => WinnerWord::B,
            Winner::Draw => WinnerWord::Draw,
        }
    }
}

/// A text in both languages.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Words {
    /// English.
    pub en: String,
    /// 简体中文.
    pub zh: String,
}

impl From<leitai_game::Text> for Words {
    fn from(text: leitai_game::Text) -> Words {
        Words { en: text.en.to_owned(), zh: text.zh.to_owned() }
    }
}

/// What both entrants won or lost, in Elo.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, ToSchema)]
pub struct Change {
    a: f64,
    b: f64,
}

/// A match in a list.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct MatchBrief {
    /// Its id; later matches have larger ones.
    pub id: i64,
    /// The game's id.
    pub game: String,
    /// What it is for.
    pub kind: MatchKind,
    /// How far it is.
    pub state: MatchState,
    /// The entrant named first; it sits first in legs 1, 3, ….
    pub a: EntrantBrief,
    /// The other.
    pub b: EntrantBrief,
    /// Who won, once it is over.
    pub winner: Option<WinnerWord>,
    /// The rule that decided: `{id, en, zh}`.
    #[schema(value_type = Option<Object>)]
    pub reason: Option<Json>,
    /// One pair a finished leg, in the order of the entrants.
    #[schema(value_type = Vec<Vec<i32>>)]
    pub scores: Json,
    /// `{entrant, code}` for every fault.
    #[schema(value_type = Vec<Object>)]
    pub faults: Json,
    /// What both won or lost on the ladder, in Elo.
    pub rating_change: Option<Change>,
    /// When it was made.
    #[schema(value_type = String, format = DateTime)]
    pub created: Timestamp,
    /// When a worker took it last.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub started: Option<Timestamp>,
    /// When it was finished, void or cancelled.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub finished: Option<Timestamp>,
    /// Legs at most.
    pub legs: i32,
    /// The leg that is being played, from 1, while it is shown live.
    pub leg: Option<usize>,
    /// Its round.
    pub round: Option<u32>,
    /// Its last round, at most.
    pub rounds: Option<u32>,
}

impl From<leitai_store::MatchBrief> for MatchBrief {
    fn from(own: leitai_store::MatchBrief) -> MatchBrief {
        MatchBrief {
            id: own.id.0,
            game: own.game,
            kind: own.kind.into(),
            state: own.state.into(),
            a: own.a.into(),
            b: own.b.into(),
            winner: own.winner.map(WinnerWord::from),
            reason: own.reason,
            scores: own.scores.unwrap_or_else(|| Json::Array(Vec::new())),
            faults: own.faults.unwrap_or_else(|| Json::Array(Vec::new())),
            rating_change: change(own.a_change, own.b_change),
            created: own.created,
            started: own.started,
            finished: own.finished,
            legs: own.legs,
            leg: None,
            round: None,
            rounds: None,
        }
    }
}

/// The part of a match that lists show.
impl From<&leitai_store::Match> for MatchBrief {
    fn from(own: &leitai_store::Match) -> MatchBrief {
        MatchBrief::from(leitai_store::MatchBrief {
            id: own.id,
            game: own.game.clone(),
            kind: own.kind,
            state: own.state,
            a: own.a.clone(),
            b: own.b.clone(),
            legs: own.legs,
            created: own.created,
            started: own.started,
            finished: own.finished,
            winner: own.winner,
            reason: own.reason.clone(),
            scores: own.scores.clone(),
            faults: own.faults.clone(),
            a_change: own.a_change,
            b_change: own.b_change,
        })
    }
}

fn change(a: Option<f64>, b: Option<f64>) -> Option<Change> {
    let BySide { a, b } = BySide { a: tenths(a?), b: tenths(b?) };
    Some(Change { a, b })
}
