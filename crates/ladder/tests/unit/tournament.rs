//! Tests of `tournament`.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use leitai_ladder::tournament::*;

/// Plays a tournament to its end, one open encounter after the other; `choose` says which of those
/// that are open, and `decide` who wins.
fn play(
    format: TournamentFormat,
    players: usize,
    mut choose: impl FnMut(usize) -> usize,
    mut decide: impl FnMut([usize; 2]) -> [f64; 2],
) -> EncounterResults {
    let mut results = EncounterResults::new();
    loop {
        let open = format.open_encounters(players, &results);
        if open.is_empty() {
            return results;
        }
        let next = open[choose(open.len()) % open.len()];
        let points = decide(next.pair);
        assert_ne!(next.pair[0], next.pair[1]);
        assert_eq!(
            results.insert(
                next.key,
                FinishedEncounter {
                    pair: next.pair,
                    points
                }
            ),
            None
        );
        assert!(results.len() <= 10_000, "{format:?} does not end");
    }
}

/// The better seed always wins.
fn by_seed([one, other]: [usize; 2]) -> [f64; 2] {
    if one < other { [1.0, 0.0] } else { [0.0, 1.0] }
}

fn meetings(results: &EncounterResults) -> BTreeMap<[usize; 2], usize> {
    let mut counts = BTreeMap::new();
    for met in results.values() {
        let [one, other] = met.pair;
        *counts.entry([one.min(other), one.max(other)]).or_insert(0) += 1;
    }
    counts
}

fn any_format() -> impl Strategy<Value = TournamentFormat> {
    prop_oneof![
        (1..4u32).prop_map(|cycles| TournamentFormat::RoundRobin { cycles }),
        (1..3u32).prop_map(|cycles| TournamentFormat::Gauntlet { heads: 1, cycles }),
        (1..6u32).prop_map(|rounds| TournamentFormat::Swiss { rounds }),
        Just(TournamentFormat::Single),
        Just(TournamentFormat::Double),
    ]
}

/// The table of Berger, as the circle method gives it, for four: everybody once a round, everyone
/// with everyone.
#[test]
fn a_round_robin_of_four() {
    let open =
        TournamentFormat::RoundRobin { cycles: 1 }.open_encounters(4, &EncounterResults::new());
    let pairs: Vec<_> = open
        .iter()
        .map(|encounter| (encounter.key.stage.to_string(), encounter.pair))
        .collect();
    let of = |round: &str, pairs: &[(String, [usize; 2])]| -> Vec<[usize; 2]> {
        pairs
            .iter()
            .filter(|(stage, _)| stage == round)
            .map(|(_, pair)| *pair)
            .collect()
    };
    assert_eq!(of("r1", &pairs), [[0, 3], [2, 1]]);
    assert_eq!(of("r2", &pairs), [[3, 1], [0, 2]]);
    assert_eq!(of("r3", &pairs), [[2, 3], [1, 0]]);
}

#[test]
fn the_heads_of_a_gauntlet_play_everyone_else() {
    let results = play(
        TournamentFormat::Gauntlet {
            heads: 2,
            cycles: 3,
        },
        6,
        |_| 0,
        by_seed,
    );
    assert_eq!(results.len(), 2 * 4 * 3);
    let met = meetings(&results);
    assert!(
        met.iter()
            .all(|([one, other], count)| *one < 2 && *other >= 2 && *count == 3),
        "{met:?}"
    );
}

/// Where a match has an odd number of legs, who is named first plays first once more.
#[test]
fn in_a_gauntlet_two_swap_seats_from_cycle_to_cycle() {
    for players in 2..9 {
        for heads in 1..players.min(4) {
            let all = TournamentFormat::Gauntlet { heads, cycles: 4 }
                .open_encounters(players, &EncounterResults::new());
            let mut first = BTreeMap::<[usize; 2], i32>::new();
            for Encounter {
                pair: [one, other], ..
            } in all
            {
                let sign = if one < other { 1 } else { -1 };
                *first.entry([one.min(other), one.max(other)]).or_insert(0) += sign;
            }
            assert!(
                first.values().all(|balance| *balance == 0),
                "{players} {heads}: {first:?}"
            );
        }
    }
}

#[test]
fn a_long_swiss_repeats_evenly() {
    for players in 2..10 {
        for rounds in 1..3 * players as u32 {
            let results = play(TournamentFormat::Swiss { rounds }, players, |_| 0, by_seed);
            let met = meetings(&results);
            let all = players * (players - 1) / 2;
            let counts = |wanted: fn(usize, usize) -> usize| {
                let seen = met.values().copied().reduce(wanted).unwrap_or(0);
                if met.len() < all {
                    wanted(seen, 0)
                } else {
                    seen
                }
            };
            let (least, most) = (counts(usize::min), counts(usize::max));
            let full = rounds as usize / (players + players % 2 - 1);
            assert!(
                least >= full && most <= full + 2,
                "{players} {rounds}: {met:?}"
            );
            if (rounds as usize).is_multiple_of(players + players % 2 - 1) {
                assert_eq!((least, most), (full, full), "{players} {rounds}");
            }
        }
    }
}

