//! The asking side of a batch.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::RecvTimeoutError;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};
use async_nats::Client;
use async_nats::jetstream::Context;
use async_nats::jetstream::context::PublishErrorKind;
use async_nats::jetstream::object_store::ObjectStore;
use async_nats::jetstream::stream::{LastRawMessageErrorKind, Stream};
use futures_util::StreamExt;
use leitai_bus::show_addresses;
use leitai_game::Replay;
use leitai_game::clean_text::clean_line;
use leitai_judge::PlayerKind;
use leitai_series::entrant::BuildNotice;
use leitai_series::run::{AttemptOutcome, FinishedMatch, MAX_WORKERS, SeriesJob};
use leitai_series::{GameRecord, MatchPlayer, Roster};
use tokio::runtime::Runtime;

use crate::VERSION;
use crate::attendance;
use crate::message::{
    self, EntrantSource, FORMAT, Job, JobEnd, JobEntrant, JobResult, MOST_PROGRAM, MatchTerms,
    MatchWork, ProgramSource, Work,
};
use crate::notice::{BatchListener, BatchNotice};
use crate::place::BatchPlace;
use crate::results::Results;
use crate::streams;
use crate::subjects::{self, BatchId};

/// The interval at which a stop is noticed.
const STOP_POLL: Duration = Duration::from_millis(100);
/// The pause after an error of the bus.
const PAUSE: Duration = Duration::from_millis(300);
/// The interval at which jobs without news are looked for on the bus.
const LOOK: Duration = Duration::from_secs(5);
/// The most bytes of a result in the bucket.
const MOST_RESULT: u64 = 80 << 20;
/// The longest id of a rule that decides, in bytes.
const LONGEST_REASON: usize = 80;
/// Bytes of a message that are not its content.
const HEADERS: usize = 4096;

/// What a batch is asked with.
pub struct AskOptions<'a> {
    /// The addresses of the bus, separated by commas, with user and password.
    pub bus: &'a str,
    /// The folder with which a cut run can continue.
    pub folder: Option<&'a Path>,
    /// Matches at once, if it is not decided by the workers that are attached.
    pub at_once: Option<usize>,
}

/// A packed program.
pub struct PackedProgram {
    /// The name of the file, without folders.
    pub file_name: String,
    /// Its content.
    pub bytes: Vec<u8>,
    /// The protocol or host that was written before the path.
    pub prefix: Option<String>,
}

/// A batch: the connection of the asking side, and what it has on the bus.
pub struct Batch {
    runtime: Runtime,
    shared: Arc<Shared>,
    at_once: Option<usize>,
    place: Mutex<BatchPlace>,
    is_closed: AtomicBool,
}

/// What the tasks of a batch share.
struct Shared {
    client: Client,
    jetstream: Context,
    jobs: Stream,
    id: BatchId,
    results: Arc<Results>,
    slots: Arc<AtomicUsize>,
    tell: BatchListener,
    /// When it was last told that the bus has no room.
    told_full: Mutex<Option<Instant>>,
    /// Uploaded programs, so that they can be uploaded again.
    uploads: Mutex<Vec<(String, Arc<Vec<u8>>)>>,
}

impl Batch {
    /// Connects to the bus, and begins a batch or continues that of the folder.
    ///
    /// # Errors
    /// If the bus cannot be used, or the folder is in use; the text says what to do.
    pub fn open(options: &AskOptions<'_>, tell: BatchListener) -> anyhow::Result<Batch> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .context("cannot start the connection")?;
        let place = BatchPlace::open(options.folder)?;
        let shared = runtime.block_on(Shared::connect(options.bus, place.id.clone(), tell))?;
        let shared = Arc::new(shared);
        runtime.spawn(attendance::count_workers(
            shared.client.clone(),
            show_addresses(options.bus),
            shared.slots.clone(),
            shared.results.clone(),
            shared.tell.clone(),
        ));
        runtime.spawn(collect_results(shared.clone()));
        runtime.spawn(look_after_jobs(shared.clone()));
        Ok(Batch {
            runtime,
            shared,
            at_once: options.at_once,
            place: Mutex::new(place),
            is_closed: AtomicBool::new(false),
        })
    }

