//! Routes: status, games, ladders, templates.

use leitai_game::guide::expand_positions;
use leitai_game::{AnyGame, ConfigChoice, ConfigChoiceKind};
use leitai_ladder::divisions::Tendency;
use leitai_store::{Json as Value, LadderId, MatchFilter, PageQuery};
use serde_json::json;
use std::num::NonZeroU32;

use super::game_files::find_reason;
use crate::game_files::bounds::hash_of;
use crate::http::list::{WhichLadder, WhichRanks};
use crate::http::prelude::*;
use crate::http::summaries::{
    BotSummary, LocalizedText, MatchSummary, RatingSummary, round_to_tenths, with_live_state,
};
use crate::ladders::LadderRules;
use crate::messages;

/// The most running matches in the status.
const SHOWN: u64 = 24;

/// Routes of games and ladders.
pub fn game_routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(show_status))
        .routes(routes!(list_games))
        .routes(routes!(show_game))
        .routes(routes!(list_ladder))
        .routes(routes!(list_templates))
        .routes(routes!(show_viewer))
        .routes(routes!(show_emblem))
}

/// The state of the arena.
#[derive(Debug, Serialize, ToSchema)]
struct ArenaStatus {
    /// Leitai's version.
    #[schema(example = "0.1.0")]
    version: &'static str,
    /// The games' ids.
    games: Vec<String>,
    /// Running matches, the newest first.
    live: Vec<MatchSummary>,
    /// Why nothing is being played, `{en, zh}`; null while something is, or waits for a worker.
    #[schema(value_type = Option<Object>)]
    quiet: Option<Value>,
    /// Queued jobs.
    queue: u64,
    /// Live workers.
    workers: usize,
    /// The isolation of programs: a sandbox tier, or `none`.
    isolation: String,
    /// Whether the documentation is served at `/docs`.
    docs: bool,
    /// Whether the author of a game plays it here while he writes it; `/api/saves` says more.
    saves: bool,
}

/// A game in a list, with its ladders.
#[derive(Debug, Serialize, ToSchema)]
struct GameSummary {
    #[serde(flatten)]
    game: GameBrief,
    /// Its ladders, the standard one first.
    ladders: Vec<LadderSummary>,
}

/// A game.
#[derive(Debug, Serialize, ToSchema)]
struct GameBrief {
    #[schema(example = "snakego")]
    id: String,
    title: LocalizedText,
    /// A description in one sentence.
    about: LocalizedText,
    /// Legs in a match.
    legs: usize,
    /// Time for a period, in milliseconds.
    period_ms: u64,
    /// Whether the game has no hidden information.
    open: bool,
    /// Running matches.
    live: usize,
    /// Bots on its standard ladder.
    ladder_size: u64,
    /// Divisions of its standard ladder; 0 if it is not divided.
    divisions: u32,
    /// The address of the picture that a game file brings; null if there is none.
    #[schema(example = "/api/games/othello/emblem?version=4e07408562bedb8b")]
    emblem: Option<String>,
    /// Whether `/api/games/{game}/page-rules` has its rules: the page plays and searches them itself.
    page_rules: bool,
    /// Whether only programs play it, because a judge program leads it: no people, no levels, no *What if*,
    /// no analysis, and its replays are checked for their form alone.
    programs_only: bool,
}

/// A game with its rules.
#[derive(Debug, Serialize, ToSchema)]
struct GameDetails {
    #[serde(flatten)]
    game: GameBrief,
    /// The rules and how to write a bot, in Markdown.
    guide: LocalizedText,
    /// Built-in bots, weakest first.
    bots: Vec<BuiltInBotSummary>,
    /// The config with every default written out.
    #[schema(value_type = Object)]
    config: Value,
    /// The config of its standard ladder with every default written out.
    #[schema(value_type = Object)]
    ladder_config: Value,
    /// Its ladders with what is played there, the standard one first.
    ladders: Vec<LadderDetails>,
    /// The options of its config that the page offers.
    config_options: Vec<ConfigOptionSummary>,
    /// Whether somebody brought it as a file, so that it can be reported.
    brought: bool,
}

