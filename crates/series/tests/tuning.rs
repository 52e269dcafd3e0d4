//! The search for the best values of parameters: the real search with results that are made up.

use leitai_game::Rng;
use leitai_ladder::elo::expected_score;
use leitai_series::tuning::{
    Axis, Search, Tuning, TuningOptions, TuningResult, complete_bot, estimate, read_parameters,
};
use leitai_series::{EntrantRequest, Roster};

use crate::injected::{MadeUp, MadeUpLeg, independent, roster, unit};

/// A number with a point, a whole number from 1 to 12.
const REAL: Axis = Axis::Range { steps: 1900.0 };
const WHOLE: Axis = Axis::Range { steps: 11.0 };

/// How strength falls on the way from the optimum to a place, in Elo: the weight of the parameter, and
/// how far away, in shares of its range.
type Shape = fn(f64, f64) -> f64;

fn parabola(elo: f64, away: f64) -> f64 {
    -elo * away * away
}

/// Steeper below the optimum.
fn lopsided(elo: f64, away: f64) -> f64 {
    parabola(if away < 0.0 { 3.0 * elo } else { elo }, away)
}

fn peak(elo: f64, away: f64) -> f64 {
    -elo * away.abs()
}

/// Flat far away.
fn hill(elo: f64, away: f64) -> f64 {
    elo * (-(away / 0.3).powi(2)).exp()
}

/// A synthetic bot: the axis, the optimum and the weight of each parameter.
struct Bot<'a> {
    shape: Shape,
    parameters: &'a [(Axis, f64, f64)],
    /// How much the first two parameters depend on each other.
    bound: f64,
}

impl Bot<'_> {
    fn strength(&self, point: &[f64]) -> f64 {
        let both = self.parameters.iter().zip(point);
        let away: Vec<f64> = both
            .clone()
            .map(|((axis, best, _), place)| match axis {
                Axis::Range { .. } => place - best,
                Axis::Choice { .. } => f64::from(u8::from(place != best)),
            })
            .collect();
        let all = both.zip(&away);
        let alone: f64 = all
            .map(|(((_, _, elo), _), away)| (self.shape)(*elo, *away))
            .sum();
        match away[..] {
            [one, other, ..] => alone - self.bound * one * other,
            _ => alone,
        }
    }

    /// The points of the second side less those of the first in a pair of games, a fifth of them drawn.
    fn play(&self, points: &[Vec<f64>; 2], rng: &mut Rng) -> f64 {
        let chance = expected_score(self.strength(&points[1]) - self.strength(&points[0]));
        let drawn = 0.8 * chance * (1.0 - chance);
        let mut game = || match (rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64 {
            at if at < drawn => 0.5,
            at if at < drawn / 2.0 + chance => 1.0,
            _ => 0.0,
        };
        game() + game() - 1.0
    }

    /// The largest error of a search, in shares of the range; a wrong word is a whole one.
    fn tune(&self, pairs: u64, seed: u64) -> f64 {
        let axes: Vec<Axis> = self.parameters.iter().map(|one| one.0).collect();
        let start: Vec<f64> = axes
            .iter()
            .map(|axis| match axis {
                Axis::Range { .. } => axis.snap(0.5),
                Axis::Choice { .. } => 0.0,
            })
            .collect();
        let mut search = Search::new(axes, &start, pairs, 2, seed);
        let mut rng = Rng::new(seed ^ 0xb07);
        while !search.is_over() {
            let pair = search
                .pair(search.pair_count())
                .expect("the next one is known");
            let result = self.play(&pair.points, &mut rng);
            search.count_pair(Some(result));
        }
        let found = estimate(&search).into_iter().zip(self.parameters);
        found
            .map(|(found, (axis, best, _))| match axis {
                Axis::Range { .. } => (found.best - best).abs(),
                Axis::Choice { .. } => f64::from(u8::from(found.best != *best)),
            })
            .fold(0.0, f64::max)
    }
}

#[test]
fn the_optimum_is_found_within_a_tenth_of_each_range_in_2000_pairs() {
    const RUNS: u64 = 10;
    let check = |name: &str, shape: Shape, bound: f64, parameters: &[(Axis, f64, f64)]| {
        let bot = Bot {
            shape,
            parameters,
            bound,
        };
        let errors: Vec<f64> = (1..=RUNS).map(|seed| bot.tune(2000, seed)).collect();
        let found = errors.iter().filter(|error| **error <= 0.1).count();
        println!("{name}: {found} of {RUNS}, {errors:.3?}");
        assert!(found >= 8, "{name}: {found} of {RUNS}: {errors:.3?}");
    };
    check("a parabola", parabola, 0.0, &[(REAL, 0.7, 400.0)]);
    check(
        "a whole number",
        parabola,
        0.0,
        &[(WHOLE, 9.0 / 11.0, 400.0)],
    );
    check("at the edge", parabola, 0.0, &[(REAL, 0.02, 400.0)]);
    check("lopsided", lopsided, 0.0, &[(REAL, 0.8, 300.0)]);
    check("a hill", hill, 0.0, &[(REAL, 0.85, 200.0)]);
    check(
        "two",
        parabola,
        0.0,
        &[(REAL, 0.2, 400.0), (WHOLE, 0.75, 300.0)],
    );
    check(
        "two that depend on each other",
        parabola,
        400.0,
        &[(REAL, 0.3, 400.0), (REAL, 0.6, 400.0)],
    );
    check(
        "two with a sharp peak",
        peak,
        0.0,
        &[(REAL, 0.65, 300.0), (REAL, 0.3, 200.0)],
    );
    let word = Axis::Choice { count: 3 };
    check(
        "a word and a number",
        parabola,
        0.0,
        &[(word, 2.0, 80.0), (REAL, 0.3, 400.0)],
    );
    let four = [
        (REAL, 0.2, 400.0),
        (REAL, 0.8, 400.0),
        (WHOLE, 0.45, 300.0),
        (REAL, 0.35, 300.0),
    ];
    check("four", parabola, 0.0, &four);
    check("four, lopsided", lopsided, 0.0, &four);
    let uneven = [
        (REAL, 0.3, 1200.0),
        (REAL, 0.7, 400.0),
        (REAL, 0.6, 300.0),
        (REAL, 0.45, 250.0),
    ];
    check("four of different weight", parabola, 0.0, &uneven);
}