    /// Uploads the programs of a roster and has each built by a worker; who cannot be built is broken
    /// in the roster afterwards. `pack` gives the program of the entrant with this number. Returns
    /// `None` if it was interrupted.
    ///
    /// # Errors
    /// If a program cannot be uploaded, or no worker could try to build it.
    pub fn prepare(
        self,
        roster: &mut Roster,
        pack: &dyn Fn(usize) -> anyhow::Result<PackedProgram>,
        stop: &AtomicBool,
    ) -> anyhow::Result<Option<PreparedBatch>> {
        let options = roster.options();
        let terms = MatchTerms {
            limits: options.limits,
            resources: options.resources,
            transport: options.transport,
            build_limit: options.build_limit,
        };
        let mut entrants = Vec::new();
        for (index, player) in roster.players.iter().enumerate() {
            let source = match &player.kind {
                PlayerKind::BuiltIn(name) => EntrantSource::BuiltIn(name.clone()),
                _ => EntrantSource::Program(self.upload(pack(index)?)?),
            };
            entrants.push(JobEntrant {
                name: player.name.clone(),
                source,
                settings: roster.settings[index].clone(),
            });
        }
        let mut prepared = PreparedBatch {
            batch: self,
            terms,
            entrants,
        };
        let Some(built) = prepared.build_all(roster, stop)? else {
            return Ok(None);
        };
        for (index, why) in built {
            roster.players[index].kind = PlayerKind::Broken(why.clone());
            prepared.entrants[index].source = EntrantSource::Broken(why);
        }
        Ok(Some(prepared))
    }

    fn upload(&self, program: PackedProgram) -> anyhow::Result<ProgramSource> {
        let PackedProgram {
            file_name,
            bytes,
            prefix,
        } = program;
        ensure!(
            bytes.len() as u64 <= MOST_PROGRAM,
            "{file_name} has {} bytes; workers take {MOST_PROGRAM} at most",
            bytes.len()
        );
        let (hash, bytes) = (message::hash_of(&bytes), Arc::new(bytes));
        self.runtime
            .block_on(self.shared.put_program(&hash, &bytes))
            .context("cannot upload a program to the bus")?;
        let mut uploads = self.shared.lock_uploads();
        if !uploads.iter().any(|(known, _)| *known == hash) {
            uploads.push((hash.clone(), bytes));
        }
        Ok(ProgramSource {
            hash,
            file_name: plain_name(&file_name),
            prefix,
        })
    }

    /// Ends the batch. If its series is complete, or cannot be continued, nothing of it stays on the
    /// bus; otherwise only what the next run needs.
    fn close(&self, is_complete: bool) {
        if self.is_closed.swap(true, Ordering::Relaxed) {
            return;
        }
        let shared = self.shared.clone();
        let mut place = self.place.lock().unwrap_or_else(PoisonError::into_inner);
        let is_over = is_complete || !place.can_continue();
        let cleaning = async move {
            if is_over {
                let _ = shared
                    .client
                    .publish(shared.id.end(), Default::default())
                    .await;
                streams::remove_batch(&shared.jetstream, &shared.jobs, &shared.id, VERSION).await;
            } else {
                streams::purge_jobs(&shared.jobs, &shared.id, VERSION).await;
            }
            let _ = shared.client.flush().await;
        };
        // Without the bus, everything ages out there.
        let _ = self
            .runtime
            .block_on(async { tokio::time::timeout(Duration::from_secs(3), cleaning).await });
        if is_over {
            place.forget();
        }
    }

