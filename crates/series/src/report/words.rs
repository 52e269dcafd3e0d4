//! Numbers formatted for people.

use std::time::Duration;

use leitai_judge::show_duration;
use leitai_ladder::ScoreTally;
use serde_json::Value;

use crate::Language;
use crate::TimeHistogram;

/// `+12.3`, `-4.0`, `+∞`.
pub fn format_elo(value: f64) -> String {
    // A value that is shown as zero has no sign.
    let value = if value.abs() < 0.05 { 0.0 } else { value };
    match value.is_infinite() {
        true => if value > 0.0 { "+∞" } else { "-∞" }.to_owned(),
        false => format!("{value:+.1}"),
    }
}

/// `[+3.1, +21.5]`
pub fn format_interval([low, high]: [f64; 2]) -> String {
    format!("[{}, {}]", format_elo(low), format_elo(high))
}

/// `87.5 %`
pub fn format_percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

/// A probability in percent, never shown as certain: `>99.9 %`.
pub fn format_chance(share: f64) -> String {
    match share {
        high if high > 0.9995 => ">99.9 %".to_owned(),
        low if low < 0.0005 => "<0.1 %".to_owned(),
        share => format_percent(share),
    }
}

/// What some entrants alone played with, by their names, from the terms of the matches: `deep: -d 5;
/// slow: @limit=20ms`. `None` if nobody did.
pub fn describe_settings(terms: &Value, language: Language<'_>) -> Option<String> {
    let own = terms["settings"].as_object()?.iter();
    let parts: Vec<String> = own
        .map(|(name, settings)| {
            let settings = settings.as_str().unwrap_or_default();
            language.fill("{}: {}", &[name, &settings])
        })
        .collect();
    Some(parts.join(language.label("; ")))
}

/// The book from whose positions the matches started, from their terms; `None` without one.
pub fn describe_book(terms: &Value, language: Language<'_>) -> Option<String> {
    let book = terms["book"].as_str()?;
    Some(language.fill("positions of the book {}", &[&book]))
}

/// Points: `12` or `12½`.
pub fn format_points(points: f64) -> String {
    let half = if (points.fract() - 0.5).abs() < 0.25 {
        "½"
    } else {
        ""
    };
    match (points.floor(), half) {
        (0.0, "½") => half.to_owned(),
        (whole, half) => format!("{whole:.0}{half}"),
    }
}

/// `median 1.2 ms, p99 3.4 ms`
pub fn format_times(times: &TimeHistogram, language: Language<'_>) -> String {
    match (times.time_quantile(0.5), times.time_quantile(0.99)) {
        (Some(median), Some(p99)) => language.fill(
            "median {}, p99 {}",
            &[&show_duration(median), &show_duration(p99)],
        ),
        _ => "–".to_owned(),
    }
}

/// `3-1-0`, or a dot for two players that have not met.
pub fn format_tally(tally: &ScoreTally) -> String {
    match tally.game_count() {
        0 => "·".to_owned(),
        _ => format!("{}-{}-{}", tally.wins, tally.draws, tally.losses),
    }
}

/// `3 h 12 min`, `4 min`, `12 s`: a remaining time.
pub fn format_duration(time: Duration) -> String {
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
    use leitai_game::lang::{Catalogue, Lang};

    #[test]
    fn numbers_have_separators_and_units() {
        assert_eq!(
            [
                format_elo(12.34),
                format_elo(-0.01),
                format_elo(f64::NEG_INFINITY)
            ],
            ["+12.3", "+0.0", "-∞"]
        );
        assert_eq!(format_interval([-1.0, f64::INFINITY]), "[-1.0, +∞]");
        assert_eq!(
            [
                format_points(0.0),
                format_points(0.5),
                format_points(12.0),
                format_points(12.5)
            ],
            ["0", "½", "12", "12½"]
        );
        assert_eq!(format_percent(0.875), "87.5 %");
        assert_eq!(
            [
                format_chance(0.99999),
                format_chance(0.9),
                format_chance(1e-9)
            ],
            [">99.9 %", "90.0 %", "<0.1 %"]
        );
        let catalogue = Catalogue::new([]);
        let english = Language::new(Lang::En, &catalogue);
        assert_eq!(format_times(&TimeHistogram::default(), english), "–");
        assert_eq!(format_duration(Duration::from_secs(11_700)), "3 h 15 min");
    }
}
