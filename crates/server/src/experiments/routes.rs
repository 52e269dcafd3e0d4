//! Routes: experiments.

use leitai_ladder::Sprt;
use leitai_store::{
    Bot, BotId, Experiment, ExperimentState, LadderId, MatchSeed, NewExperiment, Page, StoredBook,
    TestBounds, Unstarted, Version, VersionId, VersionState,
};
use serde_json::Value;
use utoipa_axum::router::UtoipaMethodRouterExt;

use super::access::need_seen;
use super::answers::{ExperimentDetails, ExperimentSummary, describe, summarise};
use super::book_upload::{book_body, keep_again, keep_book};
use super::export::export_routes;
use crate::bots::routes::access::need_own_bot;
use crate::contests::routes::lanes::{Becoming, check_contests};
use crate::http::chosen_bot::with_settings;
use crate::http::prelude::*;
use crate::schedule::random_seed;
use crate::sync::call_rules;

/// The most pairs of an experiment.
pub const MOST_PAIRS: i32 = 2_000;
/// The most variants that are tested at the same time, and the most opponents of a pool.
pub const MOST_TOGETHER: usize = 8;

/// The routes of experiments.
pub fn experiment_routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list_experiments, start_experiment).layer(book_body()))
        .routes(routes!(show_experiment))
        .routes(routes!(stop_experiment))
        .merge(export_routes())
}

/// The hypotheses of a test, its error rates and its most pairs.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct BoundsRequest {
    /// The weaker hypothesis, in Elo.
    #[schema(example = 0.0)]
    pub elo0: f64,
    /// The stronger hypothesis, in Elo.
    #[schema(example = 30.0)]
    pub elo1: f64,
    /// The chance to accept what is only `elo0` stronger.
    #[schema(example = 0.05)]
    pub alpha: f64,
    /// The chance to reject what is `elo1` stronger.
    #[schema(example = 0.05)]
    pub beta: f64,
    /// The number of pairs after which it ends undecided: 1 to 2000.
    #[schema(minimum = 1, maximum = 2000, example = 200)]
    pub most_pairs: i32,
}

impl Default for BoundsRequest {
    fn default() -> BoundsRequest {
        let TestBounds {
            elo0,
            elo1,
            alpha,
            beta,
            most_pairs,
        } = TestBounds::CANDIDATE;
        BoundsRequest {
            elo0,
            elo1,
            alpha,
            beta,
            most_pairs,
        }
    }
}

impl BoundsRequest {
    /// The bounds, if they make sense.
    pub fn check(self) -> Result<TestBounds> {
        let BoundsRequest {
            elo0,
            elo1,
            alpha,
            beta,
            most_pairs,
        } = self;
        let sprt = Sprt {
            elo0,
            elo1,
            alpha,
            beta,
        };
        let refuse = |why: String| ApiError::invalid_field("bad-bounds", "bounds", why);
        sprt.check_parameters().map_err(refuse)?;
        if !(1..=MOST_PAIRS).contains(&most_pairs) {
            let why = format!("most_pairs is {most_pairs}; it must be 1 to {MOST_PAIRS}");
            return Err(refuse(why));
        }
        Ok(TestBounds {
            elo0,
            elo1,
            alpha,
            beta,
            most_pairs,
        })
    }
}

/// An experiment to be started.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct ExperimentRequest {
    /// The caller's bot.
    bot: i64,
    /// The number of the version that is tested; the newest one that passed its checks if absent.
    version: Option<i32>,
    /// The bot against which it is tested; the same one if absent.
    against: Option<i64>,
    /// The number of its version; the active one if absent. Of others' bots only the active one plays.
    against_version: Option<i32>,
    /// The bounds; 30 Elo, error rates of 5 % and 200 pairs if absent.
    #[serde(default)]
    bounds: BoundsRequest,
    /// The seed of the first pair; random if absent.
    seed: Option<u64>,
    /// The game's config; absent keys have their defaults.
    #[serde(default)]
    #[schema(value_type = Option<Object>)]
    config: Value,
    /// Whether the version becomes the active one if it is accepted; against the active version of the
    /// same bot only.
    #[serde(default)]
    promotes: bool,
    /// The numbers of further versions of the bot, tested at the same time as variants of one idea. Each
    /// has its part of `alpha`; those that are rejected drop out, and the first that is accepted ends
    /// the others.
    #[serde(default)]
    variants: Vec<i32>,
    /// Ids of bots that play on the ladder: both versions play against these in turn, instead of against
    /// each other, and what counts is who got more out of the same seed and seat.
    #[serde(default)]
    pool: Vec<i64>,
    /// So many bots that stand next to the base on the ladder join the pool.
    #[serde(default)]
    neighbours: usize,
    /// What the tested versions alone play with, as `settings` of a friendly match. With different
    /// settings a version may be tested against itself.
    settings: Option<String>,
    /// What the version against which is tested alone plays with.
    against_settings: Option<String>,
    /// The text of a position book, as `leitai book make` writes one, of at most 4 MiB, 2,000 positions
    /// and 200,000 steps to them: every match starts from one of its positions, which the seed of its
    /// pair draws, with both seats. Its positions bring their config along.
    book: Option<String>,
}

