//! The legs of a batch on several threads: the calling one and its helpers.
//!
//! Every thread has a stretch of the legs, the same in every step, so that they stay in its core's
//! memory. Whoever is done takes from the ends of the others' stretches, so that a helper that wakes late
//! finds little left.

use std::sync::{Mutex, PoisonError};

use rayon::ThreadPool;

use super::commands::{BatchFailure, LegCommand};
use super::range::LegRange;
use super::rules::BatchRules;

/// The most legs that a thread takes at once.
const MOST: usize = 16;
/// Into how many parts at least a stretch is cut.
const PARTS: usize = 4;

/// A stretch of legs of which threads take parts.
struct Stretch<'a> {
    rest: Mutex<Option<LegRange<'a>>>,
    /// The legs of a part.
    part: usize,
}

impl<'a> Stretch<'a> {
    fn new(legs: LegRange<'a>) -> Stretch<'a> {
        let part = legs.envs.len().div_ceil(PARTS).min(MOST);
        Stretch {
            rest: Mutex::new(Some(legs)),
            part,
        }
    }

    /// Takes a part of what is left: from the front whose stretch it is, others from the back.
    fn take(&self, is_own: bool) -> Option<LegRange<'a>> {
        let mut rest = self.rest.lock().unwrap_or_else(PoisonError::into_inner);
        let legs = rest.take()?;
        let count = legs.envs.len();
        if count <= self.part {
            return Some(legs);
        }
        let (front, back) = legs.split(if is_own { self.part } else { count - self.part });
        let (part, left) = if is_own { (front, back) } else { (back, front) };
        *rest = Some(left);
        Some(part)
    }
}

/// Does it on all legs. Of several failures it tells that of the first leg.
pub fn act_together<'a>(
    rules: &BatchRules,
    mut legs: LegRange<'_>,
    order: &(impl Fn(usize) -> LegCommand<'a> + Sync),
    helpers: &ThreadPool,
) -> Result<(), BatchFailure> {
    let threads = helpers.current_num_threads() + 1;
    let mut stretches = Vec::with_capacity(threads);
    for left in (1..=threads).rev() {
        let share = legs.envs.len() / left;
        let (own, rest) = legs.split(share);
        stretches.push(Stretch::new(own));
        legs = rest;
    }
    let failure = Mutex::new(None::<(usize, BatchFailure)>);
    let act = |own: usize| {
        for at in (0..threads).map(|later| (own + later) % threads) {
            while let Some(part) = stretches[at].take(at == own) {
                if let Err(failed) = rules.act_on(part, order) {
                    let mut first = failure.lock().unwrap_or_else(PoisonError::into_inner);
                    if first.as_ref().is_none_or(|(number, _)| failed.0 < *number) {
                        *first = Some(failed);
                    }
                }
            }
        }
    };
    helpers.in_place_scope(|scope| {
        scope.spawn_broadcast(|_, helper| act(1 + helper.index()));
        act(0);
    });
    let failure = failure.into_inner().unwrap_or_else(PoisonError::into_inner);
    failure.map_or(Ok(()), |(_, why)| Err(why))
}
