//! The ratings of a field from the pairs of legs that were played.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use leitai_ladder::bradley_terry::Estimated;
use leitai_ladder::pair_spread::{elo_interval, likelihood_of_superiority};
use leitai_ladder::{GameScore, PairTally, Results};
use leitai_series::EloUnit;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::{Value, json};

use crate::batch::check_bounded;
use crate::convert::to_python;
use crate::engine::run_tool;
use crate::whole::whole;

/// The confidence of intervals and places, as in the reports of `leitai tournament`.
const CONFIDENCE: f64 = 0.95;

/// The most players of a field: every one is compared with every other.
const MAX_PLAYERS: usize = 4096;

/// The ratings of a field, from pairs of legs: two players' numbers, and the half points (0, 1 or
/// 2) of the first in both legs. Ratings are those of `leitai tournament`; what two players did to
/// each other is told from pairs, as `leitai compare` tells it. Elo is per leg, or per match: who
/// took more of a pair has won it.
#[pyfunction]
#[pyo3(signature = (players, pairs, elo_per = "leg"))]
pub fn rate_field<'py>(
    py: Python<'py>,
    #[pyo3(from_py_with = whole)] players: usize,
    pairs: Vec<(usize, usize, Vec<usize>)>,
    elo_per: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let unit = read_unit(elo_per)?;
    check_bounded("players", players, 1, MAX_PLAYERS)?;
    let (mut field, mut legs) = (Results::new(players), Results::new(players));
    let mut met: BTreeMap<(usize, usize), PairTally> = BTreeMap::new();
    for (one, other, points) in &pairs {
        let scores = read_scores(points)?;
        if *one.max(other) >= players || one == other {
            return Err(PyValueError::new_err(format!(
                "players {one} and {other} of {players}"
            )));
        }
        let sum: u32 = scores.iter().map(|score| score.half_points()).sum();
        let score = match sum.cmp(&2) {
            Ordering::Less => GameScore::Loss,
            Ordering::Equal => GameScore::Draw,
            Ordering::Greater => GameScore::Win,
        };
        legs.add_match(*one, *other, score, &scores);
        match unit {
            EloUnit::Leg => field.add_match(*one, *other, score, &scores),
            EloUnit::Match => field.add_game(*one, *other, score),
        }
        met.entry((*one, *other)).or_default().count_pair(scores);
        let flipped = scores.map(GameScore::flip_side);
        met.entry((*other, *one)).or_default().count_pair(flipped);
    }
    let described =
        py.detach(|| run_tool("a rating", || Ok(describe_field(&field, &legs, &met, unit))))?;
    to_python(py, &described)
}

fn read_unit(elo_per: &str) -> PyResult<EloUnit> {
    match elo_per {
        "leg" => Ok(EloUnit::Leg),
        "match" => Ok(EloUnit::Match),
        other => Err(PyValueError::new_err(format!(
            "elo_per={other:?}; it is \"leg\" or \"match\""
        ))),
    }
}

fn read_scores(points: &[usize]) -> PyResult<[GameScore; 2]> {
    let scores: Vec<GameScore> = points
        .iter()
        .filter_map(|points| GameScore::ALL.get(*points).copied())
        .collect();
    scores.try_into().map_err(|_| {
        PyValueError::new_err(format!(
            "{points:?} are no half points of two legs; each is 0, 1 or 2"
        ))
    })
}

fn describe_field(
    field: &Results,
    legs: &Results,
    met: &BTreeMap<(usize, usize), PairTally>,
    unit: EloUnit,
) -> Value {
    let (fit, places) = (field.fit_ratings(), field.place_intervals(CONFIDENCE));
    let row = |player: usize| {
        let (rating, tally): (Estimated, _) = (fit.player_rating(player), legs.legs_of(player));
        json!({
            "games": tally,
            "points": tally.points(),
            "elo": rating.value,
            "elo_error": rating.error,
            "elo_interval": rating.confidence_interval(CONFIDENCE),
            "places": places[player],
        })
    };
    let against = |one: usize, other: usize| {
        let pairs = met.get(&(one, other))?;
        let counted = unit.count_pairs(pairs);
        let [elo, low, high] = elo_interval(&counted, CONFIDENCE).map(finite_or_none);
        Some(json!({
            "pairs": pairs.0,
            "elo": elo,
            "elo_interval": [low, high],
            "los": likelihood_of_superiority(&counted),
        }))
    };
    let players = 0..field.player_count();
    let line = |one: usize| -> Vec<Option<Value>> {
        players.clone().map(|other| against(one, other)).collect()
    };
    json!({
        "confidence": CONFIDENCE,
        "elo_unit": unit,
        "rows": players.clone().map(row).collect::<Vec<_>>(),
        "crosstable": players.clone().map(line).collect::<Vec<_>>(),
    })
}

/// JSON has no infinity: `None` becomes null.
fn finite_or_none(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}
