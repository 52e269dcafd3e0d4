//! Routes: contests.
//!
//! | module | content |
//! |---|---|
//! | [`access`] | who may publish, organise and see a contest |
//! | `answers` | what the routes answer |
//! | [`checks`] | a file is checked and played on paper |
//! | `entering` | bots join and leave |
//! | [`export`] | a contest as one ZIP |
//! | [`lanes`] | what open contests say of the lanes of the bots that are entered |
//! | [`packs`] | the situation packs that come with a file |
//! | `organising` | what organisers do with a published contest |

pub mod access;
mod answers;
pub mod checks;
mod entering;
pub mod export;
pub mod lanes;
mod organising;
pub mod packs;

use std::collections::BTreeMap;

use axum::body::Body;
use leitai_store::Contest;
use utoipa_axum::router::UtoipaMethodRouterExt;

use crate::contests::names::{file_with_todays_names, find_names, names_of};
use crate::contests::routes::access::{
    check_publisher, contest_actor, find_contest, need_organised, organises_contest,
    seen_private_contests,
};
use crate::contests::routes::answers::{
    ContestDetails, ContestProblems, ContestSummary, describe_contest, refuse_file, summarize,
};
use crate::contests::routes::export::prepare_export;
use crate::contests::routes::packs::{LONGEST_REQUEST, read_packs};
use crate::contests::rules::{
    check_hidden_game, check_people, games_for, publish_contest, read_contest, read_new_rules,
};
use crate::http::prelude::*;

/// The routes of contests.
pub fn contest_routes() -> OpenApiRouter<App> {
    let body = axum::extract::DefaultBodyLimit::max(LONGEST_REQUEST);
    OpenApiRouter::new()
        .routes(routes!(list_contests, publish).layer(body))
        .routes(routes!(show_contest))
        .routes(routes!(export))
        .merge(checks::contest_check_routes())
        .merge(entering::entry_routes())
        .merge(organising::organiser_routes())
}

/// A contest to be published.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct ContestRequest {
    /// The file, in TOML; see docs/contests.md.
    file: String,
    /// The texts of the situation packs that it names, by the names of their files.
    #[serde(default)]
    packs: BTreeMap<String, String>,
}

/// Contests, newest first. Private ones are listed for those who may enter them.
#[utoipa::path(get, operation_id = "list_contests",
    path = "/api/contests", tag = "contests", security((), ("token" = []), ("session" = [])), params(PageParameters),
    responses((status = 200, body = ListPage<ContestSummary>)))]
async fn list_contests(
    app: App,
    caller: Caller,
    Query(which): Query<PageParameters>,
) -> Answer<ListPage<ContestSummary>> {
    let ask = which.page_query()?;
    let private = seen_private_contests(&app, caller.user()).await?;
    let (page, now) = (
        app.store.list_contests(&private, &ask).await?,
        Timestamp::now(),
    );
    let brief = |contest: Contest| {
        let rules = read_contest(&app.games, &contest).ok();
        summarize(&contest, rules.as_ref(), now)
    };
    Ok(Json(ListPage::from_page(page, brief)))
}

/// Publishes a contest. Administrators may, and organisers of a group for their group; a file with problems is answered with all of them,
/// each with its line and what to write instead.
#[utoipa::path(post, operation_id = "publish_contest",
    path = "/api/contests", tag = "contests", security(("token" = []), ("session" = [])),
    request_body = ContestRequest, responses((status = 201, body = ContestSummary), (status = 409, body = ErrorBody),
    (status = 422, body = ContestProblems)))]
async fn publish(
    app: App,
    user: SignedInUser,
    Json(asked): Json<ContestRequest>,
) -> Result<Response> {
    let games = games_for(&app.games, user.admin);
    let rules = match read_new_rules(&games, &asked.file) {
        Ok(rules) => rules,
        Err(problems) => return Ok(refuse_file(problems)),
    };
    let names = names_of(&rules);
    let names = app.store.preview_contest_names(None, &names).await?;
    check_publisher(&app, &user, &rules, &names).await?;
    let mut problems = check_people(&rules, &names, &asked.file);
    problems.extend(check_hidden_game(&app.games, &rules, &asked.file));
    if !problems.is_empty() {
        return Ok(refuse_file(problems));
    }
    let packs = match read_packs(&games, &rules, &asked.file, asked.packs, &[]).await? {
        Ok(packs) => packs,
        Err(problems) => return Ok(refuse_file(problems)),
    };
    let by = contest_actor(&user);
    let file = (asked.file, packs);
    let made = publish_contest(&app.store, &rules, file, None, by).await?;
    let brief = summarize(&made, Some(&rules), by.at);
    Ok((StatusCode::CREATED, Json(brief)).into_response())
}

/// A contest: its rules, entries, standings and encounters. Standings and encounters are hidden
/// until the date of the file for everybody but its organisers.
#[utoipa::path(get, operation_id = "get_contest",
    path = "/api/contests/{id}", tag = "contests", security((), ("token" = []), ("session" = [])),
    params(("id" = String, Path)), responses((status = 200, body = ContestDetails),
    (status = 409, body = ErrorBody)))]
async fn show_contest(app: App, caller: Caller, Path(id): Path<String>) -> Answer<ContestDetails> {
    let (contest, rules) = find_contest(&app, caller.user(), &id).await?;
    let called = find_names(&app.store, &contest, &rules).await?;
    let organises = match caller.user() {
        Some(user) => organises_contest(&app, user, &rules, &called).await?,
        None => false,
    };
    let details = describe_contest(&app, (contest, rules), &called, organises).await?;
    Ok(Json(details))
}

/// Everything about a contest in one ZIP: `contest.toml` and the situation packs that it names, `standings.csv` and `.json`, `matches.csv`
/// and `.json`, `replays/ID.json` and `report.html`, in both languages.
#[utoipa::path(get, operation_id = "export_contest",
    path = "/api/contests/{id}/export", tag = "contests", security(("token" = []), ("session" = [])),
    params(("id" = String, Path)), responses((status = 200, description = "a ZIP", content_type = "application/zip"),
    (status = 403, body = ErrorBody), (status = 409, body = ErrorBody)))]
async fn export(app: App, user: SignedInUser, Path(id): Path<String>) -> Result<Response> {
    need_organised(&app, &user, &id).await?;
    let (mut contest, rules) = find_contest(&app, Some(&user), &id).await?;
    let called = find_names(&app.store, &contest, &rules).await?;
    contest.file = file_with_todays_names(&contest.file, &called);
    let name = format!("attachment; filename=\"{}.zip\"", contest.name);
    let export = prepare_export(app.storage(), contest, rules).await?;
    let headers = [
        (header::CONTENT_TYPE, "application/zip".to_owned()),
        (header::CONTENT_DISPOSITION, name),
    ];
    let body = Body::from_stream(export.into_pieces());
    Ok((headers, body).into_response())
}
