//! Many legs at once, stepped on several threads, for vectorised environments and self-play.

mod slices;

use std::sync::{Arc, Mutex};

use leitai_game::encode::{AnyEncoded, AnyEncodedLeg, AnyOpponent};
use leitai_game::{BySeat, InvalidSetup, Seat, ToMove};
use numpy::{PyArray3, PyReadonlyArrayDyn};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use serde_json::Value;

use self::slices::{ObservationSlices, StepBuffers, StepSlices};
use crate::bot;
use crate::convert::{ArrayShape, array_slice, from_python, invalid_error};
use crate::engine::{EngineLeg, EnginePlace, catch_panic, engine_error, run_engine, run_tool};
use crate::game::find_game;
use crate::leg::{PyLeg, SetupOrigin, result_of};
use crate::observation::{write_planes, write_scalars};
use crate::picture::{Picture, check_cell};
use crate::rewards::{RewardMeter, leg_winner};
use crate::seeds;

/// The most legs of a batch.
const MAX_LEGS: usize = 1 << 20;
/// The most threads of a batch.
const MAX_THREADS: usize = 256;
/// The most setups that are dealt in advance.
const MAX_POOL: usize = 1 << 20;

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

/// The options that all environments share.
struct BatchRules {
    game: &'static dyn AnyEncoded,
    shape: Arc<ArrayShape>,
    /// The bots on the other seat with their weights; none if the learner plays both seats.
    opponents: Vec<(String, f64)>,
    /// The seat of the learner; `None` if it changes with every leg.
    seat: Option<Seat>,
    autoreset: Autoreset,
    tail: TailPolicy,
    /// The steps after which a leg is truncated.
    most: u32,
    packed: bool,
    /// Observations of an environment: 2 if the learner plays both seats and both are asked at
    /// once.
    sides: usize,
}

/// Modes with Gymnasium's names.
#[derive(Clone, Copy, PartialEq)]
enum Autoreset {
    NextStep,
    SameStep,
    Disabled,
}

/// The rule for the time when the learner is out and the opponent plays on alone.
#[derive(Clone, Copy, PartialEq)]
enum TailPolicy {
    /// The opponent plays on inside the learner's last step.
    Play,
    /// The leg is truncated.
    Truncate,
    /// The leg ends, with the current scores.
    Settle,
}

/// The state of a leg after a step.
#[derive(Clone, Copy, PartialEq)]
enum LegStage {
    Running,
    Terminated,
    Truncated,
}

struct BatchLeg {
    leg: Box<dyn AnyEncodedLeg>,
    /// The seat of the learner, or of the observation.
    seat: Seat,
    /// Never contended: the mutex only shows Python that no two threads share a bot.
    bot: Option<Mutex<Box<dyn AnyOpponent>>>,
    /// Which of the opponents the bot is.
    member: usize,
    seed: u64,
    leg_number: u64,
    state: LegStage,
    steps: u32,
    rewards: RewardMeter,
    /// The position from which a leg that was restored goes on; `None` if it was dealt.
    base: Option<Box<dyn AnyEncodedLeg>>,
    /// The actions since then: from them and the seed a copy has the same position and the same bot.
    said: Vec<i64>,
}

impl BatchLeg {
    /// A leg before its first reset.
    fn new(leg: Box<dyn AnyEncodedLeg>, seed: u64, by_score: bool) -> BatchLeg {
        BatchLeg {
            leg,
            seat: Seat::First,
            bot: None,
            member: 0,
            seed,
            leg_number: 0,
            state: LegStage::Terminated,
            steps: 0,
            rewards: RewardMeter::new(by_score),
            base: None,
            said: Vec::new(),
        }
    }

    /// Starts the next leg. The first one has the setup of its seed, as everywhere in Leitai.
    fn reset_leg(&mut self, rules: &BatchRules) -> Result<(), InvalidSetup> {
        let number = self.leg_number;
        self.leg_number += 1;
        let seed = seeds::of_leg(self.seed, number);
        self.leg.deal_again(seed)?;
        self.rewards.begin_leg(&*self.leg);
        let turns = rules
            .seat
            .unwrap_or_else(|| seeds::alternating_seat(self.seed, number));
        let chance = seeds::of_opponent(seed);
        self.seat = Seat::First;
        if !rules.opponents.is_empty() {
            self.seat = turns;
            self.seat_bot(rules, chance);
        }
        if let Some(bot) = &mut self.bot {
            own_bot(bot).reset_bot(chance);
            self.leg
                .step_against(self.seat, None, own_bot(bot), false)?;
        }
        self.begin_leg();
        Ok(())
    }

