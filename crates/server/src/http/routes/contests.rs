//! Routes: contests.

use std::collections::HashMap;

use crate::http::handler::routes;
use axum::body::Body;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use leitai_contest::Problem;
use leitai_contest::file::{Contest as Rules, WhoMayEnter};
use leitai_contest::forecast::Forecast;
use leitai_contest::progress::EncounterText;
use leitai_game::Lang;
use leitai_store::{
    Bot, BotId, Contest, ContestActor, ContestEntry, ContestState, EntryId, EntryLeft,
    Json as Value, MatchId, NameKind, PlayedContestMatch, TeamId, Timestamp, UserId,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;

use crate::client_address::ClientAddress;
use crate::contest_forecast::EntryResults;
use crate::contest_names::{file_with_todays_names, find_names, names_of, with_todays_names};
use crate::contest_update::{check_update, update_details};
use crate::contests::{
    StageState, check_hidden_game, check_people, contest_privacy, games_for, games_of_contest,
    publish_contest, read_contest, read_new_rules,
};
use crate::http::app::App;
use crate::http::caller::{Caller, SignedInUser};
use crate::http::contest_access::{
    check_publisher, check_updater, find_seen, is_invited, need_organised, organises_contest,
    seen_private_contests,
};
use crate::http::contest_export::prepare_export;
use crate::http::contest_lanes::check_lane;
use crate::http::error::{ApiError, ErrorBody};
use crate::http::extract::{Json, Path, Query};
use crate::http::list::{ListPage, PageParameters};
use crate::http::summaries::{LocalizedText, MatchStateName, WinnerName};
use crate::messages;

/// The longest reason of an organiser, in characters.
const WHY: usize = 500;

/// The routes of contests.
pub fn contest_routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list_contests, publish))
        .routes(routes!(show_contest))
        .routes(routes!(join))
        .routes(routes!(leave))
        .routes(routes!(pause))
        .routes(routes!(resume))
        .routes(routes!(annul))
        .routes(routes!(disqualify))
        .routes(routes!(update_file))
        .routes(routes!(take_back_match))
        .routes(routes!(take_back_stage))
        .routes(routes!(export))
}

/// The state of a contest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum ContestStateName {
    /// Published; submission has not opened.
    Announced,
    /// Bots can join.
    Open,
    /// Its stages are played.
    Running,
    /// Over, with a result.
    Finished,
    /// Over, without a result.
    Annulled,
}

impl ContestStateName {
    fn at(contest: &Contest, rules: Option<&Rules>, at: Timestamp) -> ContestStateName {
        match contest.state {
            ContestState::Open if rules.is_some_and(|rules| seconds(at) < rules.opens) => {
                ContestStateName::Announced
            }
            ContestState::Open => ContestStateName::Open,
            ContestState::Running => ContestStateName::Running,
            ContestState::Finished => ContestStateName::Finished,
            ContestState::Annulled => ContestStateName::Annulled,
        }
    }
}

fn seconds(at: Timestamp) -> i64 {
    at.0.div_euclid(1000)
}

/// A contest in a list.
#[derive(Debug, Serialize, ToSchema)]
struct ContestSummary {
    /// Its name in addresses.
    id: String,
    game: String,
    title: LocalizedText,
    state: ContestStateName,
    /// Whether an organiser has paused it.
    paused: bool,
    /// Whether only its organisers and those who may enter it see it.
    private: bool,
    #[schema(value_type = Option<String>, format = DateTime)]
    opens: Option<Timestamp>,
    #[schema(value_type = Option<String>, format = DateTime)]
    freezes: Option<Timestamp>,
    #[schema(value_type = Option<String>, format = DateTime)]
    ended: Option<Timestamp>,
}

/// A contest.
#[derive(Debug, Serialize, ToSchema)]
struct ContestDetails {
    #[serde(flatten)]
    brief: ContestSummary,
    /// Why it was annulled.
    note: Option<LocalizedText>,
    /// The rules of its file, without its code; dates are in seconds since 1970. Accounts and the group
    /// have today's names, and deleted accounts are left out.
    #[schema(value_type = Object)]
    rules: Value,
    /// Whether standings, encounters and results are shown to the caller.
    standings_shown: bool,
    entries: Vec<EntrySummary>,
    /// The stages that have begun.
    stages: Vec<StageSummary>,
    /// How many of its games are copies of others; null until they were counted, which begins when
    /// the contest is finished. The results stand as they were published.
    copies: Option<CopiesSummary>,
    /// What was changed since its publication, newest first; at most 200.
    changes: Vec<ChangeSummary>,
    /// Whether the caller organises it: administrators, the organisers of its group, and the accounts
    /// that its file names.
    organises: bool,
    /// The file, in TOML; for its organisers alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
}

