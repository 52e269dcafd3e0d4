//! Offers of a rematch between two people whose match is over, and what the two say to each other
//! then. They are kept in this server process, like the tables of the lobby.

use std::collections::BTreeMap;
use std::time::Duration;

use leitai_store::{MatchEntrant, MatchSide};

use super::phrases::{Phrase, SpeechLimit};
use super::{HumanMatches, Opener};
use crate::sync::lock;

/// How long an offer waits for its answer.
pub const PATIENCE: Duration = Duration::from_secs(60);
/// How long the answer is kept for the one who asked.
const KEPT: Duration = Duration::from_secs(5 * 60);

/// The offers by the id of the match that is over.
pub type Rematches = BTreeMap<i64, Rematch>;

/// What people said after their matches, by the match's id.
pub type Partings = BTreeMap<i64, Parting>;

/// What the two people of a match said after it.
#[derive(Debug, Default)]
pub struct Parting {
    since: Duration,
    a: (SpeechLimit, Option<Phrase>),
    b: (SpeechLimit, Option<Phrase>),
}

/// An offer, and what came of it.
#[derive(Clone, Debug)]
pub struct Rematch {
    /// The side that asked, in the match that is over.
    pub by: MatchSide,
    /// The side that the asking person wants in the new match.
    pub wants: MatchSide,
    /// The person who asked.
    pub person: MatchEntrant,
    /// The same, for limits.
    pub opener: Opener,
    since: Duration,
    answer: Option<Answer>,
}

/// The answer to an offer.
#[derive(Clone, Debug)]
enum Answer {
    Declined,
    /// The new match, and the seat token of the person who asked.
    Accepted {
        id: i64,
        token: String,
    },
}

/// The state of an offer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RematchState {
    /// It waits for the answer.
    Open,
    /// Nobody answered in time.
    Expired,
    /// The other person does not want to.
    Declined,
    /// There is a match.
    Accepted {
        /// The new match.
        id: i64,
        /// The seat token of the person who asked.
        token: String,
    },
}

impl Rematch {
    fn state_at(&self, now: Duration) -> RematchState {
        match &self.answer {
            Some(Answer::Declined) => RematchState::Declined,
            Some(Answer::Accepted { id, token }) => RematchState::Accepted {
                id: *id,
                token: token.clone(),
            },
            None if now.saturating_sub(self.since) >= PATIENCE => RematchState::Expired,
            None => RematchState::Open,
        }
    }
}

impl HumanMatches {
    /// The last offer for a match that is over, and its state.
    pub fn rematch_of(&self, id: i64) -> Option<(Rematch, RematchState)> {
        let now = self.clock.elapsed();
        let rematches = lock(&self.rematches);
        let found = rematches.get(&id)?;
        Some((found.clone(), found.state_at(now)))
    }

    /// Offers a rematch; an earlier offer for the same match is replaced.
    pub fn offer_rematch(
        &self,
        id: i64,
        by: MatchSide,
        wants: MatchSide,
        (person, opener): (MatchEntrant, Opener),
    ) {
        let since = self.clock.elapsed();
        let mut rematches = lock(&self.rematches);
        rematches.retain(|_, old| since.saturating_sub(old.since) < KEPT);
        let answer = None;
        let offer = Rematch {
            by,
            wants,
            person,
            opener,
            since,
            answer,
        };
        rematches.insert(id, offer);
    }

    /// Notes that the offer led to this match, with the seat token of the person who asked.
    pub fn accept_rematch(&self, id: i64, new: i64, token: String) {
        if let Some(offer) = lock(&self.rematches).get_mut(&id) {
            offer.answer = Some(Answer::Accepted { id: new, token });
        }
    }

    /// Says something to the other person of a match that is over; `false` if that is too soon.
    pub fn say_parting(&self, id: i64, side: MatchSide, phrase: Phrase) -> bool {
        let now = self.clock.elapsed();
        let mut partings = lock(&self.partings);
        partings.retain(|_, old| now.saturating_sub(old.since) < KEPT);
        let parting = partings.entry(id).or_default();
        parting.since = now;
        let (limit, said) = match side {
            MatchSide::A => &mut parting.a,
            MatchSide::B => &mut parting.b,
        };
        let is_allowed = limit.allow_phrase(now);
        if is_allowed {
            *said = Some(phrase);
        }
        is_allowed
    }

    /// What the person on this side said last, after the match.
    pub fn parting_of(&self, id: i64, side: MatchSide) -> Option<Phrase> {
        let partings = lock(&self.partings);
        let parting = partings.get(&id)?;
        match side {
            MatchSide::A => parting.a.1,
            MatchSide::B => parting.b.1,
        }
    }

    /// Declines an offer, or takes the own one back; nothing happens without an open one.
    pub fn refuse_rematch(&self, id: i64, side: MatchSide) {
        let mut rematches = lock(&self.rematches);
        let Some(offer) = rematches.get_mut(&id) else {
            return;
        };
        if offer.answer.is_some() {
            return;
        }
        if offer.by == side {
            rematches.remove(&id);
        } else {
            offer.answer = Some(Answer::Declined);
        }
    }
}
