//! What is taken out of replays before others read them.

use leitai_game::{Entrant, Replay};
use leitai_store::Match;

/// A bot or account that was deleted since has another name in the match than in its replay, and
/// nothing of what it wrote is left.
pub fn name_entrants(replay: &mut Replay, own: &Match) {
    for (entrant, now) in Entrant::BOTH.into_iter().zip([&own.a, &own.b]) {
        let Some(gone) = now.as_ref().filter(|now| now.is_deleted()) else {
            continue;
        };
        replay.entrants[entrant].name.clone_from(&gone.name);
        strip_private(replay, |other| other != entrant);
    }
}

/// Takes out of a replay what only its author may read, for the entrants whose author it is not
/// for.
pub fn strip_private(replay: &mut Replay, is_own: impl Fn(Entrant) -> bool) {
    for leg in &mut replay.legs {
        leg.logs.retain(|log| is_own(log.entrant));
        for fault in leg.faults.iter_mut().filter(|fault| !is_own(fault.entrant)) {
            fault.last_words.clear();
            fault.received = None;
        }
    }
}
