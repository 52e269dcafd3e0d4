//! The setup of a game with a logic process.

use std::fmt::{self, Debug};
use std::sync::Arc;

use leitai_game::erased::{AnyLeg, AnySetup};
use leitai_game::game::{Outcome, Verdict};
use serde_json::{Value, json};

use super::botzone::BotzoneLeg;
use super::leg::LogicLeg;
use super::process::Logic;
use super::recorded::RecordedLeg;
use super::told::Told;
use crate::leg::decide_by_legs_and_scores;
use crate::meta::LogicProtocol;

/// A config of a game with a logic process; the process draws the rest.
pub(super) struct LogicSetup {
    pub(super) told: Arc<Told>,
    /// `None` where the process is not run.
    pub(super) logic: Option<Arc<Logic>>,
    pub(super) json: Value,
}

impl Debug for LogicSetup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LogicSetup({})", self.json)
    }
}

impl AnySetup for LogicSetup {
    fn to_json(&self) -> Value {
        self.json.clone()
    }

    fn start_leg(&self) -> Box<dyn AnyLeg> {
        let Some(logic) = &self.logic else {
            return Box::new(RecordedLeg::new(&self.told.meta.id));
        };
        match self.told.protocol {
            LogicProtocol::Saiblo => Box::new(LogicLeg::start(logic, &self.json)),
            LogicProtocol::Botzone => {
                // Programs that take nothing in the beginning expect an empty text there.
                let has_choices = self.json.as_object().is_some_and(|all| all.len() > 1);
                let first = has_choices.then(|| self.json.clone());
                let first = first.unwrap_or_else(|| json!(""));
                Box::new(BotzoneLeg::start(logic, first))
            }
        }
    }

    fn decide_match(&self, legs: &[Box<dyn AnyLeg>]) -> Verdict {
        let outcomes: Vec<Outcome> = legs.iter().filter_map(|leg| leg.outcome()).collect();
        decide_by_legs_and_scores(&outcomes)
    }

    fn max_rounds(&self) -> u32 {
        self.told.meta.rounds
    }
}
