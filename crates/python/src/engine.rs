//! The engine of a leg behind a guard: a panic of the engine becomes an exception of Python that
//! says where it happened.
//!
//! Without it, PyO3 raises its `PanicException`, which is no `Exception`, so that nothing catches
//! it and a whole tournament ends.

use std::panic::{AssertUnwindSafe, catch_unwind};

use leitai_game::encode::AnyEncodedLeg;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// The position of a leg; it is only reached through [`EngineLeg::ask`] and [`EngineLeg::play`].
pub struct EngineLeg {
    leg: Box<dyn AnyEncodedLeg>,
    at: EnginePlace,
}

/// Where an engine failed.
#[derive(Clone, Copy)]
pub struct EnginePlace {
    pub game: &'static str,
    pub seed: Option<u64>,
    /// The steps that were played before.
    pub step: u32,
}

impl EngineLeg {
    /// A leg before its first step.
    pub fn new(leg: Box<dyn AnyEncodedLeg>, game: &'static str, seed: Option<u64>) -> EngineLeg {
        let at = EnginePlace {
            game,
            seed,
            step: 0,
        };
        EngineLeg { leg, at }
    }

    /// Another position of the same leg.
    pub fn with_leg(&self, leg: Box<dyn AnyEncodedLeg>) -> EngineLeg {
        EngineLeg { leg, at: self.at }
    }

    /// Asks the engine without changing the position.
    pub fn ask<T>(&self, question: impl FnOnce(&dyn AnyEncodedLeg) -> T) -> PyResult<T> {
        run_engine(self.at, || question(&*self.leg))
    }

    /// Lets the engine change the position. After an error it is somewhere in the middle of a step.
    pub fn play<T>(&mut self, step: impl FnOnce(&mut dyn AnyEncodedLeg) -> T) -> PyResult<T> {
        let played = run_engine(self.at, || step(&mut *self.leg));
        self.at.step += 1;
        played
    }

    /// An independent copy.
    pub fn copy(&self) -> PyResult<EngineLeg> {
        let leg = self.ask(|leg| leg.clone_encoded())?;
        Ok(self.with_leg(leg))
    }
}

/// Runs a part of the engine; a panic becomes a `RuntimeError`.
pub fn run_engine<T>(at: EnginePlace, run: impl FnOnce() -> T) -> PyResult<T> {
    catch_panic(run).map_err(|why| engine_error(&at.describe(), &why))
}

/// Runs a part of the engine that plays no single leg; a panic becomes a `RuntimeError`.
pub fn run_tool<T>(tool: &str, run: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    catch_panic(run)
        .map_err(|why| engine_error(tool, &why))
        .flatten()
}

/// Runs it; the error is the message of its panic.
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
    PyRuntimeError::new_err(format!(
        "the engine failed in {place}: {why}; this is a bug of Leitai: please report it with the seed, \
         the config and the steps"
    ))
}

impl EnginePlace {
    /// The place for an error.
    pub fn describe(self) -> String {
        let EnginePlace { game, seed, step } = self;
        match seed {
            Some(seed) => format!("{game}, seed {seed}, step {step}"),
            None => format!("{game}, a loaded setup, step {step}"),
        }
    }
}
