//! Tests of single modules. The crate has no test binary of its own: it would be compiled twice.

mod bradley_terry;
mod divisions;
mod elo;
mod exact_test;
mod known_opponents;
mod most_informative;
mod nash;
mod normal;
mod pair_spread;
mod pairing;
mod payoff;
mod result;
mod sprt;
mod stopped_estimate;
mod tournament;
mod weng_lin;

use leitai_ladder::bradley_terry::Results;
use leitai_ladder::result::ScoreTally;
use leitai_ladder::sprt::Sprt;

/// A test of 0 Elo against so many, with the usual chances of an error.
pub const fn test_up_to(elo1: f64) -> Sprt {
    Sprt {
        elo0: 0.0,
        elo1,
        alpha: 0.05,
        beta: 0.05,
    }
}

/// The results of so many players: two of them, and how often the first one won, drew and lost.
fn field(players: usize, games: &[(usize, usize, u32, u32, u32)]) -> Results {
    let mut field = Results::new(players);
    for &(one, other, wins, draws, losses) in games {
        let tally = ScoreTally {
            wins,
            draws,
            losses,
        };
        field.add_tally(one, other, tally);
    }
    field
}
