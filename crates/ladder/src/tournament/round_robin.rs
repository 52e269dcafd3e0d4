//! Everyone, or some, against everyone.

use super::encounter::{Encounter, EncounterKey, TournamentStage};

/// Every round of every cycle, by the circle method: in a round everybody plays at most once. Who
/// is named first alternates from cycle to cycle.
pub fn pair_everyone(players: usize, cycles: u32) -> Vec<Encounter> {
    (1..=cycles * round_count(players))
        .flat_map(|number| pair_round(players, number))
        .collect()
}

/// Rounds in which everyone meets everyone once.
pub fn round_count(players: usize) -> u32 {
    (players + players % 2 - 1) as u32
}

/// The round with this number, from 1.
pub fn pair_round(players: usize, number: u32) -> impl Iterator<Item = Encounter> {
    let (seats, rounds) = (players + players % 2, round_count(players));
    let (cycle, place) = ((number - 1) / rounds, (number - 1) % rounds);
    let stage = TournamentStage::Round(number);
    let pairs = circle_pairs(seats, place as usize).into_iter();
    let pairs = pairs.filter(move |pair| pair.iter().all(|one| *one < players));
    let turned = move |[one, other]: [usize; 2]| {
        if cycle.is_multiple_of(2) {
            [one, other]
        } else {
            [other, one]
        }
    };
    pairs.enumerate().map(move |(table, pair)| Encounter {
        key: EncounterKey { stage, table },
        pair: turned(pair),
    })
}

/// The pairs of one round: the last seat stays, the others turn around it.
fn circle_pairs(seats: usize, round: usize) -> Vec<[usize; 2]> {
    let turning = seats - 1;
    let at = |place: usize| (round + place) % turning;
    let fixed = if round.is_multiple_of(2) {
        [at(0), turning]
    } else {
        [turning, at(0)]
    };
    let others = (1..seats / 2).map(|place| {
        let (one, other) = (at(place), at(turning - place));
        if place % 2 == 0 {
            [one, other]
        } else {
            [other, one]
        }
    });
    std::iter::once(fixed).chain(others).collect()
}

/// Every head against everyone who is none. In a round each head plays once, against another one
/// each. Who is named first alternates from opponent to opponent, and for the same two from cycle
/// to cycle.
pub fn pair_gauntlet(players: usize, heads: usize, cycles: u32) -> Vec<Encounter> {
    let others = players.saturating_sub(heads);
    let round = |number: usize| {
        let stage = TournamentStage::Round(number as u32 + 1);
        let (cycle, place) = (number / others, number % others);
        (0..heads).map(move |head| {
            let other = heads + (place + head) % others;
            let pair = if (cycle + place).is_multiple_of(2) {
                [head, other]
            } else {
                [other, head]
            };
            Encounter {
                key: EncounterKey { stage, table: head },
                pair,
            }
        })
    };
    (0..cycles as usize * others).flat_map(round).collect()
}