/// A ladder of a game.
#[derive(Debug, Serialize, ToSchema)]
struct LadderSummary {
    /// The name, unique among the ladders of its game.
    #[schema(example = "standard")]
    name: String,
    title: LocalizedText,
    /// Bots on it.
    size: u64,
    /// Its divisions; 0 if it is not divided.
    divisions: u32,
}

/// A ladder with what is played there.
#[derive(Debug, Serialize, ToSchema)]
struct LadderDetails {
    #[serde(flatten)]
    ladder: LadderSummary,
    /// The configs with every default written out, of which each match draws one.
    #[schema(value_type = Vec<Object>)]
    configs: Vec<Value>,
    /// The seeds of which each match draws one; empty if each has a new one.
    seeds: Vec<u64>,
}

/// An option of a game's config that the page offers.
#[derive(Debug, Serialize, ToSchema)]
struct ConfigOptionSummary {
    #[schema(example = "fog")]
    key: String,
    title: LocalizedText,
    kind: ConfigOptionKindName,
    /// The least number; null for other kinds.
    least: Option<u32>,
    /// The largest number; null for other kinds.
    most: Option<u32>,
    /// The possible values; empty for other kinds.
    values: Vec<ConfigOptionValue>,
}

/// The kind of an option.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum ConfigOptionKindName {
    /// A whole number.
    Number,
    /// One of several values.
    Word,
    /// Yes or no.
    Switch,
}

/// A value of an option.
#[derive(Debug, Serialize, ToSchema)]
struct ConfigOptionValue {
    #[schema(example = "strict")]
    value: String,
    title: LocalizedText,
}

impl From<ConfigChoice> for ConfigOptionSummary {
    fn from(own: ConfigChoice) -> ConfigOptionSummary {
        let value = |(value, title): (String, leitai_game::LocalizedText)| ConfigOptionValue {
            value,
            title: title.into(),
        };
        let (kind, least, most, values) = match own.kind {
            ConfigChoiceKind::Number(within) => (
                ConfigOptionKindName::Number,
                Some(*within.start()),
                Some(*within.end()),
                Vec::new(),
            ),
            ConfigChoiceKind::Word(words) => (
                ConfigOptionKindName::Word,
                None,
                None,
                words.into_iter().map(value).collect(),
            ),
            ConfigChoiceKind::Switch => (ConfigOptionKindName::Switch, None, None, Vec::new()),
        };
        ConfigOptionSummary {
            key: own.key,
            title: own.title.into(),
            kind,
            least,
            most,
            values,
        }
    }
}

/// A built-in bot.
#[derive(Debug, Serialize, ToSchema)]
struct BuiltInBotSummary {
    name: String,
    about: LocalizedText,
    /// Its bot on the ladder.
    bot: Option<i64>,
}

/// A row of a ladder.
#[derive(Debug, Serialize, ToSchema)]
pub struct LadderRowSummary {
    /// Best and worst place, with a confidence of 95 %.
    rank: [u32; 2],
    bot: BotSummary,
    rating: RatingSummary,
    games: i64,
    wins: i64,
    draws: i64,
    losses: i64,
    /// Matches beside these that did not count, because they were copies of earlier ones.
    copies: i64,
    faults: i64,
    /// The last ratings, oldest first.
    trend: Vec<f64>,
    /// The division, from 1, the best; null on a ladder that is not divided.
    division: Option<u32>,
    /// Where most of its possible places lie, if not in its division. It moves once all of them do.
    tendency: Option<TendencyName>,
}

/// To a better or to a worse division.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum TendencyName {
    Up,
    Down,
}

/// A part of a ladder.
#[derive(Clone, Copy, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct LadderPart {
    /// One division only, from 1; empty on a ladder that is not divided.
    #[param(value_type = Option<u32>, minimum = 1)]
    division: Option<NonZeroU32>,
    /// Only bots of which their authors say that an agent wrote them, or only the others. Ranks stay
    /// those among all.
    by_agent: Option<bool>,
}

