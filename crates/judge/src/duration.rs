//! Durations as people read them.

use std::time::Duration;

/// A duration for people: `212 ms`, `3 s`, `3.04 s`, `3.001 s`.
pub fn show_duration(time: Duration) -> String {
    match time.as_millis() {
        0 => format!("{} µs", time.as_micros()),
        1..1000 => format!("{} ms", time.as_millis()),
        millis if millis % 1000 == 0 => format!("{} s", millis / 1000),
        millis if millis % 10 == 0 => format!("{}.{:02} s", millis / 1000, millis % 1000 / 10),
        millis => format!("{}.{:03} s", millis / 1000, millis % 1000),
    }
}
