//! Forecasts of running contests: computed when somebody looks, and kept until results change.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::{Duration, Instant};

use leitai_contest::file::Contest as Rules;
use leitai_contest::forecast::{Forecast, RunningStage, forecast_contest};
use leitai_contest::progress::{MatchPlace, MatchPoints};
use leitai_store::{Contest, ContestId, EntryId};

use crate::contests::stage_state::StageState;

/// A forecast stays this long even if results arrive.
const KEPT: Duration = Duration::from_secs(5);
/// The most contests whose forecasts are kept.
const MOST: usize = 64;

/// The forecasts of contests that somebody looked at. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct ContestForecasts(Arc<tokio::sync::Mutex<HashMap<ContestId, KeptForecast>>>);

#[derive(Debug)]
struct KeptForecast {
    known: KnownResults,
    made: Instant,
    forecast: Option<Arc<Forecast>>,
}

/// What a forecast follows from, beside the rules.
#[derive(Clone, Debug, PartialEq)]
struct KnownResults {
    file: String,
    stage: i32,
    absent: Vec<bool>,
    results: BTreeMap<MatchPlace, Vec<MatchPoints>>,
    earlier: Vec<MatchPoints>,
}

/// Results of matches between entries, across stages.
#[derive(Debug, Default)]
pub struct EntryResults(Vec<([EntryId; 2], [f64; 2])>);

impl EntryResults {
    /// Adds what was played in a stage.
    pub fn add_stage(&mut self, state: &StageState) {
        for met in state.results.values().flatten() {
            if let [Some(one), Some(other)] = met.pair.map(|seed| state.seeds.get(seed).copied()) {
                self.0.push(([one, other], met.points));
            }
        }
    }

    /// The results among the players of a stage, by seed.
    fn among(&self, seeds: &[EntryId]) -> Vec<MatchPoints> {
        let by_entry: HashMap<EntryId, usize> = seeds.iter().copied().zip(0..).collect();
        let find = |([one, other], points): &([EntryId; 2], [f64; 2])| {
            let pair = [*by_entry.get(one)?, *by_entry.get(other)?];
            Some(MatchPoints {
                pair,
                points: *points,
            })
        };
        self.0.iter().filter_map(find).collect()
    }
}

impl ContestForecasts {
    /// How the contest may go on from its running stage; `None` where that cannot be said. One
    /// forecast is computed at a time.
    pub async fn find_forecast(
        &self,
        contest: &Contest,
        rules: &Rules,
        stage: i32,
        state: &StageState,
        earlier: &EntryResults,
    ) -> Option<Arc<Forecast>> {
        let known = KnownResults {
            file: contest.file.clone(),
            stage,
            absent: state.absent.clone(),
            results: state.results.clone(),
            earlier: earlier.among(&state.seeds),
        };
        let mut kept = self.0.lock().await;
        let is_same = |one: &KeptForecast| {
            let is_fresh = one.known.stage == stage
                && one.known.file == known.file
                && one.made.elapsed() < KEPT;
            is_fresh || one.known == known
        };
        if let Some(one) = kept.get(&contest.id).filter(|one| is_same(one)) {
            return one.forecast.clone();
        }
        let stages = rules.stages.get(usize::try_from(stage).ok()?..)?.to_vec();
        let (players, seed) = (state.seeds.len(), contest.seed.get());
        let forecast = tokio::task::spawn_blocking({
            let known = known.clone();
            move || {
                let running = RunningStage {
                    stages: &stages,
                    players,
                    absent: &known.absent,
                    results: &known.results,
                    earlier: &known.earlier,
                };
                forecast_contest(&running, seed)
            }
        });
        let forecast = forecast.await.ok().flatten().map(Arc::new);
        if kept.len() >= MOST {
            kept.clear();
        }
        let (made, answer) = (Instant::now(), forecast.clone());
        let one = KeptForecast {
            known,
            made,
            forecast,
        };
        kept.insert(contest.id, one);
        answer
    }
}