#[test]
fn an_encounter_without_points_counts_as_drawn_for_pairings() {
    let format = TournamentFormat::Swiss { rounds: 2 };
    let mut results = EncounterResults::new();
    for encounter in format.open_encounters(6, &results) {
        let points = if encounter.key.table == 0 {
            [0.0, 0.0]
        } else {
            by_seed(encounter.pair)
        };
        results.insert(
            encounter.key,
            FinishedEncounter {
                pair: encounter.pair,
                points,
            },
        );
    }
    // 1 and 2 have won, 0 and 3 could not be judged, 4 and 5 have lost.
    let pairs: BTreeSet<BTreeSet<usize>> = format
        .open_encounters(6, &results)
        .iter()
        .map(|encounter| encounter.pair.into_iter().collect())
        .collect();
    assert!(pairs.contains(&BTreeSet::from([1, 2])), "{pairs:?}");
}

#[test]
fn more_rounds_go_on_from_fewer_where_no_earlier_one_changes() {
    let swiss = |rounds| TournamentFormat::Swiss { rounds };
    let robin = |cycles| TournamentFormat::RoundRobin { cycles };
    assert!(
        robin(3).can_lengthen(&robin(2), 4)
            && !robin(2).can_lengthen(&robin(2), 4)
            && !robin(1).can_lengthen(&robin(2), 4)
    );
    assert!(
        swiss(4).can_lengthen(&swiss(2), 6) && !swiss(5).can_lengthen(&swiss(4), 6),
        "5 rounds of 6 are a round robin"
    );
    assert!(swiss(7).can_lengthen(&swiss(5), 6));
    assert!(
        !swiss(3).can_lengthen(&robin(2), 6)
            && !TournamentFormat::Double.can_lengthen(&TournamentFormat::Single, 6)
    );
    let gauntlet = |heads, cycles| TournamentFormat::Gauntlet { heads, cycles };
    assert!(
        gauntlet(1, 3).can_lengthen(&gauntlet(1, 2), 4)
            && !gauntlet(2, 3).can_lengthen(&gauntlet(1, 2), 4)
    );
}

#[test]
fn rounds_are_counted_from_two_players_on() {
    let robin = TournamentFormat::RoundRobin { cycles: 2 };
    let gauntlet = TournamentFormat::Gauntlet {
        heads: 1,
        cycles: 2,
    };
    for (players, all, of_cycle, of_head) in [(2, 2, 1, 2), (3, 6, 3, 4), (4, 6, 3, 6)] {
        assert_eq!(robin.round_count(players), Some(all), "{players}");
        assert_eq!(robin.cycle_rounds(players), Some(of_cycle), "{players}");
        assert_eq!(gauntlet.round_count(players), Some(of_head), "{players}");
    }
    assert_eq!(robin.round_count(1), Some(0));
}

/// The usual bracket of eight: 1-8 4-5 2-7 3-6, and the best two in the final.
#[test]
fn seeds_meet_late() {
    let first: Vec<[usize; 2]> = TournamentFormat::Single
        .open_encounters(8, &EncounterResults::new())
        .iter()
        .map(|encounter| encounter.pair)
        .collect();
    let numbered: BTreeSet<BTreeSet<usize>> = first
        .iter()
        .map(|pair| pair.iter().map(|seed| seed + 1).collect())
        .collect();
    let expected =
        [[1, 8], [4, 5], [2, 7], [3, 6]].map(|pair| pair.into_iter().collect::<BTreeSet<_>>());
    assert_eq!(numbered, expected.into_iter().collect());
    let results = play(TournamentFormat::Single, 8, |_| 0, by_seed);
    let last = results[&EncounterKey {
        stage: TournamentStage::Winners(3),
        table: 0,
    }];
    assert_eq!(last.pair, [0, 1]);
    let places = TournamentFormat::Single.final_places(8, &results);
    assert_eq!(places, [1, 2, 3, 3, 5, 5, 5, 5].map(Some));
}

#[test]
fn in_a_knockout_of_five_the_best_three_skip_the_first_round() {
    let first = TournamentFormat::Single.open_encounters(5, &EncounterResults::new());
    let known: Vec<[usize; 2]> = first.iter().map(|encounter| encounter.pair).collect();
    assert_eq!(
        known,
        [[4, 3], [1, 2]].map(
            |[one, other]: [usize; 2]| if known.contains(&[one, other]) {
                [one, other]
            } else {
                [other, one]
            }
        )
    );
    assert_eq!(play(TournamentFormat::Single, 5, |_| 0, by_seed).len(), 4);
}

