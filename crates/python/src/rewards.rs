//! The rewards of both seats: the one place that computes them, for every environment of the
//! package.

use leitai_game::encode::AnyEncodedLeg;
use leitai_game::{BySeat, Seat};
use pyo3::prelude::*;
use pyo3::types::PyType;

use crate::leg::PyLeg;

/// What a leg has paid so far, and what its next step pays.
pub struct RewardMeter {
    by_score: bool,
    /// The scores that are paid for.
    paid: BySeat<i32>,
}

impl RewardMeter {
    /// Pays the change of the lead in score at every step, or else the outcome at the end.
    pub fn new(by_score: bool) -> RewardMeter {
        RewardMeter {
            by_score,
            paid: BySeat::default(),
        }
    }

    /// A leg begins in this position: before anybody has played in it, also an opponent that plays
    /// before the learner is asked. So the rewards of a leg add up to the lead at its end.
    pub fn begin_leg(&mut self, leg: &dyn AnyEncodedLeg) {
        self.paid = leg.scores();
    }

    /// The rewards of a step; their sum is zero. `ended`: the leg is over, or counts as over.
    pub fn pay_step(&mut self, leg: &dyn AnyEncodedLeg, ended: bool) -> BySeat<f32> {
        let first = if self.by_score {
            let lead = |scores: BySeat<i32>| scores[Seat::First] - scores[Seat::Second];
            let before = std::mem::replace(&mut self.paid, leg.scores());
            (lead(self.paid) - lead(before)) as f32
        } else if ended {
            match leg_winner(leg) {
                None => 0.0,
                Some(Seat::First) => 1.0,
                Some(Seat::Second) => -1.0,
            }
        } else {
            0.0
        };
        BySeat::new(first, 0.0 - first)
    }
}

/// The winner of a leg that is over, or by the current scores if it counts as over. Level scores then have no winner, although
/// the first seat would win a leg that ends level: who plays on alone can still gain.
pub fn leg_winner(leg: &dyn AnyEncodedLeg) -> Option<Seat> {
    let [first, second] = leg.scores().into_pair();
    let by_scores = || leg.certain_winner().filter(|_| first != second);
    leg.outcome()
        .map_or_else(by_scores, |outcome| outcome.winner)
}

/// The rewards of one leg after another, for environments written in Python.
#[pyclass(name = "Rewards", module = "leitai._leitai")]
pub struct PyRewards(RewardMeter);

#[pymethods]
impl PyRewards {
    #[new]
    #[pyo3(signature = (by_score, paid=(0, 0)))]
    fn new(by_score: bool, paid: (i32, i32)) -> PyRewards {
        PyRewards(RewardMeter {
            by_score,
            paid: BySeat::new(paid.0, paid.1),
        })
    }

    /// A leg begins, before anybody has played in it.
    fn begin(&mut self, leg: &PyLeg) -> PyResult<()> {
        leg.inner.ask(|leg| self.0.begin_leg(leg))
    }

    /// The rewards of a step: first, second. `ended`: the leg is over, or counts as over.
    fn pay(&mut self, leg: &PyLeg, ended: bool) -> PyResult<(f32, f32)> {
        let [first, second] = leg
            .inner
            .ask(|leg| self.0.pay_step(leg, ended))?
            .into_pair();
        Ok((first, second))
    }

    /// For copies and pickle.
    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyType>, (bool, (i32, i32))) {
        let [first, second] = self.0.paid.into_pair();
        let made_from = (self.0.by_score, (first, second));
        (py.get_type::<PyRewards>(), made_from)
    }
}
