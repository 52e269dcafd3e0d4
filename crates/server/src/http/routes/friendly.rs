//! Routes: friendly matches.

use axum::extract::State;
use axum::http::StatusCode;
use leitai_store::{BotId, MatchEntrant, Timestamp, VersionId};
use serde::Deserialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::http::app::App;
use crate::http::caller::SignedInUser;
use crate::http::error::{ApiError, ErrorBody};
use crate::http::extract::Json;
use crate::http::summaries::MatchSummary;
use crate::schedule::{FriendlyError, create_friendly};

/// The routes of friendly matches.
pub fn friendly_routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(create_friendly_match))
}

/// A friendly match to be created.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct FriendlyMatchRequest {
    /// The game's id.
    #[schema(example = "snakego")]
    game: String,
    /// Entrant A.
    a: ChosenBot,
    /// Entrant B.
    b: ChosenBot,
    /// The seed; random if absent.
    seed: Option<u64>,
    /// The game's config; absent keys have their defaults.
    #[serde(default)]
    #[schema(value_type = Option<Object>)]
    config: serde_json::Value,
}

/// A bot with its active version, or a specific version.
#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ChosenBot {
    /// A bot's id.
    Bot(i64),
    /// A version's id.
    Version(i64),
}

/// Creates an unrated match between two bots or versions.
#[utoipa::path(post, operation_id = "create_match",
    path = "/api/matches", tag = "matches", security(("token" = []), ("session" = [])),
    request_body = FriendlyMatchRequest,
    responses(
        (status = 201, body = MatchSummary),
        (status = 401, body = ErrorBody), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody),
        (status = 422, body = ErrorBody), (status = 429, body = ErrorBody),
    ),
)]
async fn create_friendly_match(
    State(app): State<App>,
    user: SignedInUser,
    Json(wanted): Json<FriendlyMatchRequest>,
) -> Result<(StatusCode, axum::Json<MatchSummary>), ApiError> {
    app.limiter.allow_friendly(user.id)?;
    let game = app.need_game(&wanted.game)?;
    let a = resolve_entrant(&app, game.meta().id, wanted.a, "a").await?;
    let b = resolve_entrant(&app, game.meta().id, wanted.b, "b").await?;
    let made = create_friendly(
        &app.store,
        game,
        [a, b],
        wanted.seed,
        &wanted.config,
        Timestamp::now(),
    )
    .await;
    match made {
        Ok(made) => Ok((StatusCode::CREATED, axum::Json(MatchSummary::from(&made)))),
        Err(FriendlyError::Config(why)) => {
            Err(ApiError::invalid_field("bad-config", "config", why))
        }
        Err(FriendlyError::Store(error)) => Err(error.into()),
    }
}

async fn resolve_entrant(
    app: &App,
    game: &str,
    chosen: ChosenBot,
    field: &'static str,
) -> Result<MatchEntrant, ApiError> {
    let entrant = match chosen {
        ChosenBot::Bot(id) => app.store.bot_entrant(BotId(id)).await?,
        ChosenBot::Version(id) => app.store.entrant_of_version(VersionId(id)).await?,
    };
    let plays = match entrant.bot {
        Some(bot) => app.store.find_bot(bot).await?.game,
        None => String::new(),
    };
    if plays == game {
        return Ok(entrant);
    }
    let message = format!(
        "{} plays {plays}, not {game}; choose a bot of this game",
        entrant.name
    );
    Err(ApiError::invalid_field("other-game", field, message))
}
