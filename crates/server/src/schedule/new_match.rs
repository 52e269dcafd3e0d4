//! Matches that are made: with the game's config and a new seed, or as a person asks for them.

use leitai_game::{AnyGame, InvalidSetup};
use leitai_store::{
    Json, Match, MatchEntrant, MatchKind, MatchSeed, MatchTags, NewMatch, Quota, Store, StoreError,
    Timestamp, UserId,
};
use rand::RngExt;

use crate::sync::call_rules;

/// A match with the game's config and a new seed.
pub fn new_match(
    game: &dyn AnyGame,
    kind: MatchKind,
    a: MatchEntrant,
    b: MatchEntrant,
) -> NewMatch {
    let meta = game.meta();
    let seed = MatchSeed::from(random_seed());
    NewMatch {
        config: game.read_config(&Json::Null).unwrap_or(Json::Null),
        ..NewMatch::new(meta.id, kind, [Some(a), Some(b)].into(), seed, meta.legs)
    }
}

/// A seed below 2^53, which spreadsheets and scripts can hold exactly.
pub fn random_seed() -> u64 {
    rand::rng().random::<u64>() >> 11
}

/// Creates a friendly match that a person asks for, if the person's quota has room.
pub async fn create_friendly(
    store: &Store,
    game: &dyn AnyGame,
    entrants: [MatchEntrant; 2],
    (seed, config, limits, tags): (Option<u64>, &Json, Json, MatchTags),
    (by, quota): (UserId, &Quota),
    at: Timestamp,
) -> Result<Match, FriendlyError> {
    let seed = MatchSeed::from(seed.unwrap_or_else(random_seed));
    let checked = call_rules(game, || {
        let config = game.read_config(config)?;
        // Only dealing a setup shows whether the config is consistent.
        game.deal_setup(&config, seed.get())?;
        Ok(config)
    });
    let config = checked.map_err(|error: InvalidSetup| FriendlyError::Config(error.to_string()))?;
    let [a, b] = entrants;
    let new = NewMatch {
        seed,
        config,
        limits,
        tags,
        ..new_match(game, MatchKind::Friendly, a, b)
    };
    Ok(store.create_friendly(new, quota, by, at).await?)
}

/// Creates a friendly match that continues another one: with its seed and config, with these limits
/// and legs.
pub async fn create_continuation(
    store: &Store,
    game: &dyn AnyGame,
    own: &Match,
    entrants: [MatchEntrant; 2],
    (limits, legs): (Json, usize),
    (by, quota): (UserId, &Quota),
    at: Timestamp,
) -> Result<Match, StoreError> {
    let [a, b] = entrants;
    let new = NewMatch {
        seed: own.seed,
        config: own.config.clone(),
        limits,
        legs: i32::try_from(legs).unwrap_or(own.legs),
        ..new_match(game, MatchKind::Friendly, a, b)
    };
    store.create_friendly(new, quota, by, at).await
}

/// Errors of a friendly match.
#[derive(Debug, thiserror::Error)]
pub enum FriendlyError {
    /// The config is invalid.
    #[error("{0}")]
    Config(String),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}
