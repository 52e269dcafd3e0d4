use std::sync::{Mutex, MutexGuard, PoisonError};

use leitai_game::encode::{AnyEncoded, AnyOpponent};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::convert::{Said, invalid};
use crate::game::find;
use crate::leg::Leg;

/// A built-in bot for one leg. It keeps what it has seen, so take a new one for every leg and seat. A copy, also a pickled
/// one, is asked anew what the bot was asked: it knows the same and goes on in the same way.
#[pyclass(frozen, module = "leitai._leitai")]
pub struct Bot {
    /// A bot thinks on one leg at a time.
    opponent: Mutex<Box<dyn AnyOpponent>>,
    pub game: &'static str,
    name: String,
    seed: u64,
}

/// A built-in bot, or who there is.
pub fn opponent(game: &dyn AnyEncoded, name: &str, seed: u64) -> PyResult<Box<dyn AnyOpponent>> {
    game.opponent(name, seed).ok_or_else(|| {
        let id = game.meta().id;
        let bots = leitai_games::find(id).map(|game| game.bots()).unwrap_or_default();
        let names: Vec<&str> = bots.into_iter().map(|(name, _)| name).collect();
        PyValueError::new_err(format!("{id} has no bot {name:?}; it has {}", names.join(", ")))
    })
}

impl Bot {
    pub fn new(game: &'static dyn AnyEncoded, name: &str, seed: u64) -> PyResult<Bot> {
        let mut opponent = opponent(game, name, seed)?;
        opponent.note_questions();
        Ok(Bot { opponent: Mutex::new(opponent), game: game.meta().id, name: name.to_owned(), seed })
    }

    fn copy(&self) -> PyResult<Bot> {
        let opponent = self.lock().copy().map_err(invalid)?;
        Ok(Bot { opponent: Mutex::new(opponent), game: self.game, name: self.name.clone(), seed: self.seed })
    }

    /// The bot itself; a panic while it thought leaves it as it was then.
    pub fn lock(&self) -> MutexGuard<'_, Box<dyn AnyOpponent>> {
        self.opponent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Fails if the leg is one of another game.
    pub fn check(&self, leg: &Leg) -> PyResult<()> {
        if self.game == leg.game.meta().id {
            return Ok(());
        }
        let (own, other) = (self.game, leg.game.meta().id);
        Err(PyValueError::new_err(format!("a bot of {own} cannot play {other}")))
    }
}

#[pymethods]
impl Bot {
    /// What the bot says on this seat, as an action in numbers. It sees what the seat may see.
    #[pyo3(signature = (leg, seat=None))]
    fn choose<'py>(
        &self,
        py: Python<'py>,
        leg: PyRef<'py, Leg>,
        seat: Option<usize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.check(&leg)?;
        let seat = leg.asked(seat)?;
        let mut said = Said::zeros(leg.shape.parts.len());
        let mut bot = self.lock();
        leg.lane.choose(seat, &mut **bot, said.indices_mut());
        said.to_python(py)
    }

    /// Its name.
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    fn __copy__(&self) -> PyResult<Bot> {
        self.copy()
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> PyResult<Bot> {
        self.copy()
    }

    #[allow(clippy::type_complexity, reason = "a plain tuple for pickle")]
    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, (&'static str, &str, u64, String))> {
        let questions = self.lock().questions().map_err(invalid)?.to_string();
        let restore = py.import("leitai._leitai")?.getattr("_restore_bot")?;
        Ok((restore, (self.game, &self.name, self.seed, questions)))
    }

    fn __repr__(&self) -> String {
        format!("<{} bot {}>", self.game, self.name)
    }
}

/// Unpickles a bot.
#[pyfunction]
pub fn _restore_bot(game: &str, name: &str, seed: u64, questions: &str) -> PyResult<Bot> {
    let game = find(game)?;
    let bot = Bot::new(game, name, seed)?;
    let questions = serde_json::from_str(questions).map_err(|why| PyValueError::new_err(why.to_string()))?;
    game.ask_again(&mut **bot.lock(), &questions).map_err(invalid)?;
    Ok(bot)
}
