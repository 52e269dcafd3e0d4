//! The plan of a tournament.

use std::path::PathBuf;

use anyhow::{Context, bail, ensure};
use leitai_ladder::tournament::{TournamentFormat, TournamentStage};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::Roster;

/// The version of the journal's format.
const FORMAT: &str = "leitai-tournament/2";
/// The most matches of a tournament.
const MAX_MATCHES: usize = 1_000_000;

/// The kind of a format, without its numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FormatKind {
    /// Everyone meets everyone.
    RoundRobin,
    /// The first entrants meet all others.
    Gauntlet,
    /// Entrants with about the same points meet, and no two meet twice.
    Swiss,
    /// An entrant that loses an encounter is out.
    Single,
    /// An entrant that loses two encounters is out.
    Double,
}

/// The plan of a tournament.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub struct TournamentPlan {
    pub format: TournamentFormat,
    /// The number of matches in an encounter.
    pub matches: u32,
    /// The seeds of the matches in order; further ones follow from [`TournamentPlan::seed`].
    pub seeds: Vec<u64>,
    /// The first seed.
    pub seed: u64,
    /// The folder of the journal, replays and reports.
    pub folder: PathBuf,
}

impl TournamentPlan {
    /// Refuses a tournament without matches, or with too many.
    pub fn check_size(&self, players: usize) -> anyhow::Result<()> {
        let [_, most] = self.format.encounter_counts(players);
        let all = most.saturating_mul(self.matches as usize);
        ensure!(
            (1..=MAX_MATCHES).contains(&all),
            "a tournament has from 1 to {MAX_MATCHES} matches, not {all}"
        );
        Ok(())
    }

    /// The header to be compared with that of an existing journal: a tournament may get more rounds
    /// if that changes no earlier round.
    pub fn lengthen_header(&self, found: &Value, mut header: Value, players: usize) -> Value {
        let begun = TournamentFormat::deserialize(&found["plan"]["format"]);
        if begun.is_ok_and(|begun| self.format.can_lengthen(&begun, players)) {
            header["plan"]["format"] = found["plan"]["format"].clone();
        }
        header
    }

    /// Whether the plan has a stage.
    pub fn has_stage(&self, stage: TournamentStage, players: usize) -> bool {
        match (stage, self.format.round_count(players)) {
            (TournamentStage::Round(round), Some(rounds)) => round <= rounds,
            _ => true,
        }
    }

    /// The terms that must not change during the tournament.
    pub fn journal_header(&self, roster: &Roster) -> Value {
        json!({
            "format": FORMAT,
            "terms": roster.match_terms(),
            "entrants": roster.entrant_names(),
            "fingerprints": roster.fingerprints,
            "plan": KeptPlan { format: self.format, matches: self.matches, seed: self.seed, seeds: &self.seeds },
        })
    }
}

#[derive(Serialize)]
struct KeptPlan<'a> {
    format: TournamentFormat,
    matches: u32,
    seed: u64,
    seeds: &'a [u64],
}

/// The configs that matches use in turn, each the roster's own choices and those of one entry.
pub fn read_configs(
    roster: &Roster,
    own: &Map<String, Value>,
    entries: &[Map<String, Value>],
) -> anyhow::Result<Vec<Value>> {
    let read = |choices: &Map<String, Value>| {
        let mut all = own.clone();
        all.extend(choices.clone());
        let config = roster.game().read_config(&Value::Object(all));
        config.with_context(|| format!("config {}", json!(choices)))
    };
    entries.iter().map(read).collect()
}

/// A format with its numbers; missing numbers get their defaults.
pub fn build_format(
    kind: FormatKind,
    rounds: Option<u32>,
    heads: Option<usize>,
    players: usize,
) -> anyhow::Result<TournamentFormat> {
    let cycles = rounds.unwrap_or(1);
    ensure!(
        (1..=10_000).contains(&cycles),
        "a tournament has from 1 to 10000 rounds, not {cycles}"
    );
    let heads = heads.unwrap_or(1);
    if kind == FormatKind::Gauntlet && !(1..players).contains(&heads) {
        bail!(
            "a gauntlet needs one head or more and one more entrant; this one has {heads} of {players}"
        );
    }
    Ok(match kind {
        FormatKind::RoundRobin => TournamentFormat::RoundRobin { cycles },
        FormatKind::Gauntlet => TournamentFormat::Gauntlet { heads, cycles },
        FormatKind::Swiss => TournamentFormat::Swiss {
            rounds: rounds.unwrap_or(players.next_power_of_two().ilog2() + 1),
        },
        FormatKind::Single => TournamentFormat::Single,
        FormatKind::Double => TournamentFormat::Double,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_format_has_its_usual_numbers() {
        assert!(build_format(FormatKind::Gauntlet, None, Some(3), 3).is_err());
        assert!(build_format(FormatKind::RoundRobin, Some(0), None, 3).is_err());
        assert_eq!(
            build_format(FormatKind::Swiss, None, None, 9).expect("sound"),
            TournamentFormat::Swiss { rounds: 5 }
        );
    }
}
