//! The same work for the benches and for counting instructions (`xtask/instructions`).

use std::hint::black_box;

use leitai_game::{BySeat, Game, Rng, Seat};
use leitai_tankcraft::{Action, Config, Position, Setup, TankOrder, TankType, rules::join_orders};

/// A recorded game of random orders, from its first round on.
pub struct Trace {
    /// Its map.
    pub setup: Setup,
    /// The position once the teams are chosen.
    pub start: Position,
    /// The ten orders of each round.
    pub rounds: Vec<[TankOrder; 10]>,
}

/// A game on a generated map.
pub fn trace(seed: u64) -> Trace {
    let setup = Setup::deal(&Config::default(), seed).expect("the default config is sound");
    let mut rng = Rng::new(seed);
    let mut position = Position::start(&setup);
    let mut team = || [(); 5].map(|()| TankType::ALL[rng.next_below(3)]);
    position.choose_teams(&setup, BySeat::new(team(), team()), &mut ());
    let (start, mut rounds) = (position, Vec::new());
    while position.end().is_none() {
        let said = Seat::BOTH.map(|seat| position.sample_action(&setup, seat, &mut rng));
        let [Some(Action::Orders(red)), Some(Action::Orders(blue))] = said else {
            break;
        };
        rounds.push(join_orders(red, blue));
        position.play_round(&setup, &join_orders(red, blue), &mut ());
    }
    Trace {
        setup,
        start,
        rounds,
    }
}

/// Plays a trace.
#[inline(never)]
pub fn replay(trace: &Trace) -> Position {
    let mut position = trace.start;
    trace
        .rounds
        .iter()
        .for_each(|orders| position.play_round(&trace.setup, orders, &mut ()));
    position
}

/// Plays a trace and computes in every round which enemies each side sees.
#[inline(never)]
pub fn replay_fog(trace: &Trace) -> Position {
    let mut position = trace.start;
    for orders in &trace.rounds {
        Seat::BOTH.iter().for_each(|seat| {
            black_box(position.count_seen(&trace.setup, *seat));
        });
        position.play_round(&trace.setup, orders, &mut ());
    }
    position
}
