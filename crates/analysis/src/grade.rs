//! Grades of decisions and the accuracy of a leg. The constants are published in docs/analysis.md.

use std::fmt;

use serde::Serialize;

/// A loss below this is no loss: the action counts as the best.
pub const BEST_BELOW: f64 = 0.005;
/// A loss below this is within the noise of the search: the action is told as good as the best.
pub const AS_GOOD_BELOW: f64 = 0.02;
/// The least loss of an inaccuracy, as a difference of win probabilities.
pub const INACCURACY_FROM: f64 = 0.05;
/// The least loss of a mistake.
pub const MISTAKE_FROM: f64 = 0.10;
/// The least loss of a blunder.
pub const BLUNDER_FROM: f64 = 0.20;
/// A leg can still be held as long as the best action wins with this probability.
pub const HELD_FROM: f64 = 0.40;

/// How good a decision was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Grade {
    /// The best action found, or one as good.
    Best,
    /// It lost less than [`INACCURACY_FROM`].
    Good,
    /// It lost less than [`MISTAKE_FROM`].
    Inaccuracy,
    /// It lost less than [`BLUNDER_FROM`].
    Mistake,
    /// It lost more, or it was a fault.
    Blunder,
}

impl Grade {
    /// All, the best first.
    pub const ALL: [Grade; 5] = [
        Grade::Best,
        Grade::Good,
        Grade::Inaccuracy,
        Grade::Mistake,
        Grade::Blunder,
    ];

    /// The grade of a loss in win probability.
    ///
    /// ```
    /// use leitai_analysis::Grade;
    /// assert_eq!(Grade::of_loss(0.0), Grade::Best);
    /// assert_eq!(Grade::of_loss(0.07), Grade::Inaccuracy);
    /// assert_eq!(Grade::of_loss(0.2), Grade::Blunder);
    /// ```
    pub fn of_loss(loss: f64) -> Grade {
        match loss {
            loss if loss < BEST_BELOW => Grade::Best,
            loss if loss < INACCURACY_FROM => Grade::Good,
            loss if loss < MISTAKE_FROM => Grade::Inaccuracy,
            loss if loss < BLUNDER_FROM => Grade::Mistake,
            _ => Grade::Blunder,
        }
    }

    /// The name in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Grade::Best => "best",
            Grade::Good => "good",
            Grade::Inaccuracy => "inaccuracy",
            Grade::Mistake => "mistake",
            Grade::Blunder => "blunder",
        }
    }
}

impl fmt::Display for Grade {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// How many decisions have each grade.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[allow(missing_docs, reason = "the names say it")]
pub struct GradeCounts {
    pub best: usize,
    pub good: usize,
    pub inaccuracy: usize,
    pub mistake: usize,
    pub blunder: usize,
}

impl GradeCounts {
    /// Counts one decision more.
    pub fn add(&mut self, grade: Grade) {
        *match grade {
            Grade::Best => &mut self.best,
            Grade::Good => &mut self.good,
            Grade::Inaccuracy => &mut self.inaccuracy,
            Grade::Mistake => &mut self.mistake,
            Grade::Blunder => &mut self.blunder,
        } += 1;
    }
}

/// The accuracy of one decision in percent: 100 without a loss, about 63 at 0.10, 40 at 0.20 and 0
/// from 0.8. The curve is that of lichess.org, with losses in probabilities.
pub fn accuracy_of_loss(loss: f64) -> f64 {
    (103.1668 * (-4.354 * loss.max(0.0)).exp() - 3.1669).clamp(0.0, 100.0)
}

/// The accuracy of several decisions: the mean. `None` without a decision.
pub fn mean_accuracy(losses: impl IntoIterator<Item = f64>) -> Option<f64> {
    let (mut sum, mut count) = (0.0, 0);
    for loss in losses {
        sum += accuracy_of_loss(loss);
        count += 1;
    }
    (count > 0).then(|| sum / f64::from(count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_accuracy_falls_from_100_to_0() {
        for (loss, expected) in [(0.0, 100.0), (0.1, 63.6), (0.2, 40.0), (1.0, 0.0)] {
            let accuracy = accuracy_of_loss(loss);
            assert!((accuracy - expected).abs() < 0.5, "{loss}: {accuracy}");
        }
        assert_eq!(mean_accuracy([]), None);
        let mean = mean_accuracy([0.0, 1.0]).expect("two decisions");
        assert!((mean - 50.0).abs() < 0.1, "{mean}");
    }
}
