//! Routes: reports of games that were brought as files, by people who are signed in.

use leitai_game::clean_text::clean_line;
use leitai_store::{GameReport, NewGameReport, ReportReason};

use crate::http::prelude::*;

/// The longest note, in characters.
const LONGEST_NOTE: usize = 500;

/// Routes of reports.
pub fn game_report_routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(report_game))
        .routes(routes!(list_game_reports))
        .routes(routes!(close_game_report))
}

/// What is wrong with a game.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum ReportReasonName {
    /// It insults, threatens or is not for children.
    Offensive,
    /// It is somebody else's work.
    Copied,
    /// It harms or deceives who plays it.
    Harmful,
    /// It does not work as its guide says.
    Broken,
    /// Something else, which the note says.
    Other,
}

impl From<ReportReasonName> for ReportReason {
    fn from(name: ReportReasonName) -> ReportReason {
        match name {
            ReportReasonName::Offensive => ReportReason::Offensive,
            ReportReasonName::Copied => ReportReason::Copied,
            ReportReasonName::Harmful => ReportReason::Harmful,
            ReportReasonName::Broken => ReportReason::Broken,
            ReportReasonName::Other => ReportReason::Other,
        }
    }
}

impl From<ReportReason> for ReportReasonName {
    fn from(reason: ReportReason) -> ReportReasonName {
        match reason {
            ReportReason::Offensive => ReportReasonName::Offensive,
            ReportReason::Copied => ReportReasonName::Copied,
            ReportReason::Harmful => ReportReasonName::Harmful,
            ReportReason::Broken => ReportReasonName::Broken,
            ReportReason::Other => ReportReasonName::Other,
        }
    }
}

/// A report to be made.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct ReportWanted {
    reason: ReportReasonName,
    /// The same in words; needed with `other`.
    #[serde(default)]
    #[schema(max_length = 500)]
    note: String,
}

/// An open report.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = GameReport)]
struct ReportSummary {
    id: i64,
    #[schema(example = "othello")]
    game: String,
    reason: ReportReasonName,
    note: String,
    /// Who made it; null if the account was deleted.
    by: Option<String>,
    #[schema(value_type = String, format = DateTime)]
    at: Timestamp,
}

impl ReportSummary {
    fn new(report: GameReport, by: Option<String>) -> ReportSummary {
        ReportSummary {
            id: report.id,
            game: report.game,
            reason: report.reason.into(),
            note: report.note,
            by,
            at: report.created,
        }
    }
}

/// Reports a game that was brought as a file to the administrators. One report of a person and a game
/// may be open.
#[utoipa::path(post, operation_id = "report_game",
    path = "/api/games/{game}/reports", tag = "games", security(("token" = []), ("session" = [])),
    params(("game" = String, Path, example = "othello")), request_body = ReportWanted, responses((status = 204),
    (status = 409, body = ErrorBody), (status = 429, body = ErrorBody)))]
async fn report_game(
    app: App,
    user: SignedInUser,
    Path(game): Path<String>,
    Json(asked): Json<ReportWanted>,
) -> Result<StatusCode> {
    let note = clean_line(&asked.note).trim().to_owned();
    let length = note.chars().count();
    if length > LONGEST_NOTE {
        let message =
            format!("the note has {length} characters; at most {LONGEST_NOTE} are allowed");
        return Err(ApiError::invalid_field("too-long", "note", message));
    }
    if length == 0 && matches!(asked.reason, ReportReasonName::Other) {
        let message = "say in the note what is wrong with the game";
        return Err(ApiError::invalid_field("no-note", "note", message));
    }
    app.limiter.allow_report(user.id).await?;
    let game = app.need_game(&game)?.meta().id.to_owned();
    let new = NewGameReport {
        game,
        reason: asked.reason.into(),
        note,
    };
    app.store
        .report_game(new, user.id, Timestamp::now())
        .await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The open reports of games, newest first (at most 200).
#[utoipa::path(get, operation_id = "list_game_reports",
    path = "/api/admin/game-reports", tag = "administration", security(("token" = []), ("session" = [])),
    responses((status = 200, body = ListPage<ReportSummary>), (status = 403, body = ErrorBody)))]
async fn list_game_reports(app: App, _: SignedInAdmin) -> Answer<ListPage<ReportSummary>> {
    let open = app.store.open_game_reports().await?.into_iter();
    let all = open.map(|(report, by)| ReportSummary::new(report, by));
    Ok(Json(ListPage::single_page(all.collect())))
}

/// Closes a report; the game stays as it is. Taking a game down closes all its reports.
#[utoipa::path(delete, operation_id = "close_game_report",
    path = "/api/admin/game-reports/{id}", tag = "administration", security(("token" = []), ("session" = [])),
    params(("id" = i64, Path)), responses((status = 204)))]
async fn close_game_report(
    app: App,
    admin: SignedInAdmin,
    Path(id): Path<i64>,
) -> Result<StatusCode> {
    let now = Timestamp::now();
    app.store.close_game_report(id, admin.0.id, now).await?;
    Ok(StatusCode::NO_CONTENT)
}
