//! Routes: analyses of finished matches, made once for all readers.

use leitai_analysis::AnalysisError;
use leitai_analysis::analysis::why_without;
use leitai_game::AnyGame;
use leitai_store::{AnalysisProgress, AnalysisSource, BlobKey, BlobStoreError, MatchId};
use serde_json::Value;

use crate::analyses::{TurnRefusal, source_of};
use crate::http::prelude::*;
use crate::http::routes::match_access::{hidden_of, refuse_hidden};
use crate::http::routes::matches::no_replay;

/// Routes of analyses.
pub fn analysis_routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(show_analysis, ask_for_analysis))
}

/// How far the analysis of a match is.
#[derive(Debug, Serialize, ToSchema)]
struct AnalysisAnswer {
    state: AnalysisState,
    /// The part that is done, 0 to 1.
    done: f64,
    /// How many analyses are made before it, where it waits at the server that answers.
    before: Option<usize>,
    /// The analysis of each leg, as in docs/analysis.schema.json, with its digest in both languages.
    #[schema(value_type = Option<Vec<Object>>)]
    legs: Option<Value>,
}

/// A state of an analysis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum AnalysisState {
    /// Nobody asked for it, or it was removed.
    None,
    /// It waits for its turn.
    Waiting,
    /// A server makes it.
    Running,
    /// This version of the analysis cannot make it.
    Failed,
    /// It is made.
    Done,
}

impl AnalysisAnswer {
    fn new(state: AnalysisState, done: f64) -> AnalysisAnswer {
        AnalysisAnswer {
            state,
            done,
            before: None,
            legs: None,
        }
    }
}

/// The analysis of a finished match, if the arena has made it; for everybody who may read its replay.
#[utoipa::path(get, operation_id = "get_match_analysis",
    path = "/api/matches/{id}/analysis", tag = "matches",
    security((), ("token" = []), ("session" = [])), params(("id" = i64, Path)),
    responses((status = 200, body = AnalysisAnswer), (status = 403, body = ErrorBody)))]
async fn show_analysis(app: App, caller: Caller, Path(id): Path<MatchId>) -> Result<Response> {
    let source = readable_source(&app, &caller, id).await?;
    let told = describe(&app, &source).await?;
    Ok(no_cache(StatusCode::OK, told))
}

/// Asks the arena to make the analysis of a finished match once for all readers. Accounts take turns,
/// and a server makes one at a time.
#[utoipa::path(post, operation_id = "analyze_match",
    path = "/api/matches/{id}/analysis", tag = "matches",
    security(("token" = []), ("session" = [])), params(("id" = i64, Path)),
    responses((status = 200, description = "it is made, or cannot be made", body = AnalysisAnswer),
    (status = 202, description = "it waits or is being made", body = AnalysisAnswer),
    (status = 429, body = ErrorBody), (status = 503, body = ErrorBody)))]
async fn ask_for_analysis(
    app: App,
    user: SignedInUser,
    Path(id): Path<MatchId>,
) -> Result<Response> {
    let (account, caller) = (user.id, Caller(Some(user)));
    let source = readable_source(&app, &caller, id).await?;
    let known = app.store.analysis_of(&source, Timestamp::now()).await?;
    if known == AnalysisProgress::None {
        let own = app.store.match_by_id(id).await?;
        let game = app.need_game(&own.game)?;
        if app.options.analyses == 0 || game.decision_nodes().is_none() {
            return Err(refuse_game(&*game));
        }
        app.analyses.ask(account, id)?;
    }
    let told = describe(&app, &source).await?;
    let status = match told.state {
        AnalysisState::Waiting | AnalysisState::Running => StatusCode::ACCEPTED,
        _ => StatusCode::OK,
    };
    Ok(no_cache(status, told))
}

/// Why there are no analyses of a game: it cannot be searched, or the operator wants none.
fn refuse_game(game: &dyn AnyGame) -> ApiError {
    let why = why_without(game);
    let code = match (&why, game.decision_nodes()) {
        (AnalysisError::Hides(_), None) => "hides",
        (AnalysisError::NoPositions(_), None) => "no-positions",
        _ => {
            let why = format!(
                "this arena makes no analyses of {}; `leitai analyze` may read its replay",
                game.meta().id
            );
            return ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, "no-analysis", why);
        }
    };
    ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, code, why.to_string())
}

fn no_cache(status: StatusCode, told: AnalysisAnswer) -> Response {
    let fresh = HeaderValue::from_static("private, no-cache");
    (status, [(header::CACHE_CONTROL, fresh)], Json(told)).into_response()
}

/// What the analysis of a match is made from, if the caller may read its replay.
async fn readable_source(app: &App, caller: &Caller, id: MatchId) -> Result<AnalysisSource> {
    let own = app.store.match_by_id(id).await?;
    let hidden = hidden_of(app, &own, caller).await?;
    if hidden.replay {
        return Err(refuse_hidden(id, hidden));
    }
    source_of(&own).ok_or_else(|| no_replay(&own))
}

async fn describe(app: &App, source: &AnalysisSource) -> Result<AnalysisAnswer> {
    let known = app.store.analysis_of(source, Timestamp::now()).await?;
    let place = app.analyses.place_of(source.match_id);
    Ok(match (known, place) {
        (AnalysisProgress::Done(blob), _) => match read_legs(app, &blob).await? {
            Some(legs) => AnalysisAnswer {
                legs: Some(legs),
                ..AnalysisAnswer::new(AnalysisState::Done, 1.0)
            },
            None => AnalysisAnswer::new(AnalysisState::None, 0.0),
        },
        (AnalysisProgress::Failed, _) => AnalysisAnswer::new(AnalysisState::Failed, 0.0),
        (AnalysisProgress::Running(done), _) => {
            AnalysisAnswer::new(AnalysisState::Running, f64::from(done) / 1000.0)
        }
        (AnalysisProgress::None, Some(before)) => AnalysisAnswer {
            before: Some(before),
            ..AnalysisAnswer::new(AnalysisState::Waiting, 0.0)
        },
        (AnalysisProgress::None, None) => AnalysisAnswer::new(AnalysisState::None, 0.0),
    })
}

/// The stored result; `None` if it was removed since its row was read.
async fn read_legs(app: &App, blob: &str) -> Result<Option<Value>> {
    let bytes = match app.blobs.read_blob(&BlobKey::parse(blob)?).await {
        Err(BlobStoreError::Missing(_)) => return Ok(None),
        read => read?,
    };
    let parsed = tokio::task::spawn_blocking(move || serde_json::from_slice(&bytes)).await;
    let parsed =
        parsed.map_err(|error| ApiError::internal_error("the analysis was not read", &error))?;
    let damaged = |error| ApiError::internal_error("the analysis is damaged", &error);
    parsed.map(Some).map_err(damaged)
}

impl From<TurnRefusal> for ApiError {
    fn from(refusal: TurnRefusal) -> ApiError {
        let status = match refusal {
            TurnRefusal::OfAccount(_) => StatusCode::TOO_MANY_REQUESTS,
            TurnRefusal::InAll(_) => StatusCode::SERVICE_UNAVAILABLE,
        };
        ApiError::new(status, "busy", refusal.to_string())
    }
}
