//! Faults by kind.

use std::collections::BTreeMap;

use leitai_game::Entrant;
use serde::Serialize;

use crate::GameRecord;
use crate::Language;

/// The number of faults by code.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct FaultCounts(BTreeMap<&'static str, u32>);

impl FaultCounts {
    /// Counts the faults of one entrant in a match.
    pub fn count_faults(&mut self, game: &GameRecord, entrant: Entrant) {
        for fault in game.faults.iter().filter(|fault| fault.entrant == entrant) {
            *self.0.entry(fault.code.as_str()).or_insert(0) += 1;
        }
    }

    /// The number of all faults.
    pub fn total_count(&self) -> u32 {
        self.0.values().sum()
    }

    /// `3 TLE, 1 IA`, or a text for no faults.
    pub fn describe_faults(&self, language: Language<'_>) -> String {
        if self.0.is_empty() {
            return language.label("none").to_owned();
        }
        let kinds: Vec<String> = self
            .0
            .iter()
            .map(|(code, count)| format!("{count} {code}"))
            .collect();
        kinds.join(", ")
    }
}
