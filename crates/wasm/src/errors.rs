//! What the engine says when it cannot answer.

use leitai_analysis::AnalysisError;
use leitai_game::leg_frames::write_both;
use leitai_game::replay::ReplayRefusal;
use serde_json::{Value, json};

use crate::catalogue::catalogue;

/// Why a call was not answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallError {
    code: &'static str,
    message: String,
}

impl CallError {
    /// An error with this code for programs, and this English message for people.
    pub fn new(code: &'static str, message: impl Into<String>) -> CallError {
        CallError {
            code,
            message: message.into(),
        }
    }

    /// `{"code", "message": {"en", "zh"}}`.
    pub fn to_json(&self) -> Value {
        json!({"code": self.code, "message": write_both(catalogue(), &self.message)})
    }
}

impl From<ReplayRefusal> for CallError {
    fn from(refusal: ReplayRefusal) -> CallError {
        CallError::new(refusal.kind.code(), refusal.message)
    }
}

impl From<AnalysisError> for CallError {
    fn from(why: AnalysisError) -> CallError {
        let code = match why {
            AnalysisError::NoAssessor(_) => "no-assessor",
            AnalysisError::Hides(_) => "hides",
            AnalysisError::NoPositions(_) => "no-positions",
            AnalysisError::RulesFailed(_) => "rules-failed",
            AnalysisError::Invalid(_) => "not-playable",
            AnalysisError::Differs(_) => "differs",
            AnalysisError::NoLeg { .. } => "not-found",
            AnalysisError::Stopped => "stopped",
        };
        CallError::new(code, why.to_string())
    }
}
