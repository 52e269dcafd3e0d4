//! Routes: situation packs of organisers, and what a version answered in them.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use leitai_series::regression::SituationPack;
use leitai_series::regression::pack::MAX_PACK;
use leitai_store::{ContestId, NewPack, PINS, PackId, SituationPackRow, SourceAnswers, Version};
use serde_json::{Value, json};
use utoipa_axum::router::UtoipaMethodRouterExt;

use crate::contests::routes::access::{
    caller_organises, find_seen as find_contest, need_organised, sees_contest,
};
use crate::http::caller::second_factor_required;
use crate::http::prelude::*;
use crate::work::situations::GAME;

/// The routes of situation packs.
pub fn situation_routes() -> OpenApiRouter<App> {
    // In JSON a byte of the pack may take six.
    let body = axum::extract::DefaultBodyLimit::max(2 * MAX_PACK);
    OpenApiRouter::new()
        .routes(routes!(list_packs, upload_pack).layer(body))
        .routes(routes!(show_pack, remove_pack))
        .routes(routes!(show_moment))
}

/// A situation pack.
#[derive(Debug, Serialize, ToSchema)]
struct PackSummary {
    /// The id.
    id: i64,
    /// The game's id.
    game: String,
    /// Its name, `{en, zh}`.
    #[schema(value_type = Object)]
    name: Value,
    /// How many moments it has.
    moments: i32,
    /// The contest whose bots are asked; null: all of the game.
    contest: Option<String>,
    /// Only its organisers know of it before.
    #[schema(value_type = Option<String>, format = DateTime)]
    hidden_until: Option<Timestamp>,
    /// When it was uploaded.
    #[schema(value_type = String, format = DateTime)]
    created: Timestamp,
    /// The name of its file, if the file of the contest names it; it is changed and removed there.
    file: Option<String>,
}

/// A situation pack with its file.
#[derive(Debug, Serialize, ToSchema)]
struct PackDetails {
    #[serde(flatten)]
    brief: PackSummary,
    /// Its file.
    pack: String,
}

/// A pack to be uploaded.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct PackRequest {
    /// The text of its file; see docs/situations.md.
    pack: String,
    /// The name of a contest that the caller organises; absent: for all bots of the game, by an
    /// administrator.
    #[serde(default)]
    contest: Option<String>,
    /// Nobody but its organisers knows of it before this date.
    #[serde(default)]
    #[schema(value_type = Option<String>, format = DateTime)]
    hidden_until: Option<Timestamp>,
}

/// Which packs are listed.
#[derive(Deserialize, IntoParams)]
struct PackQuery {
    /// Only those of this game.
    game: Option<String>,
    /// Only those of the contest of this name.
    contest: Option<String>,
}

/// The pack as the caller may see it; `None` if he may not know of it.
async fn seen(app: &App, caller: &Caller, pack: &SituationPackRow) -> Result<Option<PackSummary>> {
    let view = PackView::of(app, caller, pack.contest).await?;
    Ok(view.of_pack(app, pack))
}

/// What the caller may know of the packs of one contest, or of those for all bots of a game.
struct PackView {
    /// The name of the contest.
    contest: Option<String>,
    /// Whether he may know of it.
    sees: bool,
    /// Whether he organises it.
    organises: bool,
}

impl PackView {
    async fn of(app: &App, caller: &Caller, contest: Option<ContestId>) -> Result<PackView> {
        let Some(contest) = contest else {
            return Ok(PackView {
                contest: None,
                sees: true,
                organises: caller.is_admin(),
            });
        };
        let own = app.store.contest_by_id(contest).await?;
        let organises = caller_organises(app, caller.user(), &own).await?;
        Ok(PackView {
            sees: organises || sees_contest(app, caller.user(), &own).await?,
            contest: Some(own.name),
            organises,
        })
    }

    fn of_pack(&self, app: &App, pack: &SituationPackRow) -> Option<PackSummary> {
        let shown = !pack.is_hidden(Timestamp::now()) && app.find_game(&pack.game).is_some();
        (self.sees && (shown || self.organises)).then(|| PackSummary {
            id: pack.id.0,
            game: pack.game.clone(),
            name: pack.name.clone(),
            moments: pack.moments,
            contest: self.contest.clone(),
            hidden_until: pack.hidden_until,
            created: pack.created,
            file: pack.file.clone(),
        })
    }
}

