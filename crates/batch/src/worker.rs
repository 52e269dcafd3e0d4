//! The side that plays: takes jobs of batches from the bus, one for each slot.

use std::cell::Cell;
use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use async_nats::jetstream::consumer::{Consumer, pull};
use async_nats::jetstream::context::PublishErrorKind;
use async_nats::jetstream::{AckKind, Context, Message};
use async_nats::{Client, Subject};
use futures_util::StreamExt;
use leitai_bus::show_addresses;
use leitai_game::clean_text::clean_line;
use leitai_game::{AnyGame, AnySetup, ByEntrant, GameHandle, GameSet};
use leitai_judge::build::BuildCache;
use leitai_judge::{MatchSpec, Player, PlayerKind, ResumePoint, Sandbox};
use leitai_series::MatchOptions;
use leitai_series::run::{AttemptOutcome, play_one};
use leitai_work::worker::LAST_TRIES;
use leitai_work::{JobSourceError, LeaseTerms, Slot, Work as JobWork, Worker};
use serde_json::Value;
use tokio::runtime::Handle;

use crate::VERSION;
use crate::message::{
    self, EntrantSource, FORMAT, Hello, HelloReply, Job, JobEnd, JobEntrant, JobResult,
    MOST_PROGRAM, MatchTerms, MatchWork, ProgramSource, Work,
};
use crate::programs::{BuiltProgram, Programs};
use crate::streams::{self, ACK_WAIT, TRIES};
use crate::subjects::{self, BatchId};

/// How long a slot waits for a job before it asks again.
const PULL: Duration = Duration::from_secs(3);
/// The pause after an error of the bus.
const PAUSE: Duration = Duration::from_millis(300);
/// How long a job that failed here stays with the bus before another worker gets it.
const AFTER_FAILURE: Duration = Duration::from_millis(300);
/// How long a result is held where the bus has no stream for it: its batch has probably ended.
const NO_STREAM: Duration = Duration::from_secs(4);
/// Bytes of a message that are not its content.
const HEADERS: usize = 4096;
/// The number of ended batches that are remembered.
const ENDED: usize = 1000;
/// The most legs of a match.
const MOST_LEGS: usize = 64;

/// Options of a worker.
pub struct BatchWorkerOptions<'a> {
    /// The addresses of the bus, separated by commas, with user and password.
    pub bus: &'a str,
    /// Its name, for people.
    pub name: String,
    /// Matches at once.
    pub slots: usize,
    /// The most memory that a batch may give to a program, in bytes.
    pub most_memory: u64,
    /// The sandbox of programs; without one they are refused.
    pub sandbox: Option<Sandbox>,
    /// Keeps builds for the next run.
    pub build_cache: Option<&'static BuildCache>,
    /// The `leitai` program, which some hosts of games need.
    pub leitai: PathBuf,
}

/// A job that this worker holds.
type HeldLease = leitai_work::HeldLease<JobLease>;

/// A worker of batches.
pub struct BatchWorker {
    handle: Handle,
    client: Client,
    jetstream: Context,
    games: GameSet,
    name: String,
    slots: usize,
    instance: u64,
    most_memory: u64,
    programs: Programs,
    /// Batches that have ended.
    ended: Mutex<VecDeque<BatchId>>,
    is_stopping: AtomicBool,
}

/// What came of a job: the result, if there is one, and what the bus is told once it is stored.
pub struct JobAnswer(Option<Vec<u8>>, AckKind);

/// A job as it came.
pub struct ReceivedJob {
    message: Message,
    batch: BatchId,
    token: String,
    /// The number of times that it was given to a worker, this one included.
    delivered: i64,
    /// Since when there has been no stream for its result.
    without_stream: Cell<Option<Instant>>,
    /// When it was last told that the bus has no room.
    told_full: Cell<Option<Instant>>,
}

/// A job that is being done.
pub struct JobLease {
    batch: BatchId,
    /// Where the bus is told so.
    reply: Option<Subject>,
}

