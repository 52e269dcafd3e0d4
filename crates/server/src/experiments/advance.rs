//! Creates the matches of experiments that are due, and ends experiments that are decided.
//!
//! The scheduler calls [`ExperimentRunner::advance`] again and again. Each step is one transaction of
//! the store, which does nothing if it was done already; what is kept in memory can be counted again
//! from the rows. So a server that is killed at any moment loses nothing, and plays no match twice.

use std::collections::{HashMap, HashSet};

use leitai_game::{AnyGame, GameSet};
use leitai_store::{
    CandidateStand, Experiment, ExperimentId, ExperimentState, MatchEntrant, PairPlace, Store,
    StoreError, Timestamp, VersionId,
};

use super::benchmark::{self, CountedBenchmark};
use super::count::{CountedPairs, OTHER_SIDE};
use super::family::{FamilyStep, VariantState, next_step};
use super::pair_match::{end_because, match_of};

/// Open matches of one experiment for each slot: so many that slots do not wait for the scheduler.
const OPEN_EACH: u64 = 4;
/// The most open matches of one experiment.
const MOST_OPEN: u64 = 64;

/// The running experiments, with the pairs that were counted so far.
#[derive(Default)]
pub struct ExperimentRunner {
    counted: HashMap<ExperimentId, CountedPairs>,
    benchmarks: HashMap<ExperimentId, CountedBenchmark>,
    /// Those whose candidate may play: no situation refuses it.
    asked: HashSet<ExperimentId>,
}

/// What [`ExperimentRunner::advance`] did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExperimentSteps {
    /// Matches that were created.
    pub made: usize,
    /// Experiments that go on.
    pub running: usize,
}

impl ExperimentRunner {
    /// Does what is due in all experiments of these games, for workers with so many slots.
    pub async fn advance(
        &mut self,
        games: &GameSet,
        store: &Store,
        slots: u64,
        at: Timestamp,
    ) -> Result<ExperimentSteps, StoreError> {
        let running = store.running_experiments().await?;
        let is_running = |id: &ExperimentId| running.iter().any(|own| own.id == *id);
        self.counted.retain(|id, _| is_running(id));
        self.benchmarks.retain(|id, _| is_running(id));
        self.asked.retain(is_running);
        let mut steps = ExperimentSteps {
            made: 0,
            running: running.len(),
        };
        let most_open = (OPEN_EACH * slots).clamp(OPEN_EACH, MOST_OPEN) as usize;
        for own in &running {
            let Some(game) = games.find(&own.game) else {
                continue;
            };
            let others = running
                .iter()
                .filter(|other| own.family.is_some() && other.family == own.family);
            let others: Vec<ExperimentId> = others
                .map(|other| other.id)
                .filter(|id| *id != own.id)
                .collect();
            let made = match own.benchmark {
                Some(_) => {
                    let of = (&*game, store);
                    self.advance_benchmark(of, (own, most_open), at).await
                }
                None => {
                    let own = (own, &others[..], most_open);
                    self.advance_one(&*game, store, own, at).await
                }
            };
            match made {
                Ok(made) => steps.made += made,
                Err(error) => {
                    tracing::warn!(experiment = own.id.0, %error, "an experiment did not go on; tried again in a moment");
                }
            }
        }
        Ok(steps)
    }

    async fn advance_benchmark(
        &mut self,
        (game, store): (&dyn AnyGame, &Store),
        (own, most_open): (&Experiment, usize),
        at: Timestamp,
    ) -> Result<usize, StoreError> {
        let known = &mut self.benchmarks;
        match benchmark::advance(known, (game, store), (own, most_open), at).await {
            Err(error) => end_if_impossible(store, own, error, at).await,
            made => made,
        }
    }

