//! The rules' interface. One position type implements one game; the referee, the viewers, the bots
//! and the researchers' environments all speak to it through [`Game`] (or its erased face,
//! [`crate::erased`]). What else a game brings, bots, protocols, keys and the like, is its
//! [package](crate::package::GamePackage).

use std::fmt::{self, Debug};
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::hash::Fnv;
use crate::invalid::InvalidSetup;
use crate::reply::{Fault, Illegal, Reply};
use crate::rng::Rng;
use crate::seat::{BySeat, Entrant, Perspective, Seat};
use crate::text::Text;

/// A game: the position itself implements it.
///
/// All chance falls before the first move, so a [`Setup`](Game::Setup) is all there is to know; a
/// position is plain data beside a shared setup, and `clone()` copies it. No method may panic on a
/// position that was reached through [`start`](Game::start) and [`step`](Game::step), whatever the
/// replies were.
pub trait Game: Clone + Debug + PartialEq + Send + Sync + Sized + 'static {
    /// Choices made before chance falls (`--config key=value`).
    type Config: Default + Serialize + DeserializeOwned;
    /// Chance already drawn. Deserialising validates, so that a setup which exists is sound.
    type Setup: Debug + PartialEq + Serialize + DeserializeOwned + Send + Sync;
    /// What a seat may say in one step.
    type Action: Copy + Eq + Debug + Send;
    /// What a step did, for viewers and logs. Viewers mark the cell of an event whose JSON has
    /// `"at": [row, column]`, `"cell": [row, column]`, or `"row"` and `"col"`, numbered as by
    /// [`axis_labels`](crate::package::PackageContents::axis_labels).
    type Event: Serialize;
    /// What is known from a perspective. Fog is here and nowhere else.
    type View<'a>: Serialize;

    /// Names and numbers of the game.
    const META: Meta;

    /// Draws the setup. The same config and seed always give the same setup.
    fn deal(config: &Self::Config, seed: u64) -> Result<Self::Setup, InvalidSetup>;
    /// The position before the first step.
    fn start(setup: &Self::Setup) -> Self;
    /// Who is asked now: a property of the moment, not of the game. `NoHumans` once there is an
    /// outcome.
    fn to_move(&self) -> ToMove;
    /// What a clock counts; the clock starts anew when it grows.
    fn period(&self) -> u32;
    /// Time for the period that runs now, where it differs from [`Meta::period_limit`] (TankCraft:
    /// the choice of the team has longer than a round).
    fn period_limit(&self) -> Option<Duration> {
        None
    }
    /// The round being played, from 1.
    fn round(&self) -> u32;
    /// The last round a leg can have.
    fn max_rounds(setup: &Self::Setup) -> u32;
    /// Whether the action may be said without a fault; whether one survives it is another question.
    fn check_action(
        &self,
        setup: &Self::Setup,
        seat: Seat,
        action: Self::Action,
    ) -> Result<(), Illegal>;
    /// Appends the actions that may be said without a fault (where they are too many to list, one
    /// of each kind).
    fn legal_actions(&self, setup: &Self::Setup, seat: Seat, out: &mut Vec<Self::Action>);
    /// A random legal action; `None` when the seat is not asked.
    fn sample_action(
        &self,
        setup: &Self::Setup,
        seat: Seat,
        rng: &mut Rng,
    ) -> Option<Self::Action> {
        let mut legal = Vec::new();
        self.legal_actions(setup, seat, &mut legal);
        legal.get(rng.next_below(legal.len())).copied()
    }
    /// Plays one step. Never fails: an illegal action or a fault costs what the rules say. A reply
    /// of a seat that is not asked is ignored; a missing reply of one that is counts as
    /// [`Fault::Timeout`].
    fn step(&mut self, setup: &Self::Setup, replies: Replies<Self>, sink: &mut dyn Sink<Self>);
    /// How the leg ended, once it has.
    fn outcome(&self) -> Option<Outcome>;
    /// The score as it stands.
    fn scores(&self) -> BySeat<i32>;
    /// The match's verdict over its finished legs, in order; seats swap after every leg.
    fn decide_match(setup: &Self::Setup, legs: &[Self]) -> Verdict;

    /// What is known of the position from a perspective.
    fn view<'a>(&'a self, setup: &'a Self::Setup, perspective: Perspective) -> Self::View<'a>;
    /// The canonical state text: equal texts mean equal positions.
    fn state_text(&self, setup: &Self::Setup, out: &mut dyn fmt::Write) -> fmt::Result;
    /// FNV-1a 64 of the canonical state text.
    fn hash(&self, setup: &Self::Setup) -> u64 {
        let mut fnv = Fnv::default();
        self.state_text(setup, &mut fnv)
            .expect("hashing never fails to write");
        fnv.0
    }
    /// The action's notation: ASCII without white space, `/` or `!`.
    fn write_action(action: Self::Action) -> String;
    /// Reads the notation; `None` for anything else. The action may still be illegal.
    fn read_action(text: &str) -> Option<Self::Action>;

    /// Whether a player may know everything. Where not, a person who plays sees neither what others
    /// said nor events.
    fn is_open() -> bool {
        true
    }
}