/// Copies among the games of a contest: the same setup and replies between the same versions in the
/// same seats.
#[derive(Debug, Serialize, ToSchema)]
struct CopiesSummary {
    /// All games: one a leg.
    games: i64,
    /// Those that are copies of others.
    copies: i64,
}

/// A change of a contest.
#[derive(Clone, Debug, Serialize, ToSchema)]
struct ChangeSummary {
    #[schema(value_type = String, format = DateTime)]
    at: Timestamp,
    /// `publish`, `update`, `freeze`, `pause`, `resume`, `disqualify`, `withdraw`, `replay-match`,
    /// `take-back-stage`, `finish`, `annul` …
    action: String,
    /// The account; null for the arena itself.
    by: Option<String>,
    /// `why`, and what is particular to the action: `changes` of the file (`{key, from, to}`),
    /// `match` and who had won it (`was`), `stage` and its `matches`.
    #[schema(value_type = Object)]
    detail: Value,
}

/// A bot in a contest.
#[derive(Clone, Debug, Serialize, ToSchema)]
struct EntrySummary {
    id: i64,
    bot: i64,
    name: String,
    /// The name of its team, if it belongs to one.
    team: Option<String>,
    /// The version that plays, from the freeze on.
    version: Option<i64>,
    #[schema(value_type = String, format = DateTime)]
    joined: Timestamp,
    /// `withdrawn` or `disqualified`; null while it plays.
    #[schema(value_type = Option<String>)]
    left: Option<EntryLeft>,
    /// The reason for that.
    why: Option<LocalizedText>,
}

/// A stage that has begun.
#[derive(Debug, Serialize, ToSchema)]
struct StageSummary {
    /// The number, from 1.
    number: i32,
    name: LocalizedText,
    #[schema(value_type = String, format = DateTime)]
    begun: Timestamp,
    over: bool,
    /// Best first; null while hidden.
    standings: Option<Vec<StandingSummary>>,
    /// Encounters that were begun, in order; null while hidden.
    encounters: Option<Vec<EncounterSummary>>,
}

/// A place in the standings of a stage.
#[derive(Debug, Serialize, ToSchema)]
struct StandingSummary {
    place: usize,
    entry: i64,
    /// The seed, from 1.
    seed: usize,
    points: f64,
    /// Encounters won.
    won: u32,
    /// Encounters drawn.
    drawn: u32,
    /// Encounters lost.
    lost: u32,
    /// The values of the file's tie-breaks, in their order.
    tie_breaks: Vec<f64>,
    /// Whether a knockout has gone on without it.
    out: bool,
    /// While the stage runs, and unless the field is too large: what it may still reach.
    chances: Option<ChancesSummary>,
}

/// What an entry may still reach, from simulations of the rest of the contest.
#[derive(Debug, Serialize, ToSchema)]
struct ChancesSummary {
    /// The chance to be first of this stage, 0 to 1.
    first: f64,
    /// The chance to win the contest, 0 to 1.
    win: f64,
    /// The best and the worst place of this stage, in 95 of 100 simulations.
    #[schema(value_type = Vec<usize>, min_items = 2, max_items = 2)]
    places: [usize; 2],
}

/// Two entries that meet.
#[derive(Debug, Serialize, ToSchema)]
struct EncounterSummary {
    /// Round and table: `r3.0`; `w`, `l`, `final` and `decider` in a double elimination.
    #[schema(example = "r3.0")]
    place: String,
    entries: [i64; 2],
    /// Their points once it is over.
    points: Option<[f64; 2]>,
    matches: Vec<EncounterMatch>,
}

/// A match of an encounter.
#[derive(Debug, Serialize, ToSchema)]
struct EncounterMatch {
    id: i64,
    state: MatchStateName,
    /// In the order of the match's entrants; in every second match of an encounter the second
    /// entry is entrant A.
    winner: Option<WinnerName>,
    /// When an organiser took it back: it no longer counts.
    #[schema(value_type = Option<String>, format = DateTime)]
    taken_back: Option<Timestamp>,
}

/// A contest to be published.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct ContestRequest {
    /// The file, in TOML; see docs/contests.md.
    file: String,
}

/// The bot that joins, and the code, if the contest has one.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct JoinRequest {
    /// The bot's id.
    bot: i64,
    code: Option<String>,
}

/// The bot that leaves.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct LeaveRequest {
    /// The bot's id.
    bot: i64,
}

/// A reason, which everybody reads.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct AnnulRequest {
    #[schema(min_length = 1, max_length = 500)]
    why: String,
}