    /// Has a job done, and returns its result; `None` if it was interrupted.
    fn run_job(&self, job: &Job, halt: &AtomicBool) -> anyhow::Result<Option<JobResult>> {
        let bytes = message::pack(job)?;
        let most = self.shared.client.server_info().max_payload;
        ensure!(
            bytes.len() + HEADERS <= most,
            "a job has {} bytes, but the bus takes {most}: raise max_payload of nats-server, or \
             use a smaller config",
            bytes.len()
        );
        let expected = self.shared.results.expect(&message::token_of(job)?, &bytes);
        if !expected.is_there && !self.publish_job(&expected.token, &bytes, halt) {
            self.shared.results.forget(&expected.token);
            return Ok(None);
        }
        loop {
            match expected.arrival.recv_timeout(STOP_POLL) {
                Ok(bytes) => return Ok(Some(read_result(&bytes))),
                Err(RecvTimeoutError::Timeout) if !halt.load(Ordering::Relaxed) => {}
                Err(_) => {
                    self.shared.results.forget(&expected.token);
                    return Ok(None);
                }
            }
        }
    }

    /// Publishes a job until the bus has stored it. Returns whether it did before `halt` was set.
    fn publish_job(&self, token: &str, bytes: &[u8], halt: &AtomicBool) -> bool {
        while !halt.load(Ordering::Relaxed) {
            match self.runtime.block_on(self.shared.publish_job(token, bytes)) {
                Ok(()) => return true,
                Err((_, why)) if streams::is_full(&why) => {
                    self.shared.tell_full(why);
                    std::thread::sleep(PAUSE);
                }
                Err((kind, why)) => {
                    tracing::debug!(?kind, why, "a job is published again");
                    std::thread::sleep(PAUSE);
                }
            }
        }
        false
    }
}

impl Drop for Batch {
    fn drop(&mut self) {
        self.close(false);
    }
}

/// A file name that every worker takes; its ending stays.
fn plain_name(name: &str) -> String {
    let plain = |c: char| {
        if c.is_alphanumeric() || "._-+".contains(c) {
            c
        } else {
            '_'
        }
    };
    let name: String = name.chars().map(plain).collect();
    let name = name.trim_start_matches(['.', '-']);
    let skipped = name.chars().count().saturating_sub(80);
    name.chars().skip(skipped).collect()
}

impl Shared {
    /// Tells that the bus has no room, not for every job that waits.
    fn tell_full(&self, why: String) {
        let mut told = self
            .told_full
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if !streams::was_told(&mut told) {
            (self.tell)(&BatchNotice::BusFull { why });
        }
    }

    async fn connect(bus: &str, id: BatchId, tell: BatchListener) -> anyhow::Result<Shared> {
        let results = Arc::new(Results::default());
        let (events, shown) = (tell.clone(), show_addresses(bus));
        let (client, jetstream) =
            streams::connect(bus, "leitai batch".to_owned(), move |is_away| {
                events(&match is_away {
                    true => BatchNotice::BusAway { bus: shown.clone() },
                    false => BatchNotice::BusBack,
                });
            })
            .await?;
        let jobs = streams::open_jobs(&jetstream).await?;
        let own = streams::open_results(&jetstream, &id).await?;
        // Also without programs: large results go there.
        streams::open_bucket(&jetstream, &id).await?;
        streams::forget_result_consumer(&own).await;
        streams::purge_jobs(&jobs, &id, VERSION).await;
        if let Err(error) = streams::remove_leftovers(&jetstream).await {
            tracing::debug!(%error, "leftovers of old batches are not looked for");
        }
        Ok(Shared {
            client,
            jetstream,
            jobs,
            id,
            results,
            slots: Arc::default(),
            tell,
            told_full: Mutex::default(),
            uploads: Mutex::default(),
        })
    }

    fn lock_uploads(&self) -> std::sync::MutexGuard<'_, Vec<(String, Arc<Vec<u8>>)>> {
        self.uploads.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn bucket(&self) -> anyhow::Result<ObjectStore> {
        streams::open_bucket(&self.jetstream, &self.id).await
    }

