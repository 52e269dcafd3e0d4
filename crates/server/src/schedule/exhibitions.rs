//! Exhibitions: one of every game, while somebody is there to watch.

use leitai_game::AnyGame;
use leitai_store::{
    LadderPairing, MatchEntrant, MatchFilter, MatchId, MatchKind, MatchState, PageQuery, Store,
    StoreError, Timestamp,
};
use rand::RngExt;

use crate::ladders::LadderRules;
use crate::schedule::capacity::WorkerCapacity;
use crate::schedule::new_match::new_match;

/// Cancels the exhibitions that an earlier process of this name left behind.
pub async fn cancel_left_over(
    store: &Store,
    name: &str,
    game: &str,
    at: Timestamp,
) -> Result<(), StoreError> {
    for shown in shows_of(store, game, MatchState::Running).await? {
        let left = store.match_by_id(shown).await?;
        if left.worker.as_deref() == Some(name) {
            match store
                .cancel_match(shown, "its server was started again", at)
                .await
            {
                Ok(_) | Err(StoreError::Refused(_)) => {}
                Err(error) => return Err(error),
            }
        }
    }
    Ok(())
}

/// Whether a game has no exhibition. Cancels those that cannot continue.
pub async fn needs_exhibition(
    store: &Store,
    game: &dyn AnyGame,
    fleet: &WorkerCapacity,
    at: Timestamp,
) -> Result<bool, StoreError> {
    for state in [MatchState::Running, MatchState::Queued] {
        for shown in shows_of(store, game.meta().id, state).await? {
            if !cancel_stuck(store, shown, fleet, at).await? {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// Creates an exhibition of two bots of this ladder.
pub async fn create_exhibition(
    store: &Store,
    (game, rules): (&dyn AnyGame, &LadderRules),
    pairing: &LadderPairing,
    fleet: &WorkerCapacity,
    at: Timestamp,
) -> Result<usize, StoreError> {
    let mut entrants = Vec::new();
    for candidate in &pairing.candidates {
        match store.bot_entrant(candidate.bot).await {
            Ok(entrant) if entrant.built_in || fleet.shows_programs => {
                entrants.push((candidate.rating.shown_rating().value, entrant));
            }
            Ok(_) | Err(StoreError::Refused(_)) => {}
            Err(error) => return Err(error),
        }
    }
    let Some([a, b]) = choose_entrants(&entrants, &mut rand::rng()) else {
        return Ok(0);
    };
    let new = new_match(game, MatchKind::Exhibition, a, b);
    let new = rules.draw_match(new);
    store.create_match(new, at).await?;
    Ok(1)
}

/// Cancels an exhibition that cannot continue: its worker is gone, or no worker plays
/// exhibitions with uploads.
async fn cancel_stuck(
    store: &Store,
    id: MatchId,
    fleet: &WorkerCapacity,
    at: Timestamp,
) -> Result<bool, StoreError> {
    let shown = store.match_by_id(id).await?;
    let uploaded = [&shown.a, &shown.b]
        .into_iter()
        .flatten()
        .any(|entrant| !entrant.built_in);
    let stuck = match (shown.state, &shown.worker) {
        (MatchState::Running, Some(worker)) => !fleet.alive.contains(worker),
        (MatchState::Queued, _) => uploaded && !fleet.shows_programs,
        _ => false,
    };
    if !stuck {
        return Ok(false);
    }
    match store.cancel_match(id, "no worker continues it", at).await {
        Ok(_) | Err(StoreError::Refused(_)) => Ok(true),
        Err(error) => Err(error),
    }
}

async fn shows_of(
    store: &Store,
    game: &str,
    state: MatchState,
) -> Result<Vec<MatchId>, StoreError> {
    let (game, kind, state) = (
        Some(game.to_owned()),
        Some(MatchKind::Exhibition),
        Some(state),
    );
    let filter = MatchFilter {
        game,
        kind,
        state,
        ..MatchFilter::default()
    };
    Ok(store
        .list_matches(&filter, &PageQuery::first_page(10))
        .await?
        .items
        .into_iter()
        .map(|shown| shown.id)
        .collect())
}

/// Chooses two bots with similar ratings, strong ones more often.
pub fn choose_entrants(
    entrants: &[(f64, MatchEntrant)],
    rng: &mut impl RngExt,
) -> Option<[MatchEntrant; 2]> {
    if entrants.len() < 2 {
        return None;
    }
    let mut order: Vec<&(f64, MatchEntrant)> = entrants.iter().collect();
    order.sort_by(|one, two| two.0.total_cmp(&one.0));
    // The lower of two random numbers favours the strong: the best of n comes n times as often as
    // the worst.
    let first = rng
        .random_range(0..order.len())
        .min(rng.random_range(0..order.len()));
    let near = [
        first.checked_sub(1),
        Some(first + 1),
        first.checked_sub(2),
        Some(first + 2),
    ];
    let near: Vec<usize> = near
        .into_iter()
        .flatten()
        .filter(|at| *at < order.len())
        .take(3)
        .collect();
    let second = near[rng.random_range(0..near.len())];
    let mut pair = [order[first].1.clone(), order[second].1.clone()];
    if rng.random() {
        pair.reverse();
    }
    Some(pair)
}
