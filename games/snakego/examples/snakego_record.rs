//! Records our own games in the corpus format (`docs/rules/snakego.md`), one a line, on stdout:
//!
//! ```text
//! cargo run -p leitai-snakego --example snakego_record > games/snakego/golden/games.jsonl
//! ```
//!
//! The program always writes the same games. They find unintended changes of the engine where the
//! corpus of the official judge is missing; they prove nothing about the official judge.

#[path = "../tests/weird/mod.rs"]
mod weird;

use leitai_game::hash::{fnv1a, fold16};
use leitai_game::{Fault, Game, Rng, Seat};
use leitai_snakego::items::Generator;
use leitai_snakego::position::{ActObserver, Event};
use leitai_snakego::saiblo::{end_type, official_scores};
use leitai_snakego::setup::ItemSource;
use leitai_snakego::{Action, Config, Position, Setup, state_text};
use serde_json::{Value, json};
use weird::Style;

/// After this many ops, plays this one as soon as it is illegal; 7 is not an op.
type Wrong = Option<(usize, u8)>;

/// Seed, rounds, styles of both players.
const GAMES: [(u64, u16, Style, Style, Wrong); 14] = [
    (1, 120, Style::Living, Style::Living, None),
    (2, 200, Style::Living, Style::Splitting, None),
    (3, 150, Style::Splitting, Style::Splitting, None),
    (4, 160, Style::Fencing, Style::Living, None),
    (5, 100, Style::Fencing, Style::Fencing, None),
    (6, 512, Style::Living, Style::Wild, None),
    (7, 60, Style::Wild, Style::Living, None),
    (8, 512, Style::Wild, Style::Wild, None),
    (9, 90, Style::Living, Style::Fencing, Some((60, 6))),
    (10, 90, Style::Living, Style::Living, Some((0, 5))),
    (11, 90, Style::Splitting, Style::Living, Some((41, 7))),
    (12, 90, Style::Living, Style::Living, Some((33, 1))),
    (13, 1, Style::Living, Style::Living, None),
    (
        1_646_631_337_342,
        180,
        Style::Splitting,
        Style::Fencing,
        None,
    ),
];

fn main() {
    for (seed, max_round, first, second, wrong) in GAMES {
        println!("{}", record(seed, max_round, [first, second], wrong));
    }
}

fn record(seed: u64, max_round: u16, styles: [Style; 2], wrong: Wrong) -> Value {
    let config = Config {
        max_round,
        items: ItemSource::Drawn(Generator::Official),
        ..Config::default()
    };
    let setup = Setup::deal(&config, seed).expect("drawn items are sound");
    let mut told = Told {
        phase: 0,
        round: 1,
        camps: vec![0, 1],
        first: [None, None],
        turns: vec![],
    };
    let mut position = Position::start(&setup, &mut told);
    let mut rng = Rng::new(seed);
    let (mut ops, mut error) = (String::new(), None);
    while position.end().is_none() {
        let wrong_op = wrong
            .filter(|(after, _)| ops.len() >= *after)
            .map(|(_, op)| op);
        let (op, why) = next_op(&position, styles, wrong_op, &mut rng);
        ops.push(char::from(b'0' + op));
        error = why;
        match Action::from_number(op) {
            Some(action) => position.play_action(&setup, action, &mut told),
            None => position.record_fault(Fault::Malformed),
        }
    }
    let outcome = position.outcome().expect("the leg is over");
    let turns: String = told
        .turns
        .iter()
        .map(|hash| format!("{:04x}", fold16(*hash)))
        .collect();
    json!({
        "id": format!("own-{seed}"), "seed": seed, "max_round": max_round, "ops": ops, "turns": turns,
        "final": told.turns.last().map(|hash| format!("{hash:016x}")), "items": setup.items(),
        "scores": official_scores(&outcome), "first": told.first, "tags": [],
        "end": {"type": end_type(&outcome).name(), "winner": outcome.winner.map(Seat::index), "err": error},
    })
}

/// The op, and the official judge's text if it ends the game.
fn next_op(
    position: &Position,
    styles: [Style; 2],
    wrong: Option<u8>,
    rng: &mut Rng,
) -> (u8, Option<&'static str>) {
    match wrong.map(|op| (op, Action::from_number(op))) {
        Some((op, None)) => return (op, Some("Invalid message format")),
        Some((op, Some(action))) => {
            if let Err(why) = position.check_action(action) {
                return (op, Some(why.official()));
            }
        }
        None => {}
    }
    (
        styles[position.seat().index()]
            .choose(position, rng)
            .number(),
        None,
    )
}

/// Records the hash of every turn and the first items.
struct Told {
    phase: u8,
    round: u16,
    camps: Vec<usize>,
    first: [Option<[u16; 3]>; 2],
    turns: Vec<u64>,
}

impl ActObserver for Told {
    fn event(&mut self, event: impl FnOnce() -> Event) {
        match event() {
            Event::Round { round } => (self.round, self.phase) = (round, 0),
            Event::Turn { seat } => self.phase = seat.index() as u8 + 1,
            Event::Split { snake, .. } => self.camps.push(self.camps[usize::from(snake)]),
            Event::Ate { snake, item, .. } => {
                let first = [self.round, self.phase.into(), item];
                self.first[self.camps[usize::from(snake)]].get_or_insert(first);
            }
            _ => {}
        }
    }

    fn turn_over(&mut self, setup: &Setup, position: &Position) {
        let mut text = String::new();
        let player = position.seat().index() as u8;
        state_text::write(setup, position, player, &mut text).expect("a String takes every text");
        self.turns.push(fnv1a(text.as_bytes()));
    }
}
