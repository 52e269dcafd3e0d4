//! Plays built-in bots against each other in process and prints their results.
//!
//! `cargo run --release -p leitai-tankcraft --example tankcraft_strength -- squad miner 100 [map]
//! [first seed] [fog]` plays 100 matches of two legs with swapped sides; the map is generated from
//! the match's seed unless one is named, the fog is `strict` or `sdk`. Nobody counts time: bots that
//! think as long as they are given take their default effort.

use std::process::ExitCode;
use std::time::Instant;

use leitai_game::{AnyBot, AnyGame, AnyLeg, AnySetup, Entrant, Erased, Reply, Seat, Untimed};
use leitai_tankcraft::Position;
use serde_json::json;

static GAME: Erased<Position> = Erased::new();

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.as_slice() {
        [a, b, rest @ ..] if rest.len() <= 4 => run(a, b, rest),
        _ => Err("usage: strength BOT BOT [matches] [map] [first seed] [fog]".into()),
    }
    .map_or_else(
        |why| {
            eprintln!("strength: {why}");
            ExitCode::FAILURE
        },
        |()| ExitCode::SUCCESS,
    )
}

fn run(a: &str, b: &str, rest: &[String]) -> Result<(), String> {
    let number = |n: usize, default: u64| match rest.get(n) {
        None => Ok(default),
        Some(text) => text
            .parse::<u64>()
            .map_err(|why| format!("{text:?}: {why}")),
    };
    let (matches, first) = (number(0, 100)?, number(2, 1)?);
    let word = |n: usize, default: &'static str| rest.get(n).map_or(default, String::as_str);
    let config = json!({ "map": word(1, "generate"), "fog": word(3, "strict") });
    let (mut tally, start) = (Tally::default(), Instant::now());
    for seed in first..first.saturating_add(matches) {
        let setup = GAME
            .deal_setup(&config, seed)
            .map_err(|why| why.to_string())?;
        let legs = [
            play(&*setup, [a, b], seed.wrapping_mul(2))?,
            play(&*setup, [b, a], seed.wrapping_mul(2).wrapping_add(1))?,
        ];
        tally.add(&*setup, legs);
    }
    println!(
        "{a} against {b}, {matches} matches, seeds from {first}, {:.1} s",
        start.elapsed().as_secs_f32()
    );
    println!("{tally}");
    Ok(())
}

/// One leg, the first name on the first seat.
fn play(setup: &dyn AnySetup, names: [&str; 2], seed: u64) -> Result<Box<dyn AnyLeg>, String> {
    let bot = |n: usize| {
        let name = names[n];
        GAME.make_bot(name, seed.wrapping_mul(2).wrapping_add(n as u64))
            .ok_or_else(|| format!("there is no bot {name:?}"))
    };
    let (mut first, mut second) = (bot(0)?, bot(1)?);
    let mut leg = setup.start_leg();
    while leg.outcome().is_none() {
        let said = [
            reply(&mut *first, &*leg, Seat::First),
            reply(&mut *second, &*leg, Seat::Second),
        ];
        let replies =
            leitai_game::BySeat::from_fn(|seat| Some(Reply::Action(said[seat.index()].as_str())));
        leg.step(replies, &mut ());
    }
    Ok(leg)
}

fn reply(bot: &mut dyn AnyBot, leg: &dyn AnyLeg, seat: Seat) -> String {
    bot.choose_action(leg, seat, &Untimed)
}

/// Wins, draws and losses of the first bot; by matches, and by its legs on each side.
#[derive(Default)]
struct Tally {
    matches: [u32; 3],
    legs: [[u32; 3]; 2],
    rounds: u32,
    margin: i32,
}

impl Tally {
    fn add(&mut self, setup: &dyn AnySetup, legs: [Box<dyn AnyLeg>; 2]) {
        for (n, leg) in legs.iter().enumerate() {
            let seat = Entrant::A.seat_in_leg(n);
            let winner = leg.outcome().and_then(|outcome| outcome.winner);
            self.legs[n][result(winner.map(|winner| winner == seat))] += 1;
            self.rounds += leg.round();
            self.margin += leg.scores()[seat] - leg.scores()[seat.other()];
        }
        let winner = setup.decide_match(&legs).winner;
        self.matches[result(winner.map(|winner| winner == Entrant::A))] += 1;
    }
}

fn result(won: Option<bool>) -> usize {
    match won {
        Some(true) => 0,
        None => 1,
        Some(false) => 2,
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [won, drawn, lost] = self.matches;
        let total = won + drawn + lost;
        let (low, high) = wilson(won, total);
        writeln!(
            f,
            "matches: {won} won, {drawn} drawn, {lost} lost: {low:.1} % to {high:.1} % (Wilson, 95 %)"
        )?;
        let [red, blue] = self.legs;
        writeln!(f, "legs won/drawn/lost as red {red:?}, as blue {blue:?}")?;
        let legs = f64::from(2 * total.max(1));
        let (rounds, margin) = (f64::from(self.rounds) / legs, f64::from(self.margin) / legs);
        write!(f, "a leg: {rounds:.1} rounds, {margin:+.1} resources")
    }
}

/// The 95 % Wilson interval of a share, in percent.
fn wilson(won: u32, total: u32) -> (f64, f64) {
    let (n, z) = (f64::from(total.max(1)), 1.96);
    let p = f64::from(won) / n;
    let centre = p + z * z / (2.0 * n);
    let spread = z * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt();
    let scale = 100.0 / (1.0 + z * z / n);
    (scale * (centre - spread), scale * (centre + spread))
}
