//! Many legs at once, stepped on several threads, for vectorised environments and self-play.

mod commands;
mod leg;
mod rules;
mod saved;
mod slices;

use leitai_game::encode::AnyEncodedLeg;
use leitai_game::erased::AnyLeg;
use numpy::{PyArray3, PyReadonlyArrayDyn};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

use self::commands::LegCommand;
use self::leg::BatchLeg;
pub use self::rules::check_bounded;
use self::rules::{Autoreset, BatchOptions, BatchRules};
use self::saved::{SavedLeg, restore_env, save_env};
use self::slices::{StepBuffers, StepSlices};
use crate::convert::array_slice;
use crate::engine::{EngineLeg, fault_error, run_engine, run_tool};
use crate::game::GameArgument;
use crate::leg::{PyLeg, SetupOrigin};
use crate::picture::{Picture, check_cell};
use crate::whole::whole;

/// The most legs of a batch.
const MAX_LEGS: usize = 1 << 20;

/// Many legs at once. A step takes all actions and writes all observations into the caller's
/// arrays, without the interpreter's lock and on several threads. `leitai.gym.VectorEnv` and
/// `leitai.SelfPlay` use it.
#[pyclass(name = "Batch", module = "leitai._leitai")]
pub struct PyBatch {
    envs: Vec<BatchLeg>,
    rules: BatchRules,
    pool: Option<ThreadPool>,
    threads: usize,
    /// The options as they were given, for copies.
    asked: Py<PyAny>,
}

/// The threads, and the process that has them: the child of a fork has none.
struct ThreadPool {
    threads: rayon::ThreadPool,
    process: u32,
}

impl PyBatch {
    fn find_env(&self, env: usize) -> PyResult<&BatchLeg> {
        let count = self.envs.len();
        self.envs.get(env).ok_or_else(|| {
            PyValueError::new_err(format!("there is no environment {env}; there are {count}"))
        })
    }

    /// Asks the engine of one environment.
    fn ask<T>(
        &self,
        env: &BatchLeg,
        question: impl FnOnce(&dyn AnyEncodedLeg) -> T,
    ) -> PyResult<T> {
        let (at, leg) = (self.rules.place_of(env), &*env.leg);
        let answer = run_engine(at, || question(leg))?;
        leg.fault()
            .map_or(Ok(answer), |fault| Err(fault_error(at, &fault, Some(leg))))
    }

    /// The same of the leg in its form for texts.
    fn ask_text<T>(&self, env: &BatchLeg, question: impl FnOnce(&dyn AnyLeg) -> T) -> PyResult<T> {
        let at = self.rules.place_of(env);
        let text = run_engine(at, || env.leg.to_leg())?;
        let answer = run_engine(at, || question(&*text))?;
        let raise = |fault| Err(fault_error(at, &fault, Some(&*env.leg)));
        text.fault().map_or(Ok(answer), raise)
    }

    fn run<'a>(
        &mut self,
        py: Python<'_>,
        order: impl Fn(usize) -> LegCommand<'a> + Sync + Send,
        out: StepSlices<'_>,
    ) -> PyResult<()> {
        let grain = self.envs.len().div_ceil(self.threads);
        self.renew_pool()?;
        let (envs, rules, pool) = (&mut self.envs[..], &self.rules, &self.pool);
        let done = py.detach(|| match pool {
            None => rules.act_all(envs, &order, 0, out, envs.len()),
            Some(pool) => pool
                .threads
                .install(|| rules.act_all(envs, &order, 0, out, grain)),
        });
        done.map_err(PyErr::from)
    }

    /// Makes new threads in the child of a fork. The old ones do not exist there, and their data is
    /// not touched, because their locks would never be released.
    fn renew_pool(&mut self) -> PyResult<()> {
        if self
            .pool
            .as_ref()
            .is_some_and(|pool| pool.process != std::process::id())
        {
            std::mem::forget(self.pool.take());
            self.pool = make_pool(self.threads)?;
        }
        Ok(())
    }

    /// Checks every index before any leg is played.
    fn check_actions(&self, actions: &[i64]) -> PyResult<()> {
        let sizes = &self.rules.shape.parts;
        let bad = |env: &[i64]| {
            env.chunks(sizes.len()).any(|one| {
                one.iter()
                    .zip(sizes)
                    .any(|(index, size)| *index < 0 || *index >= *size as i64)
            })
        };
        let width = sizes.len() * self.rules.sides;
        let found = actions
            .chunks(width)
            .enumerate()
            .find(|(at, env)| !self.ignores_leg(*at) && bad(env));
        match found {
            None => Ok(()),
            Some((at, env)) => Err(PyValueError::new_err(format!(
                "the action {env:?} of environment {at} is out of range: at least 0 and below {sizes:?}; nothing was played"
            ))),
        }
    }

    /// Whether an environment only resets in this step and ignores its action.
    fn ignores_leg(&self, env: usize) -> bool {
        self.envs[env].is_over()
    }

    fn check_going_on(&self) -> PyResult<()> {
        let must_go_on = self.rules.autoreset == Autoreset::Disabled;
        let over = || self.envs.iter().position(BatchLeg::is_over);
        match must_go_on.then(over).flatten() {
            None => Ok(()),
            Some(env) => Err(PyRuntimeError::new_err(format!(
                "environment {env} is over; reset it first: reset(options={{\"reset_mask\": terminated | truncated}})"
            ))),
        }
    }
}

