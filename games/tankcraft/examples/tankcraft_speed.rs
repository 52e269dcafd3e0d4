//! Measures the engine on one thread: rounds with and without what both sides see of them, and a copy of a position.
//!
//! `cargo run --release -p leitai-tankcraft --example tankcraft_speed` replays random games whose orders are drawn beforehand;
//! the best of five runs counts.

use std::hint::black_box;
use std::time::{Duration, Instant};

use leitai_game::{BySeat, Eye, Game, Invalid, Rng, Seat};
use leitai_tankcraft::{Action, Config, Order, Position, Setup, TankType, View, rules::both};

const GAMES: u64 = 200;
const RUNS: usize = 5;

struct Recorded {
    setup: Setup,
    start: Position,
    rounds: Vec<[Order; 10]>,
}

fn main() -> Result<(), Invalid> {
    let games = (0..GAMES).map(record).collect::<Result<Vec<_>, _>>()?;
    let rounds: usize = games.iter().map(|game| game.rounds.len()).sum();
    println!("{GAMES} random games, {rounds} rounds; a position has {} bytes", size_of::<Position>());
    let plain = best(|| games.iter().for_each(|game| keep(replay(game, |_, _| ()))));
    tell("rounds", rounds, plain);
    let seen = |setup: &Setup, position: &Position| {
        for seat in Seat::BOTH {
            black_box(position.seen(setup, seat));
        }
    };
    tell(
        "rounds with the set of seen enemies, both sides",
        rounds,
        best(|| games.iter().for_each(|game| keep(replay(game, seen)))),
    );
    let views = |setup: &Setup, position: &Position| {
        for seat in Seat::BOTH {
            black_box(View::new(setup, position, Eye::Seat(seat)));
        }
    };
    tell(
        "rounds with whole views, both sides",
        rounds,
        best(|| games.iter().for_each(|game| keep(replay(game, views)))),
    );
    let copies = vec![games[0].start; 64];
    let mut into = copies.clone();
    let time = best(|| (0..100_000).for_each(|n| into[n & 63] = *black_box(&copies[n & 63])));
    tell("copies", 100_000, time);
    black_box(&into);
    Ok(())
}

fn keep(position: Position) {
    black_box(position);
}

fn record(seed: u64) -> Result<Recorded, Invalid> {
    let setup = Setup::deal(&Config::default(), seed)?;
    let mut rng = Rng::new(seed);
    let mut position = Position::start(&setup);
    let mut team = || [(); 5].map(|()| TankType::ALL[rng.below(3)]);
    position.choose(&setup, BySeat::new(team(), team()), &mut ());
    let (start, mut rounds) = (position, Vec::new());
    while position.end().is_none() {
        let said = Seat::BOTH.map(|seat| position.sample(&setup, seat, &mut rng));
        let [Some(Action::Orders(red)), Some(Action::Orders(blue))] = said else { break };
        rounds.push(both(red, blue));
        position.advance(&setup, &both(red, blue), &mut ());
    }
    Ok(Recorded { setup, start, rounds })
}

fn replay(game: &Recorded, look: impl Fn(&Setup, &Position)) -> Position {
    let mut position = game.start;
    for orders in &game.rounds {
        look(&game.setup, &position);
        position.advance(&game.setup, orders, &mut ());
    }
    position
}

fn best(mut run: impl FnMut()) -> Duration {
    let time = |()| {
        let start = Instant::now();
        run();
        start.elapsed()
    };
    [(); RUNS].map(time).into_iter().min().unwrap_or_default()
}

fn tell(what: &str, count: usize, time: Duration) {
    let each = time.as_secs_f64() / count as f64;
    println!("{:8.1} ns  {:6.2} M/s  {what}", each * 1e9, 1e-6 / each);
}
