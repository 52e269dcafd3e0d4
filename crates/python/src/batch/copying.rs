//! Copies of a batch, also pickled ones: every environment plays its leg again, from its seed (or from the position that was
//! restored) with the learner's actions. So the bots have the same memory, and nothing is kept for it but the actions.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::Value;

use super::{BatchLeg, BatchRules, PyBatch};
use crate::convert::invalid_error;
use crate::engine::run_tool;

/// What an environment's leg is made of again: its seed, the legs so far, whether it has ended, the actions of its leg, and the
/// setup and position from which it goes on if it was restored.
pub type SavedLeg = (u64, u64, Vec<i64>, Option<(String, String)>);

impl PyBatch {
    pub(super) fn save_envs(&self) -> PyResult<Vec<SavedLeg>> {
        if !self.rules.opponents.is_empty() && self.envs.iter().any(|env| env.base.is_some()) {
            return Err(PyValueError::new_err(
                "legs were restored into environments with opponents, whose memory cannot be copied; reset() first",
            ));
        }
        Ok(self.envs.iter().map(save_env).collect())
    }

    pub(super) fn copy(&self, py: Python<'_>) -> PyResult<PyBatch> {
        let game = self.rules.game.meta().id;
        _restore_batch(py, game, self.asked.clone_ref(py), self.save_envs()?)
    }
}

fn save_env(env: &BatchLeg) -> SavedLeg {
    let base = env.base.as_ref().map(|base| {
        let (setup, position) = (base.setup().to_json(), base.save_state());
        (setup.to_string(), position.to_string())
    });
    (env.seed, env.leg_number, env.said.clone(), base)
}

/// Unpickles a batch.
#[pyfunction]
pub fn _restore_batch(
    py: Python<'_>,
    game: &str,
    options: Py<PyAny>,
    envs: Vec<SavedLeg>,
) -> PyResult<PyBatch> {
    let mut batch = PyBatch::new(game, envs.len(), options.into_bound(py))?;
    let PyBatch {
        envs: made, rules, ..
    } = &mut batch;
    py.detach(|| {
        run_tool("a batch's copy", || {
            made.iter_mut()
                .zip(envs)
                .try_for_each(|(env, saved)| restore_env(rules, env, saved))
        })
    })?;
    Ok(batch)
}

fn restore_env(rules: &BatchRules, env: &mut BatchLeg, saved: SavedLeg) -> PyResult<()> {
    let (seed, leg_number, said, base) = saved;
    (env.seed, env.leg_number) = (seed, leg_number);
    if let Some((setup, position)) = base {
        let read = |text: &str| -> PyResult<Value> {
            serde_json::from_str(text)
                .map_err(|why| PyValueError::new_err(format!("no pickled batch: {why}")))
        };
        let source = rules.game.setup_source(&Value::Null, 0, 0);
        let mut leg = (source
            .and_then(|source| source.start_leg(&read(&setup).unwrap_or_default())))
        .map_err(invalid_error)?;
        leg.restore_state(&read(&position)?)
            .map_err(invalid_error)?;
        env.leg.copy_from(&*leg);
        env.restore_leg();
    } else if leg_number > 0 {
        env.leg_number = leg_number - 1;
        env.reset_leg(rules).map_err(invalid_error)?;
    } else {
        return Ok(()); // Before its first reset.
    }
    let width = rules.shape.parts.len() * rules.sides;
    for actions in said.chunks(width) {
        env.step_leg(rules, actions).map_err(invalid_error)?;
        let ended = env.state == super::LegStage::Terminated;
        env.rewards.pay_step(&*env.leg, ended);
    }
    Ok(())
}