    /// Draws the bot of a leg; that of the leg before is used again if it is the same.
    fn seat_bot(&mut self, rules: &BatchRules, chance: u64) {
        let weights = rules.opponents.iter().map(|(_, weight)| *weight);
        let member = seeds::draw_weighted(chance, weights);
        if self.bot.is_none() || member != self.member {
            let name = &rules.opponents[member].0;
            self.bot = rules.game.make_opponent(name, chance).map(Mutex::new);
            self.member = member;
        }
    }

    fn begin_leg(&mut self) {
        (self.state, self.steps) = (LegStage::Running, 0);
        self.base = None;
        self.said.clear();
        self.show_mover();
    }

    /// Goes on from the position that the leg has now.
    fn restore_leg(&mut self) {
        self.rewards.begin_leg(&*self.leg);
        self.begin_leg();
        self.base = Some(self.leg.clone_encoded());
        if self.leg.to_move() == ToMove::Nobody {
            self.state = LegStage::Terminated;
        }
    }

    fn is_over(&self) -> bool {
        self.state != LegStage::Running
    }

    /// Shows the side of the asked seat to a learner that plays both seats.
    fn show_mover(&mut self) {
        if let (None, ToMove::One(seat)) = (&self.bot, self.leg.to_move()) {
            self.seat = seat;
        }
    }

    fn step_leg(&mut self, rules: &BatchRules, actions: &[i64]) -> Result<(), InvalidSetup> {
        let parts = rules.shape.parts.len();
        self.said.extend_from_slice(actions);
        match &mut self.bot {
            Some(bot) => {
                let until_out = rules.tail != TailPolicy::Play;
                self.leg
                    .step_against(self.seat, Some(actions), own_bot(bot), until_out)?;
            }
            None if rules.sides == 2 => {
                let (first, second) = actions.split_at(parts);
                self.leg
                    .step_indices(BySeat::new(Some(first), Some(second)))?;
            }
            None => {
                let seat = self.seat;
                self.leg
                    .step_indices(BySeat::from_fn(|asked| (asked == seat).then_some(actions)))?;
            }
        }
        self.steps += 1;
        self.state = match (self.leg.to_move(), rules.tail) {
            (ToMove::Nobody, _) => LegStage::Terminated,
            (_, TailPolicy::Truncate) if self.leg.is_out(self.seat) => LegStage::Truncated,
            (_, TailPolicy::Settle) if self.leg.is_out(self.seat) => LegStage::Terminated,
            _ if self.steps >= rules.most => LegStage::Truncated,
            _ => LegStage::Running,
        };
        self.show_mover();
        Ok(())
    }

    /// The winner of a leg that has ended, by the current scores if it was settled before its end.
    fn winner(&self) -> Option<Seat> {
        leg_winner(&*self.leg).filter(|_| self.state == LegStage::Terminated)
    }

    /// Writes the mask. After the end it is all 1: the action does not matter then, but a masked
    /// policy needs one.
    fn write_mask(&self, seat: Seat, out: &mut [i8]) {
        match self.state {
            LegStage::Running => self.leg.write_mask(seat, out),
            LegStage::Terminated | LegStage::Truncated => out.fill(1),
        }
    }

    /// Writes the observations of this leg's seats.
    fn write_observation(&self, rules: &BatchRules, at: usize, out: &mut ObservationSlices<'_>) {
        let (shape, leg) = (&rules.shape, &*self.leg);
        let (planes, scalars, masks) = (out.planes.of(at), out.scalars.of(at), out.masks.of(at));
        if rules.sides == 1 {
            write_planes(leg, shape, self.seat, rules.packed, planes);
            write_scalars(leg, shape, self.seat, scalars);
            return self.write_mask(self.seat, masks);
        }
        for seat in Seat::BOTH {
            write_planes(leg, shape, seat, rules.packed, seat_half(planes, seat));
            write_scalars(leg, shape, seat, seat_half(scalars, seat));
            self.write_mask(seat, seat_half(masks, seat));
        }
    }
}