/// The entry that is disqualified, and a reason, which everybody reads.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct DisqualifyRequest {
    /// The entry's id.
    entry: i64,
    #[schema(min_length = 1, max_length = 500)]
    why: String,
}

/// Everything that is wrong with a contest's file.
#[derive(Debug, Serialize, ToSchema)]
pub struct ContestProblems {
    /// `code` is `bad-contest`; `message` has one line for each problem.
    #[schema(value_type = Object)]
    error: Value,
    /// Every problem: `{line, what: {en, zh}, cure: {en, zh}}`.
    #[schema(value_type = Vec<Object>)]
    problems: Vec<Problem>,
}

/// Contests, newest first. Private ones are listed for those who may enter them.
#[utoipa::path(get, operation_id = "list_contests",
    path = "/api/contests", tag = "contests", security((), ("token" = []), ("session" = [])), params(PageParameters),
    responses((status = 200, body = ListPage<ContestSummary>), (status = 400, body = ErrorBody)))]
async fn list_contests(
    State(app): State<App>,
    caller: Caller,
    Query(which): Query<PageParameters>,
) -> Result<axum::Json<ListPage<ContestSummary>>, ApiError> {
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
    Ok(axum::Json(ListPage::from_page(page, brief)))
}

fn summarize(contest: &Contest, rules: Option<&Rules>, now: Timestamp) -> ContestSummary {
    let title = rules.map(|rules| rules.title.clone()).unwrap_or_else(|| {
        let (en, zh) = (contest.name.clone(), contest.name.clone());
        leitai_game::LocalizedText { en, zh }
    });
    let date = |second: i64| Timestamp(second.saturating_mul(1000));
    ContestSummary {
        id: contest.name.clone(),
        game: contest.game.clone(),
        title: localized(title),
        state: ContestStateName::at(contest, rules, now),
        paused: contest.paused,
        private: contest.private,
        opens: rules.map(|rules| date(rules.opens)),
        freezes: rules.map(|rules| date(rules.freezes)),
        ended: contest.ended,
    }
}

/// A reason of the arena in both languages; that of an organiser as it is.
fn in_both(en: String) -> LocalizedText {
    let zh = messages::catalogue([]).say(Lang::Zh, &en).into_owned();
    LocalizedText { en, zh }
}

fn localized(text: leitai_game::LocalizedText) -> LocalizedText {
    let leitai_game::LocalizedText { en, zh } = text;
    LocalizedText { en, zh }
}

/// Publishes a contest. Administrators may, and organisers of a group for their group; a file with problems is answered with all of them,
/// each with its line and what to write instead.
#[utoipa::path(post, operation_id = "publish_contest",
    path = "/api/contests", tag = "contests", security(("token" = []), ("session" = [])),
    request_body = ContestRequest, responses((status = 201, body = ContestSummary),
    (status = 401, body = ErrorBody), (status = 403, body = ErrorBody),
    (status = 409, body = ErrorBody), (status = 422, body = ContestProblems)))]
async fn publish(
    State(app): State<App>,
    user: SignedInUser,
    Json(asked): Json<ContestRequest>,
) -> Result<Response, ApiError> {
    let rules = match read_new_rules(&games_for(&app.games, user.admin), &asked.file) {
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
    let by = actor(&user);
    let made = publish_contest(&app.store, &rules, asked.file, None, by).await?;
    let brief = summarize(&made, Some(&rules), by.at);
    Ok((StatusCode::CREATED, axum::Json(brief)).into_response())
}

/// The answer to a file with problems.
pub fn refuse_file(problems: Vec<Problem>) -> Response {
    let lines: Vec<String> = problems.iter().map(|one| one.to_line(Lang::En)).collect();
    let message = lines.join("\n");
    let error = serde_json::json!({"code": "bad-contest", "message": message, "field": "file"});
    let body = ContestProblems { error, problems };
    (StatusCode::UNPROCESSABLE_ENTITY, axum::Json(body)).into_response()
}

fn actor(user: &SignedInUser) -> ContestActor {
    ContestActor {
        user: Some(user.id),
        at: Timestamp::now(),
    }
}

/// A contest that the caller may know of, and its rules.
async fn find_contest(
    app: &App,
    user: Option<&SignedInUser>,
    id: &str,
) -> Result<(Contest, Rules), ApiError> {
    let contest = find_seen(app, user, id).await?;
    let rules = read_contest(&app.games, &contest).map_err(|_| {
        let message = "its file is not valid in this version of the arena";
        ApiError::conflict("old-contest", message)
    })?;
    Ok((contest, rules))
}

/// A contest: its rules, entries, standings and encounters. Standings and encounters are hidden
/// until the date of the file for everybody but its organisers.
#[utoipa::path(get, operation_id = "get_contest",
    path = "/api/contests/{id}", tag = "contests", security((), ("token" = []), ("session" = [])),
    params(("id" = String, Path)), responses((status = 200, body = ContestDetails),
    (status = 404, body = ErrorBody), (status = 409, body = ErrorBody)))]
