//! The job queue of an arena: leases tasks from the database, records results, and forwards
//! progress to the live matches.

use std::time::Duration;

use leitai_game::replay::Replay;
use leitai_game::{ByEntrant, GameHandle, GameSet};
use leitai_store::{
    BlobKey, BlobStore, GameFileRow, GiveUpOutcome, JobState, Lease, LeaseState, LeasedJob, Match,
    MatchEntrant, MatchId, MatchKind, RecordOutcome, Store, Timestamp, VersionId, WorkerOffer,
    WorkerReport,
};
use leitai_telemetry::{continue_trace, current_trace};
use tracing::Instrument;

use super::books::Books;
use super::leased_tasks::LeasedTasks;
use super::queue_error::JobQueueError;
use super::replay_check::read_replay;
use super::results::record_result;
use super::situations::gather;
use super::source::{
    EntrantSource, EntrantTask, GameFileTask, JobProgress, JobReport, JobRequest, JobTask,
    MatchTask, RecordedMoment, ReportOutcome, SourceTask, TaskWork,
};
use super::{continuation, entrants, limits, match_result};
use crate::config::WaitingAllowances;
use crate::game_files::said::check_end_of_worker;
use crate::game_files::{ArenaGames, load_games};
use crate::libraries::{libraries_hash, read_by_hash};
use crate::live::{LiveMatchStart, LiveMatches};
use crate::metrics_registry::TRACES;
use crate::sync::call_rules;

/// The most progress reports in one call; further ones of a flooding worker are dropped.
pub const MOST_REPORTS: usize = 256;

/// The job queue. Clones share it.
#[derive(Clone)]
pub struct JobQueue {
    games: GameSet,
    store: Store,
    blobs: BlobStore,
    live: LiveMatches,
    tasks: LeasedTasks,
    waiting: WaitingAllowances,
    books: Books,
}

impl JobQueue {
    /// A queue of these games; matches are shown to the spectators of `live`.
    pub fn new(
        games: impl Into<GameSet>,
        store: Store,
        blobs: BlobStore,
        live: LiveMatches,
        tasks: LeasedTasks,
    ) -> JobQueue {
        JobQueue {
            games: games.into(),
            store,
            books: Books::new(blobs.clone()),
            blobs,
            live,
            tasks,
            waiting: WaitingAllowances::default(),
        }
    }

    /// The store of its jobs.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// The same queue, where programs may wait for so long.
    pub fn with_waiting(self, waiting: WaitingAllowances) -> JobQueue {
        JobQueue { waiting, ..self }
    }

    /// Leases a job to a worker of this process.
    pub async fn lease_job(
        &self,
        worker: &str,
        request: &JobRequest,
    ) -> Result<Option<JobTask>, JobQueueError> {
        let listed = self.games.list();
        let games = listed.iter().filter(|game| request.may_play(game));
        let games = games.map(|game| game.meta().id.to_owned());
        let offer = request.clone().into_offer(worker, games.collect());
        self.lease_for(&offer).await
    }

    /// Leases a job for this offer, and waits for one at most this long.
    pub async fn await_job(
        &self,
        offer: &WorkerOffer,
        most: Duration,
    ) -> Result<Option<JobTask>, JobQueueError> {
        let until = tokio::time::Instant::now() + most;
        let mut arrivals = self.store.job_arrivals();
        loop {
            arrivals.mark_unchanged();
            if let Some(task) = self.lease_for(offer).await? {
                return Ok(Some(task));
            }
            let arrived = tokio::time::timeout_at(until, arrivals.changed()).await;
            if !matches!(arrived, Ok(Ok(()))) {
                return Ok(None);
            }
        }
    }

    async fn lease_for(&self, offer: &WorkerOffer) -> Result<Option<JobTask>, JobQueueError> {
        let Some(acquired) = self
            .store
            .lease_job(offer, Timestamp::now(), self.tasks.lease)
            .await?
        else {
            return Ok(None);
        };
        let lease = acquired.lease.clone();
        let span = tracing::info_span!(target: TRACES, "dispatch", job = %lease.job, worker = offer.worker);
        continue_trace(&span, acquired.trace.as_deref());
        match self.make_task(acquired).instrument(span).await {
            Ok(task) => Ok(Some(task)),
            // The job is not to blame.
            Err(error) if error.is_away() => {
                self.store.hand_back_later(lease);
                Err(error)
            }
            Err(error) => {
                self.store
                    .give_up(&lease, &error.to_string(), Timestamp::now())
                    .await?;
                Err(error)
            }
        }
    }

