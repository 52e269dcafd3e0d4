//! An incremental hash for search and learning. Equal positions of one setup have equal keys,
//! whatever moves led to them; the canonical hash ([`leitai_game::Game::hash`]) is for files and
//! slower.

use leitai_game::Seat;
use leitai_game::rng::mix_seed;

use crate::action::{Action, Direction};
use crate::board::{Board, Cell};
use crate::position::{ActObserver, Position};
use crate::setup::Setup;

/// A position with an incrementally updated key.
///
/// ```
/// use leitai_snakego::{Action, Config, Setup, key::KeyedPosition};
/// let setup = Setup::deal(&Config::default(), 1)?;
/// let (mut one, mut other) = (KeyedPosition::start(&setup), KeyedPosition::start(&setup));
/// one.play_action(&setup, Action::Right);
/// assert_ne!(one.key(), other.key());
/// other.play_action(&setup, Action::Right);
/// assert_eq!(one.key(), other.key());
/// # Ok::<(), leitai_game::InvalidSetup>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyedPosition {
    position: Position,
    boards: Boards,
}

/// The part of the key for walls and links, updated with every change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Boards(u64);

impl KeyedPosition {
    /// The start of a leg.
    pub fn start(setup: &Setup) -> KeyedPosition {
        let mut boards = Boards(0);
        KeyedPosition {
            position: Position::start(setup, &mut boards),
            boards,
        }
    }

    /// The position.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// See [`Position::play_action`].
    #[inline]
    pub fn play_action(&mut self, setup: &Setup, action: Action) {
        self.position.play_action(setup, action, &mut self.boards);
    }

    /// The key of the current position.
    #[inline]
    pub fn key(&self) -> u64 {
        let rest = self.position.pack_rest();
        let mut key = self.boards.0 ^ mix_seed(rest[0], rest[1]);
        for seat in Seat::BOTH {
            for (place, snake) in self.position.snakes(seat).iter().enumerate() {
                let [cells, numbers] = snake.pack_words();
                let place = (place as u64) << 56 | (seat.index() as u64) << 60;
                key = key.wrapping_add(mix_words(cells | place, numbers));
            }
        }
        key
    }
}

/// Mixes two numbers by one wide multiplication.
#[inline]
fn mix_words(a: u64, b: u64) -> u64 {
    let wide = u128::from(a ^ 0x9e37_79b9_7f4a_7c15) * u128::from(b ^ 0xbf58_476d_1ce4_e5b9);
    (wide as u64) ^ (wide >> 64) as u64
}

impl ActObserver for Boards {
    #[inline]
    fn link(&mut self, cell: Cell, towards: Direction) {
        self.0 ^= RANDOM[usize::from(cell.0) << 2 | towards as usize];
    }

    #[cold]
    fn walls(&mut self, seat: Seat, changed: Board) {
        for cell in changed.cells() {
            self.0 ^= RANDOM[1024 + (usize::from(cell.0) << 1 | seat.index())];
        }
    }
}

static RANDOM: [u64; 1536] = {
    let mut table = [0; 1536];
    let mut i = 0;
    while i < table.len() {
        table[i] = mix_seed(0x5ea5_0f11_2e0b_1a7e, i as u64 + 1);
        i += 1;
    }
    table
};