    async fn put_program(&self, hash: &str, bytes: &[u8]) -> anyhow::Result<()> {
        let bucket = self.bucket().await?;
        if bucket.info(hash).await.is_ok_and(|found| !found.deleted) {
            return Ok(());
        }
        let most = (self.client.server_info().max_payload).saturating_sub(HEADERS);
        streams::put_object(&bucket, hash, bytes, most).await
    }

    async fn publish_job(
        &self,
        token: &str,
        bytes: &[u8],
    ) -> Result<(), (PublishErrorKind, String)> {
        let subject = self.id.job(VERSION, token);
        streams::publish(&self.jetstream, subject, bytes.to_owned()).await
    }

    /// The bytes of a result that is in the bucket.
    async fn fetch_result(&self, object: &str) -> anyhow::Result<Vec<u8>> {
        streams::fetch_object(&self.bucket().await?, object, MOST_RESULT).await
    }

    async fn take_result(&self, token: &str, payload: &[u8]) -> anyhow::Result<()> {
        let bytes = match message::find_object(payload) {
            Some(object) => self.fetch_result(&object).await?,
            None => payload.to_owned(),
        };
        self.results.hand_over(token, bytes);
        Ok(())
    }
}

/// Takes results from the bus, for as long as the batch runs.
async fn collect_results(shared: Arc<Shared>) {
    loop {
        if let Err(error) = collect_until_error(&shared).await {
            tracing::debug!(%error, "results are asked for again");
        }
        tokio::time::sleep(PAUSE).await;
    }
}

async fn collect_until_error(shared: &Shared) -> anyhow::Result<()> {
    let stream = streams::open_results(&shared.jetstream, &shared.id).await?;
    let consumer = streams::open_result_consumer(&stream).await?;
    let mut messages = consumer
        .stream()
        .heartbeat(Duration::from_secs(2))
        .expires(Duration::from_secs(10))
        .messages()
        .await?;
    while let Some(message) = messages.next().await {
        let message = message?;
        let token = message
            .subject
            .rsplit('.')
            .next()
            .unwrap_or_default()
            .to_owned();
        if subjects::is_token(&token) {
            shared.take_result(&token, &message.payload).await?;
        }
        message
            .ack()
            .await
            .map_err(|error| anyhow::anyhow!(error))?;
    }
    Ok(())
}

/// Looks for jobs that have been silent for long. If neither the job nor its result is on the bus, it
/// is published again: the bus may have lost its storage. So is a job that the bus keeps but will give
/// to nobody.
async fn look_after_jobs(shared: Arc<Shared>) {
    loop {
        tokio::time::sleep(LOOK).await;
        for (token, job) in shared.results.list_silent(2 * LOOK) {
            if let Err(error) = look_after(&shared, &token, &job).await {
                tracing::debug!(%error, "a silent job was not found");
                break;
            }
        }
    }
}

async fn look_after(shared: &Shared, token: &str, job: &[u8]) -> anyhow::Result<()> {
    let subject = shared.id.job(VERSION, token);
    match shared.jobs.get_last_raw_message_by_subject(&subject).await {
        Ok(found) if !streams::is_passed_over(&shared.jobs, VERSION, found.sequence).await => {
            return Ok(());
        }
        Ok(found) => drop(shared.jobs.delete_message(found.sequence).await?),
        Err(error) if matches!(error.kind(), LastRawMessageErrorKind::NoMessageFound) => {}
        // The stream itself may be gone with the storage of the bus.
        Err(_) => drop(streams::open_jobs(&shared.jetstream).await?),
    }
    let stream = streams::open_results(&shared.jetstream, &shared.id).await?;
    if let Ok(found) = stream
        .get_last_raw_message_by_subject(&shared.id.result(token))
        .await
    {
        return shared.take_result(token, &found.payload).await;
    }
    let uploads = shared.lock_uploads().clone();
    for (hash, bytes) in uploads {
        shared.put_program(&hash, &bytes).await?;
    }
    let published = shared.publish_job(token, job).await;
    published.map_err(|(_, why)| anyhow::anyhow!(why))
}