    async fn make_task(&self, acquired: LeasedJob) -> Result<JobTask, JobQueueError> {
        let mut situations = Vec::new();
        let mut work = match acquired.work {
            leitai_store::JobWork::Match(played) => {
                TaskWork::Match(Box::new(self.match_task(*played).await?))
            }
            leitai_store::JobWork::Version(version) => {
                let game = self.find_game(&version.1.game)?;
                situations = gather(&self.store, &self.blobs, &game, &version.1).await?;
                TaskWork::Version(entrants::source_task(&version.0, &version.1))
            }
            leitai_store::JobWork::GameFile(row) => TaskWork::GameFile(GameFileTask {
                game: row.game,
                hash: row.hash,
            }),
        };
        self.name_libraries(&mut work).await?;
        let played = match &work {
            TaskWork::Match(task) => Some((**task).clone()),
            TaskWork::Version(_) | TaskWork::GameFile(_) => None,
        };
        if let Some(task) = &played {
            self.begin_live_match(task)?;
        }
        self.tasks.add_task(&acquired.lease, played);
        let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let waiting_ms = self.waiting_allowance(&work)?.map(millis);
        Ok(JobTask {
            lease: acquired.lease,
            lease_ms: millis(self.tasks.lease),
            waiting_ms,
            situations,
            work,
            trace: current_trace(),
        })
    }

    fn waiting_allowance(&self, work: &TaskWork) -> Result<Option<Duration>, JobQueueError> {
        Ok(Some(match work {
            // It has bounds of its own.
            TaskWork::GameFile(_) => return Ok(None),
            TaskWork::Match(task) => {
                let game = self.game_of_task(task)?;
                let limits = limits::referee_limits(&*game, &task.limits);
                self.waiting.in_match(&limits)
            }
            TaskWork::Version(source) => {
                let game = self.find_game(&source.game)?;
                let limits = limits::referee_limits(&*game, &serde_json::Value::Null);
                self.waiting.in_check(&limits)
            }
        }))
    }

    async fn match_task(&self, played: Match) -> Result<MatchTask, JobQueueError> {
        let lacks = || JobQueueError::Bad(format!("match {} lacks an entrant", played.id));
        let (a, b) = (
            played.a.as_ref().ok_or_else(lacks)?,
            played.b.as_ref().ok_or_else(lacks)?,
        );
        let mut names = [a.name.clone(), b.name.clone()];
        if names[0] == names[1] {
            names = [a, b].map(|one| format!("{} v{}", one.name, one.number.unwrap_or_default()));
        }
        if names[0] == names[1] {
            names = [format!("{} (a)", names[0]), format!("{} (b)", names[1])];
        }
        let [name_a, name_b] = names;
        let task = async |name: String, own: &MatchEntrant| {
            Ok::<_, JobQueueError>(EntrantTask {
                name,
                source: entrants::entrant_source(&self.store, &played.game, own).await?,
                settings: own.settings.clone(),
            })
        };
        let entrants = ByEntrant::new(task(name_a, a).await?, task(name_b, b).await?);
        let from = self.recorded_moment(&played).await?;
        let opening = self.books.position_of(&played).await?;
        let config = opening.as_ref().map(|opening| opening.config.clone());
        let (rules, file) = self.rules_of_match(&played).await?;
        Ok(MatchTask {
            from,
            opening,
            rules,
            file,
            id: played.id.0,
            paced: played.kind == MatchKind::Exhibition,
            seed: played.seed.get(),
            legs: usize::try_from(played.legs).unwrap_or(1).max(1),
            game: played.game,
            config: config.unwrap_or(played.config),
            limits: played.limits,
            entrants,
        })
    }

    /// The rules of a match, and the game file that it must be played by.
    async fn rules_of_match(
        &self,
        played: &Match,
    ) -> Result<(String, Option<String>), JobQueueError> {
        let contests = match played.kind {
            MatchKind::Contest => self.store.contests_of_matches(&[played.id]).await?,
            _ => Vec::new(),
        };
        let kept = contests.into_iter().find_map(|(_, contest)| contest.rules);
        let Some(rules) = kept else {
            let game = self.find_game(&played.game)?;
            return Ok((game.meta().rules.to_owned(), None));
        };
        let files = self.store.game_files().await?;
        let is_it = |row: &&GameFileRow| row.game == played.game && row.rules == rules;
        let file = files.iter().find(is_it).map(|row| row.hash.clone());
        match (file, self.games.find_exact(&played.game, &rules)) {
            (Some(file), Some(_)) => Ok((rules, Some(file))),
            _ => Err(JobQueueError::Bad(format!(
                "the game file with the rules {rules} is not on this server"
            ))),
        }
    }