impl BatchWorker {
    /// Connects to the bus. The runtime of `handle` must run until the worker has ended.
    ///
    /// # Errors
    /// If the bus cannot be used; the text says what to do.
    pub fn connect(
        handle: Handle,
        games: impl Into<GameSet>,
        options: BatchWorkerOptions<'_>,
    ) -> anyhow::Result<Arc<BatchWorker>> {
        let shown = show_addresses(options.bus);
        let name = format!("leitai worker {}", options.name);
        let connected = streams::connect(options.bus, name, move |is_away| match is_away {
            true => tracing::warn!(
                "the bus {shown} is away: matches go on, and their results wait; it is tried again \
                 until it is back"
            ),
            false => tracing::info!("the bus is back"),
        });
        let (client, jetstream) = handle.block_on(connected)?;
        let worker = Arc::new(BatchWorker {
            handle,
            client,
            jetstream,
            games: games.into(),
            name: options.name,
            slots: options.slots,
            instance: rand::random(),
            most_memory: options.most_memory,
            programs: Programs::new(options.sandbox, options.build_cache, options.leitai),
            ended: Mutex::default(),
            is_stopping: AtomicBool::new(false),
        });
        // Whatever is wrong with the bus is said at once, and not by every slot.
        worker.handle.block_on(worker.open_consumer())?;
        Ok(worker)
    }

    /// Plays until `stop` is set. Matches that are not over by then are left to other workers.
    ///
    /// # Errors
    /// If the bus refuses what a worker needs.
    pub fn play_until(self: &Arc<Self>, stop: &'static AtomicBool) -> anyhow::Result<()> {
        let hellos = self.handle.block_on(self.client.subscribe(subjects::HELLO));
        let ends = self
            .handle
            .block_on(self.client.subscribe(subjects::ALL_ENDS));
        let refused = "the bus refuses a subscription; allow this user to subscribe to \
                       `leitai.batch.>` and `_INBOX.>`";
        self.handle
            .spawn(self.clone().answer_hellos(hellos.context(refused)?));
        self.handle
            .spawn(self.clone().note_ends(ends.context(refused)?));
        let slot = |index| Slot {
            name: format!("play-{index}"),
            request: Mutex::default(),
            share: Some((index, self.slots)),
        };
        let slots = (0..self.slots).map(slot).collect();
        let worker = Worker::start(self.clone(), slots, Duration::ZERO);
        worker.work_until(stop).map_err(anyhow::Error::msg)?;
        let _ = self.wait_for(LAST_TRIES, self.client.flush());
        Ok(())
    }

    async fn answer_hellos(self: Arc<Self>, mut hellos: async_nats::Subscriber) {
        let reply = HelloReply {
            leitai: VERSION.to_owned(),
            instance: self.instance,
            worker: self.name.clone(),
            slots: self.slots,
        };
        let reply = serde_json::to_vec(&reply).unwrap_or_default();
        let mut others = Vec::new();
        while let Some(hello) = hellos.next().await {
            if let Some(inbox) = hello.reply {
                let _ = self.client.publish(inbox, reply.clone().into()).await;
            }
            let asked = serde_json::from_slice::<Hello>(&hello.payload).ok();
            let other = asked
                .filter(|asked| asked.leitai != VERSION)
                .map(|asked| asked.leitai);
            if let Some(other) = other.filter(|other| other.len() < 40 && !others.contains(other)) {
                tracing::warn!(
                    "a batch of Leitai {:?} is on this bus; this worker is {VERSION} and leaves its \
                     matches to workers of that version",
                    other
                );
                others.push(other);
                others.truncate(100);
            }
        }
    }

    async fn note_ends(self: Arc<Self>, mut ends: async_nats::Subscriber) {
        while let Some(end) = ends.next().await {
            let id = end.subject.rsplit('.').next().and_then(BatchId::parse);
            let mut ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
            ended.extend(id);
            let too_many = ended.len().saturating_sub(ENDED);
            ended.drain(..too_many);
        }
    }

    fn has_ended(&self, batch: &BatchId) -> bool {
        let ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        ended.contains(batch)
    }

    async fn open_consumer(&self) -> anyhow::Result<Consumer<pull::Config>> {
        let jobs = streams::open_jobs(&self.jetstream).await?;
        streams::open_worker_consumer(&jobs, VERSION).await
    }

    /// Waits for something of the bus, at most this long.
    fn wait_for<T>(
        &self,
        most: Duration,
        what: impl Future<Output = T>,
    ) -> Result<T, tokio::time::error::Elapsed> {
        self.handle
            .block_on(async { tokio::time::timeout(most, what).await })
    }

