//! A game as numbers for machine learning: observations of a seat as planes and scalars, its
//! actions as indices.
//!
//! All numbers are relative to the seat. For the second seat the board is turned by 180 degrees,
//! and its actions with it: both seats start at the same place, "own" comes first, and one policy
//! plays both seats.
//!
//! All numbers are integers: a scalar has a scale by which it is to be divided, and a plane has one
//! bit for each cell.
//!
//! | module | noun |
//! |---|---|
//! | this | [`Encode`], what a game adds to [`Game`]; [`Layout`], the meaning of the numbers |
//! | [`packed`] | planes as bits in bytes |
//! | [`symmetry`] | the turns and reflections of the board |
//! | [`erased`] | a leg as numbers without type parameters, alone or against a built-in bot |
//! | [`play`] | what such legs do alike, whatever their actions are |

pub mod erased;
pub mod packed;
pub mod play;
pub mod symmetry;

pub use erased::{AnyEncoded, AnyEncodedLeg, AnySetupSource, Encoded};
pub use play::{AnyOpponent, Indices};
pub use symmetry::Symmetry;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::game::Game;
use crate::invalid::InvalidSetup;
use crate::seat::{BySeat, Seat};

/// A game whose positions and actions can be written as numbers.
/// `out` always has the size given by the [`Layout`] of the setup; its old content is overwritten.
/// A position is serialised as plain data and read back unchecked, so the data must be our own.
pub trait Encode: Game<Config: Send + Sync> + Serialize + DeserializeOwned {
    /// The meaning of the numbers in legs with this setup; the same for all setups of a config.
    fn describe_layout(setup: &Self::Setup) -> Layout;
    /// Writes the observation of this seat, plane after plane as [`packed`] bits. Fog applies: it
    /// contains nothing that the view hides.
    fn write_planes(&self, setup: &Self::Setup, seat: Seat, out: &mut [u8]);
    /// Writes the observation beside the board, each number to be divided by its [`Scalar::scale`].
    fn write_scalars(&self, setup: &Self::Setup, seat: Seat, out: &mut [i32]);
    /// Writes 1 for every index whose action is no fault and is not the same as that of another
    /// index, else 0, part after part. Called only for a seat that is asked.
    fn write_mask(&self, setup: &Self::Setup, seat: Seat, out: &mut [i8]);
    /// The action of these indices, one for each part; `None` if one is out of range. The action
    /// may still be illegal.
    fn decode_action(
        &self,
        setup: &Self::Setup,
        seat: Seat,
        indices: &[i64],
    ) -> Option<Self::Action>;
    /// Writes the indices that have the same effect as this action in this position.
    fn encode_action(&self, setup: &Self::Setup, seat: Seat, action: Self::Action, out: &mut [i64]);
    /// The position of this view (as JSON), as far as the view tells it, while the leg goes on. The
    /// seat's view and observation of it are exact; what the seat cannot know is left out (an
    /// unseen tank is nowhere, so it does not act). Everything runs over it that runs over any
    /// position; a view that no position has is refused.
    fn from_view(setup: &Self::Setup, view: &Value) -> Result<Self, InvalidSetup>;
    /// Whether this seat will not be asked again although the leg goes on, because only the other
    /// seat still plays.
    fn is_out(&self, _seat: Seat) -> bool {
        false
    }
    /// The winner if the leg ended here without a fault.
    fn certain_winner(&self) -> Option<Seat> {
        self.scores().leader()
    }
    /// Plays a step in which every asked seat has an action; the same as [`Game::step`] without a
    /// listener, in the fastest way of the game.
    fn play_actions(&mut self, setup: &Self::Setup, actions: BySeat<Option<Self::Action>>) {
        self.step(
            setup,
            actions.map_values(|action| action.map(crate::reply::Reply::Action)),
            &mut (),
        );
    }
}

/// The meaning of a game's numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Layout {
    /// The size of a cell's first index.
    pub rows: usize,
    /// The size of a cell's second index.
    pub cols: usize,
    pub planes: Vec<Plane>,
    pub scalars: Vec<Scalar>,
    /// The choices of every part of an action; most games have one part (TankCraft: one for each
    /// tank).
    pub parts: Vec<Vec<ActionChoice>>,
}

/// A plane: one bit a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plane {
    /// The name, such as `own_body`.
    pub name: &'static str,
    /// The meaning of a set bit, as part of a sentence.
    pub about: &'static str,
    /// For a plane of a direction: the direction as a change of row and column.
    pub points: Option<(i8, i8)>,
}

/// A number beside the planes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scalar {
    /// The name, such as `own_cells`.
    pub name: String,
    /// What it counts, with its unit.
    pub about: &'static str,
    /// The divisor that makes the number mostly lie between 0 and 1.
    pub scale: i32,
}

/// One choice in a part of an action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActionChoice {
    /// The name, such as `fire +1 -2`.
    pub name: String,
    /// For a choice with a direction: the direction as a change of row and column.
    pub points: Option<(i8, i8)>,
}

impl Layout {
    /// Bytes of all planes.
    pub fn packed_len(&self) -> usize {
        self.planes.len() * packed::plane_len(self.rows, self.cols)
    }

    /// The length of a mask: the choices of all parts.
    pub fn mask_len(&self) -> usize {
        self.parts.iter().map(Vec::len).sum()
    }
}

impl Plane {
    /// A plane without a direction.
    pub const fn new(name: &'static str, about: &'static str) -> Plane {
        Plane {
            name,
            about,
            points: None,
        }
    }

    /// A plane of one of several directions.
    pub const fn with_direction(
        name: &'static str,
        about: &'static str,
        points: (i8, i8),
    ) -> Plane {
        Plane {
            name,
            about,
            points: Some(points),
        }
    }
}

impl Scalar {
    /// A scalar.
    pub fn new(name: impl Into<String>, scale: i32, about: &'static str) -> Scalar {
        Scalar {
            name: name.into(),
            about,
            scale,
        }
    }
}

impl ActionChoice {
    /// A choice without a direction.
    pub fn new(name: impl Into<String>) -> ActionChoice {
        ActionChoice {
            name: name.into(),
            points: None,
        }
    }

    /// A choice with a direction.
    pub fn with_direction(name: impl Into<String>, points: (i8, i8)) -> ActionChoice {
        ActionChoice {
            name: name.into(),
            points: Some(points),
        }
    }
}