#[pymethods]
impl PyBatch {
    #[new]
    fn new(
        game: GameArgument,
        #[pyo3(from_py_with = whole)] legs: usize,
        options: Bound<'_, PyAny>,
    ) -> PyResult<PyBatch> {
        let (asked, options) = (
            options.clone().unbind(),
            options.extract::<BatchOptions<'_>>()?,
        );
        let game = game.find()?;
        check_bounded("num_envs", legs, 1, MAX_LEGS)?;
        options.check(game)?;
        let first = run_tool("dealing a batch", || options.deal_first(game))?;
        let (seed, threads) = (options.seed, options.threads.min(legs));
        let by_score = options.by_score;
        let rules = options.into_rules(game, &*first)?;
        let leg = |n: u64| BatchLeg::new(first.clone_encoded(), seed.wrapping_add(n), by_score);
        let envs = || Ok((0..legs as u64).map(leg).collect());
        Ok(PyBatch {
            envs: run_tool("dealing a batch", envs)?,
            rules,
            pool: make_pool(threads)?,
            threads,
            asked,
        })
    }

    /// Which opponent of the options each environment has, from 0.
    fn members(&self) -> Vec<usize> {
        self.envs.iter().map(|env| env.member).collect()
    }

    fn __copy__(&self, py: Python<'_>) -> PyResult<PyBatch> {
        self.copy(py)
    }

    fn __deepcopy__(&self, py: Python<'_>, _memo: &Bound<'_, PyAny>) -> PyResult<PyBatch> {
        self.copy(py)
    }

    /// Its options, and what each environment needs to play its leg again.
    #[allow(clippy::type_complexity, reason = "a plain tuple for pickle")]
    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, (&'static str, Py<PyAny>, Vec<SavedLeg>))> {
        let restore = py.import("leitai._leitai")?.getattr("_restore_batch")?;
        let saved = self.save_envs()?;
        let game = self.rules.game.word;
        Ok((restore, (game, self.asked.clone_ref(py), saved)))
    }

