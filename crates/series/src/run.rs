//! Plays several matches at once. One thread asks the series for the next match and reports results
//! in the order of their ends; the other threads play.

use std::collections::VecDeque;
use std::fmt::Display;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use anyhow::Context;
use leitai_game::Replay;
use leitai_judge::{JudgeError, MatchSpec, NoHumans, PlayedMatch, core_sharing, play_match};

use crate::Language;
pub use crate::series_job::SeriesJob;
use crate::{GameRecord, Roster, VoidMatch};

/// The interval at which the stop flag is read.
const STOP_POLL: Duration = Duration::from_millis(100);
/// The number of attempts before a match stays void.
const MAX_TRIES: u32 = 3;
/// The number of matches that end before a void one is tried again, unless there is no other: by
/// then the machine may be less busy.
const RETRY_DISTANCE: u64 = 8;
/// The number of void matches in a row after which a series without an end is aborted.
pub const MAX_VOID_IN_A_ROW: u32 = 20;
/// The most matches at once.
pub const MAX_WORKERS: usize = 256;

/// The answer to the question for the next match.
pub enum NextWork<T> {
    /// Play this match.
    Play(SeriesJob<T>),
    /// Wait for a result.
    Wait,
    /// The series is over; running matches are interrupted.
    Stop,
}

/// A match that was played to its verdict.
pub struct FinishedMatch {
    /// The summary for the journal.
    pub game: GameRecord,
    /// Its replay.
    pub replay: Replay,
}

/// Plays the matches of a series: on this machine, or elsewhere.
pub trait MatchPlayer: Sync {
    /// The number of matches that are worth playing at once now; it may change.
    fn capacity(&self) -> usize;

    /// Called once by each thread that will play, with its number.
    fn enter_thread(&self, _index: usize) {}

    /// Plays a match to its end, or until `halt` is set; `before` is the number of earlier attempts.
    ///
    /// # Errors
    /// One that every other match would have, too: the series ends.
    fn play(
        &self,
        job: &SeriesJob<()>,
        before: u32,
        halt: &AtomicBool,
    ) -> anyhow::Result<AttemptOutcome>;
}

/// Plays on this machine.
pub struct LocalPlayer<'a> {
    /// The entrants.
    pub roster: &'a Roster,
    /// Matches at once.
    pub workers: usize,
}

impl MatchPlayer for LocalPlayer<'_> {
    fn capacity(&self) -> usize {
        self.workers
    }

    fn enter_thread(&self, index: usize) {
        if self.roster.has_programs() {
            core_sharing::take_share(index, self.workers);
        }
    }

    fn play(
        &self,
        job: &SeriesJob<()>,
        _before: u32,
        halt: &AtomicBool,
    ) -> anyhow::Result<AttemptOutcome> {
        let spec = self.roster.make_match(job)?;
        Ok(play_one(&spec, job.pair, halt)?)
    }
}

/// A series: chooses the next match from the results so far.
pub trait Series {
    /// The identity of a match.
    type Tag: Send;

    /// The next match.
    fn next(&mut self) -> anyhow::Result<NextWork<Self::Tag>>;
    /// A match was played to its verdict.
    fn on_finished(
        &mut self,
        job: SeriesJob<Self::Tag>,
        finished: FinishedMatch,
    ) -> anyhow::Result<()>;
    /// A match could not be judged in any attempt. No entrant is at fault, and the series
    /// continues.
    fn on_void(&mut self, job: SeriesJob<Self::Tag>, void: VoidMatch) -> anyhow::Result<()>;
}

/// An attempt at a match.
struct MatchAttempt<T> {
    job: SeriesJob<T>,
    /// The number of earlier attempts.
    before: u32,
}

/// The next attempt, including void matches that are tried again.
enum SeriesStep<T> {
    Play(MatchAttempt<T>),
    Wait,
    Stop,
}

/// The end of an attempt.
pub enum AttemptOutcome {
    /// It was played to its verdict.
    Finished(Box<FinishedMatch>),
    /// An infrastructure error, which gives no result.
    Void(String),
    /// It was stopped before its end.
    Interrupted,
}

/// Plays a series on this machine with this many workers; returns whether it came to its end without
/// being interrupted by `stop`.
pub fn play_series<S: Series>(
    series: &mut S,
    roster: &Roster,
    workers: usize,
    stop: &AtomicBool,
    notify: &mut dyn FnMut(&VoidNotice),
) -> anyhow::Result<bool> {
    play_series_with(series, &LocalPlayer { roster, workers }, stop, notify)
}

