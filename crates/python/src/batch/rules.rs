//! The options of a batch, as Python gives them and as its legs follow them.

use std::sync::Arc;

use leitai_game::encode::AnyEncodedLeg;
use leitai_game::{Seat, ToMove};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::Value;

use crate::bot;
use crate::convert::{ArrayShape, from_python};
use crate::known_game::KnownGame;
use crate::whole::{whole, whole_or_none};

/// The most threads of a batch.
const MAX_THREADS: usize = 256;
/// The most setups that are dealt in advance.
const MAX_POOL: usize = 1 << 20;

/// The options that all environments share.
pub struct BatchRules {
    pub game: &'static KnownGame,
    pub shape: Arc<ArrayShape>,
    /// The bots on the other seat with their weights; none if the learner plays both seats.
    pub opponents: Vec<(String, f64)>,
    /// The seat of the learner; `None` if it changes with every leg.
    pub seat: Option<Seat>,
    pub autoreset: Autoreset,
    pub tail: TailPolicy,
    /// The steps after which a leg is truncated.
    pub most: u32,
    pub packed: bool,
    /// Observations of an environment: 2 if the learner plays both seats and both are asked at
    /// once.
    pub sides: usize,
}

/// Modes with Gymnasium's names.
#[derive(Clone, Copy, PartialEq)]
pub enum Autoreset {
    NextStep,
    SameStep,
    Disabled,
}

/// The rule for the time when the learner is out and the opponent plays on alone.
#[derive(Clone, Copy, PartialEq)]
pub enum TailPolicy {
    /// The opponent plays on inside the learner's last step.
    Play,
    /// The leg is truncated.
    Truncate,
    /// The leg ends, with the current scores.
    Settle,
}

/// The options of a batch: the attributes of `leitai.batch.BatchOptions`.
#[derive(FromPyObject)]
pub struct BatchOptions<'py> {
    pub config: Option<Bound<'py, PyAny>>,
    pub opponents: Vec<(String, f64)>,
    #[pyo3(from_py_with = whole_or_none)]
    pub seat: Option<usize>,
    pub by_score: bool,
    pub autoreset: String,
    #[pyo3(from_py_with = whole)]
    pub threads: usize,
    #[pyo3(from_py_with = whole)]
    pub pool: usize,
    pub packed: bool,
    #[pyo3(from_py_with = whole)]
    pub seed: u64,
    pub tail: String,
    #[pyo3(from_py_with = whole_or_none)]
    pub max_steps: Option<u32>,
}

impl BatchOptions<'_> {
    pub fn check(&self, game: &'static KnownGame) -> PyResult<()> {
        check_bounded("threads", self.threads, 1, MAX_THREADS)?;
        check_bounded("pool", self.pool, 0, MAX_POOL)?;
        for (name, weight) in &self.opponents {
            bot::make_opponent(game, name, 0)?;
            if !(weight.is_finite() && *weight >= 0.0) {
                return Err(PyValueError::new_err(format!(
                    "the weight of {name:?} is {weight}; 0 or more is accepted"
                )));
            }
        }
        Ok(())
    }

    /// A leg of the first setup, from which all legs are copied.
    pub fn deal_first(&self, game: &'static KnownGame) -> PyResult<Box<dyn AnyEncodedLeg>> {
        let config = self.config.as_ref().map_or(Ok(Value::Null), from_python)?;
        let failed = |why| game.setup_error(Some(self.seed), why);
        let source = game
            .setup_source(&config, self.pool, self.seed)
            .map_err(failed)?;
        source.deal_leg(self.seed).map_err(failed)
    }

    pub fn into_rules(
        self,
        game: &'static KnownGame,
        first: &dyn AnyEncodedLeg,
    ) -> PyResult<BatchRules> {
        let both_asked = first.to_move() == ToMove::Both && self.opponents.is_empty();
        Ok(BatchRules {
            game,
            shape: Arc::new(ArrayShape::new(&first.describe_layout())),
            sides: if both_asked { 2 } else { 1 },
            opponents: self.opponents,
            seat: self.seat.map(crate::convert::read_seat).transpose()?,
            autoreset: read_autoreset(&self.autoreset)?,
            tail: read_tail(&self.tail)?,
            most: self.max_steps.unwrap_or(u32::MAX).max(1),
            packed: self.packed,
        })
    }
}

pub fn check_bounded(name: &str, value: usize, least: usize, most: usize) -> PyResult<()> {
    if (least..=most).contains(&value) {
        return Ok(());
    }
    Err(PyValueError::new_err(format!(
        "{name} is {value}; {least} to {most} are accepted"
    )))
}

pub fn read_autoreset(name: &str) -> PyResult<Autoreset> {
    match name {
        "NextStep" => Ok(Autoreset::NextStep),
        "SameStep" => Ok(Autoreset::SameStep),
        "Disabled" => Ok(Autoreset::Disabled),
        other => Err(PyValueError::new_err(format!(
            "there is no autoreset mode {other:?}; there are NextStep, SameStep and Disabled"
        ))),
    }
}

pub fn read_tail(name: &str) -> PyResult<TailPolicy> {
    match name {
        "play" => Ok(TailPolicy::Play),
        "truncate" => Ok(TailPolicy::Truncate),
        "settle" => Ok(TailPolicy::Settle),
        other => Err(PyValueError::new_err(format!(
            "there is no solo_tail {other:?}; there are play, truncate and settle"
        ))),
    }
}