    /// The sizes of a step's input and output: `(environments, sides, planes' shape, scalars, mask,
    /// parts)`.
    #[getter]
    #[allow(
        clippy::type_complexity,
        reason = "a plain tuple for the package beside"
    )]
    fn sizes(&self) -> (usize, usize, [usize; 3], usize, usize, Vec<usize>) {
        let (shape, rules) = (&self.rules.shape, &self.rules);
        let planes = shape.of_planes(rules.packed);
        (
            self.envs.len(),
            rules.sides,
            planes,
            shape.scales.len(),
            shape.mask_length(),
            shape.parts.clone(),
        )
    }

    /// Starts new legs: in all environments, or where `which` is true. `seeds` gives environments
    /// new seeds.
    #[pyo3(signature = (buffers, which=None, seeds=None))]
    fn reset(
        &mut self,
        py: Python<'_>,
        buffers: StepBuffers<'_>,
        which: Option<PyReadonlyArrayDyn<'_, bool>>,
        seeds: Option<Vec<u64>>,
    ) -> PyResult<()> {
        let count = self.envs.len();
        let which = which
            .as_ref()
            .map(|which| array_slice("reset_mask", which, count))
            .transpose()?;
        let chosen = |env: usize| which.is_none_or(|which| which[env]);
        if let Some(seeds) = seeds {
            if seeds.len() != count {
                let found = seeds.len();
                return Err(PyValueError::new_err(format!(
                    "{found} seeds; {count} are needed"
                )));
            }
            for (_, (env, seed)) in self
                .envs
                .iter_mut()
                .zip(seeds)
                .enumerate()
                .filter(|(at, _)| chosen(*at))
            {
                (env.seed, env.leg_number) = (seed, 0);
            }
        }
        let mut buffers = buffers;
        let out = buffers.step_slices(&self.rules, count)?;
        self.run(
            py,
            |env| {
                if chosen(env) {
                    LegCommand::Reset
                } else {
                    LegCommand::Show
                }
            },
            out,
        )
    }

    /// Plays a step in every environment.
    fn step(
        &mut self,
        py: Python<'_>,
        actions: PyReadonlyArrayDyn<'_, i64>,
        buffers: StepBuffers<'_>,
    ) -> PyResult<()> {
        let count = self.envs.len();
        let width = self.rules.shape.parts.len() * self.rules.sides;
        let actions = array_slice("actions", &actions, count * width)?;
        self.check_going_on()?;
        self.check_actions(actions)?;
        let mut buffers = buffers;
        let out = buffers.step_slices(&self.rules, count)?;
        self.run(
            py,
            |env| LegCommand::Step(&actions[env * width..][..width]),
            out,
        )
    }

    /// Copies of all legs.
    fn save(&self) -> PyResult<Vec<PyLeg>> {
        let game = self.rules.game;
        let copy = |env: &BatchLeg| {
            let leg = self.ask(env, |leg| leg.clone_encoded())?;
            Ok(PyLeg {
                game,
                inner: EngineLeg::new(leg, game, None),
                shape: self.rules.shape.clone(),
                origin: SetupOrigin::default(),
                record: None,
            })
        };
        self.envs.iter().map(copy).collect()
    }

    /// Continues from copies of these legs, one for each environment; opponents start anew.
    fn restore(
        &mut self,
        py: Python<'_>,
        legs: Vec<PyRef<'_, PyLeg>>,
        buffers: StepBuffers<'_>,
    ) -> PyResult<()> {
        let count = self.envs.len();
        if legs.len() != count {
            return Err(PyValueError::new_err(format!(
                "{} legs; {count} are needed",
                legs.len()
            )));
        }
        let (game, own) = (self.rules.game, self.rules.game.meta().id);
        if let Some(other) = legs
            .iter()
            .find(|leg| !std::ptr::eq(leg.game, game) || *leg.shape != *self.rules.shape)
        {
            let why = format!(
                "a leg of {} with other choices; {own} as it was made is needed",
                other.game.meta().id
            );
            return Err(PyValueError::new_err(why));
        }
        for (env, leg) in self.envs.iter_mut().zip(&legs) {
            leg.inner.refuse_veiled()?;
            leg.inner.ask(|leg| env.leg.copy_from(leg))?;
            env.restore_leg();
        }
        let mut buffers = buffers;
        let out = buffers.step_slices(&self.rules, count)?;
        self.run(py, |_| LegCommand::Show, out)
    }

    /// The hash of every environment's position.
    fn hashes(&self) -> PyResult<Vec<u64>> {
        let hash = |env| self.ask(env, |leg| leg.hash());
        self.envs.iter().map(hash).collect()
    }

    /// An environment's board as text.
    fn render(&self, #[pyo3(from_py_with = whole)] env: usize) -> PyResult<String> {
        let found = self.find_env(env)?;
        let look = leitai_game::render::RenderOptions {
            perspective: leitai_game::Perspective::All,
            ahead: 0,
        };
        self.ask_text(found, |leg| leg.render_position(&look).plain_board())
    }

    /// An environment's board as a picture, see `Leg.pixels`.
    #[pyo3(signature = (env, cell=16))]
    fn pixels<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = whole)] env: usize,
        #[pyo3(from_py_with = whole)] cell: usize,
    ) -> PyResult<Bound<'py, PyArray3<u8>>> {
        check_cell(cell)?;
        let drawn = self.ask_text(self.find_env(env)?, |leg| Picture::draw(leg, cell))?;
        drawn.into_array(py)
    }
}

fn make_pool(threads: usize) -> PyResult<Option<ThreadPool>> {
    if threads == 1 {
        return Ok(None);
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map(|threads| {
        Some(ThreadPool {
            threads,
            process: std::process::id(),
        })
    });
    pool.map_err(|why| PyRuntimeError::new_err(format!("cannot start {threads} threads: {why}")))
}

impl PyBatch {
    fn save_envs(&self) -> PyResult<Vec<SavedLeg>> {
        if !self.rules.opponents.is_empty() && self.envs.iter().any(|env| env.base.is_some()) {
            return Err(PyValueError::new_err(
                "legs were restored into environments with opponents, whose memory cannot be copied; reset() first",
            ));
        }
        Ok(self.envs.iter().map(save_env).collect())
    }

    fn copy(&self, py: Python<'_>) -> PyResult<PyBatch> {
        let game = GameArgument::Known(self.rules.game);
        _restore_batch(py, game, self.asked.clone_ref(py), self.save_envs()?)
    }
}

/// Unpickles a batch.
#[pyfunction]
pub fn _restore_batch(
    py: Python<'_>,
    game: GameArgument,
    options: Py<PyAny>,
    envs: Vec<SavedLeg>,
) -> PyResult<PyBatch> {
    let mut batch = PyBatch::new(game, envs.len(), options.into_bound(py))?;
    let PyBatch {
        envs: made, rules, ..
    } = &mut batch;
    py.detach(|| {
        run_tool("a batch's copy", || {
            made.iter_mut()
                .zip(envs)
                .try_for_each(|(env, saved)| restore_env(rules, env, saved))
        })
    })?;
    Ok(batch)
}