#[test]
fn an_undefeated_finalist_must_be_beaten_twice() {
    // Seed 1 beats seed 0 the second time they meet, and ever after.
    let mut times = 0;
    let upset = |pair: [usize; 2]| match pair {
        [0, 1] | [1, 0] => {
            times += 1;
            if (pair[0] == 0) == (times == 1) {
                [1.0, 0.0]
            } else {
                [0.0, 1.0]
            }
        }
        _ => by_seed(pair),
    };
    let results = play(TournamentFormat::Double, 4, |_| 0, upset);
    assert_eq!(results.len(), 7);
    assert!(results.contains_key(&EncounterKey {
        stage: TournamentStage::Decider,
        table: 0
    }));
    assert_eq!(
        TournamentFormat::Double.final_places(4, &results),
        [2, 1, 3, 4].map(Some)
    );
}

#[test]
fn a_swiss_of_five_gives_everyone_at_most_one_round_off() {
    let format = TournamentFormat::Swiss { rounds: 4 };
    let results = play(format, 5, |_| 0, by_seed);
    assert_eq!(results.len(), 8);
    let byes = format.count_byes(5, &results);
    assert_eq!(byes.iter().sum::<u32>(), 4);
    assert!(byes.iter().all(|byes| *byes <= 1), "{byes:?}");
}

#[test]
fn between_equal_points_the_better_seed_goes_on() {
    let met = FinishedEncounter {
        pair: [3, 1],
        points: [1.0, 1.0],
    };
    assert_eq!((met.winner(), met.loser()), (1, 3));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// Whatever ends first, a tournament ends with as many encounters as promised, and nobody plays
    /// in two encounters of a stage.
    #[test]
    fn every_format_ends_as_promised(format in any_format(), players in 2..14usize, salt in any::<u64>()) {
        let mut chance = salt;
        let mut roll = move |n: usize| { chance = chance.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407); (chance >> 33) as usize % n.max(1) };
        let mut coin = salt ^ 7;
        let results = play(format, players, &mut roll, |_| {
            coin = coin.wrapping_mul(6364136223846793005).wrapping_add(1);
            [[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]][(coin >> 40) as usize % 3]
        });
        let [least, most] = format.encounter_counts(players);
        prop_assert!((least..=most).contains(&results.len()), "{} not in {least}..={most}", results.len());
        let mut busy = BTreeSet::new();
        for (key, met) in &results {
            for player in met.pair {
                prop_assert!(busy.insert((key.stage, player)), "{player} twice in {:?}", key.stage);
            }
        }
        if format.is_knockout() {
            let places = format.final_places(players, &results);
            prop_assert_eq!(places.iter().filter(|place| **place == Some(1)).count(), 1);
            prop_assert!(places.iter().all(Option::is_some));
        }
    }

    /// What is open depends on the results and on nothing else: not on the order in which they
    /// came.
    #[test]
    fn the_order_of_endings_does_not_matter(format in any_format(), players in 2..12usize, salt in any::<u64>()) {
        let mut chance = salt;
        let roll = move |n: usize| { chance = chance.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407); (chance >> 33) as usize % n.max(1) };
        prop_assert_eq!(play(format, players, |_| 0, by_seed), play(format, players, roll, by_seed));
    }

    #[test]
    fn everyone_meets_everyone(players in 2..14usize, cycles in 1..4u32) {
        let met = meetings(&play(TournamentFormat::RoundRobin { cycles }, players, |_| 0, by_seed));
        prop_assert_eq!(met.len(), players * (players - 1) / 2);
        prop_assert!(met.values().all(|count| *count == cycles as usize));
    }

    #[test]
    fn nobody_meets_twice_in_a_short_swiss(players in 6..20usize, salt in any::<u64>()) {
        let mut coin = salt;
        let met = meetings(&play(TournamentFormat::Swiss { rounds: 3 }, players, |_| 0, |_| {
            coin = coin.wrapping_mul(6364136223846793005).wrapping_add(1);
            [[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]][(coin >> 40) as usize % 3]
        }));
        prop_assert!(met.values().all(|count| *count == 1), "{met:?}");
    }

    /// A bracket lets the best through if the better one always wins; two losses throw out, and not
    /// one.
    #[test]
    fn knockouts_throw_out_after_one_or_two_losses(players in 2..16usize, double in any::<bool>(), salt in any::<u64>()) {
        let format = if double { TournamentFormat::Double } else { TournamentFormat::Single };
        let best = play(format, players, |_| 0, by_seed);
        prop_assert_eq!(format.final_places(players, &best)[0], Some(1));
        let mut coin = salt;
        let results = play(format, players, |_| 0, |_| {
            coin = coin.wrapping_mul(6364136223846793005).wrapping_add(1);
            if coin >> 40 & 1 == 0 { [1.0, 0.0] } else { [0.0, 1.0] }
        });
        let places = format.final_places(players, &results);
        for (player, place) in places.iter().enumerate() {
            let losses = results.values().filter(|met| met.loser() == player).count();
            let allowed = 1 + usize::from(double);
            prop_assert!(if *place == Some(1) { losses < allowed } else { losses == allowed }, "{player}: {losses}");
        }
    }
}