/// Starts a sequential test of a version of one's bot against another version, played in pairs beside
/// the ladder. It ends by itself.
#[utoipa::path(post, operation_id = "start_experiment",
    path = "/api/experiments", tag = "experiments", security(("token" = []), ("session" = [])),
    request_body = ExperimentRequest, responses(
    (status = 201, body = ExperimentDetails), (status = 401, body = ErrorBody), (status = 403, body = ErrorBody),
    (status = 404, body = ErrorBody), (status = 409, body = ErrorBody), (status = 422, body = ErrorBody),
    (status = 429, body = ErrorBody),
))]
async fn start_experiment(
    app: App,
    user: SignedInUser,
    Json(wanted): Json<ExperimentRequest>,
) -> Result<(StatusCode, Json<ExperimentDetails>)> {
    app.limiter.allow_experiment(user.id).await?;
    let bot = need_own_bot(&app, &user, BotId(wanted.bot)).await?;
    let bounds = wanted.bounds.check()?;
    let base_bot = match wanted.against {
        Some(other) if other != wanted.bot => app.store.find_bot(BotId(other)).await?,
        _ => bot.clone(),
    };
    if base_bot.game != bot.game {
        let why = format!(
            "{} plays {}, not {}",
            base_bot.name, base_bot.game, bot.game
        );
        return Err(ApiError::invalid_field("other-game", "against", why));
    }
    let base = choose_base(&app, &user, &base_bot, wanted.against_version).await?;
    let settings = read_settings(&app, &user, &wanted, &bot, &base).await?;
    let other = (settings[0] == settings[1]).then_some(&base);
    let tested = choose_all_tested(&app, &bot, &wanted, other).await?;
    if wanted.promotes && bot.active != Some(base.id) {
        let why = "a candidate is tested against the active version of its bot; leave `against` and \
                   `against_version` out, or `promotes`";
        return Err(ApiError::invalid_field("not-active", "promotes", why));
    }
    if wanted.promotes && settings != [None, None] {
        let why = "a version that becomes the active one plays without settings; leave them out";
        return Err(ApiError::invalid_field("bad-settings", "promotes", why));
    }
    if wanted.promotes {
        check_contests(&app, &bot, Becoming::ByTest).await?;
    }
    let seed = wanted.seed.unwrap_or_else(random_seed);
    let new = NewExperiment {
        owner: user.id,
        game: bot.game.clone(),
        tested: (bot.id, tested[0]),
        base: (base_bot.id, base.id),
        promotes: wanted.promotes,
        config: read_config(&app, &bot.game, &wanted.config, seed)?,
        seed: MatchSeed::from(seed),
        bounds,
        variants: tested[1..].to_vec(),
        pool: choose_pool(&app, &user, &wanted, &base_bot).await?,
        settings,
        book: read_book(&app, &bot, &wanted).await?,
        benchmark: None,
    };
    let made = create(&app, new).await?;
    if let (Some(book), Some(text)) = (made.own_book(), &wanted.book) {
        keep_again(&app, &book, text).await?;
    }
    let made = describe(&app, &made).await?;
    Ok((StatusCode::CREATED, Json(made)))
}

/// The book from which matches start, kept in the blob store.
async fn read_book(app: &App, bot: &Bot, wanted: &ExperimentRequest) -> Result<Option<StoredBook>> {
    match &wanted.book {
        Some(_) if !wanted.config.is_null() => {
            let why = "the positions of a book bring their config along; leave `config` out";
            Err(ApiError::invalid_field("bad-book", "config", why))
        }
        Some(text) => Ok(Some(keep_book(app, &bot.game, text).await?)),
        None => Ok(None),
    }
}

pub(super) async fn create(app: &App, new: NewExperiment) -> Result<Experiment> {
    let most = app.options.limits.experiments as u64;
    let made = app
        .store
        .create_experiment(new, most, Timestamp::now())
        .await?;
    made.map_err(|Unstarted::Running(running)| {
        let why = format!(
            "you have {running} running experiments, as many as the arena allows; wait for the end \
             of one, or stop one"
        );
        ApiError::conflict("too-many", why)
    })
}