fn seat_half<T>(slice: &mut [T], seat: Seat) -> &mut [T] {
    let (first, second) = slice.split_at_mut(slice.len() / 2);
    if seat == Seat::First { first } else { second }
}

fn own_bot(bot: &mut Mutex<Box<dyn AnyOpponent>>) -> &mut dyn AnyOpponent {
    &mut **bot.get_mut().expect("it is never locked")
}

/// The action of one call on an environment.
#[derive(Clone, Copy)]
enum LegCommand<'a> {
    /// Start a new leg.
    Reset,
    /// Write the current observation.
    Show,
    /// Play a step.
    Step(&'a [i64]),
}

impl BatchRules {
    fn run_command(
        &self,
        env: &mut BatchLeg,
        order: LegCommand<'_>,
        at: usize,
        out: &mut StepSlices<'_>,
    ) -> Result<(), InvalidSetup> {
        out.rewards.of(at).fill(0.0);
        (out.terminated[at], out.truncated[at]) = (false, false);
        match order {
            LegCommand::Reset => env.reset_leg(self)?,
            LegCommand::Show => {}
            LegCommand::Step(_) if env.is_over() => env.reset_leg(self)?,
            LegCommand::Step(actions) => self.step_leg(env, actions, at, out)?,
        }
        env.write_observation(self, at, &mut out.seen);
        out.seats[at] = env.seat.index() as i8;
        Ok(())
    }

    fn step_leg(
        &self,
        env: &mut BatchLeg,
        actions: &[i64],
        at: usize,
        out: &mut StepSlices<'_>,
    ) -> Result<(), InvalidSetup> {
        env.step_leg(self, actions)?;
        let ended = env.state == LegStage::Terminated;
        let rewards = env.rewards.pay_step(&*env.leg, ended);
        match out.rewards.of(at) {
            [first, second] => [*first, *second] = rewards.into_pair(),
            own => own.fill(rewards[env.seat]),
        }
        if !env.is_over() {
            return Ok(());
        }
        out.terminated[at] = env.state == LegStage::Terminated;
        out.truncated[at] = env.state == LegStage::Truncated;
        let mut result = result_of(&*env.leg);
        result[0] = env.winner().map_or(-1, |seat| seat.index() as i32);
        out.results.of(at).copy_from_slice(&result);
        if self.autoreset == Autoreset::SameStep {
            env.write_observation(self, at, &mut out.last);
            env.reset_leg(self)?;
        }
        Ok(())
    }

    /// Where an environment is, for an error.
    fn place_of(&self, env: &BatchLeg) -> EnginePlace {
        let number = env.leg_number.saturating_sub(1);
        EnginePlace {
            game: self.game.meta().id,
            seed: Some(seeds::of_leg(env.seed, number)),
            step: env.steps,
        }
    }

    fn act_all<'a>(
        &self,
        envs: &mut [BatchLeg],
        order: &(impl Fn(usize) -> LegCommand<'a> + Sync),
        first: usize,
        mut out: StepSlices<'_>,
        grain: usize,
    ) -> Result<(), BatchFailure> {
        let count = envs.len();
        if count > grain {
            let half = count.div_ceil(grain) / 2 * grain;
            let (out, out_) = out.split_legs(half);
            let (envs, lanes_) = envs.split_at_mut(half);
            let (one, other) = rayon::join(
                || self.act_all(envs, order, first, out, grain),
                || self.act_all(lanes_, order, first + half, out_, grain),
            );
            return one.and(other);
        }
        for (at, env) in envs.iter_mut().enumerate() {
            let order = order(first + at);
            let place = self.place_of(env);
            catch_panic(|| self.run_command(env, order, at, &mut out))
                .map_err(|why| BatchFailure::Engine(place, why))?
                .map_err(BatchFailure::Invalid)?;
        }
        Ok(())
    }
}

/// Why a step of a batch was not played to its end.
enum BatchFailure {
    Invalid(InvalidSetup),
    /// The engine panicked: where, and its message.
    Engine(EnginePlace, String),
}

