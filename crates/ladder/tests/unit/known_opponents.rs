//! Tests of `known_opponents`.

use leitai_ladder::bradley_terry::Estimated;
use leitai_ladder::elo::{PER_LOGIT, expected_score};
use leitai_ladder::known_opponents::*;

const PRIOR: Estimated = Estimated {
    value: 1500.0,
    error: 600.0,
};

fn rate(pairs: &[(f64, f64)]) -> Estimated {
    let mut levels: Vec<LevelPairs> = Vec::new();
    for (opponent, points) in pairs {
        match levels.iter_mut().find(|level| level.opponent == *opponent) {
            Some(level) => level.count_pair(*points),
            None => {
                let mut level = LevelPairs::new(*opponent);
                level.count_pair(*points);
                levels.push(level);
            }
        }
    }
    rate_by_levels(&levels, PRIOR).rating
}

#[test]
fn without_games_the_prior_remains() {
    let rating = rate(&[]);
    assert!((rating.value - 1500.0).abs() < 1e-6);
    assert!((rating.error - 600.0).abs() < 1e-6);
}

#[test]
fn a_player_who_won_every_game_has_a_finite_rating_above_the_opponents() {
    let rating = rate(&[(2000.0, 2.0); 20]);
    assert!(rating.value > 2400.0 && rating.value < 4000.0, "{rating:?}");
    let lost = rate(&[(1000.0, 0.0); 20]);
    assert!(lost.value < 600.0 && lost.value > -1000.0, "{lost:?}");
}

#[test]
fn opponents_of_different_strength_give_one_rating() {
    // 76 % against 200 less, 24 % against 200 more.
    let mut pairs = vec![(1300.0, 2.0 * 0.76); 100];
    pairs.extend(vec![(1700.0, 2.0 * 0.24); 100]);
    let rating = rate(&pairs);
    assert!((rating.value - 1500.0).abs() < 1.0, "{rating:?}");
}

#[test]
fn games_of_a_pair_that_end_alike_count_for_less() {
    let split = rate(&[(1500.0, 1.0); 100]);
    let mut alike = vec![(1500.0, 2.0); 50];
    alike.extend(vec![(1500.0, 0.0); 50]);
    let alike = rate(&alike);
    assert!((alike.value - 1500.0).abs() < 1.0);
    // Each pair tells as much as a single game.
    let ratio = alike.error / split.error;
    assert!((ratio - 2f64.sqrt()).abs() < 0.03, "{ratio}");
}

#[test]
fn single_games_that_go_alike_tell_as_much_as_their_pairs() {
    let single = |points| RatedGames {
        opponent: 1400.0,
        error: 0.0,
        games: 1.0,
        points,
    };
    let mut games = vec![single(1.0); 60];
    games.extend(vec![single(0.0); 40]);
    let by_games = rate_by_games(&games, PRIOR);
    let mut pairs = vec![(1400.0, 2.0); 20];
    pairs.extend(vec![(1400.0, 1.0); 20]);
    pairs.extend(vec![(1400.0, 0.0); 10]);
    let by_pairs = rate(&pairs);
    assert!((by_games.value - by_pairs.value).abs() < 1e-6);
    assert!(by_games.error <= by_pairs.error);
}

#[test]
fn an_opponent_of_uncertain_strength_tells_less() {
    let against = |error| {
        let won = RatedGames {
            opponent: 1800.0,
            error,
            games: 1.0,
            points: 1.0,
        };
        rate_by_games(&[won; 5], PRIOR)
    };
    let (sure, doubtful) = (against(0.0), against(400.0));
    assert!(doubtful.error > sure.error, "{sure:?} {doubtful:?}");
    // Glickman's example: g(RD) for RD = 30, 100 and 300.
    for (error, g) in [(30.0, 0.9955), (100.0, 0.9531), (300.0, 0.7242)] {
        assert!((flatten(error) - g).abs() < 1e-4, "{error}");
    }
}