/// A starter program. It plays as it is.
#[derive(Debug, Serialize, ToSchema)]
struct TemplateSummary {
    #[schema(example = "python")]
    language: String,
    #[schema(example = "main.py")]
    file_name: String,
    code: String,
    /// The SDK's files, which come along when the program names them; their texts are at
    /// `/templates/{game}/{file}`.
    files: Vec<String>,
}

/// Who asks for the state of the arena.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct StatusQuery {
    /// Whether somebody looks at a page that shows live matches: exhibitions begin for them.
    #[serde(default)]
    watching: bool,
}

/// The state of the arena.
#[utoipa::path(get, operation_id = "get_status",
    path = "/api/status", tag = "games", params(StatusQuery),
    responses((status = 200, body = ArenaStatus)))]
async fn show_status(
    app: App,
    Query(query): Query<StatusQuery>,
    headers: HeaderMap,
) -> Result<Response> {
    if query.watching {
        app.arena.audience.note_visit(Timestamp::now());
    }
    let make = async {
        let filter = MatchFilter {
            state: Some(leitai_store::MatchState::Running),
            seen_at: Some(Timestamp::now()),
            ..MatchFilter::default()
        };
        let live = app
            .store
            .list_matches(&filter, &PageQuery::first_page(SHOWN))
            .await?;
        let queue = app.store.queue_depth().await?;
        let is_quiet = live.items.is_empty() && queue == 0;
        Ok(ArenaStatus {
            quiet: is_quiet.then(|| describe_quiet(app.options.exhibitions)),
            version: env!("CARGO_PKG_VERSION"),
            games: (app.games.list().iter())
                .map(|game| game.meta().id.to_owned())
                .collect(),
            live: live
                .items
                .into_iter()
                .map(|own| with_live_state(MatchSummary::from(own), &app.arena.live))
                .collect(),
            queue,
            workers: app.store.living_workers(Timestamp::now()).await?.len(),
            isolation: app.options.isolation.clone(),
            docs: app.options.docs.is_some(),
            saves: app.options.saves.is_some(),
        })
    };
    app.responses
        .get("/api/status".to_owned(), &headers, make)
        .await
}

/// Why nothing is being played.
fn describe_quiet(exhibitions: bool) -> Value {
    json!(messages::catalogue([]).write_both(|lang| match exhibitions {
        true => lang.label(
            "Nothing is being played: the ratings of the built-in bots are known. They play as soon \
            as somebody watches, and when an uploaded bot needs opponents.",
        ),
        false => lang.label(
            "Nothing is being played: the ratings of the built-in bots are known. They play when an \
            uploaded bot needs opponents; this arena has no exhibitions.",
        ),
    }))
}

/// All games in display order, with their ladders.
#[utoipa::path(get, operation_id = "list_games",
    path = "/api/games", tag = "games", responses((status = 200, body = Vec<GameSummary>)))]
async fn list_games(app: App, headers: HeaderMap) -> Result<Response> {
    let make = async {
        let mut all = Vec::new();
        for game in app.games.list().iter() {
            let mut ladders = Vec::new();
            for rules in app.options.ladders.of_game(&**game) {
                ladders.push(ladder_summary(&app, &rules).await?);
            }
            let game = game_brief(&app, &**game).await?;
            all.push(GameSummary { game, ladders });
        }
        Ok(all)
    };
    app.responses
        .get("/api/games".to_owned(), &headers, make)
        .await
}