/// A result; one that cannot be read says that the job failed.
fn read_result(bytes: &[u8]) -> JobResult {
    let read = message::unpack::<JobResult>(bytes).and_then(|result| {
        ensure!(
            result.format == FORMAT,
            "it has the format {}",
            result.format
        );
        Ok(result)
    });
    read.unwrap_or_else(|error| {
        let why = format!("a worker sent a bad result: {error:#}");
        let worker = String::new();
        JobResult {
            format: FORMAT,
            worker,
            end: JobEnd::Failed { why },
        }
    })
}

/// A batch whose entrants are uploaded and built.
pub struct PreparedBatch {
    batch: Batch,
    terms: MatchTerms,
    entrants: Vec<JobEntrant>,
}

impl PreparedBatch {
    /// The player of matches between the entrants of this roster.
    pub fn player<'a>(&'a self, roster: &'a Roster) -> BatchPlayer<'a> {
        BatchPlayer {
            roster,
            prepared: self,
        }
    }

    /// Ends the batch. If its series is complete, or cannot be continued, nothing of it stays on the
    /// bus; otherwise only what the next run needs. Dropping it does the same as if it were not
    /// complete.
    pub fn close(&self, is_complete: bool) {
        self.batch.close(is_complete);
    }

    fn make_job(&self, roster: &Roster, attempt: u32, work: Work) -> Job {
        let meta = roster.game().meta();
        Job {
            format: FORMAT,
            game: meta.id.to_owned(),
            rules: meta.rules.to_owned(),
            terms: self.terms.clone(),
            attempt,
            work,
        }
    }

    /// Has every program built once. Returns who is broken, with the reason.
    fn build_all(
        &self,
        roster: &Roster,
        stop: &AtomicBool,
    ) -> anyhow::Result<Option<Vec<(usize, String)>>> {
        let is_program =
            |one: &&(usize, &JobEntrant)| matches!(one.1.source, EntrantSource::Program(_));
        let numbered: Vec<_> = self.entrants.iter().enumerate().collect();
        let programs: Vec<_> = numbered.iter().filter(is_program).collect();
        let ends: Vec<anyhow::Result<Option<JobResult>>> = std::thread::scope(|scope| {
            let build = |entrant: &JobEntrant| {
                let work = Work::Build {
                    entrant: entrant.clone(),
                };
                let job = self.make_job(roster, 0, work);
                scope.spawn(move || self.batch.run_job(&job, stop))
            };
            let all: Vec<_> = programs.iter().map(|(_, entrant)| build(entrant)).collect();
            all.into_iter()
                .map(|one| {
                    one.join()
                        .unwrap_or_else(|_| bail!("a thread of the batch panicked"))
                })
                .collect()
        });
        let mut broken = Vec::new();
        for ((index, entrant), end) in programs.into_iter().zip(ends) {
            let Some(result) = end? else { return Ok(None) };
            match result.end {
                JobEnd::Built {
                    broken: why,
                    notices,
                } => {
                    notices.iter().map(clean_notice).for_each(|notice| {
                        (self.batch.shared.tell)(&BatchNotice::Build(notice));
                    });
                    broken.extend(why.map(|why| (*index, clean_lines(&why))));
                }
                JobEnd::Failed { why } | JobEnd::Void { why } => bail!(
                    "{}: no worker could build it: {}",
                    entrant.name,
                    clean_lines(&why)
                ),
                JobEnd::Played { .. } => bail!("a worker sent a bad result"),
            }
        }
        Ok(Some(broken))
    }
}

