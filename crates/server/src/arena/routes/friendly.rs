//! Routes: matches that somebody asks for.

use axum::extract::State;
use axum::http::StatusCode;
use leitai_store::{BotId, Entrant, Timestamp, VersionId};
use serde::Deserialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::api::brief::MatchBrief;
use crate::api::extract::Json;
use crate::app::App;
use crate::arena::schedule::{FriendlyError, friendly};
use crate::auth::caller::User;
use crate::error::{ApiError, ErrorBody};

/// The routes of friendly matches.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(create))
}

/// A match that somebody wants to see.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = MatchWanted)]
pub struct Wanted {
    /// The game's id.
    #[schema(example = "snakego")]
    game: String,
    /// The entrant named first.
    a: Chosen,
    /// The other.
    b: Chosen,
    /// Where the chance comes from; any if it is left out.
    seed: Option<u64>,
    /// The game's choices; the usual ones if they are left out.
    #[serde(default)]
    #[schema(value_type = Option<Object>)]
    config: serde_json::Value,
}

/// A bot, with the version that plays on the ladder, or a certain version.
#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Chosen {
    /// A bot's id.
    Bot(i64),
    /// A version's id.
    Version(i64),
}

/// Asks for an unrated match between two bots or versions.
#[utoipa::path(post, operation_id = "create_match",
    path = "/api/matches", tag = "matches", security(("token" = []), ("session" = [])),
    request_body = Wanted,
    responses(
        (status = 201, body = MatchBrief),
        (status = 401, body = ErrorBody), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody),
        (status = 422, body = ErrorBody), (status = 429, body = ErrorBody),
    ),
)]
async fn create(
    State(app): State<App>,
    user: User,
    Json(wanted): Json<Wanted>,
) -> Result<(StatusCode, axum::Json<MatchBrief>), ApiError> {
    app.limiter.friendly(user.id)?;
    let game = app.need_game(&wanted.game)?;
    let a = entrant(&app, game.meta().id, wanted.a, "a").await?;
    let b = entrant(&app, game.meta().id, wanted.b, "b").await?;
    let made = friendly(&app.store, game, [a, b], wanted.seed, &wanted.config, Timestamp::now()).await;
    match made {
        Ok(made) => Ok((StatusCode::CREATED, axum::Json(MatchBrief::from(&made)))),
        Err(FriendlyError::Config(why)) => Err(ApiError::field("bad-config", "config", why)),
        Err(FriendlyError::Store(error)) => Err(error.into()),
    }
}

async fn entrant(app: &App, game: &str, chosen: Chosen, field: &'static str) -> Result<Entrant, ApiError> {
    let entrant = match chosen {
        Chosen::Bot(id) => app.store.entrant(BotId(id)).await?,
        Chosen::Version(id) => app.store.entrant_of_version(VersionId(id)).await?,
    };
    let plays = match entrant.bot {
        Some(bot) => app.store.bot(bot).await?.game,
        None => String::new(),
    };
    if plays == game {
        return Ok(entrant);
    }
    let message = format!("{} plays {plays}, not {game}; choose a bot of this game", entrant.name);
    Err(ApiError::field("other-game", field, message))
}
