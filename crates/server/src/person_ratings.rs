//! Ratings of people: how strong a person is on a game's rating scale, from the matches against its
//! levels and against other people whose strength is known from matches against levels. A rating is
//! computed from the stored matches each time, so corrected, withdrawn and erased ones follow by
//! themselves.

use std::collections::HashMap;

use leitai_game::{AnyGame, RatingScale};
use leitai_ladder::bradley_terry::Estimated;
use leitai_ladder::known_opponents::{RatedGames, rate_by_games};
use leitai_store::{
    Json, MatchId, MatchSide, MatchWinner, PersonOpponent, PersonResult, Store, StoreError, UserId,
};
use serde::Serialize;
use utoipa::ToSchema;

use crate::work::continuation::MatchOrigin;

/// How many matches a rating needs. A level more or less is 150 to 250 Elo; below five matches the
/// error is larger than that.
pub const FEWEST_MATCHES: usize = 5;
/// The latest matches that a rating is computed from: people get better.
pub const LATEST_MATCHES: usize = 100;
/// The latest matches that are looked at: not all count.
const LOOKED_AT: u64 = 300;
/// The other people whose own strength is looked up, the latest ones.
const MOST_PEOPLE: usize = 10;
/// Matches that may last fewer rounds say too little.
const SHORTEST: u64 = 100;
/// The options by which games set the number of rounds.
const ROUNDS: [&str; 2] = ["max_round", "rounds"];
/// The standard error of the prior, in Elo: about five matches against an opponent as strong.
const PRIOR_ERROR: f64 = 400.0;

/// How strong a person is in one game, on the scale of its levels.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, ToSchema)]
pub struct PersonRating {
    /// The rating in Elo; null while there are too few matches.
    pub value: Option<f64>,
    /// The rating's standard error, in Elo.
    pub error: Option<f64>,
    /// The matches that it is computed from, the latest, at most 100.
    pub matches: usize,
    /// How many more matches it needs before it is shown.
    pub missing: usize,
}

/// A rating after a match.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RatingAfterMatch {
    /// The rating with this match.
    pub after: PersonRating,
    /// What the match changed; `None` if there was no rating before.
    pub change: Option<f64>,
}

/// The rating of a person in a game; `None` if the game has no scale, or no match counts.
pub async fn rate_person(
    store: &Store,
    game: &dyn AnyGame,
    user: UserId,
) -> Result<Option<PersonRating>, StoreError> {
    let Some(scale) = game.rating_scale() else {
        return Ok(None);
    };
    let found = read_results(store, game, scale, user, None).await?;
    Ok((!found.is_empty()).then(|| rate_results(scale, &found)))
}

/// The rating of a person as it was after a match; `None` if the match does not count.
pub async fn rate_after_match(
    store: &Store,
    game: &dyn AnyGame,
    user: UserId,
    id: MatchId,
) -> Result<Option<RatingAfterMatch>, StoreError> {
    let Some(scale) = game.rating_scale() else {
        return Ok(None);
    };
    let found = read_results(store, game, scale, user, Some(id)).await?;
    if found.first().is_none_or(|(newest, _)| *newest != id) {
        return Ok(None);
    }
    let after = rate_results(scale, &found);
    let before = rate_results(scale, &found[1..]);
    let change = after.value.zip(before.value);
    let change = change.map(|(after, before)| after - before);
    Ok(Some(RatingAfterMatch { after, change }))
}

/// The matches that count, newest first; one more than a rating takes, for the rating before.
async fn read_results(
    store: &Store,
    game: &dyn AnyGame,
    scale: &RatingScale,
    user: UserId,
    until: Option<MatchId>,
) -> Result<Vec<(MatchId, RatedGames)>, StoreError> {
    let id = game.meta().id;
    let found = store.results_of_person(user, id, until, LOOKED_AT).await?;
    let mut people = HashMap::new();
    for one in &found {
        let PersonOpponent::Person(other) = one.opponent else {
            continue;
        };
        if people.len() < MOST_PEOPLE && !people.contains_key(&other) {
            let own = store.results_of_person(other, id, until, LOOKED_AT).await?;
            people.insert(other, rate_by_levels(scale, &own));
        }
    }
    let counting = found
        .iter()
        .filter_map(|one| Some((one.match_id, rated_games(scale, &people, one)?)));
    Ok(counting.take(LATEST_MATCHES + 1).collect())
}