#[test]
fn intervals_hold_what_they_promise() {
    let bot = Bot {
        shape: parabola,
        parameters: &[(REAL, 0.6, 300.0), (REAL, 0.3, 300.0)],
        bound: 0.0,
    };
    let (mut held, mut widths) = (0, 0.0);
    const RUNS: u64 = 40;
    for seed in 1..=RUNS {
        let mut search = Search::new(vec![REAL, REAL], &[0.5, 0.5], 600, 2, seed);
        let mut rng = Rng::new(seed);
        while !search.is_over() {
            let pair = search
                .pair(search.pair_count())
                .expect("the next one is known");
            let result = bot.play(&pair.points, &mut rng);
            search.count_pair(Some(result));
        }
        for (found, (_, best, _)) in estimate(&search).iter().zip(bot.parameters) {
            let [low, high] = found.interval;
            held += u64::from((low..=high).contains(best));
            widths += (high - low) / (2 * RUNS) as f64;
        }
    }
    assert!(held * 100 >= 2 * RUNS * 85, "{held} of {} hold", 2 * RUNS);
    assert!(widths < 0.5, "{widths}");
}

fn options(pairs: u64) -> TuningOptions {
    let parameters = ["depth=1..12", "k=0.1..2.0", "style=a|b|c"].map(str::to_owned);
    let parameters = read_parameters(&parameters).expect("valid");
    let bot = EntrantRequest::from_word("random");
    TuningOptions {
        bot: complete_bot(bot, &parameters).expect("no other placeholder"),
        parameters,
        seed: 5,
        pairs,
        restarts: 2,
        folder: None,
    }
}

fn tune(roster: &Roster, options: TuningOptions, workers: usize) -> TuningResult {
    let make = |seats: [usize; 2], seed: u64, leg: usize| -> MadeUpLeg {
        let ahead = 300.0 * (unit(&[seed]) - 0.5);
        let ahead = if seats[0] == 0 { ahead } else { -ahead };
        independent(ahead, &[seed, leg as u64, seats[0] as u64])
    };
    let mut run = Tuning::open(options, roster, |_| {}).expect("it begins");
    MadeUp::new(workers, 2, &make).play(&mut run);
    run.into_result()
}

#[test]
fn the_way_depends_neither_on_jobs_nor_on_kills() {
    let roster = roster(&["random", "random"], serde_json::json!({}));
    let once = tune(&roster, options(200), 1).to_json();
    for workers in [3, 16, 40] {
        assert_eq!(
            tune(&roster, options(200), workers).to_json(),
            once,
            "-j {workers}"
        );
    }
    let place = tempfile::tempdir().expect("a temporary folder");
    let kept = TuningOptions {
        folder: Some(place.path().to_owned()),
        ..options(200)
    };
    assert_eq!(tune(&roster, kept.clone(), 5).to_json(), once);
    let journal = place.path().join("journal.jsonl");
    let whole = std::fs::read_to_string(&journal).expect("it was written");
    for lines in [1, 2, 30, 101, 130, 200] {
        // A kill after so many lines, in the middle of the next one, and perhaps before an earlier pair.
        let mut left: Vec<&str> = whole.split_inclusive('\n').take(lines).collect();
        if left.len() > 12 {
            left.remove(9);
        }
        let torn = left.concat() + "{\"number\":";
        std::fs::write(&journal, torn).expect("own folder");
        assert_eq!(
            tune(&roster, kept.clone(), 4).to_json(),
            once,
            "{lines} lines"
        );
        let again = std::fs::read_to_string(&journal).expect("it was written");
        let mut numbers: Vec<u64> = (again.lines().skip(1))
            .map(|line| {
                serde_json::from_str::<serde_json::Value>(line).expect("JSON")["number"]
                    .as_u64()
                    .expect("a number")
            })
            .collect();
        numbers.sort_unstable();
        assert!(
            numbers.iter().copied().eq(0..200),
            "every pair once: {numbers:?}"
        );
    }
    let other = TuningOptions { pairs: 300, ..kept };
    let why = Tuning::open(other, &roster, |_| {})
        .err()
        .expect("other pairs");
    assert!(
        why.to_string().contains("pairs was 200 and is 300"),
        "{why}"
    );
}