/// Whether the summary of another machine names its reasons as rules do.
fn has_plain_reasons(game: &GameRecord) -> bool {
    let is_plain = |reason: &str| {
        let is_word = |c: u8| c.is_ascii_alphanumeric() || c == b'-' || c == b'_';
        reason.len() <= LONGEST_REASON && reason.bytes().all(is_word)
    };
    is_plain(&game.reason) && game.legs.iter().all(|leg| is_plain(&leg.reason))
}

/// Text of another machine, without what a terminal would obey.
fn clean_lines(text: &str) -> String {
    let lines: Vec<_> = text.lines().map(clean_line).collect();
    lines.join("\n")
}

fn clean_notice(notice: &BuildNotice) -> BuildNotice {
    notice.clone().map_texts(&mut |text| clean_lines(&text))
}

/// Plays the matches of a series on the workers of a bus.
pub struct BatchPlayer<'a> {
    roster: &'a Roster,
    prepared: &'a PreparedBatch,
}

impl BatchPlayer<'_> {
    fn make_match(&self, job: &SeriesJob<()>, before: u32) -> Job {
        let config = self.roster.config_of(job).clone();
        let entrant = |index: usize| JobEntrant {
            // The roster numbers equal names.
            name: self.roster.players[index].name.clone(),
            settings: self.roster.settings_of(job, index),
            ..self.prepared.entrants[index].clone()
        };
        let work = Work::Match(MatchWork {
            pair: job.pair,
            seed: job.seed,
            legs: job.legs.unwrap_or(self.roster.options().legs),
            config,
            position: self.roster.position_of(job).cloned(),
            entrants: job.pair.map(entrant),
        });
        self.prepared.make_job(self.roster, before, work)
    }
}

impl MatchPlayer for BatchPlayer<'_> {
    /// Somewhat more than the workers play at once, so that none waits for the next job.
    fn capacity(&self) -> usize {
        let batch = &self.prepared.batch;
        let slots = batch.shared.slots.load(Ordering::Relaxed);
        let wanted = batch.at_once.unwrap_or(slots + slots / 2 + 1);
        wanted.clamp(1, MAX_WORKERS)
    }

    fn play(
        &self,
        job: &SeriesJob<()>,
        before: u32,
        halt: &AtomicBool,
    ) -> anyhow::Result<AttemptOutcome> {
        let request = self.make_match(job, before);
        let result = match self.prepared.batch.run_job(&request, halt) {
            Ok(Some(result)) => result,
            Ok(None) => return Ok(AttemptOutcome::Interrupted),
            Err(error) => return Err(error),
        };
        let worker = clean_line(&result.worker).into_owned();
        Ok(match result.end {
            JobEnd::Played { mut game, replay } => {
                let is_asked =
                    game.pair == job.pair && game.seed == job.seed && has_plain_reasons(&game);
                // Where the replay is kept is decided here.
                game.replay = None;
                match Replay::parse(&replay) {
                    Ok(replay) if is_asked => AttemptOutcome::Finished(Box::new(FinishedMatch {
                        game: *game,
                        replay,
                    })),
                    _ => AttemptOutcome::Void(format!("the worker {worker} sent a bad result")),
                }
            }
            JobEnd::Void { why } | JobEnd::Failed { why } => {
                AttemptOutcome::Void(clean_line(&why).into_owned())
            }
            JobEnd::Built { .. } => {
                AttemptOutcome::Void(format!("the worker {worker} sent a bad result"))
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_are_plain_and_keep_their_ending() {
        for (name, expected) in [
            ("bot.py", "bot.py"),
            ("my bot.py", "my_bot.py"),
            ("蛇.cpp", "蛇.cpp"),
            ("-rf.py", "rf.py"),
            ("$(reboot).py", "__reboot_.py"),
        ] {
            assert_eq!(plain_name(name), expected);
        }
        assert!(plain_name(&format!("{}.py", "a".repeat(200))).ends_with("aaa.py"));
    }
}
