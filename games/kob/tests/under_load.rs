//! A thousand games of a champion beside as many busy threads as the machine has cores: what the tests of
//! King of Bots and of TankCraft share.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use leitai_game::BotClock;

/// The time of a move.
const PERIOD: Duration = Duration::from_millis(40);

/// The clock of a move that began then.
pub struct Stopwatch(pub Instant);

impl BotClock for Stopwatch {
    fn time_left(&self) -> Option<Duration> {
        Some(PERIOD.saturating_sub(self.0.elapsed()))
    }
}

/// Plays the games, of which each returns its longest move.
pub fn keeps_to_its_time(play_game: fn(u64) -> Duration) {
    let is_done = AtomicBool::new(false);
    let cores = std::thread::available_parallelism().map_or(2, usize::from);
    let longest = std::thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| {
                while !is_done.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        // The busy threads must end even if a game fails.
        let longest = std::panic::catch_unwind(|| (0..1000).map(play_game).max());
        is_done.store(true, Ordering::Relaxed);
        longest
    });
    let longest = longest.expect("every move is sound").expect("games");
    assert!(longest < PERIOD, "a move took {longest:?} of {PERIOD:?}");
}
