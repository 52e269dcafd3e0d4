//! Routes: what everyone may know about a person with an account.

use leitai_store::{MatchEntrantKind, MatchId, MatchSide, PersonTally, User};

use crate::bots::routes::{BotDetails, bot_details};
use crate::http::prelude::*;
use crate::person_ratings::{PersonRating, rate_after_match, rate_person};

/// The most bots of a profile, the newest.
const MOST_BOTS: usize = 50;

/// Routes of profiles.
pub fn people_routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(show_profile))
        .routes(routes!(show_match_rating))
}

/// What everyone may know about a person.
#[derive(Debug, Serialize, ToSchema)]
struct Profile {
    /// The name as the person wrote it.
    name: String,
    /// When the account was opened.
    #[schema(value_type = String, format = DateTime)]
    created: Timestamp,
    /// The person's bots, newest first, at most 50.
    bots: Vec<BotDetails>,
    /// What the person has won, drawn and lost as a player, by game.
    played: Vec<PlayedGame>,
    /// Whether programs of the person have played from the person's machine.
    at_home: bool,
}

/// What a person has won, drawn and lost in one game.
#[derive(Debug, Serialize, ToSchema)]
struct PlayedGame {
    /// The game's id.
    game: String,
    wins: i64,
    draws: i64,
    losses: i64,
    /// How strong the person is; null without a match that counts.
    rating: Option<PersonRating>,
}

/// What a match did to the rating of the person who played it.
#[derive(Debug, Serialize, ToSchema)]
struct MatchRating {
    /// The person.
    name: String,
    /// The rating after the match.
    rating: PersonRating,
    /// By how much the match changed it, in Elo; null if there was no rating before.
    change: Option<f64>,
}

/// A person's public profile. Locked accounts have none.
#[utoipa::path(get, operation_id = "get_profile",
    path = "/api/users/{name}", tag = "bots",
    params(("name" = String, Path, description = "the name, in any case", max_length = 100)),
    responses((status = 200, body = Profile)))]
async fn show_profile(app: App, Path(name): Path<String>, headers: HeaderMap) -> Result<Response> {
    let user = find_person(&app, &name).await?;
    let make = profile_of(&app, &user);
    let key = format!("profile {}", user.id);
    app.responses.get(key, &headers, make).await
}

/// The person of this name, in any case. Locked accounts are not found.
pub async fn find_person(app: &App, name: &str) -> Result<User> {
    let user = app.store.user_by_name(name).await?;
    let user = user.filter(|user| !user.disabled);
    user.ok_or_else(|| ApiError::not_found("there is no player with this name; check the spelling"))
}

async fn profile_of(app: &App, user: &User) -> Result<Profile> {
    // As a stranger sees them, because the answer is kept for everyone.
    let stranger = Caller(None);
    let mut bots = Vec::new();
    let own = app.store.bots_of(user.id).await?;
    for bot in own.into_iter().take(MOST_BOTS) {
        bots.push(bot_details(app, bot, &stranger).await?);
    }
    let mut played = Vec::new();
    for tally in app.store.tallies_of(user.id).await? {
        played.push(played_game(app, user, tally).await?);
    }
    Ok(Profile {
        name: user.name.clone(),
        created: user.created,
        bots,
        played,
        at_home: app.store.has_home_matches(user.id).await?,
    })
}

async fn played_game(app: &App, user: &User, tally: PersonTally) -> Result<PlayedGame> {
    let rating = match app.find_game(&tally.game) {
        Some(game) => rate_person(&app.store, &*game, user.id).await?,
        None => None,
    };
    Ok(PlayedGame {
        game: tally.game,
        wins: tally.wins,
        draws: tally.draws,
        losses: tally.losses,
        rating,
    })
}

/// Whose rating is asked for.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct RatedSide {
    /// The side of the person, `a` or `b`; the first person of the match if it is left out.
    #[param(value_type = Option<String>)]
    side: Option<MatchSide>,
}

/// The rating of a person who played a match, as it was after the match; `404` if the match counts for
/// no rating.
#[utoipa::path(get, operation_id = "get_match_rating",
    path = "/api/matches/{id}/rating", tag = "matches",
    params(("id" = i64, Path, description = "the match"), RatedSide), responses((status = 200, body = MatchRating)))]
async fn show_match_rating(
    app: App,
    Path(id): Path<i64>,
    Query(asked): Query<RatedSide>,
) -> Answer<MatchRating> {
    let nobody = || ApiError::not_found("this match counts for no rating of a person");
    let found = app.store.match_by_id(MatchId(id)).await?;
    let game = app.find_game(&found.game).ok_or_else(nobody)?;
    let entrants = match asked.side {
        Some(MatchSide::A) => [&found.a, &None],
        Some(MatchSide::B) => [&found.b, &None],
        None => [&found.a, &found.b],
    };
    let people = entrants.into_iter().flatten();
    let person =
        people.filter(|entrant| entrant.kind == MatchEntrantKind::Person && entrant.home.is_none());
    let user = person.filter_map(|entrant| entrant.user).next();
    let user = app.store.find_user(user.ok_or_else(nobody)?).await?;
    if user.disabled {
        return Err(nobody());
    }
    let rated = rate_after_match(&app.store, &*game, user.id, found.id).await?;
    let rated = rated.ok_or_else(nobody)?;
    Ok(Json(MatchRating {
        name: user.name,
        rating: rated.after,
        change: rated.change,
    }))
}
