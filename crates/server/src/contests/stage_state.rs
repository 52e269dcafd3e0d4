//! The state of a stage, derived from rows.

use std::collections::{BTreeMap, HashMap};

use leitai_contest::file::Contest as Rules;
use leitai_contest::progress::{
    EncounterText, MatchPlace, MatchPoints, StageProgress, derive_stage,
};
use leitai_ladder::tournament::EncounterKey;
use leitai_store::{
    ContestEntry, ContestStage, EntryId, MatchState, MatchWinner, PlayedContestMatch,
};

/// A match that ended this often by an infrastructure error is counted as drawn.
pub const ATTEMPTS: usize = 3;

/// The state of a stage, derived from rows.
#[derive(Debug)]
pub struct StageState {
    /// The entries, by seed.
    pub seeds: Vec<EntryId>,
    /// What was played and is to be played; players are seeds.
    pub progress: StageProgress,
    /// Who has left, by seed.
    pub absent: Vec<bool>,
    /// The results that count.
    pub results: BTreeMap<MatchPlace, Vec<MatchPoints>>,
    /// By place and pair: how often it was begun, and whether it waits or runs.
    pub(super) attempts: HashMap<(MatchPlace, [usize; 2]), (i32, bool)>,
    /// Matches that wait or run.
    pub(super) open: usize,
}

impl StageState {
    /// The state of a stage; `None` if the file has no such stage.
    pub fn derive(
        rules: &Rules,
        stage: &ContestStage,
        entries: &[ContestEntry],
        played: &[PlayedContestMatch],
    ) -> Option<StageState> {
        let own = rules.stages.get(usize::try_from(stage.stage).ok()?)?;
        let seeds = stage.seeded_entries();
        let absent: Vec<bool> = seeds
            .iter()
            .map(|seed| {
                let entry = entries.iter().find(|entry| entry.id == *seed);
                entry.is_none_or(|entry| entry.left.is_some())
            })
            .collect();
        let by_entry: HashMap<EntryId, usize> = seeds.iter().copied().zip(0..).collect();
        let (mut attempts, mut voids) = (HashMap::new(), HashMap::new());
        let mut results: BTreeMap<MatchPlace, Vec<MatchPoints>> = BTreeMap::new();
        let mut open = 0;
        for row in played {
            let (Some(one), Some(other), Some(key), Ok(number)) = (
                by_entry.get(&row.one),
                by_entry.get(&row.other),
                EncounterKey::from_text(&row.place),
                u32::try_from(row.number),
            ) else {
                continue;
            };
            let (place, pair) = ((key, number), [*one, *other]);
            let is_open = !row.state.is_over();
            open += usize::from(is_open);
            let (next, waits) = attempts.entry((place, pair)).or_insert((0, false));
            *next = (*next).max(row.attempt + 1);
            *waits |= is_open;
            if row.taken_back.is_some() {
                continue;
            }
            let void = voids.entry((place, pair)).or_insert(0_usize);
            *void += usize::from(row.state == MatchState::Void);
            let points = match row.state {
                MatchState::Finished => match_points(row),
                MatchState::Void if *void == ATTEMPTS => [0.5, 0.5],
                _ => continue,
            };
            results
                .entry(place)
                .or_default()
                .push(MatchPoints { pair, points });
        }
        let progress = derive_stage(own, seeds.len(), &absent, &results);
        Some(StageState {
            seeds,
            progress,
            absent,
            results,
            attempts,
            open,
        })
    }

    /// The places of the entries, best first.
    pub(super) fn places(&self) -> Vec<(EntryId, i32)> {
        let placed = self.progress.standings.iter().filter_map(|row| {
            let entry = self.seeds.get(row.player)?;
            Some((*entry, i32::try_from(row.place).ok()?))
        });
        placed.collect()
    }
}

/// The points of a finished match, in the order of the encounter.
fn match_points(row: &PlayedContestMatch) -> [f64; 2] {
    let is_swapped = row.number % 2 == 1;
    match (row.winner, is_swapped) {
        (Some(MatchWinner::A), false) | (Some(MatchWinner::B), true) => [1.0, 0.0],
        (Some(MatchWinner::B), false) | (Some(MatchWinner::A), true) => [0.0, 1.0],
        (Some(MatchWinner::Draw) | None, _) => [0.5, 0.5],
    }
}