#[test]
fn the_interval_holds_what_it_promises() {
    use leitai_ladder::normal::two_sided;
    // Points that stand for the exact chances of a rating of 1600 against 1500, spread as
    // independent games are: wins, splits and losses of pairs in their proportions.
    let chance = expected_score(100.0);
    let count = |share: f64| (400.0 * share).round() as usize;
    let mut pairs = vec![(1500.0, 2.0); count(chance * chance)];
    pairs.extend(vec![(1500.0, 1.0); count(2.0 * chance * (1.0 - chance))]);
    pairs.extend(vec![(1500.0, 0.0); count((1.0 - chance) * (1.0 - chance))]);
    let rating = rate(&pairs);
    let half = two_sided(0.95) * rating.error;
    assert!((rating.value - 1600.0).abs() < half / 4.0, "{rating:?}");
    // 800 independent games: 1.96 * 347.4 / sqrt(800 * 4 * p (1 - p)) Elo.
    let expected = 1.96 * 2.0 * PER_LOGIT / (800.0 * 4.0 * chance * (1.0 - chance)).sqrt();
    assert!((half / expected - 1.0).abs() < 0.03, "{half} {expected}");
}

/// 1227 against one level and 996 against the next, as a bot of SnakeGo was measured, is no
/// strength of 1110 ± 40 against all.
#[test]
fn a_misfit_between_opponents_is_in_the_interval() {
    let against = |opponent: f64, rating: f64, pairs: u32| {
        let mut level = LevelPairs::new(opponent);
        let chance = expected_score(rating - opponent);
        for pair in 0..pairs {
            let at = f64::from(pair) / f64::from(pairs);
            level.count_pair(if at < chance { 2.0 } else { 0.0 });
        }
        level
    };
    let alike = rate_by_levels(
        &[against(1000.0, 1100.0, 200), against(1200.0, 1100.0, 200)],
        PRIOR,
    );
    assert!(alike.misfit_chance > 0.5, "{alike:?}");
    assert!((alike.rating.error - alike.games_error).abs() < 0.1);
    let apart = rate_by_levels(
        &[against(1000.0, 1227.0, 200), against(1200.0, 996.0, 200)],
        PRIOR,
    );
    assert!(apart.misfit_chance < 0.001, "{apart:?}");
    assert!((apart.games_error - alike.games_error).abs() < 2.0);
    assert!(apart.rating.error > 80.0, "{apart:?}");
    let [one, other] = [0, 1].map(|level| apart.alone[level].expect("it played").value);
    assert!(
        (one - 1227.0).abs() < 5.0 && (other - 996.0).abs() < 5.0,
        "{apart:?}"
    );
}

#[test]
fn games_are_shared_among_the_opponents_that_tell_most() {
    let levels = [1000.0, 1200.0, 1400.0, 1600.0];
    let shares = |value: f64, error: f64, barred: Option<usize>| {
        let mut chosen = [Some(0); 4];
        barred.into_iter().for_each(|level| chosen[level] = None);
        for _ in 0..100 {
            let next = choose_opponent(&levels, &chosen, Estimated { value, error });
            let count = &mut chosen[next.expect("there are opponents")];
            *count = count.map(|count| count + 1);
        }
        chosen.map(Option::unwrap_or_default)
    };
    let [first, second, third, fourth] = shares(1190.0, 20.0, None);
    assert!(second > first.max(third) && first.min(third) >= 25 && fourth == 0);
    assert!(shares(1190.0, 20.0, Some(1))[0] >= 40);
    assert!(
        shares(1400.0, 800.0, None).iter().all(|count| *count >= 20),
        "nothing is known"
    );
    assert_eq!(shares(2500.0, 20.0, None)[..2], [0, 0]);
    assert_eq!(shares(-100.0, 20.0, None)[2..], [0, 0]);
    let sure = Estimated {
        value: 0.0,
        error: 20.0,
    };
    assert_eq!(choose_opponent(&[], &[], sure), None);
    assert_eq!(choose_opponent(&[1000.0], &[None], sure), None);
}