    async fn next_message(
        &self,
        consumer: &mut Option<Consumer<pull::Config>>,
    ) -> anyhow::Result<Option<Message>> {
        let open = match consumer.take() {
            Some(open) => open,
            None => self.open_consumer().await?,
        };
        let open = consumer.insert(open);
        let asked = open.batch().max_messages(1).expires(PULL).messages().await;
        let mut messages = asked.context("cannot ask for a job")?;
        let next = tokio::time::timeout(PULL + Duration::from_secs(1), messages.next());
        tokio::select! {
            next = next => match next {
                Ok(Some(message)) => {
                    message.map(Some).map_err(|error| anyhow::anyhow!("{error}"))
                }
                Ok(None) => Ok(None),
                Err(_) => anyhow::bail!("no answer"),
            },
            () = until_set(&self.is_stopping) => Ok(None),
        }
    }

    /// The answer to a job that could not be done here: another worker may try, unless enough did.
    fn refuse(&self, job: &ReceivedJob, why: &str) -> JobAnswer {
        let why = clean_line(why).into_owned();
        tracing::warn!("a job of the batch {} is left to others: {why}", job.batch);
        match job.delivered >= TRIES {
            true => self.answer(JobEnd::Failed { why }),
            false => JobAnswer(None, AckKind::Nak(Some(AFTER_FAILURE))),
        }
    }

    /// The answer with a result.
    fn answer(&self, end: JobEnd) -> JobAnswer {
        let result = JobResult {
            format: FORMAT,
            worker: self.name.clone(),
            end,
        };
        match message::pack(&result) {
            Ok(bytes) => JobAnswer(Some(bytes), AckKind::Ack),
            Err(error) => {
                tracing::error!("a result cannot be written: {error:#}");
                JobAnswer(None, AckKind::Nak(Some(AFTER_FAILURE)))
            }
        }
    }

    /// Tells the bus what came of a job. A lost acknowledgement costs a second result, which is
    /// dropped.
    fn acknowledge(&self, job: &ReceivedJob, kind: AckKind) {
        let _ = self.wait_for(Duration::from_secs(2), job.message.double_ack_with(kind));
    }

    /// Does a job; `None` if the worker stops, and another one does it from its beginning.
    fn try_job(&self, job: &ReceivedJob, held: &HeldLease) -> Result<Option<JobEnd>, String> {
        if job.delivered > TRIES {
            let why = format!("{TRIES} workers took it, and none of them brought a result");
            return Ok(Some(JobEnd::Failed { why }));
        }
        let request = message::unpack::<Job>(&job.message.payload);
        let request = request.map_err(|error| format!("{error:#}"))?;
        let found = request.format;
        if found != FORMAT {
            return Err(format!("a job in the format {found}; this one is {FORMAT}"));
        }
        let game = self.games.find_rules(&request.game, &request.rules);
        let game = game.filter(|game| game.meta().rules == request.rules);
        let unknown = || format!("this worker does not know the rules {:?}", request.rules);
        let game = game.ok_or_else(unknown)?;
        request.terms.check_bounds(self.most_memory)?;
        match &request.work {
            Work::Build { entrant } => self.build_entrant(job, &*game, entrant, &request.terms),
            Work::Match(work) => self.play_work(job, &game, work, &request.terms, held),
        }
    }

    fn build_entrant(
        &self,
        job: &ReceivedJob,
        game: &dyn AnyGame,
        entrant: &JobEntrant,
        terms: &MatchTerms,
    ) -> Result<Option<JobEnd>, String> {
        let EntrantSource::Program(source) = &entrant.source else {
            return Err("there is nothing to build".to_owned());
        };
        let built = self.build_program(job, game, &entrant.name, source, terms)?;
        Ok(Some(JobEnd::Built {
            broken: built.broken(),
            notices: built
                .notices
                .iter()
                .map(|one| one.clone().with_name(&entrant.name))
                .collect(),
        }))
    }

    fn build_program(
        &self,
        job: &ReceivedJob,
        game: &dyn AnyGame,
        name: &str,
        source: &ProgramSource,
        terms: &MatchTerms,
    ) -> Result<Arc<BuiltProgram>, String> {
        self.programs.build(game, name, source, terms, || {
            let fetched = self.fetch_program(&job.batch, &source.hash);
            match self.wait_for(Duration::from_secs(60), fetched) {
                Ok(Ok(bytes)) => Ok(bytes),
                Ok(Err(error)) => Err(format!("cannot fetch a program from the bus: {error:#}")),
                Err(_) => Err("cannot fetch a program from the bus: timed out".to_owned()),
            }
        })
    }