impl From<BatchFailure> for PyErr {
    fn from(failure: BatchFailure) -> PyErr {
        match failure {
            BatchFailure::Invalid(why) => invalid_error(why),
            BatchFailure::Engine(place, why) => engine_error(&place.describe(), &why),
        }
    }
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
        run_engine(self.rules.place_of(env), || question(&*env.leg))
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
        let over = self.envs.iter().position(BatchLeg::is_over);
        match over.filter(|_| self.rules.autoreset == Autoreset::Disabled) {
            None => Ok(()),
            Some(env) => Err(PyRuntimeError::new_err(format!(
                "environment {env} is over; reset it first: reset(options={{\"reset_mask\": terminated | truncated}})"
            ))),
        }
    }
}

/// The options of a batch: the attributes of `leitai.batch.BatchOptions`.
#[derive(FromPyObject)]
struct BatchOptions<'py> {
    config: Option<Bound<'py, PyAny>>,
    opponents: Vec<(String, f64)>,
    seat: Option<usize>,
    by_score: bool,
    autoreset: String,
    threads: usize,
    pool: usize,
    packed: bool,
    seed: u64,
    tail: String,
    max_steps: Option<u32>,
}

impl BatchOptions<'_> {
    fn check(&self, game: &'static dyn AnyEncoded) -> PyResult<()> {
        check_bounded("threads", self.threads, 1, MAX_THREADS)?;
        check_bounded("pool", self.pool, 0, MAX_POOL)?;
        for (name, weight) in &self.opponents {
            bot::make_opponent(game, name, 0)?;
            if !(weight.is_finite() && *weight >= 0.0) {
                return Err(PyValueError::new_err(format!(
                    "the weight of {name:?} is {weight}; 0 or more is accepted"
                )));
            }
        }
        Ok(())
    }

    /// A leg of the first setup, from which all legs are copied.
    fn deal_first(&self, game: &'static dyn AnyEncoded) -> PyResult<Box<dyn AnyEncodedLeg>> {
        let config = self.config.as_ref().map_or(Ok(Value::Null), from_python)?;
        let source = game
            .setup_source(&config, self.pool, self.seed)
            .map_err(invalid_error)?;
        source.deal_leg(self.seed).map_err(invalid_error)
    }

    fn into_rules(
        self,
        game: &'static dyn AnyEncoded,
        first: &dyn AnyEncodedLeg,
    ) -> PyResult<BatchRules> {
        let both_asked = first.to_move() == ToMove::Both && self.opponents.is_empty();
        Ok(BatchRules {
            game,
            shape: Arc::new(ArrayShape::new(&first.describe_layout())),
            sides: if both_asked { 2 } else { 1 },
            opponents: self.opponents,
            seat: self.seat.map(crate::convert::read_seat).transpose()?,
            autoreset: read_autoreset(&self.autoreset)?,
            tail: read_tail(&self.tail)?,
            most: self.max_steps.unwrap_or(u32::MAX).max(1),
            packed: self.packed,
        })
    }
}

