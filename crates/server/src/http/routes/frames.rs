//! Routes: leg frames of recorded matches and of replay files.

use axum::body::Bytes;
use axum::extract::DefaultBodyLimit;
use leitai_game::leg_frames::{LegFramesRequest, verify_as_json, write_leg_frames};
use leitai_game::replay::{RefusalKind, ReplayRefusal, recognise_replay};
use leitai_game::{Perspective, Seat};
use leitai_store::MatchId;
use serde_json::Value;
use utoipa_axum::router::UtoipaMethodRouterExt;

use crate::client_address::ClientAddress;
use crate::http::prelude::*;
use crate::http::routes::matches::{read, readable_entrants};
use crate::http::summaries::MatchSummary;
use crate::messages;
use crate::replay_privacy::strip_private;

/// The most bytes of a replay in a request.
const LONGEST: usize = 16 << 20;
/// The routes of leg frames.
pub fn frame_routes() -> OpenApiRouter<App> {
    let own = routes!(serve_replay_frames).layer(DefaultBodyLimit::max(LONGEST));
    OpenApiRouter::new()
        .routes(routes!(serve_match_frames))
        .routes(own)
}

/// The leg and the perspective.
#[derive(Clone, Copy, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct FramesParameters {
    /// The leg, from 1; default 1.
    #[param(minimum = 1, maximum = 1000)]
    leg: Option<usize>,
    /// The perspective; default `all`.
    #[param(inline)]
    perspective: Option<PerspectiveName>,
    /// The most frames, from the first; all if absent. A page asks for one to show the board before
    /// it has the rest.
    #[param(minimum = 1, maximum = 100000)]
    frames: Option<usize>,
}

#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum PerspectiveName {
    All,
    First,
    Second,
}

impl FramesParameters {
    fn read_perspective(self) -> Perspective {
        match self.perspective {
            None | Some(PerspectiveName::All) => Perspective::All,
            Some(PerspectiveName::First) => Perspective::Seat(Seat::First),
            Some(PerspectiveName::Second) => Perspective::Seat(Seat::Second),
        }
    }

    fn into_request(self, summary: Value, verified: Option<Value>) -> LegFramesRequest {
        LegFramesRequest {
            leg: self.leg.unwrap_or(1),
            perspective: self.read_perspective(),
            summary,
            verified,
            most: self.frames,
        }
    }
}

/// All frames of a leg of a finished match.
#[utoipa::path(get, operation_id = "get_match_frames",
    path = "/api/matches/{id}/frames", tag = "matches",
    security((), ("token" = []), ("session" = [])), params(("id" = i64, Path), FramesParameters), responses(
    (status = 200, description = "see docs/live.md", body = Object),
    (status = 404, description = "there is no such match or leg, or it is not over", body = ErrorBody),
    (status = 422, description = "the rules of its game file fail over it", body = ErrorBody),
    (status = 503, body = ErrorBody),
))]
async fn serve_match_frames(
    app: App,
    caller: Caller,
    Path(id): Path<MatchId>,
    Query(wanted): Query<FramesParameters>,
) -> Result<Response> {
    let (own, mut replay) = read(&app, &caller, id).await?;
    let readable = readable_entrants(&app, &caller, &own).await?;
    strip_private(&mut replay, |entrant| readable[entrant]);
    let game = app.need_rules(&own.game, &replay.rules)?;
    let reasons = leg_reasons(own.leg_outcomes.as_ref());
    let mut brief = serde_json::to_value(MatchSummary::from(&own)).expect("a brief is plain data");
    brief["leg_reasons"] = reasons;
    let text = app
        .arena
        .frames
        .run_when_free(move || {
            let request = wanted.into_request(brief, None);
            write_leg_frames(&*game, &replay, request, &messages::catalogue([&*game]))
        })
        .await??;
    // Frames of finished matches never change, so they may be cached.
    let public = if caller.0.is_none() {
        "public, max-age=3600"
    } else {
        "private, max-age=60"
    };
    Ok(cached_answer(text, public))
}

/// Why each leg ended, in both languages: a replay has only the id, and the rules of a game file have
/// sentences of their own.
fn leg_reasons(outcomes: Option<&Value>) -> Value {
    let outcomes = outcomes.and_then(Value::as_array).into_iter().flatten();
    outcomes
        .map(|outcome| messages::complete_languages(outcome["reason"].clone()))
        .collect()
}

/// All frames of a leg of a replay file, in Leitai's format or in a foreign one that a game
/// imports.
#[utoipa::path(post, operation_id = "render_replay",
    path = "/api/replays/frames", tag = "matches", params(FramesParameters),
    request_body(content = String, content_type = "application/octet-stream", description = "the file"),
    responses((status = 200, description = "leg frames, and `verified`: true, or where the replay differs from the rules", body = Object),
    (status = 422, body = ErrorBody), (status = 429, body = ErrorBody), (status = 503, body = ErrorBody)))]
async fn serve_replay_frames(
    app: App,
    caller: Caller,
    address: ClientAddress,
    Query(wanted): Query<FramesParameters>,
    body: Bytes,
) -> Result<Response> {
    app.limiter
        .allow_human_match(caller.user_id(), address)
        .await?;
    let games = app.games.list();
    let make = move || {
        let (game, replay) = recognise_replay(&games, &body)?;
        let catalogue = messages::catalogue([&*game]);
        let verified = verify_as_json(&*game, &replay, &catalogue)?;
        let request = wanted.into_request(Value::Null, Some(verified));
        write_leg_frames(&*game, &replay, request, &catalogue)
    };
    Ok(cached_answer(
        app.arena.frames.run_when_free(make).await??,
        "no-store",
    ))
}

fn cached_answer(text: String, caching: &'static str) -> Response {
    let kind = (
        header::CONTENT_TYPE,
        HeaderValue::from_static("application/json"),
    );
    (
        [
            kind,
            (header::CACHE_CONTROL, HeaderValue::from_static(caching)),
        ],
        text,
    )
        .into_response()
}

impl From<ReplayRefusal> for ApiError {
    fn from(refusal: ReplayRefusal) -> ApiError {
        let status = match refusal.kind {
            RefusalKind::NoLeg => StatusCode::NOT_FOUND,
            _ => StatusCode::UNPROCESSABLE_ENTITY,
        };
        ApiError::new(status, refusal.kind.code(), refusal.message)
    }
}
