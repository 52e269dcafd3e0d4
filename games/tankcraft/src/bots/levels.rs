//! Graded opponents. A level is a [`Champion`] with a fixed number of trials, which is all that
//! bounds it, so that it plays alike on every machine. The low ones err as people do: they overlook
//! enemies, forget those out of sight, and look a few rounds ahead.

use leitai_game::Bot;

use crate::bots::champion::{Champion, ChampionOptions};
use crate::position::Position;

/// What a level may do.
struct Level {
    /// Distance at which it notices an enemy.
    notice: u8,
    /// Whether it remembers enemies out of sight.
    memory: bool,
    /// Rounds that it looks ahead.
    ahead: usize,
    /// Trials a move.
    trials: u64,
}

const LEVELS: [Level; 8] = [
    Level::new(3, false, 0, 0),
    Level::new(4, false, 0, 0),
    Level::new(4, false, 6, 150),
    Level::new(5, false, 8, 150),
    Level::new(6, true, 10, 150),
    Level::new(u8::MAX, true, 12, 200),
    Level::new(u8::MAX, true, 14, 400),
    Level::new(u8::MAX, true, 14, 2000),
];

impl Level {
    const fn new(notice: u8, memory: bool, ahead: usize, trials: u64) -> Level {
        Level {
            notice,
            memory,
            ahead,
            trials,
        }
    }
}

/// The level with this number, 1 to 8; a number outside is moved to the nearest.
pub fn make_level(number: usize, seed: u64) -> Box<dyn Bot<Position>> {
    let level = &LEVELS[number.clamp(1, LEVELS.len()) - 1];
    let options = ChampionOptions::default();
    Box::new(Champion::with_options(
        seed,
        ChampionOptions {
            notice: level.notice,
            memory: level.memory,
            ahead: level.ahead,
            passes: if level.trials == 0 { 0 } else { options.passes },
            untimed_trials: level.trials,
            most_millis: 0,
            ..options
        },
    ))
}