/// How strong other people are; `None` for those of whom too little is known.
pub type KnownPeople = HashMap<UserId, Option<Estimated>>;

/// How strong a person is by the matches against levels alone, so that no rating depends on itself.
pub fn rate_by_levels(scale: &RatingScale, found: &[PersonResult]) -> Option<Estimated> {
    let nobody = KnownPeople::new();
    let games = found
        .iter()
        .filter_map(|one| rated_games(scale, &nobody, one));
    let games: Vec<RatedGames> = games.take(LATEST_MATCHES).collect();
    (games.len() >= FEWEST_MATCHES).then(|| rate_by_games(&games, prior_of(scale)))
}

/// The rating of a person from the games of these matches.
pub fn rate_results(scale: &RatingScale, found: &[(MatchId, RatedGames)]) -> PersonRating {
    let latest = found.iter().take(LATEST_MATCHES);
    let games: Vec<RatedGames> = latest.map(|(_, games)| *games).collect();
    let missing = FEWEST_MATCHES.saturating_sub(games.len());
    let rating = (missing == 0).then(|| rate_by_games(&games, prior_of(scale)));
    PersonRating {
        value: rating.map(|rating| rating.value),
        error: rating.map(|rating| rating.error),
        matches: games.len(),
        missing,
    }
}

/// What is believed of a person of whom nothing is known: most people are about as strong as the
/// lower levels.
pub fn prior_of(scale: &RatingScale) -> Estimated {
    let lower = scale.levels.len() * 2 / 5;
    Estimated {
        value: f64::from(scale.levels[lower].rating),
        error: PRIOR_ERROR,
    }
}

/// What a match says; `None` if it does not count: its opponent's strength is not known, it was
/// played on from a moment of another match, or it was too short.
pub fn rated_games(
    scale: &RatingScale,
    people: &KnownPeople,
    result: &PersonResult,
) -> Option<RatedGames> {
    let opponent = match &result.opponent {
        PersonOpponent::BuiltIn(name, version) => {
            let level = scale.find_level(name, u32::try_from(*version).ok()?)?;
            Estimated {
                value: f64::from(level.rating),
                error: 0.0,
            }
        }
        PersonOpponent::Person(other) => (*people.get(other)?)?,
    };
    let rounds = |key| result.config.get(key).and_then(Json::as_u64);
    let short = ROUNDS
        .into_iter()
        .any(|key| rounds(key).is_some_and(|rounds| rounds < SHORTEST));
    if short || MatchOrigin::of_limits(&result.limits).is_some() {
        return None;
    }
    let legs = match result.corrected {
        true => Vec::new(),
        false => leg_points(result),
    };
    let (games, points) = match legs.len() {
        // The winner is all that is known.
        0 => (1.0, points_of(result.winner, result.side)),
        games => (games as f64, legs.iter().sum()),
    };
    Some(RatedGames {
        opponent: opponent.value,
        error: opponent.error,
        games,
        points,
    })
}

/// The person's points in each leg.
fn leg_points(result: &PersonResult) -> Vec<f64> {
    let legs = result.leg_outcomes.as_ref().and_then(Json::as_array);
    let points = |leg: &Json| {
        let winner: MatchWinner = serde_json::from_value(leg.get("winner")?.clone()).ok()?;
        Some(points_of(winner, result.side))
    };
    legs.into_iter().flatten().filter_map(points).collect()
}

fn points_of(winner: MatchWinner, side: MatchSide) -> f64 {
    match (winner, side) {
        (MatchWinner::Draw, _) => 0.5,
        (MatchWinner::A, MatchSide::A) | (MatchWinner::B, MatchSide::B) => 1.0,
        (MatchWinner::A, MatchSide::B) | (MatchWinner::B, MatchSide::A) => 0.0,
    }
}
