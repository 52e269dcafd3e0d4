//! Tests of `play::phrases`.

use leitai_server::play::phrases::*;
use std::time::Duration;

#[test]
fn a_person_speaks_every_two_seconds_and_fifty_times() {
    let mut limit = SpeechLimit::default();
    let said = (0..1000u64)
        .map(Duration::from_secs)
        .filter(|now| limit.allow_phrase(*now))
        .collect::<Vec<_>>();
    let first: Vec<u64> = said.iter().take(3).map(Duration::as_secs).collect();
    assert_eq!((first, said.len()), (vec![0, 2, 4], 50));
}
