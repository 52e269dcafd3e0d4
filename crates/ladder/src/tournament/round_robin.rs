//! Everyone, or some, against everyone.

use super::{Encounter, Key, Stage};

/// Every round of every cycle, by the circle method: in a round everybody plays at most once. Who is named first
/// alternates from cycle to cycle.
pub fn all(players: usize, cycles: u32) -> Vec<Encounter> {
    let seats = players + players % 2;
    let rounds = (seats - 1) as u32;
    let round = |cycle: u32, round: u32| {
        let stage = Stage::Round(cycle * rounds + round + 1);
        let pairs = circle(seats, round as usize)
            .into_iter()
            .filter(move |pair| pair.iter().all(|one| *one < players));
        let turned =
            move |[one, other]: [usize; 2]| if cycle.is_multiple_of(2) { [one, other] } else { [other, one] };
        pairs
            .enumerate()
            .map(move |(table, pair)| Encounter { key: Key { stage, table }, pair: turned(pair) })
    };
    (0..cycles).flat_map(|cycle| (0..rounds).flat_map(move |number| round(cycle, number))).collect()
}

/// The pairs of one round: the last seat stays, the others turn around it.
fn circle(seats: usize, round: usize) -> Vec<[usize; 2]> {
    let turning = seats - 1;
    let at = |place: usize| (round + place) % turning;
    let fixed = if round.is_multiple_of(2) { [at(0), turning] } else { [turning, at(0)] };
    let others = (1..seats / 2).map(|place| {
        let (one, other) = (at(place), at(turning - place));
        if place % 2 == 0 { [one, other] } else { [other, one] }
    });
    std::iter::once(fixed).chain(others).collect()
}

/// Every head against everyone who is none. In a round each head plays once, against another one each.
pub fn gauntlet(players: usize, heads: usize, cycles: u32) -> Vec<Encounter> {
    let others = players.saturating_sub(heads);
    let round = |number: usize| {
        let stage = Stage::Round(number as u32 + 1);
        (0..heads).map(move |head| {
            let other = heads + (number + head) % others;
            let pair =
                if (number / others + number).is_multiple_of(2) { [head, other] } else { [other, head] };
            Encounter { key: Key { stage, table: head }, pair }
        })
    };
    (0..cycles as usize * others).flat_map(round).collect()
}
