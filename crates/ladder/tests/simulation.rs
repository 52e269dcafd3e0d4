//! Simulated games between players of known strength: do the statistical promises hold? Every test
//! prints its measurements (`cargo test --test simulation -- --nocapture`).

use leitai_ladder::sprt::elo_interval;
use leitai_ladder::stopped_estimate::estimate_after_stop;
use leitai_ladder::{Decision, GameScore, PairTally, Results, Sprt, elo};

/// SplitMix64, so that every run sees the same games.
struct Chance(u64);

impl Chance {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A game between players whose difference is `elo`, with draws by Davidson's model with this
    /// weight.
    fn game(&mut self, elo: f64, draws: f64) -> GameScore {
        let half = elo / elo::PER_LOGIT / 2.0;
        let [win, loss] = [half.exp(), (-half).exp()];
        let at = self.unit() * (win + draws + loss);
        match () {
            () if at < win => GameScore::Win,
            () if at < win + draws => GameScore::Draw,
            () => GameScore::Loss,
        }
    }
}

/// A true difference of strength, as points over pairs of games on boards that favour a seat by
/// `board` Elo, the sign by chance. Both games of a pair are on the same board.
struct Truth {
    elo: f64,
    draws: f64,
    board: f64,
}

impl Truth {
    fn pair(&self, chance: &mut Chance) -> [GameScore; 2] {
        let board = if chance.unit() < 0.5 {
            self.board
        } else {
            -self.board
        };
        [
            chance.game(self.elo + board, self.draws),
            chance.game(self.elo - board, self.draws),
        ]
    }

    /// The expected points of this truth.
    fn share(&self) -> f64 {
        let one = |elo: f64| {
            let half = elo / elo::PER_LOGIT / 2.0;
            let [win, loss] = [half.exp(), (-half).exp()];
            (win + self.draws / 2.0) / (win + self.draws + loss)
        };
        (one(self.elo + self.board) + one(self.elo - self.board)) / 2.0
    }

    /// The truth under which exactly this Elo difference, measured in points, is expected.
    fn seen_as(seen: f64, draws: f64, board: f64) -> Truth {
        let with = |elo: f64| Truth { elo, draws, board };
        with(leitai_ladder::normal::bisect_root(-2000.0, 2000.0, |elo| {
            with(elo).share() - elo::expected_score(seen)
        }))
    }
}

/// Plays until the test decides.
fn compare(sprt: &Sprt, truth: &Truth, chance: &mut Chance) -> (Decision, PairTally) {
    let mut pairs = PairTally::default();
    loop {
        pairs.count_pair(truth.pair(chance));
        match sprt.decide_test(&pairs) {
            Decision::Undecided => {
                assert!(pairs.pair_count() < 1_000_000, "the test does not decide")
            }
            decision => return (decision, pairs),
        }
    }
}

const RUNS: u32 = 2000;

/// The number of wrong decisions that is within a promise of 5 %: the mean plus three standard
/// deviations of a binomial.
fn allowed(promise: f64) -> u32 {
    let runs = f64::from(RUNS);
    (runs * promise + 3.0 * (runs * promise * (1.0 - promise)).sqrt()) as u32
}