async fn game_brief(app: &App, game: &dyn AnyGame) -> Result<GameBrief> {
    let meta = game.meta();
    let ladder = LadderId::standard(meta.id);
    let running = Some(leitai_store::MatchState::Running);
    let filter = MatchFilter {
        game: Some(meta.id.to_owned()),
        state: running,
        seen_at: Some(Timestamp::now()),
        ..MatchFilter::default()
    };
    Ok(GameBrief {
        id: meta.id.to_owned(),
        title: meta.title.into(),
        about: meta.about.into(),
        legs: meta.legs,
        period_ms: meta.period_limit.as_millis() as u64,
        open: game.is_open(),
        live: app
            .store
            .list_matches(
                &filter,
                &PageQuery::first_page(leitai_store::values::page::MOST),
            )
            .await?
            .items
            .len(),
        ladder_size: app.store.ladder_size(&ladder).await?,
        divisions: app.store.count_divisions(&ladder).await?,
        emblem: game.emblem().map(|svg| {
            let (id, version) = (meta.id, version_of(svg));
            format!("/api/games/{id}/emblem?version={version}")
        }),
        page_rules: has_page_rules(app, game).await?,
        programs_only: !game.capabilities().legal_actions,
    })
}

/// Whether a page may have the rules of a game. Of the few that were brought and that no page can play
/// this says so, too: the answer to a page that asks tells it.
async fn has_page_rules(app: &App, game: &dyn AnyGame) -> Result<bool> {
    // A judge program is no module.
    let is_module = game.capabilities().legal_actions;
    let is_brought = app.store.is_brought(game.meta().id, Timestamp::now());
    Ok(game.page_rules().is_some() || (is_module && is_brought.await?))
}

/// What changes whenever a picture does.
fn version_of(svg: &str) -> String {
    hash_of(svg.as_bytes())[..16].to_owned()
}

/// What of a game is asked for.
#[derive(Clone, Copy, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct GameParameters {
    /// Whether the guide for players is in the answer, the longest part of it; default true.
    /// Without it both texts are empty.
    guide: Option<bool>,
}

/// A game with its rules, its built-in bots and its config.
#[utoipa::path(get, operation_id = "get_game",
    path = "/api/games/{game}", tag = "games",
    params(("game" = String, Path, example = "snakego"), GameParameters),
    responses((status = 200, body = GameDetails)))]
async fn show_game(
    app: App,
    Path(id): Path<String>,
    Query(wanted): Query<GameParameters>,
    headers: HeaderMap,
) -> Result<Response> {
    let game = match app.need_game(&id) {
        Ok(game) => game,
        Err(unknown) => {
            return Err(match find_reason(&app, &id).await? {
                Some(why) => ApiError::new(
                    StatusCode::NOT_FOUND,
                    "taken-down",
                    format!("the game {id} was taken down: {why}"),
                ),
                None => unknown,
            });
        }
    };
    let with_guide = wanted.guide.unwrap_or(true);
    let make = async {
        let config = game
            .read_config(&Value::Null)
            .map_err(|error| ApiError::internal_error("the game has no config", &error))?;
        let guide = match with_guide {
            true => drawn_guide(&*game)?,
            false => LocalizedText {
                en: String::new(),
                zh: String::new(),
            },
        };
        let bots = built_ins(&app, &*game).await?;
        let config = name_switches(&*game, config);
        let ladders = ladders_of(&app, &*game).await?;
        let ladder_config = ladders[0].configs[0].clone();
        let config_options = game
            .config_choices()
            .into_iter()
            .map(ConfigOptionSummary::from)
            .collect();
        Ok(GameDetails {
            game: game_brief(&app, &*game).await?,
            guide,
            bots,
            config,
            ladder_config,
            ladders,
            config_options,
            brought: app.store.is_brought(&id, Timestamp::now()).await?,
        })
    };
    app.responses
        .get(
            format!("/api/games/{id}?guide={with_guide}"),
            &headers,
            make,
        )
        .await
}

/// The ladders of a game with what is played there, the standard one first.
async fn ladders_of(app: &App, game: &dyn AnyGame) -> Result<Vec<LadderDetails>> {
    let mut ladders = Vec::new();
    for rules in app.options.ladders.of_game(game) {
        let ladder = ladder_summary(app, &rules).await?;
        let configs = rules.configs.into_iter();
        ladders.push(LadderDetails {
            ladder,
            configs: configs.map(|config| name_switches(game, config)).collect(),
            seeds: rules.seeds,
        });
    }
    Ok(ladders)
}

