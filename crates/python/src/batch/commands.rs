//! What one call does on the legs of a batch, on several threads.

use leitai_game::encode::AnyEncodedLeg;
use leitai_game::{GameFault, InvalidSetup};
use pyo3::prelude::*;

use super::leg::{BatchLeg, LegMoment, LegStage};
use super::rules::{Autoreset, BatchRules};
use super::slices::StepSlices;
use crate::engine::{EnginePlace, catch_panic, engine_error, fault_error};
use crate::leg::result_of;
use crate::seeds;

/// The action of one call on an environment.
#[derive(Clone, Copy)]
pub enum LegCommand<'a> {
    /// Start a new leg.
    Reset,
    /// Write the current observation.
    Show,
    /// Play a step.
    Step(&'a [i64]),
}

impl BatchRules {
    #[inline]
    pub fn run_command(
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

    pub fn step_leg(
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
    pub fn place_of(&self, env: &BatchLeg) -> EnginePlace {
        self.place_at(env.moment())
    }

    fn place_at(&self, at: LegMoment) -> EnginePlace {
        let number = at.leg_number.saturating_sub(1);
        EnginePlace {
            game: self.game,
            seed: Some(seeds::of_leg(at.seed, number)),
            step: at.steps,
        }
    }

    pub fn act_all<'a>(
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
            self.act_on_one(env, order(first + at), at, &mut out)?;
        }
        Ok(())
    }

    #[inline]
    fn act_on_one(
        &self,
        env: &mut BatchLeg,
        order: LegCommand<'_>,
        at: usize,
        out: &mut StepSlices<'_>,
    ) -> Result<(), BatchFailure> {
        let moment = env.moment();
        let place = || self.place_at(moment);
        catch_panic(|| self.run_command(env, order, at, out))
            .map_err(|why| BatchFailure::Engine(place(), why))?
            .map_err(|why| BatchFailure::Invalid(place(), why))?;
        match self.game.is_guest.then(|| env.leg.fault()).flatten() {
            None => Ok(()),
            Some(fault) => {
                let at = env.leg.clone_encoded();
                Err(BatchFailure::Rules(place(), Box::new(fault), at))
            }
        }
    }
}

/// Why a step of a batch was not played to its end.
pub enum BatchFailure {
    Invalid(EnginePlace, InvalidSetup),
    /// The engine panicked: where, and its message.
    Engine(EnginePlace, String),
    /// The rules of a file failed in this leg.
    Rules(EnginePlace, Box<GameFault>, Box<dyn AnyEncodedLeg>),
}

impl From<BatchFailure> for PyErr {
    fn from(failure: BatchFailure) -> PyErr {
        match failure {
            BatchFailure::Invalid(at, why) => at.game.setup_error(at.seed, why),
            BatchFailure::Rules(at, fault, leg) => fault_error(at, &fault, Some(&*leg)),
            BatchFailure::Engine(place, why) => engine_error(&place.describe(), &why),
        }
    }
}
