//! What of a match the caller may see, and which entrants are the caller's.

use leitai_game::{ByEntrant, Entrant};
use leitai_store::{Match, MatchId, MatchKind, StoreError, Timestamp};

use crate::bots::routes::access::owns_entrant;
use crate::contests::routes::access::{HiddenParts, hidden_from};
use crate::http::app::App;
use crate::http::caller::Caller;
use crate::http::error::{ApiError, Result};

/// What a contest hides of a match from the caller; of an experiment everything from all but the
/// people of its bots.
pub async fn hidden_of(app: &App, own: &Match, caller: &Caller) -> Result<HiddenParts> {
    if caller.is_admin() {
        return Ok(HiddenParts::default());
    }
    match own.kind {
        MatchKind::Contest => {}
        MatchKind::Experiment => {
            let yours = own_entrants(app, caller, own).await?;
            return Ok(match side_of(&yours) {
                Some(_) => HiddenParts::default(),
                None => HiddenParts::EVERYTHING,
            });
        }
        _ => return Ok(HiddenParts::default()),
    }
    let contests = app.store.contests_of_matches(&[own.id]).await?;
    match contests.first() {
        Some((_, contest)) => Ok(hidden_from(app, caller.user(), contest, Timestamp::now()).await?),
        None => Ok(HiddenParts::default()),
    }
}

/// The error for a match that a contest hides from the caller, or its replay.
pub fn refuse_hidden(id: MatchId, hidden: HiddenParts) -> ApiError {
    match hidden.existence {
        true => StoreError::row_missing("match", id).into(),
        false => hidden_replay(id),
    }
}

/// The entrant that belongs to the caller, the first one if both do.
pub fn side_of(own: &ByEntrant<bool>) -> Option<Entrant> {
    match (own[Entrant::A], own[Entrant::B]) {
        (true, _) => Some(Entrant::A),
        (false, true) => Some(Entrant::B),
        (false, false) => None,
    }
}

/// The error for a replay that a contest hides.
fn hidden_replay(id: MatchId) -> ApiError {
    let message = format!("match {id} belongs to a contest that does not show its matches yet");
    ApiError::forbidden("contest-hidden", message)
}

/// Which entrants belong to the caller.
pub async fn own_entrants(app: &App, caller: &Caller, own: &Match) -> Result<ByEntrant<bool>> {
    let user = caller.user_id();
    Ok(ByEntrant::new(
        owns_entrant(app, user, own.a.as_ref()).await?,
        owns_entrant(app, user, own.b.as_ref()).await?,
    ))
}
