//! The engine of a leg behind a guard: a panic of the engine becomes `leitai.InternalError`, which
//! says where it happened and what to report.
//!
//! Without it, PyO3 raises its `PanicException`, which is no `Exception`, so that nothing catches
//! it and a whole tournament ends.

use std::panic::{AssertUnwindSafe, catch_unwind};

use leitai_game::encode::AnyEncodedLeg;
use leitai_game::erased::AnyLeg;
use leitai_game::{GameFault, InvalidSetup, Seat};
use pyo3::call::PyCallArgs;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::convert::invalid_error;
use crate::known_game::KnownGame;

/// The position of a leg; it is only reached through [`EngineLeg::ask`] and [`EngineLeg::play`].
pub struct EngineLeg {
    leg: Box<dyn AnyEncodedLeg>,
    at: EnginePlace,
    /// The seat that alone looks at the leg: then it cannot be played on, because that would tell what the seat may not know.
    pub veil: Option<Seat>,
}

/// Where an engine failed.
#[derive(Clone, Copy)]
pub struct EnginePlace {
    pub game: &'static KnownGame,
    pub seed: Option<u64>,
    /// The steps that were played before.
    pub step: u32,
}

impl EngineLeg {
    /// A leg before its first step.
    pub fn new(
        leg: Box<dyn AnyEncodedLeg>,
        game: &'static KnownGame,
        seed: Option<u64>,
    ) -> EngineLeg {
        let at = EnginePlace {
            game,
            seed,
            step: 0,
        };
        EngineLeg {
            leg,
            at,
            veil: None,
        }
    }

    /// Another position of the same leg.
    pub fn with_leg(&self, leg: Box<dyn AnyEncodedLeg>) -> EngineLeg {
        let (at, veil) = (self.at, self.veil);
        EngineLeg { leg, at, veil }
    }

    /// Asks the engine without changing the position.
    pub fn ask<T>(&self, question: impl FnOnce(&dyn AnyEncodedLeg) -> T) -> PyResult<T> {
        let answer = run_engine(self.at, || question(&*self.leg))?;
        self.check_fault()?;
        Ok(answer)
    }

    /// Asks the leg in its form for texts, which is a copy.
    pub fn ask_text<T>(&self, question: impl FnOnce(&dyn AnyLeg) -> T) -> PyResult<T> {
        let (answer, fault) = run_engine(self.at, || {
            let leg = self.leg.to_leg();
            let answer = question(&*leg);
            (answer, leg.fault())
        })?;
        self.raise_fault(fault)?;
        Ok(answer)
    }

    /// Lets the engine change the position. After an error it is somewhere in the middle of a step.
    pub fn play<T>(&mut self, step: impl FnOnce(&mut dyn AnyEncodedLeg) -> T) -> PyResult<T> {
        self.refuse_veiled()?;
        let played = run_engine(self.at, || step(&mut *self.leg));
        self.at.step += 1;
        self.check_fault()?;
        played
    }

    /// Refuses what would tell more than a seat knows.
    pub fn refuse_veiled(&self) -> PyResult<()> {
        let Some(seat) = self.veil else { return Ok(()) };
        Err(PyValueError::new_err(format!(
            "this leg is what seat {} knows of it: view({0}), observe({0}) and legal({0}) tell it. It cannot be played on, and the \
             rest is hidden, because rules that come from a file make no positions of views",
            seat.index()
        )))
    }

    /// Raises a failure of the rules in a copy of the leg.
    pub fn raise_fault(&self, fault: Option<GameFault>) -> PyResult<()> {
        fault.map_or(Ok(()), |fault| {
            Err(fault_error(self.at, &fault, Some(&*self.leg)))
        })
    }

    /// The rules of the house cannot fail, and are played millions of times a second.
    fn check_fault(&self) -> PyResult<()> {
        let fault = self.at.game.is_guest.then(|| self.leg.fault()).flatten();
        self.raise_fault(fault)
    }

