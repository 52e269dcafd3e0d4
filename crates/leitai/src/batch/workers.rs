//! Several matches at once. One thread says what is played next and takes the results, in whatever order they come;
//! the others play.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use anyhow::Context;
use leitai_judge::{JudgeError, Nobody, Played, play, share};

use crate::batch::{Game, Hall, Void};
use crate::lang::{self, t};

/// How often an interruption is looked for.
const LOOK: Duration = Duration::from_millis(100);
/// How often a match is tried before it stays void.
const TRIES: u32 = 3;
/// Matches that end before a void one is tried again, unless there is nothing else to play: by then the machine may be
/// quieter.
const APART: u64 = 8;
/// Void matches one after the other after which a series without an end of its own is given up.
pub const HOPELESS: u32 = 20;
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
    /// A match could not be judged, however often it was tried. It is nobody's fault, and the series goes on.
    fn void(&mut self, job: Job<Self::Tag>, void: Void) -> anyhow::Result<()>;
}

/// A match that is being tried.
struct Attempt<T> {
    job: Job<T>,
    /// How often it was tried before.
    before: u32,
}

/// What there is to do, void matches included.
enum Step<T> {
    Play(Attempt<T>),
    Wait,
    Stop,
}

/// What came of an attempt.
enum Outcome {
    Finished(Box<Finished>),
    /// Something of ours went wrong, which says nothing about the entrants.
    Void(String),
    Interrupted,
}

