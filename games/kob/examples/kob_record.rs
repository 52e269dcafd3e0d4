//! Writes the corpus `golden/own.jsonl`, in the format of the sites' corpus, so that the tests do
//! not need the sites' corpus:
//!
//! ```text
//! cargo run -p leitai-kob --example kob_record > games/kob/golden/own.jsonl
//! ```
//!
//! Write it again only for an intended change of the rules: the corpus is there to find unintended
//! ones.

use leitai_game::{BySeat, Fault, Game, Perspective, Reply, Rng, Seat, Untimed};
use leitai_kob::bots::{self, sample};
use leitai_kob::position::Loss;
use leitai_kob::{Config, Direction, Position, Setup, Steps, input_string};
use serde_json::{Value, json};

fn main() {
    for seed in [0, 1, 2, 42, -1, i64::MIN] {
        println!(
            "{}",
            json!({"seed": seed, "map": deal(seed as u64, &Config::default()).map().text()})
        );
    }
    (0..60).for_each(|seed| println!("{}", game(seed)));
    (100..108).for_each(|seed| println!("{}", input(seed)));
    (200..)
        .filter_map(meeting)
        .take(6)
        .for_each(|line| println!("{line}"));
}

fn deal(seed: u64, config: &Config) -> Setup {
    Setup::deal(config, seed).expect("the configs of this corpus are sound")
}

/// A running leg: its players, their moves, and the position.
struct Played {
    setup: Setup,
    position: Position,
    steps: Steps,
}

impl Played {
    fn new(setup: Setup) -> Played {
        Played {
            position: Position::start(&setup),
            setup,
            steps: Steps::default(),
        }
    }

    /// Plays at most this many rounds; bots are drawn from the seed.
    fn play(&mut self, seed: u64, rounds: u16) {
        let mut rng = Rng::new(seed);
        let strong = [1, 2, 3]; // sample, safe, space: random dies too soon to be useful
        let mut players =
            BySeat::from_fn(|_: Seat| (bots::ALL[strong[rng.next_below(3)]].make)(rng.next_u64()));
        while !self.position.is_over() && self.position.rounds_played() < rounds {
            let choose = |seat: Seat| {
                let view = self.position.view(&self.setup, Perspective::Seat(seat));
                match rng.next_below(20) {
                    0 => self.recklessly(seat, &mut rng),
                    _ => players[seat].choose_action(&self.setup, &view, &Untimed),
                }
            };
            let moves = BySeat::from_fn(choose);
            self.position.play_round(&self.setup, moves.into_pair());
            self.steps.push(moves);
        }
    }

    /// A direction into anything but a wall or the own body, so that snakes also hit each other.
    fn recklessly(&self, seat: Seat, rng: &mut Rng) -> Direction {
        let at = |direction: Direction| direction.step_from(self.position.head(seat));
        let own = |cell| self.position.cells_behind_head(seat).any(|own| own == cell);
        let free = |direction: &Direction| {
            !self.setup.map().walls().has(at(*direction)) && !own(at(*direction))
        };
        let open: Vec<Direction> = Direction::ALL.into_iter().filter(free).collect();
        open.get(rng.next_below(open.len()))
            .copied()
            .unwrap_or(Direction::Up)
    }

    fn start(&self, seat: Seat) -> [u8; 2] {
        let cell = self.setup.start_of(seat);
        [cell.x(), cell.y()]
    }

    fn result(&self) -> &'static str {
        match self.position.outcome().map(|outcome| outcome.winner) {
            None => "none yet",
            Some(None) => "draw",
            Some(Some(Seat::First)) => "A",
            Some(Some(Seat::Second)) => "B",
        }
    }

    fn loser(&self) -> &'static str {
        match self.result() {
            "A" => "B",
            "B" => "A",
            _ => "all",
        }
    }
}

