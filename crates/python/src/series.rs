//! Series of matches between built-in bots, as the commands play them.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use leitai_game::AnyGame;
use leitai_ladder::Sprt;
use leitai_series::comparison::{Comparison, ComparisonOptions};
use leitai_series::{EntrantRequest, MatchOptions, Roster, play_series, worker_count};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::convert::to_python;
use crate::engine::run_tool;
use crate::game::GameArgument;
use crate::whole::{whole, whole_or_none};

/// Plays pairs of legs between two built-in bots until a sequential test has decided whether the
/// first is stronger. Returns the output of `leitai compare --json`.
#[pyfunction]
#[pyo3(signature = (game, new, base, *, elo0=0.0, elo1=10.0, alpha=0.05, beta=0.05, seed=1, max_pairs=20_000, jobs=None, folder=None))]
#[allow(
    clippy::too_many_arguments,
    reason = "they are keywords in Python, the options of the command"
)]
pub fn compare<'py>(
    py: Python<'py>,
    game: GameArgument,
    new: &str,
    base: &str,
    elo0: f64,
    elo1: f64,
    alpha: f64,
    beta: f64,
    #[pyo3(from_py_with = whole)] seed: u64,
    #[pyo3(from_py_with = whole)] max_pairs: u64,
    #[pyo3(from_py_with = whole_or_none)] jobs: Option<usize>,
    folder: Option<PathBuf>,
) -> PyResult<Bound<'py, PyAny>> {
    let game = game.find()?.any;
    refuse_programs(game, [new, base])?;
    let options = ComparisonOptions {
        sprt: Sprt {
            elo0,
            elo1,
            alpha,
            beta,
        },
        seed,
        max_pairs,
        folder,
        ..ComparisonOptions::default()
    };
    let entrants = [new, base].map(EntrantRequest::from_word);
    let played = py.detach(|| {
        run_tool("a comparison", || {
            play_comparison(game, &entrants, options, jobs)
        })
    })?;
    to_python(py, &played)
}

fn play_comparison(
    game: &'static dyn AnyGame,
    entrants: &[EntrantRequest],
    options: ComparisonOptions,
    jobs: Option<usize>,
) -> PyResult<serde_json::Value> {
    let match_options = MatchOptions::new(game).map_err(series_error)?;
    let roster = Roster::build_entrants(game, entrants, &match_options, &mut |_| {})
        .map_err(series_error)?;
    let (stop, mut interrupted) = (AtomicBool::new(false), None);
    let mut comparison = Comparison::open(options, &roster, |_| {
        if let Err(error) = Python::attach(|py| py.check_signals()) {
            interrupted = Some(error);
            stop.store(true, Ordering::Relaxed);
        }
    })
    .map_err(series_error)?;
    play_series(
        &mut comparison,
        &roster,
        worker_count(jobs, &roster),
        &stop,
        &mut |_| {},
    )
    .map_err(series_error)?;
    let result = comparison.into_result().to_json();
    interrupted.map_or(Ok(result), Err)
}

/// Refuses programs, which need a sandbox; the command line has one.
fn refuse_programs(game: &dyn AnyGame, words: [&str; 2]) -> PyResult<()> {
    let is_known = |word: &&str| game.find_bot(word).is_some();
    match words.into_iter().find(|word| !is_known(word)) {
        None => Ok(()),
        Some(word) => {
            let names: Vec<&str> = game.list_bots().into_iter().map(|(name, _)| name).collect();
            Err(PyValueError::new_err(format!(
                "{word:?} is no built-in bot of {}; there are {}. Programs are compared by `leitai compare`",
                game.meta().id,
                names.join(", ")
            )))
        }
    }
}

/// An error of a series as Python's.
pub fn series_error(error: anyhow::Error) -> PyErr {
    PyValueError::new_err(format!("{error:#}"))
}
