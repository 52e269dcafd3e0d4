use std::sync::Mutex;

use leitai_game::encode::{AnyEncoded, AnyOpponent};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::convert::Said;
use crate::leg::Leg;

/// A built-in bot for one leg. It keeps what it has seen, so take a new one for every leg and seat.
#[pyclass(frozen, module = "leitai._leitai")]
pub struct Bot {
    /// A bot thinks on one leg at a time.
    pub opponent: Mutex<Box<dyn AnyOpponent>>,
    pub game: &'static str,
    name: String,
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
        let opponent = Mutex::new(opponent(game, name, seed)?);
        Ok(Bot { opponent, game: game.meta().id, name: name.to_owned() })
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
        let mut bot = self.opponent.lock().expect("a bot does not panic");
        leg.lane.choose(seat, &mut **bot, said.indices_mut());
        said.to_python(py)
    }

    /// Its name.
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    fn __repr__(&self) -> String {
        format!("<{} bot {}>", self.game, self.name)
    }
}
