//! Routes: what everyone may know about a person with an account.

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use leitai_store::{PersonTally, Timestamp, User};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::http::app::App;
use crate::http::caller::Caller;
use crate::http::error::{ApiError, ErrorBody};
use crate::http::extract::Path;
use crate::http::routes::bots::{BotDetails, bot_details};

/// The most bots of a profile, the newest.
const MOST_BOTS: usize = 50;

/// Routes of profiles.
pub fn people_routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(show_profile))
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
}

/// What a person has won, drawn and lost in one game.
#[derive(Debug, Serialize, ToSchema)]
struct PlayedGame {
    /// The game's id.
    game: String,
    wins: i64,
    draws: i64,
    losses: i64,
}

impl From<PersonTally> for PlayedGame {
    fn from(tally: PersonTally) -> PlayedGame {
        PlayedGame {
            game: tally.game,
            wins: tally.wins,
            draws: tally.draws,
            losses: tally.losses,
        }
    }
}

/// A person's public profile. Locked accounts have none.
#[utoipa::path(get, operation_id = "get_profile",
    path = "/api/users/{name}", tag = "bots",
    params(("name" = String, Path, description = "the name, in any case", max_length = 100)),
    responses((status = 200, body = Profile), (status = 404, body = ErrorBody)))]
async fn show_profile(
    State(app): State<App>,
    Path(name): Path<String>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let user = find_person(&app, &name).await?;
    let make = profile_of(&app, &user);
    let key = format!("profile {}", user.id);
    app.responses.get(key, &headers, make).await
}

/// The person of this name, in any case. Locked accounts are not found.
pub async fn find_person(app: &App, name: &str) -> Result<User, ApiError> {
    let user = app.store.user_by_name(name).await?;
    let user = user.filter(|user| !user.disabled);
    user.ok_or_else(|| ApiError::not_found("there is no person of this name"))
}

async fn profile_of(app: &App, user: &User) -> Result<Profile, ApiError> {
    // As a stranger sees them, because the answer is kept for everyone.
    let stranger = Caller(None);
    let mut bots = Vec::new();
    let own = app.store.bots_of(user.id).await?;
    for bot in own.into_iter().take(MOST_BOTS) {
        bots.push(bot_details(app, bot, &stranger).await?);
    }
    let played = app.store.tallies_of(user.id).await?;
    Ok(Profile {
        name: user.name.clone(),
        created: user.created,
        bots,
        played: played.into_iter().map(PlayedGame::from).collect(),
    })
}