async fn show_contest(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<axum::Json<ContestDetails>, ApiError> {
    let (contest, rules) = find_contest(&app, caller.user(), &id).await?;
    let now = Timestamp::now();
    let called = find_names(&app.store, &contest, &rules).await?;
    let organises = match caller.user() {
        Some(user) => organises_contest(&app, user, &rules, &called).await?,
        None => false,
    };
    let shown = organises || !contest.hides_results(now);
    let entries = app.store.contest_entries(contest.id).await?;
    let bots: Vec<BotId> = entries.iter().map(|entry| entry.bot).collect();
    let (mut names, mut teams) = (HashMap::new(), HashMap::new());
    for some in bots.chunks(500) {
        let briefs = app.store.bot_briefs(some).await?;
        names.extend(briefs.into_iter().map(|bot| (bot.id, bot.name)));
        teams.extend(app.store.teams_of_bots(some).await?);
    }
    let stages = summarize_stages(&app, &contest, &rules, &entries, shown).await?;
    let today = with_todays_names(&rules, &called);
    let mut shown_rules = serde_json::to_value(&today).unwrap_or_default();
    if !organises
        && matches!(
            rules.matches.seeds,
            leitai_contest::file::SeedRules::Fixed { .. }
        )
    {
        shown_rules["matches"]["seeds"] = serde_json::json!({"kind": "fixed"});
    }
    let changes = list_changes(&app, &contest, shown).await?;
    let copies = app.store.contest_copies(contest.id).await?;
    let copies = copies.filter(|_| shown).map(|of| CopiesSummary {
        games: of.games,
        copies: of.copies,
    });
    Ok(axum::Json(ContestDetails {
        brief: summarize(&contest, Some(&rules), now),
        organises,
        file: organises.then(|| file_with_todays_names(&contest.file, &called)),
        changes,
        note: contest.note.map(in_both),
        rules: shown_rules,
        standings_shown: shown,
        entries: entries
            .into_iter()
            .map(|entry| summarize_entry(entry, &names, &teams))
            .collect(),
        stages,
        copies,
    }))
}

/// What was changed in a contest, with the names of the accounts.
async fn list_changes(
    app: &App,
    contest: &Contest,
    results_shown: bool,
) -> Result<Vec<ChangeSummary>, ApiError> {
    let mut names: HashMap<UserId, Option<String>> = HashMap::new();
    let mut changes = Vec::new();
    for mut row in app.store.contest_changes(contest).await? {
        if let Some(detail) = row.detail.as_object_mut().filter(|_| !results_shown) {
            detail.remove("was");
        }
        let action = row.action.trim_start_matches("contest.").to_owned();
        let by = match row.user {
            None => None,
            Some(id) if names.contains_key(&id) => names[&id].clone(),
            Some(id) => {
                let name = app.store.find_user(id).await.ok().map(|user| user.name);
                names.insert(id, name.clone());
                name
            }
        };
        changes.push(ChangeSummary {
            at: row.at,
            action,
            by,
            detail: row.detail,
        });
    }
    Ok(changes)
}

fn summarize_entry(
    entry: ContestEntry,
    names: &HashMap<BotId, String>,
    teams: &HashMap<BotId, (TeamId, String)>,
) -> EntrySummary {
    EntrySummary {
        id: entry.id.0,
        bot: entry.bot.0,
        name: names.get(&entry.bot).cloned().unwrap_or_default(),
        team: teams.get(&entry.bot).map(|(_, name)| name.clone()),
        version: entry.version.map(|id| id.0),
        joined: entry.joined,
        left: entry.left,
        why: entry.why.map(in_both),
    }
}

async fn summarize_stages(
    app: &App,
    contest: &Contest,
    rules: &Rules,
    entries: &[ContestEntry],
    shown: bool,
) -> Result<Vec<StageSummary>, ApiError> {
    let (mut stages, mut earlier) = (Vec::new(), EntryResults::default());
    let begun = app.store.contest_stages(contest.id).await?;
    let count = begun.len();
    for stage in begun {
        let played = app
            .store
            .contest_matches(contest.id, Some(stage.stage))
            .await?;
        let state = StageState::derive(rules, &stage, entries, &played);
        let own = rules
            .stages
            .get(usize::try_from(stage.stage).unwrap_or_default());
        let (Some(state), Some(own)) = (state, own) else {
            continue;
        };
        let is_last = stage.stage as usize + 1 == count;
        let is_running = is_last && !state.progress.is_over && contest.ended.is_none();
        let forecast = match shown && is_running {
            true => {
                let forecasts = &app.forecasts;
                forecasts
                    .find_forecast(contest, rules, stage.stage, &state, &earlier)
                    .await
            }
            false => None,
        };
        earlier.add_stage(&state);
        stages.push(StageSummary {
            number: stage.stage + 1,
            name: localized(own.name.clone()),
            begun: stage.begun,
            over: !is_last || state.progress.is_over,
            standings: shown.then(|| summarize_standings(&state, forecast.as_deref())),
            encounters: shown.then(|| summarize_encounters(&state, &played)),
        });
    }
    Ok(stages)
}

fn summarize_standings(state: &StageState, forecast: Option<&Forecast>) -> Vec<StandingSummary> {
    let rows = state.progress.standings.iter();
    rows.map(|row| {
        let [won, drawn, lost] = row.encounters;
        StandingSummary {
            place: row.place,
            entry: state.seeds[row.player].0,
            seed: row.player + 1,
            points: row.points,
            won,
            drawn,
            lost,
            tie_breaks: row.tie_breaks.clone(),
            out: row.is_out,
            chances: forecast
                .and_then(|forecast| forecast.players.get(row.player))
                .map(|player| ChancesSummary {
                    first: player.first,
                    win: player.win,
                    places: player.places,
                }),
        }
    })
    .collect()
}

fn summarize_encounters(
    state: &StageState,
    played: &[PlayedContestMatch],
) -> Vec<EncounterSummary> {
    let mut by_place: HashMap<(&str, EntryId, EntryId), Vec<&PlayedContestMatch>> = HashMap::new();
    for row in played {
        let key = (row.place.as_str(), row.one, row.other);
        by_place.entry(key).or_default().push(row);
    }
    let over =
        (state.progress.encounters.iter()).map(|(key, met)| (*key, met.pair, Some(met.points)));
    let open = state
        .progress
        .open
        .iter()
        .map(|one| (one.key, one.pair, None));
    let mut all: Vec<_> = over.chain(open).collect();
    all.sort_by_key(|(key, ..)| *key);
    let summarize = |(key, pair, points): (_, [usize; 2], _)| {
        let place = EncounterText::to_text(&key);
        let [one, other] = pair.map(|player| state.seeds[player]);
        let rows = by_place.get(&(place.as_str(), one, other));
        let matches = rows.into_iter().flatten().map(|row| EncounterMatch {
            id: row.match_id.0,
            state: row.state.into(),
            winner: row.winner.map(WinnerName::from),
            taken_back: row.taken_back,
        });
        EncounterSummary {
            matches: matches.collect(),
            entries: [one.0, other.0],
            points,
            place,
        }
    };
    all.into_iter().map(summarize).collect()
}

/// The caller's own bot, or one of a team of the caller's; administrators may enter every bot.
async fn own_bot(app: &App, user: &SignedInUser, id: i64) -> Result<Bot, ApiError> {
    let bot = app.store.find_bot(BotId(id)).await?;
    if user.admin || app.store.owns_bot(&bot, user.id).await? {
        return Ok(bot);
    }
    let message = format!("{} is not your bot; choose one of yours", bot.name);
    Err(ApiError::forbidden("not-yours", message))
}

/// Enters a bot of the caller, or of a team of the caller's. Its active version at the freeze plays.
/// Everybody plays for one entrant.
#[utoipa::path(post, operation_id = "join_contest",
    path = "/api/contests/{id}/join", tag = "contests", security(("token" = []), ("session" = [])),
    params(("id" = String, Path)), request_body = JoinRequest,
    responses((status = 201, body = EntrySummary), (status = 401, body = ErrorBody), (status = 403, body = ErrorBody),
    (status = 404, body = ErrorBody), (status = 409, body = ErrorBody), (status = 422, body = ErrorBody),
    (status = 429, description = "too many codes in a minute", body = ErrorBody)))]