    /// The moment of another match from which this one continues.
    async fn recorded_moment(
        &self,
        played: &Match,
    ) -> Result<Option<RecordedMoment>, JobQueueError> {
        let Some(origin) = continuation::MatchOrigin::of_limits(&played.limits) else {
            return Ok(None);
        };
        let other = self.store.match_by_id(MatchId(origin.match_id)).await?;
        let key = other.replay.ok_or_else(|| {
            JobQueueError::Bad(format!("match {} has no replay any more", origin.match_id))
        })?;
        let bytes = self.blobs.read_blob(&BlobKey::parse(&key)?).await?;
        let moment = continuation::recorded_moment(&bytes, origin);
        moment.map(Some).map_err(JobQueueError::Bad)
    }

    /// The version of a game whose rules a result names: a newer one may have been published while the
    /// match was played.
    fn game_of_result(&self, id: &str, replay: &str) -> Result<GameHandle, JobQueueError> {
        let rules = Replay::parse(replay).map(|replay| replay.rules);
        let found = rules
            .ok()
            .and_then(|rules| self.games.find_rules(id, &rules));
        found.map_or_else(|| self.find_game(id), Ok)
    }

    fn game_of_task(&self, task: &MatchTask) -> Result<GameHandle, JobQueueError> {
        let found = self.games.find_rules(&task.game, &task.rules);
        found.map_or_else(|| self.find_game(&task.game), Ok)
    }

    fn find_game(&self, id: &str) -> Result<GameHandle, JobQueueError> {
        let found = self.games.find(id);
        found.ok_or_else(|| JobQueueError::Bad(format!("there is no game {id:?} on this server")))
    }

    /// Adds the match to the live matches.
    fn begin_live_match(&self, task: &MatchTask) -> Result<(), JobQueueError> {
        let game = self.game_of_task(task)?;
        let (setup, _) = call_rules(&*game, || continuation::begin_match(&*game, task))
            .map_err(|error| JobQueueError::Bad(error.to_string()))?;
        let entrants = task
            .entrants
            .each_ref()
            .map_values(|entrant| entrant.name.clone());
        self.live.begin_match(LiveMatchStart {
            id: task.id,
            game,
            setup,
            legs: task.legs,
            entrants,
            has_people: false,
        });
        Ok(())
    }

    /// Reports progress and renews the lease; an empty list only renews it.
    pub async fn renew_and_report(
        &self,
        lease: &Lease,
        progress: Vec<JobProgress>,
    ) -> Result<LeaseState, JobQueueError> {
        if progress.is_empty() || !self.tasks.is_fresh(lease) {
            let until = Timestamp::now().after(self.tasks.lease);
            if self.store.renew_lease(lease, until).await? == LeaseState::Lost {
                self.lose_lease(lease);
                return Ok(LeaseState::Lost);
            }
            self.tasks.note_renewal(lease);
        }
        for progress in progress.into_iter().take(MOST_REPORTS) {
            if !self.pass_on(lease, progress).await? {
                self.lose_lease(lease);
                return Ok(LeaseState::Lost);
            }
        }
        Ok(LeaseState::Held)
    }

    /// Forwards one progress report; returns whether the lease is held.
    async fn pass_on(&self, lease: &Lease, progress: JobProgress) -> Result<bool, JobQueueError> {
        let id = self.tasks.match_of(lease).map(|task| task.id);
        match (progress, id) {
            (JobProgress::Leg(index), Some(id)) => self.live.begin_leg(id, index),
            (
                JobProgress::Steps {
                    index,
                    tokens,
                    times_us,
                    after,
                },
                Some(id),
            ) => match after {
                Some(after) => self
                    .live
                    .continue_steps(id, index, after, &tokens, &times_us),
                None => self.live.append_steps(id, index, &tokens, &times_us),
            },
            (JobProgress::Again(index), Some(id)) => self.live.restart_leg(id, index),
            // The server was restarted meanwhile: the match cannot be watched, but it continues.
            (JobProgress::Leg(_) | JobProgress::Steps { .. } | JobProgress::Again(_), None) => {}
            (JobProgress::Log(text), _) => return Ok(self.store.append_log(lease, &text).await?),
            (JobProgress::Checks, _) => return Ok(self.store.begin_checks(lease).await?),
            (JobProgress::Step(step), _) => return Ok(self.store.append_step(lease, step).await?),
        }
        Ok(true)
    }

