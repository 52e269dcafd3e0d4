//! One position of a replay: what it is worth to both seats, and the positions along a line.

use leitai_analysis::AnalysisError;
use leitai_analysis::analysis::why_without;
use leitai_analysis::decision::ProofRecord;
use leitai_game::replay::{ReplayWalker, parse_token};
use leitai_game::{AnyAssessor, Assessment};
use leitai_game::{AnyGame, AnyLeg, Perspective, Replay, SearchBudget, Seat};
use serde_json::{Value, json};

use crate::errors::CallError;
use crate::games::{is_guest, not_playable, read_replay};
use crate::request::{AssessCall, LineCall, ProgressListener, SketchCall};

/// Actions of a line that are played for its views.
const LONGEST_LINE: usize = 32;
/// Positions of a sketch.
const MOST_POINTS: usize = 256;
/// The budget of a position, as a multiple of that of a decision.
const EFFORT: u64 = 4;
/// The part of that budget with which a sketch looks at a position of a game from a game file, whose
/// search plays legs to their ends.
const LOOK: u64 = 8;

/// The position after so many steps of a leg, from 1.
fn find_position(
    game: &dyn AnyGame,
    replay: &Replay,
    leg: usize,
    step: usize,
) -> Result<Box<dyn AnyLeg>, CallError> {
    let setup = game.read_setup(&replay.setup).map_err(not_playable)?;
    let record = leg.checked_sub(1).and_then(|index| replay.legs.get(index));
    let legs = replay.legs.len();
    let missing = || format!("there is no leg {leg}; the replay has {legs}");
    let record = record.ok_or_else(|| CallError::new("not-found", missing()))?;
    let mut walk = ReplayWalker::new(&*setup, record);
    while walk.step_number() < step {
        let played = walk.next(&mut ()).map_err(not_playable)?;
        if played.is_none() {
            let steps = walk.step_number();
            let why = format!("there is no step {step}; the leg has {steps}");
            return Err(CallError::new("not-found", why));
        }
    }
    Ok(walk.into_leg())
}

/// What a position is worth to each seat, with its best line.
pub(crate) fn assess_position(
    file: &[u8],
    asked: AssessCall,
    listener: ProgressListener<'_>,
) -> Result<String, CallError> {
    let (game, replay) = read_replay(file)?;
    let position = find_position(game, &replay, asked.leg, asked.step)?;
    let no_assessor = || CallError::from(why_without(game));
    let nodes = game.decision_nodes().ok_or_else(no_assessor)?;
    let nodes = asked.budget.unwrap_or(nodes.saturating_mul(EFFORT));
    let mut assessor = game.make_assessor().ok_or_else(no_assessor)?;
    let mut assess = |seat| {
        let found = assess_seat(&mut *assessor, &*position, seat, nodes);
        listener("{}"); // It lives.
        found
    };
    let asks = |seat| position.to_move().asks_seat(seat);
    let seats = Seat::BOTH.map(|seat| asks(seat).then(|| assess(seat)).flatten());
    if let Some(fault) = assessor.fault() {
        return Err(AnalysisError::RulesFailed(fault).into());
    }
    let line = match &seats {
        [Some(one), None] | [None, Some(one)] => one.best_line.clone(),
        _ => Vec::new(),
    };
    let views = play_line(&*position, &line);
    let [first, second] = seats.map(|found| found.map(|found| seat_as_json(&found)));
    Ok(json!({"seats": {"first": first, "second": second}, "views": views}).to_string())
}

/// What positions spread evenly over a leg are worth to the first seat: `[{"step", "value"}]`. Each
/// has the budget of a decision, or a part of it.
pub(crate) fn sketch_leg(
    file: &[u8],
    asked: SketchCall,
    listener: ProgressListener<'_>,
) -> Result<String, CallError> {
    let (game, replay) = read_replay(file)?;
    let no_assessor = || CallError::from(why_without(game));
    let nodes = game.decision_nodes().ok_or_else(no_assessor)?;
    let nodes = if is_guest(game) { nodes / LOOK } else { nodes };
    let mut assessor = game.make_assessor().ok_or_else(no_assessor)?;
    let record = asked.leg.checked_sub(1).and_then(|at| replay.legs.get(at));
    let steps = record.map_or(0, |leg| leg.replies.split_ascii_whitespace().count());
    let points = asked.points.clamp(1, MOST_POINTS).min(steps.max(1));
    let setup = game.read_setup(&replay.setup).map_err(not_playable)?;
    let (leg, legs) = (asked.leg, replay.legs.len());
    let missing = || format!("there is no leg {leg}; the replay has {legs}");
    let missing = || CallError::new("not-found", missing());
    let mut walk = ReplayWalker::new(&*setup, record.ok_or_else(missing)?);
    let mut found = Vec::new();
    for point in 0..points {
        let step = point * steps / points;
        while walk.step_number() < step && walk.next(&mut ()).map_err(not_playable)?.is_some() {}
        let position = walk.current_leg();
        let values = Seat::BOTH.iter().filter_map(|seat| {
            let is_asked = position.to_move().asks_seat(*seat);
            let win = is_asked.then(|| assess_seat(&mut *assessor, position, *seat, nodes))??;
            Some(match seat {
                Seat::First => win.win_probability,
                Seat::Second => 1.0 - win.win_probability,
            })
        });
        let values: Vec<f64> = values.collect();
        listener("{}"); // It lives.
        if !values.is_empty() {
            let value = values.iter().sum::<f64>() / values.len() as f64;
            found.push(json!({"step": step, "value": value}));
        }
    }
    Ok(json!(found).to_string())
}

fn assess_seat(
    assessor: &mut dyn AnyAssessor,
    position: &dyn AnyLeg,
    seat: Seat,
    nodes: u64,
) -> Option<Assessment<String>> {
    assessor.assess(position, seat, SearchBudget::nodes(nodes))
}

fn seat_as_json(found: &Assessment<String>) -> Value {
    let mut value = json!({"win": found.win_probability, "line": found.best_line});
    if let Some(proof) = found.proof {
        value["proof"] = json!(ProofRecord::from(proof));
    }
    value
}

/// The views along a line of actions, in a game of turns.
pub(crate) fn show_line(file: &[u8], asked: LineCall) -> Result<String, CallError> {
    let (game, replay) = read_replay(file)?;
    let position = find_position(game, &replay, asked.leg, asked.step)?;
    Ok(json!(play_line(&*position, &asked.actions)).to_string())
}

/// The view after each action, as far as only one seat is asked and the action is known.
fn play_line(position: &dyn AnyLeg, line: &[String]) -> Vec<Value> {
    let mut leg = position.clone_leg();
    let mut views = Vec::new();
    for action in line.iter().take(LONGEST_LINE) {
        let Ok(replies) = parse_token(action, leg.to_move()) else {
            break;
        };
        if !leg.knows_action(action) {
            break;
        }
        leg.step(replies, &mut ());
        views.push(leg.view(Perspective::All));
    }
    views
}
