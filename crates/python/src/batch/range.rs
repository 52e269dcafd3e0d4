//! Legs of a batch that one thread plays.

use super::leg::BatchLeg;
use super::slices::StepSlices;

/// Legs beside each other, with their part of the output.
pub struct LegRange<'a> {
    /// The number of the first one.
    pub first: usize,
    pub envs: &'a mut [BatchLeg],
    pub out: StepSlices<'a>,
}

impl<'a> LegRange<'a> {
    /// All legs of a batch.
    pub fn all(envs: &'a mut [BatchLeg], out: StepSlices<'a>) -> LegRange<'a> {
        LegRange {
            first: 0,
            envs,
            out,
        }
    }

    /// The first so many of them, and the rest.
    pub fn split(self, count: usize) -> (LegRange<'a>, LegRange<'a>) {
        let (first, next) = (self.first, self.first + count);
        let (envs, envs_) = self.envs.split_at_mut(count);
        let (out, out_) = self.out.split_legs(count);
        let rest = LegRange {
            first: next,
            envs: envs_,
            out: out_,
        };
        (LegRange { first, envs, out }, rest)
    }
}
