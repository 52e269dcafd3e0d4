//! Simulated games between players of known strength: do the statistical promises hold? Every test
//! prints its measurements (`cargo test --test simulation -- --nocapture`).
//! Beside them the tests of single modules: one binary for both.

mod unit;

use std::cmp::Ordering;

use leitai_ladder::bradley_terry::Estimated;
use leitai_ladder::most_informative::{NeighbourState, Precision, RankOrder};
use leitai_ladder::pair_spread::elo_interval;
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
            percent(covered) >= 93.5,
            "{name}: {} % covered",
            percent(covered)
        );
    }
}

const USUAL: Sprt = unit::test_up_to(10.0);

#[test]
fn wrong_decisions_stay_within_the_promise() {
    for (name, [elo0, elo1], draws, board) in [
        ("few draws", [0.0, 50.0], 0.1, 0.0),
        ("many draws", [0.0, 30.0], 4.0, 0.0),
        ("boards that favour a seat", [0.0, 50.0], 0.2, 300.0),
        ("hardly ever decided", [0.0, 20.0], 40.0, 0.0),
        ("no worse than before", [-30.0, 0.0], 0.5, 100.0),
    ] {
        let sprt = Sprt {
            elo0,
            elo1,
            ..USUAL
        };
        error_rates(name, sprt, draws, board);
    }
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
                    let legs = SOME_DRAWS.play(strengths[one] - strengths[other], &mut chance);
                    field.add_game(one, other, legs[0]);
                }
            }
        }
        let fit = field.fit_ratings();
        let covers = |measured: Estimated, truth: f64| {
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

/// How two players' matches of two legs end: how many of the points that the weaker one has, and as
/// many of the stronger one's, come from draws (0 to 1), and how much a board favours a seat (0 to 1).
#[derive(Clone, Copy, Debug)]
struct Style {
    draws: f64,
    board: f64,
}

const DRAWISH: Style = Style {
    draws: 0.97,
    board: 0.0,
};
const SOME_DRAWS: Style = Style {
    draws: 0.3,
    board: 0.0,
};
const DRAWLESS: Style = Style {
    draws: 0.0,
    board: 0.0,
};
const SEATED: Style = Style {
    draws: 0.0,
    board: 0.9,
};
const STYLES: [(&str, &[Style]); 4] = [
    ("drawish", &[DRAWISH]),
    ("drawless", &[DRAWLESS]),
    ("boards that favour a seat", &[SEATED]),
    ("mixed", &[DRAWISH, DRAWLESS, SEATED]),
];

impl Style {
    /// A match of which so much is expected, in Elo of a leg.
    fn play(self, elo: f64, chance: &mut Chance) -> [GameScore; 2] {
        let expected = elo::expected_score(elo);
        let room = expected.min(1.0 - expected);
        let tilt = if chance.unit() < 0.5 { room } else { -room } * self.board;
        [expected + tilt, expected - tilt].map(|expected| {
            let drawn = self.draws * expected.min(1.0 - expected);
            match chance.unit() {
                at if at < expected - drawn => GameScore::Win,
                at if at < expected + drawn => GameScore::Draw,
                _ => GameScore::Loss,
            }
        })
    }
}

/// The result of a match by its legs.
fn match_score(legs: [GameScore; 2]) -> GameScore {
    match (legs[0].half_points() + legs[1].half_points()).cmp(&2) {
        Ordering::Less => GameScore::Loss,
        Ordering::Equal => GameScore::Draw,
        Ordering::Greater => GameScore::Win,
    }
}

/// How often intervals hold the truth, in percent: of ratings, of differences, and of pairs alone.
fn coverage(
    styles: &[Style],
    strengths: &[f64],
    matches: u32,
    runs: u32,
    chance: &mut Chance,
) -> [f64; 3] {
    let mean = strengths.iter().sum::<f64>() / strengths.len() as f64;
    let (mut held, mut asked) = ([0u32; 3], [0u32; 3]);
    let mut check = |kind: usize, [low, high]: [f64; 2], truth: f64| {
        held[kind] += u32::from((low..=high).contains(&truth));
        asked[kind] += 1;
    };
    for _ in 0..runs {
        let mut field = Results::new(strengths.len());
        for one in 0..strengths.len() {
            for other in 0..one {
                let difference = strengths[one] - strengths[other];
                let (style, mut pairs) =
                    (styles[(one + other) % styles.len()], PairTally::default());
                for _ in 0..matches {
                    let legs = style.play(difference, chance);
                    field.add_match(one, other, match_score(legs), &legs);
                    pairs.count_pair(legs);
                }
                let [_, low, high] = elo_interval(&pairs, 0.95);
                check(2, [low, high], difference);
            }
        }
        let fit = field.fit_ratings();
        for one in 0..strengths.len() {
            let rating = fit.player_rating(one).confidence_interval(0.95);
            check(0, rating, strengths[one] - mean);
            for other in 0..one {
                let gap = fit.rating_difference(one, other).confidence_interval(0.95);
                check(1, gap, strengths[one] - strengths[other]);
            }
        }
    }
    [0, 1, 2].map(|kind| 100.0 * f64::from(held[kind]) / f64::from(asked[kind]))
}

/// Intervals of 95 % hold the truth in `least` percent or more, whatever the results look like.
#[track_caller]
fn intervals_hold(runs: u32, least: f64) {
    let mut chance = Chance(4);
    let fields: [&[f64]; 4] = [
        &[0.0, 0.0],
        &[100.0, 0.0],
        &[300.0, 0.0],
        &[150.0, 50.0, -50.0, -150.0],
    ];
    let mut worst = Vec::new();
    for (name, styles) in STYLES {
        for strengths in fields {
            for matches in [3, 10, 50, 200] {
                let held = coverage(styles, strengths, matches, runs, &mut chance);
                let line = format!(
                    "{name}, {strengths:?}, {matches} matches: intervals of ratings hold {:.1} %, of \
                    differences {:.1} %, of pairs alone {:.1} %",
                    held[0], held[1], held[2]
                );
                println!("{line}");
                worst.extend(held.iter().any(|held| *held < least).then_some(line));
            }
        }
    }
    assert!(worst.is_empty(), "{worst:#?}");
}

#[test]
fn intervals_hold_the_truth_of_draws_and_of_decided_games() {
    intervals_hold(60, 84.0);
}

/// The percentage of ladders of which a settled neighbour is told wrongly, and the matches of each.
fn wrong_ladders(
    styles: &[Style],
    strengths: &[f64],
    aim: Precision,
    runs: u32,
    chance: &mut Chance,
) -> (f64, u32) {
    let (mut wrong, mut matches) = (0, 0);
    for _ in 0..runs {
        let mut field = Results::new(strengths.len());
        let mut order = RankOrder::from_results(&field, &aim);
        while let Some((one, other)) = order.next_game(&[], &[]) {
            let style = styles[(one + other) % styles.len()];
            let legs = style.play(strengths[one] - strengths[other], chance);
            field.add_match(one, other, match_score(legs), &legs);
            matches += 1;
            assert!(matches < 20_000 * runs, "it does not settle");
            order = RankOrder::from_results(&field, &aim);
        }
        wrong += u32::from(order.gaps.iter().any(|gap| {
            let truth = strengths[gap.upper] - strengths[gap.lower];
            match gap.standing {
                NeighbourState::Better => truth <= 0.0,
                NeighbourState::Equal => truth.abs() > aim.equal_within,
                NeighbourState::Open => true,
            }
        }));
    }
    (100.0 * f64::from(wrong) / f64::from(runs), matches / runs)
}

#[track_caller]
fn ladders_keep_their_promise(runs: u32, equal_within: f64) {
    let aim = Precision {
        confidence: 0.95,
        equal_within,
    };
    let mut chance = Chance(5);
    let apart = equal_within * 1.2;
    for (name, styles) in STYLES {
        for strengths in [[0.0, 0.0, 0.0], [apart, 0.0, -apart]] {
            let (percent, matches) = wrong_ladders(styles, &strengths, aim, runs, &mut chance);
            println!(
                "ladder of {strengths:?}, {name}: {percent:.1} % wrong, {matches} matches each"
            );
            assert!(percent <= most_seen(runs), "{name}: {percent} %");
        }
    }
}

#[test]
fn ladders_of_draws_and_of_decided_games_keep_their_promise() {
    ladders_keep_their_promise(30, 120.0);
}

/// Two bots that always draw are told to be equal, after about as many matches as a comparison takes.
#[test]
fn bots_that_always_draw_are_settled() {
    let aim = Precision {
        confidence: 0.95,
        equal_within: 20.0,
    };
    let mut field = Results::new(2);
    let mut matches = 0;
    while !RankOrder::from_results(&field, &aim).is_settled() {
        field.add_match(0, 1, GameScore::Draw, &[GameScore::Draw; 2]);
        matches += 1;
        assert!(
            matches < 300,
            "{:?}",
            field.fit_ratings().rating_difference(0, 1)
        );
    }
    println!("two bots that always draw are settled after {matches} matches");
    assert!(matches > 60, "{matches} matches are too few");
}

mod long {
    use super::*;

    #[test]
    #[ignore = "2,000 fields of each kind"]
    fn intervals_hold_the_truth_of_draws_and_of_decided_games() {
        intervals_hold(RUNS, 94.0);
    }

    #[test]
    #[ignore = "2,000 ladders of each kind"]
    fn ladders_of_draws_and_of_decided_games_keep_their_promise() {
        ladders_keep_their_promise(RUNS, 120.0);
    }

    #[test]
    #[ignore = "2,000 tables of each kind"]
    fn places_claim_no_more_than_they_promise() {
        places_keep_their_promise(2000);
    }
}