    /// Records a result. `trusted` results come from this process; others are verified state by
    /// state, and were made in this span of a trace.
    pub async fn finish_job(
        &self,
        lease: &Lease,
        report: JobReport,
        trusted: bool,
        trace: Option<&str>,
    ) -> Result<ReportOutcome, JobQueueError> {
        let span = tracing::info_span!(target: TRACES, "record", job = %lease.job);
        continue_trace(&span, trace);
        let recorded = self.record_report(lease, report, trusted);
        recorded.instrument(span).await
    }

    async fn record_report(
        &self,
        lease: &Lease,
        report: JobReport,
        trusted: bool,
    ) -> Result<ReportOutcome, JobQueueError> {
        let taken = match report {
            JobReport::Match { replay, longest_us } => {
                self.finish_match(lease, replay, &longest_us, trusted)
                    .await?
            }
            JobReport::Version(outcome) => {
                let finish = self
                    .store
                    .finish_version(lease, outcome, Timestamp::now())
                    .await?;
                report_outcome(&finish)
            }
            JobReport::GameFile {
                passed,
                said,
                preview,
            } => {
                let end = check_end_of_worker(passed, said, preview);
                let end = match end {
                    Ok(end) => end,
                    Err(why) => return self.refuse_result(lease, why.to_owned()).await,
                };
                let finish = self.store.finish_game_check(lease, end, Timestamp::now());
                let outcome = report_outcome(&finish.await?);
                load_games(&self.arena_games()).await?;
                outcome
            }
            JobReport::InfrastructureError(why) => self.give_up(lease, &why).await?,
        };
        self.lose_lease(lease);
        Ok(taken)
    }

    async fn give_up(&self, lease: &Lease, why: &str) -> Result<ReportOutcome, JobQueueError> {
        tracing::warn!(job = %lease.job, why, "a task failed by our fault");
        let why: String = why.chars().take(1000).collect();
        match self.store.give_up(lease, &why, Timestamp::now()).await? {
            GiveUpOutcome::Again | GiveUpOutcome::Over => Ok(ReportOutcome::Counted),
            GiveUpOutcome::Lost => Ok(ReportOutcome::Discarded),
        }
    }

    async fn finish_match(
        &self,
        lease: &Lease,
        replay: String,
        longest_us: &ByEntrant<u64>,
        trusted: bool,
    ) -> Result<ReportOutcome, JobQueueError> {
        let task = match self.match_of(lease).await? {
            Some(task) => task,
            None => return Ok(ReportOutcome::Discarded),
        };
        let game = self.game_of_result(&task.game, &replay)?;
        let id = MatchId(task.id);
        let longest_us = longest_us.each_ref().map_values(|longest| *longest);
        let kind = self.store.match_by_id(id).await?.kind;
        let judged = tokio::task::spawn_blocking(move || {
            let parsed = read_replay(&*game, &task, &replay, trusted)?;
            let result = match kind {
                MatchKind::Experiment => {
                    let terms = (task.seed, task.legs);
                    match_result::experiment_result(&*game, &parsed, terms, &longest_us)?
                }
                _ => match_result::match_result(&*game, &parsed, &longest_us, None)?,
            };
            Ok((result, replay))
        });
        let judged: Result<_, String> = judged
            .await
            .map_err(|error| JobQueueError::Bad(error.to_string()))?;
        let (result, replay) = match judged {
            Ok(judged) => judged,
            Err(why) => return self.refuse_result(lease, why).await,
        };
        let finish = record_result(&self.store, &self.blobs, lease, id, replay, result).await?;
        Ok(report_outcome(&finish))
    }

    /// Refuses a replay that does not belong to this match: the worker is broken or lies. It is
    /// counted against the worker, and the job is queued again.
    async fn refuse_result(
        &self,
        lease: &Lease,
        why: String,
    ) -> Result<ReportOutcome, JobQueueError> {
        let job = self.store.find_job(lease.job).await?;
        let holds = job.token.as_deref() == Some(&lease.token);
        if let Some(worker) = job.worker.filter(|_| holds) {
            tracing::warn!(worker, job = %lease.job, why, "the result of a worker was refused");
            self.store.count_refusal(&worker).await?;
        }
        self.give_up(lease, &why).await?;
        Err(JobQueueError::Bad(why))
    }

