//! Rating differences and the scores they stand for. A difference of 400 means ten points for every
//! one of the opponent's.

/// Elo of one natural logarithm of odds.
pub const PER_LOGIT: f64 = 400.0 / std::f64::consts::LN_10;

/// The share of the points, from 0 to 1, that a side stronger by so much takes.
///
/// ```
/// use leitai_ladder::elo;
/// assert!((elo::expected_score(100.0) - 0.64).abs() < 0.001);
/// assert!((elo::elo_difference(0.64) - 100.0).abs() < 0.1);
/// ```
pub fn expected_score(difference: f64) -> f64 {
    1.0 / (1.0 + (-difference / PER_LOGIT).exp())
}

/// The difference that a share of the points stands for; infinite where one side took them all.
pub fn elo_difference(share: f64) -> f64 {
    PER_LOGIT * (share / (1.0 - share)).ln()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Rows of the table of expected scores in FIDE's rating regulations (8.1.2).
    #[test]
    fn agrees_with_the_table_of_fide() {
        for (elo, expected) in [
            (0.0, 0.50),
            (25.0, 0.53),
            (100.0, 0.64),
            (200.0, 0.76),
            (400.0, 0.92),
        ] {
            let got = expected_score(elo);
            assert!((got - expected).abs() < 0.013, "{elo}: {got}");
            assert!((expected_score(-elo) - (1.0 - got)).abs() < 1e-12);
        }
    }

    proptest! {
        #[test]
        fn difference_is_the_inverse_of_share(elo in -1500.0f64..1500.0) {
            prop_assert!((elo_difference(expected_score(elo)) - elo).abs() < 1e-6);
        }
    }
}
