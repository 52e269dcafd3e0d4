//! Several matches at once. One thread says what is played next and takes the results, in whatever order they come;
//! the others play.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use anyhow::Context;
use leitai_judge::{JudgeError, Nobody, Played, play, share};

use crate::batch::{Game, Hall};

/// How often an interruption is looked for.
const LOOK: Duration = Duration::from_millis(100);
/// How often a match is played again after something of ours went wrong.
const AGAIN: usize = 2;
/// Most matches at once.
const MAX_WORKERS: usize = 256;

/// A match to be played.
#[derive(Clone, Debug)]
pub struct Job<T> {
    /// What tells it from others.
    pub tag: T,
    /// Who plays, as numbers of entrants: A and B.
    pub pair: [usize; 2],
    /// The seed it is dealt from.
    pub seed: u64,
    /// The number of its board.
    pub board: usize,
    /// Legs, where they are not the hall's.
    pub legs: Option<usize>,
}

/// What there is to do.
pub enum Next<T> {
    /// Play this.
    Play(Job<T>),
    /// Nothing until a result comes.
    Wait,
    /// Nothing more; whatever is still being played is interrupted.
    Stop,
}

/// A match that was played to its verdict, in brief and in full.
pub struct Finished {
    /// In brief.
    pub game: Game,
    /// In full.
    pub played: Played,
}

/// Says what is played, and hears how it ended.
pub trait Series {
    /// What tells one match from another.
    type Tag: Send;

    /// What to do now.
    fn next(&mut self) -> anyhow::Result<Next<Self::Tag>>;
    /// A match was played to its verdict.
    fn done(&mut self, job: Job<Self::Tag>, finished: Finished) -> anyhow::Result<()>;
}

/// Plays a series with so many workers; whether it came to its end and was not interrupted by `stop`.
pub fn play_series<S: Series>(
    series: &mut S,
    hall: &Hall,
    workers: usize,
    stop: &AtomicBool,
) -> anyhow::Result<bool> {
    let halt = AtomicBool::new(false);
    let (give, jobs) = mpsc::channel::<Job<S::Tag>>();
    let (tell, results) = mpsc::channel();
    let jobs = Mutex::new(jobs);
    std::thread::scope(|scope| {
        for index in 0..workers {
            let (jobs, halt, tell) = (&jobs, &halt, tell.clone());
            scope.spawn(move || {
                if hall.has_programs() {
                    share::take_share(index, workers);
                }
                while let Some(job) = next_job(jobs) {
                    let played = play_one(hall, &job, halt);
                    if tell.send((job, played)).is_err() {
                        break;
                    }
                }
            });
        }
        drop(tell);
        let ended = conduct(series, workers, stop, &give, &results);
        halt.store(true, Ordering::Relaxed);
        drop(give);
        ended
    })
}

fn next_job<J>(jobs: &Mutex<mpsc::Receiver<J>>) -> Option<J> {
    jobs.lock().unwrap_or_else(PoisonError::into_inner).recv().ok()
}

/// A job and what came of it: nothing if it was interrupted.
type Told<T> = (Job<T>, anyhow::Result<Option<Finished>>);

/// Keeps every worker busy until there is nothing more to do.
fn conduct<S: Series>(
    series: &mut S,
    workers: usize,
    stop: &AtomicBool,
    give: &mpsc::Sender<Job<S::Tag>>,
    results: &mpsc::Receiver<Told<S::Tag>>,
) -> anyhow::Result<bool> {
    let mut playing = 0;
    loop {
        while playing < workers {
            match series.next()? {
                Next::Play(job) => give.send(job).ok().context("the workers are gone")?,
                Next::Wait if playing > 0 => break,
                Next::Wait | Next::Stop => return Ok(true),
            }
            playing += 1;
        }
        match results.recv_timeout(LOOK) {
            Ok((job, outcome)) => {
                playing -= 1;
                if let Some(finished) = outcome? {
                    series.done(job, finished)?;
                }
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => anyhow::bail!("the workers are gone"),
        }
        if stop.load(Ordering::Relaxed) {
            return Ok(false);
        }
    }
}

/// Plays a match; again, where something of ours went wrong, because that says nothing about the entrants.
fn play_one<T>(hall: &Hall, job: &Job<T>, halt: &AtomicBool) -> anyhow::Result<Option<Finished>> {
    let fixture = hall.fixture(job)?;
    let mut failed = 0;
    loop {
        let again = match play(&fixture, &mut Nobody, &mut (), halt) {
            Ok(Played { void: Some(why), .. }) => anyhow::anyhow!(
                "seed {}, round {}: the machine was too busy to judge fairly ({}); play fewer matches at once (-j), or \
                 when it is quieter",
                job.seed,
                why.round,
                why.why
            ),
            Ok(played) => {
                let game = Game::of(job.pair, &fixture, &played);
                return Ok(game.map(|game| Finished { game, played }));
            }
            Err(error @ JudgeError::Start { .. }) => error.into(),
            Err(error) => return Err(error.into()),
        };
        if failed == AGAIN || halt.load(Ordering::Relaxed) {
            return Err(again);
        }
        failed += 1;
        anstream::eprintln!("{again}");
    }
}

/// How many matches are played at once: as asked, or as many as the cores allow. Where programs think at the same time,
/// a match takes two cores.
pub fn workers(asked: Option<usize>, hall: &Hall) -> usize {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let of_a_match = if hall.has_programs() && hall.is_simultaneous() { 2 } else { 1 };
    asked.unwrap_or(cores / of_a_match).clamp(1, MAX_WORKERS)
}
