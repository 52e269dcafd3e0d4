//! Routes: friendly matches.

use leitai_judge::ResumePoint;
use leitai_store::{MatchEntrant, MatchId};

use crate::bots::routes::access::owns_entrant;
use crate::http::chosen_bot::EntrantChoice;
use crate::http::prelude::*;
use crate::http::quotas::allow_friendly;
use crate::http::routes::match_tags::read_tags;
use crate::http::routes::matches;
use crate::http::summaries::MatchSummary;
use crate::match_limits::MatchLimits;
use crate::schedule::{FriendlyError, create_continuation, create_friendly};
use crate::work::books::book_of;
use crate::work::continuation::MatchOrigin;
use crate::work::limits::check_limits;

/// The routes of friendly matches.
pub fn friendly_routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(create_friendly_match))
        .routes(routes!(continue_match))
}

/// A friendly match to be created.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct FriendlyMatchRequest {
    /// The game's id.
    #[schema(example = "snakego")]
    game: String,
    /// Entrant A.
    a: EntrantChoice,
    /// Entrant B.
    b: EntrantChoice,
    /// The seed; random if absent.
    seed: Option<u64>,
    /// The game's config; absent keys have their defaults.
    #[serde(default)]
    #[schema(value_type = Option<Object>)]
    config: serde_json::Value,
    /// The limit of a turn in milliseconds, from 10 to the game's own, which it is if absent.
    period_ms: Option<u64>,
    /// A time bank for each leg in milliseconds, from 10 to 3600000: spent time comes off it, and a
    /// program that has used it up loses.
    bank_ms: Option<u64>,
    /// What every turn adds to the time bank, in milliseconds.
    increment_ms: Option<u64>,
    /// How much later than the limit of its turn a program may answer, in milliseconds, for a strike; with
    /// `strikes`.
    grace_ms: Option<u64>,
    /// The strikes that a program may have in a leg, from 1 to 1000; then it loses by the next late answer.
    strikes: Option<u32>,
    /// Whether a program keeps up to 1 MiB between the legs.
    #[serde(default)]
    keeps: bool,
    /// Its tags; see `PUT /api/matches/{id}/tags`.
    #[serde(default)]
    #[schema(max_items = 8)]
    tags: Vec<String>,
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
    app: App,
    user: SignedInUser,
    Json(wanted): Json<FriendlyMatchRequest>,
) -> Result<(StatusCode, Json<MatchSummary>)> {
    allow_friendly(&app, user.id).await?;
    let game = app.need_game(&wanted.game)?;
    let a = wanted.a.find(&app, &user, &*game, "a").await?;
    let b = wanted.b.find(&app, &user, &*game, "b").await?;
    let tags = read_tags(&wanted.tags)?;
    let asked = MatchLimits {
        period_ms: wanted.period_ms,
        bank_ms: wanted.bank_ms,
        increment_ms: wanted.increment_ms,
        grace_ms: wanted.grace_ms,
        strikes: wanted.strikes,
        keeps: wanted.keeps,
    };
    let limits = check_limits(&*game, asked)
        .map_err(|(key, why)| ApiError::invalid_field("bad-limit", key, why))?
        .to_json();
    let made = create_friendly(
        &app.store,
        &*game,
        [a, b],
        (wanted.seed, &wanted.config, limits, tags.clone()),
        (user.id, &app.options.account_quota()),
        Timestamp::now(),
    )
    .await;
    match made {
        Ok(made) => {
            let mut brief = MatchSummary::from(&made);
            brief.tags = tags.words().to_vec();
            Ok((StatusCode::CREATED, Json(brief)))
        }
        Err(FriendlyError::Config(why)) => {
            Err(ApiError::invalid_field("bad-config", "config", why))
        }
        Err(FriendlyError::Store(error)) => Err(error.into()),
    }
}

/// The moment from which a match is continued.
#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ContinuationRequest {
    /// The leg, from 1.
    leg: usize,
    /// The first round that is played by the programs; the replies before it are those of the
    /// recorded match.
    round: u32,
}

/// Plays on from a moment of a finished match, with the same versions of both bots. The match is not
/// rated. Each program is asked from the start of the leg; its log says where it answers otherwise
/// than in the recorded match. Only the author of one of the bots may ask for it.
#[utoipa::path(post, operation_id = "continue_match",
    path = "/api/matches/{id}/continue", tag = "matches", security(("token" = []), ("session" = [])),
    params(("id" = i64, Path)), request_body = ContinuationRequest,
    responses(
        (status = 201, body = MatchSummary),
        (status = 401, body = ErrorBody), (status = 403, body = ErrorBody), (status = 404, body = ErrorBody),
        (status = 409, body = ErrorBody), (status = 422, body = ErrorBody), (status = 429, body = ErrorBody),
    ),
)]
async fn continue_match(
    app: App,
    user: SignedInUser,
    Path(id): Path<MatchId>,
    Json(wanted): Json<ContinuationRequest>,
) -> Result<(StatusCode, Json<MatchSummary>)> {
    let (own, replay) = matches::read(&app, &Caller(Some(user.clone())), id).await?;
    let by = Some(user.id);
    let owns_one = owns_entrant(&app, by, own.a.as_ref()).await?
        || owns_entrant(&app, by, own.b.as_ref()).await?;
    if !owns_one && !user.admin {
        let message = "only the author of one of the bots may play on from its match";
        return Err(ApiError::new(StatusCode::FORBIDDEN, "not-yours", message));
    }
    if book_of(&own.limits).is_some() {
        let message = "a match that starts from a book is not played on here; take its replay, and \
                       `leitai match … --from`";
        return Err(ApiError::conflict("from-book", message));
    }
    allow_friendly(&app, user.id).await?;
    let game = app.need_game(&own.game)?;
    let origin = MatchOrigin {
        match_id: id.0,
        leg: wanted.leg,
        round: wanted.round,
    };
    let of = app.need_rules(&own.game, &replay.rules)?;
    let reach = move || ResumePoint::new(&*of, &replay, origin.replay_point()).map(|_| ());
    let reached = tokio::task::spawn_blocking(reach).await;
    reached
        .map_err(|error| ApiError::internal_error("the replay was not played", &error))?
        .map_err(|why| ApiError::invalid_field("bad-moment", "round", why.to_string()))?;
    let entrants = [
        continuing_entrant(&app, own.a.as_ref()).await?,
        continuing_entrant(&app, own.b.as_ref()).await?,
    ];
    let played = (origin.with_limits(&own.limits), origin.leg);
    let by = (user.id, &app.options.account_quota());
    let made = create_continuation(
        &app.store,
        &*game,
        &own,
        entrants,
        played,
        by,
        Timestamp::now(),
    )
    .await?;
    Ok((StatusCode::CREATED, Json(MatchSummary::from(&made))))
}

/// The same version of a bot with the settings of then, if it can still play.
async fn continuing_entrant(app: &App, entrant: Option<&MatchEntrant>) -> Result<MatchEntrant> {
    match entrant.and_then(|entrant| Some((entrant, entrant.version?))) {
        Some((then, version)) => Ok(MatchEntrant {
            settings: then.settings.clone(),
            ..app.store.entrant_of_version(version).await?
        }),
        None => {
            let message = "people play in this match; only matches between bots can be continued";
            Err(ApiError::new(StatusCode::CONFLICT, "not-bots", message))
        }
    }
}
