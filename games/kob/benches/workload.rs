//! The same work for the benches and for counting instructions (`xtask/instructions`).

use leitai_game::{Rng, Seat};
use leitai_kob::{Config, Direction, Position, Setup};

/// A recorded game and its map.
pub struct Trace {
    /// Its map.
    pub setup: Setup,
    /// A's direction and B's, round by round.
    pub moves: Vec<[Direction; 2]>,
}

/// A game of two players who take a random step that does not kill at once.
pub fn trace(seed: u64) -> Trace {
    let setup = Setup::deal(&Config::default(), seed).expect("the default config is sound");
    let mut rng = Rng::new(seed);
    let mut position = Position::start(&setup);
    let mut moves = Vec::new();
    while !position.is_over() {
        let pair = Seat::BOTH.map(|seat| step(position.safe_mask(&setup, seat), &mut rng));
        position.play_round(&setup, pair);
        moves.push(pair);
    }
    Trace { setup, moves }
}

fn step(safe: u8, rng: &mut Rng) -> Direction {
    let choices: Vec<Direction> = Direction::ALL
        .into_iter()
        .filter(|d| safe >> *d as u8 & 1 != 0)
        .collect();
    choices
        .get(rng.next_below(choices.len()))
        .copied()
        .unwrap_or(Direction::ALL[0])
}

/// Plays a trace.
#[inline(never)]
pub fn replay(trace: &Trace) -> Position {
    let mut position = Position::start(&trace.setup);
    trace
        .moves
        .iter()
        .for_each(|pair| position.play_round(&trace.setup, *pair));
    position
}
