//! Tests of `position`.

use leitai_kob::position::*;

#[test]
fn a_position_is_small() {
    assert_eq!(size_of::<Position>(), 112);
}
