//! The match of a place of an experiment, and its end without a result.

use leitai_game::AnyGame;
use leitai_series::pair::order_players;
use leitai_store::{
    Experiment, ExperimentState, Json, MatchEntrant, MatchKind, MatchSeed, NewMatch, PairPlace,
    Store, StoreError, Timestamp,
};

use super::count::OTHER_SIDE;
use crate::work::books::limits_with_book;

/// Ends an experiment without a result, in this state and for this reason; returns one if it ran.
pub async fn end_because(
    store: &Store,
    own: &Experiment,
    (state, why): (ExperimentState, String),
    at: Timestamp,
) -> Result<usize, StoreError> {
    let ended = store.end_experiment(own.id, state, Some(why), at).await?;
    Ok(usize::from(ended.is_some()))
}

/// The match of a place.
pub fn match_of(
    game: &dyn AnyGame,
    own: &Experiment,
    place: PairPlace,
    seed: u64,
    players: [&MatchEntrant; 2],
) -> NewMatch {
    let other_leg = place.part % OTHER_SIDE != 0;
    let [mut a, mut b] = order_players(u64::from(place.pair.unsigned_abs()), [0, 1]);
    if other_leg {
        (a, b) = (b, a);
    }
    // The position of a book brings its config along.
    let (config, limits) = match (&own.config, &own.book) {
        (_, Some(book)) => (Json::Object(Default::default()), limits_with_book(book)),
        (Json::Null, None) => {
            let usual = game.read_config(&Json::Null);
            (usual.unwrap_or(Json::Null), Json::Null)
        }
        (config, None) => (config.clone(), Json::Null),
    };
    let both = [a, b].map(|player| Some(players[player].clone()));
    let legs = if other_leg { 1 } else { 2 };
    NewMatch {
        config,
        limits,
        ..NewMatch::new(
            &own.game,
            MatchKind::Experiment,
            both.into(),
            MatchSeed::from(seed),
            legs,
        )
    }
}
