//! Standings of a stage, with tie-breaks.

use std::cmp::Ordering;

use leitai_ladder::tournament::{EncounterResults, FinishedEncounter, TournamentFormat};
use serde::{Deserialize, Serialize};

/// What decides between entrants with equal points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TieBreak {
    /// The points against those with equal points.
    HeadToHead,
    /// The points of all opponents.
    Buchholz,
    /// The points of beaten opponents, and half of those of opponents that drew.
    SonnebornBerger,
    /// Encounters won.
    Wins,
}

impl TieBreak {
    /// The words of contest files.
    pub const ALL: [(&str, TieBreak); 4] = [
        ("head-to-head", TieBreak::HeadToHead),
        ("buchholz", TieBreak::Buchholz),
        ("sonneborn-berger", TieBreak::SonnebornBerger),
        ("wins", TieBreak::Wins),
    ];

    /// The tie-break of this word.
    pub fn from_word(word: &str) -> Option<TieBreak> {
        let found = TieBreak::ALL.iter().find(|(known, _)| *known == word);
        found.map(|(_, one)| *one)
    }
}

/// A row of the standings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StandingRow {
    /// The player: its seed, from 0.
    pub player: usize,
    /// The place, from 1; in a knockout shared by those who left in the same stage.
    pub place: usize,
    /// Whether a knockout has gone on without it.
    pub is_out: bool,
    /// Points of matches and of rounds without an opponent.
    pub points: f64,
    /// Encounters won, drawn and lost.
    pub encounters: [u32; 3],
    /// The values of the tie-breaks, in their order.
    pub tie_breaks: Vec<f64>,
}

/// The standings, best first. `matches` is the number of matches of an encounter, which is what a
/// round without an opponent is worth. Between full equals the better seed is first.
pub fn rank_players(
    format: TournamentFormat,
    players: usize,
    matches: u32,
    results: &EncounterResults,
    tie_breaks: &[TieBreak],
) -> Vec<StandingRow> {
    let mut points = vec![0.0; players];
    let mut encounters = vec![[0; 3]; players];
    for met in results.values() {
        for side in 0..2 {
            points[met.pair[side]] += met.points[side];
            encounters[met.pair[side]][side_result(met, side)] += 1;
        }
    }
    for (player, byes) in format.count_byes(players, results).into_iter().enumerate() {
        points[player] += f64::from(byes) * f64::from(matches);
    }
    let places = format.final_places(players, results);
    let values: Vec<Vec<f64>> = (tie_breaks.iter())
        .map(|one| count_tie_break(*one, &points, &encounters, results))
        .collect();
    let row = |player: usize| StandingRow {
        player,
        place: places[player].unwrap_or(1),
        is_out: places[player].is_some_and(|place| place > 1),
        points: points[player],
        encounters: encounters[player],
        tie_breaks: values.iter().map(|values| values[player]).collect(),
    };
    let mut rows: Vec<StandingRow> = (0..players).map(row).collect();
    match format.is_knockout() {
        true => rank_knockout(&mut rows, &places),
        false => rank_by_points(&mut rows),
    }
    rows
}

fn side_result(met: &FinishedEncounter, side: usize) -> usize {
    match met.points[side].total_cmp(&met.points[1 - side]) {
        Ordering::Greater => 0,
        Ordering::Equal => 1,
        Ordering::Less => 2,
    }
}

/// The values of a tie-break, by player.
fn count_tie_break(
    one: TieBreak,
    points: &[f64],
    encounters: &[[u32; 3]],
    results: &EncounterResults,
) -> Vec<f64> {
    if one == TieBreak::Wins {
        return encounters.iter().map(|[won, ..]| f64::from(*won)).collect();
    }
    let mut values = vec![0.0; points.len()];
    for met in results.values() {
        for side in 0..2 {
            let (player, other) = (met.pair[side], met.pair[1 - side]);
            values[player] += match one {
                TieBreak::Wins => 0.0,
                TieBreak::Buchholz => points[other],
                TieBreak::SonnebornBerger => {
                    [1.0, 0.5, 0.0][side_result(met, side)] * points[other]
                }
                TieBreak::HeadToHead if points[other].total_cmp(&points[player]).is_eq() => {
                    met.points[side]
                }
                TieBreak::HeadToHead => 0.0,
            };
        }
    }
    values
}

fn rank_by_points(rows: &mut [StandingRow]) {
    rows.sort_by(|one, other| {
        let by_tie_breaks = || {
            let pairs = other.tie_breaks.iter().zip(&one.tie_breaks);
            pairs
                .map(|(other, one)| other.total_cmp(one))
                .find(|order| order.is_ne())
        };
        (other.points.total_cmp(&one.points))
            .then_with(|| by_tie_breaks().unwrap_or(Ordering::Equal))
            .then(one.player.cmp(&other.player))
    });
    for (index, row) in rows.iter_mut().enumerate() {
        row.place = index + 1;
    }
}

/// Those who are still in it first; then by place; between equals the better seed first.
fn rank_knockout(rows: &mut [StandingRow], places: &[Option<usize>]) {
    rows.sort_by_key(|row| (places[row.player].unwrap_or(0), row.player));
}
