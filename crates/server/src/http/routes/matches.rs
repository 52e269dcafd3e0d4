//! Routes: matches, replays, logs.

use leitai_game::{ByEntrant, Entrant, Lang, Replay};
use leitai_store::{
    BlobKey, BlobStoreError, BotId, Correction, Json as Value, Match, MatchFilter, MatchId,
    MatchState, clean_tag,
};

use crate::bots::routes::versions::attachment_header;
use crate::contests::routes::access::HiddenParts;
use crate::http::layers::prefers_chinese;
use crate::http::prelude::*;
use crate::http::queue_place::describe_place;
use crate::http::routes::match_access::{hidden_of, own_entrants, refuse_hidden, side_of};
use crate::http::routes::match_tags::{add_tags, may_tag, refuse_tag};
use crate::http::routes::people::find_person;
use crate::http::routes::rematch::agreed_rematch;
use crate::http::summaries::{
    MatchKindName, MatchStateName, MatchSummary, WinnerName, with_live_state,
};
use crate::messages;
use crate::replay_privacy::{name_entrants, strip_private};
use crate::signatures::Signer;
use crate::work::books::book_of;
use crate::work::continuation::{MatchOrigin, without_origin};

/// Routes that read matches.
pub fn match_routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list_matches))
        .routes(routes!(show_match))
        .routes(routes!(download_replay))
        .routes(routes!(list_logs))
}

/// A filter of matches.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct MatchQuery {
    /// The game's id.
    game: Option<String>,
    /// A bot's id.
    bot: Option<i64>,
    kind: Option<MatchKindName>,
    /// The name of the ladder for which they count; with `game`.
    #[param(max_length = 32, example = "standard")]
    ladder: Option<String>,
    state: Option<MatchStateName>,
    /// The name of a person who plays, in any case.
    #[param(max_length = 100)]
    person: Option<String>,
    /// The name of the author of a program that plays from home, in any case.
    #[param(max_length = 100)]
    home: Option<String>,
    /// A tag.
    #[param(max_length = 100)]
    tag: Option<String>,
}

/// A match with its public details.
#[derive(Debug, Serialize, ToSchema)]
pub struct MatchDetails {
    #[serde(flatten)]
    brief: MatchSummary,
    /// The seed; null before the end of a game with fog, because it would reveal what is hidden.
    seed: Option<u64>,
    /// The game's config.
    #[schema(value_type = Object)]
    config: Value,
    /// The limits of time and resources; null where they are the defaults.
    #[schema(value_type = Option<Object>)]
    limits: Value,
    /// The outcomes of the legs.
    #[schema(value_type = Vec<Object>)]
    leg_outcomes: Value,
    /// The caller's side, as a person or as the author of a bot.
    your: Option<SideName>,
    files: MatchFiles,
    /// The code of the invite, for the people who play.
    invite: Option<String>,
    /// The worker, for administrators.
    worker: Option<String>,
    /// The reason why it is void or cancelled, for administrators.
    note: Option<String>,
    /// The match that this one plays again.
    again_of: Option<i64>,
    /// The match that the two people who played this one agreed to play after it.
    rematch: Option<i64>,
    /// The earlier match of the ladder of which this one holds a copy: the same setup and replies
    /// between the same versions in the same seats. It does not count.
    copy_of: Option<i64>,
    /// The moment of another match from which this one continues.
    continued: Option<MatchOrigin>,
    /// The SHA-256 of the position book from which it starts, at the position that its seed draws; its
    /// config is the position's then, and stands in its replay.
    book: Option<String>,
    /// The corrections by administrators, oldest first.
    corrections: Vec<CorrectionSummary>,
    /// Whether the caller may give it tags.
    may_tag: bool,
    /// What it waits for in the queue, `{en, zh}`, with its `place`, 1 for the next one, and in about
    /// how many `seconds` it begins, null while nobody can tell; null unless it is queued.
    #[schema(value_type = Option<Object>)]
    waiting: Option<Value>,
}

