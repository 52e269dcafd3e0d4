//! Built-in bots for Python.

use std::sync::{Mutex, MutexGuard, PoisonError};

use leitai_game::encode::AnyOpponent;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::convert::{ActionIndices, invalid_error};
use crate::engine::run_tool;
use crate::game_list::find_game;
use crate::known_game::KnownGame;
use crate::leg::PyLeg;
use crate::whole::whole_or_none;

/// A built-in bot for one leg. It has memory, so use a new one for every leg and seat. A copy, also
/// a pickled one, is asked the recorded questions again: it then has the same memory and continues
/// in the same way.
#[pyclass(frozen, name = "Bot", module = "leitai._leitai")]
pub struct PyBot {
    /// A bot plays on one leg at a time.
    opponent: Mutex<Box<dyn AnyOpponent>>,
    pub game: &'static KnownGame,
    name: String,
    seed: u64,
}

/// A built-in bot; the error lists the existing ones.
pub fn make_opponent(game: &KnownGame, name: &str, seed: u64) -> PyResult<Box<dyn AnyOpponent>> {
    game.make_opponent(name, seed).ok_or_else(|| {
        let id = game.meta().id;
        let names: Vec<&str> = (game.any.list_bots().into_iter())
            .map(|(name, _)| name)
            .collect();
        PyValueError::new_err(format!(
            "{id} has no bot {name:?}; it has {}",
            names.join(", ")
        ))
    })
}

impl PyBot {
    pub fn new(game: &'static KnownGame, name: &str, seed: u64) -> PyResult<PyBot> {
        let mut opponent = make_opponent(game, name, seed)?;
        opponent.note_questions();
        Ok(PyBot {
            opponent: Mutex::new(opponent),
            game,
            name: name.to_owned(),
            seed,
        })
    }

    fn copy(&self) -> PyResult<PyBot> {
        let copied = run_tool("a bot's copy", || Ok(self.lock_bot().copy_bot()))?;
        let opponent = copied.map_err(invalid_error)?;
        Ok(PyBot {
            opponent: Mutex::new(opponent),
            game: self.game,
            name: self.name.clone(),
            seed: self.seed,
        })
    }

    /// Locks the bot; after a panic it has the state of that moment.
    pub fn lock_bot(&self) -> MutexGuard<'_, Box<dyn AnyOpponent>> {
        self.opponent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Fails if the leg is one of another game.
    pub fn check_leg(&self, leg: &PyLeg) -> PyResult<()> {
        if std::ptr::eq(self.game, leg.game) {
            return Ok(());
        }
        let (own, other) = (self.game.meta().rules, leg.game.meta().rules);
        Err(PyValueError::new_err(format!(
            "a bot of {own} cannot play {other}"
        )))
    }
}

#[pymethods]
impl PyBot {
    /// The bot's action on this seat, as numbers. The bot sees only what the seat may see.
    #[pyo3(signature = (leg, seat=None))]
    fn choose<'py>(
        &self,
        py: Python<'py>,
        leg: PyRef<'py, PyLeg>,
        #[pyo3(from_py_with = whole_or_none)] seat: Option<usize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.check_leg(&leg)?;
        let seat = leg.asked_seat(seat)?;
        let mut said = ActionIndices::zero_indices(leg.shape.parts.len());
        let mut bot = self.lock_bot();
        leg.inner
            .ask(|leg| leg.ask_bot(seat, &mut **bot, said.indices_mut()))?;
        said.to_python(py)
    }

    /// The name.
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    fn __copy__(&self) -> PyResult<PyBot> {
        self.copy()
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> PyResult<PyBot> {
        self.copy()
    }

    #[allow(clippy::type_complexity, reason = "a plain tuple for pickle")]
    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, (&'static str, &str, u64, String))> {
        let questions = self
            .lock_bot()
            .save_questions()
            .map_err(invalid_error)?
            .to_string();
        let restore = py.import("leitai._leitai")?.getattr("_restore_bot")?;
        Ok((restore, (self.game.word, &self.name, self.seed, questions)))
    }

    fn __repr__(&self) -> String {
        format!("<{} bot {}>", self.game.meta().id, self.name)
    }
}

/// Unpickles a bot.
#[pyfunction]
pub fn _restore_bot(game: &str, name: &str, seed: u64, questions: &str) -> PyResult<PyBot> {
    let game = find_game(game)?;
    let bot = PyBot::new(game, name, seed)?;
    let questions =
        serde_json::from_str(questions).map_err(|why| PyValueError::new_err(why.to_string()))?;
    run_tool("a bot's copy", || {
        game.ask_again(&mut **bot.lock_bot(), &questions)
            .map_err(invalid_error)
    })?;
    Ok(bot)
}