/// What the tested versions and the base alone play with.
async fn read_settings(
    app: &App,
    user: &SignedInUser,
    wanted: &ExperimentRequest,
    bot: &Bot,
    base: &Version,
) -> Result<[Option<String>; 2]> {
    if wanted.settings.is_none() && wanted.against_settings.is_none() {
        return Ok([None, None]);
    }
    let game = app.need_game(&bot.game)?;
    // Whose a version is does not depend on which one it is.
    let tested = ready_version(app, bot, wanted.version).await?.id;
    let asked = [
        (tested, "settings", wanted.settings.as_deref()),
        (
            base.id,
            "against_settings",
            wanted.against_settings.as_deref(),
        ),
    ];
    let mut read = [None, None];
    for (own, (version, field, settings)) in read.iter_mut().zip(asked) {
        let entrant = app.store.entrant_of_version(version).await?;
        let entrant = with_settings(app, user, &*game, entrant, (field, settings)).await?;
        *own = entrant.settings;
    }
    Ok(read)
}

/// The version that is tested, and its further variants: not too many, and none twice.
async fn choose_all_tested(
    app: &App,
    bot: &Bot,
    wanted: &ExperimentRequest,
    base: Option<&Version>,
) -> Result<Vec<VersionId>> {
    let refuse = |why: String| Err(ApiError::invalid_field("bad-variants", "variants", why));
    // The first one may be named as `version` or among `variants`.
    let first = wanted.version.is_some() || wanted.variants.is_empty();
    let first = first.then_some(wanted.version);
    let count = first.iter().count() + wanted.variants.len();
    if count > MOST_TOGETHER {
        return refuse(format!(
            "{count} variants; at most {MOST_TOGETHER} are tested at the same time"
        ));
    }
    let mut tested = Vec::new();
    for number in first
        .into_iter()
        .chain(wanted.variants.iter().copied().map(Some))
    {
        let one = choose_tested(app, bot, number, base).await?;
        if tested.contains(&one.id) {
            return refuse(format!(
                "version {} is named twice among the variants",
                one.number
            ));
        }
        tested.push(one.id);
    }
    Ok(tested)
}

/// The active versions of the bots of a pool: the named ones, and those next to the base on the ladder.
async fn choose_pool(
    app: &App,
    user: &SignedInUser,
    wanted: &ExperimentRequest,
    base: &Bot,
) -> Result<Vec<VersionId>> {
    let refuse = |why: String| Err(ApiError::invalid_field("bad-pool", "pool", why));
    if wanted.pool.len().saturating_add(wanted.neighbours) > MOST_TOGETHER {
        return refuse(format!("a pool has at most {MOST_TOGETHER} bots"));
    }
    let mut bots: Vec<BotId> = wanted.pool.iter().copied().map(BotId).collect();
    if wanted.neighbours > 0 {
        let ladder = LadderId::standard(&base.game);
        let mut near = app
            .store
            .ladder_neighbours(&ladder, base, wanted.neighbours + 1)
            .await?;
        near.retain(|bot| bot.id.0 != wanted.bot);
        near.truncate(wanted.neighbours);
        if near.is_empty() {
            return refuse(format!(
                "{} has no neighbours on the ladder; name bots in `pool`",
                base.name
            ));
        }
        bots.extend(near.into_iter().map(|bot| bot.id));
    }
    let mut pool = Vec::new();
    for id in bots {
        let bot = app.store.find_bot(id).await?;
        if bot.game != base.game || bot.id == base.id || bot.id.0 == wanted.bot {
            return refuse(format!(
                "{} cannot be in the pool: it plays {}, and must be another bot of {}",
                bot.name, bot.game, base.game
            ));
        }
        let active = choose_base(app, user, &bot, None).await?.id;
        if !pool.contains(&active) {
            pool.push(active);
        }
    }
    Ok(pool)
}

/// The config with all defaults, if the rules take it.
fn read_config(app: &App, game: &str, config: &Value, seed: u64) -> Result<Value> {
    let game = app.need_game(game)?;
    let read = call_rules(&*game, || {
        let config = game.read_config(config)?;
        // Only dealing a setup shows whether the config is consistent.
        game.deal_setup(&config, seed)?;
        Ok(config)
    });
    read.map_err(|why: leitai_game::InvalidSetup| {
        ApiError::invalid_field("bad-config", "config", why.to_string())
    })
}

/// The version against which is tested: of one's own bots any that is ready, of others' the active one.
async fn choose_base(
    app: &App,
    user: &SignedInUser,
    bot: &Bot,
    number: Option<i32>,
) -> Result<Version> {
    let active = match bot.active {
        Some(active) => Some(app.store.find_version(active).await?),
        None => None,
    };
    let is_active = |own: &Version| number.is_none_or(|number| number == own.number);
    let listed = bot.built_in() || bot.is_listed();
    let is_own = app.store.owns_bot(bot, user.id).await?;
    match active {
        Some(active) if is_active(&active) && (is_own || listed) => Ok(active),
        _ if is_own && number.is_some() => ready_version(app, bot, number).await,
        _ => {
            let why = format!(
                "only the version of {} that plays on the ladder may be challenged",
                bot.name
            );
            Err(ApiError::invalid_field(
                "not-active",
                "against_version",
                why,
            ))
        }
    }
}

