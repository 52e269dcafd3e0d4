//! Graded opponents. A level is a [`Champion`] with a fixed number of trials, which is all that
//! bounds it, so that it plays alike on every machine. The low ones err as people do: they overlook
//! enemies that are not near, forget those out of sight, and follow a simple policy without trying
//! anything out. The high ones have few trials, so that they find plans for some of their tanks
//! only.

use leitai_game::Bot;

use crate::bots::champion::{Champion, ChampionOptions};
use crate::position::Position;

/// What a level may do.
struct Level {
    /// Distance at which it notices an enemy, in hundredths of a cell.
    notice: u16,
    /// Whether it remembers enemies out of sight.
    memory: bool,
    /// Trials a move; 0: it only follows the policy of playouts.
    trials: u64,
}

const LEVELS: [Level; 10] = [
    Level::new(265, false, 0),
    Level::new(283, false, 0),
    Level::new(300, false, 0),
    Level::new(350, false, 0),
    Level::new(400, false, 0),
    Level::new(450, false, 0),
    Level::new(500, false, 0),
    Level::new(u16::MAX, true, 78),
    Level::new(u16::MAX, true, 97),
    Level::new(u16::MAX, true, 136),
];

impl Level {
    const fn new(notice: u16, memory: bool, trials: u64) -> Level {
        Level {
            notice,
            memory,
            trials,
        }
    }
}

/// The level with this number, 1 to 10; a number outside is moved to the nearest.
pub fn make_level(number: usize, seed: u64) -> Box<dyn Bot<Position>> {
    let level = &LEVELS[number.clamp(1, LEVELS.len()) - 1];
    let options = ChampionOptions::default();
    Box::new(Champion::with_options(
        seed,
        ChampionOptions {
            notice: level.notice,
            memory: level.memory,
            passes: if level.trials == 0 { 0 } else { options.passes },
            untimed_trials: level.trials,
            most_millis: 0,
            ..options
        },
    ))
}