/// A result that an administrator corrected.
#[derive(Debug, Serialize, ToSchema)]
struct CorrectionSummary {
    #[schema(value_type = String, format = DateTime)]
    at: Timestamp,
    /// The previous winner; null if the result had been withdrawn.
    before: Option<WinnerName>,
    /// The rule that had decided: `{id, en, zh}`.
    #[schema(value_type = Option<Object>)]
    reason_before: Option<Value>,
    /// The new winner; null if the result was withdrawn.
    after: Option<WinnerName>,
    /// The administrator's reason.
    why: String,
}

impl From<Correction> for CorrectionSummary {
    fn from(own: Correction) -> CorrectionSummary {
        CorrectionSummary {
            at: own.at,
            before: own.before.map(WinnerName::from),
            reason_before: own.reason_before.map(messages::complete_languages),
            after: own.after.map(WinnerName::from),
            why: own.why,
        }
    }
}

/// One of the two entrants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum SideName {
    A,
    B,
}

impl From<Entrant> for SideName {
    fn from(entrant: Entrant) -> SideName {
        match entrant {
            Entrant::A => SideName::A,
            Entrant::B => SideName::B,
        }
    }
}

/// Files of a match.
#[derive(Debug, Serialize, ToSchema)]
struct MatchFiles {
    /// The address of the replay, once there is one.
    replay: Option<String>,
    /// When the replay was removed; replays are not kept for ever.
    #[schema(value_type = Option<String>, format = DateTime)]
    replay_removed: Option<Timestamp>,
}

/// What a bot wrote to stderr in one period.
#[derive(Debug, Serialize, ToSchema)]
struct LogEntry {
    entrant: SideName,
    period: u32,
    text: String,
}

/// A leg.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct LegParameter {
    /// The leg, from 1; default 1.
    #[param(minimum = 1, maximum = 1000)]
    leg: Option<usize>,
}

/// Matches, newest first.
#[utoipa::path(get, operation_id = "list_matches",
    path = "/api/matches", tag = "matches", params(MatchQuery, PageParameters),
    responses((status = 200, body = ListPage<MatchSummary>), (status = 404, body = ErrorBody),
    (status = 422, body = ErrorBody)))]
async fn list_matches(
    app: App,
    Query(query): Query<MatchQuery>,
    Query(which): Query<PageParameters>,
    headers: HeaderMap,
) -> Result<Response> {
    let ask = which.page_query()?;
    let filter = read_filter(&app, &query).await?;
    let key = format!(
        "matches {filter:?} {} {}",
        ask.limit,
        ask.before.as_deref().unwrap_or_default()
    );
    let make = async {
        let filter = MatchFilter {
            seen_at: Some(Timestamp::now()),
            ..filter
        };
        let page = app.store.list_matches(&filter, &ask).await?;
        let mut page = ListPage::from_page(page, |own| {
            with_live_state(MatchSummary::from(own), &app.arena.live)
        });
        add_tags(&app.store, &mut page.items).await?;
        Ok(page)
    };
    app.responses.get(key, &headers, make).await
}

/// Which matches are asked for.
async fn read_filter(app: &App, query: &MatchQuery) -> Result<MatchFilter> {
    let game = query
        .game
        .as_deref()
        .map(|id| app.need_game(id))
        .transpose()?
        .map(|game| game.meta().id.to_owned());
    let ladder = match (&query.ladder, &game) {
        (Some(name), Some(game)) => Some(app.need_ladder(game, Some(name))?.id),
        (Some(_), None) => {
            let message = "a ladder is one of a game; add the game, such as game=kob";
            return Err(ApiError::invalid_field("bad-query", "ladder", message));
        }
        (None, _) => None,
    };
    let person = match &query.person {
        Some(name) => Some(find_person(app, name).await?.id),
        None => None,
    };
    let home = match &query.home {
        Some(name) => Some(find_person(app, name).await?.id),
        None => None,
    };
    let tag = query.tag.as_deref().map(clean_tag).transpose();
    let tag = tag.map_err(|why| refuse_tag("tag", &why))?;
    Ok(MatchFilter {
        game,
        bot: query.bot.map(BotId),
        faulted: false,
        kind: query.kind.map(Into::into),
        ladder,
        state: query.state.map(Into::into),
        person,
        home,
        tag,
        seen_at: None,
    })
}