async fn join(
    State(app): State<App>,
    from: ClientAddress,
    user: SignedInUser,
    Path(id): Path<String>,
    Json(asked): Json<JoinRequest>,
) -> Result<(StatusCode, axum::Json<EntrySummary>), ApiError> {
    let (contest, rules) = find_contest(&app, Some(&user), &id).await?;
    let by = actor(&user);
    if let (WhoMayEnter::Code { .. }, Some(_)) = (&rules.entry.who, &asked.code) {
        app.limiter.allow_code(user.id, from).await?;
    }
    check_entry(
        &app,
        &user,
        (&contest, &rules),
        asked.code.as_deref(),
        by.at,
    )
    .await?;
    let bot = own_bot(&app, &user, asked.bot).await?;
    if bot.game != rules.game {
        let (name, plays, game) = (bot.name, bot.game, rules.game);
        let message = format!("{name} plays {plays}, not {game}; choose a bot of this game");
        return Err(ApiError::invalid_field("other-game", "bot", message));
    }
    check_active_version(&app, &bot, &rules).await?;
    check_lane(&app, &bot, rules.entry.candidates).await?;
    let limits = (rules.entry.most, rules.entry.team_size);
    let entry = app
        .store
        .join_contest(contest.id, bot.id, limits, by)
        .await?;
    let teams = app.store.teams_of_bots(&[bot.id]).await?;
    let names = HashMap::from([(bot.id, bot.name)]);
    let entry = summarize_entry(entry, &names, &teams);
    Ok((StatusCode::CREATED, axum::Json(entry)))
}

