//! Recorded legs as arrays, and played legs as a replay.

use leitai_game::encode::AnyEncodedLeg;
use leitai_game::replay::{
    EntrantKind, EntrantRecord, FORMAT, MatchStatus, Replay, ReplyTokens, VerdictRecord,
};
use leitai_game::{AnyGame, AnyLeg, ByEntrant, Entrant, Reply, Scope, Seat};
use numpy::{PyArray1, PyArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::Value;

use crate::convert::{ActionIndices, ArrayShape, invalid_error};
use crate::engine::{EnginePlace, fault_error, run_tool};
use crate::game_list::find_rules;
use crate::leg::{PyLeg, read_token};
use crate::observation::{write_into_zeros, write_scalars};
use crate::whole::whole;

/// One leg of a replay (from 0) as arrays, one entry for every action in order: the observation of
/// its seat, the action, and the result of the leg for the seat. Faults are played, but have no
/// entries.
#[pyfunction]
#[pyo3(signature = (text, leg, packed=false))]
pub fn encode_leg<'py>(
    py: Python<'py>,
    text: &str,
    #[pyo3(from_py_with = whole)] leg: usize,
    packed: bool,
) -> PyResult<Bound<'py, PyDict>> {
    let replay = parse_replay(text)?;
    let game = find_rules(&replay.game, &replay.rules)?;
    if replay.rules != game.meta().rules {
        let (recorded, ours) = (&replay.rules, game.meta().rules);
        let why = format!("judged by the rules {recorded:?}; this version plays {ours:?}");
        return Err(PyValueError::new_err(why));
    }
    let record = replay.legs.get(leg).ok_or_else(|| {
        PyValueError::new_err(format!(
            "the replay has {} legs; there is no leg {leg}",
            replay.legs.len()
        ))
    })?;
    let failed = |why| game.setup_error(replay.seed, why);
    let config = match game.is_guest {
        true => &replay.config,
        false => &Value::Null,
    };
    let tokens = record.replies.split_ascii_whitespace();
    let walk = || {
        let source = game.setup_source(config, 0, 0).map_err(failed)?;
        let inner = source.start_leg(&replay.setup).map_err(failed)?;
        let mut arrays = ReplayArrays::new(ArrayShape::new(&inner.describe_layout()), packed);
        let walked = arrays.walk_leg(inner, tokens);
        Ok((walked.map_err(PyValueError::new_err)?, arrays))
    };
    let (inner, arrays) = py.detach(|| run_tool("a leg of the replay", walk))?;
    if let Some(fault) = inner.fault() {
        let at = EnginePlace {
            game,
            seed: replay.seed,
            step: 0,
        };
        return Err(fault_error(at, &fault, Some(&*inner)));
    }
    arrays.into_python(py, &*inner)
}

/// Observations and actions, entry after entry.
struct ReplayArrays {
    shape: ArrayShape,
    packed: bool,
    planes: Vec<u8>,
    scalars: Vec<f32>,
    masks: Vec<i8>,
    actions: Vec<i64>,
    seats: Vec<Seat>,
    rounds: Vec<i32>,
}

impl ReplayArrays {
    fn new(shape: ArrayShape, packed: bool) -> ReplayArrays {
        ReplayArrays {
            shape,
            packed,
            planes: Vec::new(),
            scalars: Vec::new(),
            masks: Vec::new(),
            actions: Vec::new(),
            seats: Vec::new(),
            rounds: Vec::new(),
        }
    }

    fn walk_leg(
        &mut self,
        mut inner: Box<dyn AnyEncodedLeg>,
        tokens: ReplyTokens<'_>,
    ) -> Result<Box<dyn AnyEncodedLeg>, String> {
        for (step, token) in tokens.enumerate() {
            let replies =
                read_token(&*inner, token).map_err(|why| format!("step {step}: {why}"))?;
            for (seat, reply) in replies.iter_pairs() {
                if let Some(Reply::Action(text)) = reply {
                    self.add_entry(&*inner, seat, text)
                        .map_err(|why| format!("step {step}: {why}"))?;
                }
            }
            inner.step_text(replies, &mut ());
        }
        Ok(inner)
    }