/// A match.
#[utoipa::path(get, operation_id = "get_match",
    path = "/api/matches/{id}", tag = "matches",
    security((), ("token" = []), ("session" = [])), params(("id" = i64, Path)),
    responses((status = 200, body = MatchDetails), (status = 403, body = ErrorBody)))]
async fn show_match(
    app: App,
    caller: Caller,
    Path(id): Path<MatchId>,
    headers: HeaderMap,
) -> Result<Response> {
    let make = async {
        let corrections = app.store.list_corrections(id).await?;
        let own = app.store.match_by_id(id).await?;
        let hidden = hidden_of(&app, &own, &caller).await?;
        if hidden.match_itself {
            return Err(refuse_hidden(id, hidden));
        }
        let waiting = describe_waiting(&app, &own).await?;
        let mut shown = match_details(&app, own, corrections, &caller).await?;
        shown.waiting = waiting;
        shown.hide_parts(hidden);
        Ok(shown)
    };
    if caller.0.is_none() {
        return app
            .responses
            .get(format!("match {id}"), &headers, make)
            .await;
    }
    let mut shown = make.await?;
    if prefers_chinese(&headers) {
        let catalogue = messages::catalogue(app.games.list().iter().map(|game| &**game));
        shown.note = shown
            .note
            .map(|note| catalogue.say(Lang::Zh, &note).into_owned());
    }
    Ok(([(header::CACHE_CONTROL, "private, no-cache")], Json(shown)).into_response())
}

impl MatchDetails {
    /// Removes what a contest hides.
    fn hide_parts(&mut self, hidden: HiddenParts) {
        if hidden.replay {
            self.files.replay = None;
        }
        if hidden.seed {
            self.seed = None;
        }
    }
}

/// A match with the details that the caller may see.
pub async fn match_details(
    app: &App,
    own: Match,
    corrections: Vec<Correction>,
    caller: &Caller,
) -> Result<MatchDetails> {
    let your = side_of(&own_entrants(app, caller, &own).await?).map(SideName::from);
    let mut brief = with_live_state(MatchSummary::from(&own), &app.arena.live);
    add_tags(&app.store, [&mut brief]).await?;
    let may_tag = may_tag(app, caller, &own).await?;
    let is_open = app.find_game(&own.game).is_some_and(|game| game.is_open());
    let is_admin = caller.is_admin();
    let rematch = agreed_rematch(app, &own).await?;
    Ok(MatchDetails {
        seed: (is_open || own.finished.is_some()).then(|| own.seed.get()),
        leg_outcomes: own.leg_outcomes.unwrap_or_else(|| Value::Array(Vec::new())),
        your,
        files: MatchFiles {
            replay: own
                .replay
                .as_ref()
                .map(|_| format!("/api/matches/{}/replay", own.id)),
            replay_removed: own.replay_removed,
        },
        invite: own.invite.filter(|_| your.is_some() || is_admin),
        worker: own.worker.filter(|_| is_admin),
        note: own.note.filter(|_| is_admin),
        again_of: own.again_of.map(|id| id.0),
        rematch: rematch.map(|id| id.0),
        copy_of: own.copy_of.map(|id| id.0),
        corrections: corrections
            .into_iter()
            .map(CorrectionSummary::from)
            .collect(),
        config: own.config,
        continued: MatchOrigin::of_limits(&own.limits),
        book: book_of(&own.limits).map(str::to_owned),
        limits: without_origin(own.limits),
        may_tag,
        waiting: None,
        brief,
    })
}

/// What a queued match waits for.
async fn describe_waiting(app: &App, own: &Match) -> Result<Option<Value>> {
    if own.state != MatchState::Queued {
        return Ok(None);
    }
    match app.store.job_of_match(own.id).await? {
        Some(job) => describe_place(app, &job).await,
        None => Ok(None),
    }
}

/// The replay, signed by the arena, unless it came with a part of another one. Logs, last words and the raw output of a program are only for
/// its author; the file verifies without them.
#[utoipa::path(get, operation_id = "get_match_replay",
    path = "/api/matches/{id}/replay", tag = "matches",
    security((), ("token" = []), ("session" = [])), params(("id" = i64, Path)),
    responses((status = 200, description = "see docs/replay-format.md", body = Object)))]