/// Refuses a bot whose active version the contest does not take. A bot without one may join; the
/// freeze looks again.
async fn check_active_version(app: &App, bot: &Bot, rules: &Rules) -> Result<(), ApiError> {
    let Some(active) = bot.active else {
        return Ok(());
    };
    let version = app.store.find_version(active).await?;
    let bytes = u64::try_from(version.bytes).unwrap_or_default();
    let refusal = rules.entry.describe_refusal(version.how.as_deref(), bytes);
    match refusal {
        None => Ok(()),
        Some(why) => {
            let message = format!("version {} cannot enter: {why}", version.number);
            Err(ApiError::invalid_field("version-refused", "bot", message))
        }
    }
}

/// Whether this account may enter now.
async fn check_entry(
    app: &App,
    user: &SignedInUser,
    (contest, rules): (&Contest, &Rules),
    code: Option<&str>,
    at: Timestamp,
) -> Result<(), ApiError> {
    let names = find_names(&app.store, contest, rules).await?;
    if seconds(at) < rules.opens {
        let opens = Timestamp(rules.opens.saturating_mul(1000));
        let message = format!("this contest opens at {opens}; join then");
        return Err(ApiError::conflict("not-open", message));
    }
    let may = match &rules.entry.who {
        _ if user.admin => true,
        WhoMayEnter::Everybody => true,
        WhoMayEnter::Code { code: expected } => code == Some(expected.as_str()),
        who => is_invited(app, user, who, &names).await?,
    };
    if may {
        return Ok(());
    }
    Err(match &rules.entry.who {
        WhoMayEnter::Code { .. } => {
            let message = "this contest needs its code, and this is not it; ask its organiser";
            ApiError::forbidden("contest-code", message)
        }
        WhoMayEnter::Group { group } => {
            let group = names.today(NameKind::Group, group).unwrap_or(group);
            let message = format!("this contest is for the group {group}; ask its organiser");
            ApiError::forbidden("not-invited", message)
        }
        _ => {
            let message = "your account is not on the list of this contest; ask its organiser";
            ApiError::forbidden("not-invited", message)
        }
    })
}

/// Withdraws a bot of the caller. Its opponents win what it has not played.
#[utoipa::path(post, operation_id = "leave_contest",
    path = "/api/contests/{id}/leave", tag = "contests", security(("token" = []), ("session" = [])),
    params(("id" = String, Path)), request_body = LeaveRequest,
    responses((status = 204), (status = 401, body = ErrorBody), (status = 403, body = ErrorBody),
    (status = 404, body = ErrorBody), (status = 409, body = ErrorBody)))]
async fn leave(
    State(app): State<App>,
    user: SignedInUser,
    Path(id): Path<String>,
    Json(asked): Json<LeaveRequest>,
) -> Result<StatusCode, ApiError> {
    let contest = find_seen(&app, Some(&user), &id).await?;
    let bot = own_bot(&app, &user, asked.bot).await?;
    let entries = app.store.contest_entries(contest.id).await?;
    let entry = entries.iter().find(|entry| entry.bot == bot.id);
    let entry = entry.ok_or_else(|| {
        let name = &bot.name;
        ApiError::not_found(format!("{name} is not in contest {id}"))
    })?;
    let left = (EntryLeft::Withdrawn, None);
    app.store
        .leave_contest(contest.id, entry.id, left, actor(&user))
        .await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Pauses a contest: running matches end, and nothing else begins.
#[utoipa::path(post, operation_id = "pause_contest",
    path = "/api/contests/{id}/pause", tag = "contests", security(("token" = []), ("session" = [])),
    params(("id" = String, Path)), responses((status = 204), (status = 401, body = ErrorBody),
    (status = 403, body = ErrorBody), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody)))]
