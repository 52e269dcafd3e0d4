//! Routes: leg frames of recorded matches and of replay files.

use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use leitai_game::frames::make_frames;
use leitai_game::replay::{Difference, FaultRecord, Replay, verify_replay};
use leitai_game::{AnyGame, ByEntrant, Entrant, Perspective, Seat};
use leitai_store::MatchId;
use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouterExt};
use utoipa_axum::routes;

use crate::client_address::ClientAddress;
use crate::http::app::App;
use crate::http::caller::Caller;
use crate::http::error::{ApiError, ErrorBody};
use crate::http::extract::{Path, Query};
use crate::http::routes::matches::{may_read, read};
use crate::http::summaries::MatchSummary;
use crate::live::frame_buffer::perspective_name;
use crate::messages;
use crate::replay_privacy::strip_private;

/// The most bytes of a replay in a request.
const LONGEST: usize = 16 << 20;
/// The most steps of all legs of a replay in a request.
const MOST_STEPS: usize = 200_000;
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

    fn leg_index(self) -> usize {
        self.leg.unwrap_or(1)
    }
}

/// All frames of a leg of a finished match.
#[utoipa::path(get, operation_id = "get_match_frames",
    path = "/api/matches/{id}/frames", tag = "matches",
    security((), ("token" = []), ("session" = [])), params(("id" = i64, Path), FramesParameters), responses(
    (status = 200, description = "see docs/live.md", body = Object),
    (status = 404, description = "there is no such match or leg, or it is not over", body = ErrorBody),
    (status = 503, body = ErrorBody),
))]
async fn serve_match_frames(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<MatchId>,
    Query(wanted): Query<FramesParameters>,
) -> Result<Response, ApiError> {
    let (own, mut replay) = read(&app, id).await?;
    strip_private(&mut replay, |entrant| may_read(&caller, &own, entrant));
    let game = app.need_game(&own.game)?;
    let brief = serde_json::to_value(MatchSummary::from(&own)).expect("a brief is plain data");
    let text = app
        .arena
        .frames
        .run_when_free(move || leg_frames_json(game, &replay, wanted, brief, None))
        .await??;
    // Frames of finished matches never change, so they may be cached.
    let public = if caller.0.is_none() {
        "public, max-age=3600"
    } else {
        "private, max-age=60"
    };
    Ok(cached_answer(text, public))
}

/// All frames of a leg of a replay file, in Leitai's format or in a foreign one that a game
/// imports.
#[utoipa::path(post, operation_id = "render_replay",
    path = "/api/replays/frames", tag = "matches", params(FramesParameters),
    request_body(content = String, content_type = "application/octet-stream", description = "the file"),
    responses(
        (status = 200, description = "leg frames, and `verified`: true, or where the replay differs from the rules", body = Object),
        (status = 413, body = ErrorBody), (status = 422, body = ErrorBody), (status = 429, body = ErrorBody),
        (status = 503, body = ErrorBody),
    ))]
async fn serve_replay_frames(
    State(app): State<App>,
    caller: Caller,
    address: ClientAddress,
    Query(wanted): Query<FramesParameters>,
    body: Bytes,
) -> Result<Response, ApiError> {
    app.limiter.allow_human_match(caller.user_id(), address)?;
    let games = app.games;
    let make = move || {
        let (game, replay) = recognise_replay(games, &body)?;
        let verified = verify_json(game, &replay)?;
        leg_frames_json(game, &replay, wanted, Value::Null, Some(verified))
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

fn bad_request(code: &'static str, message: impl Into<String>) -> ApiError {
    ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, code, message)
}

/// The game of a replay, and the replay in Leitai's format.
fn recognise_replay(
    games: &'static [&'static dyn AnyGame],
    bytes: &[u8],
) -> Result<(&'static dyn AnyGame, Replay), ApiError> {
    let text = std::str::from_utf8(bytes).map_err(|_| {
        bad_request(
            "not-a-replay",
            "the file is not text; drop a replay as it was downloaded",
        )
    })?;
    let text = text.trim_start_matches('\u{feff}');
    let replay = match Replay::parse(text) {
        Ok(replay) => Ok(replay),
        Err(why) => import_foreign(games, text)
            .ok_or_else(|| bad_request("not-a-replay", describe_unknown(games, text, &why.0))),
    }?;
    let found = games
        .iter()
        .copied()
        .find(|game| game.meta().id == replay.game);
    let shown: String = replay.game.chars().take(40).collect();
    let game = found.ok_or_else(|| {
        bad_request(
            "unknown-game",
            format!("it is a replay of {shown:?}, which is not played here"),
        )
    })?;
    let steps: usize = replay
        .legs
        .iter()
        .map(|leg| leg.replies.split_ascii_whitespace().count())
        .sum();
    if steps > MOST_STEPS {
        return Err(bad_request(
            "too-long",
            format!("the replay has {steps} steps; at most {MOST_STEPS} can be shown"),
        ));
    }
    Ok((game, replay))
}