    /// The match of a lease, even after a restart of the server. `None` if the lease is lost.
    async fn match_of(&self, lease: &Lease) -> Result<Option<MatchTask>, JobQueueError> {
        if let Some(task) = self.tasks.match_of(lease) {
            return Ok(Some(task));
        }
        let job = self.store.find_job(lease.job).await?;
        let is_held = job.token.as_deref() == Some(&lease.token) && job.state != JobState::Dropped;
        match (job.match_id, is_held) {
            (Some(id), true) => Ok(Some(
                self.match_task(self.store.match_by_id(id).await?).await?,
            )),
            _ => Ok(None),
        }
    }

    /// Returns a job as if it had never been leased.
    pub async fn hand_back(&self, lease: &Lease) -> Result<(), JobQueueError> {
        self.store.hand_back(lease).await?;
        self.lose_lease(lease);
        Ok(())
    }

    /// Reads a source that belongs to the task of this lease.
    pub async fn read_source(
        &self,
        lease: &Lease,
        version: VersionId,
    ) -> Result<Vec<u8>, JobQueueError> {
        if !self.owns_version(lease, version).await? {
            return Err(JobQueueError::Bad(format!(
                "version {version} does not belong to this task"
            )));
        }
        entrants::read_upload(&self.store, &self.blobs, version).await
    }

    fn arena_games(&self) -> ArenaGames {
        ArenaGames {
            games: self.games.clone(),
            store: self.store.clone(),
            blobs: self.blobs.clone(),
        }
    }

    /// Reads the game file that the task of this lease checks.
    pub async fn read_game_file(&self, lease: &Lease) -> Result<Vec<u8>, JobQueueError> {
        let not_this = || JobQueueError::Bad("this task checks no game file".to_owned());
        if self.store.check_lease(lease).await? == LeaseState::Lost {
            return Err(not_this());
        }
        let job = self.store.find_job(lease.job).await?;
        let id = job.game_file_id.ok_or_else(not_this)?;
        let row = self.store.find_game_file(id).await?.ok_or_else(not_this)?;
        Ok(self.blobs.read_blob(&row.blob()).await?)
    }

    /// A list of libraries or a package by its hash.
    pub async fn read_library(&self, hash: &str) -> Result<Vec<u8>, JobQueueError> {
        Ok(read_by_hash(&self.blobs, hash).await?)
    }

    /// Names the libraries of today in the sources of a task.
    async fn name_libraries(&self, work: &mut TaskWork) -> Result<(), JobQueueError> {
        let sources: Vec<&mut SourceTask> = match work {
            TaskWork::Version(source) => vec![source],
            TaskWork::GameFile(_) => Vec::new(),
            TaskWork::Match(task) => {
                let both = task.entrants.iter_mut();
                both.filter_map(|(_, one)| match &mut one.source {
                    EntrantSource::Program(source) => Some(source),
                    EntrantSource::BuiltIn(_) => None,
                })
                .collect()
            }
        };
        if !sources.is_empty() {
            let hash = libraries_hash(&self.blobs).await?;
            sources
                .into_iter()
                .for_each(|source| source.libraries.clone_from(&hash));
        }
        Ok(())
    }

    async fn owns_version(&self, lease: &Lease, version: VersionId) -> Result<bool, JobQueueError> {
        if self.store.check_lease(lease).await? == LeaseState::Lost {
            return Ok(false);
        }
        let job = self.store.find_job(lease.job).await?;
        let of_match = match job.match_id {
            Some(id) => {
                let Match { a, b, .. } = self.store.match_by_id(id).await?;
                let mut both = [a, b].into_iter().flatten();
                both.any(|entrant| entrant.version == Some(version))
            }
            None => false,
        };
        Ok(of_match || job.version_id == Some(version))
    }

    /// Records the report of a worker.
    pub async fn report_worker(&self, report: WorkerReport) -> Result<(), JobQueueError> {
        let now = Timestamp::now();
        Ok(self.store.record_heartbeat(report, now).await?)
    }

    /// Removes tasks with expired leases, so that their matches are not shown as live.
    pub fn sweep_expired(&self) {
        let expired = self.tasks.list_expired();
        expired.iter().for_each(|lease| self.lose_lease(lease));
    }

    /// Removes a task whose lease is lost.
    fn lose_lease(&self, lease: &Lease) {
        if let Some(id) = self.tasks.remove_task(lease) {
            self.live.end_match(id);
        }
    }
}

fn report_outcome(finish: &RecordOutcome) -> ReportOutcome {
    match finish {
        RecordOutcome::Recorded { .. } | RecordOutcome::AlreadyFinished => ReportOutcome::Counted,
        RecordOutcome::Lost => ReportOutcome::Discarded,
    }
}
