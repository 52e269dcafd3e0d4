//! Removes private data from replays before others read them.

use leitai_game::{Entrant, Replay};
use leitai_store::Match;

/// Replaces the names of deleted entrants in a replay by those of the match, and removes everything
/// that they wrote.
pub fn name_entrants(replay: &mut Replay, own: &Match) {
    for (entrant, now) in Entrant::BOTH.into_iter().zip([&own.a, &own.b]) {
        let Some(gone) = now.as_ref().filter(|now| now.is_deleted()) else {
            continue;
        };
        replay.entrants[entrant].name.clone_from(&gone.name);
        strip_private(replay, |other| other != entrant);
    }
}

/// Removes what only its author may read, for the entrants that do not belong to the reader.
pub fn strip_private(replay: &mut Replay, is_own: impl Fn(Entrant) -> bool) {
    for leg in &mut replay.legs {
        leg.logs.retain(|log| is_own(log.entrant));
        for fault in leg.faults.iter_mut().filter(|fault| !is_own(fault.entrant)) {
            fault.last_words.clear();
            fault.received = None;
        }
    }
}
