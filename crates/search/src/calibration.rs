//! Calibration: turns the values of a search into probabilities, and shows how far probabilities
//! can be trusted.

/// A prediction and what came of it: 1 won, 0.5 drawn, 0 lost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// The value, or the probability, that was predicted.
    pub predicted: f64,
    /// The result, 0 to 1.
    pub result: f64,
}

/// A logistic curve: `1 / (1 + exp(-(offset + slope * value)))`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LogisticCurve {
    /// The natural logarithm of the odds at value 0.
    pub offset: f64,
    /// What a unit of value adds to it.
    pub slope: f64,
}

impl LogisticCurve {
    /// The probability of a value.
    pub fn probability(&self, value: f64) -> f64 {
        logistic(self.offset + self.slope * value)
    }

    /// The curve that makes the results most likely (Newton's method on the log-likelihood, with a
    /// weak pull to 0 so that samples that can be told apart perfectly have a finite curve).
    ///
    /// With `is_symmetric` the offset is 0: both sides of a symmetric game have the same chance at
    /// value 0. `None` without samples, or if their values are not finite.
    ///
    /// ```
    /// use leitai_search::calibration::{LogisticCurve, Sample};
    /// let won = |predicted, result| Sample { predicted, result };
    /// // Three of four won at value 1, one of four at value -1.
    /// let samples: Vec<Sample> = (0..4)
    ///     .flat_map(|n| [won(1.0, f64::from(n.min(1))), won(-1.0, f64::from(1 - n.min(1)))])
    ///     .collect();
    /// let curve = LogisticCurve::fit(&samples, true).expect("there are samples");
    /// assert!((curve.probability(1.0) - 0.75).abs() < 1e-3);
    /// ```
    pub fn fit(samples: &[Sample], is_symmetric: bool) -> Option<LogisticCurve> {
        let spread = samples
            .iter()
            .map(|sample| sample.predicted.abs())
            .fold(0.0, f64::max);
        if samples.is_empty() || !spread.is_finite() {
            return None;
        }
        // Values of any size behave alike once they are within 1 of 0.
        let scale = if spread > 0.0 { spread } else { 1.0 };
        let mut curve = LogisticCurve {
            offset: 0.0,
            slope: 0.0,
        };
        for _ in 0..MOST_STEPS {
            let step = newton_step(samples, scale, curve, is_symmetric);
            curve.offset += step[0].clamp(-2.0, 2.0);
            curve.slope += step[1].clamp(-8.0, 8.0);
            if step[0].abs() + step[1].abs() < 1e-10 {
                break;
            }
        }
        curve.slope /= scale;
        Some(curve)
    }
}

/// Newton steps until a fit is given up; ten are usual.
const MOST_STEPS: usize = 200;
/// The pull to 0.
const PULL: f64 = 1e-6;

fn logistic(value: f64) -> f64 {
    1.0 / (1.0 + (-value).exp())
}

fn newton_step(
    samples: &[Sample],
    scale: f64,
    curve: LogisticCurve,
    is_symmetric: bool,
) -> [f64; 2] {
    let (mut g, mut h) = (
        [-PULL * curve.offset, -PULL * curve.slope],
        [PULL, 0.0, PULL],
    );
    for sample in samples {
        let value = sample.predicted / scale;
        let probability = curve.probability(value);
        let (miss, weight) = (
            sample.result - probability,
            probability * (1.0 - probability),
        );
        g = [g[0] + miss, g[1] + miss * value];
        h = [
            h[0] + weight,
            h[1] + weight * value,
            h[2] + weight * value * value,
        ];
    }
    if is_symmetric {
        return [0.0, g[1] / h[2]];
    }
    let determinant = h[0] * h[2] - h[1] * h[1];
    [
        (h[2] * g[0] - h[1] * g[1]) / determinant,
        (h[0] * g[1] - h[1] * g[0]) / determinant,
    ]
}

/// What became of the samples whose probability lay in one interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReliabilityBin {
    /// The interval, from inclusive.
    pub from: f64,
    /// To exclusive; the last one holds 1.
    pub to: f64,
    /// Samples in it.
    pub count: u64,
    /// The mean of what was predicted; 0 without samples.
    pub mean_predicted: f64,
    /// The mean of the results; 0 without samples.
    pub mean_result: f64,
}

