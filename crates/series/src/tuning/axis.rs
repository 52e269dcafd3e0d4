//! Points of the search: a place from 0 to 1 for a range, the number of the word for a choice.

/// One parameter as the search sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Axis {
    /// From 0 to 1 in so many equal steps.
    #[allow(missing_docs, reason = "the comment above says it")]
    Range { steps: f64 },
    /// One of so many words.
    #[allow(missing_docs, reason = "the comment above says it")]
    Choice { count: usize },
}

/// One place an axis.
pub type Point = Vec<f64>;

impl Axis {
    /// The nearest place that a value stands for.
    pub fn snap(self, place: f64) -> f64 {
        match self {
            Axis::Range { steps } => (place.clamp(0.0, 1.0) * steps).round() / steps,
            Axis::Choice { count } => place.round().clamp(0.0, (count - 1) as f64),
        }
    }

    /// The two places at this distance on either side of a place, shifted inwards at an end; they always
    /// differ.
    pub fn both_sides(self, place: f64, distance: f64) -> [f64; 2] {
        let Axis::Range { steps } = self else {
            return [place; 2];
        };
        let distance = distance.max(0.5 / steps).min(0.5);
        let middle = place.clamp(distance, 1.0 - distance);
        let low = self.snap(middle - distance);
        let high = self.snap(middle + distance);
        match high > low {
            true => [low, high],
            false if low > 0.0 => [low - 1.0 / steps, high],
            false => [low, high + 1.0 / steps],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_are_different_values_within_the_range() {
        for steps in [1.0, 2.0, 11.0, 1900.0] {
            let axis = Axis::Range { steps };
            for number in 0..=50 {
                for distance in [0.001, 0.12, 0.25, 0.5] {
                    let [low, high] = axis.both_sides(f64::from(number) / 50.0, distance);
                    assert!(
                        0.0 <= low && low < high && high <= 1.0,
                        "{steps} {number} {distance}"
                    );
                    assert!((axis.snap(low) - low).abs() < 1e-12, "on the grid");
                }
            }
        }
    }
}
