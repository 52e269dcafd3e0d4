//! Measures the time of ratings at the size of a big site: 1,000,000 matches between 10,000 bots.
//!
//! `cargo run --release -p leitai-ladder --example scale`

use std::hint::black_box;
use std::time::Instant;

use leitai_ladder::pairing::{WaitingPlayer, pick_opponents};
use leitai_ladder::weng_lin::Rating;
use leitai_ladder::{GameScore, Results, elo};

const BOTS: usize = 10_000;
const MATCHES: usize = 1_000_000;

fn main() {
    let games = make_games();
    let ratings = rate_one_by_one(&games);
    fit_all_at_once(&games);
    pick_among(&ratings);
}

/// Games between bots of similar skill, as a ladder pairs them.
fn make_games() -> Vec<(usize, usize, GameScore)> {
    let mut seed = 1u64;
    let mut random = move || {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (seed >> 11) as f64 / (1u64 << 53) as f64
    };
    let strengths: Vec<f64> = (0..BOTS)
        .map(|_| 400.0 * (random() + random() + random() - 1.5))
        .collect();
    let mut order: Vec<usize> = (0..BOTS).collect();
    order.sort_by(|one, other| strengths[*one].total_cmp(&strengths[*other]));
    let mut game = || {
        let place = (random() * BOTS as f64) as usize;
        let other = (place + 1 + (random() * 200.0) as usize) % BOTS;
        let (one, other) = (order[place], order[other]);
        let share = elo::expected_score(strengths[one] - strengths[other]);
        let at = random();
        let score = if at < share * 0.9 {
            GameScore::Win
        } else if at < share * 0.9 + 0.1 {
            GameScore::Draw
        } else {
            GameScore::Loss
        };
        (one, other, score)
    };
    (0..MATCHES).map(|_| game()).collect()
}

fn rate_one_by_one(games: &[(usize, usize, GameScore)]) -> Vec<Rating> {
    let begun = Instant::now();
    let mut ratings = vec![Rating::default(); BOTS];
    for (one, other, score) in games {
        (ratings[*one], ratings[*other]) = ratings[*one].rate_game(ratings[*other], *score);
    }
    println!(
        "Weng-Lin, {MATCHES} matches: {:.3} s",
        begun.elapsed().as_secs_f64()
    );
    ratings
}

fn fit_all_at_once(games: &[(usize, usize, GameScore)]) {
    let begun = Instant::now();
    let mut field = Results::new(BOTS);
    games
        .iter()
        .for_each(|(one, other, score)| field.add_game(*one, *other, *score));
    println!("counting them: {:.3} s", begun.elapsed().as_secs_f64());
    let begun = Instant::now();
    let fit = field.fit_ratings();
    println!(
        "Bradley-Terry by maximum likelihood: {:.3} s",
        begun.elapsed().as_secs_f64()
    );
    let begun = Instant::now();
    black_box(fit.player_rating(7));
    println!(
        "the interval of one rating: {:.4} s",
        begun.elapsed().as_secs_f64()
    );
}

fn pick_among(ratings: &[Rating]) {
    let waiting: Vec<WaitingPlayer> = ratings
        .iter()
        .enumerate()
        .map(|(at, rating)| WaitingPlayer {
            skill: rating.shown_rating().value,
            waited: at as u64,
        })
        .collect();
    let begun = Instant::now();
    for chance in 0..1000 {
        black_box(pick_opponents(black_box(&waiting), |_, _| 0, chance));
    }
    println!(
        "a pick among {BOTS}: {:.1} µs",
        begun.elapsed().as_secs_f64() * 1e3
    );
}