#[track_caller]
fn error_rates(name: &str, sprt: Sprt, draws: f64, board: f64) {
    let mut chance = Chance(0x5eed);
    for (hypothesis, wrong) in [
        (sprt.elo0, Decision::Accepted),
        (sprt.elo1, Decision::Rejected),
    ] {
        let truth = Truth::seen_as(hypothesis, draws, board);
        let (mut errors, mut played, mut covered, mut plain) = (0, 0, 0, 0);
        for _ in 0..RUNS {
            let (decision, pairs) = compare(&sprt, &truth, &mut chance);
            errors += u32::from(decision == wrong);
            played += pairs.pair_count();
            let honest = estimate_after_stop(&sprt, &pairs, 0.95).expect("pairs were played");
            covered += u32::from((honest.low..=honest.high).contains(&hypothesis));
            let [_, low, high] = elo_interval(&pairs, 0.95);
            plain += u32::from((low..=high).contains(&hypothesis));
        }
        let percent = |count: u32| 100.0 * f64::from(count) / f64::from(RUNS);
        println!(
            "{name}: at {hypothesis} Elo {errors} of {RUNS} wrong ({:.1} %), {:.0} pairs on average; 95 % intervals \
             cover {:.1} % (plain ones {:.1} %)",
            percent(errors),
            f64::from(played) / f64::from(RUNS),
            percent(covered),
            percent(plain),
        );
        assert!(
            errors <= allowed(0.05),
            "{name}: {errors} of {RUNS} wrong at {hypothesis}"
        );
        assert!(
            (93.5..=99.0).contains(&percent(covered)),
            "{name}: {} % covered",
            percent(covered)
        );
    }
}

const USUAL: Sprt = Sprt {
    elo0: 0.0,
    elo1: 10.0,
    alpha: 0.05,
    beta: 0.05,
};

#[test]
fn wrong_decisions_stay_within_the_promise() {
    error_rates(
        "few draws",
        Sprt {
            elo1: 50.0,
            ..USUAL
        },
        0.1,
        0.0,
    );
    error_rates(
        "many draws",
        Sprt {
            elo1: 30.0,
            ..USUAL
        },
        4.0,
        0.0,
    );
    error_rates(
        "boards that favour a seat",
        Sprt {
            elo1: 50.0,
            ..USUAL
        },
        0.2,
        300.0,
    );
    error_rates(
        "no worse than before",
        Sprt {
            elo0: -30.0,
            elo1: 0.0,
            ..USUAL
        },
        0.5,
        100.0,
    );
}

#[test]
fn wrong_decisions_stay_within_the_promise_at_the_usual_bounds() {
    error_rates("the usual bounds", USUAL, 0.3, 100.0);
}

/// A test that has not stopped is estimated as well as one that has.
#[test]
fn intervals_of_a_running_test_cover_what_they_say() {
    let mut chance = Chance(1);
    for seen in [-100.0, 0.0, 60.0] {
        let truth = Truth::seen_as(seen, 0.5, 150.0);
        let (mut covered, mut plain) = (0, 0);
        for _ in 0..RUNS {
            let mut pairs = PairTally::default();
            (0..128).for_each(|_| pairs.count_pair(truth.pair(&mut chance)));
            let got = estimate_after_stop(&USUAL, &pairs, 0.95).expect("pairs were played");
            covered += u32::from((got.low..=got.high).contains(&seen));
            let [_, low, high] = elo_interval(&pairs, 0.95);
            plain += u32::from((low..=high).contains(&seen));
        }
        println!(
            "at {seen} Elo, 128 pairs: {covered} of {RUNS} intervals cover (plain ones {plain})"
        );
        assert!(
            (1850..=1950).contains(&covered),
            "{seen}: {covered} of {RUNS}"
        );
    }
}

