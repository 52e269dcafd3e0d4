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
