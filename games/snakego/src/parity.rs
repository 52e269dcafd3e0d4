//! Parity with the corpus of the official judge (`docs/rules/snakego.md`, "Corpus format"): items,
//! the hash of every turn, scores, the players of the first items, and the end of every game.

use leitai_game::hash::{fnv1a, fold16};
use leitai_game::parity::{ParityCase, check_equal, compare_lines};
use leitai_game::{Fault, Game, Seat};
use serde::Deserialize;

use crate::action::Action;
use crate::items::{DRAWN_ROUNDS, Generator, Item, draw_items};
use crate::position::{ActObserver, Event, Position};
use crate::saiblo::{end_type, official_scores};
use crate::setup::{FaultScope, Setup};
use crate::state_text;

/// Compares every game of a corpus, one JSON object a line.
pub fn compare_corpus(text: &str, report: &mut dyn FnMut(ParityCase)) {
    compare_lines(text, report, |line| {
        match serde_json::from_str::<RecordedHalf>(line) {
            Ok(game) => (game.id.clone(), compare_game(&game)),
            Err(why) => (None, Err(format!("not a corpus game: {why}"))),
        }
    });
}

/// A recorded half.
#[derive(Deserialize)]
struct RecordedHalf {
    id: Option<String>,
    seed: u64,
    max_round: u16,
    ops: String,
    turns: String,
    #[serde(rename = "final")]
    last: Option<String>,
    items: Vec<[i64; 5]>,
    scores: [i32; 2],
    first: Option<[Option<[i64; 3]>; 2]>,
    end: EndInfo,
}

#[derive(Deserialize)]
struct EndInfo {
    r#type: String,
    winner: usize,
    err: Option<String>,
}

fn compare_game(game: &RecordedHalf) -> Result<(), String> {
    let items = compare_items(game)?;
    let setup =
        Setup::new(game.max_round, FaultScope::Half, items).map_err(|why| why.to_string())?;
    let mut turns = Turns::new(&game.turns);
    let mut position = Position::start(&setup, &mut turns);
    let mut error = None;
    for (index, digit) in game.ops.bytes().enumerate() {
        if position.end().is_some() {
            return Err(format!(
                "the game is over before op {index} of {}",
                game.ops.len()
            ));
        }
        turns.op = index;
        match Action::from_number(digit.wrapping_sub(b'0')) {
            Some(action) => {
                error = position
                    .check_action(action)
                    .err()
                    .map(|why| why.official().to_owned());
                position.play_action(&setup, action, &mut turns);
            }
            None => {
                error = Some("Invalid message format".to_owned());
                position.record_fault(Fault::Malformed);
            }
        }
        turns.result.clone()?;
    }
    turns.check_end(game.last.as_deref())?;
    compare_end(game, &position, error)?;
    compare_first(game, &turns)
}

fn compare_items(game: &RecordedHalf) -> Result<Vec<Item>, String> {
    let drawn = draw_items(Generator::Official, game.seed, game.max_round, DRAWN_ROUNDS);
    if drawn.len() != game.items.len() {
        return Err(format!(
            "{} items are recorded, the engine draws {}",
            game.items.len(),
            drawn.len()
        ));
    }
    for (id, (raw, ours)) in game.items.iter().zip(&drawn).enumerate() {
        if Item::from_numbers(*raw).as_ref() != Ok(ours) {
            return Err(format!(
                "item {id} is recorded as {raw:?}, the engine draws {ours:?}"
            ));
        }
    }
    Ok(drawn)
}

fn compare_end(
    game: &RecordedHalf,
    position: &Position,
    error: Option<String>,
) -> Result<(), String> {
    let outcome = position
        .outcome()
        .ok_or("the game is not over after the last op")?;
    check_equal(
        "end type",
        &game.end.r#type.as_str(),
        &end_type(&outcome).name(),
    )?;
    check_equal(
        "winner",
        &Some(game.end.winner),
        &outcome.winner.map(Seat::index),
    )?;
    check_equal("scores", &game.scores, &official_scores(&outcome))?;
    check_equal("error", &game.end.err, &error)
}

fn compare_first(game: &RecordedHalf, turns: &Turns) -> Result<(), String> {
    let Some(recorded) = game.first else {
        return Ok(());
    };
    check_equal("first items [round, phase, id]", &recorded, &turns.first)
}

/// Compares the hash of every completed turn, and records the players of the first items.
struct Turns<'a> {
    recorded: &'a str,
    seen: usize,
    op: usize,
    last: Option<u64>,
    result: Result<(), String>,
    round: i64,
    /// 0 at the beginning of a round, then 1 and 2 in the players' turns.
    phase: i64,
    camps: Vec<usize>,
    first: [Option<[i64; 3]>; 2],
}

impl<'a> Turns<'a> {
    fn new(recorded: &'a str) -> Turns<'a> {
        Turns {
            recorded,
            seen: 0,
            op: 0,
            last: None,
            result: Ok(()),
            round: 1,
            phase: 0,
            camps: vec![0, 1],
            first: [None, None],
        }
    }

    fn check_end(&self, last: Option<&str>) -> Result<(), String> {
        let recorded = self.recorded.len() / 4;
        if recorded != self.seen {
            return Err(format!(
                "{recorded} turns are recorded, the engine completes {}",
                self.seen
            ));
        }
        check_equal(
            "final hash",
            &last.map(str::to_owned),
            &self.last.map(|hash| format!("{hash:016x}")),
        )
    }
}

impl ActObserver for Turns<'_> {
    fn event(&mut self, event: impl FnOnce() -> Event) {
        match event() {
            Event::Round { round } => (self.round, self.phase) = (round.into(), 0),
            Event::Turn { seat } => self.phase = seat.index() as i64 + 1,
            Event::Split { snake, .. } => self.camps.push(self.camps[usize::from(snake)]),
            Event::Ate { snake, item, .. } => {
                let first = &mut self.first[self.camps[usize::from(snake)]];
                first.get_or_insert([self.round, self.phase, item.into()]);
            }
            _ => {}
        }
    }

    fn turn_over(&mut self, setup: &Setup, position: &Position) {
        let seat = position.seat();
        let mut text = String::new();
        state_text::write(setup, position, seat.index() as u8, &mut text)
            .expect("a String takes every text");
        let hash = fnv1a(text.as_bytes());
        let ours = format!("{:04x}", fold16(hash));
        let recorded = self
            .recorded
            .get(4 * self.seen..4 * self.seen + 4)
            .unwrap_or("nothing");
        self.last = Some(hash);
        self.seen += 1;
        if recorded != ours && self.result.is_ok() {
            self.result = Err(format!(
                "round {}, player {} (op {}): turn hash recorded {recorded}, the engine's {ours}; the engine's \
                 state:\n{text}",
                position.round(),
                seat.index(),
                self.op
            ));
        }
    }
}
