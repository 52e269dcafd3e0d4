//! Numbers as people read them.

use std::time::Duration;

use leitai_judge::show;

use crate::batch::Times;
use crate::lang::t;

/// `+12.3`, `-4.0`, `+∞`.
pub fn elo(value: f64) -> String {
    // No sign before what is shown as nothing.
    let value = if value.abs() < 0.05 { 0.0 } else { value };
    match value.is_infinite() {
        true => if value > 0.0 { "+∞" } else { "-∞" }.to_owned(),
        false => format!("{value:+.1}"),
    }
}

/// `[+3.1, +21.5]`
pub fn interval([low, high]: [f64; 2]) -> String {
    format!("[{}, {}]", elo(low), elo(high))
}

/// `87.5 %`
pub fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

/// A chance as a percentage that never claims to be sure: `>99.9 %`.
pub fn chance(share: f64) -> String {
    match share {
        high if high > 0.9995 => ">99.9 %".to_owned(),
        low if low < 0.0005 => "<0.1 %".to_owned(),
        share => percent(share),
    }
}

/// Points: `12` or `12½`.
pub fn points(points: f64) -> String {
    let half = if (points.fract() - 0.5).abs() < 0.25 { "½" } else { "" };
    match (points.floor(), half) {
        (0.0, "½") => half.to_owned(),
        (whole, half) => format!("{whole:.0}{half}"),
    }
}

/// `median 1.2 ms, p99 3.4 ms`
pub fn times(times: &Times) -> String {
    match (times.quantile(0.5), times.quantile(0.99)) {
        (Some(median), Some(p99)) => {
            format!("{} {}, p99 {}", t("median", "中位数"), show(median), show(p99))
        }
        _ => "–".to_owned(),
    }
}

/// `3 h 12 min`, `4 min`, `12 s`: how long something may still take.
pub fn about(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0..=99 => format!("{seconds} s"),
        100..=5999 => format!("{} min", seconds / 60),
        _ => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_as_people_read_them() {
        assert_eq!([elo(12.34), elo(-0.01), elo(f64::NEG_INFINITY)], ["+12.3", "+0.0", "-∞"]);
        assert_eq!(interval([-1.0, f64::INFINITY]), "[-1.0, +∞]");
        assert_eq!([points(0.0), points(0.5), points(12.0), points(12.5)], ["0", "½", "12", "12½"]);
        assert_eq!(percent(0.875), "87.5 %");
        assert_eq!([chance(0.99999), chance(0.9), chance(1e-9)], [">99.9 %", "90.0 %", "<0.1 %"]);
        assert_eq!(times(&Times::default()), "–");
        assert_eq!(about(Duration::from_secs(11_700)), "3 h 15 min");
    }
}
