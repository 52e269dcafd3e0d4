//! The normal distribution.

/// The chance that a standard normal variable is at most `z`.
pub fn normal_cdf(z: f64) -> f64 {
    0.5 * libm::erfc(-z / std::f64::consts::SQRT_2)
}

/// The `z` with `cdf(z) = p`, by bisection; `p` is kept away from 0 and 1.
pub fn normal_quantile(p: f64) -> f64 {
    bisect_root(-9.0, 9.0, |z| normal_cdf(z) - p)
}

/// The half width of an interval of this confidence in standard errors: 1.96 for 0.95.
pub fn two_sided(confidence: f64) -> f64 {
    normal_quantile(0.5 + confidence.clamp(0.0, 1.0) / 2.0)
}

/// The chance that a chi-square variable with so many degrees of freedom is at least `value`, by the
/// cube root that is nearly normal (E. Wilson and M. Hilferty, PNAS 17, 1931).
pub fn chi_square_tail(value: f64, free: f64) -> f64 {
    let step = 2.0 / (9.0 * free);
    normal_cdf(-((value / free).cbrt() - (1.0 - step)) / step.sqrt())
}

/// Where a growing function crosses zero between two points; the nearer end where it does not.
pub fn bisect_root(mut low: f64, mut high: f64, f: impl Fn(f64) -> f64) -> f64 {
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        if f(middle) < 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    (low + high) / 2.0
}
