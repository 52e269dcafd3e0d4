//! An incremental hash for search and learning. Equal positions of one setup have equal keys,
//! whatever moves led to them; the canonical hash ([`leitai_game::Game::hash`]) is for files and
//! slower.

use leitai_game::Seat;
use leitai_game::rng::mix_seed;

use crate::action::{Action, Direction};
use crate::board::{Board, Cell};
use crate::position::{ActObserver, MAX_SNAKES, Position, Snake};
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
    /// The keys of the snakes, and the sum of those that live.
    snakes: [u64; 2 * MAX_SNAKES],
    sum: u64,
}

/// The part of the key for walls and links, updated with every change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Boards {
    key: u64,
    /// Whether more changed than the snake that acts.
    more_changed: bool,
}

impl KeyedPosition {
    /// The start of a leg.
    pub fn start(setup: &Setup) -> KeyedPosition {
        let mut boards = Boards {
            key: 0,
            more_changed: false,
        };
        let position = Position::start(setup, &mut boards);
        let mut keyed = KeyedPosition {
            position,
            boards,
            snakes: NO_SNAKES,
            sum: 0,
        };
        keyed.count_snakes();
        keyed
    }

    /// The position.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// See [`Position::play_action`].
    #[inline(always)]
    pub fn play_action(&mut self, setup: &Setup, action: Action) {
        let place = self.position.place_of_acting();
        self.position.play_action(setup, action, &mut self.boards);
        if self.boards.more_changed {
            return self.count_snakes();
        }
        // At the end of a leg nothing changes, wherever this place is.
        let key = key_of_snake(&self.position, place);
        let known = std::mem::replace(&mut self.snakes[place], key);
        self.sum = self.sum.wrapping_add(key.wrapping_sub(known));
    }

    #[cold]
    fn count_snakes(&mut self) {
        self.boards.more_changed = false;
        self.snakes = NO_SNAKES;
        self.sum = 0;
        for seat in Seat::BOTH {
            let first = seat.index() * MAX_SNAKES;
            for place in first..first + self.position.snakes(seat).len() {
                let key = key_of_snake(&self.position, place);
                self.snakes[place] = key;
                self.sum = self.sum.wrapping_add(key);
            }
        }
    }

    /// The key of the current position.
    #[inline]
    pub fn key(&self) -> u64 {
        let rest = self.position.pack_rest_as_stored();
        let key = self.boards.key ^ mix_words(rest[0], rest[1]);
        key.wrapping_add(self.sum)
    }
}

/// The part of the key for the snake at a place: see [`Position::snake_words`].
#[inline]
fn key_of_snake(position: &Position, place: usize) -> u64 {
    let [cells, numbers] = position.snake_words(place);
    mix_words(cells | (place as u64) << 16, numbers)
}

/// The parts of the key for places without a snake, which do not count.
const NO_SNAKES: [u64; 2 * MAX_SNAKES] = {
    let mut keys = [0; 2 * MAX_SNAKES];
    let [cells, numbers] = Snake::NONE.pack_as_stored();
    let mut place = 0;
    while place < keys.len() {
        keys[place] = mix_words(cells | (place as u64) << 16, numbers);
        place += 1;
    }
    keys
};

/// Mixes two numbers by one wide multiplication.
#[inline]
const fn mix_words(a: u64, b: u64) -> u64 {
    let wide = (a ^ 0x9e37_79b9_7f4a_7c15) as u128 * (b ^ 0xbf58_476d_1ce4_e5b9) as u128;
    (wide as u64) ^ (wide >> 64) as u64
}

impl ActObserver for Boards {
    #[inline]
    fn link(&mut self, cell: Cell, towards: Direction) {
        self.key ^= RANDOM[usize::from(cell.0) << 2 | towards as usize];
    }

    #[cold]
    fn snakes(&mut self) {
        self.more_changed = true;
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

#[cfg(test)]
mod tests {
    use leitai_game::rng::Rng;

    use super::*;
    use crate::setup::Config;

    /// Items that appear on snakes, splits and deaths are in it: every leg has 512 rounds at most,
    /// and never leaves the map by itself.
    #[test]
    fn the_sum_of_the_snakes_is_always_complete() {
        let (mut actions, mut fed) = (0, 0);
        for seed in 0..60 {
            let setup = Setup::deal(&Config::default(), seed).expect("the default is sound");
            let (mut keyed, mut rng) = (KeyedPosition::start(&setup), Rng::new(seed));
            while keyed.position.end().is_none() {
                let safe: Vec<Action> = (1..=6)
                    .filter_map(Action::from_number)
                    .filter(|action| is_safe(&keyed.position, *action, rng.next_u64()))
                    .collect();
                let pick = rng.next_u64() as usize % safe.len().max(1);
                let action = safe.get(pick).copied().unwrap_or(Action::Right);
                let before = keyed;
                keyed.play_action(&setup, action);
                let mut fresh = keyed;
                fresh.count_snakes();
                assert_eq!(keyed, fresh, "seed {seed}, {action:?}");
                let is_other_fed = (0..2 * MAX_SNAKES).any(|place| {
                    let words = |of: &KeyedPosition| of.position.snake_words(place);
                    place != before.position.place_of_acting() && words(&before) != words(&keyed)
                });
                let is_same = Seat::BOTH.map(|seat| before.position.snakes(seat).len())
                    == Seat::BOTH.map(|seat| keyed.position.snakes(seat).len());
                fed += u32::from(is_other_fed && is_same);
                actions += 1;
            }
        }
        assert!(actions > 20_000 && fed > 20, "{actions} actions, {fed} fed");
    }

    fn is_safe(position: &Position, action: Action, chance: u64) -> bool {
        let Some(snake) = position
            .current()
            .filter(|_| position.check_action(action).is_ok())
        else {
            return false;
        };
        match action.direction() {
            None => chance.is_multiple_of(8),
            Some(direction) => direction
                .next_from(snake.head)
                .is_some_and(|cell| !position.blocked().has(cell)),
        }
    }
}
