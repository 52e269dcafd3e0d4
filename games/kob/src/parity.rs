//! Parity with the corpus of the sites' judges (`docs/rules/kob.md`, "Corpus format"). The fields
//! of a line tell its kind: a game (`result`), a map (`seed`), a bot's input (`input_a`), or a game
//! in which two heads meet (`as_judged`).

use leitai_game::parity::{ParityCase, check_equal, compare_lines};
use leitai_game::{BySeat, Fault, Game, InvalidSetup, Reply, Seat};
use serde::Deserialize;
use serde_json::Value;

use crate::board::Direction;
use crate::bots::sample;
use crate::position::{Loss, Position};
use crate::setup::{Config, MapSource, Setup};
use crate::steps::{Steps, input_string};

/// Compares every line of a corpus, each one JSON object.
pub fn compare_corpus(text: &str, report: &mut dyn FnMut(ParityCase)) {
    compare_lines(text, report, |line| {
        match serde_json::from_str::<Value>(line) {
            Ok(value) => {
                let id = value.get("id").and_then(Value::as_str).map(str::to_owned);
                (id, compare_line(value))
            }
            Err(why) => (None, Err(format!("not JSON: {why}"))),
        }
    });
}

fn compare_line(line: Value) -> Result<(), String> {
    if line.get("input_a").is_some() {
        compare_input(&read_line(line)?)
    } else if line.get("as_judged").is_some() {
        compare_meeting(&read_line(line)?)
    } else if line.get("seed").is_some() {
        compare_map(&read_line(line)?)
    } else {
        compare_game(&read_line(line)?)
    }
}

fn read_line<T: serde::de::DeserializeOwned>(line: Value) -> Result<T, String> {
    serde_json::from_value(line).map_err(|why| format!("not a line of this corpus: {why}"))
}

#[derive(Deserialize)]
struct DrawnMap {
    seed: i64,
    map: String,
}

fn compare_map(line: &DrawnMap) -> Result<(), String> {
    let setup = Setup::deal(&Config::default(), line.seed as u64).map_err(|why| why.to_string())?;
    check_equal("map", &line.map, &setup.map().text())
}

#[derive(Deserialize)]
struct RecordedGame {
    map: String,
    a: [u8; 2],
    b: [u8; 2],
    a_steps: String,
    b_steps: String,
    last: Option<BothReplies>,
    result: String,
    loser: String,
    round: u16,
    reason: BothReasons,
    a_len: u8,
    b_len: u8,
}

#[derive(Deserialize)]
struct BothReplies {
    a: String,
    b: String,
}

#[derive(Deserialize)]
struct BothReasons {
    a: Option<String>,
    b: Option<String>,
}

fn compare_game(game: &RecordedGame) -> Result<(), String> {
    let setup =
        site_setup(&game.map, Some((game.a, game.b)), false).map_err(|why| why.to_string())?;
    let mut position = Position::start(&setup);
    play_all(&setup, &mut position, &game.a_steps, &game.b_steps)?;
    if let Some(last) = &game.last {
        if position.is_over() {
            return Err(format!(
                "the game is over in round {}, before its last replies",
                position.round()
            ));
        }
        let replies = BySeat::new(Some(read_reply(&last.a)?), Some(read_reply(&last.b)?));
        position.step(&setup, replies, &mut ());
    }
    check_equal("result", &game.result.as_str(), &result_name(&position))?;
    check_equal(
        "loser",
        &game.loser.as_str(),
        &loser_name(&position).unwrap_or("nobody"),
    )?;
    check_equal("round", &game.round, &position.round())?;
    let [a, b] = position
        .losses()
        .map_values(|loss| loss.map(loss_name))
        .into_pair();
    check_equal("reason of A", &game.reason.a.as_deref(), &a)?;
    check_equal("reason of B", &game.reason.b.as_deref(), &b)?;
    let lengths = Seat::BOTH.map(|seat| position.cells(seat).len());
    check_equal("lengths", &[game.a_len.into(), game.b_len.into()], &lengths)
}

/// `move:D`, `timeout` or `invalid:VALUE`.
fn read_reply(text: &str) -> Result<Reply<Direction>, String> {
    let value = text
        .strip_prefix("move:")
        .or_else(|| text.strip_prefix("invalid:"));
    let read = value.map(|value| {
        Position::read_action(value).map_or(Reply::Fault(Fault::Malformed), Reply::Action)
    });
    read.or_else(|| (text == "timeout").then_some(Reply::Fault(Fault::Timeout)))
        .ok_or_else(|| format!("unknown reply {text:?}"))
}