    async fn advance_one(
        &mut self,
        game: &dyn AnyGame,
        store: &Store,
        (own, others, most_open): (&Experiment, &[ExperimentId], usize),
        at: Timestamp,
    ) -> Result<usize, StoreError> {
        if !self.asked.contains(&own.id) {
            match admit(store, own, at).await {
                Ok(None) => self.asked.insert(own.id),
                Ok(Some(steps)) => return Ok(steps),
                Err(error) => return end_if_impossible(store, own, error, at).await,
            };
        }
        let (own, entrants) = match find_present(store, own, at).await {
            Ok(Ok(present)) => present,
            Ok(Err(why)) => {
                let end = (ExperimentState::Undecided, why);
                return end_because(store, own, end, at).await;
            }
            Err(error) => return end_if_impossible(store, own, error, at).await,
        };
        let own = &own;
        let begin = || CountedPairs::begin(own, entrants.names());
        let counted = self.counted.entry(own.id).or_insert_with(begin);
        counted.know_pool(own);
        let matches = store
            .experiment_matches(own.id, counted.next_pair())
            .await?;
        counted.count(&matches);
        let outcome = counted.outcome();
        let stand = |id: &ExperimentId| VariantState::of(*id, self.counted.get(id));
        let family: Vec<VariantState> = others.iter().map(stand).collect();
        let most_pairs = match next_step(&stand(&own.id), &family) {
            FamilyStep::Play(most_pairs) => most_pairs,
            FamilyStep::Wait => return Ok(0),
            FamilyStep::End => 0,
        };
        if let Some(state) = outcome {
            self.counted.remove(&own.id);
            return end_decided(store, own, state, at).await;
        }
        let counted = &self.counted[&own.id];
        let most_open = (most_open / (1 + others.len())).max(1);
        let needs = counted.needs(&matches, (most_pairs, most_open));
        let mut made = 0;
        for place in needs.places {
            let Some(players) = entrants.of_place(own, place) else {
                continue;
            };
            let new = match_of(game, own, place, counted.seed_of(place.pair), players);
            match store.add_experiment_match(own.id, place, new, at).await {
                Ok(added) => made += usize::from(added.is_some()),
                // Who was deleted in this moment is found at the next step.
                Err(error) if is_gone(&error) => return Ok(made),
                Err(error) => return Err(error),
            }
        }
        Ok(made)
    }
}

/// Ends an experiment as its pairs say.
async fn end_decided(
    store: &Store,
    own: &Experiment,
    state: ExperimentState,
    at: Timestamp,
) -> Result<usize, StoreError> {
    let note = (state == ExperimentState::Failed)
        .then(|| "too many matches in a row could not be judged".to_owned());
    let ended = store.end_experiment(own.id, state, note, at).await?;
    tracing::info!(experiment = own.id.0, ?state, "an experiment ended");
    Ok(usize::from(ended.is_some()))
}

/// Refuses a candidate that failed a situation; `None` if its pairs may begin.
async fn admit(
    store: &Store,
    own: &Experiment,
    at: Timestamp,
) -> Result<Option<usize>, StoreError> {
    let why = match store.candidate_stand(own, at).await? {
        CandidateStand::Passed => return Ok(None),
        CandidateStand::Asking => return Ok(Some(0)),
        CandidateStand::Refused(why) => why,
    };
    let rejected = ExperimentState::Rejected;
    let ended = store.end_experiment(own.id, rejected, Some(why), at);
    let ended = ended.await?;
    tracing::info!(experiment = own.id.0, "a candidate failed a situation");
    Ok(Some(usize::from(ended.is_some())))
}

/// Ends an experiment whose versions cannot play any more; other errors may pass.
async fn end_if_impossible(
    store: &Store,
    own: &Experiment,
    error: StoreError,
    at: Timestamp,
) -> Result<usize, StoreError> {
    if !is_gone(&error) {
        return Err(error);
    }
    let end = (ExperimentState::Failed, error.to_string());
    end_because(store, own, end, at).await
}