/// Plays a series with this player of matches; returns whether it came to its end without being
/// interrupted by `stop`.
pub fn play_series_with<S: Series>(
    series: &mut S,
    player: &dyn MatchPlayer,
    stop: &AtomicBool,
    notify: &mut dyn FnMut(&VoidNotice),
) -> anyhow::Result<bool> {
    let halt = AtomicBool::new(false);
    let (give, jobs) = mpsc::channel::<MatchAttempt<S::Tag>>();
    let (tell, results) = mpsc::channel();
    let jobs = Mutex::new(jobs);
    std::thread::scope(|scope| {
        let (jobs, halt) = (&jobs, &halt);
        let mut threads = 0;
        let mut grow = |playing: usize| {
            if playing < threads {
                return;
            }
            let (index, tell) = (threads, tell.clone());
            threads += 1;
            scope.spawn(move || {
                player.enter_thread(index);
                while let Some(attempt) = next_attempt(jobs) {
                    let outcome = player.play(&attempt.job.without_tag(), attempt.before, halt);
                    if tell.send((attempt, outcome)).is_err() {
                        break;
                    }
                }
            });
        };
        let mut give_attempt = |playing: usize, attempt: MatchAttempt<S::Tag>| {
            grow(playing);
            give.send(attempt).ok().context("the workers are gone")
        };
        let ended = run_series(series, player, stop, notify, &mut give_attempt, &results);
        halt.store(true, Ordering::Relaxed);
        drop(give);
        ended
    })
}

fn next_attempt<T>(attempts: &Mutex<mpsc::Receiver<MatchAttempt<T>>>) -> Option<MatchAttempt<T>> {
    attempts
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .recv()
        .ok()
}

/// An attempt and its end.
type AttemptReport<T> = (MatchAttempt<T>, anyhow::Result<AttemptOutcome>);

/// Hands an attempt to a thread; the number is that of attempts under way.
type GiveAttempt<'a, T> = &'a mut dyn FnMut(usize, MatchAttempt<T>) -> anyhow::Result<()>;

/// Keeps the player busy until the series is over.
fn run_series<S: Series>(
    series: &mut S,
    player: &dyn MatchPlayer,
    stop: &AtomicBool,
    notify: &mut dyn FnMut(&VoidNotice),
    give: GiveAttempt<'_, S::Tag>,
    results: &mpsc::Receiver<AttemptReport<S::Tag>>,
) -> anyhow::Result<bool> {
    let mut playing = 0;
    let mut later = RetryQueue::default();
    loop {
        while playing < player.capacity() {
            match next_of(series, &mut later, playing)? {
                SeriesStep::Play(attempt) => give(playing, attempt)?,
                SeriesStep::Wait => break,
                SeriesStep::Stop => return Ok(true),
            }
            playing += 1;
        }
        match results.recv_timeout(STOP_POLL) {
            Ok((attempt, outcome)) => {
                playing -= 1;
                later.ended += 1;
                handle_outcome(series, &mut later, attempt, outcome?, notify)?;
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => anyhow::bail!("the workers are gone"),
        }
        if stop.load(Ordering::Relaxed) {
            return Ok(false);
        }
    }
}

/// The next attempt: a void match that is due, else the series' next match, else a void match,
/// alone.
fn next_of<S: Series>(
    series: &mut S,
    later: &mut RetryQueue<S::Tag>,
    playing: usize,
) -> anyhow::Result<SeriesStep<S::Tag>> {
    if let Some(attempt) = later.take_due() {
        return Ok(SeriesStep::Play(attempt));
    }
    Ok(match series.next()? {
        NextWork::Play(job) => SeriesStep::Play(MatchAttempt { job, before: 0 }),
        NextWork::Stop => SeriesStep::Stop,
        NextWork::Wait if playing > 0 => SeriesStep::Wait,
        NextWork::Wait => later.take_any().map_or(SeriesStep::Stop, SeriesStep::Play),
    })
}

fn handle_outcome<S: Series>(
    series: &mut S,
    later: &mut RetryQueue<S::Tag>,
    attempt: MatchAttempt<S::Tag>,
    outcome: AttemptOutcome,
    notify: &mut dyn FnMut(&VoidNotice),
) -> anyhow::Result<()> {
    let MatchAttempt { job, before } = attempt;
    let tries = before + 1;
    let why = match outcome {
        AttemptOutcome::Interrupted => return Ok(()),
        AttemptOutcome::Finished(finished) => return series.on_finished(job, *finished),
        AttemptOutcome::Void(why) => why,
    };
    let (pair, seed) = (job.pair, job.seed);
    let is_final = tries >= MAX_TRIES;
    notify(&VoidNotice {
        seed,
        why: why.clone(),
        is_final,
    });
    if is_final {
        let void = VoidMatch {
            pair,
            seed,
            tries,
            why,
        };
        series.on_void(job, void)
    } else {
        later.add_attempt(MatchAttempt { job, before: tries });
        Ok(())
    }
}

/// A notice about a match that could not be judged.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub struct VoidNotice {
    /// The seed of its setup.
    pub seed: u64,
    pub why: String,
    /// Whether it stays void; otherwise it is tried again later.
    pub is_final: bool,
}