async fn pause(
    State(app): State<App>,
    user: SignedInUser,
    Path(id): Path<String>,
) -> Result<StatusCode, ApiError> {
    set_paused(&app, &user, &id, true).await
}

/// Resumes a paused contest.
#[utoipa::path(post, operation_id = "resume_contest",
    path = "/api/contests/{id}/resume", tag = "contests", security(("token" = []), ("session" = [])),
    params(("id" = String, Path)), responses((status = 204), (status = 401, body = ErrorBody),
    (status = 403, body = ErrorBody), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody)))]
async fn resume(
    State(app): State<App>,
    user: SignedInUser,
    Path(id): Path<String>,
) -> Result<StatusCode, ApiError> {
    set_paused(&app, &user, &id, false).await
}

async fn set_paused(
    app: &App,
    user: &SignedInUser,
    id: &str,
    paused: bool,
) -> Result<StatusCode, ApiError> {
    let contest = need_organised(app, user, id).await?;
    let by = actor(user);
    app.store.set_contest_paused(contest.id, paused, by).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Annuls a contest: it ends without a result, and its unfinished matches are cancelled.
#[utoipa::path(post, operation_id = "annul_contest",
    path = "/api/contests/{id}/annul", tag = "contests", security(("token" = []), ("session" = [])),
    params(("id" = String, Path)), request_body = AnnulRequest,
    responses((status = 204), (status = 401, body = ErrorBody), (status = 403, body = ErrorBody),
    (status = 404, body = ErrorBody), (status = 409, body = ErrorBody), (status = 422, body = ErrorBody)))]
async fn annul(
    State(app): State<App>,
    user: SignedInUser,
    Path(id): Path<String>,
    Json(asked): Json<AnnulRequest>,
) -> Result<StatusCode, ApiError> {
    let contest = need_organised(&app, &user, &id).await?;
    let why = check_why(&asked.why)?;
    let by = actor(&user);
    app.store.annul_contest(contest.id, why, by).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Disqualifies an entry. Its opponents win what it has not played.
#[utoipa::path(post, operation_id = "disqualify_entry",
    path = "/api/contests/{id}/disqualify", tag = "contests", security(("token" = []), ("session" = [])),
    params(("id" = String, Path)), request_body = DisqualifyRequest,
    responses((status = 204), (status = 401, body = ErrorBody), (status = 403, body = ErrorBody),
    (status = 404, body = ErrorBody), (status = 409, body = ErrorBody), (status = 422, body = ErrorBody)))]
async fn disqualify(
    State(app): State<App>,
    user: SignedInUser,
    Path(id): Path<String>,
    Json(asked): Json<DisqualifyRequest>,
) -> Result<StatusCode, ApiError> {
    let contest = need_organised(&app, &user, &id).await?;
    let left = (EntryLeft::Disqualified, Some(check_why(&asked.why)?));
    let (entry, by) = (EntryId(asked.entry), actor(&user));
    app.store.leave_contest(contest.id, entry, left, by).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// A contest's new file.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct UpdateRequest {
    /// The whole file, in TOML.
    file: String,
}

/// The match that is played again, and a reason, which everybody reads.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct TakeBackMatchRequest {
    /// The match's id.
    #[serde(rename = "match")]
    match_id: i64,
    #[schema(min_length = 1, max_length = 500)]
    why: String,
}

/// The stage that is played again, and a reason, which everybody reads.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct TakeBackStageRequest {
    /// The stage's number, from 1.
    #[schema(minimum = 1)]
    stage: i32,
    #[schema(min_length = 1, max_length = 500)]
    why: String,
}

/// Replaces the file of a contest. Until the freeze everything but `id` and `game` may change,
/// afterwards texts, visibility, and stages that have not begun; no date moves that has passed, and
/// none moves into the past. Names of accounts and of the group mean whom they meant, except those that
/// are new in the file. A file with problems is answered with all of them.
#[utoipa::path(post, operation_id = "update_contest",
    path = "/api/contests/{id}/update", tag = "contests", security(("token" = []), ("session" = [])),
    params(("id" = String, Path)), request_body = UpdateRequest,
    responses((status = 200, body = ContestSummary), (status = 401, body = ErrorBody), (status = 403, body = ErrorBody),
    (status = 404, body = ErrorBody), (status = 409, body = ErrorBody), (status = 422, body = ContestProblems)))]
