//! Where a leg slipped away by many small steps: the shortest stretch of rounds in which most of the
//! value went.

use serde::Serialize;

use crate::decision::{Decision, write_probability};

/// Values this far to both sides are looked at together: a single one has the noise of a search.
const SMOOTH: usize = 2;
/// The share of the whole loss of value that the stretch holds.
const SHARE: f64 = 0.6;
/// A smaller loss of value is no slip.
const LEAST: f64 = 0.15;

/// A stretch of a leg in which a side lost most of its value.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Slip {
    /// Its first round.
    pub from_round: u32,
    /// Its last round.
    pub to_round: u32,
    /// The probability to win at its beginning.
    #[serde(serialize_with = "write_probability")]
    pub from: f64,
    /// The probability to win at its end.
    #[serde(serialize_with = "write_probability")]
    pub to: f64,
    /// The decisions of the side in it.
    pub steps: usize,
}

/// The slip of a side that made these decisions.
pub(crate) fn find_slip(own: &[(usize, &Decision)]) -> Option<Slip> {
    let values: Vec<f64> = own.iter().map(|(_, one)| one.true_before()).collect();
    let (from, to) = find_stretch(&smooth(&values))?;
    let smoothed = smooth(&values);
    Some(Slip {
        from_round: own[from].1.round,
        to_round: own[to].1.round,
        from: smoothed[from],
        to: smoothed[to],
        steps: to - from,
    })
}

/// The median of every value and its neighbours.
fn smooth(values: &[f64]) -> Vec<f64> {
    let median = |at: usize| {
        let end = values.len().min(at + SMOOTH + 1);
        let mut near = values[at.saturating_sub(SMOOTH)..end].to_vec();
        near.sort_by(f64::total_cmp);
        near[near.len() / 2]
    };
    (0..values.len()).map(median).collect()
}

/// The shortest stretch in which [`SHARE`] of the largest fall lies.
fn find_stretch(values: &[f64]) -> Option<(usize, usize)> {
    let (mut high, mut fall) = (f64::MIN, 0.0f64);
    for value in values {
        high = high.max(*value);
        fall = fall.max(high - value);
    }
    if fall < LEAST {
        return None;
    }
    let wanted = fall * SHARE;
    let mut best: Option<(usize, usize)> = None;
    // Beginnings that may still be the latest with their height: heights fall from front to back.
    let mut tops: Vec<usize> = Vec::new();
    for (end, value) in values.iter().enumerate() {
        while tops.last().is_some_and(|top| values[*top] <= *value) {
            tops.pop();
        }
        let high_enough = tops.partition_point(|top| values[*top] - value >= wanted);
        if let Some(begin) = high_enough.checked_sub(1).map(|at| tops[at])
            && best.is_none_or(|(from, to)| end - begin < to - from)
        {
            best = Some((begin, end));
        }
        tops.push(end);
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shortest_stretch_with_most_of_the_fall_is_found() {
        let check = |values: &[f64], found| assert_eq!(find_stretch(values), found, "{values:?}");
        check(&[], None);
        check(&[0.5; 9], None);
        check(&[0.5, 0.45, 0.48, 0.4], None);
        check(&[0.5, 0.5, 0.4, 0.3, 0.2, 0.2, 0.1], Some((1, 4)));
        check(&[0.3, 0.6, 0.5, 0.4, 0.1, 0.0], Some((2, 4)));
        check(&[0.5, 0.7, 0.1, 0.1], Some((1, 2)));
    }
}
