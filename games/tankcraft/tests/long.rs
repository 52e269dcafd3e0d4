//! Tests that take many minutes: `./dev test --long` runs them.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use leitai_game::{Bot, BotClock, BySeat, Game, GamePackage, Perspective, Reply, Seat};
use leitai_tankcraft::{Config, Fog, Position, Setup, View};

/// The time of a move.
const PERIOD: Duration = Duration::from_millis(40);
/// Rounds of a game: forty are as good as all of them here, and take a quarter of the time.
const ROUNDS: u16 = 40;

struct Stopwatch(Instant);

impl BotClock for Stopwatch {
    fn time_left(&self) -> Option<Duration> {
        Some(PERIOD.saturating_sub(self.0.elapsed()))
    }
}

fn make_bot(name: &str, seed: u64) -> Box<dyn Bot<Position>> {
    let mut bots = Position::CONTENTS.bots.iter();
    let info = bots.find(|info| info.name == name);
    (info.expect("it is built in").make)(seed)
}

/// Plays a game of the champion against `miner`, checks every action and returns the champion's
/// longest move.
fn play_game(seed: u64) -> Duration {
    let config = Config {
        fog: [Fog::Strict, Fog::Sdk][seed as usize % 2],
        rounds: ROUNDS,
        ..Config::default()
    };
    let setup = Setup::deal(&config, seed).expect("a generated map");
    let me = [Seat::First, Seat::Second][seed as usize / 2 % 2];
    let name = |seat| if seat == me { "champion" } else { "miner" };
    let mut bots = BySeat::from_fn(|seat| make_bot(name(seat), seed));
    let mut position = Position::start(&setup);
    let mut longest = Duration::ZERO;
    while position.end().is_none() {
        let actions = Seat::BOTH.map(|seat| {
            let start = Instant::now();
            let view = View::new(&setup, &position, Perspective::Seat(seat));
            let action = bots[seat].choose_action(&setup, &view, &Stopwatch(start));
            if seat == me {
                longest = longest.max(start.elapsed());
            }
            let checked = position.check_action(&setup, seat, action);
            assert_eq!(checked, Ok(()), "seed {seed}, {}", name(seat));
            action
        });
        let replies = BySeat::from_fn(|seat: Seat| Some(Reply::Action(actions[seat.index()])));
        position.step(&setup, replies, &mut ());
    }
    longest
}

#[test]
#[ignore = "long: a thousand games beside as many busy threads as the machine has cores"]
fn the_champion_keeps_to_its_time_under_load() {
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
    let longest = longest.expect("every action is legal").expect("games");
    assert!(longest < PERIOD, "a move took {longest:?} of {PERIOD:?}");
}