    fn add_entry(
        &mut self,
        inner: &dyn AnyEncodedLeg,
        seat: Seat,
        notation: &str,
    ) -> Result<(), String> {
        let shape = &self.shape;
        let mut said = ActionIndices::zero_indices(shape.parts.len());
        inner
            .encode_notation(seat, notation, said.indices_mut())
            .map_err(|why| why.to_string())?;
        write_into_zeros(
            inner,
            shape,
            seat,
            self.packed,
            grow_list(&mut self.planes, shape.plane_bytes(self.packed)),
        );
        write_scalars(
            inner,
            shape,
            seat,
            grow_list(&mut self.scalars, shape.scales.len()),
        );
        inner.write_mask(seat, grow_list(&mut self.masks, shape.mask_length()));
        self.actions.extend_from_slice(said.as_slice());
        self.seats.push(seat);
        self.rounds.push(inner.round() as i32);
        Ok(())
    }

    fn into_python<'py>(
        self,
        py: Python<'py>,
        end: &dyn AnyEncodedLeg,
    ) -> PyResult<Bound<'py, PyDict>> {
        let (count, shape) = (self.seats.len(), &self.shape);
        let outcome = end.outcome();
        let won = |seat: &Seat| match outcome.as_ref().and_then(|outcome| outcome.winner) {
            None => 0,
            Some(winner) if winner == *seat => 1,
            Some(_) => -1i8,
        };
        let lead = |seat: &Seat| end.scores()[*seat] - end.scores()[seat.other()];
        let [planes, rows, width] = shape.of_planes(self.packed);
        let dict = PyDict::new(py);
        let actions = PyArray1::from_slice(py, &self.actions);
        let masks = PyArray1::from_vec(py, self.masks);
        match shape.parts.len() {
            1 => {
                dict.set_item("action", actions)?;
                dict.set_item("action_mask", masks.reshape([count, shape.mask_length()])?)?;
            }
            parts => {
                dict.set_item("action", actions.reshape([count, parts])?)?;
                dict.set_item(
                    "action_mask",
                    masks.reshape([count, parts, shape.parts[0]])?,
                )?;
            }
        }
        dict.set_item(
            "outcome",
            PyArray1::from_iter(py, self.seats.iter().map(won)),
        )?;
        dict.set_item("lead", PyArray1::from_iter(py, self.seats.iter().map(lead)))?;
        dict.set_item(
            "seat",
            PyArray1::from_iter(py, self.seats.iter().map(|seat| seat.index() as i8)),
        )?;
        dict.set_item("round", PyArray1::from_vec(py, self.rounds))?;
        dict.set_item("complete", outcome.is_some())?;
        let observation =
            PyArray1::from_vec(py, self.planes).reshape([count, planes, rows, width])?;
        dict.set_item("observation", observation)?;
        dict.set_item(
            "scalars",
            PyArray1::from_vec(py, self.scalars).reshape([count, shape.scales.len()])?,
        )?;
        Ok(dict)
    }
}

/// Plays a replay again and compares every state, outcome and the verdict: legs, steps, hashes compared, and whether it was
/// complete.
#[pyfunction]
pub fn verify_replay(py: Python<'_>, text: &str) -> PyResult<(usize, usize, usize, bool)> {
    let replay = parse_replay(text)?;
    let game = find_rules(&replay.game, &replay.rules)?;
    let verify = || Ok(leitai_game::replay::verify_replay(game.any, &replay));
    let compared = py.detach(|| run_tool("a replay", verify))?;
    let seen = compared.map_err(|why| game.setup_error(replay.seed, why))?;
    let seen = seen.map_err(|differs| PyValueError::new_err(differs.to_string()))?;
    Ok((seen.legs, seen.steps, seen.hashes, seen.complete))
}