fn loss_name(loss: Loss) -> &'static str {
    match loss {
        Loss::Died(cause) => cause.name(),
        Loss::Failed(Fault::Timeout) => "timeout",
        Loss::Failed(_) => "invalid",
    }
}

#[derive(Deserialize)]
struct Meeting {
    map: String,
    a: [u8; 2],
    b: [u8; 2],
    a_steps: String,
    b_steps: String,
    as_judged: RecordedEnd,
    by_seed_text: RecordedEnd,
}

#[derive(Debug, PartialEq, Deserialize)]
struct RecordedEnd {
    result: String,
    round: u16,
}

fn compare_meeting(line: &Meeting) -> Result<(), String> {
    for (name, share, recorded) in [
        ("by_seed_text", false, &line.by_seed_text),
        ("as_judged", true, &line.as_judged),
    ] {
        let setup =
            site_setup(&line.map, Some((line.a, line.b)), share).map_err(|why| why.to_string())?;
        let mut position = Position::start(&setup);
        for moves in pair_steps(&line.a_steps, &line.b_steps)? {
            position.play_round(&setup, moves);
        }
        check_equal(
            name,
            recorded,
            &RecordedEnd {
                result: result_name(&position).into(),
                round: position.round(),
            },
        )?;
    }
    Ok(())
}

#[derive(Deserialize)]
struct BotInput {
    map: String,
    a_steps: String,
    b_steps: String,
    input_a: String,
    input_b: String,
    a_cells: Vec<(i8, i8)>,
    b_cells: Vec<(i8, i8)>,
    seed_bot_a: u8,
    seed_bot_b: u8,
}

fn compare_input(line: &BotInput) -> Result<(), String> {
    let setup = site_setup(&line.map, None, false).map_err(|why| why.to_string())?;
    let (mut position, mut steps) = (Position::start(&setup), Steps::default());
    play_all(&setup, &mut position, &line.a_steps, &line.b_steps)?;
    for [a, b] in pair_steps(&line.a_steps, &line.b_steps)? {
        steps.push(BySeat::new(a, b));
    }
    let recorded = [
        (&line.input_a, &line.a_cells, line.seed_bot_a),
        (&line.input_b, &line.b_cells, line.seed_bot_b),
    ];
    for (seat, (input, cells, answer)) in Seat::BOTH.into_iter().zip(recorded) {
        check_equal("input string", input, &input_string(&setup, &steps, seat))?;
        check_equal("cells from tail to head", cells, &position.cells(seat))?;
        check_equal(
            "the sample bot's answer",
            &answer,
            &sample::choose_direction(&setup, &position, seat).number(),
        )?;
    }
    Ok(())
}

/// A setup of the sites' board with this map.
fn site_setup(
    map: &str,
    starts: Option<([u8; 2], [u8; 2])>,
    heads_may_share: bool,
) -> Result<Setup, InvalidSetup> {
    let (a, b) = starts.unzip();
    let map = MapSource::Given(map.to_owned());
    Setup::deal(
        &Config {
            map,
            a,
            b,
            heads_may_share,
            ..Config::default()
        },
        0,
    )
}

fn play_all(
    setup: &Setup,
    position: &mut Position,
    a_steps: &str,
    b_steps: &str,
) -> Result<(), String> {
    for (index, moves) in pair_steps(a_steps, b_steps)?.into_iter().enumerate() {
        if position.is_over() {
            return Err(format!(
                "the game is over before round {} of {}",
                index + 1,
                a_steps.len()
            ));
        }
        position.play_round(setup, moves);
    }
    Ok(())
}

fn pair_steps(a_steps: &str, b_steps: &str) -> Result<Vec<[Direction; 2]>, String> {
    if a_steps.len() != b_steps.len() {
        return Err(format!(
            "{} steps of A, {} of B",
            a_steps.len(),
            b_steps.len()
        ));
    }
    let direction = |digit| {
        Direction::from_digit(digit)
            .ok_or_else(|| format!("step {:?} is not a digit 0 to 3", digit as char))
    };
    a_steps
        .bytes()
        .zip(b_steps.bytes())
        .map(|(a, b)| Ok([direction(a)?, direction(b)?]))
        .collect()
}

fn result_name(position: &Position) -> &'static str {
    match loser_name(position) {
        None => "none yet",
        Some("A") => "B",
        Some("B") => "A",
        Some(_) => "draw",
    }
}

/// The loser as the sites store it.
pub(crate) fn loser_name(position: &Position) -> Option<&'static str> {
    let [a, b] = position
        .losses()
        .map_values(|loss| loss.is_some())
        .into_pair();
    match (a, b) {
        (false, false) => None,
        (true, false) => Some("A"),
        (false, true) => Some("B"),
        (true, true) => Some("all"),
    }
}
