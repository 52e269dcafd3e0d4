//! A benchmark: a version plays the levels of its game's rating scale, as in `leitai rate`, and the
//! arena signs what it measured. Like all experiments it is counted from its finished matches alone.

use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap};

use leitai_game::{AnyGame, RatingScale};
use leitai_series::PlayedPair;
use leitai_series::rating::{BOT, RatedPairs, RatingOptions, find_scale};
use leitai_series::run::MAX_VOID_IN_A_ROW;
use leitai_store::{
    BotId, Experiment, ExperimentId, ExperimentMatch, ExperimentState, Json, MatchState, PairPlace,
    Store, StoreError, Timestamp, VersionId,
};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::benchmark_file::{AuthorClaims, BadResult, MeasuredVersion, ResultFile, Seeds};
use super::count::{PairNeeds, PairSide, PairStand};
use super::pair_match::{end_because, match_of};
use crate::work::limits::referee_limits;

/// Half the width of an interval that no benchmark reaches: all its pairs are played.
const PRECISION: f64 = 1.0;
/// How programs are isolated where nothing isolates them.
const NO_ISOLATION: &str = "none";

/// What is noted of a benchmark beside what all experiments have.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BenchmarkNote {
    /// The scale.
    pub scale: String,
    /// The bot's name when it began.
    pub bot: String,
    /// What was drawn for the seeds.
    pub nonce: String,
    /// What is measured.
    pub version: MeasuredVersion,
    /// What the author says.
    pub author: AuthorClaims,
    /// The result without a signature, once there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<ResultFile>,
}

impl BenchmarkNote {
    /// That of an experiment; `None` if it is no benchmark.
    pub fn of(own: &Experiment) -> Option<BenchmarkNote> {
        serde_json::from_value(own.benchmark.clone()?).ok()
    }

    /// As the store keeps it.
    pub fn to_json(&self) -> Json {
        serde_json::to_value(self).expect("a note is plain data")
    }

    /// The seeds of its pairs.
    pub fn seeds(&self, own: &Experiment) -> Seeds {
        Seeds::from_nonce(&own.game, pairs_of(own), self.nonce.clone())
    }
}

/// How many pairs are asked for.
fn pairs_of(own: &Experiment) -> u64 {
    u64::try_from(own.most_pairs).unwrap_or(0)
}

/// A benchmark with the pairs that were counted so far.
pub struct CountedBenchmark {
    /// The rating by these pairs.
    pub rated: RatedPairs,
    /// The pairs, in their order.
    pub pairs: Vec<PlayedPair>,
    note: BenchmarkNote,
    seed: u64,
    void_in_a_row: u32,
    /// The rule sets and isolations of the counted matches.
    rules: BTreeSet<String>,
    isolations: BTreeSet<String>,
}

impl CountedBenchmark {
    /// No pairs so far; `None` if it is no benchmark, or of a scale that the game no longer has.
    pub fn begin(game: &dyn AnyGame, own: &Experiment) -> Option<CountedBenchmark> {
        let note = BenchmarkNote::of(own)?;
        let scale = find_scale(game).ok()?;
        if scale.name != note.scale {
            return None;
        }
        let options = RatingOptions {
            precision: PRECISION,
            seed: own.seed.get(),
            max_pairs: pairs_of(own),
            folder: None,
        };
        let period = referee_limits(game, &Json::Null).period;
        let terms = json!({"rules": game.meta().rules, "period_ms": period.as_millis() as u64});
        let levels = scale.levels.iter().map(|level| level.name.to_owned());
        let names = std::iter::once(note.bot.clone()).chain(levels).collect();
        Some(CountedBenchmark {
            rated: RatedPairs::begin(&options, scale, (own.game.clone(), terms), names),
            pairs: Vec::new(),
            note,
            seed: options.seed,
            void_in_a_row: 0,
            rules: BTreeSet::new(),
            isolations: BTreeSet::new(),
        })
    }

    /// The number of the first pair that was not counted.
    pub fn next_pair(&self) -> i32 {
        i32::try_from(self.pairs.len()).unwrap_or(i32::MAX)
    }

    /// The seed of a pair.
    fn seed_of(&self, pair: i32) -> u64 {
        self.seed.wrapping_add(u64::from(pair.unsigned_abs()))
    }

    /// Counts the pairs that follow, as [`CountedPairs::count`](super::count::CountedPairs::count).
    pub fn count(&mut self, matches: &[ExperimentMatch]) {
        while !self.is_over()
            && let Some(PairStand::Done(pair)) = self.stand_of(self.next_pair(), matches)
        {
            self.void_in_a_row = match pair.void {
                Some(_) => self.void_in_a_row + 1,
                None => 0,
            };
            let number = self.next_pair();
            let finished = matches
                .iter()
                .filter(|own| own.place.pair == number && own.state == MatchState::Finished);
            for record in finished.filter_map(|own| own.record.as_ref()) {
                let text = |key: &str| record[key].as_str().map(str::to_owned);
                self.rules.extend(text("rules"));
                self.isolations.extend(text("isolation"));
            }
            self.rated.add_pair(&pair);
            self.pairs.push(*pair);
        }
    }

    /// Whether nothing more is to be played.
    fn is_over(&self) -> bool {
        self.rated.is_over() || self.void_in_a_row >= MAX_VOID_IN_A_ROW
    }

