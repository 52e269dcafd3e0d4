//! Routes: benchmarks, which the arena plays and signs.

use leitai_series::rating::find_scale;
use leitai_store::values::secret::random_token;
use leitai_store::{Bot, BotId, Experiment, ExperimentState, MatchSeed, NewExperiment, TestBounds};
use sha2::{Digest, Sha256};

use super::access::need_seen;
use super::answers::{ExperimentDetails, describe};
use super::benchmark::{BenchmarkNote, level_versions};
use super::benchmark_file::{AuthorClaims, MeasuredVersion, Seeds};
use super::export::private_file;
use super::routes::{MOST_PAIRS, create, ready_version};
use crate::bots::routes::access::need_own_bot;
use crate::http::prelude::*;
use crate::signatures::Signer;
use crate::work::entrants::read_upload;

/// The longest name of who wrote a bot, in characters.
const LONGEST_AGENT: usize = 100;
/// The highest cost, in US dollars.
const HIGHEST_COST: f64 = 1e9;

/// The routes of benchmarks.
pub fn benchmark_routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(start_benchmark))
        .routes(routes!(download_benchmark))
}

/// A benchmark to be started.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct BenchmarkRequest {
    /// The caller's bot.
    bot: i64,
    /// The number of the version that is measured; the newest one that passed its checks if absent.
    version: Option<i32>,
    /// Pairs of games: 1 to 2000; 60 if absent.
    #[serde(default = "usual_pairs")]
    #[schema(minimum = 1, maximum = 2000, example = 60)]
    pairs: i32,
    /// What the author says about how the bot was written; it stands in the result as that.
    #[serde(default)]
    author: AuthorClaims,
}

fn usual_pairs() -> i32 {
    60
}

/// Starts a benchmark of a version of one's bot: pairs of games against the levels of the game's rating
/// scale, as `leitai benchmark` plays them, with seeds whose hash is told now. It counts as a running
/// experiment.
#[utoipa::path(post, operation_id = "start_benchmark",
    path = "/api/benchmarks", tag = "experiments", security(("token" = []), ("session" = [])),
    request_body = BenchmarkRequest, responses(
    (status = 201, body = ExperimentDetails), (status = 401, body = ErrorBody), (status = 403, body = ErrorBody),
    (status = 404, body = ErrorBody), (status = 409, body = ErrorBody), (status = 422, body = ErrorBody),
    (status = 429, body = ErrorBody),
))]
async fn start_benchmark(
    app: App,
    user: SignedInUser,
    Json(wanted): Json<BenchmarkRequest>,
) -> Result<(StatusCode, Json<ExperimentDetails>)> {
    app.limiter.allow_experiment(user.id).await?;
    let bot = need_own_bot(&app, &user, BotId(wanted.bot)).await?;
    check_request(&wanted)?;
    let game = app.need_game(&bot.game)?;
    let scale = find_scale(&*game)
        .map_err(|why| ApiError::invalid_field("no-scale", "bot", why.to_string()))?;
    let levels = level_versions(&app.store, &bot.game, scale).await?;
    let levels = levels.map_err(|level| {
        let why = format!("{level} does not play here yet; try again in a minute");
        ApiError::conflict("no-level", why)
    })?;
    let (note, version) = note_benchmark(&app, &bot, &wanted, &scale.name).await?;
    let pairs = u64::from(wanted.pairs.unsigned_abs());
    let seeds = Seeds::from_nonce(&bot.game, pairs, note.nonce.clone());
    let new = NewExperiment {
        owner: user.id,
        game: bot.game.clone(),
        tested: (bot.id, version),
        // There is no other version: the first level stands in its place.
        base: levels[0],
        promotes: false,
        config: serde_json::Value::Null,
        seed: MatchSeed::from(seeds.first_seed),
        bounds: TestBounds {
            most_pairs: wanted.pairs,
            ..TestBounds::CANDIDATE
        },
        variants: Vec::new(),
        pool: levels.into_iter().map(|(_, version)| version).collect(),
        settings: [None, None],
        book: None,
        benchmark: Some(note.to_json()),
    };
    let made = create(&app, new).await?;
    Ok((StatusCode::CREATED, Json(describe(&app, &made).await?)))
}

fn check_request(wanted: &BenchmarkRequest) -> Result<()> {
    let BenchmarkRequest { pairs, author, .. } = wanted;
    if !(1..=MOST_PAIRS).contains(pairs) {
        let why = format!("pairs is {pairs}; it must be 1 to {MOST_PAIRS}");
        return Err(ApiError::invalid_field("bad-pairs", "pairs", why));
    }
    let refuse = |why: String| Err(ApiError::invalid_field("bad-author", "author", why));
    let agent = author.agent.as_deref().unwrap_or_default();
    if agent.chars().count() > LONGEST_AGENT || agent.chars().any(char::is_control) {
        return refuse(format!(
            "agent: one line of at most {LONGEST_AGENT} characters"
        ));
    }
    match author.cost_usd {
        Some(cost) if !(0.0..=HIGHEST_COST).contains(&cost) => refuse(format!(
            "cost_usd is {cost}; it must be 0 to {HIGHEST_COST}"
        )),
        _ => Ok(()),
    }
}

/// What is noted of a benchmark that begins, and the version that is measured.
async fn note_benchmark(
    app: &App,
    bot: &Bot,
    wanted: &BenchmarkRequest,
    scale: &str,
) -> Result<(BenchmarkNote, leitai_store::VersionId)> {
    let version = ready_version(app, bot, wanted.version).await?;
    let upload = read_upload(&app.store, &app.blobs, version.id).await;
    let upload =
        upload.map_err(|error| ApiError::internal_error("the upload was not read", &error))?;
    let note = BenchmarkNote {
        scale: scale.to_owned(),
        bot: bot.name.clone(),
        nonce: random_token(),
        version: MeasuredVersion {
            number: version.number,
            sha256: hex::encode(Sha256::digest(&upload)),
        },
        author: wanted.author.clone(),
        result: None,
    };
    Ok((note, version.id))
}

/// The result of a benchmark, signed by the arena: the file that `leitai benchmark --check` checks.
#[utoipa::path(get, operation_id = "get_benchmark_result",
    path = "/api/experiments/{id}/benchmark", tag = "experiments",
    security(("token" = []), ("session" = [])), params(("id" = i64, Path)), responses(
    (status = 200, description = "see docs/benchmark.schema.json", body = Object),
    (status = 401, body = ErrorBody), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody),
))]
async fn download_benchmark(app: App, user: SignedInUser, Path(id): Path<i64>) -> Result<Response> {
    let own = need_seen(&app, &user, id).await?;
    let mut result = measured(&own)?;
    let arena = app.options.public_url.as_deref();
    let signer = Signer::load(&app.store, arena).await?;
    result.sign(&signer, id);
    let text = serde_json::to_string_pretty(&result).expect("a result is plain data");
    let name = format!("benchmark-{}-{id}.json", own.game);
    Ok(private_file(&name, "application/json", text + "\n"))
}

/// The result of a benchmark that has one.
fn measured(own: &Experiment) -> Result<super::benchmark_file::ResultFile> {
    let id = own.id;
    let none = || ApiError::not_found(format!("experiment {id} is no benchmark"));
    let note = BenchmarkNote::of(own).ok_or_else(none)?;
    note.result.ok_or_else(|| match own.state {
        ExperimentState::Running => {
            let why = format!("experiment {id} is being played; its result comes at its end");
            ApiError::conflict("running", why)
        }
        _ => ApiError::not_found(format!("experiment {id} ended without a result")),
    })
}
