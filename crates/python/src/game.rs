//! A game for Python: deals legs and describes its numbers.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use leitai_game::encode::{AnySetupSource, Layout, symmetry};
use leitai_game::{AnyGame, InvalidSetup, ToMove};
use pyo3::prelude::*;
use pyo3::types::PyType;
use serde_json::{Value, json};

use crate::bot::PyBot;
use crate::convert::{ArrayShape, from_python, to_python};
use crate::engine::{EnginePlace, run_engine};
use crate::game_list::{find_game, find_rules};
use crate::known_game::KnownGame;
use crate::leg::{PyLeg, SetupOrigin};
use crate::whole::whole;

/// A game: deals legs and describes its numbers. `leitai.snakego`, `leitai.kob` and
/// `leitai.tankcraft` have one each.
#[pyclass(frozen, name = "Game", module = "leitai._leitai")]
pub struct PyGame {
    pub encoded: &'static KnownGame,
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
        self.encoded.any
    }

    fn setup_source(&self, config: &Value) -> PyResult<Box<dyn AnySetupSource>> {
        self.run(None, || self.encoded.setup_source(config, 0, 0))?
            .map_err(|why| self.failed(None, why))
    }

    fn failed(&self, seed: Option<u64>, why: InvalidSetup) -> PyErr {
        self.encoded.setup_error(seed, why)
    }

    /// Runs a part of the engine before a leg begins.
    fn run<T>(&self, seed: Option<u64>, part: impl FnOnce() -> T) -> PyResult<T> {
        let game = self.encoded;
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
        let shape = ArrayShape::new(&self.first_layout(&*source)?);
        Ok(LegSource {
            source: source.into(),
            shape: Arc::new(shape),
            config: Arc::new(self.read_config(choices)?),
        })
    }

    fn first_layout(&self, source: &dyn AnySetupSource) -> PyResult<Layout> {
        let dealt = self.run(None, || Ok(source.deal_leg(0)?.describe_layout()))?;
        dealt.map_err(|why| self.failed(None, why))
    }

    fn read_config(&self, choices: &Value) -> PyResult<Value> {
        let read = self.run(None, || self.any_game().read_config(choices))?;
        read.map_err(|why| self.failed(None, why))
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
    fn new(id: GameArgument) -> PyResult<PyGame> {
        Ok(PyGame {
            encoded: id.find()?,
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
    fn start(
        &self,
        #[pyo3(from_py_with = whole)] seed: u64,
        config: Option<&Bound<'_, PyAny>>,
        record: bool,
    ) -> PyResult<PyLeg> {
        let deal = match config {
            None => self.default_deal()?.clone(),
            Some(choices) => self.prepare_config(&from_python(choices)?)?,
        };
        let inner = self
            .run(Some(seed), || deal.source.deal_leg(seed))?
            .map_err(|why| self.failed(Some(seed), why))?;
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
    ///
    /// :param config: of a game file the choices of the setup, which its numbers depend on
    #[pyo3(signature = (setup, config=None, *, record=false))]
    fn load(
        &self,
        setup: &Bound<'_, PyAny>,
        config: Option<&Bound<'_, PyAny>>,
        record: bool,
    ) -> PyResult<PyLeg> {
        let config = match (config, self.encoded.is_guest) {
            (Some(config), true) => from_python(config)?,
            _ => Value::Null,
        };
        let (source, setup) = (self.setup_source(&config)?, from_python(setup)?);
        let inner = self
            .run(None, || source.start_leg(&setup))?
            .map_err(|why| self.failed(None, why))?;
        let shape = Arc::new(ArrayShape::new(&inner.describe_layout()));
        let origin = SetupOrigin {
            seed: None,
            config: Arc::new(config),
        };
        Ok(PyLeg::new(self.encoded, inner, shape, origin, record))
    }

    /// The config with every default written out; fails on unknown or invalid choices.
    #[pyo3(signature = (config=None))]
    fn config<'py>(
        &self,
        py: Python<'py>,
        config: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let choices = config.map_or(Ok(Value::Null), from_python)?;
        to_python(py, &self.read_config(&choices)?)
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
    fn bot(&self, name: &str, #[pyo3(from_py_with = whole)] seed: u64) -> PyResult<PyBot> {
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
        let layout = self.first_layout(&*self.setup_source(&choices)?)?;
        let mut told = self.run(None, || describe_layout(&layout))?;
        if self.encoded.is_guest {
            // Nobody knows which turns of the board keep its rules, or which numbers can be negative.
            (told["symmetries"], told["signed"]) = (json!([]), json!(true));
        }
        to_python(py, &told)
    }

    /// Who is asked in the first position: `"one"` seat (PettingZoo's AEC), or `"both"` at once (its
    /// Parallel).
    #[getter]
    fn asks(&self) -> PyResult<&'static str> {
        let game = self.any_game();
        let first_asked = || {
            let config = game.read_config(&Value::Null)?;
            Ok(game.deal_setup(&config, 0)?.start_leg().to_move())
        };
        let asked = self.run(Some(0), first_asked)?;
        match asked.map_err(|why| self.failed(Some(0), why))? {
            ToMove::Both => Ok("both"),
            _ => Ok("one"),
        }
    }

    /// Whether both seats know everything.
    #[getter]
    fn is_open(&self) -> bool {
        self.any_game().is_open()
    }

    /// Whether it comes from a file.
    #[getter]
    fn is_guest(&self) -> bool {
        self.encoded.is_guest
    }

    /// What names it wherever a game is named, also in another process: its id, or of a file the
    /// path, `#` and a hash of its content.
    #[getter]
    fn word(&self) -> &'static str {
        self.encoded.word
    }

    fn __copy__(this: Py<Self>) -> Py<Self> {
        this
    }

    fn __deepcopy__(this: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        this
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyType>, (&'static str,)) {
        (py.get_type::<PyGame>(), (self.encoded.word,))
    }

    fn __eq__(&self, other: &PyGame) -> bool {
        std::ptr::eq(self.encoded, other.encoded)
    }

    fn __hash__(&self) -> u64 {
        leitai_game::hash::fnv1a(self.encoded.word.as_bytes())
    }

    fn __repr__(&self) -> String {
        format!("Game({:?})", self.encoded.meta().id)
    }
}

/// The game with these rules, as a replay names it: of several versions that were loaded the one with them.
#[pyfunction(name = "find_rules")]
pub fn find_game_rules(id: &str, rules: &str) -> PyResult<PyGame> {
    PyGame::new(GameArgument::Known(find_rules(id, rules)?))
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

/// A game as Python names it: an id, the path of a file or folder, or a `Game`. What is wrong with it is told by [`find`](GameArgument::find)
/// alone, because PyO3 adds words of its own to errors of arguments.
pub enum GameArgument {
    Known(&'static KnownGame),
    Word(PathBuf),
}

impl GameArgument {
    pub fn find(self) -> PyResult<&'static KnownGame> {
        match self {
            GameArgument::Known(game) => Ok(game),
            GameArgument::Word(word) => find_game(&word.to_string_lossy()),
        }
    }
}

impl<'a, 'py> FromPyObject<'a, 'py> for GameArgument {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<GameArgument> {
        match object.extract::<PyRef<'_, PyGame>>() {
            Ok(game) => Ok(GameArgument::Known(game.encoded)),
            Err(_) => object.extract().map(GameArgument::Word),
        }
    }
}
