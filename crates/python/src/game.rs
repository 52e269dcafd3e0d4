//! A game for Python: deals legs and describes its numbers.

use std::sync::{Arc, OnceLock};

use leitai_game::AnyGame;
use leitai_game::encode::{AnyEncoded, AnySetupSource, Layout, symmetry};
use pyo3::prelude::*;
use pyo3::types::PyType;
use serde_json::{Value, json};

use crate::bot::PyBot;
use crate::convert::{ArrayShape, from_python, invalid_error, to_python};
use crate::engine::{EnginePlace, run_engine};
use crate::game_list::find_game;
use crate::leg::{PyLeg, SetupOrigin};

/// A game: deals legs and describes its numbers. `leitai.snakego`, `leitai.kob` and
/// `leitai.tankcraft` have one each.
#[pyclass(frozen, name = "Game", module = "leitai._leitai")]
pub struct PyGame {
    pub encoded: &'static dyn AnyEncoded,
    /// The data that all legs of the default config share.
    default: OnceLock<LegSource>,
}

/// The data that all legs of one config share.
#[derive(Clone)]
struct LegSource {
    source: Arc<dyn AnySetupSource>,
    shape: Arc<ArrayShape>,
    /// The config with every default written out.
    config: Arc<Value>,
}

impl PyGame {
    fn any_game(&self) -> &'static dyn AnyGame {
        leitai_games::find_game(self.encoded.meta().id).expect("both lists have the same games")
    }

    fn setup_source(&self, config: &Value) -> PyResult<Box<dyn AnySetupSource>> {
        self.run(None, || self.encoded.setup_source(config, 0, 0))?
            .map_err(invalid_error)
    }

    /// Runs a part of the engine before a leg begins.
    fn run<T>(&self, seed: Option<u64>, part: impl FnOnce() -> T) -> PyResult<T> {
        let game = self.encoded.meta().id;
        run_engine(
            EnginePlace {
                game,
                seed,
                step: 0,
            },
            part,
        )
    }

    fn prepare_config(&self, choices: &Value) -> PyResult<LegSource> {
        let source = self.setup_source(choices)?;
        let shape = ArrayShape::new(&source.deal_leg(0).map_err(invalid_error)?.describe_layout());
        let config = self
            .any_game()
            .read_config(choices)
            .map_err(invalid_error)?;
        Ok(LegSource {
            source: source.into(),
            shape: Arc::new(shape),
            config: Arc::new(config),
        })
    }

    fn default_deal(&self) -> PyResult<&LegSource> {
        if let Some(deal) = self.default.get() {
            return Ok(deal);
        }
        let deal = self.prepare_config(&Value::Null)?;
        Ok(self.default.get_or_init(|| deal))
    }
}

#[pymethods]
impl PyGame {
    #[new]
    fn new(id: &str) -> PyResult<PyGame> {
        Ok(PyGame {
            encoded: find_game(id)?,
            default: OnceLock::new(),
        })
    }

