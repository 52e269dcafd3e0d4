//! A contest as its file says it: what is played, when, and what is shown.

use std::time::Duration;

use leitai_game::text::LocalizedText;
use leitai_ladder::tournament::TournamentFormat;
use serde::Serialize;
use serde_json::Value;

use crate::entry::{EntryRules, SourceLanguage};
use crate::standing::TieBreak;

/// A contest as its file says it, checked.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Contest {
    /// The name in addresses: lowercase letters, digits and hyphens.
    pub id: String,
    /// The title.
    pub title: LocalizedText,
    /// What it is about, in Markdown.
    pub text: LocalizedText,
    /// The game's id.
    pub game: String,
    /// The time zone's name, in which dates are shown.
    pub time_zone: String,
    /// The accounts that organise it beside administrators.
    pub organisers: Vec<String>,
    /// Who may enter.
    pub entry: EntryRules,
    /// How matches are played.
    pub matches: MatchRules,
    /// When submission opens, in seconds since 1970.
    pub opens: i64,
    /// When versions are chosen, in seconds since 1970.
    pub freezes: i64,
    /// From when standings are shown.
    pub standings: Visibility,
    /// From when replays of its matches are shown.
    pub replays: Visibility,
    /// Whether its matches become part of the arena's dataset, after the end.
    pub dataset: bool,
    /// Whether only its organisers and those who may enter it see it.
    pub private: bool,
    /// The situation packs that uploads of its bots are asked; not among what is shown, because some are
    /// hidden.
    #[serde(skip)]
    pub situations: Vec<PackRules>,
    /// The stages, in order.
    pub stages: Vec<StageRules>,
    /// What the best win, in Markdown.
    pub prizes: LocalizedText,
}

/// A situation pack that uploads of the contest's bots are asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackRules {
    /// The name of its file, which lies beside the contest's.
    pub file: String,
    /// Nobody but the organisers knows of it before this second since 1970.
    pub hidden_until: Option<i64>,
}

/// How matches are played.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct MatchRules {
    /// The most legs; `None`: the game's own.
    pub legs: Option<u8>,
    /// The time limit of a period; `None`: the game's own.
    #[serde(rename = "time-limit-ms", serialize_with = "as_millis")]
    pub time_limit: Option<Duration>,
    /// The time bank of a leg; `None`: none.
    #[serde(
        rename = "bank-ms",
        serialize_with = "as_millis",
        skip_serializing_if = "Option::is_none"
    )]
    pub bank: Option<Duration>,
    /// What every turn adds to the time bank.
    #[serde(
        rename = "increment-ms",
        serialize_with = "as_millis",
        skip_serializing_if = "Option::is_none"
    )]
    pub increment: Option<Duration>,
    /// How much later than the limit an answer counts, for a strike; `None`: not at all.
    #[serde(
        rename = "grace-ms",
        serialize_with = "as_millis",
        skip_serializing_if = "Option::is_none"
    )]
    pub grace: Option<Duration>,
    /// The strikes that a program may have in a leg, where there is a grace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strikes: Option<u32>,
    /// Whether a program keeps a file between the legs of a match.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub keeps: bool,
    /// The memory of a program in bytes; `None`: the arena's own.
    pub memory: Option<u64>,
    /// The seeds.
    pub seeds: SeedRules,
    /// Complete configs, used in turn.
    pub configs: Vec<Value>,
    /// Limits of some entrants alone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub handicaps: Vec<Handicap>,
}

/// Limits of some entrants alone, below those of the matches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Handicap {
    /// The accounts whose bots have them.
    pub accounts: Vec<String>,
    /// Versions that are written in one of these have them.
    pub languages: Vec<SourceLanguage>,
    /// The time limit of a period.
    #[serde(rename = "time-limit-ms", serialize_with = "as_millis")]
    pub time_limit: Option<Duration>,
    /// The memory of a program in bytes.
    pub memory: Option<u64>,
}