    async fn fetch_program(&self, batch: &BatchId, hash: &str) -> anyhow::Result<Vec<u8>> {
        let is_hash = hash.len() == 64 && hash.bytes().all(|c| c.is_ascii_hexdigit());
        anyhow::ensure!(is_hash, "{hash:?} is not the name of a program");
        let bucket = self.jetstream.get_object_store(batch.own_name()).await?;
        streams::fetch_object(&bucket, hash, MOST_PROGRAM).await
    }

    fn play_work(
        &self,
        job: &ReceivedJob,
        game: &GameHandle,
        work: &MatchWork,
        terms: &MatchTerms,
        held: &HeldLease,
    ) -> Result<Option<JobEnd>, String> {
        let mut built = Vec::new();
        let mut make_player = |entrant: &JobEntrant| -> Result<Player, String> {
            let kind = match &entrant.source {
                EntrantSource::BuiltIn(name) => PlayerKind::BuiltIn(name.clone()),
                EntrantSource::Broken(why) => PlayerKind::Broken(why.clone()),
                EntrantSource::Program(source) => {
                    let program = self.build_program(job, &**game, &entrant.name, source, terms)?;
                    if let Some(why) = program.broken() {
                        return Err(format!(
                            "a program that is sound elsewhere cannot be built: {why}"
                        ));
                    }
                    let kind = program.kind.clone();
                    built.push(program);
                    kind
                }
            };
            Ok(Player {
                name: entrant.name.clone(),
                kind,
            })
        };
        let [a, b] = &work.entrants;
        let players = ByEntrant::new(make_player(a)?, make_player(b)?);
        let failed = |why: String| Ok(Some(JobEnd::Failed { why }));
        if work.legs == 0 || work.legs > MOST_LEGS {
            return failed(format!("a match of {} legs", work.legs));
        }
        let (config, setup, from) = match begin_match(&**game, work) {
            Ok(begun) => begun,
            Err(error) => return failed(format!("{error:#}")),
        };
        let options = MatchOptions {
            config,
            legs: work.legs,
            ..self.programs.match_options(&**game, terms)?
        };
        let spec = MatchSpec {
            settings: ByEntrant::new(a.settings.clone(), b.settings.clone()),
            from,
            ..options.make_match(game, players, work.seed, setup)
        };
        Ok(match play_one(&spec, work.pair, &held.stop) {
            Err(error) => Some(JobEnd::Failed {
                why: error.to_string(),
            }),
            Ok(outcome) => end_of(outcome),
        })
    }

    async fn publish_result(
        &self,
        job: &ReceivedJob,
        bytes: &[u8],
    ) -> Result<(), (PublishErrorKind, String)> {
        let subject = job.batch.result(&job.token);
        let most = (self.client.server_info().max_payload).saturating_sub(HEADERS);
        if bytes.len() <= most {
            return streams::publish(&self.jetstream, subject, bytes.to_owned()).await;
        }
        let other = |error: String| (PublishErrorKind::Other, error);
        let bucket = self.jetstream.get_object_store(job.batch.own_name()).await;
        let bucket =
            bucket.map_err(|error| (PublishErrorKind::StreamNotFound, error.to_string()))?;
        let put = streams::put_object(&bucket, &job.token, bytes, most).await;
        put.map_err(|error| other(error.to_string()))?;
        let pointer =
            message::refer_to_object(&job.token).map_err(|error| other(error.to_string()))?;
        streams::publish(&self.jetstream, subject, pointer).await
    }
}

/// How a job ends by its match; `None` if it did not.
fn end_of(outcome: AttemptOutcome) -> Option<JobEnd> {
    match outcome {
        AttemptOutcome::Interrupted => None,
        AttemptOutcome::Void(why) => Some(JobEnd::Void { why }),
        AttemptOutcome::Finished(finished) => Some(JobEnd::Played {
            game: Box::new(finished.game),
            replay: finished.replay.to_text(),
        }),
    }
}

/// Config and setup of a match, and the position of a book from which it starts, if there is one.
fn begin_match(
    game: &dyn AnyGame,
    work: &MatchWork,
) -> anyhow::Result<(Value, Arc<dyn AnySetup>, Option<ResumePoint>)> {
    if let Some(position) = &work.position {
        let (setup, from) = position.start(game)?;
        return Ok((position.config.clone(), setup, Some(from)));
    }
    let config = game.read_config(&work.config)?;
    let setup = game.deal_setup(&config, work.seed)?;
    Ok((config, setup, None))
}