    /// An independent copy.
    pub fn copy(&self) -> PyResult<EngineLeg> {
        let leg = run_engine(self.at, || self.leg.clone_encoded())?;
        Ok(self.with_leg(leg))
    }
}

/// Runs a part of the engine; a panic becomes an `InternalError`.
pub fn run_engine<T>(at: EnginePlace, run: impl FnOnce() -> T) -> PyResult<T> {
    catch_panic(run).map_err(|why| engine_error(&at.describe(), &why))
}

/// Runs a part of the engine that plays no single leg; a panic becomes an `InternalError`.
pub fn run_tool<T>(tool: &str, run: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    catch_panic(run)
        .map_err(|why| engine_error(tool, &why))
        .flatten()
}

/// Runs it; the error is the message of its panic.
#[inline]
pub fn catch_panic<T>(run: impl FnOnce() -> T) -> Result<T, String> {
    // Whoever meets the error has a position in the middle of a step; nothing relies on it.
    catch_unwind(AssertUnwindSafe(run)).map_err(|panic| {
        let text = panic.downcast_ref::<&str>().map(ToString::to_string);
        text.or_else(|| panic.downcast_ref::<String>().cloned())
            .unwrap_or_else(|| "no message".to_owned())
    })
}

/// The exception of a panic of the engine.
pub fn engine_error(place: &str, why: &str) -> PyErr {
    let told = format!(
        "the engine failed in {place}: {why}; this is a bug of Leitai: please report it with the seed, \
         the config and the steps"
    );
    Python::attach(|py| make_fault(py, "InternalError", (told, place, why)))
}

impl EnginePlace {
    /// The place for an error.
    pub fn describe(self) -> String {
        let EnginePlace { game, seed, step } = self;
        let game = game.meta().id;
        match seed {
            Some(seed) => format!("{game}, seed {seed}, step {step}"),
            None => format!("{game}, a loaded setup, step {step}"),
        }
    }
}

/// The exception for rules of a file that failed; with the leg it says what repeats the failure.
pub fn fault_error(at: EnginePlace, fault: &GameFault, leg: Option<&dyn AnyEncodedLeg>) -> PyErr {
    let told = format!("{fault} ({})", at.describe());
    let repeat = leg.map(|leg| (leg.setup().to_json().to_string(), leg.save_state()));
    let (setup, replies) = repeat.unzip();
    let replies = replies.and_then(|replies| replies.as_str().map(str::to_owned));
    Python::attach(|py| {
        let request = PyBytes::new(py, &fault.request);
        let (game, function, what) = (&*fault.game, &*fault.function, &*fault.what);
        let given = (told, game, function, what, request, at.seed, setup, replies);
        make_fault(py, "GameFault", given)
    })
}

/// An exception of `leitai.faults`.
fn make_fault<'py>(py: Python<'py>, name: &str, given: impl PyCallArgs<'py>) -> PyErr {
    let made = py
        .import("leitai.faults")
        .and_then(|module| module.getattr(name)?.call1(given));
    made.map_or_else(|failure| failure, PyErr::from_value)
}

impl KnownGame {
    /// What was wrong with a config or a setup, or that the rules of a file failed over it.
    pub fn setup_error(&'static self, seed: Option<u64>, why: InvalidSetup) -> PyErr {
        let text = why.to_string();
        match self.is_guest
            && text.starts_with(&format!("the rules of {} failed: ", self.meta().id))
        {
            true => fault_error(
                EnginePlace {
                    game: self,
                    seed,
                    step: 0,
                },
                &self.told_fault(&text),
                None,
            ),
            false => invalid_error(why),
        }
    }

    /// The failure with this text; the game keeps the first one only.
    fn told_fault(&self, text: &str) -> GameFault {
        let first = self.any.first_fault();
        first
            .filter(|fault| fault.to_string() == text)
            .unwrap_or_else(|| GameFault {
                game: self.meta().id.to_owned(),
                function: String::new(),
                what: text.to_owned(),
                request: Vec::new(),
            })
    }
}
