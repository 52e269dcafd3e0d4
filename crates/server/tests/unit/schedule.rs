//! Tests of `schedule`.

use leitai_ladder::weng_lin::Rating;
use leitai_server::schedule::*;
use leitai_store::VersionId;
use leitai_store::{BotId, LadderPairing, MatchEntrant, PairingCandidate};
use std::collections::HashMap;
use std::time::Duration;

fn pairing(doubts: &[f64], open: u64) -> LadderPairing {
    let candidate = |(index, doubt): (usize, &f64)| PairingCandidate {
        bot: BotId(index as i64),
        version: VersionId(index as i64),
        is_built_in: false,
        rating: Rating {
            skill: 25.0 + index as f64,
            doubt: *doubt,
        },
        waited: u64::MAX,
        division: None,
    };
    LadderPairing {
        candidates: doubts.iter().enumerate().map(candidate).collect(),
        met: HashMap::new(),
        open,
    }
}

#[test]
fn the_queue_is_short_and_settled_ladders_play_less() {
    let check = |doubts: &[f64], open: u64, last: Option<u64>, expected: u64| {
        let (every, last) = (Duration::from_secs(25), last.map(Duration::from_secs));
        assert_eq!(
            wanted_matches(&pairing(doubts, open), 4, last, every),
            expected,
            "{doubts:?} {open} {last:?}"
        );
    };
    check(&[], 0, None, 0);
    check(&[8.3], 0, None, 0);
    check(&[8.3, 8.3], 0, None, 4);
    check(&[8.3, 1.0], 3, Some(0), 1);
    check(&[8.3, 8.3], 4, None, 0);
    check(&[8.3, 8.3], 9, None, 0);
    check(&[1.0, 2.0], 0, None, 1);
    check(&[1.0, 2.0], 0, Some(24), 0);
    check(&[1.0, 2.0], 0, Some(25), 1);
    check(&[1.0, 2.0], 1, Some(60), 0);
    // Three times as many bots play three times as many matches, within the slots.
    check(&[1.0; 24], 0, Some(8), 0);
    check(&[1.0; 24], 0, Some(9), 1);
    check(&[1.0; 24], 0, Some(25), 3);
    check(&[1.0; 24], 2, Some(25), 1);
    check(&[1.0; 200], 0, Some(60), 4);
    check(&[1.0; 200], 4, Some(60), 0);
    for doubt in [8.3, 1.0] {
        let asleep = wanted_matches(
            &pairing(&[doubt; 8], 0),
            4,
            Some(Duration::from_secs(3600)),
            NO_LADDER,
        );
        assert_eq!(asleep, 0, "no ladder, doubts of {doubt}");
    }
}

#[test]
fn settled_built_in_bots_play_only_those_who_seek_matches() {
    let mut ladder = pairing(&[1.0; 5], 0);
    ladder.candidates.iter_mut().for_each(|one| {
        one.is_built_in = true;
        one.waited = 3;
    });
    let every = Duration::from_secs(25);
    let wanted = |ladder: &LadderPairing| wanted_matches(ladder, 4, None, every);
    assert_eq!(wanted(&ladder), 0);
    ladder.candidates[2].rating.doubt = 8.3;
    assert_eq!(wanted(&ladder), 4, "a built-in bot without a rating");
    ladder.candidates[2].rating.doubt = 1.0;
    ladder.candidates[4].is_built_in = false;
    assert_eq!(wanted(&ladder), 1, "an uploaded bot");
    let played = choose_pairs(&mut ladder, 8, || 7);
    assert_eq!(played.len(), 8);
    assert!(
        played.iter().all(|pair| pair.contains(&BotId(4))),
        "{played:?}"
    );
    for other in 0..4 {
        assert!(
            played.iter().any(|pair| pair.contains(&BotId(other))),
            "{played:?}"
        );
    }
}

#[test]
fn built_in_bots_wait_while_nobody_watches_and_no_bot_needs_them() {
    let wanted = |rested: bool, uploaded: Option<f64>| {
        let mut ladder = pairing(&[8.3; 4], 0);
        ladder
            .candidates
            .iter_mut()
            .for_each(|one| one.is_built_in = true);
        if let Some(doubt) = uploaded {
            ladder.candidates[3].is_built_in = false;
            ladder.candidates[3].rating.doubt = doubt;
        }
        if rested {
            rest_built_ins(&mut ladder);
        }
        wanted_matches(&ladder, 4, Some(Duration::ZERO), Duration::from_secs(25))
    };
    assert_eq!(wanted(false, None), 4, "somebody watches");
    assert_eq!(wanted(true, None), 0);
    assert_eq!(wanted(true, Some(8.3)), 4, "it needs a rating");
    assert_eq!(
        wanted(true, Some(1.0)),
        0,
        "it has one, and plays from time to time"
    );
}