/// How far probabilities can be trusted.
#[derive(Clone, Debug, PartialEq)]
pub struct Reliability {
    /// Intervals of equal width from 0 to 1.
    pub bins: Vec<ReliabilityBin>,
    /// The mean distance of prediction and result over the bins, weighted by samples (expected
    /// calibration error).
    pub calibration_error: f64,
    /// The mean squared error of single predictions; 0.25 for always saying a half.
    pub brier_score: f64,
    /// The mean of minus the natural logarithm of the probability that was given to the result.
    pub log_loss: f64,
}

impl Reliability {
    /// The bins as rows of a Markdown table: the interval, samples, mean prediction, mean result;
    /// bins without samples are left out.
    pub fn format_rows(&self) -> String {
        let percent = |share: f64| 100.0 * share;
        let row = |bin: &ReliabilityBin| {
            format!(
                "| {:.0}–{:.0} % | {} | {:.1} % | {:.1} % |\n",
                percent(bin.from),
                percent(bin.to),
                bin.count,
                percent(bin.mean_predicted),
                percent(bin.mean_result)
            )
        };
        let bins = self.bins.iter().filter(|bin| bin.count > 0);
        bins.map(row).collect()
    }

    /// A reliability diagram as SVG: a dot for every bin, its area in proportion to the samples, and
    /// the diagonal on which a perfect prediction lies. The axes are labelled with these words.
    pub fn draw_svg(&self, predicted: &str, result: &str) -> String {
        // The unit square is 200 wide, its lower left corner at (40, 220).
        let (x, y) = (
            |share: f64| 40.0 + 200.0 * share,
            |share: f64| 220.0 - 200.0 * share,
        );
        let most = self.bins.iter().map(|bin| bin.count).max().unwrap_or(0);
        let dot = |bin: &ReliabilityBin| {
            let radius = 3.0 + 7.0 * (bin.count as f64 / most.max(1) as f64).sqrt();
            let (at, of) = (x(bin.mean_predicted), y(bin.mean_result));
            format!("<circle cx='{at:.1}' cy='{of:.1}' r='{radius:.1}'/>\n")
        };
        let mark = |tenths: u8| {
            let share = f64::from(tenths) / 10.0;
            let (at, of, percent) = (x(share), y(share) + 3.0, 10 * tenths);
            format!(
                "<text x='{at:.0}' y='234' text-anchor='middle'>{percent}</text>\n\
                 <text x='35' y='{of:.0}' text-anchor='end'>{percent}</text>\n"
            )
        };
        let dots: String = self
            .bins
            .iter()
            .filter(|bin| bin.count > 0)
            .map(dot)
            .collect();
        let marks: String = [0, 2, 4, 6, 8, 10].map(mark).concat();
        format!(
            "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 260 260' width='390' \
             font-family='sans-serif' font-size='9' role='img'>\n\
             <rect width='260' height='260' fill='#fff'/>\n\
             <rect x='40' y='20' width='200' height='200' fill='none' stroke='#888'/>\n\
             <path d='M40 220 L240 20' stroke='#888' stroke-dasharray='4 3'/>\n\
             <g fill='#1f6feb' fill-opacity='0.75'>\n{dots}</g>\n\
             <g fill='#333'>\n{marks}\
             <text x='140' y='250' text-anchor='middle'>{predicted}</text>\n\
             <text x='12' y='120' text-anchor='middle' transform='rotate(-90 12 120)'>{result}</text>\n\
             </g>\n</svg>\n"
        )
    }
}