fn parse_replay(text: &str) -> PyResult<Replay> {
    run_tool("a replay", || Replay::parse(text).map_err(invalid_error))
}

fn grow_list<T: Default + Clone>(list: &mut Vec<T>, by: usize) -> &mut [T] {
    let from = list.len();
    list.resize(from + by, T::default());
    &mut list[from..]
}

/// The text of a replay of recorded legs: entrant A played first in the first of them, and the two
/// changed seats after each.
#[pyfunction]
pub fn write_replay(legs: Vec<PyRef<'_, PyLeg>>, names: (String, String)) -> PyResult<String> {
    run_tool("a replay", || join_replay(&legs, names))
}

fn join_replay(legs: &[PyRef<'_, PyLeg>], names: (String, String)) -> PyResult<String> {
    let first = legs
        .first()
        .ok_or_else(|| PyValueError::new_err("a replay has at least one leg"))?;
    let game = first.game.any;
    let setup = first.inner.ask(|leg| leg.setup())?;
    let json = setup.to_json();
    let mut same = true;
    for leg in legs {
        let own = leg.inner.ask(|leg| leg.setup().to_json())?;
        same &= std::ptr::eq(leg.game, first.game) && own == json;
    }
    if !same {
        return Err(PyValueError::new_err(
            "the legs of a match share one game and one setup",
        ));
    }
    let records = legs
        .iter()
        .map(|leg| leg.record.as_ref().ok_or_else(not_recorded))
        .collect::<PyResult<Vec<_>>>()?;
    let ends = legs
        .iter()
        .map(|leg| leg.inner.ask(|leg| leg.to_leg()))
        .collect::<PyResult<Vec<Box<dyn AnyLeg>>>>()?;
    let complete = is_complete(game, &ends);
    let finished = records
        .iter()
        .zip(&ends)
        .map(|(record, end)| record.recorder.clone().finish_leg(end.outcome()));
    let replay = Replay {
        seed: first.origin.seed,
        config: Value::clone(&first.origin.config),
        status: if complete {
            MatchStatus::Complete
        } else {
            MatchStatus::Interrupted
        },
        legs: finished.collect(),
        verdict: complete.then(|| VerdictRecord::from(&setup.decide_match(&ends))),
        ..empty_replay(game, json, names)
    };
    Ok(replay.to_text())
}

/// A replay of this setup without legs, between two players of these names.
pub fn empty_replay(game: &dyn AnyGame, setup: Value, names: (String, String)) -> Replay {
    Replay {
        format: FORMAT.to_owned(),
        game: game.meta().id.to_owned(),
        rules: game.meta().rules.to_owned(),
        engine: concat!("leitai ", env!("CARGO_PKG_VERSION")).to_owned(),
        recorded: None,
        seed: None,
        config: Value::Null,
        setup,
        entrants: entrant_records(names),
        limits: None,
        status: MatchStatus::Interrupted,
        forced: None,
        legs: Vec::new(),
        verdict: None,
        origin: None,
        signature: None,
    }
}

fn not_recorded() -> PyErr {
    PyValueError::new_err("a leg was not recorded; start it with record=True")
}

/// Whether a match is over: all its legs are, or one of them decided it.
fn is_complete(game: &dyn AnyGame, ends: &[Box<dyn AnyLeg>]) -> bool {
    let over = ends.iter().all(|end| end.outcome().is_some());
    let decided = ends
        .last()
        .and_then(|end| end.outcome())
        .is_some_and(|end| end.scope == Scope::Match);
    over && (decided || ends.len() >= game.meta().legs)
}

fn entrant_records((a, b): (String, String)) -> ByEntrant<EntrantRecord> {
    let names = [a, b];
    ByEntrant::from_fn(|entrant: Entrant| EntrantRecord {
        name: names[entrant.index()].clone(),
        kind: EntrantKind::Program,
        protocol: None,
        settings: None,
    })
}
