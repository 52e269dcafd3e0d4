//! The Swiss system: in every round those with about the same points meet.
//!
//! Where there are so many rounds that everyone meets everyone, who meets whom when makes no
//! difference: such a tournament is a round robin, as often as it fits, and a Swiss after that. So
//! nobody meets twice before all have met once.

use std::collections::{BTreeMap, BTreeSet};

use super::encounter::{
    Encounter, EncounterKey, EncounterResults, FinishedEncounter, TournamentStage,
};
use super::round_robin;

/// Pairings that are tried before one more repeated encounter is allowed.
const TRIES: usize = 20_000;

/// The rounds at the beginning in which everyone meets everyone, all the same number of times.
pub fn full_rounds(players: usize, rounds: u32) -> u32 {
    rounds - rounds % round_robin::round_count(players)
}

/// Every round whose pairings are known: those whose earlier rounds are over.
pub fn known_encounters(players: usize, rounds: u32, results: &EncounterResults) -> Vec<Encounter> {
    let full = full_rounds(players, rounds);
    let mut all = Vec::new();
    for round in 1..=rounds {
        let encounters = match round <= full {
            true => round_robin::pair_round(players, round).collect(),
            false => pair_round(
                &SwissStanding::standing_before(players, round, results),
                round,
            ),
        };
        let over = encounters
            .iter()
            .all(|encounter| results.contains_key(&encounter.key));
        all.extend(encounters);
        if !over {
            break;
        }
    }
    all
}

/// How often each player had no opponent, in the rounds that are over.
pub fn count_byes(players: usize, rounds: u32, results: &EncounterResults) -> Vec<u32> {
    let over = |round: &u32| encounters_of_round(results, *round).count() == players / 2;
    let last = (1..=rounds).take_while(over).count() as u32;
    SwissStanding::standing_before(players, last + 1, results).byes
}

fn encounters_of_round(
    results: &EncounterResults,
    round: u32,
) -> impl Iterator<Item = &FinishedEncounter> {
    let stage = TournamentStage::Round(round);
    results
        .range(
            EncounterKey { stage, table: 0 }..=EncounterKey {
                stage,
                table: usize::MAX,
            },
        )
        .map(|(_, met)| met)
}

/// What counts for the pairings of a round.
struct SwissStanding {
    points: Vec<f64>,
    byes: Vec<u32>,
    /// How often two have met.
    met: BTreeMap<[usize; 2], u32>,
}

impl SwissStanding {
    /// After the rounds before this one. Who had no opponent is counted as a winner; an encounter
    /// that brought nobody points could not be judged, and is counted as drawn.
    fn standing_before(players: usize, round: u32, results: &EncounterResults) -> SwissStanding {
        let mut standing = SwissStanding {
            points: vec![0.0; players],
            byes: vec![0; players],
            met: BTreeMap::new(),
        };
        for earlier in 1..round {
            let mut idle: BTreeSet<usize> = (0..players).collect();
            for met in encounters_of_round(results, earlier) {
                let all: f64 = met.points.iter().sum();
                for (player, points) in met.pair.into_iter().zip(met.points) {
                    standing.points[player] += if all > 0.0 { points / all } else { 0.5 };
                    idle.remove(&player);
                }
                *standing.met.entry(sort_pair(met.pair)).or_insert(0) += 1;
            }
            idle.iter().for_each(|player| {
                standing.points[*player] += 1.0;
                standing.byes[*player] += 1;
            });
        }
        standing
    }

    /// The most points first, then the best seed.
    fn rank_players(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.points.len()).collect();
        order.sort_by(|one, other| {
            self.points[*other]
                .total_cmp(&self.points[*one])
                .then(one.cmp(other))
        });
        order
    }
}

fn sort_pair([one, other]: [usize; 2]) -> [usize; 2] {
    [one.min(other), one.max(other)]
}

/// The pairings of a round. With an odd number the last who has had the fewest rounds off has one.
fn pair_round(standing: &SwissStanding, round: u32) -> Vec<Encounter> {
    let mut order = standing.rank_players();
    if order.len() % 2 == 1 {
        let off = (0..order.len())
            .rev()
            .min_by_key(|place| standing.byes[order[*place]]);
        order.remove(off.expect("an odd number is not zero"));
    }
    // In the first round the upper half meets the lower half; later neighbours meet.
    if round == 1 {
        let half = order.len() / 2;
        order = (0..half)
            .flat_map(|place| [order[place], order[place + half]])
            .collect();
    }
    let pairs = fewest_repeats(&order, &standing.met);
    let named = |(table, [one, other]): (usize, [usize; 2])| {
        let pair = if (table + round as usize).is_multiple_of(2) {
            [other, one]
        } else {
            [one, other]
        };
        Encounter {
            key: EncounterKey {
                stage: TournamentStage::Round(round),
                table,
            },
            pair,
        }
    };
    pairs.into_iter().enumerate().map(named).collect()
}

/// Pairs of neighbours that repeat as few encounters as possible. What all have played is no
/// repetition any more.
fn fewest_repeats(order: &[usize], met: &BTreeMap<[usize; 2], u32>) -> Vec<[usize; 2]> {
    let count = |pair: [usize; 2]| met.get(&pair).copied().unwrap_or(0);
    let least = least_meetings(order, met);
    let repeats = |pair: [usize; 2]| count(sort_pair(pair)) - least;
    let found = (0..=order.len() as u32).find_map(|allowed| {
        let mut tries = TRIES;
        match_up(order, &repeats, allowed, &mut tries)
    });
    found.unwrap_or_else(|| {
        order
            .chunks_exact(2)
            .map(|pair| [pair[0], pair[1]])
            .collect()
    })
}

/// The fewest times that two of these have met.
fn least_meetings(order: &[usize], met: &BTreeMap<[usize; 2], u32>) -> u32 {
    let pairs = order.len() * order.len().saturating_sub(1) / 2;
    if met.len() < pairs {
        return 0;
    }
    let all = order
        .iter()
        .flat_map(|one| order.iter().map(move |other| [*one, *other]));
    let counts = all
        .filter(|[one, other]| one < other)
        .map(|pair| met.get(&pair).copied().unwrap_or(0));
    counts.min().unwrap_or(0)
}

/// Pairs with so many repetitions together, the nearest first; `None` if there are none, or they
/// are not found in so many tries.
fn match_up(
    order: &[usize],
    repeats: &impl Fn([usize; 2]) -> u32,
    allowed: u32,
    tries: &mut usize,
) -> Option<Vec<[usize; 2]>> {
    let Some((first, rest)) = order.split_first() else {
        return Some(Vec::new());
    };
    for (place, other) in rest.iter().enumerate() {
        *tries = tries.checked_sub(1)?;
        let Some(allowed) = allowed.checked_sub(repeats([*first, *other])) else {
            continue;
        };
        let left: Vec<usize> = rest
            .iter()
            .enumerate()
            .filter(|(at, _)| *at != place)
            .map(|(_, one)| *one)
            .collect();
        if let Some(mut pairs) = match_up(&left, repeats, allowed, tries) {
            pairs.insert(0, [*first, *other]);
            return Some(pairs);
        }
    }
    None
}