/// A pack that the caller may know of; what is hidden is answered as what is not there.
async fn find_seen(
    app: &App,
    caller: &Caller,
    id: PackId,
) -> Result<(SituationPackRow, PackSummary)> {
    let pack = app.store.find_pack(id).await?;
    match seen(app, caller, &pack).await? {
        Some(brief) => Ok((pack, brief)),
        None => Err(StoreError::Missing {
            what: "pack",
            which: id.to_string(),
        }
        .into()),
    }
}

/// The packs that the caller may know of, oldest first.
#[utoipa::path(get, operation_id = "list_situation_packs",
    path = "/api/situations", tag = "experiments", security((), ("token" = []), ("session" = [])),
    params(PackQuery), responses((status = 200, body = Vec<PackSummary>)))]
async fn list_packs(
    app: App,
    caller: Caller,
    Query(asked): Query<PackQuery>,
) -> Answer<Vec<PackSummary>> {
    let contest = match &asked.contest {
        Some(name) => Some(find_contest(&app, caller.user(), name).await?.id),
        None => None,
    };
    let packs = app.store.list_packs(asked.game.as_deref(), contest).await?;
    let mut views: HashMap<Option<ContestId>, PackView> = HashMap::new();
    let mut listed = Vec::new();
    for pack in packs {
        let view = match views.entry(pack.contest) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(free) => free.insert(PackView::of(&app, &caller, pack.contest).await?),
        };
        listed.extend(view.of_pack(&app, &pack));
    }
    Ok(Json(listed))
}

/// Uploads a pack: every upload that it concerns is asked its moments from now on. For a contest by
/// those who organise it, for all bots of a game by administrators.
#[utoipa::path(post, operation_id = "upload_situation_pack",
    path = "/api/situations", tag = "experiments", security(("token" = []), ("session" = [])),
    request_body = PackRequest, responses(
    (status = 201, body = PackSummary), (status = 401, body = ErrorBody), (status = 403, body = ErrorBody),
    (status = 404, body = ErrorBody), (status = 409, body = ErrorBody), (status = 413, body = ErrorBody),
    (status = 422, body = ErrorBody),
))]
async fn upload_pack(
    app: App,
    user: SignedInUser,
    Json(wanted): Json<PackRequest>,
) -> Result<(StatusCode, Json<PackSummary>)> {
    let contest = match &wanted.contest {
        Some(name) => Some(need_organised(&app, &user, name).await?),
        None if user.admin => None,
        None if user.with_second_factor().is_some_and(|user| user.admin) => {
            return Err(second_factor_required());
        }
        None => {
            let why = "administrators upload packs for all bots of a game; name a contest that you organise";
            return Err(ApiError::forbidden("not-admin", why));
        }
    };
    let refuse = |why: String| ApiError::invalid_field("bad-pack", "pack", why);
    let pack = SituationPack::parse(&wanted.pack);
    let pack = pack.map_err(|why| refuse(format!("{why:#}")))?;
    if contest
        .as_ref()
        .is_some_and(|contest| contest.game != pack.game)
    {
        let why = "the pack is of another game than the contest";
        return Err(ApiError::invalid_field("bad-pack", "pack", why));
    }
    let game = app.find_game(&pack.game);
    let game = game.or_else(|| app.games.find_hidden(&pack.game));
    let game = game.ok_or_else(|| {
        let why = format!("{:?} is not played here", pack.game);
        ApiError::invalid_field("bad-pack", "pack", why)
    })?;
    let checked = tokio::task::spawn_blocking(move || pack.check(&*game).map(|()| pack));
    let checked = checked.await;
    let pack = checked
        .map_err(|error| ApiError::internal_error("the pack was not checked", &error))?
        .map_err(|why| refuse(format!("{why:#}")))?;
    let new = NewPack {
        game: pack.game.clone(),
        contest: contest.map(|contest| contest.id),
        name: json!(pack.name),
        moments: pack.moments.len() as i32,
        content: pack.to_text(),
        hidden_until: wanted.hidden_until,
    };
    let made = app.store.add_pack(new, user.id, Timestamp::now()).await?;
    let (_, brief) = find_seen(&app, &Caller(Some(user)), made.id).await?;
    Ok((StatusCode::CREATED, Json(brief)))
}

/// A pack with its file, as `leitai check --situations` reads it.
#[utoipa::path(get, operation_id = "get_situation_pack",
    path = "/api/situations/{id}", tag = "experiments", security((), ("token" = []), ("session" = [])),
    params(("id" = i64, Path)), responses((status = 200, body = PackDetails), (status = 404, body = ErrorBody)))]