    /// How a pair stands; `None` if its opponent is not known yet, or it is none.
    fn stand_of(&self, pair: i32, matches: &[ExperimentMatch]) -> Option<PairStand> {
        let level = self.rated.level_of(u64::from(pair.unsigned_abs()))?;
        let side = PairSide {
            first: PairPlace { pair, part: 0 },
            both: [BOT, level + 1],
            seed: self.seed_of(pair),
            is_lost: false,
        };
        Some(side.stand(matches))
    }

    /// What is to be created so that about so many matches are open.
    fn needs(&self, matches: &[ExperimentMatch], most_open: usize) -> PairNeeds {
        let open = matches.iter().filter(|own| !own.state.is_over()).count();
        let mut places = Vec::new();
        let mut pair = self.next_pair();
        while open + places.len() < most_open
            && let Some(stand) = self.stand_of(pair, matches)
        {
            if let PairStand::Lacks(place) = stand {
                places.push(place);
            }
            pair += 1;
        }
        PairNeeds { places, open }
    }

    /// The result of a benchmark that is over. Its isolation is the weakest under which a match was
    /// played.
    fn result(&self, own: &Experiment, at: Timestamp) -> Result<ResultFile, BadResult> {
        let mut rated = self.rated.result().to_json();
        let isolations: Vec<&str> = self.isolations.iter().map(String::as_str).collect();
        rated["terms"]["isolation"] = match isolations.contains(&NO_ISOLATION) {
            true => NO_ISOLATION.into(),
            false => isolations.join(", ").into(),
        };
        let (seeds, author) = (self.note.seeds(own), self.note.author.clone());
        let mut file = ResultFile::new(&rated, pairs_of(own), seeds, author)?;
        file.version = Some(self.note.version.clone());
        file.ended = Some(at);
        Ok(file)
    }

    /// Why there is no result though it is over.
    fn failure(&self, own_rules: &str) -> Option<String> {
        if self.void_in_a_row >= MAX_VOID_IN_A_ROW {
            return Some("too many matches in a row could not be judged".to_owned());
        }
        let is_other = |rules: &String| rules != own_rules;
        let changed = self.rules.iter().any(is_other);
        changed.then(|| "the rules changed while it was played; start it again".to_owned())
    }
}

/// The versions of the levels of a scale, the weakest first, as they play now; the error names one that
/// is not there.
pub async fn level_versions(
    store: &Store,
    game: &str,
    scale: &RatingScale,
) -> Result<Result<Vec<(BotId, VersionId)>, &'static str>, StoreError> {
    let mut versions = Vec::new();
    for level in scale.levels.iter() {
        let bot = store.bot_by_name(game, level.name).await?;
        let active = bot.filter(|bot| bot.built_in());
        match active.and_then(|bot| Some((bot.id, bot.active?))) {
            Some(found) => versions.push(found),
            None => return Ok(Err(level.name)),
        }
    }
    Ok(Ok(versions))
}

/// Does what is due in a benchmark; returns how many matches were created, or one if it ended.
pub async fn advance(
    known: &mut HashMap<ExperimentId, CountedBenchmark>,
    (game, store): (&dyn AnyGame, &Store),
    (own, most_open): (&Experiment, usize),
    at: Timestamp,
) -> Result<usize, StoreError> {
    let counted = match known.entry(own.id) {
        Entry::Occupied(counted) => counted.into_mut(),
        Entry::Vacant(place) => match CountedBenchmark::begin(game, own) {
            Some(begun) => place.insert(begun),
            None => {
                let why = "the scale changed while it was played; start it again";
                let end = (ExperimentState::Failed, why.to_owned());
                return end_because(store, own, end, at).await;
            }
        },
    };
    let from = counted.next_pair();
    let matches = store.experiment_matches(own.id, from).await?;
    counted.count(&matches);
    if counted.is_over() {
        return end(store, (game, own, counted), at).await;
    }
    let tested = store.entrant_of_version(own.version).await?;
    let levels = own.pool_versions();
    let mut made = 0;
    for place in counted.needs(&matches, most_open).places {
        let level = counted.rated.level_of(u64::from(place.pair.unsigned_abs()));
        let Some(level) = level.and_then(|level| levels.get(level)) else {
            continue;
        };
        let level = store.entrant_of_version(*level).await?;
        let seed = counted.seed_of(place.pair);
        let new = match_of(game, own, place, seed, [&tested, &level]);
        let added = store.add_experiment_match(own.id, place, new, at).await?;
        made += usize::from(added.is_some());
    }
    Ok(made)
}

/// Ends a benchmark with its result, or with the reason why there is none.
async fn end(
    store: &Store,
    (game, own, counted): (&dyn AnyGame, &Experiment, &CountedBenchmark),
    at: Timestamp,
) -> Result<usize, StoreError> {
    let result = match counted.failure(game.meta().rules) {
        Some(why) => Err(why),
        None => counted.result(own, at).map_err(|why| why.to_string()),
    };
    let result = match result {
        Ok(result) => result,
        Err(why) => return end_because(store, own, (ExperimentState::Failed, why), at).await,
    };
    let note = BenchmarkNote {
        result: Some(result),
        ..counted.note.clone()
    };
    let ended = store.end_benchmark(own.id, note.to_json(), at).await?;
    tracing::info!(experiment = own.id.0, "a benchmark ended");
    Ok(usize::from(ended.is_some()))
}