/// The version that is tested: another one than the base, if that plays with the same settings.
async fn choose_tested(
    app: &App,
    bot: &Bot,
    number: Option<i32>,
    base: Option<&Version>,
) -> Result<Version> {
    let tested = ready_version(app, bot, number).await?;
    if base.is_none_or(|base| tested.id != base.id) {
        return Ok(tested);
    }
    let why = format!(
        "version {} of {} would be tested against itself; upload another one, or choose `version`",
        tested.number, bot.name
    );
    Err(ApiError::invalid_field("same-version", "version", why))
}

/// The version with this number, or the newest one, that passed its checks.
pub(super) async fn ready_version(app: &App, bot: &Bot, number: Option<i32>) -> Result<Version> {
    let versions = app.store.versions_of(bot.id).await?;
    let fits = |number_of: i32, state: VersionState| {
        number.is_none_or(|number| number == number_of) && state == VersionState::Ready
    };
    match versions.iter().find(|own| fits(own.number, own.state)) {
        Some(found) => Ok(app.store.find_version(found.id).await?),
        None => {
            let why = match number {
                Some(number) => format!(
                    "{} has no version {number} that passed its checks",
                    bot.name
                ),
                None => format!("{} has no version that passed its checks", bot.name),
            };
            Err(ApiError::invalid_field("not-ready", "version", why))
        }
    }
}

/// Which experiments are listed.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct WhichExperiments {
    /// A bot of the caller; absent: all bots of the caller.
    bot: Option<i64>,
}

/// The experiments of the caller's bots, newest first.
#[utoipa::path(get, operation_id = "list_experiments",
    path = "/api/experiments", tag = "experiments", security(("token" = []), ("session" = [])),
    params(WhichExperiments, PageParameters), responses(
    (status = 200, body = ListPage<ExperimentSummary>), (status = 400, body = ErrorBody),
    (status = 401, body = ErrorBody), (status = 403, body = ErrorBody), (status = 404, body = ErrorBody),
))]
async fn list_experiments(
    app: App,
    user: SignedInUser,
    Query(which): Query<WhichExperiments>,
    Query(page): Query<PageParameters>,
) -> Answer<ListPage<ExperimentSummary>> {
    let bots = match which.bot {
        Some(bot) => vec![need_own_bot(&app, &user, BotId(bot)).await?.id],
        None => {
            let bots = app.store.bots_of(user.id).await?;
            bots.iter().map(|bot| bot.id).collect()
        }
    };
    let Page { items, next } = app
        .store
        .list_experiments(&bots, &page.page_query()?)
        .await?;
    let mut shown = Vec::new();
    for own in &items {
        shown.push(summarise(&app, own).await?);
    }
    Ok(Json(ListPage { items: shown, next }))
}

/// An experiment with its result so far.
#[utoipa::path(get, operation_id = "get_experiment",
    path = "/api/experiments/{id}", tag = "experiments", security(("token" = []), ("session" = [])),
    params(("id" = i64, Path)), responses(
    (status = 200, body = ExperimentDetails), (status = 401, body = ErrorBody), (status = 404, body = ErrorBody),
))]
async fn show_experiment(
    app: App,
    user: SignedInUser,
    Path(id): Path<i64>,
) -> Answer<ExperimentDetails> {
    let own = need_seen(&app, &user, id).await?;
    Ok(Json(describe(&app, &own).await?))
}

/// Stops an experiment: its open matches are cancelled, and its pairs so far stay. One that is over
/// stays as it is.
#[utoipa::path(post, operation_id = "stop_experiment",
    path = "/api/experiments/{id}/stop", tag = "experiments", security(("token" = []), ("session" = [])),
    params(("id" = i64, Path)), responses(
    (status = 200, body = ExperimentDetails), (status = 401, body = ErrorBody), (status = 404, body = ErrorBody),
))]
async fn stop_experiment(
    app: App,
    user: SignedInUser,
    Path(id): Path<i64>,
) -> Answer<ExperimentDetails> {
    let own = need_seen(&app, &user, id).await?;
    let (state, now) = (ExperimentState::Cancelled, Timestamp::now());
    app.store.end_experiment(own.id, state, None, now).await?;
    let own = app.store.find_experiment(own.id).await?;
    Ok(Json(describe(&app, &own).await?))
}
