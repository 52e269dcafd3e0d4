//! How strong is a policy of Python on the game's rating scale? The pairs, their order, the rating and its end are those of
//! `leitai rate` ([`leitai_series::rating`]); only the moves of the first entrant come from Python.
//!
//! Matches are played on threads without the interpreter's lock. A thread that needs the policy puts a question; the thread
//! of the caller answers all open questions in one call of Python, so that a network sees a batch.

mod played;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use leitai_game::AnyGame;
use leitai_game::encode::AnyEncodedLeg;
use leitai_judge::EntrantSettings;
use leitai_series::rating::{RatingOptions, RatingRun, find_scale, list_entrants};
use leitai_series::run::MAX_WORKERS;
use leitai_series::{
    EntrantRequest, MatchOptions, Roster, play_series, play_series_with, worker_count,
};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use serde_json::Value;

use self::played::{Evaluation, EvaluationOptions, PlayedMatches, PolicyPlayer, PolicyQuestion};
use crate::convert::{ActionIndices, ArrayShape, to_python};
use crate::engine::{EngineLeg, run_tool};
use crate::game::GameArgument;
use crate::leg::{PyLeg, SetupOrigin};
use crate::series::series_error;

/// How often signals are looked at while no question is open.
const LOOK: Duration = Duration::from_millis(50);
/// How long a batch waits for a further question while other matches are under way.
const GATHER: Duration = Duration::from_micros(500);

impl EvaluationOptions {
    fn check(&self) -> PyResult<()> {
        if !(1.0..=1000.0).contains(&self.precision) {
            return Err(PyValueError::new_err(format!(
                "precision is {}; a number of Elo from 1 to 1000, such as 40, is accepted",
                self.precision
            )));
        }
        if self.max_pairs == 0 {
            return Err(PyValueError::new_err(
                "max_pairs is 0; at least 1 is accepted",
            ));
        }
        match self.jobs {
            Some(jobs) if !(1..=MAX_WORKERS).contains(&jobs) => Err(PyValueError::new_err(
                format!("jobs is {jobs}; 1 to {MAX_WORKERS} are accepted"),
            )),
            _ => Ok(()),
        }
    }

    fn rating(&self) -> RatingOptions {
        RatingOptions {
            precision: self.precision,
            seed: self.seed,
            max_pairs: self.max_pairs,
            folder: None,
        }
    }
}

/// Rates a policy, or the built-in bot of a name, on the scale of the game: the output of `leitai
/// rate --json`, with `by_seat`, `ends` and `losses`. `policy` takes a list of `(leg, seat, begins)`
/// and returns as many actions.
#[pyfunction]
#[pyo3(signature = (game, policy, options, notify=None))]
pub fn rate_policy<'py>(
    py: Python<'py>,
    game: GameArgument,
    policy: Bound<'py, PyAny>,
    options: EvaluationOptions,
    notify: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    options.check()?;
    let encoded = game.find()?;
    let game = encoded.any;
    if let Err(why) = find_scale(game) {
        return Err(PyValueError::new_err(format!(
            "{why}; leitai.tournament(game, {{\"mine\": policy, \"random\": \"random\"}}) rates players by each other"
        )));
    }
    let built_in: Option<String> = policy.extract().ok();
    if let Some(name) = &built_in {
        crate::bot::make_opponent(encoded, name, 0)?;
    }
    let roster = make_roster(game, built_in.as_deref(), &options.name)?;
    let evaluation = Evaluation {
        encoded,
        game,
        roster,
        options,
        stop: AtomicBool::new(false),
        under_way: AtomicUsize::new(0),
        latest: Mutex::new(None),
        played: PlayedMatches::default(),
    };
    let rated = match built_in {
        Some(_) => evaluation.rate_built_in(py)?,
        None => evaluation.rate_by_answers(py, &policy, notify.as_ref())?,
    };
    to_python(py, &rated)
}

/// The policy, or the bot of this name, and the levels.
fn make_roster(game: &'static dyn AnyGame, built_in: Option<&str>, name: &str) -> PyResult<Roster> {
    let scale = find_scale(game).map_err(series_error)?;
    // A policy needs a word for the roster; nobody asks the bot of this word.
    let word = built_in.unwrap_or(scale.levels[0].name).to_owned();
    let name = built_in.is_none().then(|| name.to_owned());
    let asked = list_entrants(
        EntrantRequest {
            word,
            name,
            settings: EntrantSettings::default(),
        },
        scale,
    );
    let options = MatchOptions::new(game).map_err(series_error)?;
    Roster::build_entrants(game, &asked, &options, &mut |_| {}).map_err(series_error)
}

impl Evaluation {
    /// A built-in bot plays as in `leitai rate`.
    fn rate_built_in(&self, py: Python<'_>) -> PyResult<Value> {
        let mut interrupted = None;
        let run = || -> PyResult<Value> {
            let mut rating = RatingRun::open(self.options.rating(), &self.roster, |_| {
                if let Err(error) = Python::attach(|py| py.check_signals()) {
                    interrupted = Some(error);
                    self.stop.store(true, Ordering::Relaxed);
                }
            })
            .map_err(series_error)?;
            let workers = worker_count(self.options.jobs, &self.roster);
            play_series(&mut rating, &self.roster, workers, &self.stop, &mut |_| {})
                .map_err(series_error)?;
            Ok(rating.into_result().to_json())
        };
        let rated = py.detach(|| run_tool("an evaluation", run));
        interrupted.map_or(rated, Err)
    }

