//! Fits the probabilities of the champion's assessments to the results of its self-play, and shows
//! on other legs how far they can be trusted.
//!
//! ```text
//! cargo run --release -p leitai-kob --example kob_calibrate -- LEGS PLAY_NODES ASSESS_NODES [SVG]
//! cargo run --release -p leitai-kob --example kob_calibrate -- 1000 200 400
//! ```
//!
//! With SVG the reliability diagram is written to that file.

use leitai_game::{Bot, BySeat, Game, Perspective, Rng, Seat, Untimed};
use leitai_kob::bots::{Champion, ChampionAssessor, ChampionStyle, Effort};
use leitai_kob::{Config, Direction, Position, Setup};
use leitai_search::SearchBudget;
use leitai_search::calibration::{LogisticCurve, Sample, measure_reliability};
use rayon::prelude::*;

/// The seed of the first leg's map.
const FIRST_SEED: u64 = 40_000;

/// A value of the first seat, the part of the leg to which its round belongs, and the result.
struct Rated {
    phase: usize,
    sample: Sample,
    is_for_fit: bool,
}

fn main() -> std::io::Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let numbers: Vec<u64> = words.iter().take(3).flat_map(|text| text.parse()).collect();
    let [legs, play_nodes, assess_nodes] = numbers[..] else {
        eprintln!("usage: kob_calibrate LEGS PLAY_NODES ASSESS_NODES [SVG]");
        std::process::exit(2);
    };
    let rated: Vec<Rated> = (0..legs)
        .into_par_iter()
        .flat_map_iter(|leg| play_leg(leg, play_nodes, assess_nodes))
        .collect();
    let curves = [0, 1, 2].map(|phase| {
        let samples: Vec<Sample> = rated
            .iter()
            .filter(|one| one.is_for_fit && one.phase == phase)
            .map(|one| one.sample)
            .collect();
        LogisticCurve::fit(&samples, true)
    });
    for (phase, curve) in curves.iter().enumerate() {
        match curve {
            Some(curve) => println!("phase {phase}: slope {:.3} / 1024", 1024.0 * curve.slope),
            None => println!("phase {phase}: no positions; play more legs"),
        }
    }
    let test: Vec<Sample> = rated
        .iter()
        .filter(|one| !one.is_for_fit)
        .filter_map(|one| {
            let predicted = curves[one.phase]?.probability(one.sample.predicted);
            Some(Sample {
                predicted,
                ..one.sample
            })
        })
        .collect();
    let reliability = measure_reliability(&test, 10);
    print!(
        "{} positions of {} legs\n\n{}",
        test.len(),
        legs / 2,
        reliability.format_rows()
    );
    println!(
        "calibration error {:.4}, Brier score {:.4}, log loss {:.4}",
        reliability.calibration_error, reliability.brier_score, reliability.log_loss
    );
    match words.get(3) {
        Some(file) => std::fs::write(file, reliability.draw_svg("rated, %", "won, %")),
        None => Ok(()),
    }
}

/// Plays a leg that begins with up to seven random rounds, and rates about one position in four.
fn play_leg(leg: u64, play_nodes: u64, assess_nodes: u64) -> Vec<Rated> {
    let seed = FIRST_SEED + leg;
    let setup = Setup::deal(&Config::default(), seed).expect("the default config is sound");
    let mut rng = Rng::new(seed);
    let mut position = play_opening(&setup, &mut rng);
    let style = ChampionStyle::full(Effort::Nodes(play_nodes));
    let mut bots = BySeat::from_fn(|seat: Seat| Champion::new(style, leg + seat.index() as u64));
    let mut assessor = ChampionAssessor::default();
    let mut values = Vec::new();
    while !position.is_over() {
        if rng.next_below(4) == 0 {
            let budget = SearchBudget::nodes(assess_nodes);
            let value = assessor.raw_value(&setup, &position, Seat::First, budget);
            values.extend(value.map(|value| (position.round(), value)));
        }
        let moves = Seat::BOTH.map(|seat| {
            let view = position.view(&setup, Perspective::Seat(seat));
            bots[seat].choose_action(&setup, &view, &Untimed)
        });
        position.play_round(&setup, moves);
    }
    let result = match position.winner() {
        Some(Seat::First) => 1.0,
        Some(Seat::Second) => 0.0,
        None => 0.5,
    };
    let rate = |(round, predicted): (u16, f64)| Rated {
        phase: ChampionAssessor::phase_of(round),
        sample: Sample { predicted, result },
        is_for_fit: leg.is_multiple_of(2),
    };
    values.into_iter().map(rate).collect()
}

fn play_opening(setup: &Setup, rng: &mut Rng) -> Position {
    let mut position = Position::start(setup);
    for _ in 0..rng.next_below(8) {
        let moves = Seat::BOTH.map(|seat| {
            let safe = position.safe_mask(setup, seat);
            let chosen = rng.next_below(safe.count_ones() as usize);
            Direction::of_mask(safe)
                .nth(chosen)
                .unwrap_or(Direction::Up)
        });
        let mut next = position;
        next.play_round(setup, moves);
        if next.is_over() {
            break;
        }
        position = next;
    }
    position
}
