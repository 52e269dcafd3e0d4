//! The two entrants of a match, and who won.

use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};

/// One of the two entrants of a match. Not a seat: seats are swapped from leg to leg.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// The one named first.
    A,
    /// The other.
    B,
}

impl Side {
    /// Both.
    pub const ALL: [Side; 2] = [Side::A, Side::B];

    /// The opponent.
    pub const fn other(self) -> Side {
        match self {
            Side::A => Side::B,
            Side::B => Side::A,
        }
    }
}

/// Something that both entrants have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BySide<T> {
    /// Of the one named first.
    pub a: T,
    /// Of the other.
    pub b: T,
}

impl<T> BySide<T> {
    /// Of one of the two.
    pub fn of(&self, side: Side) -> &T {
        match side {
            Side::A => &self.a,
            Side::B => &self.b,
        }
    }

    /// Both, changed.
    pub fn map<U>(self, mut change: impl FnMut(T) -> U) -> BySide<U> {
        BySide { a: change(self.a), b: change(self.b) }
    }

    /// Both in order.
    pub fn both(self) -> [T; 2] {
        [self.a, self.b]
    }
}

/// How a match ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, EnumIter, DeriveActiveEnum)]
#[serde(rename_all = "lowercase")]
#[sea_orm(rs_type = "String", db_type = "String(StringLen::None)", rename_all = "lowercase")]
pub enum Winner {
    /// The entrant named first won.
    A,
    /// The other won.
    B,
    /// Neither.
    Draw,
}