#[pymethods]
impl PyBatch {
    #[new]
    fn new(game: &str, legs: usize, options: Bound<'_, PyAny>) -> PyResult<PyBatch> {
        let (asked, options) = (
            options.clone().unbind(),
            options.extract::<BatchOptions<'_>>()?,
        );
        let game = find_game(game)?;
        check_bounded("num_envs", legs, 1, MAX_LEGS)?;
        options.check(game)?;
        let first = options.deal_first(game)?;
        let (seed, threads) = (options.seed, options.threads.min(legs));
        let by_score = options.by_score;
        let rules = options.into_rules(game, &*first)?;
        let leg = |n: u64| BatchLeg::new(first.clone_encoded(), seed.wrapping_add(n), by_score);
        Ok(PyBatch {
            envs: (0..legs as u64).map(leg).collect(),
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
        let game = self.rules.game.meta().id;
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
                inner: EngineLeg::new(leg, game.meta().id, None),
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
        let own = self.rules.game.meta().id;
        if let Some(other) = legs
            .iter()
            .find(|leg| leg.game.meta().id != own || *leg.shape != *self.rules.shape)
        {
            let why = format!(
                "a leg of {} with other choices; {own} as it was made is needed",
                other.game.meta().id
            );
            return Err(PyValueError::new_err(why));
        }
        for (env, leg) in self.envs.iter_mut().zip(&legs) {
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
    fn render(&self, env: usize) -> PyResult<String> {
        let found = self.find_env(env)?;
        let look = leitai_game::render::RenderOptions {
            perspective: leitai_game::Perspective::All,
            ahead: 0,
        };
        self.ask(found, |leg| {
            leg.to_leg().render_position(&look).plain_board()
        })
    }

    /// An environment's board as a picture, see `Leg.pixels`.
    #[pyo3(signature = (env, cell=16))]
    fn pixels<'py>(
        &self,
        py: Python<'py>,
        env: usize,
        cell: usize,
    ) -> PyResult<Bound<'py, PyArray3<u8>>> {
        check_cell(cell)?;
        let drawn = self.ask(self.find_env(env)?, |leg| Picture::draw(leg, cell))?;
        drawn.into_array(py)
    }
}

fn check_bounded(name: &str, value: usize, least: usize, most: usize) -> PyResult<()> {
    if (least..=most).contains(&value) {
        return Ok(());
    }
    Err(PyValueError::new_err(format!(
        "{name} is {value}; {least} to {most} are accepted"
    )))
}

fn read_autoreset(name: &str) -> PyResult<Autoreset> {
    match name {
        "NextStep" => Ok(Autoreset::NextStep),
        "SameStep" => Ok(Autoreset::SameStep),
        "Disabled" => Ok(Autoreset::Disabled),
        other => Err(PyValueError::new_err(format!(
            "there is no autoreset mode {other:?}; there are NextStep, SameStep and Disabled"
        ))),
    }
}

fn read_tail(name: &str) -> PyResult<TailPolicy> {
    match name {
        "play" => Ok(TailPolicy::Play),
        "truncate" => Ok(TailPolicy::Truncate),
        "settle" => Ok(TailPolicy::Settle),
        other => Err(PyValueError::new_err(format!(
            "there is no solo_tail {other:?}; there are play, truncate and settle"
        ))),
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

// Copies, also pickled ones: every environment plays its leg again, from its seed (or from the position that was restored) with
// the learner's actions. So the bots have the same memory, and nothing is kept for it but the actions.

/// What an environment's leg is made of again: its seed, the legs so far, whether it has ended, the actions of its leg, and the
/// setup and position from which it goes on if it was restored.
type SavedLeg = (u64, u64, Vec<i64>, Option<(String, String)>);

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
        let game = self.rules.game.meta().id;
        _restore_batch(py, game, self.asked.clone_ref(py), self.save_envs()?)
    }
}

fn save_env(env: &BatchLeg) -> SavedLeg {
    let base = env.base.as_ref().map(|base| {
        let (setup, position) = (base.setup().to_json(), base.save_state());
        (setup.to_string(), position.to_string())
    });
    (env.seed, env.leg_number, env.said.clone(), base)
}

/// Unpickles a batch.
#[pyfunction]
pub fn _restore_batch(
    py: Python<'_>,
    game: &str,
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

fn restore_env(rules: &BatchRules, env: &mut BatchLeg, saved: SavedLeg) -> PyResult<()> {
    let (seed, leg_number, said, base) = saved;
    (env.seed, env.leg_number) = (seed, leg_number);
    if let Some((setup, position)) = base {
        let read = |text: &str| -> PyResult<Value> {
            serde_json::from_str(text)
                .map_err(|why| PyValueError::new_err(format!("no pickled batch: {why}")))
        };
        let source = rules.game.setup_source(&Value::Null, 0, 0);
        let mut leg = (source
            .and_then(|source| source.start_leg(&read(&setup).unwrap_or_default())))
        .map_err(invalid_error)?;
        leg.restore_state(&read(&position)?)
            .map_err(invalid_error)?;
        env.leg.copy_from(&*leg);
        env.restore_leg();
    } else if leg_number > 0 {
        env.leg_number = leg_number - 1;
        env.reset_leg(rules).map_err(invalid_error)?;
    } else {
        return Ok(()); // Before its first reset.
    }
    let width = rules.shape.parts.len() * rules.sides;
    for actions in said.chunks(width) {
        env.step_leg(rules, actions).map_err(invalid_error)?;
        let ended = env.state == LegStage::Terminated;
        env.rewards.pay_step(&*env.leg, ended);
    }
    Ok(())
}
