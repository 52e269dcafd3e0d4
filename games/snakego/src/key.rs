//! An incremental hash for search and learning. Equal positions of one setup have equal keys,
//! whatever moves led to them; the canonical hash ([`leitai_game::Game::hash`]) is for files and
//! slower.

use leitai_game::rng::mix_seed;

use crate::action::{Action, Direction};
use crate::board::{Board, Cell};
use crate::position::{ActObserver, MAX_SNAKES, Position, Snake};
use crate::setup::Setup;
use leitai_game::Seat;

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
    #[doc(hidden)] // For tests.
    pub position: Position,
    parts: Parts,
}

/// The parts of the key that are updated with every change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Parts {
    /// All parts, but for the turn.
    key: u64,
    /// The parts for the places of snakes, of those without one too.
    snakes: [[u64; MAX_SNAKES]; 2],
    /// The part for the next id.
    next_id: u64,
    /// The seats of which more changed than the snake that moves: bit n for the index n.
    changed: u8,
}

impl KeyedPosition {
    /// The start of a leg.
    pub fn start(setup: &Setup) -> KeyedPosition {
        let mut keyed = KeyedPosition::BEFORE_FIRST_ROUND;
        keyed.position.begin_leg(setup, &mut keyed.parts);
        keyed.count_changed();
        keyed
    }

    /// Counts the parts of both sides' snakes from the position alone.
    #[doc(hidden)] // For tests.
    pub fn count_snakes_anew(&mut self) {
        for seat in 0..2 {
            self.parts.count_snakes(&self.position, seat);
        }
    }

    const BEFORE_FIRST_ROUND: KeyedPosition = {
        let position = Position::BEFORE_FIRST_ROUND;
        let parts = Parts::count(&position);
        KeyedPosition { position, parts }
    };

    /// The position.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// See [`Position::play_action`].
    #[inline(always)]
    pub fn play_action(&mut self, setup: &Setup, action: Action) {
        self.position.play_action(setup, action, &mut self.parts);
        self.count_changed();
    }

    #[inline]
    fn count_changed(&mut self) {
        if self.parts.changed != 0 {
            self.parts.count_changed(&self.position);
        }
    }

    /// The key of the current position.
    #[inline]
    pub fn key(&self) -> u64 {
        self.parts.key ^ mix_words(self.position.pack_turn(), 0)
    }
}

impl Parts {
    /// The parts of a position without walls and links.
    const fn count(position: &Position) -> Parts {
        let mut parts = Parts {
            key: 0,
            snakes: [[0; MAX_SNAKES]; 2],
            next_id: 0,
            changed: 0,
        };
        parts.count_snakes(position, 0);
        parts.count_snakes(position, 1);
        parts
    }

    #[cold]
    fn count_changed(&mut self, position: &Position) {
        while self.changed != 0 {
            self.count_snakes(position, self.changed.trailing_zeros() as usize);
            self.changed &= self.changed - 1;
        }
    }

    /// Counts all snakes of a seat, and the next id, again.
    const fn count_snakes(&mut self, position: &Position, seat: usize) {
        let next_id = mix_words(0, position.next_id() as u64);
        self.key ^= std::mem::replace(&mut self.next_id, next_id) ^ next_id;
        let mut index = 0;
        while index < MAX_SNAKES {
            let place = seat * MAX_SNAKES + index;
            let key = key_of_snake(place, position.snake_at_place(place));
            self.key ^= std::mem::replace(&mut self.snakes[seat][index], key) ^ key;
            index += 1;
        }
    }
}

/// The part of the key for the snake at a place.
#[inline]
const fn key_of_snake(place: usize, snake: &Snake) -> u64 {
    let [place, numbers] = snake.pack_for_key(place);
    mix_words(place, numbers)
}

/// Mixes two numbers by one wide multiplication.
#[inline]
const fn mix_words(a: u64, b: u64) -> u64 {
    let wide = (a ^ 0x9e37_79b9_7f4a_7c15) as u128 * (b ^ 0xbf58_476d_1ce4_e5b9) as u128;
    (wide as u64) ^ (wide >> 64) as u64
}

impl ActObserver for Parts {
    #[inline]
    fn link(&mut self, cell: Cell, towards: Direction) {
        self.key ^= RANDOM[usize::from(cell.0) << 2 | towards as usize];
    }

    #[inline]
    fn moved(&mut self, place: usize, snake: &Snake) {
        let key = key_of_snake(place, snake);
        self.key ^= std::mem::replace(&mut self.snakes.as_flattened_mut()[place], key) ^ key;
    }

    #[cold]
    fn snakes(&mut self, seat: Seat) {
        self.changed |= 1 << seat.index();
    }

    #[cold]
    fn walls(&mut self, seat: Seat, changed: Board) {
        for cell in changed.cells() {
            self.key ^= RANDOM[1024 + (usize::from(cell.0) << 1 | seat.index())];
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