/// Sorts probabilities (0 to 1) into so many bins of equal width and compares them with what came.
pub fn measure_reliability(samples: &[Sample], bins: usize) -> Reliability {
    let bins = bins.max(1);
    let place = |predicted: f64| ((predicted * bins as f64) as usize).min(bins - 1);
    let mut sums = vec![(0u64, 0.0, 0.0); bins];
    let (mut squares, mut losses) = (0.0, 0.0);
    for sample in samples {
        let sum = &mut sums[place(sample.predicted)];
        *sum = (sum.0 + 1, sum.1 + sample.predicted, sum.2 + sample.result);
        squares += (sample.predicted - sample.result).powi(2);
        let sure = sample.predicted.clamp(1e-12, 1.0 - 1e-12);
        losses -= sample.result * sure.ln() + (1.0 - sample.result) * (1.0 - sure).ln();
    }
    let mean = |sum: f64, count: u64| if count == 0 { 0.0 } else { sum / count as f64 };
    let total = samples.len() as u64;
    let bins: Vec<ReliabilityBin> = sums
        .into_iter()
        .enumerate()
        .map(|(index, (count, predicted, result))| ReliabilityBin {
            from: index as f64 / bins as f64,
            to: (index + 1) as f64 / bins as f64,
            count,
            mean_predicted: mean(predicted, count),
            mean_result: mean(result, count),
        })
        .collect();
    let miss =
        |bin: &ReliabilityBin| bin.count as f64 * (bin.mean_predicted - bin.mean_result).abs();
    Reliability {
        calibration_error: mean(bins.iter().map(miss).sum(), total),
        brier_score: mean(squares, total),
        log_loss: mean(losses, total),
        bins,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use leitai_game::Rng;

    /// Results drawn by a known curve.
    fn draw(curve: LogisticCurve, count: usize) -> Vec<Sample> {
        let mut rng = Rng::new(5);
        let mut unit = || (rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
        let sample = |_| {
            let predicted = 4000.0 * unit() - 2000.0;
            let result = f64::from(u8::from(unit() < curve.probability(predicted)));
            Sample { predicted, result }
        };
        (0..count).map(sample).collect()
    }

    #[test]
    fn a_fit_finds_the_curve_that_drew_the_results() {
        let curve = LogisticCurve {
            offset: 0.3,
            slope: 0.002,
        };
        let found = LogisticCurve::fit(&draw(curve, 40_000), false).expect("samples");
        assert!((found.offset - curve.offset).abs() < 0.05, "{found:?}");
        assert!((found.slope - curve.slope).abs() < 0.0001, "{found:?}");
    }

    #[test]
    fn fitted_probabilities_are_reliable() {
        let samples = draw(
            LogisticCurve {
                offset: 0.0,
                slope: 0.001,
            },
            40_000,
        );
        let curve = LogisticCurve::fit(&samples, true).expect("samples");
        let rated: Vec<Sample> = samples
            .iter()
            .map(|one| Sample {
                predicted: curve.probability(one.predicted),
                ..*one
            })
            .collect();
        let found = measure_reliability(&rated, 10);
        assert!(found.calibration_error < 0.01, "{found:?}");
        assert!(
            found.brier_score < 0.25 && found.log_loss < 0.6932,
            "{found:?}"
        );
        assert_eq!(found.bins.iter().map(|bin| bin.count).sum::<u64>(), 40_000);
    }

    #[test]
    fn odd_samples_give_no_odd_curves() {
        assert_eq!(LogisticCurve::fit(&[], true), None);
        let sure = |predicted, result| Sample { predicted, result };
        let told_apart = [sure(1.0, 1.0), sure(-1.0, 0.0)];
        let curve = LogisticCurve::fit(&told_apart, false).expect("samples");
        assert!(
            curve.slope.is_finite() && curve.probability(1.0) > 0.99,
            "{curve:?}"
        );
        let flat = LogisticCurve::fit(&[sure(0.0, 1.0), sure(0.0, 0.0)], true).expect("samples");
        assert_eq!(flat.probability(0.0), 0.5);
        assert_eq!(
            LogisticCurve::fit(&[sure(f64::NAN, 1.0), sure(f64::INFINITY, 0.0)], true),
            None
        );
    }

    #[test]
    fn the_last_bin_holds_certainty() {
        let found = measure_reliability(
            &[Sample {
                predicted: 1.0,
                result: 1.0,
            }],
            4,
        );
        assert_eq!(found.bins[3].count, 1);
        assert_eq!((found.calibration_error, found.brier_score), (0.0, 0.0));
        assert_eq!(measure_reliability(&[], 4).calibration_error, 0.0);
        assert_eq!(
            found.format_rows(),
            "| 75–100 % | 1 | 100.0 % | 100.0 % |\n"
        );
    }

    #[test]
    fn a_diagram_has_a_dot_for_every_bin_with_samples() {
        let sample = |predicted, result| Sample { predicted, result };
        let found = measure_reliability(&[sample(0.5, 1.0), sample(0.1, 0.0)], 10);
        let svg = found.draw_svg("rated, %", "won, %");
        assert_eq!(svg.matches("<circle").count(), 2, "{svg}");
        assert!(
            svg.contains("cx='140.0' cy='20.0'") && svg.contains("won, %"),
            "{svg}"
        );
    }
}