async fn show_pack(app: App, caller: Caller, Path(id): Path<i64>) -> Answer<PackDetails> {
    let (row, brief) = find_seen(&app, &caller, PackId(id)).await?;
    let pack = row.content;
    Ok(Json(PackDetails { brief, pack }))
}

/// Removes a pack, with what was answered in it.
#[utoipa::path(delete, operation_id = "remove_situation_pack",
    path = "/api/situations/{id}", tag = "experiments", security(("token" = []), ("session" = [])),
    params(("id" = i64, Path)), responses(
    (status = 204), (status = 401, body = ErrorBody), (status = 403, body = ErrorBody),
    (status = 404, body = ErrorBody),
))]
async fn remove_pack(app: App, user: SignedInUser, Path(id): Path<i64>) -> Result<StatusCode> {
    let (by, caller) = (user.id, Caller(Some(user)));
    let (pack, _) = find_seen(&app, &caller, PackId(id)).await?;
    if !PackView::of(&app, &caller, pack.contest).await?.organises {
        let why = "only who organises a pack removes it";
        return Err(ApiError::forbidden("not-organiser", why));
    }
    app.store.remove_pack(pack.id, by, Timestamp::now()).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The replay of a moment, for a viewer. The source is a pack's id, or `game-` and a game's id.
#[utoipa::path(get, operation_id = "get_situation_replay",
    path = "/api/situations/{source}/moments/{number}", tag = "experiments",
    security((), ("token" = []), ("session" = [])),
    params(("source" = String, Path), ("number" = usize, Path)),
    responses((status = 200, body = Object), (status = 404, body = ErrorBody)))]
async fn show_moment(
    app: App,
    caller: Caller,
    Path((source, number)): Path<(String, usize)>,
) -> Answer<Value> {
    let moment = match (source.strip_prefix("game-"), source.parse()) {
        (Some(game), _) => app
            .find_game(game)
            .and_then(|game| SituationPack::read_moment(game.situations(), number)),
        (None, Ok(id)) => {
            let (row, _) = find_seen(&app, &caller, PackId(id)).await?;
            SituationPack::read_moment(&row.content, number)
        }
        _ => None,
    };
    let missing = || ApiError::not_found(format!("there is no moment {number} of {source}"));
    Ok(Json(json!(moment.ok_or_else(missing)?.replay)))
}

/// What a version answered in the moments of one source.
#[derive(Debug, PartialEq, Serialize, ToSchema)]
pub struct SituationResult {
    /// `pins`: those of the bot's author; `game-` and its id: the game's own; else the id of a pack.
    source: String,
    /// The pack's name, `{en, zh}`; null for pins.
    #[schema(value_type = Option<Object>)]
    name: Option<Value>,
    /// How many were passed.
    passed: usize,
    /// How many were failed; the others could not be asked.
    failed: usize,
    /// What was answered, in the order of the moments: `category`, `leg`, `round`, `played`, `passes`, `why`,
    /// `answers`, `verdict` (gone, still-made, failed, unknown), and for pins `match` and `pin`.
    #[schema(value_type = Vec<Object>)]
    moments: Vec<Value>,
}

/// What a version answered, without what is hidden.
pub async fn describe_answers(
    app: &App,
    version: &Version,
    game: &str,
) -> Result<Vec<SituationResult>, StoreError> {
    let now = Timestamp::now();
    let answered = app.store.situation_answers(version.id).await?;
    let results = answered.into_iter().filter_map(|own| {
        let SourceAnswers {
            source,
            pack,
            answers,
        } = own;
        let (source, name) = match (source.as_str(), pack) {
            (PINS, _) => (source, None),
            (GAME, _) => {
                let pack = SituationPack::of_game(&*app.find_game(game)?)?;
                (format!("game-{game}"), Some(json!(pack.name)))
            }
            (_, Some(pack)) if !pack.is_hidden(now) => (source, Some(pack.name)),
            _ => return None,
        };
        let moments: Vec<Value> = answers.as_array().cloned().unwrap_or_default();
        let count = |wanted: &[&str]| {
            let verdicts = moments.iter().filter_map(|one| one["verdict"].as_str());
            verdicts.filter(|verdict| wanted.contains(verdict)).count()
        };
        Some(SituationResult {
            passed: count(&["gone"]),
            failed: count(&["still-made", "failed"]),
            source,
            name,
            moments,
        })
    });
    Ok(results.collect())
}
