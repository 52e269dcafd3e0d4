//! A [`Seat`] is a place in one leg. An [`Entrant`] plays a whole match and changes seats from leg
//! to leg.

use std::cmp::Ordering;
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

use serde::de::Deserializer;
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};

/// A place in one leg.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Seat {
    /// Moves first, or is named first if both move at once (SnakeGo's player 0, KOB's A,
    /// TankCraft's red).
    First,
    /// The other place.
    Second,
}

/// One of the two that play a match. `A` plays first in leg 1, and the two swap seats after every
/// leg.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Entrant {
    /// Plays on [`Seat::First`] in legs 1, 3, …
    A,
    /// Plays on [`Seat::First`] in legs 2, 4, …
    B,
}

/// A type with exactly two values, so that a [`PerKey`] can be indexed by it.
pub trait BinaryKey: Copy + Eq + 'static {
    /// Both values, in order.
    const BOTH: [Self; 2];

    /// 0 for the first value, 1 for the second.
    fn index(self) -> usize {
        usize::from(self == Self::BOTH[1])
    }

    /// The other value.
    fn other(self) -> Self {
        Self::BOTH[1 - self.index()]
    }
}

impl BinaryKey for Seat {
    const BOTH: [Self; 2] = [Seat::First, Seat::Second];
}

impl BinaryKey for Entrant {
    const BOTH: [Self; 2] = [Entrant::A, Entrant::B];
}

impl Seat {
    /// Both seats, in order.
    pub const BOTH: [Seat; 2] = [Seat::First, Seat::Second];

    /// 0 for `First`, 1 for `Second`.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The opponent's seat.
    #[inline]
    pub const fn other(self) -> Seat {
        match self {
            Seat::First => Seat::Second,
            Seat::Second => Seat::First,
        }
    }

    /// The entrant on this seat in the leg with this index (from 0).
    pub const fn entrant_in_leg(self, leg: usize) -> Entrant {
        match (self, leg % 2) {
            (Seat::First, 0) | (Seat::Second, 1) => Entrant::A,
            _ => Entrant::B,
        }
    }
}

impl Entrant {
    /// Both entrants, in order.
    pub const BOTH: [Entrant; 2] = [Entrant::A, Entrant::B];

    /// 0 for `A`, 1 for `B`.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The opponent.
    pub const fn other(self) -> Entrant {
        match self {
            Entrant::A => Entrant::B,
            Entrant::B => Entrant::A,
        }
    }

    /// The seat of this entrant in the leg with this index (from 0).
    pub const fn seat_in_leg(self, leg: usize) -> Seat {
        match (self, leg % 2) {
            (Entrant::A, 0) | (Entrant::B, 1) => Seat::First,
            _ => Seat::Second,
        }
    }
}

impl fmt::Display for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if *self == Seat::First {
            "first"
        } else {
            "second"
        })
    }
}

impl fmt::Display for Entrant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if *self == Entrant::A { "A" } else { "B" })
    }
}

/// A pair that is indexed by its key only, never by a bare number.
///
/// ```
/// use leitai_game::{BySeat, Seat};
/// let mut score = BySeat::new(3, 5);
/// score[Seat::First] += 1;
/// assert_eq!(score, BySeat::new(4, 5));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PerKey<K, T> {
    pair: [T; 2],
    key: PhantomData<K>,
}

/// A value for each seat.
pub type BySeat<T> = PerKey<Seat, T>;
/// A value for each entrant.
pub type ByEntrant<T> = PerKey<Entrant, T>;

impl<K: BinaryKey, T> PerKey<K, T> {
    /// From the value of the first key and the value of the second.
    pub const fn new(first: T, second: T) -> Self {
        PerKey {
            pair: [first, second],
            key: PhantomData,
        }
    }

    /// From a function of the key.
    pub fn from_fn(mut f: impl FnMut(K) -> T) -> Self {
        PerKey::new(f(K::BOTH[0]), f(K::BOTH[1]))
    }

    /// Applies `f` to both.
    pub fn map_values<U>(self, mut f: impl FnMut(T) -> U) -> PerKey<K, U> {
        let [a, b] = self.pair;
        PerKey::new(f(a), f(b))
    }

    /// Both as references.
    pub fn each_ref(&self) -> PerKey<K, &T> {
        PerKey::new(&self.pair[0], &self.pair[1])
    }

    /// Keys with their values, in order.
    pub fn iter_pairs(&self) -> impl Iterator<Item = (K, &T)> {
        K::BOTH.into_iter().zip(&self.pair)
    }

    /// Keys with their values, in order.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (K, &mut T)> {
        K::BOTH.into_iter().zip(&mut self.pair)
    }

    /// The two values, in order.
    pub fn into_pair(self) -> [T; 2] {
        self.pair
    }

    /// The same pair with its values exchanged.
    pub fn swap_values(self) -> Self {
        let [a, b] = self.pair;
        PerKey::new(b, a)
    }
}

impl<K: BinaryKey, T: Ord> PerKey<K, T> {
    /// The key with the larger value.
    pub fn leader(&self) -> Option<K> {
        match self.pair[0].cmp(&self.pair[1]) {
            Ordering::Greater => Some(K::BOTH[0]),
            Ordering::Less => Some(K::BOTH[1]),
            Ordering::Equal => None,
        }
    }
}

impl<K: BinaryKey, T: Default> Default for PerKey<K, T> {
    fn default() -> Self {
        PerKey::new(T::default(), T::default())
    }
}

impl<K: BinaryKey, T> Index<K> for PerKey<K, T> {
    type Output = T;
    #[inline]
    fn index(&self, key: K) -> &T {
        &self.pair[key.index()]
    }
}

impl<K: BinaryKey, T> IndexMut<K> for PerKey<K, T> {
    #[inline]
    fn index_mut(&mut self, key: K) -> &mut T {
        &mut self.pair[key.index()]
    }
}

/// By seat as `[first, second]`, by entrant as `[A, B]`.
impl<K, T: Serialize> Serialize for PerKey<K, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.pair.serialize(serializer)
    }
}

impl<'de, K, T: Deserialize<'de>> Deserialize<'de> for PerKey<K, T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(PerKey {
            pair: <[T; 2]>::deserialize(deserializer)?,
            key: PhantomData,
        })
    }
}

/// The knowledge with which a position is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Perspective {
    /// The knowledge of a player.
    Seat(Seat),
    /// Everything.
    All,
}
