//! Fits the probabilities of the champion's assessments to the results of a bot's games against
//! itself, and shows how far they can be trusted.
//!
//! ```text
//! cargo run --release -p leitai-tankcraft --example tankcraft_calibrate -- BOT LEGS [SVG]
//! cargo run --release -p leitai-tankcraft --example tankcraft_calibrate -- level8 400
//! ```
//!
//! The legs have the two fogs in turn. Half of the legs are rated with the curves that were fitted
//! to the other half, and the other way round; the curves that are printed are fitted to all. The
//! legs are played on all cores. With SVG the reliability diagram is written to that file.

use leitai_game::{Bot, BySeat, Game, GamePackage, Perspective, Reply, Rng, Seat, Untimed};
use leitai_search::calibration::{LogisticCurve, Reliability, Sample, measure_reliability};
use leitai_tankcraft::bots::assess::{Forecast, TankAssessor};
use leitai_tankcraft::{Config, Fog, Position, Setup, View};
use rayon::prelude::*;

/// The seed of the first leg's map.
const FIRST_SEED: u64 = 40_000;
/// One position in so many is rated.
const ONE_IN: usize = 6;
/// What the spread of playouts may be too small by; the best one is chosen.
const LEAST_SPREADS: [f64; 7] = [5.0, 10.0, 20.0, 40.0, 60.0, 100.0, 200.0];

/// A position, and the result of its leg for the seat.
struct Rated {
    leg: u64,
    forecast: Forecast,
    result: f64,
}

fn main() -> Result<(), String> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let (bot, legs) = match words.as_slice() {
        [bot, legs, ..] => (bot, legs.parse().map_err(|why| format!("{legs:?}: {why}"))?),
        _ => return Err("usage: tankcraft_calibrate BOT LEGS [SVG]".into()),
    };
    let of_legs: Result<Vec<Vec<Rated>>, String> = (0..legs)
        .into_par_iter()
        .map(|leg| play_leg(bot, leg))
        .collect();
    let rated: Vec<Rated> = of_legs?.into_iter().flatten().collect();
    let tried = LEAST_SPREADS.map(|least| (least, rate_other_half(&rated, least)));
    for (least, found) in &tried {
        println!("spread + {least}: log loss {:.4}", found.log_loss);
    }
    let best = tried
        .iter()
        .min_by(|a, b| a.1.log_loss.total_cmp(&b.1.log_loss));
    let (least, found) = best.ok_or("no spread was tried")?;
    let slopes = fit_curves(&rated, *least, |_| true).map(|curve| curve.slope);
    println!("least spread {least}, slopes {slopes:.2?}");
    println!(
        "{} positions of {legs} legs\n\n{}",
        rated.len(),
        found.format_rows()
    );
    println!(
        "calibration error {:.4}, Brier score {:.4}, log loss {:.4}",
        found.calibration_error, found.brier_score, found.log_loss
    );
    match words.get(2) {
        Some(file) => std::fs::write(file, found.draw_svg("rated, %", "won, %"))
            .map_err(|why| format!("{file}: {why}")),
        None => Ok(()),
    }
}

/// A curve for each phase, fitted to the legs of interest; flat without positions.
fn fit_curves(rated: &[Rated], least: f64, is_used: fn(u64) -> bool) -> [LogisticCurve; 4] {
    let flat = LogisticCurve {
        offset: 0.0,
        slope: 0.0,
    };
    std::array::from_fn(|phase| {
        let of_phase = rated.iter().filter(|one| one.forecast.phase() == phase);
        let samples: Vec<Sample> = of_phase
            .filter(|one| is_used(one.leg))
            .map(|one| Sample {
                predicted: one.forecast.relative_margin(least),
                result: one.result,
            })
            .collect();
        LogisticCurve::fit(&samples, true).unwrap_or(flat)
    })
}

/// Rates every position with the curves of the half to which its leg does not belong. The fog
/// changes from leg to leg, so the half does from pair to pair.
fn rate_other_half(rated: &[Rated], least: f64) -> Reliability {
    let curves = [
        fit_curves(rated, least, |leg| leg / 2 % 2 == 1),
        fit_curves(rated, least, |leg| leg / 2 % 2 == 0),
    ];
    let samples: Vec<Sample> = rated
        .iter()
        .map(|one| {
            let curve = curves[(one.leg / 2 % 2) as usize][one.forecast.phase()];
            Sample {
                predicted: curve.probability(one.forecast.relative_margin(least)),
                result: one.result,
            }
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

/// Plays a leg and rates about one position in [`ONE_IN`], for one seat.
fn play_leg(bot: &str, leg: u64) -> Result<Vec<Rated>, String> {
    let seed = FIRST_SEED + leg;
    let config = Config {
        fog: [Fog::Strict, Fog::Sdk][(leg % 2) as usize],
        ..Config::default()
    };
    let setup = Setup::deal(&config, seed).map_err(|why| why.to_string())?;
    let mut bots = [make_bot(bot, 2 * seed)?, make_bot(bot, 2 * seed + 1)?];
    let (mut position, mut rng) = (Position::start(&setup), Rng::new(seed));
    let mut forecasts = Vec::new();
    while position.end().is_none() {
        if position.round() > 0 && rng.next_below(ONE_IN) == 0 {
            let seat = Seat::BOTH[rng.next_below(2)];
            let forecast = TankAssessor::new(seed).forecast(&setup, &position, seat);
            forecasts.push((seat, forecast));
        }
        let said = Seat::BOTH.map(|seat| {
            let view = View::new(&setup, &position, Perspective::Seat(seat));
            bots[seat.index()].choose_action(&setup, &view, &Untimed)
        });
        let replies = BySeat::from_fn(|seat: Seat| Some(Reply::Action(said[seat.index()])));
        position.step(&setup, replies, &mut ());
    }
    let winner = position.end().and_then(|end| end.winner);
    let rate = |(seat, forecast)| Rated {
        leg,
        forecast,
        result: match winner {
            Some(winner) => f64::from(u8::from(winner == seat)),
            None => 0.5,
        },
    };
    Ok(forecasts.into_iter().map(rate).collect())
}
