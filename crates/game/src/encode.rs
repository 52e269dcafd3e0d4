//! A game as numbers, for programs that learn: what a seat sees as planes and scalars, what it can
//! say as indices.
//!
//! Everything is seen from the seat's own side. The board is turned by half a turn for the second
//! seat, and its actions with it: both seats see themselves start where the first one does, "own"
//! comes first, and one policy plays both.
//!
//! Whole numbers only: a scalar is a number and the scale that it is to be divided by, and a plane
//! is one bit a cell.
//!
//! | module | noun |
//! |---|---|
//! | this | [`Encode`], what a game adds to [`Game`]; [`Layout`], what the numbers mean |
//! | [`packed`] | planes as bits in bytes |
//! | [`symmetry`] | the turns and reflections of the board |
//! | [`erased`] | a leg in numbers without type parameters, alone or against a built-in bot |

pub mod erased;
pub mod packed;
pub mod symmetry;

pub use erased::{AnyEncoded, AnyEncodedLeg, AnyOpponent, AnySetupSource, Encoded, Indices};
pub use symmetry::Symmetry;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::game::Game;
use crate::invalid::InvalidSetup;
use crate::seat::{BySeat, Seat};

/// A game whose positions and actions can be written as numbers.
///
/// `out` always has the size that the [`Layout`] of the setup says; whatever it held is
/// overwritten. A position is written as plain data to be kept, and read back as it was: that data
/// is not checked, so it must be our own.
pub trait Encode: Game<Config: Send + Sync> + Serialize + DeserializeOwned {
    /// What the numbers of legs with this setup mean; the same for all setups of a config.
    fn describe_layout(setup: &Self::Setup) -> Layout;
    /// What this seat sees, plane after plane as [`packed`] bits. Fog holds: nothing that the view
    /// hides is in it.
    fn write_planes(&self, setup: &Self::Setup, seat: Seat, out: &mut [u8]);
    /// What this seat knows beside the board, each to be divided by its [`Scalar::scale`].
    fn write_scalars(&self, setup: &Self::Setup, seat: Seat, out: &mut [i32]);
    /// 1 for every index that may be said without a fault and is not the same as another one, part
    /// after part, else 0. Asked only for a seat that is asked.
    fn write_mask(&self, setup: &Self::Setup, seat: Seat, out: &mut [i8]);
    /// The action of these indices, one a part; `None` if one is out of range. The action may still
    /// be illegal.
    fn decode_action(
        &self,
        setup: &Self::Setup,
        seat: Seat,
        indices: &[i64],
    ) -> Option<Self::Action>;
    /// The indices that play as this action does here.
    fn encode_action(&self, setup: &Self::Setup, seat: Seat, action: Self::Action, out: &mut [i64]);
    /// The position as somebody knows it who is shown this view, serialised, while the leg goes on.
    /// In numbers it is the same for the seat whose view it is; what that seat cannot know is made
    /// up.
    fn from_view(setup: &Self::Setup, view: &Value) -> Result<Self, InvalidSetup>;
    /// Whether this seat will not be asked again although the leg goes on: only the other one still
    /// plays.
    fn is_out(&self, _seat: Seat) -> bool {
        false
    }
    /// Who would win if the leg ended here without a fault.
    fn certain_winner(&self) -> Option<Seat> {
        let [first, second] = self.scores().into_pair();
        match first.cmp(&second) {
            std::cmp::Ordering::Greater => Some(Seat::First),
            std::cmp::Ordering::Less => Some(Seat::Second),
            std::cmp::Ordering::Equal => None,
        }
    }
    /// Plays a step in which everybody who is asked says an action; the same as [`Game::step`]
    /// without a listener, on the game's fastest way.
    fn play_actions(&mut self, setup: &Self::Setup, actions: BySeat<Option<Self::Action>>) {
        self.step(
            setup,
            actions.map_values(|action| action.map(crate::reply::Reply::Action)),
            &mut (),
        );
    }
}

/// What the numbers of a game mean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The first index of a cell counts to this.
    pub rows: usize,
    /// The second one to this.
    pub cols: usize,
    /// The planes, in order.
    pub planes: Vec<Plane>,
    /// The scalars, in order.
    pub scalars: Vec<Scalar>,
    /// The choices of every part of an action; most games have one part (TankCraft: one a tank).
    pub parts: Vec<Vec<ActionChoice>>,
}

/// A plane: one bit a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plane {
    /// Its name: `own_body`.
    pub name: &'static str,
    /// What a set bit says, in one sentence part.
    pub about: &'static str,
    /// For a plane that shows a direction: where it points, as a change of row and column.
    pub points: Option<(i8, i8)>,
}

/// A number beside the planes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scalar {
    /// Its name: `own_cells`.
    pub name: String,
    /// What it counts, with its unit.
    pub about: &'static str,
    /// What it is to be divided by, so that it mostly lies between 0 and 1.
    pub scale: i32,
}

/// One choice in a part of an action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActionChoice {
    /// Its name: `fire +1 -2`.
    pub name: String,
    /// For a choice that points somewhere: where, as a change of row and column.
    pub points: Option<(i8, i8)>,
}

impl Layout {
    /// Bytes of all planes.
    pub fn packed_len(&self) -> usize {
        self.planes.len() * packed::plane_len(self.rows, self.cols)
    }

    /// Entries of a mask: the choices of all parts.
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

    /// A plane that shows one of several directions.
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

    /// A choice that points somewhere.
    pub fn with_direction(name: impl Into<String>, points: (i8, i8)) -> ActionChoice {
        ActionChoice {
            name: name.into(),
            points: Some(points),
        }
    }
}
