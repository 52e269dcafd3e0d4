//! How long a judge program may keep an arena waiting, on a busy machine too.

use std::cell::Cell;
use std::time::{Duration, Instant};

use leitai_guest::logic::patience::{PATIENCE, Patience};

/// After how many looks, this far from each other, the time is over; the process is withheld from the
/// machine for a part of that time.
fn looks(apart: Duration, withheld: u32) -> usize {
    let begun = Instant::now();
    let mut patience = Patience::begin(begun);
    let (mut now, kept) = (begun, Cell::new(Duration::from_secs(77)));
    (1..)
        .find(|_| {
            now += apart;
            let is_over = patience.is_over(now, || kept.get());
            kept.set(kept.get() + apart * withheld / 100);
            is_over || now - begun > 1000 * PATIENCE
        })
        .expect("it ends")
}

#[test]
fn what_a_busy_machine_withholds_does_not_count() {
    let millis = Duration::from_millis;
    for (apart, withheld, expected) in [
        (millis(1), 0, 10_000),
        (millis(20), 0, 500),
        // This thread stood still for ten seconds between two looks.
        (millis(10_000), 0, 500),
        // The process had a fifth of a core.
        (millis(1), 80, 49_997),
    ] {
        let looks = looks(apart, withheld);
        assert!(
            looks.abs_diff(expected) <= expected / 1000,
            "{apart:?} {withheld}: {looks}"
        );
    }
}
