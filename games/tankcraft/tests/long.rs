//! Tests that take many minutes: `./dev test --long` runs them.

use std::time::{Duration, Instant};

use leitai_game::{Bot, BySeat, Game, GamePackage, Perspective, Reply, Seat};
use leitai_tankcraft::{Config, Fog, Position, Setup, View};

use crate::under_load::{Stopwatch, keeps_to_its_time};

/// Rounds of a game: forty are as good as all of them here, and take a quarter of the time.
const ROUNDS: u16 = 40;

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
    keeps_to_its_time(play_game);
}