fn import_foreign(games: &[&'static dyn AnyGame], text: &str) -> Option<Replay> {
    let formats = games.iter().flat_map(|game| game.replay_formats());
    formats
        .filter_map(|format| (format.import)(text).ok())
        .next()
}

/// The reason why a text is not a replay: the parser's error if the text looks like Leitai's
/// format, otherwise a list of known formats.
fn describe_unknown(games: &[&dyn AnyGame], text: &str, why: &str) -> String {
    if text.contains("leitai-replay/") {
        return format!("the replay cannot be read: {why}");
    }
    let known: Vec<String> = games
        .iter()
        .flat_map(|game| {
            game.replay_formats()
                .iter()
                .map(|format| format!("{} ({})", format.name, game.meta().id))
        })
        .collect();
    format!(
        "this is not a replay that can be read here; known are Leitai's own and {}",
        known.join(", ")
    )
}

/// `true`, or the place where the replay differs from the rules.
fn verify_json(game: &dyn AnyGame, replay: &Replay) -> Result<Value, ApiError> {
    let verification = verify_replay(game, replay).map_err(|why| {
        bad_request(
            "not-playable",
            format!("the replay cannot be played: {why}"),
        )
    })?;
    Ok(match verification {
        Ok(_) => json!(true),
        Err(Difference {
            leg, round, what, ..
        }) => {
            json!({"leg": leg, "round": round, "what": messages::in_both(game, &what)})
        }
    })
}

/// A fault with its description in both languages.
fn fault_json(game: &dyn AnyGame, fault: &FaultRecord) -> Value {
    let mut value = serde_json::to_value(fault).expect("a fault is plain data");
    value["what"] = messages::in_both(game, &fault.what);
    value
}

/// The frames of one leg, as JSON.
fn leg_frames_json(
    game: &dyn AnyGame,
    replay: &Replay,
    wanted: FramesParameters,
    brief: Value,
    verified: Option<Value>,
) -> Result<String, ApiError> {
    let (index, legs, perspective) = (
        wanted.leg_index().wrapping_sub(1),
        replay.legs.len(),
        wanted.read_perspective(),
    );
    let leg = wanted.leg_index();
    let missing = || ApiError::not_found(format!("there is no leg {leg}; the replay has {legs}"));
    let record = replay.legs.get(index).ok_or_else(missing)?;
    let setup = game
        .read_setup(&replay.setup)
        .map_err(|why| bad_request("not-playable", format!("the setup is unsound: {why}")))?;
    let frames = make_frames(game, &*setup, record, perspective)
        .map_err(|why| bad_request("not-playable", why.0))?;
    let side = |seat: Seat| {
        if seat.entrant_in_leg(index) == Entrant::A {
            "a"
        } else {
            "b"
        }
    };
    let faults = record
        .faults
        .iter()
        .filter(|fault| fault.leg.is_none_or(|leg| leg == index + 1));
    let header = json!({
        "match": brief,
        "game": game.meta().id,
        "rules": replay.rules,
        "entrants": ByEntrant::from_fn(|entrant: Entrant| &replay.entrants[entrant].name),
        "seats": {"first": side(Seat::First), "second": side(Seat::Second)},
        "leg": leg,
        "legs": legs,
        "rounds": setup.max_rounds(),
        "setup": setup.to_json(),
        "perspective": perspective_name(perspective),
        "outcome": record.outcome,
        "verdict": replay.verdict,
        "faults": faults.map(|fault| fault_json(game, fault)).collect::<Vec<_>>(),
        "status": replay.status,
    });
    let mut text = header.to_string();
    text.pop();
    if let Some(verified) = verified {
        text.push_str(&format!(",\"verified\":{verified}"));
    }
    text.push_str(",\"frames\":");
    text.push_str(&serde_json::to_string(&frames).expect("frames are plain data"));
    text.push('}');
    Ok(text)
}
