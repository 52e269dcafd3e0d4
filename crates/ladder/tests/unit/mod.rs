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