fn game(seed: u64) -> Value {
    let mut played = Played::new(deal(seed, &Config::default()));
    let faulty = seed % 4 == 3;
    played.play(seed, if faulty { (seed % 8) as u16 } else { u16::MAX });
    let last = (!played.position.is_over()).then(|| last_replies(seed, &mut played));
    let reasons = played.position.losses().map_values(|loss| loss.map(reason));
    let lengths = Seat::BOTH.map(|seat| played.position.cells(seat).len());
    let mut line = json!({
        "id": format!("own-{seed}"), "map": played.setup.map().text(),
        "a": played.start(Seat::First), "b": played.start(Seat::Second),
        "a_steps": played.steps.steps_of(Seat::First), "b_steps": played.steps.steps_of(Seat::Second),
        "result": played.result(), "loser": played.loser(), "round": played.position.round(),
        "reason": {"a": reasons[Seat::First], "b": reasons[Seat::Second]},
        "a_len": lengths[0], "b_len": lengths[1],
    });
    if let Some(last) = last {
        line["last"] = last;
    }
    line
}

/// Ends the leg by a fault of one side or both.
fn last_replies(seed: u64, played: &mut Played) -> Value {
    let texts = match seed / 4 % 4 {
        0 => ["move:1", "timeout"],
        1 => ["invalid:4", "move:0"],
        2 => ["timeout", "timeout"],
        _ => ["timeout", "invalid:-1"],
    };
    let [a, b] = texts.map(|text| match text.split_once(':') {
        Some(("move", digit)) => Some(Reply::Action(
            Position::read_action(digit).expect("a digit 0 to 3"),
        )),
        Some(_) => Some(Reply::Fault(Fault::Malformed)),
        None => Some(Reply::Fault(Fault::Timeout)),
    });
    played
        .position
        .step(&played.setup, BySeat::new(a, b), &mut ());
    json!({"a": texts[0], "b": texts[1]})
}

fn reason(loss: Loss) -> &'static str {
    match loss {
        Loss::Died(cause) => cause.name(),
        Loss::Failed(Fault::Timeout) => "timeout",
        Loss::Failed(_) => "invalid",
    }
}

fn input(seed: u64) -> Value {
    let mut played = Played::new(deal(seed, &Config::default()));
    played.play(seed, (seed % 8 * 4) as u16);
    let input = |seat| input_string(&played.setup, &played.steps, seat);
    let answer = |seat| sample::choose_direction(&played.setup, &played.position, seat).number();
    json!({
        "map": played.setup.map().text(),
        "a_steps": played.steps.steps_of(Seat::First), "b_steps": played.steps.steps_of(Seat::Second),
        "input_a": input(Seat::First), "input_b": input(Seat::Second),
        "a_cells": played.position.cells(Seat::First), "b_cells": played.position.cells(Seat::Second),
        "seed_bot_a": answer(Seat::First), "seed_bot_b": answer(Seat::Second),
    })
}

/// A game from starts of equal colour that the two rules about heads judge differently; most seeds
/// have none.
fn meeting(seed: u64) -> Option<Value> {
    let config = Config {
        a: Some([5, 5]),
        b: Some([6, 6]),
        inner_pairs: 4,
        ..Config::default()
    };
    let mut judged = Played::new(
        Setup::deal(
            &Config {
                heads_may_share: true,
                ..config.clone()
            },
            seed,
        )
        .ok()?,
    );
    judged.play(seed, u16::MAX);
    let mut strict = Played::new(deal(seed, &config));
    let digits = judged
        .steps
        .steps_of(Seat::First)
        .bytes()
        .zip(judged.steps.steps_of(Seat::Second).bytes());
    for (a, b) in digits {
        let moves = [a, b].map(|digit| Direction::from_digit(digit).expect("recorded by us"));
        strict.position.play_round(&strict.setup, moves);
    }
    (strict.position.round() != judged.position.round()).then(|| {
        json!({
            "id": format!("own-meeting-{seed}"), "map": judged.setup.map().text(),
            "a": judged.start(Seat::First), "b": judged.start(Seat::Second),
            "a_steps": judged.steps.steps_of(Seat::First), "b_steps": judged.steps.steps_of(Seat::Second),
            "as_judged": {"result": judged.result(), "round": judged.position.round()},
            "by_seed_text": {"result": strict.result(), "round": strict.position.round()},
        })
    })
}
