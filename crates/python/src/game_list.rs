//! The games that Python has.

use leitai_game::encode::AnyEncoded;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// The game with this id.
pub fn find_game(id: &str) -> PyResult<&'static dyn AnyEncoded> {
    let all = leitai_games::ENCODED.iter().copied();
    all.clone()
        .find(|game| game.meta().id == id)
        .ok_or_else(|| {
            let ids: Vec<&str> = all.map(|game| game.meta().id).collect();
            PyValueError::new_err(format!(
                "there is no game {id:?}; there are {}",
                ids.join(", ")
            ))
        })
}