    /// Plays on other threads; this one asks the policy.
    fn rate_by_answers(
        &self,
        py: Python<'_>,
        policy: &Bound<'_, PyAny>,
        notify: Option<&Py<PyAny>>,
    ) -> PyResult<Value> {
        let (ask, questions) = channel();
        let (policy, mut failure) = (policy.clone().unbind(), None);
        let rated = py.detach(|| {
            std::thread::scope(|scope| {
                let run = scope.spawn(move || run_tool("an evaluation", || self.play(ask)));
                let answered = self.answer_questions(&questions, &policy, notify);
                self.stop.store(true, Ordering::Relaxed);
                drop(questions);
                failure = answered.err();
                run.join()
            })
        });
        match (failure, rated) {
            (Some(failure), _) => Err(failure),
            (None, Ok(rated)) => rated,
            (None, Err(_)) => Err(PyRuntimeError::new_err("the thread of a series is gone")),
        }
    }

    fn play(&self, ask: mpsc::Sender<PolicyQuestion>) -> PyResult<Value> {
        let listener = |result: &leitai_series::rating::RatingResult| {
            let now = (
                result.pair_count(),
                result.rating().value,
                result.half_width(),
            );
            *self
                .latest
                .lock()
                .unwrap_or_else(std::sync::PoisonError::into_inner) = Some(now);
        };
        let mut rating =
            RatingRun::open(self.options.rating(), &self.roster, listener).map_err(series_error)?;
        let player = PolicyPlayer {
            evaluation: self,
            ask: Mutex::new(ask),
        };
        let ended = play_series_with(&mut rating, &player, &self.stop, &mut |_| {})
            .map_err(series_error)?;
        let result = rating.into_result();
        let mut rated = result.to_json();
        if ended {
            let seen = self.played.summarize(self, result.pair_count());
            rated["by_seat"] = seen.by_seat;
            rated["ends"] = seen.ends;
            rated["losses"] = seen.losses;
        }
        // Its channel is open until here, so that signals are looked at while losses are analysed.
        drop(player);
        Ok(rated)
    }

    /// Answers questions until the series is over: then nobody can ask any more.
    fn answer_questions(
        &self,
        questions: &Receiver<PolicyQuestion>,
        policy: &Py<PyAny>,
        notify: Option<&Py<PyAny>>,
    ) -> PyResult<()> {
        let mut told = 0;
        loop {
            let open = match questions.recv_timeout(LOOK) {
                Ok(first) => self.gather(first, questions),
                Err(RecvTimeoutError::Timeout) => Vec::new(),
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            };
            Python::attach(|py| {
                py.check_signals()?;
                self.tell_progress(py, notify, &mut told)?;
                self.answer_batch(py, policy, open)
            })?;
        }
    }

    /// The questions that are open, as many as one call may take.
    fn gather(
        &self,
        first: PolicyQuestion,
        questions: &Receiver<PolicyQuestion>,
    ) -> Vec<PolicyQuestion> {
        let mut open = vec![first];
        while open.len()
            < self
                .options
                .batch
                .min(self.under_way.load(Ordering::Relaxed))
        {
            match questions.recv_timeout(GATHER) {
                Ok(next) => open.push(next),
                Err(_) => break,
            }
        }
        open
    }

    fn tell_progress(
        &self,
        py: Python<'_>,
        notify: Option<&Py<PyAny>>,
        told: &mut u64,
    ) -> PyResult<()> {
        let latest = *self
            .latest
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        match (notify, latest) {
            (Some(notify), Some((pairs, rating, reach))) if pairs > *told => {
                *told = pairs;
                notify.call1(py, (pairs, rating, reach)).map(drop)
            }
            _ => Ok(()),
        }
    }

    fn answer_batch(
        &self,
        py: Python<'_>,
        policy: &Py<PyAny>,
        open: Vec<PolicyQuestion>,
    ) -> PyResult<()> {
        if open.is_empty() {
            return Ok(());
        }
        let (mut asked, mut waiting) = (Vec::with_capacity(open.len()), Vec::new());
        for question in open {
            let leg = self.python_leg(question.leg);
            asked.push((Py::new(py, leg)?, question.seat.index(), question.begins));
            waiting.push(question.answer);
        }
        let said: Vec<ActionIndices> = policy.call1(py, (asked,))?.extract(py)?;
        if said.len() != waiting.len() {
            return Err(PyValueError::new_err(format!(
                "the policy gave {} actions; it was asked for {}",
                said.len(),
                waiting.len()
            )));
        }
        for (answer, said) in waiting.into_iter().zip(said) {
            // A thread that was stopped does not wait any more.
            answer.send(said).ok();
        }
        Ok(())
    }

    fn python_leg(&self, leg: Box<dyn AnyEncodedLeg>) -> PyLeg {
        let shape = Arc::new(ArrayShape::new(&leg.describe_layout()));
        PyLeg {
            game: self.encoded,
            inner: EngineLeg::new(leg, self.encoded, None),
            shape,
            origin: SetupOrigin::default(),
            record: None,
        }
    }
}