async fn ladder_summary(app: &App, rules: &LadderRules) -> Result<LadderSummary> {
    let [en, zh] = rules.title.clone();
    Ok(LadderSummary {
        name: rules.id.name().to_owned(),
        title: LocalizedText { en, zh },
        size: app.store.ladder_size(&rules.id).await?,
        divisions: app.store.count_divisions(&rules.id).await?,
    })
}

/// A config with every switch in it: a game may leave out one that is off, so that configs from
/// before it existed stay the same.
fn name_switches(game: &dyn AnyGame, mut config: Value) -> Value {
    let choices = game.config_choices().into_iter();
    for choice in choices.filter(|choice| matches!(choice.kind, ConfigChoiceKind::Switch)) {
        if let Some(all) = config.as_object_mut() {
            all.entry(choice.key).or_insert(Value::Bool(false));
        }
    }
    config
}

/// The guide in which the pictures' positions have been played.
fn drawn_guide(game: &dyn AnyGame) -> Result<LocalizedText> {
    let draw = |text: &str| {
        if !game.capabilities().guide_pictures {
            return Ok(text.to_owned());
        }
        expand_positions(game, text)
            .map_err(|error| ApiError::internal_error("the guide has no pictures", &error))
    };
    let guide = game.rules_guide();
    Ok(LocalizedText {
        en: draw(guide.en)?,
        zh: draw(guide.zh)?,
    })
}

async fn built_ins(app: &App, game: &dyn AnyGame) -> Result<Vec<BuiltInBotSummary>> {
    let known = app.store.built_ins(game.meta().id).await?;
    let bot_of = |name: &str| {
        known
            .iter()
            .find(|bot| bot.name == name)
            .map(|bot| bot.id.0)
    };
    let all = game.list_bots().into_iter();
    Ok(all
        .map(|(name, about)| BuiltInBotSummary {
            name: name.to_owned(),
            about: about.into(),
            bot: bot_of(name),
        })
        .collect())
}

/// A ladder of a game, best first.
#[utoipa::path(get, operation_id = "get_ladder",
    path = "/api/games/{game}/ladder", tag = "games",
    params(("game" = String, Path, example = "snakego"), WhichLadder, LadderPart, WhichRanks),
    responses((status = 200, body = ListPage<LadderRowSummary>)))]
async fn list_ladder(
    app: App,
    Path(id): Path<String>,
    Query(of): Query<WhichLadder>,
    Query(part): Query<LadderPart>,
    Query(which): Query<WhichRanks>,
    headers: HeaderMap,
) -> Result<Response> {
    let ladder = app.need_ladder(&id, of.ladder.as_deref())?.id;
    let ask = which.to_page_query()?;
    let key = format!(
        "ladder {ladder} {part:?} {} {}",
        ask.limit,
        ask.before.as_deref().unwrap_or_default()
    );
    let make = async {
        let part = leitai_store::LadderPart {
            division: part.division.map(NonZeroU32::get),
            by_agent: part.by_agent,
        };
        let page = app.store.list_ladder_part(&ladder, part, &ask).await?;
        Ok(ListPage::from_page(page, LadderRowSummary::from))
    };
    app.responses.get(key, &headers, make).await
}

impl From<leitai_store::LadderRow> for LadderRowSummary {
    fn from(row: leitai_store::LadderRow) -> LadderRowSummary {
        let standing = row.standing;
        LadderRowSummary {
            rank: row.rank,
            bot: row.bot.into(),
            rating: row.rating.into(),
            games: standing.games,
            wins: standing.wins,
            draws: standing.draws,
            losses: standing.losses,
            copies: standing.copies,
            faults: standing.faults,
            trend: standing.trend.0.into_iter().map(round_to_tenths).collect(),
            division: row.division,
            tendency: row.tendency.map(|tendency| match tendency {
                Tendency::Up => TendencyName::Up,
                Tendency::Down => TendencyName::Down,
            }),
        }
    }
}

