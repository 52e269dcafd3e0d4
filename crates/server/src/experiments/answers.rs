//! What the API says of an experiment.

use leitai_game::Lang;
use leitai_series::comparison::NEW;
use leitai_series::{Language, PlayedPair};
use leitai_store::{
    BotId, Experiment, ExperimentMatch, ExperimentState, Json, StoreError, StoredBook, Timestamp,
    VersionId,
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;

use super::advance::version_name;
use super::benchmark::{BenchmarkNote, CountedBenchmark};
use super::benchmark_file::AuthorClaims;
use super::count::CountedPairs;
use crate::http::app::App;

/// As many matches tell how long one takes.
const RECENT: u64 = 20;
/// The most lost matches that are named.
const LOOK_AT: usize = 5;
/// The most points of the way of the log-likelihood ratio.
const POINTS: usize = 400;

/// How an experiment stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ExperimentStateName {
    /// Its pairs are being played.
    Running,
    /// The tested version is better.
    Accepted,
    /// It is not.
    Rejected,
    /// All its pairs were played, and neither was shown.
    Undecided,
    /// The two play no new game under these conditions.
    Exhausted,
    /// The version has its rating: the end of a benchmark.
    Measured,
    /// Somebody stopped it, or a newer upload took its place.
    Cancelled,
    /// It could not go on; see `note`.
    Failed,
}

impl From<ExperimentState> for ExperimentStateName {
    fn from(state: ExperimentState) -> ExperimentStateName {
        match state {
            ExperimentState::Running => ExperimentStateName::Running,
            ExperimentState::Accepted => ExperimentStateName::Accepted,
            ExperimentState::Rejected => ExperimentStateName::Rejected,
            ExperimentState::Undecided => ExperimentStateName::Undecided,
            ExperimentState::Exhausted => ExperimentStateName::Exhausted,
            ExperimentState::Measured => ExperimentStateName::Measured,
            ExperimentState::Cancelled => ExperimentStateName::Cancelled,
            ExperimentState::Failed => ExperimentStateName::Failed,
        }
    }
}

/// A version of an experiment.
#[derive(Debug, Serialize, ToSchema)]
pub struct TestedVersion {
    /// The bot's id.
    pub bot: i64,
    /// The bot's name; null once it was deleted.
    pub name: Option<String>,
    /// The version's id.
    pub version: i64,
    /// The version's number; null once it was deleted.
    pub number: Option<i32>,
    /// What it alone plays with, in the words of the command line; absent: nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settings: Option<String>,
    /// When it left the pool, because its bot was deleted or left the ladder; absent: it did not.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    pub left: Option<Timestamp>,
}

/// An experiment.
#[derive(Debug, Serialize, ToSchema)]
pub struct ExperimentSummary {
    /// The id.
    pub id: i64,
    /// The game's id.
    pub game: String,
    /// The version that is tested.
    pub tested: TestedVersion,
    /// The version against which it is tested.
    pub base: TestedVersion,
    /// Whether the version becomes the active one if it is accepted.
    pub promotes: bool,
    /// How it stands.
    pub state: ExperimentStateName,
    /// Why it ended without a result, or was not promoted: `{en, zh}`.
    #[schema(value_type = Option<Object>)]
    pub note: Option<Json>,
    /// The weaker hypothesis, in Elo.
    pub elo0: f64,
    /// The stronger hypothesis, in Elo.
    pub elo1: f64,
    /// The chance to accept what is only `elo0` stronger.
    pub alpha: f64,
    /// The chance to reject what is `elo1` stronger.
    pub beta: f64,
    /// The number of pairs after which it ends undecided.
    pub most_pairs: i32,
    /// The seed of the first pair; the next ones count on from it.
    pub seed: u64,
    /// When it was started.
    #[schema(value_type = String, format = DateTime)]
    pub created: Timestamp,
    /// When it ended.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub ended: Option<Timestamp>,
    /// The id of the first of the variants that are tested at the same time; null: it is alone.
    pub family: Option<i64>,
    /// The versions against which both play in turn; empty: they play each other.
    pub pool: Vec<TestedVersion>,
    /// The position book from which the matches start; null: they start at the game's beginning.
    pub book: Option<BookSummary>,
    /// What a benchmark has; null: it is none.
    pub benchmark: Option<BenchmarkSummary>,
}

/// A benchmark: the version plays the levels of the rating scale, which are the pool, and no other version.
#[derive(Debug, Serialize, ToSchema)]
pub struct BenchmarkSummary {
    /// The rating scale.
    pub scale: String,
    /// The SHA-256 by which the seeds are committed to; the result reveals them.
    pub commitment: String,
    /// What the author says about how the bot was written; nobody checks it.
    pub author: AuthorClaims,
    /// The rating, in Elo of legs; null until it is measured.
    pub rating: Option<f64>,
    /// Its 95 % interval.
    pub rating_interval: Option<[f64; 2]>,
}

impl BenchmarkSummary {
    fn of(own: &Experiment) -> Option<BenchmarkSummary> {
        let note = BenchmarkNote::of(own)?;
        let result = note.result.as_ref();
        Some(BenchmarkSummary {
            commitment: note.seeds(own).commitment,
            rating: result.map(|result| result.rating),
            rating_interval: result.map(|result| result.rating_interval),
            scale: note.scale,
            author: note.author,
        })
    }
}