/// The replies of one step.
pub type Replies<G> = BySeat<Option<Reply<<G as Game>::Action>>>;

/// Receives what happens inside a step. `()` ignores it.
pub trait Sink<G: Game> {
    /// Something happened that viewers or logs show.
    fn on_event(&mut self, _event: G::Event) {}
    /// A moment whose canonical state counts: replays keep its hash, traces print its text. A step
    /// can pass several (SnakeGo: the end of every player's turn, also of an empty one) or none (in
    /// the middle of a turn).
    fn on_checkpoint(&mut self, _setup: &G::Setup, _position: &G) {}
}

impl<G: Game> Sink<G> for () {}

/// Names and numbers of a game.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Meta {
    /// The id in commands, paths and replays: `snakego`.
    pub id: &'static str,
    /// The name that people read.
    pub title: Text,
    /// One sentence for a list of games.
    pub about: Text,
    /// The rule set and its version: `snakego/1`. A replay is only verified under the same rule
    /// set.
    pub rules: &'static str,
    /// Legs in a match by default.
    pub legs: usize,
    /// Time for a period by default.
    pub period_limit: Duration,
    /// Bytes in one message of a program at most.
    pub message_limit: usize,
}

/// Who is asked in this moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToMove {
    /// The leg is over.
    Nobody,
    /// One seat.
    One(Seat),
    /// Both, without seeing each other's answer.
    Both,
}

impl ToMove {
    /// Whether this seat is asked.
    pub fn asks_seat(self, seat: Seat) -> bool {
        match self {
            ToMove::Nobody => false,
            ToMove::One(asked) => asked == seat,
            ToMove::Both => true,
        }
    }
}

/// How a leg ended: who and why apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// Who won the leg; `None` is a draw.
    pub winner: Option<Seat>,
    /// The leg's scores, as they count for the match.
    pub scores: BySeat<i32>,
    /// Why.
    pub reason: Reason,
    /// What each seat did wrong, if that ended the leg.
    pub faults: BySeat<Option<Fault>>,
    /// Whether the match goes on.
    pub scope: Scope,
}

/// What an outcome decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// Only this leg; the other legs are still played.
    Leg,
    /// The whole match: no further leg is played.
    Match,
}

/// Who won the match, and by which rule.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Verdict {
    /// `None` is a draw.
    pub winner: Option<Entrant>,
    /// The rule that decided.
    pub reason: Reason,
}

impl Verdict {
    /// The entrant with the larger number wins by this rule; `None` where both are equal and the
    /// next rule is asked.
    pub fn by_more([a, b]: [i64; 2], reason: Reason) -> Option<Verdict> {
        let winner = if a > b { Entrant::A } else { Entrant::B };
        (a != b).then_some(Verdict {
            winner: Some(winner),
            reason,
        })
    }
}

/// Adds up something over the legs of a match for the entrants A and B, who swap seats after every
/// leg.
pub fn sum_by_entrant(outcomes: &[Outcome], of: impl Fn(&Outcome, Seat) -> i64) -> [i64; 2] {
    let of_leg = |entrant: Entrant, (leg, outcome)| of(outcome, entrant.seat_in_leg(leg));
    Entrant::BOTH.map(|entrant| {
        outcomes
            .iter()
            .enumerate()
            .map(|leg| of_leg(entrant, leg))
            .sum()
    })
}

/// Legs won by the entrants A and B.
pub fn legs_won(outcomes: &[Outcome]) -> [i64; 2] {
    sum_by_entrant(outcomes, |outcome, seat| {
        i64::from(outcome.winner == Some(seat))
    })
}

/// A rule that decides a leg or a match, from the game's own list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reason {
    /// Stable id for machines: `total-score`.
    pub id: &'static str,
    /// For people, as a sentence part: "by total score".
    pub text: Text,
}

impl Reason {
    /// A rule with its stable id and its text in both languages.
    pub const fn new(id: &'static str, en: &'static str, zh: &'static str) -> Reason {
        Reason {
            id,
            text: Text { en, zh },
        }
    }
}
