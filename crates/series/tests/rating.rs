//! Ratings on a scale.

use leitai_game::RatingScale;
use leitai_series::EntrantRequest;
use leitai_series::rating::{
    BOT, RatingOptions, RatingResult, RatingRun, find_scale, list_entrants,
};
use leitai_series::{MatchOptions, Roster};

use crate::injected::{MadeUp, MadeUpLeg, independent, unit};

fn scale() -> &'static RatingScale {
    find_scale(leitai_games::find_game("kob").expect("it is listed")).expect("it has one")
}

fn roster() -> Roster {
    let game = leitai_games::find_game("kob").expect("it is listed");
    let options = MatchOptions::new(game).expect("the game's own config");
    let entrants = list_entrants(EntrantRequest::from_word("space"), scale());
    Roster::build_entrants(game, &entrants, &options, &mut |_| {}).expect("built-in bots")
}

fn options(precision: f64) -> RatingOptions {
    RatingOptions {
        precision,
        ..RatingOptions::default()
    }
}

fn rate(roster: &Roster, options: RatingOptions, player: &MadeUp<'_>) -> RatingResult {
    let mut run = RatingRun::open(options, roster, |_| {}).expect("it begins");
    player.play(&mut run);
    run.into_result()
}

/// A leg of a bot whose strength against each level is given.
fn leg(strength: &dyn Fn(usize) -> f64, seats: [usize; 2], numbers: [u64; 3]) -> MadeUpLeg {
    let level = seats[0].max(seats[1]) - 1;
    let ahead = strength(level) - f64::from(scale().levels[level].rating);
    let first = if seats[0] == BOT { ahead } else { -ahead };
    independent(
        first,
        &[&numbers[..], &seats.map(|seat| seat as u64)].concat(),
    )
}

#[test]
fn the_answer_does_not_depend_on_how_many_matches_run_at_once() {
    let roster = roster();
    let make = |seats: [usize; 2], seed: u64, index: usize| {
        leg(&|_| 1300.0, seats, [7, seed, index as u64])
    };
    let answer = |workers| {
        let result = rate(&roster, options(40.0), &MadeUp::new(workers, 2, &make));
        (result.to_json(), result.pair_count())
    };
    let one = answer(1);
    for workers in [2, 5, 16, 40] {
        assert_eq!(answer(workers), one, "-j {workers}");
    }
    let levels = one.0["levels"].as_array().expect("a list");
    let games = |level: &serde_json::Value| level["games"]["wins"].as_u64() >= Some(10);
    assert!(
        levels.iter().filter(|level| games(level)).count() >= 2,
        "{levels:?}"
    );
}

/// Against some levels it is 120 Elo stronger than against others.
#[test]
fn a_strength_that_depends_on_the_opponent_is_said() {
    let roster = roster();
    let strength = |level: usize| {
        if level.is_multiple_of(2) {
            1480.0
        } else {
            1240.0
        }
    };
    let make =
        |seats: [usize; 2], seed: u64, index: usize| leg(&strength, seats, [3, seed, index as u64]);
    let result = rate(&roster, options(40.0), &MadeUp::new(1, 2, &make));
    assert!(result.depends_on_opponent() && !result.is_precise());
    assert!(result.half_width() > 60.0, "{}", result.half_width());
    assert_eq!(result.to_json()["status"], "depends-on-opponent");
    let catalogue = leitai_series::messages::catalogue([&**roster.game()]);
    for (lang, part) in [
        (
            leitai_game::Lang::En,
            "its strength depends on the opponent",
        ),
        (leitai_game::Lang::Zh, "它的实力因对手而异"),
    ] {
        let rows = result.rows(leitai_series::Language::new(lang, &catalogue));
        assert!(
            rows.iter().any(|(_, value)| value.contains(part)),
            "{rows:?}"
        );
    }
}

#[test]
fn games_that_only_repeat_end_a_rating() {
    let roster = roster();
    let make = |seats: [usize; 2], _: u64, _: usize| MadeUpLeg {
        winner: Some(usize::from(seats[0] == BOT)),
        game: seats[0] as u64,
    };
    let result = rate(&roster, options(40.0), &MadeUp::new(3, 2, &make));
    let json = result.to_json();
    assert_eq!(
        (&json["status"], &json["distinct_games"]),
        (&"no-new-games".into(), &20.into()),
        "{json}"
    );
    assert!(json["games_played"].as_u64() < Some(800), "{json}");
}

/// The share of intervals, in percent, that do not hold the truth.
fn missed(runs: u64, precision: f64) -> f64 {
    let roster = roster();
    let mut missed = 0;
    for run in 0..runs {
        let truth = 900.0 + 1600.0 * unit(&[run, 99]);
        let make = |seats: [usize; 2], seed: u64, index: usize| {
            leg(&|_| truth, seats, [run, seed, index as u64])
        };
        let result = rate(&roster, options(precision), &MadeUp::new(1, 2, &make));
        let [low, high] = result.rating().confidence_interval(0.95);
        missed += u32::from(!(low..=high).contains(&truth));
    }
    let missed = 100.0 * f64::from(missed) / runs as f64;
    println!("rate, goal ±{precision}: {missed:.1} % of {runs} intervals miss the truth");
    missed
}

#[test]
fn intervals_of_ratings_hold_the_truth() {
    // Three standard deviations of a binomial beyond 5 %.
    assert!(missed(60, 100.0) <= 13.5);
}

mod long {
    use super::*;

    #[test]
    #[ignore = "2,000 ratings of each precision"]
    fn intervals_of_ratings_hold_the_truth() {
        for precision in [40.0, 100.0] {
            assert!(missed(2000, precision) <= 6.0, "±{precision}");
        }
    }
}