impl MatchRules {
    /// The time limit and the memory of an entrant alone, whose version was built so: the least of
    /// all handicaps that are its own. `is_own` says whether a name of the file means its account.
    pub fn own_limits(
        &self,
        is_own: impl Fn(&str) -> bool,
        how: Option<&str>,
    ) -> (Option<Duration>, Option<u64>) {
        let language = how.and_then(SourceLanguage::of_build);
        let own = self.handicaps.iter().filter(|one| {
            one.accounts.iter().any(|name| is_own(name))
                || language.is_some_and(|language| one.languages.contains(&language))
        });
        let own: Vec<&Handicap> = own.collect();
        (
            own.iter().filter_map(|one| one.time_limit).min(),
            own.iter().filter_map(|one| one.memory).min(),
        )
    }
}

impl MatchRules {
    /// The longest that a turn may take; `None`: the game's own limit.
    pub fn longest_turn(&self) -> Option<Duration> {
        let bank = self
            .bank
            .map(|bank| bank + self.increment.unwrap_or_default());
        self.time_limit.or(bank)
    }

    /// The longest that the turns of a leg may take one seat, if each may take so long.
    pub fn longest_leg(&self, turn: Duration, turns: u32) -> Duration {
        let limit = self.longest_turn().unwrap_or(turn).saturating_mul(turns);
        let more = self.increment.unwrap_or_default().saturating_mul(turns);
        let bank = self.bank.map(|bank| bank.saturating_add(more));
        bank.map_or(limit, |bank| bank.min(limit))
    }
}

fn as_millis<S: serde::Serializer>(time: &Option<Duration>, to: S) -> Result<S::Ok, S::Error> {
    let millis = time.map(|time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX));
    millis.serialize(to)
}

/// Where the seeds of matches come from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum SeedRules {
    /// Drawn when the contest is published; shown with each match.
    Drawn,
    /// Drawn when the contest is published; shown after the end, like the replays.
    Hidden,
    /// These, in turn.
    Fixed {
        /// The seeds.
        seeds: Vec<u64>,
    },
}

/// When something is shown to others than organisers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Visibility {
    /// Always.
    Always,
    /// After the end of the contest.
    End,
    /// From this second since 1970.
    From {
        /// The second.
        second: i64,
    },
}

impl Visibility {
    /// Whether it is shown at this second.
    pub fn is_shown(self, second: i64, is_over: bool) -> bool {
        match self {
            Visibility::Always => true,
            Visibility::End => is_over,
            Visibility::From { second: from } => is_over || second >= from,
        }
    }
}

/// A stage.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct StageRules {
    /// The name.
    pub name: LocalizedText,
    /// The format.
    pub format: StageFormat,
    /// Matches of each encounter.
    pub matches: u32,
    /// How many go on from the stage before; `None`: all.
    pub take: Option<u32>,
    /// Not before this second since 1970; `None`: when the stage before is over.
    pub starts: Option<i64>,
    /// What decides between entrants with equal points, in order; at last the better seed.
    pub tie_breaks: Vec<TieBreak>,
}

/// The format of a stage; numbers that depend on the entrants are filled in later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
#[allow(missing_docs, reason = "see TournamentFormat")]
pub enum StageFormat {
    RoundRobin { rounds: u32 },
    Gauntlet { heads: u32, rounds: u32 },
    Swiss { rounds: Option<u32> },
    Single,
    Double,
}

impl StageFormat {
    /// The format among so many players. A gauntlet always has one player who is no head.
    pub fn among(self, players: usize) -> TournamentFormat {
        match self {
            StageFormat::RoundRobin { rounds } => TournamentFormat::RoundRobin { cycles: rounds },
            StageFormat::Gauntlet { heads, rounds } => TournamentFormat::Gauntlet {
                heads: (heads as usize).clamp(1, players.saturating_sub(1).max(1)),
                cycles: rounds,
            },
            StageFormat::Swiss { rounds } => TournamentFormat::Swiss {
                rounds: rounds.unwrap_or(players.max(1).next_power_of_two().ilog2() + 1),
            },
            StageFormat::Single => TournamentFormat::Single,
            StageFormat::Double => TournamentFormat::Double,
        }
    }
}

impl StageRules {
    /// The number of players, of those who are in the stage before.
    pub fn count_players(&self, before: usize) -> usize {
        self.take.map_or(before, |take| before.min(take as usize))
    }
}

impl Contest {
    /// The players of every stage, with so many entrants.
    pub fn players_by_stage(&self, entrants: usize) -> Vec<usize> {
        let mut players = entrants;
        let count = |stage: &StageRules| {
            players = stage.count_players(players);
            players
        };
        self.stages.iter().map(count).collect()
    }
}