/// A position book.
#[derive(Debug, Serialize, ToSchema)]
pub struct BookSummary {
    /// The SHA-256 of its file, in hexadecimal digits.
    pub hash: String,
    /// How many positions it has.
    pub positions: i32,
}

impl From<StoredBook> for BookSummary {
    fn from(StoredBook { hash, positions }: StoredBook) -> BookSummary {
        BookSummary { hash, positions }
    }
}

/// A variant of an experiment.
#[derive(Debug, Serialize, ToSchema)]
pub struct VariantStand {
    /// The id of its experiment.
    pub id: i64,
    /// The version.
    pub tested: TestedVersion,
    /// How it stands.
    pub state: ExperimentStateName,
}

/// An experiment with its result so far.
#[derive(Debug, Serialize, ToSchema)]
pub struct ExperimentDetails {
    #[serde(flatten)]
    /// The experiment.
    pub brief: ExperimentSummary,
    /// The result of the pairs so far, as `leitai compare --json` writes it; of a benchmark, as `leitai rate
    /// --json`.
    #[schema(value_type = Object)]
    pub result: Json,
    /// The same in words, `{en, zh}`: lines of a label and a value.
    #[schema(value_type = Object)]
    pub lines: Json,
    /// The pairs that were counted, void ones and copies included.
    pub counted: usize,
    /// The log-likelihood ratio on its way: `[pair, ratio]`, the newest one last.
    #[schema(value_type = Vec<Vec<f64>>)]
    pub way: Vec<(usize, f64)>,
    /// About how many pairs are left to be played; null where nothing tells.
    pub pairs_to_go: Option<u64>,
    /// About how long a pair takes, in seconds, by the latest matches of the game; null: none was
    /// played.
    pub pair_seconds: Option<f64>,
    /// Matches of pairs that the tested version lost, the earliest first: those to look at.
    pub lost_matches: Vec<i64>,
    /// What an undecided test lacks: about so many more pairs would decide it, if they went on like these.
    pub missing_pairs: Option<u64>,
    /// The variants that are tested at the same time, this one among them; empty: it is alone.
    pub variants: Vec<VariantStand>,
}

/// A version with its names.
async fn name_version(
    app: &App,
    bot: BotId,
    version: VersionId,
    settings: Option<String>,
) -> Result<TestedVersion, StoreError> {
    let name = match app.store.find_bot(bot).await {
        Ok(bot) => Some(bot.name),
        Err(StoreError::Deleted { .. } | StoreError::Missing { .. }) => None,
        Err(error) => return Err(error),
    };
    let number = match app.store.find_version(version).await {
        Ok(version) => Some(version.number),
        Err(StoreError::Deleted { .. } | StoreError::Missing { .. }) => None,
        Err(error) => return Err(error),
    };
    Ok(TestedVersion {
        bot: bot.0,
        name,
        version: version.0,
        number,
        settings,
        left: None,
    })
}

/// A version of a pool; its bot is unknown once it was deleted.
async fn name_opponent(app: &App, version: VersionId) -> Result<TestedVersion, StoreError> {
    let bot = match app.store.find_version(version).await {
        Ok(found) => found.bot,
        Err(StoreError::Deleted { .. } | StoreError::Missing { .. }) => BotId(0),
        Err(error) => return Err(error),
    };
    name_version(app, bot, version, None).await
}

/// The variants that are tested at the same time.
async fn list_variants(app: &App, own: &Experiment) -> Result<Vec<VariantStand>, StoreError> {
    let mut variants = Vec::new();
    if own.family.is_some() {
        for one in app.store.family_of(own).await? {
            let [settings, _] = one.own_settings();
            variants.push(VariantStand {
                id: one.id.0,
                tested: name_version(app, one.bot, one.version, settings).await?,
                state: one.state.into(),
            });
        }
    }
    Ok(variants)
}

/// An experiment in a list.
pub async fn summarise(app: &App, own: &Experiment) -> Result<ExperimentSummary, StoreError> {
    let note = own.note.as_ref();
    let [tested, base] = own.own_settings();
    let mut pool = Vec::new();
    let left = own.left_pool();
    for version in own.pool_versions() {
        let gone = left.iter().find(|one| one.version == version);
        pool.push(TestedVersion {
            left: gone.map(|one| one.at),
            ..name_opponent(app, version).await?
        });
    }
    Ok(ExperimentSummary {
        id: own.id.0,
        game: own.game.clone(),
        tested: name_version(app, own.bot, own.version, tested).await?,
        base: name_version(app, own.base_bot, own.base_version, base).await?,
        promotes: own.promotes,
        state: own.state.into(),
        note: note.map(|note| crate::messages::complete_languages(json!({"en": note}))),
        elo0: own.elo0,
        elo1: own.elo1,
        alpha: own.alpha,
        beta: own.beta,
        most_pairs: own.most_pairs,
        seed: own.seed.get(),
        created: own.created,
        ended: own.ended,
        family: own.family.map(|family| family.0),
        pool,
        book: own.own_book().map(BookSummary::from),
        benchmark: BenchmarkSummary::of(own),
    })
}