/// Starter programs, one for each language. Each plays as it is.
#[utoipa::path(get, operation_id = "list_templates",
    path = "/api/templates/{game}", tag = "games", params(("game" = String, Path, example = "snakego")),
    responses((status = 200, body = Vec<TemplateSummary>)))]
async fn list_templates(app: App, Path(id): Path<String>, headers: HeaderMap) -> Result<Response> {
    let game = app.need_game(&id)?;
    let template = |own: leitai_game::TemplateOf<'_>| TemplateSummary {
        language: own.language.to_owned(),
        file_name: own.file_name.to_owned(),
        code: own.code.to_owned(),
        files: own.files.iter().map(|file| file.name.to_owned()).collect(),
    };
    let make = async {
        Ok(game
            .list_templates()
            .into_iter()
            .map(template)
            .collect::<Vec<_>>())
    };
    app.responses
        .get(format!("/api/templates/{id}"), &headers, make)
        .await
}

/// Which version of a game is meant.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct WhichRules {
    /// The rules with their version, such as those of a replay; the newest without it.
    #[param(example = "othello/1")]
    pub rules: Option<String>,
}

/// How a game file draws its board.
#[derive(Debug, Serialize, ToSchema)]
struct ViewerScript {
    /// `viewer.js` of the file: a stranger's program, which a page must not run as its own; null if
    /// the game has none.
    script: Option<String>,
}

/// The script by which a game file draws its board. It is an answer in JSON, so that no page takes it
/// for a script of this arena.
#[utoipa::path(get, operation_id = "get_viewer",
    path = "/api/games/{game}/viewer", tag = "games", params(("game" = String, Path, example = "snakego"), WhichRules),
    responses((status = 200, body = ViewerScript)))]
async fn show_viewer(
    app: App,
    Path(id): Path<String>,
    Query(which): Query<WhichRules>,
) -> Answer<ViewerScript> {
    let exact = which
        .rules
        .and_then(|rules| app.games.find_exact(&id, &rules));
    let game = match exact {
        Some(game) => game,
        None => app.need_game(&id)?,
    };
    let script = game.viewer_script().map(str::to_owned);
    Ok(Json(ViewerScript { script }))
}

/// Which picture.
#[derive(Clone, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct EmblemParameters {
    /// The one that a list of games named: it is kept by browsers. Without it, or once there is
    /// another, the present picture is the answer, and is asked for again.
    version: Option<String>,
}

/// A stranger's picture is a document, too, if somebody opens its address: one of an origin of its own in
/// which nothing runs and nothing is fetched.
const EMBLEM_POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'";

/// The picture that a game file brings.
#[utoipa::path(get, operation_id = "get_emblem",
    path = "/api/games/{game}/emblem", tag = "games",
    params(("game" = String, Path, example = "othello"), EmblemParameters),
    responses((status = 200, description = "a picture", content_type = "image/svg+xml", body = String)))]
async fn show_emblem(
    app: App,
    Path(id): Path<String>,
    Query(asked): Query<EmblemParameters>,
) -> Result<Response> {
    let game = app.need_game(&id)?;
    let none = || ApiError::not_found(format!("the game {id} brings no emblem"));
    let svg = game.emblem().ok_or_else(none)?;
    let keep = match asked
        .version
        .is_some_and(|version| version == version_of(svg))
    {
        true => "private, max-age=31536000, immutable",
        false => "no-cache",
    };
    let headers = [
        (header::CONTENT_TYPE, "image/svg+xml; charset=utf-8"),
        (header::CONTENT_SECURITY_POLICY, EMBLEM_POLICY),
        (header::CACHE_CONTROL, keep),
        (
            axum::http::HeaderName::from_static("cross-origin-resource-policy"),
            "same-origin",
        ),
    ];
    Ok((headers, svg.to_owned()).into_response())
}
