//! Fits the probabilities of the champion's assessments to the results of a bot's games against
//! itself, and shows how far they can be trusted.
//!
//! ```text
//! cargo run --release -p leitai-snakego --example snakego_calibrate -- BOT LEGS NODES [SVG]
//! cargo run --release -p leitai-snakego --example snakego_calibrate -- level8 10000 150
//! ```
//!
//! Positions are assessed with NODES playouts. Half of the legs are rated with the curves that were
//! fitted to the other half, and the other way round; the slopes that are printed are fitted to all.
//! The legs are played on all cores; their number alone decides the result. With SVG the reliability
//! diagram is written to that file.

use leitai_game::{Bot, Game, GamePackage, Perspective, Rng, Seat, Untimed};
use leitai_search::calibration::{LogisticCurve, Reliability, Sample, measure_reliability};
use leitai_search::{Assessor, SearchBudget};
use leitai_snakego::bots::champion::{Champion, ChampionStyle, phase_of, relative_margin};
use leitai_snakego::{Config, Position, Setup};
use rayon::prelude::*;

/// The seed of the first leg's items.
const FIRST_SEED: u64 = 40_000;
/// One action in so many is rated, but at most one in a round.
const ONE_IN: usize = 96;
/// Parts of a leg with a curve of their own.
const PHASES: usize = 4;

/// A position, and the result of its leg for the seat.
struct Rated {
    leg: u64,
    phase: usize,
    sample: Sample,
}

fn main() -> Result<(), String> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [bot, legs, nodes, file @ ..] = words.as_slice() else {
        return Err("usage: snakego_calibrate BOT LEGS NODES [SVG]".into());
    };
    let number = |text: &String| text.parse().map_err(|why| format!("{text:?}: {why}"));
    let (legs, nodes): (u64, u64) = (number(legs)?, number(nodes)?);
    let of_legs: Result<Vec<Vec<Rated>>, String> = (0..legs)
        .into_par_iter()
        .map(|leg| play_leg(bot, leg, nodes))
        .collect();
    let rated: Vec<Rated> = of_legs?.into_iter().flatten().collect();
    let slopes = fit_curves(&rated, |_| true).map(|curve| curve.slope);
    println!("slopes {slopes:.3?}");
    let found = rate_other_half(&rated);
    println!(
        "{} positions of {legs} legs\n\n{}",
        rated.len(),
        found.format_rows()
    );
    println!(
        "calibration error {:.4}, Brier score {:.4}, log loss {:.4}",
        found.calibration_error, found.brier_score, found.log_loss
    );
    match file.first() {
        Some(file) => std::fs::write(file, found.draw_svg("rated, %", "won, %"))
            .map_err(|why| format!("{file}: {why}")),
        None => Ok(()),
    }
}

/// A curve for each phase, fitted to the legs of interest; flat without positions.
fn fit_curves(rated: &[Rated], is_used: fn(u64) -> bool) -> [LogisticCurve; PHASES] {
    let flat = LogisticCurve {
        offset: 0.0,
        slope: 0.0,
    };
    std::array::from_fn(|phase| {
        let samples: Vec<Sample> = rated
            .iter()
            .filter(|one| one.phase == phase && is_used(one.leg))
            .map(|one| one.sample)
            .collect();
        LogisticCurve::fit(&samples, true).unwrap_or(flat)
    })
}

/// Rates every position with the curves of the half to which its leg does not belong.
fn rate_other_half(rated: &[Rated]) -> Reliability {
    let curves = [
        fit_curves(rated, |leg| leg % 2 == 1),
        fit_curves(rated, |leg| leg % 2 == 0),
    ];
    let samples: Vec<Sample> = rated
        .iter()
        .map(|one| Sample {
            predicted: curves[(one.leg % 2) as usize][one.phase].probability(one.sample.predicted),
            ..one.sample
        })
        .collect();
    measure_reliability(&samples, 10)
}

fn make_bot(name: &str, seed: u64) -> Result<Box<dyn Bot<Position>>, String> {
    let mut bots = Position::CONTENTS.bots.iter();
    let info = bots.find(|info| info.name == name);
    Ok((info
        .ok_or_else(|| format!("there is no bot {name:?}"))?
        .make)(seed))
}

/// Plays a leg and rates about one action in [`ONE_IN`], for the seat that acts.
fn play_leg(bot: &str, leg: u64, nodes: u64) -> Result<Vec<Rated>, String> {
    let seed = FIRST_SEED + leg;
    let setup = Setup::deal(&Config::default(), seed).map_err(|why| why.to_string())?;
    let mut bots = [make_bot(bot, 2 * seed)?, make_bot(bot, 2 * seed + 1)?];
    // Its tree has room for so many playouts.
    let style = ChampionStyle {
        nodes: nodes.max(4000),
        is_timed: false,
        ..ChampionStyle::default()
    };
    let mut assessor = Champion::new(style, 1);
    let (mut position, mut rng) = (Position::start(&setup, &mut ()), Rng::new(seed));
    let (mut margins, mut last_rated) = (Vec::new(), 0);
    while position.end().is_none() {
        let (seat, round) = (position.seat(), position.round());
        if round != last_rated && rng.next_below(ONE_IN) == 0 {
            last_rated = round;
            let budget = SearchBudget::nodes(nodes);
            let left = u32::from(setup.max_round().saturating_sub(round)) + 1;
            let assessment = assessor.assess(&setup, &position, seat, budget);
            margins.extend(assessment.map(|found| (seat, left, found.expected_margin)));
        }
        let view = position.view(&setup, Perspective::Seat(seat));
        let action = bots[seat.index()].choose_action(&setup, &view, &Untimed);
        position.play_action(&setup, action, &mut ());
    }
    let cells = position.count_cells();
    let rate = |(seat, left, margin): (Seat, u32, f64)| Rated {
        leg,
        phase: phase_of(left),
        sample: Sample {
            predicted: relative_margin(margin, left),
            result: match cells[seat].cmp(&cells[seat.other()]) {
                std::cmp::Ordering::Greater => 1.0,
                std::cmp::Ordering::Equal => 0.5,
                std::cmp::Ordering::Less => 0.0,
            },
        },
    };
    Ok(margins.into_iter().map(rate).collect())
}