impl VoidNotice {
    /// The notice as a line for people.
    pub fn to_line(&self, language: Language<'_>) -> String {
        let values: [&dyn Display; 2] = [&self.seed, &language.say(&self.why)];
        match self.is_final {
            true => language.fill("stays void: seed {}: {}", &values),
            false => language.fill("void, will be played again later: seed {}: {}", &values),
        }
    }
}

/// Void matches that will be tried again.
struct RetryQueue<T> {
    /// Each with the number of ended attempts after which it is due.
    waiting: VecDeque<(u64, MatchAttempt<T>)>,
    /// The number of ended attempts.
    ended: u64,
}

impl<T> Default for RetryQueue<T> {
    fn default() -> RetryQueue<T> {
        RetryQueue {
            waiting: VecDeque::new(),
            ended: 0,
        }
    }
}

impl<T> RetryQueue<T> {
    fn add_attempt(&mut self, attempt: MatchAttempt<T>) {
        self.waiting
            .push_back((self.ended + RETRY_DISTANCE, attempt));
    }

    fn take_due(&mut self) -> Option<MatchAttempt<T>> {
        let ended = self.ended;
        self.waiting
            .pop_front_if(|(due, _)| *due <= ended)
            .map(|(_, attempt)| attempt)
    }

    fn take_any(&mut self) -> Option<MatchAttempt<T>> {
        self.waiting.pop_front().map(|(_, attempt)| attempt)
    }
}

/// Plays a match once.
///
/// # Errors
/// [`JudgeError::Invalid`]: every other match would have it, too.
pub fn play_one(
    spec: &MatchSpec,
    pair: [usize; 2],
    halt: &AtomicBool,
) -> Result<AttemptOutcome, JudgeError> {
    Ok(match play_match(spec, &mut NoHumans, &mut (), halt) {
        Err(error @ JudgeError::Invalid(_)) => return Err(error),
        _ if halt.load(Ordering::Relaxed) => AttemptOutcome::Interrupted,
        Err(error) => AttemptOutcome::Void(error.to_string()),
        Ok(PlayedMatch {
            void: Some(why), ..
        }) => AttemptOutcome::Void(too_busy(why.round, &why.why)),
        Ok(played) => match GameRecord::from_played(pair, spec, &played) {
            Some(game) => AttemptOutcome::Finished(Box::new(FinishedMatch {
                game,
                replay: played.replay,
            })),
            None => AttemptOutcome::Interrupted,
        },
    })
}

fn too_busy(round: u32, why: &str) -> String {
    format!(
        "the machine was too busy to judge round {round} fairly ({why}); play fewer matches at \
         once (-j), or when it is quieter"
    )
}

/// The number of matches at once: the requested number, or as many as the cores allow. If programs
/// of a match run at the same time, it needs two cores; a bot that searches on several threads
/// needs one for each.
pub fn worker_count(asked: Option<usize>, roster: &Roster) -> usize {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let of_a_match = if roster.has_programs() && roster.is_simultaneous() {
        2
    } else {
        1
    };
    let threads = usize::from(roster.options().limits.bot_threads);
    asked
        .unwrap_or(cores / threads.max(of_a_match))
        .clamp(1, MAX_WORKERS)
}