/// The pairs of an experiment, counted from its rows.
pub fn count_pairs(
    own: &Experiment,
    brief: &ExperimentSummary,
    matches: &[ExperimentMatch],
) -> CountedPairs {
    let names = [&brief.tested, &brief.base].map(|version| {
        let name = version.name.as_deref().unwrap_or("?");
        version_name(name, version.number, version.settings.as_deref())
    });
    CountedPairs::of_matches(own, names, matches)
}

/// The matches of the first pairs that the tested version lost.
fn lost_matches(pairs: &[PlayedPair]) -> Vec<i64> {
    let lost = |pair: &&PlayedPair| {
        let scores = pair.player_scores(NEW);
        scores.is_some_and(|scores| scores.iter().map(|score| score.half_points()).sum::<u32>() < 2)
    };
    let ids = pairs.iter().filter(lost).filter_map(|pair| {
        let game = pair.game.as_ref()?;
        game.replay.as_ref()?.parse().ok()
    });
    ids.take(LOOK_AT).collect()
}

/// How long a pair takes, by the latest matches of a game.
pub async fn pair_seconds(app: &App, game: &str) -> Result<Option<f64>, StoreError> {
    let times = app.store.recent_match_times(game, RECENT).await?;
    let sum: f64 = times.iter().map(std::time::Duration::as_secs_f64).sum();
    Ok((!times.is_empty()).then(|| sum / times.len() as f64))
}

/// What the pairs so far tell.
struct PairsTold {
    result: Json,
    lines: [Vec<(&'static str, String)>; 2],
    counted: usize,
    way: Vec<(usize, f64)>,
    lost_matches: Vec<i64>,
}

/// Counts the pairs of an experiment, or of a benchmark whose scale the game still has.
fn tell_pairs(
    app: &App,
    own: &Experiment,
    brief: &ExperimentSummary,
    matches: &[ExperimentMatch],
) -> PairsTold {
    let game = app.find_game(&own.game);
    let catalogue = leitai_series::messages::catalogue(game.as_deref());
    let both = [Lang::En, Lang::Zh].map(|lang| Language::new(lang, &catalogue));
    let Some(note) = BenchmarkNote::of(own) else {
        let counted = count_pairs(own, brief, matches);
        return PairsTold {
            result: counted.result.to_json(),
            lines: both.map(|language| counted.result.rows(language)),
            counted: counted.pairs.len(),
            way: thin_out(&counted.llrs),
            lost_matches: lost_matches(&counted.pairs),
        };
    };
    let begun = game.and_then(|game| CountedBenchmark::begin(&*game, own));
    let Some(mut counted) = begun else {
        return PairsTold {
            result: json!(note.result),
            lines: [Vec::new(), Vec::new()],
            counted: 0,
            way: Vec::new(),
            lost_matches: Vec::new(),
        };
    };
    counted.count(matches);
    let rated = counted.rated.result();
    PairsTold {
        result: rated.to_json(),
        lines: both.map(|language| rated.rows(language)),
        counted: counted.pairs.len(),
        way: Vec::new(),
        lost_matches: lost_matches(&counted.pairs),
    }
}

/// An experiment with its result so far.
pub async fn describe(app: &App, own: &Experiment) -> Result<ExperimentDetails, StoreError> {
    let brief = summarise(app, own).await?;
    let matches = app.store.experiment_matches(own.id, 0).await?;
    let told = tell_pairs(app, own, &brief, &matches);
    let left = (brief.most_pairs.max(0) as u64).saturating_sub(told.counted as u64);
    let to_go = told.result["expected_games_to_go"].as_f64();
    let to_go = to_go.map(|games| (games / 2.0).ceil() as u64);
    let to_go = to_go.or(brief.benchmark.as_ref().map(|_| left));
    let sides = match brief.pool.is_empty() || brief.benchmark.is_some() {
        true => 1.0,
        false => 2.0,
    };
    let seconds = pair_seconds(app, &own.game).await?;
    let [en, zh] = told.lines;
    Ok(ExperimentDetails {
        pairs_to_go: to_go
            .map(|pairs| pairs.min(left))
            .filter(|_| own.state == ExperimentState::Running),
        missing_pairs: to_go.filter(|_| own.state == ExperimentState::Undecided),
        pair_seconds: seconds.map(|each| sides * each),
        lost_matches: told.lost_matches,
        lines: json!({"en": en, "zh": zh}),
        counted: told.counted,
        way: told.way,
        variants: list_variants(app, own).await?,
        result: told.result,
        brief,
    })
}

/// At most [`POINTS`] of these values with their places, the last one among them.
fn thin_out(llrs: &[f64]) -> Vec<(usize, f64)> {
    let each = llrs.len().div_ceil(POINTS).max(1);
    let chosen = |index: &usize| (llrs.len() - index).is_multiple_of(each);
    let places = (1..=llrs.len()).filter(chosen);
    places.map(|place| (place, llrs[place - 1])).collect()
}
