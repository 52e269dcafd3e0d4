//! Who beats whom, below the standings: Nash average, cycles, whom somebody cannot beat.

use leitai_ladder::payoff::{Cycle, PayoffMatrix};
use serde_json::{Value, json};

use crate::Language;
use crate::report::standings::{CONFIDENCE, Standings};
use crate::report::words;

/// The least probability of a cycle that is named.
const LEAST_CHANCE: f64 = 0.9;
/// The most cycles, and the most lines of bots that cannot beat somebody.
const MOST_LINES: usize = 10;
/// The most entrants whose pairs are listed one by one.
const MOST_LISTED: usize = 64;
/// Who has less of the Nash average is not named.
const LEAST_SHARE: f64 = 0.0005;

impl Standings {
    fn payoffs(&self) -> PayoffMatrix<'_> {
        PayoffMatrix::new(&self.cross)
    }

    fn cycles(&self) -> Vec<Cycle> {
        self.payoffs().find_cycles(LEAST_CHANCE, MOST_LINES)
    }

    /// Whom a row cannot beat, for the rows where there is somebody.
    fn unbeaten(&self) -> impl Iterator<Item = (&str, Vec<&str>)> {
        let name = |row: usize| self.rows[row].name.as_str();
        let all = (0..self.rows.len()).map(move |row| {
            let above = self.payoffs().unbeaten_by(row, CONFIDENCE);
            (name(row), above.into_iter().map(name).collect::<Vec<_>>())
        });
        all.filter(|(_, above)| !above.is_empty())
    }

    /// Who beats whom, in lines; empty for two entrants, whose table says it.
    pub fn describe_payoffs(&self, language: Language<'_>) -> Vec<String> {
        let has_met = |row: &Vec<_>| row.iter().any(|tally| *tally != Default::default());
        if self.rows.len() < 3 || !self.cross.iter().any(has_met) {
            return Vec::new();
        }
        let name = |row: usize| self.rows[row].name.as_str();
        let shares = self.payoffs().nash_average(&[]).shares;
        let mut shares: Vec<(usize, f64)> = shares.into_iter().enumerate().collect();
        shares.retain(|(_, share)| *share >= LEAST_SHARE);
        shares.sort_by(|one, other| other.1.total_cmp(&one.1));
        let shares: Vec<String> = (shares.iter().take(MOST_LINES))
            .map(|(row, share)| format!("{} {}", name(*row), words::format_percent(*share)))
            .collect();
        let shares = shares.join(language.label(", "));
        let mut lines = vec![language.fill("Nash average: {}", &[&shares])];
        lines.extend(self.cycles().iter().map(|cycle| {
            let [one, two, three] = cycle.players.map(name);
            let chance = words::format_chance(cycle.chance);
            language.fill(
                "cycle: {} > {} > {} > {} ({})",
                &[&one, &two, &three, &one, &chance],
            )
        }));
        let unbeaten = self.unbeaten().take(MOST_LINES);
        lines.extend(unbeaten.map(|(name, above)| {
            let above = above.join(language.label(", "));
            language.fill("{} cannot beat {}", &[&name, &above])
        }));
        lines
    }

    /// Who beats whom, for programs: rows and columns in the order of the standings.
    pub(super) fn payoffs_json(&self) -> Value {
        let payoffs = self.payoffs();
        let size = self.rows.len();
        let cells = (size <= MOST_LISTED).then(|| {
            let cell = |row: usize, column: usize| {
                let payoff = payoffs.payoff(row, column, CONFIDENCE)?;
                Some(json!({
                    "share": payoff.share, "interval": payoff.interval, "chance": payoff.chance,
                }))
            };
            let line = |row| {
                (0..size)
                    .map(|column| cell(row, column))
                    .collect::<Vec<_>>()
            };
            (0..size).map(line).collect::<Vec<_>>()
        });
        let name = |row: usize| self.rows[row].name.as_str();
        let average = payoffs.nash_average(&[]);
        let parts = average.shares.iter().zip(&average.skills).enumerate();
        let part = |(row, (share, skill)): (usize, (&f64, &f64))| json!({"name": name(row), "share": share, "skill": skill});
        let cycle =
            |cycle: &Cycle| json!({"names": cycle.players.map(name), "chance": cycle.chance});
        let unbeaten = |(name, above): (&str, Vec<&str>)| json!({"name": name, "above": above});
        json!({
            "cells": cells,
            "nash": parts.map(part).collect::<Vec<_>>(),
            "cycles": self.cycles().iter().map(cycle).collect::<Vec<_>>(),
            "cannot_beat": self.unbeaten().map(unbeaten).collect::<Vec<_>>(),
        })
    }
}
