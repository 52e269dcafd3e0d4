//! The random choices that follow from a seed, the same alone and in batches: the setups of the
//! legs, the seats of a learner, and the opponent's seeds.

use leitai_game::Seat;
use leitai_game::rng::mix_seed;
use pyo3::prelude::*;

use crate::whole::whole;

/// The seed of a leg's setup: the first leg (number 0) has the given seed, as everywhere in Leitai.
/// The others have 63 bits, because Gymnasium's vector environments collect signed numbers.
pub fn of_leg(seed: u64, number: u64) -> u64 {
    if number == 0 {
        seed
    } else {
        mix_seed(seed, number) >> 1
    }
}

/// The seed of the opponent in the leg with this seed.
pub fn of_opponent(leg_seed: u64) -> u64 {
    mix_seed(leg_seed, 1)
}

/// The seat of a learner that changes seats with every leg: the seed draws the seat of the first
/// leg.
pub fn alternating_seat(seed: u64, number: u64) -> Seat {
    Seat::BOTH[((mix_seed(seed, 2) >> 63 ^ number) & 1) as usize]
}

/// For the leg with this number (from 0) after a seed: the setup's seed, the opponent's seed, and
/// the seat of a learner that changes seats with every leg.
#[pyfunction]
pub fn leg_seeds(
    #[pyo3(from_py_with = whole)] seed: u64,
    #[pyo3(from_py_with = whole)] number: u64,
) -> (u64, u64, usize) {
    let of_setup = of_leg(seed, number);
    (
        of_setup,
        of_opponent(of_setup),
        alternating_seat(seed, number).index(),
    )
}

/// The seed of an entrant's chance in a leg of a match, as the judge derives it (tests compare legs
/// with those of `compare`): the leg's number from 0, the entrant 0 (A) or 1 (B).
#[pyfunction]
pub fn entrant_seed(
    #[pyo3(from_py_with = whole)] seed: u64,
    #[pyo3(from_py_with = whole)] leg: usize,
    #[pyo3(from_py_with = whole)] entrant: usize,
) -> u64 {
    mix_seed(
        seed,
        (leg as u64)
            .wrapping_mul(2)
            .wrapping_add(entrant as u64)
            .wrapping_add(1),
    )
}

/// The member of a pool that plays the leg with this opponent's seed: each as often as its weight
/// says.
pub fn draw_weighted(chance: u64, weights: impl Iterator<Item = f64> + Clone) -> usize {
    let all: f64 = weights.clone().sum();
    let mut at = (mix_seed(chance, 4) >> 11) as f64 / (1u64 << 53) as f64 * all;
    let mut last = 0;
    for (index, weight) in weights.enumerate().filter(|(_, weight)| *weight > 0.0) {
        last = index;
        if at < weight {
            break;
        }
        at -= weight;
    }
    last
}

/// The index of the member of a pool with these weights that plays the leg with this opponent's
/// seed.
#[pyfunction]
pub fn draw_member(#[pyo3(from_py_with = whole)] chance: u64, weights: Vec<f64>) -> usize {
    draw_weighted(chance, weights.iter().copied())
}