async fn update_file(
    State(app): State<App>,
    user: SignedInUser,
    Path(id): Path<String>,
    Json(asked): Json<UpdateRequest>,
) -> Result<Response, ApiError> {
    let contest = need_organised(&app, &user, &id).await?;
    let games = games_of_contest(&app.games, &contest);
    let new = match read_new_rules(&games, &asked.file) {
        Ok(rules) => rules,
        Err(problems) => return Ok(refuse_file(problems)),
    };
    let (contest, old) = find_contest(&app, Some(&user), &id).await?;
    let called = find_names(&app.store, &contest, &old).await?;
    let names = names_of(&new);
    let meant = app.store.preview_contest_names(Some(&contest), &names);
    let meant = meant.await?;
    let mut problems = check_people(&new, &meant, &asked.file);
    problems.extend(check_hidden_game(&app.games, &new, &asked.file));
    if !problems.is_empty() {
        return Ok(refuse_file(problems));
    }
    let old = with_todays_names(&old, &called);
    let new = with_todays_names(&new, &meant);
    check_updater(&user, &old, &new)?;
    let (begun, by) = (
        app.store.contest_stages(contest.id).await?.len(),
        actor(&user),
    );
    let changes = check_update(&old, &new, &contest, begun, by.at)
        .map_err(|why| ApiError::conflict("fixed-part", why))?;
    let detail = update_details(&changes);
    let store = &app.store;
    let file = (asked.file, contest_privacy(&new), names.as_slice());
    let updated = store.update_contest_file(&contest, begun, file, detail, by);
    let brief = summarize(&updated.await?, Some(&new), by.at);
    Ok(axum::Json(brief).into_response())
}

/// Takes a match of a contest back, so that it is played again; the old result no longer counts and
/// stays visible. A finished contest goes on. Results that a later stage was seeded from cannot be
/// taken back before that stage is.
#[utoipa::path(post, operation_id = "take_back_contest_match",
    path = "/api/contests/{id}/take-back-match", tag = "contests", security(("token" = []), ("session" = [])),
    params(("id" = String, Path)), request_body = TakeBackMatchRequest,
    responses((status = 204), (status = 401, body = ErrorBody), (status = 403, body = ErrorBody),
    (status = 404, body = ErrorBody), (status = 409, body = ErrorBody), (status = 422, body = ErrorBody)))]
async fn take_back_match(
    State(app): State<App>,
    user: SignedInUser,
    Path(id): Path<String>,
    Json(asked): Json<TakeBackMatchRequest>,
) -> Result<StatusCode, ApiError> {
    let contest = need_organised(&app, &user, &id).await?;
    let why = check_why(&asked.why)?;
    let (id, by) = (MatchId(asked.match_id), actor(&user));
    app.store.take_back_match(contest.id, id, why, by).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Takes the last stage that has begun back: its results no longer count, and it begins anew, seeded
/// from the standings before it.
#[utoipa::path(post, operation_id = "take_back_contest_stage",
    path = "/api/contests/{id}/take-back-stage", tag = "contests", security(("token" = []), ("session" = [])),
    params(("id" = String, Path)), request_body = TakeBackStageRequest,
    responses((status = 204), (status = 401, body = ErrorBody), (status = 403, body = ErrorBody),
    (status = 404, body = ErrorBody), (status = 409, body = ErrorBody), (status = 422, body = ErrorBody)))]
async fn take_back_stage(
    State(app): State<App>,
    user: SignedInUser,
    Path(id): Path<String>,
    Json(asked): Json<TakeBackStageRequest>,
) -> Result<StatusCode, ApiError> {
    let contest = need_organised(&app, &user, &id).await?;
    let why = check_why(&asked.why)?;
    let (stage, by) = (asked.stage.saturating_sub(1), actor(&user));
    app.store
        .take_back_stage(contest.id, stage, why, by)
        .await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Everything about a contest in one ZIP: `contest.toml`, `standings.csv` and `.json`, `matches.csv`
/// and `.json`, `replays/ID.json` and `report.html`, in both languages.
#[utoipa::path(get, operation_id = "export_contest",
    path = "/api/contests/{id}/export", tag = "contests", security(("token" = []), ("session" = [])),
    params(("id" = String, Path)), responses((status = 200, description = "a ZIP", content_type = "application/zip"),
    (status = 401, body = ErrorBody), (status = 403, body = ErrorBody), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody)))]
async fn export(
    State(app): State<App>,
    user: SignedInUser,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
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

fn check_why(why: &str) -> Result<String, ApiError> {
    let (why, length) = (why.trim(), why.trim().chars().count());
    if (1..=WHY).contains(&length) {
        return Ok(why.to_owned());
    }
    let message = format!("the reason has {length} characters; write 1 to {WHY}");
    Err(ApiError::invalid_field("bad-field", "why", message))
}