    /// The id in commands, paths and replays, such as `snakego`.
    #[getter]
    fn id(&self) -> &'static str {
        self.encoded.meta().id
    }

    /// The rule set and its version, such as `snakego/1`.
    #[getter]
    fn rules(&self) -> &'static str {
        self.encoded.meta().rules
    }

    /// The number of legs in a match.
    #[getter]
    fn legs(&self) -> usize {
        self.encoded.meta().legs
    }

    /// Starts a leg with the setup of this seed, as `leitai match --seed` deals it.
    ///
    /// :param seed: 0 to 2**64 - 1 :param config: the game's choices, as in `leitai match
    /// --config`; what is left out has its default :param record: whether the leg keeps its replies
    /// and the hashes of its checkpoints, for `Replay.of`
    #[pyo3(signature = (seed=0, config=None, *, record=false))]
    fn start(&self, seed: u64, config: Option<&Bound<'_, PyAny>>, record: bool) -> PyResult<PyLeg> {
        let deal = match config {
            None => self.default_deal()?.clone(),
            Some(choices) => self.prepare_config(&from_python(choices)?)?,
        };
        let inner = self
            .run(Some(seed), || deal.source.deal_leg(seed))?
            .map_err(invalid_error)?;
        Ok(PyLeg::new(
            self.encoded,
            inner,
            deal.shape,
            SetupOrigin {
                seed: Some(seed),
                config: deal.config,
            },
            record,
        ))
    }

    /// Starts a leg with this setup: `leg.setup`, or that of a replay or a `start` message.
    #[pyo3(signature = (setup, *, record=false))]
    fn load(&self, setup: &Bound<'_, PyAny>, record: bool) -> PyResult<PyLeg> {
        let (source, setup) = (self.setup_source(&Value::Null)?, from_python(setup)?);
        let inner = self
            .run(None, || source.start_leg(&setup))?
            .map_err(invalid_error)?;
        let shape = Arc::new(ArrayShape::new(&inner.describe_layout()));
        Ok(PyLeg::new(
            self.encoded,
            inner,
            shape,
            SetupOrigin::default(),
            record,
        ))
    }

    /// The config with every default written out; fails on unknown or invalid choices.
    #[pyo3(signature = (config=None))]
    fn config<'py>(
        &self,
        py: Python<'py>,
        config: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let choices = config.map_or(Ok(Value::Null), from_python)?;
        to_python(
            py,
            &self
                .any_game()
                .read_config(&choices)
                .map_err(invalid_error)?,
        )
    }

    /// The built-in bots, weakest first: name and description.
    fn bots(&self) -> Vec<(&str, &str)> {
        self.any_game()
            .list_bots()
            .into_iter()
            .map(|(name, about)| (name, about.en))
            .collect()
    }

    /// A built-in bot for one leg and seat; all its random choices come from the seed.
    #[pyo3(signature = (name, seed=0))]
    fn bot(&self, name: &str, seed: u64) -> PyResult<PyBot> {
        PyBot::new(self.encoded, name, seed)
    }

    /// The meaning of the numbers, as plain data; `leitai.snakego.layout` and its counterparts
    /// return it as a `Layout`.
    #[pyo3(signature = (config=None))]
    fn layout<'py>(
        &self,
        py: Python<'py>,
        config: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let choices = config.map_or(Ok(Value::Null), from_python)?;
        let layout = self
            .setup_source(&choices)?
            .deal_leg(0)
            .map_err(invalid_error)?
            .describe_layout();
        to_python(py, &describe_layout(&layout))
    }

    fn __copy__(this: Py<Self>) -> Py<Self> {
        this
    }

    fn __deepcopy__(this: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        this
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyType>, (&'static str,)) {
        (py.get_type::<PyGame>(), (self.encoded.meta().id,))
    }

    fn __eq__(&self, other: &PyGame) -> bool {
        self.encoded.meta().id == other.encoded.meta().id
    }

    fn __hash__(&self) -> u64 {
        leitai_game::hash::fnv1a(self.encoded.meta().id.as_bytes())
    }

    fn __repr__(&self) -> String {
        format!("Game({:?})", self.encoded.meta().id)
    }
}

/// The content of a layout, and the symmetries that follow from it.
fn describe_layout(layout: &Layout) -> Value {
    let planes: Vec<Value> = layout
        .planes
        .iter()
        .map(|plane| json!({"name": plane.name, "about": plane.about}))
        .collect();
    let scalars = layout.scalars.iter();
    let scalars: Vec<Value> = scalars
        .map(|scalar| json!({"name": scalar.name, "about": scalar.about, "scale": scalar.scale}))
        .collect();
    let parts: Vec<Vec<&str>> = layout
        .parts
        .iter()
        .map(|part| part.iter().map(|choice| choice.name.as_str()).collect())
        .collect();
    let symmetries: Vec<Value> = symmetry::find_symmetries(layout)
        .into_iter()
        .map(
            |one| json!({"name": one.name, "cells": one.cells, "planes": one.planes, "choices": one.choices}),
        )
        .collect();
    json!({
        "rows": layout.rows, "cols": layout.cols, "planes": planes, "scalars": scalars, "parts": parts,
        "symmetries": symmetries,
    })
}