/// Who plays in an experiment.
pub struct ExperimentEntrants {
    /// The tested version, and the one against which it is tested.
    both: [MatchEntrant; 2],
    /// Those against which both play and who are there; empty: they play each other.
    pool: Vec<(VersionId, MatchEntrant)>,
}

impl ExperimentEntrants {
    /// The names of the tested version and of the other one.
    pub fn names(&self) -> [String; 2] {
        self.both.each_ref().map(entrant_name)
    }

    /// Who plays a match of a place: one of the two, and its opponent; `None` if that left.
    fn of_place(&self, own: &Experiment, place: PairPlace) -> Option<[&MatchEntrant; 2]> {
        let [tested, base] = &self.both;
        if self.pool.is_empty() {
            return Some([tested, base]);
        }
        let (opponent, _) = own.opponent_of(place.pair)?;
        let (_, opponent) = self.pool.iter().find(|(version, _)| *version == opponent)?;
        let side = match place.part < OTHER_SIDE {
            true => tested,
            false => base,
        };
        Some([side, opponent])
    }
}

/// Whether a version cannot play any more; other errors may pass.
fn is_gone(error: &StoreError) -> bool {
    matches!(
        error,
        StoreError::Deleted { .. } | StoreError::Missing { .. } | StoreError::Refused(_)
    )
}

/// The experiment and who plays in it, after those left the pool whose bots were deleted or left the
/// ladder. The error says why nobody is left against whom the version could be tested.
async fn find_present(
    store: &Store,
    own: &Experiment,
    at: Timestamp,
) -> Result<Result<(Experiment, ExperimentEntrants), String>, StoreError> {
    store.entrant_of_version(own.version).await?;
    match store.opponent_of_version(own.base_version, own.owner).await {
        Err(error) if is_gone(&error) => {
            return Ok(Err(format!("nobody is left to be tested against: {error}")));
        }
        Err(error) => return Err(error),
        Ok(_) => {}
    }
    let mut own = own.clone();
    for version in own.pool_versions() {
        if own.left_pool().iter().any(|one| one.version == version) {
            continue;
        }
        match store.opponent_of_version(version, own.owner).await {
            Err(error) if is_gone(&error) => {
                tracing::info!(experiment = own.id.0, version = version.0, %error, "an opponent left the pool");
                own = store.leave_pool(own.id, version, at).await?.unwrap_or(own);
            }
            Err(error) => return Err(error),
            Ok(_) => {}
        }
    }
    if own.pool.is_some() && own.left_pool().len() >= own.pool_versions().len() {
        return Ok(Err("everybody left the pool".to_owned()));
    }
    let entrants = find_entrants(store, &own).await?;
    Ok(Ok((own, entrants)))
}

/// Who plays in an experiment, without those who left its pool.
pub async fn find_entrants(
    store: &Store,
    own: &Experiment,
) -> Result<ExperimentEntrants, StoreError> {
    let [tested, base] = own.own_settings();
    let with = async |version, settings| {
        let entrant = store.entrant_of_version(version).await?;
        Ok::<_, StoreError>(MatchEntrant {
            settings,
            ..entrant
        })
    };
    let both = [
        with(own.version, tested).await?,
        with(own.base_version, base).await?,
    ];
    let mut pool = Vec::new();
    let left = own.left_pool();
    for version in own.pool_versions() {
        if left.iter().all(|one| one.version != version) {
            pool.push((version, store.entrant_of_version(version).await?));
        }
    }
    Ok(ExperimentEntrants { both, pool })
}

/// `hunter v3`, `hunter v3 @limit=20ms`
fn entrant_name(entrant: &MatchEntrant) -> String {
    let settings = entrant.settings.as_deref();
    version_name(&entrant.name, entrant.number, settings)
}

/// A version in words, with what it alone plays with.
pub fn version_name(name: &str, number: Option<i32>, settings: Option<&str>) -> String {
    let version = format!("{name} v{}", number.unwrap_or_default());
    match settings {
        Some(settings) => format!("{version} {settings}"),
        None => version,
    }
}
