//! The arrays of the caller that a step of a batch writes into, and their parts for one thread.

use numpy::{Element, PyReadwriteArrayDyn};
use pyo3::prelude::*;

use super::rules::{Autoreset, BatchRules};
use crate::convert::slice_mut;

/// A list with the same number of elements for each environment.
pub struct LegSlices<'a, T> {
    pub all: &'a mut [T],
    pub width: usize,
}

impl<'a, T> LegSlices<'a, T> {
    /// Splits after this many environments.
    pub fn split_legs(self, envs: usize) -> (LegSlices<'a, T>, LegSlices<'a, T>) {
        let (first, rest) = self.all.split_at_mut(envs * self.width);
        (
            LegSlices {
                all: first,
                width: self.width,
            },
            LegSlices {
                all: rest,
                width: self.width,
            },
        )
    }

    pub fn of(&mut self, env: usize) -> &mut [T] {
        &mut self.all[env * self.width..][..self.width]
    }
}

/// The observations of all environments.
pub struct ObservationSlices<'a> {
    pub planes: LegSlices<'a, u8>,
    pub scalars: LegSlices<'a, f32>,
    pub masks: LegSlices<'a, i8>,
}

/// The output of a step, environment by environment.
pub struct StepSlices<'a> {
    pub seen: ObservationSlices<'a>,
    /// One reward for each environment, the learner's; two if it plays both seats.
    pub rewards: LegSlices<'a, f32>,
    pub terminated: &'a mut [bool],
    pub truncated: &'a mut [bool],
    pub seats: &'a mut [i8],
    /// At the end of a leg: the winner's seat or -1, and both scores.
    pub results: LegSlices<'a, i32>,
    /// The last observation of a leg that has ended if the next one has begun; empty in the other
    /// modes.
    pub last: ObservationSlices<'a>,
}

/// The entries of `results` for each environment.
const RESULT: usize = 3;

impl<'a> ObservationSlices<'a> {
    pub fn split_legs(self, envs: usize) -> (ObservationSlices<'a>, ObservationSlices<'a>) {
        let (planes, planes_) = self.planes.split_legs(envs);
        let (scalars, scalars_) = self.scalars.split_legs(envs);
        let (masks, masks_) = self.masks.split_legs(envs);
        (
            ObservationSlices {
                planes,
                scalars,
                masks,
            },
            ObservationSlices {
                planes: planes_,
                scalars: scalars_,
                masks: masks_,
            },
        )
    }
}

impl<'a> StepSlices<'a> {
    pub fn split_legs(self, envs: usize) -> (StepSlices<'a>, StepSlices<'a>) {
        let (seen, seen_) = self.seen.split_legs(envs);
        let (rewards, rewards_) = self.rewards.split_legs(envs);
        let (terminated, terminated_) = self.terminated.split_at_mut(envs);
        let (truncated, truncated_) = self.truncated.split_at_mut(envs);
        let (seats, seats_) = self.seats.split_at_mut(envs);
        let (results, results_) = self.results.split_legs(envs);
        let (last, last_) = self.last.split_legs(envs);
        let first = StepSlices {
            seen,
            rewards,
            terminated,
            truncated,
            seats,
            results,
            last,
        };
        let rest = StepSlices {
            seen: seen_,
            rewards: rewards_,
            terminated: terminated_,
            truncated: truncated_,
            seats: seats_,
            results: results_,
            last: last_,
        };
        (first, rest)
    }
}

/// The caller's arrays: the attributes of `leitai.batch.StepArrays`.
#[derive(FromPyObject)]
pub struct StepBuffers<'py> {
    pub planes: PyReadwriteArrayDyn<'py, u8>,
    pub scalars: PyReadwriteArrayDyn<'py, f32>,
    pub masks: PyReadwriteArrayDyn<'py, i8>,
    pub rewards: PyReadwriteArrayDyn<'py, f32>,
    pub terminated: PyReadwriteArrayDyn<'py, bool>,
    pub truncated: PyReadwriteArrayDyn<'py, bool>,
    pub seats: PyReadwriteArrayDyn<'py, i8>,
    pub results: PyReadwriteArrayDyn<'py, i32>,
    last_planes: PyReadwriteArrayDyn<'py, u8>,
    last_scalars: PyReadwriteArrayDyn<'py, f32>,
    last_masks: PyReadwriteArrayDyn<'py, i8>,
}

impl StepBuffers<'_> {
    pub fn step_slices(&mut self, rules: &BatchRules, envs: usize) -> PyResult<StepSlices<'_>> {
        let shape = &rules.shape;
        let sides = envs * rules.sides;
        let kept = if rules.autoreset == Autoreset::SameStep {
            sides
        } else {
            0
        };
        let rewards = if !rules.opponents.is_empty() {
            envs
        } else {
            2 * envs
        };
        let [planes, scalars, mask] = [
            shape.plane_bytes(rules.packed),
            shape.scales.len(),
            shape.mask_length(),
        ];
        let width = |one: usize| one * rules.sides;
        Ok(StepSlices {
            seen: ObservationSlices {
                planes: array_slices("planes", &mut self.planes, sides * planes, width(planes))?,
                scalars: array_slices(
                    "scalars",
                    &mut self.scalars,
                    sides * scalars,
                    width(scalars),
                )?,
                masks: array_slices("masks", &mut self.masks, sides * mask, width(mask))?,
            },
            rewards: array_slices("rewards", &mut self.rewards, rewards, rewards / envs)?,
            terminated: slice_mut("terminated", &mut self.terminated, envs)?,
            truncated: slice_mut("truncated", &mut self.truncated, envs)?,
            seats: slice_mut("seats", &mut self.seats, envs)?,
            results: array_slices("results", &mut self.results, RESULT * envs, RESULT)?,
            last: ObservationSlices {
                planes: array_slices(
                    "last planes",
                    &mut self.last_planes,
                    kept * planes,
                    kept / envs * planes,
                )?,
                scalars: array_slices(
                    "last scalars",
                    &mut self.last_scalars,
                    kept * scalars,
                    kept / envs * scalars,
                )?,
                masks: array_slices(
                    "last masks",
                    &mut self.last_masks,
                    kept * mask,
                    kept / envs * mask,
                )?,
            },
        })
    }
}

fn array_slices<'a, T: Element>(
    name: &str,
    array: &'a mut PyReadwriteArrayDyn<'_, T>,
    len: usize,
    width: usize,
) -> PyResult<LegSlices<'a, T>> {
    Ok(LegSlices {
        all: slice_mut(name, array, len)?,
        width,
    })
}