/// Plays a series with so many workers; whether it came to its end and was not interrupted by `stop`.
pub fn play_series<S: Series>(
    series: &mut S,
    hall: &Hall,
    workers: usize,
    stop: &AtomicBool,
) -> anyhow::Result<bool> {
    let halt = AtomicBool::new(false);
    let (give, jobs) = mpsc::channel::<Attempt<S::Tag>>();
    let (tell, results) = mpsc::channel();
    let jobs = Mutex::new(jobs);
    std::thread::scope(|scope| {
        for index in 0..workers {
            let (jobs, halt, tell) = (&jobs, &halt, tell.clone());
            scope.spawn(move || {
                if hall.has_programs() {
                    share::take_share(index, workers);
                }
                while let Some(attempt) = next_attempt(jobs) {
                    let outcome = play_one(hall, &attempt.job, halt);
                    if tell.send((attempt, outcome)).is_err() {
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

fn next_attempt<T>(attempts: &Mutex<mpsc::Receiver<Attempt<T>>>) -> Option<Attempt<T>> {
    attempts.lock().unwrap_or_else(PoisonError::into_inner).recv().ok()
}

/// An attempt and what came of it.
type Told<T> = (Attempt<T>, anyhow::Result<Outcome>);

/// Keeps every worker busy until there is nothing more to do.
fn conduct<S: Series>(
    series: &mut S,
    workers: usize,
    stop: &AtomicBool,
    give: &mpsc::Sender<Attempt<S::Tag>>,
    results: &mpsc::Receiver<Told<S::Tag>>,
) -> anyhow::Result<bool> {
    let mut playing = 0;
    let mut later = Later::default();
    loop {
        while playing < workers {
            match next_of(series, &mut later, playing)? {
                Step::Play(attempt) => give.send(attempt).ok().context("the workers are gone")?,
                Step::Wait => break,
                Step::Stop => return Ok(true),
            }
            playing += 1;
        }
        match results.recv_timeout(LOOK) {
            Ok((attempt, outcome)) => {
                playing -= 1;
                later.ended += 1;
                hear(series, &mut later, attempt, outcome?)?;
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => anyhow::bail!("the workers are gone"),
        }
        if stop.load(Ordering::Relaxed) {
            return Ok(false);
        }
    }
}

/// What to play next: what was void some matches ago, else what the series wants, else whatever was void, alone.
fn next_of<S: Series>(
    series: &mut S,
    later: &mut Later<S::Tag>,
    playing: usize,
) -> anyhow::Result<Step<S::Tag>> {
    if let Some(attempt) = later.due() {
        return Ok(Step::Play(attempt));
    }
    Ok(match series.next()? {
        Next::Play(job) => Step::Play(Attempt { job, before: 0 }),
        Next::Stop => Step::Stop,
        Next::Wait if playing > 0 => Step::Wait,
        Next::Wait => later.any().map_or(Step::Stop, Step::Play),
    })
}

fn hear<S: Series>(
    series: &mut S,
    later: &mut Later<S::Tag>,
    attempt: Attempt<S::Tag>,
    outcome: Outcome,
) -> anyhow::Result<()> {
    let Attempt { job, before } = attempt;
    let tries = before + 1;
    match outcome {
        Outcome::Interrupted => Ok(()),
        Outcome::Finished(finished) => series.done(job, *finished),
        Outcome::Void(why) if tries < TRIES => {
            let words = t("void, and tried again later: seed", "无效，稍后重赛：种子");
            crate::files::say(&format!("{words} {}: {why}", job.seed));
            later.add(Attempt { job, before: tries });
            Ok(())
        }
        Outcome::Void(why) => {
            let (pair, seed) = (job.pair, job.seed);
            crate::files::say(&format!("{} {seed}: {why}", t("stays void: seed", "仍然无效：种子")));
            series.void(job, Void { pair, seed, tries, why })
        }
    }
}

/// Void matches that are tried again.
struct Later<T> {
    /// Each with the number of ended attempts after which it is due.
    waiting: VecDeque<(u64, Attempt<T>)>,
    /// Attempts that have ended.
    ended: u64,
}

impl<T> Default for Later<T> {
    fn default() -> Later<T> {
        Later { waiting: VecDeque::new(), ended: 0 }
    }
}

impl<T> Later<T> {
    fn add(&mut self, attempt: Attempt<T>) {
        self.waiting.push_back((self.ended + APART, attempt));
    }

    fn due(&mut self) -> Option<Attempt<T>> {
        let ended = self.ended;
        self.waiting.pop_front_if(|(due, _)| *due <= ended).map(|(_, attempt)| attempt)
    }

    fn any(&mut self) -> Option<Attempt<T>> {
        self.waiting.pop_front().map(|(_, attempt)| attempt)
    }
}

/// Plays a match once. The error is one that every other match would meet, too.
fn play_one<T>(hall: &Hall, job: &Job<T>, halt: &AtomicBool) -> anyhow::Result<Outcome> {
    let fixture = hall.fixture(job)?;
    Ok(match play(&fixture, &mut Nobody, &mut (), halt) {
        Err(error @ JudgeError::Invalid(_)) => return Err(error.into()),
        _ if halt.load(Ordering::Relaxed) => Outcome::Interrupted,
        Err(error) => Outcome::Void(error.to_string()),
        Ok(Played { void: Some(why), .. }) => Outcome::Void(too_busy(why.round, &why.why)),
        Ok(played) => match Game::of(job.pair, &fixture, &played) {
            Some(game) => Outcome::Finished(Box::new(Finished { game, played })),
            None => Outcome::Interrupted,
        },
    })
}

fn too_busy(round: u32, why: &str) -> String {
    let why = lang::say(why);
    match t("en", "zh") {
        "zh" => format!(
            "机器过忙，第 {round} 回合无法公正裁判（{why}）；请减少同时进行的对局（-j）或在空闲时再试"
        ),
        _ => format!(
            "the machine was too busy to judge round {round} fairly ({why}); play fewer matches at once (-j), or when it \
             is quieter"
        ),
    }
}

/// How many matches are played at once: as asked, or as many as the cores allow. Where programs think at the same time,
/// a match takes two cores.
pub fn workers(asked: Option<usize>, hall: &Hall) -> usize {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let of_a_match = if hall.has_programs() && hall.is_simultaneous() { 2 } else { 1 };
    asked.unwrap_or(cores / of_a_match).clamp(1, MAX_WORKERS)
}
