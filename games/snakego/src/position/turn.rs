//! Whose turn it is.

use leitai_game::Seat;
use serde::{Deserialize, Serialize};

/// The most snakes of a side.
pub const MAX_SNAKES: usize = 4;

/// The places that have a snake, and the acting one's. Places 0 to 3 are those of the first seat, 4
/// to 7 those of the second, in the order of their actions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "TurnFields", into = "TurnFields")]
#[doc(hidden)] // For tests.
pub struct Turn {
    /// Bit n: place n has a snake.
    living: u8,
    acting: u8,
}

/// As it is written.
#[derive(Serialize, Deserialize)]
struct TurnFields {
    counts: [u8; 2],
    seat: Seat,
    cursor: u8,
}

impl Turn {
    /// The first of one snake each.
    pub(super) const START: Turn = Turn {
        living: 0b1_0001,
        acting: 0,
    };

    /// The turn of the snake at an index of a seat.
    #[doc(hidden)] // For tests.
    pub fn new(counts: [u8; 2], seat: Seat, cursor: u8) -> Turn {
        let [first, second] = counts.map(|count| (1 << count.min(MAX_SNAKES as u8)) - 1);
        Turn {
            living: first | second << MAX_SNAKES,
            acting: place_of(seat, cursor & 3),
        }
    }

    /// The seat to move.
    #[inline]
    pub(super) fn seat(self) -> Seat {
        if self.place() >> 2 == 0 {
            Seat::First
        } else {
            Seat::Second
        }
    }

    /// The index of the acting snake among those of its seat.
    #[inline]
    pub(super) fn cursor(self) -> u8 {
        self.acting & 3
    }

    /// The place of the acting snake.
    #[inline]
    pub(super) fn place(self) -> usize {
        // The compiler learns from it that the place is one of eight.
        (self.acting & 7).into()
    }

    /// [`Turn::place`] as a number for the hash.
    #[inline]
    pub(super) fn acting(self) -> u8 {
        self.acting
    }

    /// The number of snakes of a seat.
    #[inline]
    pub(super) fn count(self, seat: Seat) -> usize {
        (self.living >> place_of(seat, 0) & 15).count_ones() as usize
    }

    /// Whether no snake is left.
    #[inline]
    pub(super) fn is_over(self) -> bool {
        self.living == 0
    }

    /// Whether the seat to move may have one more snake.
    #[inline]
    #[doc(hidden)] // For tests.
    pub fn has_room(self) -> bool {
        self.living >> (self.acting & 7 | 3) & 1 == 0
    }

    /// One more snake of the seat to move.
    #[doc(hidden)] // For tests.
    pub fn add(&mut self) {
        let of_seat = 15 << (self.acting & 4);
        self.living |= self.living << 1 & of_seat;
    }

    /// The snake at an index of a seat is gone; those behind it move up, and with them the turn.
    #[doc(hidden)] // For tests.
    pub fn remove(&mut self, seat: Seat, index: usize) {
        let of_seat = 15 << place_of(seat, 0);
        self.living = self.living & !of_seat | (self.living & of_seat) >> 1 & of_seat;
        if seat == self.seat() && index < usize::from(self.cursor()) {
            self.acting -= 1;
        }
    }

    /// The place of the next snake of the round, so many places on; `None` if it is over.
    #[inline]
    #[doc(hidden)] // For tests.
    pub fn next(self, passed: u8) -> Option<u8> {
        let from = u32::from(self.acting) + u32::from(passed);
        let later = u32::from(self.living) >> from;
        (later != 0).then(|| (from + later.trailing_zeros()) as u8)
    }

    /// The first of these places, as a bit set, that has a snake.
    #[inline]
    pub(super) fn first_of(self, places: u8) -> Option<usize> {
        let there = self.living & places;
        (there != 0).then(|| there.trailing_zeros() as usize)
    }

    /// The first place of a round with a snake.
    #[inline]
    pub(super) fn first(self) -> u8 {
        self.living.trailing_zeros() as u8 & 7
    }

    /// Makes it the turn of the snake at this place.
    #[inline]
    pub(super) fn go_to(&mut self, place: u8) {
        self.acting = place;
    }

    /// Goes to the beginning of a seat's turn, whether or not it has snakes.
    #[inline]
    pub(super) fn begin(&mut self, seat: Seat) {
        self.acting = place_of(seat, 0);
    }
}

#[inline]
#[doc(hidden)] // For tests.
pub fn place_of(seat: Seat, index: u8) -> u8 {
    (seat.index() * MAX_SNAKES) as u8 + index
}

impl From<TurnFields> for Turn {
    fn from(fields: TurnFields) -> Turn {
        Turn::new(fields.counts, fields.seat, fields.cursor)
    }
}

impl From<Turn> for TurnFields {
    fn from(turn: Turn) -> TurnFields {
        TurnFields {
            counts: Seat::BOTH.map(|seat| turn.count(seat) as u8),
            seat: turn.seat(),
            cursor: turn.cursor(),
        }
    }
}