impl JobWork for BatchWorker {
    /// The slot's consumer of jobs, while the bus gives it any.
    type Request = Mutex<Option<Consumer<pull::Config>>>;
    type Job = ReceivedJob;
    type Lease = JobLease;
    type Outcome = JobAnswer;
    const PAUSES: [Duration; 2] = [PAUSE; 2];

    fn take_job(&self, consumer: &Self::Request) -> Result<Option<ReceivedJob>, JobSourceError> {
        let mut consumer = consumer.lock().unwrap_or_else(PoisonError::into_inner);
        match self.handle.block_on(self.next_message(&mut consumer)) {
            Ok(message) => Ok(message.and_then(ReceivedJob::read)),
            Err(error) => {
                tracing::debug!("jobs are asked for again: {error:#}");
                *consumer = None;
                std::thread::sleep(PAUSE);
                Ok(None)
            }
        }
    }

    fn lease_of(&self, job: &ReceivedJob) -> (JobLease, LeaseTerms) {
        let (batch, reply) = (job.batch.clone(), job.message.reply.clone());
        (JobLease { batch, reply }, LeaseTerms::lasting(ACK_WAIT / 2))
    }

    fn renew_lease(&self, held: &HeldLease) -> Result<(), JobSourceError> {
        let JobLease { batch, reply } = &held.lease;
        if self.has_ended(batch) {
            // Its jobs are no longer on the bus.
            held.mark_lost();
        } else if let Some(reply) = reply {
            let told = self.client.publish(reply.clone(), "+WPI".into());
            let _ = self.wait_for(PAUSE, told);
        }
        held.note_renewal();
        Ok(())
    }

    fn do_job(&self, job: &ReceivedJob, held: &Arc<HeldLease>) -> JobAnswer {
        match self.try_job(job, held) {
            Ok(Some(end)) => self.answer(end),
            Ok(None) => JobAnswer(None, AckKind::Nak(None)),
            Err(why) => self.refuse(job, &why),
        }
    }

    fn panic_outcome(&self, job: &ReceivedJob) -> JobAnswer {
        self.refuse(job, "the worker panicked; please report it")
    }

    fn deliver(&self, job: &ReceivedJob, answer: &JobAnswer) -> Result<(), JobSourceError> {
        let JobAnswer(result, kind) = answer;
        if let Some(result) = result
            && let Err((error, why)) = self.handle.block_on(self.publish_result(job, result))
            && !job.is_without_stream(error)
        {
            job.tell_unstored(&why);
            return Err(JobSourceError::Away(why));
        }
        self.acknowledge(job, *kind);
        Ok(())
    }

    fn give_up(&self, job: &ReceivedJob) {
        self.acknowledge(job, AckKind::Nak(None));
    }

    fn stop_waiting(&self) {
        self.is_stopping.store(true, Ordering::Relaxed);
    }

    fn name_job(&self, lease: &JobLease) -> String {
        format!("of the batch {}", lease.batch)
    }
}

impl ReceivedJob {
    /// Whether there has been no stream for its result for long: its batch has probably ended.
    fn is_without_stream(&self, kind: PublishErrorKind) -> bool {
        if kind != PublishErrorKind::StreamNotFound {
            return false;
        }
        let since = self.without_stream.get().unwrap_or_else(Instant::now);
        self.without_stream.set(Some(since));
        since.elapsed() > NO_STREAM
    }

    /// Tells that the bus does not store its result; not every time that it has no room.
    fn tell_unstored(&self, why: &str) {
        let mut told = self.told_full.get();
        if streams::is_full(why) && !streams::was_told(&mut told) {
            tracing::warn!(
                "the bus has no room for a result ({why}); free some of its storage: it waits here \
                 until there is some"
            );
        } else {
            tracing::debug!("a result is published again: {why}");
        }
        self.told_full.set(told);
    }

    fn read(message: Message) -> Option<ReceivedJob> {
        let mut words = message.subject.rsplit('.');
        let token = words
            .next()
            .filter(|word| subjects::is_token(word))?
            .to_owned();
        let batch = words.next().and_then(BatchId::parse)?;
        let delivered = message.info().map_or(1, |info| info.delivered);
        Some(ReceivedJob {
            batch,
            token,
            delivered,
            message,
            without_stream: Cell::default(),
            told_full: Cell::default(),
        })
    }
}

/// Done when the flag is set.
async fn until_set(flag: &AtomicBool) {
    while !flag.load(Ordering::Relaxed) {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}