/// Eight players of known strength, a round robin of twenty games each: 90 % intervals of ratings
/// and of differences cover 90 % +- 3, and the order is recovered where the gaps are wide.
#[test]
fn intervals_of_ratings_cover_what_they_say() {
    let strengths = [350.0, 250.0, 150.0, 50.0, -50.0, -150.0, -250.0, -350.0];
    let (runs, mut chance) = (400, Chance(2));
    let (mut ratings, mut differences, mut asked, mut top, mut ordered) = (0, 0, 0, 0, 0);
    for _ in 0..runs {
        let mut field = Results::new(strengths.len());
        for one in 0..strengths.len() {
            for other in 0..one {
                for _ in 0..20 {
                    field.add_game(
                        one,
                        other,
                        chance.game(strengths[one] - strengths[other], 0.5),
                    );
                }
            }
        }
        let fit = field.fit_ratings();
        let covers = |measured: leitai_ladder::bradley_terry::Estimated, truth: f64| {
            let [low, high] = measured.confidence_interval(0.9);
            u32::from((low..=high).contains(&truth))
        };
        for one in 0..strengths.len() {
            ratings += covers(fit.player_rating(one), strengths[one]);
            let other = (one + 3) % strengths.len();
            differences += covers(
                fit.rating_difference(one, other),
                strengths[one] - strengths[other],
            );
            asked += 1;
        }
        let mut order: Vec<usize> = (0..strengths.len()).collect();
        order.sort_by(|one, other| {
            fit.player_rating(*other)
                .value
                .total_cmp(&fit.player_rating(*one).value)
        });
        top += u32::from(order[0] == 0);
        ordered += u32::from(order.is_sorted());
    }
    let percent = |count: u32| 100.0 * f64::from(count) / f64::from(asked);
    println!(
        "90 % intervals cover {:.1} % of ratings and {:.1} % of differences; the best was found in {top} of {runs} \
         tournaments, the whole order in {ordered}",
        percent(ratings),
        percent(differences)
    );
    assert!((87.0..=93.0).contains(&percent(ratings)));
    assert!((87.0..=93.0).contains(&percent(differences)));
    assert!(top >= runs * 9 / 10);
}

/// Tables of a round robin in which a player is said to be surely behind, or before, more others than
/// are better, or worse.
fn false_tables(strengths: &[f64], rounds: u32, draws: f64, runs: u32, chance: &mut Chance) -> u32 {
    let is_false = |chance: &mut Chance| {
        let mut field = Results::new(strengths.len());
        for one in 0..strengths.len() {
            for other in 0..one {
                for _ in 0..rounds {
                    let score = chance.game(strengths[one] - strengths[other], draws);
                    field.add_game(one, other, score);
                }
            }
        }
        let places = field.place_intervals(0.95);
        let stronger = |than: f64| strengths.iter().filter(|other| **other > than).count();
        let weaker = |than: f64| strengths.iter().filter(|other| **other < than).count();
        (strengths.iter().zip(places)).any(|(own, [best, worst])| {
            best - 1 > stronger(*own) || strengths.len() - worst > weaker(*own)
        })
    };
    (0..runs).filter(|_| is_false(chance)).count() as u32
}

/// The percentage up to which a promise of 5 % holds: 6 in many runs, more where chance is larger.
fn most_seen(runs: u32) -> f64 {
    let noise = 300.0 * (0.05 * 0.95 / f64::from(runs)).sqrt();
    if runs >= RUNS { 6.0 } else { 5.0 + noise }
}

/// The promise of 5 % is one per table, from the first game on.
#[track_caller]
fn places_keep_their_promise(runs: u32) {
    let mut chance = Chance(3);
    let fields: [&[f64]; 5] = [
        &[0.0; 2],
        &[0.0; 3],
        &[0.0; 4],
        &[0.0; 8],
        &[300.0, 0.0, 0.0, -300.0],
    ];
    for (strengths, rounds, draws) in fields.into_iter().flat_map(|strengths| {
        [(1, 0.3), (2, 0.3), (3, 0.0), (3, 2.0), (6, 0.0), (20, 0.3)]
            .map(|(rounds, draws)| (strengths, rounds, draws))
    }) {
        let wrong = false_tables(strengths, rounds, draws, runs, &mut chance);
        let percent = 100.0 * f64::from(wrong) / f64::from(runs);
        println!("places of {strengths:?}, {rounds} rounds, draws {draws}: {percent:.1} % wrong");
        assert!(
            percent <= most_seen(runs),
            "{strengths:?}, {rounds} rounds: {percent} %"
        );
    }
}

#[test]
fn places_of_few_games_claim_no_more_than_they_promise() {
    places_keep_their_promise(80);
}

mod long {
    use super::*;

    #[test]
    #[ignore = "2,000 tables of each kind"]
    fn places_claim_no_more_than_they_promise() {
        places_keep_their_promise(2000);
    }
}