#[test]
fn built_in_bots_of_every_game_come_along_with_settled_ratings() {
    for game in leitai_games::ALL {
        let mut known_ratings = Vec::new();
        for (name, _) in game.list_bots() {
            let known = known_rating(*game, name);
            assert_eq!(known.is_some(), game.is_on_ladder(name), "{name}");
            known_ratings.extend(known);
        }
        let mut ladder = pairing(&vec![8.3; known_ratings.len()], 0);
        for (one, rating) in ladder.candidates.iter_mut().zip(known_ratings) {
            (one.is_built_in, one.rating) = (true, rating);
        }
        assert!(!is_unsettled(&ladder), "{:?}", ladder.candidates);
    }
}

#[test]
fn built_in_bots_whose_order_is_certain_stop_meeting() {
    let wanted = |skills: [f64; 3], is_built_in: bool| {
        let mut ladder = pairing(&[4.0, 3.4, 4.0], 0);
        for (one, skill) in ladder.candidates.iter_mut().zip(skills) {
            one.rating.skill = skill;
            one.is_built_in = is_built_in;
        }
        wanted_matches(&ladder, 4, Some(Duration::ZERO), Duration::from_secs(25))
    };
    assert_eq!(wanted([5.0, 25.0, 60.0], true), 0);
    assert_eq!(
        wanted([12.0, 25.0, 60.0], true),
        4,
        "the first two may swap"
    );
    assert_eq!(wanted([5.0, 25.0, 60.0], false), 4, "uploads get a rating");
}

#[test]
fn newcomers_play_first_and_every_bot_plays() {
    let mut ladder = pairing(&[1.0; 7], 0);
    ladder.candidates.iter_mut().for_each(|one| one.waited = 3);
    ladder.candidates[5].waited = u64::MAX;
    let mut chance = 0;
    let mut next = || {
        chance += 1;
        chance
    };
    let first = choose_pairs(&mut ladder, 1, &mut next);
    assert!(first[0].contains(&BotId(5)), "{first:?}");
    let played = choose_pairs(&mut ladder, 70, &mut next);
    for window in played.windows(7) {
        let seen = |bot: i64| window.iter().any(|pair| pair.contains(&BotId(bot)));
        assert!((0..7).all(seen), "{window:?}");
    }
    assert!(played.iter().all(|[a, b]| a != b));
}

#[test]
fn most_matches_are_played_within_a_division() {
    let mut ladder = pairing(&[1.0; 8], 0);
    for (index, one) in ladder.candidates.iter_mut().enumerate() {
        one.rating.skill = 25.0;
        one.division = Some(if index < 4 { 1 } else { 2 });
    }
    let mut chance = 0;
    let mut next = || {
        chance += 1;
        chance
    };
    let within = |[a, b]: &&[BotId; 2]| (a.0 < 4) == (b.0 < 4);
    let count = |played: Vec<[BotId; 2]>| played.iter().filter(within).count();
    // Two taken at random share a division in 3 of 7 cases.
    let early = count(choose_pairs(&mut ladder, 24, &mut next));
    assert!(early >= 20, "{early} of 24");
    let later = count(choose_pairs(&mut ladder, 100, &mut next));
    assert!(later < 100, "their order would stay unknown");
}

#[test]
fn exhibitions_vary_and_pair_bots_of_similar_rating() {
    let entrant = |name: &str| MatchEntrant {
        built_in: true,
        home: None,
        home_bot: None,
        latency_us: None,
        ..MatchEntrant::human_entrant(name, None)
    };
    let all: Vec<(f64, MatchEntrant)> = ["a", "b", "c", "d", "e", "f"]
        .iter()
        .enumerate()
        .map(|(n, name)| (n as f64, entrant(name)))
        .collect();
    let mut rng = rand::rng();
    assert_eq!(choose_entrants(&all[..1], &mut rng), None);
    let mut seen = HashMap::<String, usize>::new();
    for _ in 0..600 {
        let [one, two] = choose_entrants(&all, &mut rng).expect("there are six");
        let place = |one: &MatchEntrant| {
            all.iter()
                .position(|(_, other)| other.name == one.name)
                .expect("one of them")
        };
        let apart = place(&one).abs_diff(place(&two));
        assert!((1..=2).contains(&apart), "{} {}", one.name, two.name);
        [one, two]
            .iter()
            .for_each(|one| *seen.entry(one.name.clone()).or_default() += 1);
    }
    assert_eq!(seen.len(), 6, "{seen:?}");
    assert!(seen["f"] > seen["a"], "{seen:?}");
}
