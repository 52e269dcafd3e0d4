//! The rules' interface. One position type implements one game; referee, viewers, bots and learning
//! environments use it through [`Game`] (or its type-erased form, [`crate::erased`]). Bots,
//! protocols, keys and the rest of a game are its [package](crate::package::GamePackage).

use std::fmt::{self, Debug};
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::hash::Fnv;
use crate::invalid::InvalidSetup;
use crate::reply::{Fault, Illegal, Reply};
use crate::rng::Rng;
use crate::seat::{BySeat, Entrant, Perspective, Seat};
use crate::text::{Text, TextOf};

/// A game, implemented by its position type.
///
/// All chance is drawn before the first move, so a [`Setup`](Game::Setup) determines everything; a
/// position is plain data beside a shared setup, and `clone()` copies it. No method may panic on a
/// position that was reached through [`start`](Game::start) and [`step`](Game::step), whatever the
/// replies were.
pub trait Game: Clone + Debug + PartialEq + Send + Sync + Sized + 'static {
    /// The choices made before chance is drawn (`--config key=value`).
    type Config: Default + Serialize + DeserializeOwned;
    /// The result of all chance. Deserialising validates, so every existing setup is valid.
    type Setup: Debug + PartialEq + Serialize + DeserializeOwned + Send + Sync;
    /// An answer of a seat in one step.
    type Action: Copy + Eq + Debug + Send;
    /// An event of a step, for viewers and logs. Viewers mark the cell of an event whose JSON has
    /// `"at": [row, column]`, `"cell": [row, column]`, or `"row"` and `"col"`, numbered as by
    /// [`axis_labels`](crate::package::PackageContents::axis_labels).
    type Event: Serialize;
    /// The knowledge of a perspective. Fog is implemented here and nowhere else.
    type View<'a>: Serialize;

    /// Name and constants of the game.
    const META: Meta;

    /// Draws the setup. The same config and seed always give the same setup.
    fn deal(config: &Self::Config, seed: u64) -> Result<Self::Setup, InvalidSetup>;
    /// The position before the first step.
    fn start(setup: &Self::Setup) -> Self;
    /// The seats that are asked now. `Nobody` once there is an outcome.
    fn to_move(&self) -> ToMove;
    /// The number of the current clock period; the clock restarts when it grows.
    fn period(&self) -> u32;
    /// The time limit of the current period, where it differs from [`Meta::period_limit`]
    /// (TankCraft: the choice of the team has more time than a round).
    fn period_limit(&self) -> Option<Duration> {
        None
    }
    /// The current round, from 1.
    fn round(&self) -> u32;
    /// The most rounds of a leg.
    fn max_rounds(setup: &Self::Setup) -> u32;
    /// Whether the action is no fault. The seat may still lose by a legal action.
    fn check_action(
        &self,
        setup: &Self::Setup,
        seat: Seat,
        action: Self::Action,
    ) -> Result<(), Illegal>;
    /// Appends the legal actions (one of each kind if they are too many to list).
    fn legal_actions(&self, setup: &Self::Setup, seat: Seat, out: &mut Vec<Self::Action>);
    /// A random legal action; `None` if the seat is not asked.
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
    /// Plays one step. It cannot fail: the rules define the cost of illegal actions and faults. A
    /// reply of a seat that is not asked is ignored; a missing reply of an asked seat counts as
    /// [`Fault::Timeout`].
    fn step(&mut self, setup: &Self::Setup, replies: Replies<Self>, sink: &mut dyn Sink<Self>);
    /// How the leg ended, if it has.
    fn outcome(&self) -> Option<Outcome>;
    /// Who won, if the leg has ended and somebody did: what random legs ask of their ends.
    fn winner(&self) -> Option<Seat> {
        self.outcome().and_then(|outcome| outcome.winner)
    }
    /// The current score.
    fn scores(&self) -> BySeat<i32>;
    /// The verdict of the match over its finished legs, in order; seats swap after every leg.
    fn decide_match(setup: &Self::Setup, legs: &[Self]) -> Verdict;

    /// The view of the position from a perspective.
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
    /// Reads the notation; `None` for any other text. The action may still be illegal.
    fn read_action(text: &str) -> Option<Self::Action>;

    /// Whether players may know everything. If not, a person who plays sees neither the replies of
    /// others nor events.
    fn is_open() -> bool {
        true
    }
}

/// The replies of one step.
pub type Replies<G> = BySeat<Option<Reply<<G as Game>::Action>>>;

/// Receives the events of a step. `()` ignores them.
pub trait Sink<G: Game> {
    /// Whether events are wanted; making them costs time.
    fn wants_events(&self) -> bool {
        true
    }
    /// Reports an event for viewers and logs.
    fn on_event(&mut self, _event: G::Event) {}
    /// Reports a checkpoint: replays keep its hash, traces print its state text. A step can have
    /// several (SnakeGo: the end of every player's turn, also of an empty one) or none (in the
    /// middle of a turn).
    fn on_checkpoint(&mut self, _setup: &G::Setup, _position: &G) {}
}

impl<G: Game> Sink<G> for () {
    fn wants_events(&self) -> bool {
        false
    }
}

/// Name and numbers of a game; somebody else keeps the texts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MetaOf<'a> {
    /// The id in commands, paths and replays, such as `snakego`.
    pub id: &'a str,
    /// The name for people.
    pub title: TextOf<'a>,
    /// One sentence for a list of games.
    pub about: TextOf<'a>,
    /// The rule set and its version, such as `snakego/1`. A replay is only verified under the same
    /// rule set.
    pub rules: &'a str,
    /// The default number of legs in a match.
    pub legs: usize,
    /// The default time limit of a period.
    pub period_limit: Duration,
    /// The most bytes of one message of a program.
    pub message_limit: usize,
}

/// Name and constants of a game that is compiled in.
pub type Meta = MetaOf<'static>;

/// The seats that are asked now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToMove {
    /// The leg is over.
    Nobody,
    /// One seat.
    One(Seat),
    /// Both seats, neither knowing the other's answer.
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

/// How a leg ended: winner and reason, apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// The winner of the leg; `None` is a draw.
    pub winner: Option<Seat>,
    /// The scores of the leg, as they count for the match.
    pub scores: BySeat<i32>,
    /// The rule that ended the leg.
    pub reason: Reason,
    /// The fault of each seat, if it ended the leg.
    pub faults: BySeat<Option<Fault>>,
    /// Whether the match goes on.
    pub scope: Scope,
}

/// What an outcome ends.
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
    /// The entrant with the larger number wins by this rule; `None` if both are equal and the next
    /// rule decides.
    pub fn by_more([a, b]: [i64; 2], reason: Reason) -> Option<Verdict> {
        let winner = if a > b { Entrant::A } else { Entrant::B };
        (a != b).then_some(Verdict {
            winner: Some(winner),
            reason,
        })
    }
}

/// Sums a number over the legs of a match for the entrants A and B, who swap seats after every leg.
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

/// A rule that decides a leg or a match, from the list of the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reason {
    /// The stable id for programs, such as `total-score`.
    pub id: &'static str,
    /// The text for people, as a part of a sentence: "by total score".
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