async fn download_replay(app: App, caller: Caller, Path(id): Path<MatchId>) -> Result<Response> {
    let (own, mut replay) = read(&app, &caller, id).await?;
    let readable = readable_entrants(&app, &caller, &own).await?;
    strip_private(&mut replay, |entrant| readable[entrant]);
    // Of a match of another arena this one does not know who played it, and when.
    if own.part.is_none() {
        let arena = app.options.public_url.as_deref();
        Signer::load(&app.store, arena).await?.sign(id, &mut replay);
    }
    let name = format!("{}-{id}.json", own.game);
    let headers = [
        (
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/json"),
        ),
        (header::CONTENT_DISPOSITION, attachment_header(&name)),
        (
            header::CACHE_CONTROL,
            HeaderValue::from_static("private, no-cache"),
        ),
    ];
    Ok((headers, replay.to_text()).into_response())
}

/// Reads a match and its whole replay, including what only the authors may read: see
/// [`strip_private`].
pub async fn read(app: &App, caller: &Caller, id: MatchId) -> Result<(Match, Replay)> {
    let own = app.store.match_by_id(id).await?;
    let hidden = hidden_of(app, &own, caller).await?;
    if hidden.replay {
        return Err(refuse_hidden(id, hidden));
    }
    let key = BlobKey::parse(own.replay.as_deref().ok_or_else(|| no_replay(&own))?)?;
    let bytes = match app.blobs.read_blob(&key).await {
        // The blob was removed or rewritten since the row was read.
        Err(BlobStoreError::Missing(_)) => {
            return Err(no_replay(&app.store.match_by_id(id).await?));
        }
        read => read?,
    };
    let parse = move || {
        let text = String::from_utf8(bytes)
            .map_err(|error| ApiError::internal_error("the replay is damaged", &error))?;
        Replay::parse(&text)
            .map_err(|error| ApiError::internal_error("the replay is damaged", &error))
    };
    let parsed = tokio::task::spawn_blocking(parse).await;
    let mut replay: Replay =
        parsed.map_err(|error| ApiError::internal_error("the replay was not read", &error))??;
    name_entrants(&mut replay, &own);
    Ok((own, replay))
}

/// The error for a match without a replay.
pub fn no_replay(own: &Match) -> ApiError {
    let id = own.id;
    match own.replay_removed {
        Some(at) => {
            let message = format!(
                "the replay of match {id} was removed on {}; its result stays",
                at.day()
            );
            ApiError::new(StatusCode::NOT_FOUND, "replay-removed", message)
        }
        None => ApiError::not_found(format!(
            "match {id} has no replay; it is there once the match is over"
        )),
    }
}

/// Of which entrants the caller may read the private output: of the caller's own bots;
/// administrators of both.
pub async fn readable_entrants(app: &App, caller: &Caller, own: &Match) -> Result<ByEntrant<bool>> {
    if caller.is_admin() {
        return Ok(ByEntrant::new(true, true));
    }
    own_entrants(app, caller, own).await
}

/// The stderr output of the caller's own bots in one leg.
#[utoipa::path(get, operation_id = "get_match_logs",
    path = "/api/matches/{id}/logs", tag = "matches",
    security((), ("token" = []), ("session" = [])),
    params(("id" = i64, Path), LegParameter), responses((status = 200, body = Vec<LogEntry>)))]
async fn list_logs(
    app: App,
    caller: Caller,
    Path(id): Path<MatchId>,
    Query(which): Query<LegParameter>,
) -> Answer<Vec<LogEntry>> {
    let (own, mut replay) = read(&app, &caller, id).await?;
    let readable = readable_entrants(&app, &caller, &own).await?;
    strip_private(&mut replay, |entrant| readable[entrant]);
    let (legs, number) = (replay.legs.len(), which.leg.unwrap_or(1));
    let leg = number
        .checked_sub(1)
        .and_then(|index| replay.legs.into_iter().nth(index));
    let leg = leg.ok_or_else(|| {
        ApiError::not_found(format!("match {id} has no leg {number}; it has {legs}"))
    })?;
    let all = leg.logs.into_iter().map(|log| LogEntry {
        entrant: log.entrant.into(),
        period: log.period,
        text: log.text,
    });
    Ok(Json(all.collect()))
}
