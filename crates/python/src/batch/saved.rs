//! Legs of copies, also of pickled ones: every environment plays its leg again, from its seed (or from the
//! position that was restored) with the learner's actions. So the bots have the same memory, and nothing
//! is kept for it but the actions.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::Value;

use super::leg::{BatchLeg, LegStage};
use super::rules::BatchRules;

/// What an environment's leg is made of again: its seed, the legs so far, whether it has ended, the actions of its leg, and the
/// setup and position from which it goes on if it was restored.
pub type SavedLeg = (u64, u64, Vec<i64>, Option<(String, String)>);

pub fn save_env(env: &BatchLeg) -> SavedLeg {
    let base = env.base.as_ref().map(|base| {
        let (setup, position) = (base.setup().to_json(), base.save_state());
        (setup.to_string(), position.to_string())
    });
    (env.seed, env.leg_number, env.said.clone(), base)
}

pub fn restore_env(rules: &BatchRules, env: &mut BatchLeg, saved: SavedLeg) -> PyResult<()> {
    let (seed, leg_number, said, base) = saved;
    let failed = |why| rules.game.setup_error(Some(seed), why);
    (env.seed, env.leg_number) = (seed, leg_number);
    if let Some((setup, position)) = base {
        let read = |text: &str| -> PyResult<Value> {
            serde_json::from_str(text)
                .map_err(|why| PyValueError::new_err(format!("no pickled batch: {why}")))
        };
        let source = rules.game.setup_source(&Value::Null, 0, 0);
        let mut leg = (source
            .and_then(|source| source.start_leg(&read(&setup).unwrap_or_default())))
        .map_err(failed)?;
        leg.restore_state(&read(&position)?).map_err(failed)?;
        env.leg.copy_from(&*leg);
        env.restore_leg();
    } else if leg_number > 0 {
        env.leg_number = leg_number - 1;
        env.reset_leg(rules).map_err(failed)?;
    } else {
        return Ok(()); // Before its first reset.
    }
    let width = rules.shape.parts.len() * rules.sides;
    for actions in said.chunks(width) {
        env.step_leg(rules, actions).map_err(failed)?;
        let ended = env.state == LegStage::Terminated;
        env.rewards.pay_step(&*env.leg, ended);
    }
    Ok(())
}
