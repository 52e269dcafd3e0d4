//! The plan of a tournament.

use std::path::PathBuf;

use leitai_game::AnyGame;
use leitai_ladder::tournament::{TournamentFormat, TournamentStage};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::roster::seed_index;
use crate::{Roster, invalid_request};

/// The version of the journal's format.
const FORMAT: &str = "leitai-tournament/2";
/// The most matches of a tournament.
const MAX_MATCHES: usize = 1_000_000;

/// The most additional matches of a knockout encounter without a winner; after them the better seed
/// advances.
pub(super) const EXTRA_MATCHES: u32 = 4;

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
        match (1..=MAX_MATCHES).contains(&all) {
            true => Ok(()),
            false => Err(invalid_request(format!(
                "a tournament has from 1 to {MAX_MATCHES} matches, not {all}"
            ))),
        }
    }

    /// The seed and the number of the config of a match, by its stage and its number in the
    /// encounter, for so many players, legs and configs. Encounters of a stage share them.
    ///
    /// Two players meet on the maps in turn. With an odd number of legs a map and a seed stay until
    /// both have had both seats on them: else one would always have the better seat of a map. With
    /// a list of seeds every config meets every seed.
    pub fn match_conditions(
        &self,
        (stage, number): (TournamentStage, u32),
        players: usize,
        legs: usize,
        configs: usize,
    ) -> (u64, usize) {
        let (number, matches) = (u64::from(number), u64::from(self.matches));
        let turns = |match_number: u64| seed_index(legs, match_number);
        let (meeting, index) = match (stage, self.format.cycle_rounds(players)) {
            (TournamentStage::Round(round), Some(cycle_rounds)) => {
                let (round, cycle_rounds) = (u64::from(round - 1), u64::from(cycle_rounds));
                let meeting = turns(round / cycle_rounds * matches + number);
                let index = match legs.is_multiple_of(2) {
                    true => round * matches + number,
                    false => meeting * cycle_rounds + round % cycle_rounds,
                };
                (meeting, index)
            }
            _ => {
                let a_stage = turns(matches + u64::from(EXTRA_MATCHES) - 1) + 1;
                let index = stage_number(stage) * a_stage + turns(number);
                (index, index)
            }
        };
        let all = configs.max(1) as u64;
        let seed = match &self.seeds[..] {
            [] => self.seed.wrapping_add(index),
            seeds => seeds[(meeting / all % seeds.len() as u64) as usize],
        };
        (seed, (meeting % all) as usize)
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

/// The number of a stage in seeds; every stage has a different one.
fn stage_number(stage: TournamentStage) -> u64 {
    match stage {
        TournamentStage::Round(round) => u64::from(round) - 1,
        TournamentStage::Winners(round) => 3 * (u64::from(round) - 1),
        TournamentStage::Losers(round) => 3 * (u64::from(round) / 2) + 1 + u64::from(round) % 2,
        TournamentStage::Final => 100,
        TournamentStage::Decider => 101,
    }
}

/// The configs that matches use in turn, each the own choices and those of one entry.
pub fn read_configs(
    game: &dyn AnyGame,
    own: &Map<String, Value>,
    entries: &[Map<String, Value>],
) -> anyhow::Result<Vec<Value>> {
    let read = |choices: &Map<String, Value>| {
        let mut all = own.clone();
        all.extend(choices.clone());
        let config = game.read_config(&Value::Object(all));
        config.map_err(|why| invalid_request(format!("config {}: {why}", json!(choices))))
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
    if heads.is_some() && kind != FormatKind::Gauntlet {
        return Err(invalid_request(
            "heads are those of a gauntlet: add --format gauntlet, or leave out the heads",
        ));
    }
    if rounds.is_some() && matches!(kind, FormatKind::Single | FormatKind::Double) {
        return Err(invalid_request(
            "a knockout has as many rounds as it needs: leave out the rounds, or give --matches, \
             the matches of each encounter",
        ));
    }
    let cycles = rounds.unwrap_or(1);
    if !(1..=10_000).contains(&cycles) {
        return Err(invalid_request(format!(
            "a tournament has from 1 to 10000 rounds, not {cycles}"
        )));
    }
    let heads = heads.unwrap_or(1);
    if kind == FormatKind::Gauntlet && !(1..players).contains(&heads) {
        return Err(invalid_request(format!(
            "a gauntlet needs one head or more and one more entrant; this one has {heads} of {players}"
        )));
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
    use std::collections::BTreeMap;

    #[test]
    fn a_format_has_its_usual_numbers() {
        assert!(build_format(FormatKind::Gauntlet, None, Some(3), 3).is_err());
        assert!(build_format(FormatKind::RoundRobin, Some(0), None, 3).is_err());
        assert!(build_format(FormatKind::Swiss, None, Some(1), 3).is_err());
        assert!(build_format(FormatKind::Single, Some(3), None, 3).is_err());
        assert!(build_format(FormatKind::Double, Some(3), None, 3).is_err());
        assert_eq!(
            build_format(FormatKind::Swiss, None, None, 9).expect("sound"),
            TournamentFormat::Swiss { rounds: 5 }
        );
    }

    #[test]
    fn every_stage_has_different_seeds() {
        let stages = (1..8).flat_map(|round| {
            [
                TournamentStage::Winners(round),
                TournamentStage::Losers(round),
            ]
        });
        let mut numbers: Vec<u64> = stages
            .chain([TournamentStage::Final, TournamentStage::Decider])
            .map(stage_number)
            .collect();
        let all = numbers.len();
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), all);
    }

    /// Every two players of a schedule, over formats, entrants, legs, matches, maps and seeds.
    #[test]
    fn no_schedule_confounds_seats_with_maps_or_seeds() {
        for (format, players) in [
            (TournamentFormat::RoundRobin { cycles: 12 }, 2),
            (TournamentFormat::RoundRobin { cycles: 12 }, 3),
            (TournamentFormat::RoundRobin { cycles: 12 }, 4),
            (TournamentFormat::RoundRobin { cycles: 13 }, 5),
            (TournamentFormat::RoundRobin { cycles: 7 }, 6),
            (
                TournamentFormat::Gauntlet {
                    heads: 1,
                    cycles: 12,
                },
                4,
            ),
            (
                TournamentFormat::Gauntlet {
                    heads: 2,
                    cycles: 11,
                },
                5,
            ),
        ] {
            for (legs, matches) in (1..=4).flat_map(|legs| [(legs, 1), (legs, 2), (legs, 3)]) {
                for (configs, seeds) in [(1, 0), (2, 0), (3, 0), (1, 2), (2, 2), (3, 2)] {
                    check_balance((format, players), (legs, matches), (configs, seeds));
                }
            }
        }
    }

    fn check_balance(
        (format, players): (TournamentFormat, usize),
        (legs, matches): (usize, u32),
        (configs, seeds): (usize, u64),
    ) {
        let plan = TournamentPlan {
            format,
            matches,
            seeds: (100..100 + seeds).collect(),
            seed: 1,
            folder: PathBuf::new(),
        };
        // By two players, config and seed: first seats of the lower number, and of the other.
        let mut seats: BTreeMap<([usize; 2], usize, u64), [u32; 2]> = BTreeMap::new();
        let mut maps: BTreeMap<[usize; 2], Vec<u32>> = BTreeMap::new();
        for encounter in format.open_encounters(players, &BTreeMap::new()) {
            for number in 0..matches {
                let conditions = (encounter.key.stage, number);
                let (seed, config) = plan.match_conditions(conditions, players, legs, configs);
                let [one, other] = encounter.pair;
                let first = if number % 2 == 0 { one } else { other };
                let pair = [one.min(other), one.max(other)];
                let met = seats.entry((pair, config, seed)).or_default();
                let first = usize::from(first == pair[1]);
                met[first] += legs.div_ceil(2) as u32;
                met[1 - first] += (legs / 2) as u32;
                maps.entry(pair).or_insert_with(|| vec![0; configs])[config] += 1;
            }
        }
        let what = format!(
            "{format:?}, {players} players, {legs} legs, {matches} matches, {configs} configs, {seeds} seeds"
        );
        let last = |pair: &[usize; 2]| maps[pair].iter().sum::<u32>() % 2;
        for ((pair, config, seed), [one, other]) in &seats {
            let most = if legs % 2 == 1 { last(pair) } else { 0 };
            assert!(
                one.abs_diff(*other) <= most,
                "{what}: {pair:?} on {config}, {seed}: {one} {other}"
            );
        }
        for (pair, counts) in &maps {
            let [least, most] =
                [counts.iter().min(), counts.iter().max()].map(|count| count.expect("a config"));
            assert!(
                most - least <= 2,
                "{what}: {pair:?} meet on maps {counts:?} times"
            );
        }
        // Where there is no list, no two meetings but those with swapped seats share a seed.
        let again = if legs % 2 == 1 { 2 } else { 1 };
        let games = |[one, other]: &[u32; 2]| (one + other) / legs as u32;
        assert!(
            seeds > 0 || seats.values().all(|met| games(met) <= again),
            "{what}"
        );
    }
}
