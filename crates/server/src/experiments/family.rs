//! Which of several variants is accepted, and which play on: a function of how they stand.

use leitai_store::{ExperimentId, ExperimentState};

use super::count::CountedPairs;

/// Pairs that a variant may be ahead of the slowest of its family.
const AHEAD: usize = 8;

/// How a variant stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VariantState {
    /// Its experiment.
    pub id: ExperimentId,
    /// The pairs that were counted.
    pub pairs: usize,
    /// How its own test ended; `None` while it goes on.
    pub outcome: Option<ExperimentState>,
}

impl VariantState {
    /// Of these pairs; of none if nothing was counted yet.
    pub fn of(id: ExperimentId, counted: Option<&CountedPairs>) -> VariantState {
        VariantState {
            id,
            pairs: counted.map_or(0, |counted| counted.pairs.len()),
            outcome: counted.and_then(CountedPairs::outcome),
        }
    }
}

/// What a variant does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FamilyStep {
    /// It plays at most so many pairs.
    Play(u64),
    /// It is accepted if no other variant is with fewer pairs, which is not known yet.
    Wait,
    /// It ends as its own test did.
    End,
}

/// What a variant does next beside the others that are running.
///
/// The variant that is accepted with the fewest pairs is the accepted one of its family, of two with as
/// many the one that was named first. That depends on the results alone, not on who played faster: an
/// accepted variant waits until the others have played as many pairs.
pub fn next_step(own: &VariantState, others: &[VariantState]) -> FamilyStep {
    let is_accepted = |other: &&VariantState| other.outcome == Some(ExperimentState::Accepted);
    let place = |state: &VariantState| (state.pairs, state.id);
    let first = others.iter().filter(is_accepted).map(place).min();
    let slowest = others.iter().map(|other| other.pairs).min();
    match own.outcome {
        Some(ExperimentState::Accepted) => {
            let is_first = first.is_none_or(|first| place(own) < first);
            let is_known = slowest.is_none_or(|slowest| slowest >= own.pairs);
            match is_first && is_known {
                true => FamilyStep::End,
                false => FamilyStep::Wait,
            }
        }
        Some(_) => FamilyStep::End,
        None => {
            let ahead = slowest.map_or(usize::MAX, |slowest| slowest.saturating_add(AHEAD));
            let needed = first.map_or(usize::MAX, |(pairs, _)| pairs);
            FamilyStep::Play(ahead.min(needed) as u64)
        }
    }
}
