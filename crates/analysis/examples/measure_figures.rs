//! Plays a game's strong bot against itself, and prints its figures by phase: the `strong` numbers of
//! the game's `figures.rs`.
//!
//! ```text
//! cargo run --release -p leitai-analysis --example measure_figures -- kob 100
//! ```

use std::process::ExitCode;

use leitai_game::figures::PHASES;
use leitai_game::rng::mix_seed;
use leitai_game::{AnyBot, AnyGame, FigureKind, LegFigures, Reply, Seat, Untimed};
use serde_json::json;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (game, legs) = match arguments.as_slice() {
        [game, legs] => (game, legs.parse().unwrap_or(0)),
        _ => return usage(),
    };
    let Some(game) = leitai_games::find_game(game) else {
        return usage();
    };
    let Some(figures) = game.leg_figures().filter(|_| legs > 0) else {
        return usage();
    };
    let mut sums = vec![[0.0; PHASES]; figures.list.len()];
    for seed in 1..=legs {
        for (sum, found) in sums.iter_mut().zip(play_leg(game, figures, seed)) {
            (0..PHASES).for_each(|phase| sum[phase] += found[phase]);
        }
    }
    for (info, sum) in figures.list.iter().zip(sums) {
        let mean = sum.map(|sum| format!("{:.1}", sum / legs as f64));
        println!("{:<10} {}", info.key, mean.join(", "));
    }
    ExitCode::SUCCESS
}

fn usage() -> ExitCode {
    eprintln!("usage: measure_figures GAME LEGS");
    ExitCode::FAILURE
}

/// The figures of a leg, of both seats in the mean.
fn play_leg(game: &dyn AnyGame, figures: &LegFigures, seed: u64) -> Vec<[f64; PHASES]> {
    let setup = game.deal_setup(&json!({}), seed).expect("the game's own");
    let mut bots = Seat::BOTH.map(|seat| -> Box<dyn AnyBot> {
        let seed = mix_seed(seed, seat as u64);
        game.make_bot(figures.strong_bot, seed)
            .expect("a built-in bot")
    });
    let mut leg = setup.start_leg();
    let mut counts: Vec<(u32, usize, f64)> = Vec::new();
    while leg.outcome().is_none() {
        let said = Seat::BOTH.map(|seat| {
            let is_asked = leg.to_move().asks_seat(seat);
            is_asked.then(|| bots[seat as usize].choose_action(&*leg, seat, &Untimed))
        });
        let replies = leitai_game::BySeat::from_fn(|seat: Seat| {
            said[seat.index()].as_deref().map(Reply::Action)
        });
        let round = leg.round();
        leg.count_figures(replies, &mut |figure, _, amount| {
            counts.push((round, figure, amount));
        });
        leg.step(replies, &mut ());
    }
    let rounds = leg.round().max(1);
    let figures = figures.list.iter().enumerate();
    figures
        .map(|(figure, info)| {
            let mut phases = [(0.0, 0u32); PHASES];
            for (round, _, amount) in counts.iter().filter(|(_, one, _)| *one == figure) {
                let phase = round.saturating_sub(1) as usize * PHASES / rounds as usize;
                let phase = &mut phases[phase.min(PHASES - 1)];
                *phase = (phase.0 + amount, phase.1 + 1);
            }
            phases.map(|(sum, counts)| match info.kind {
                FigureKind::Sum => sum / 2.0,
                FigureKind::Mean => sum / f64::from(counts.max(1)),
            })
        })
        .collect()
}
