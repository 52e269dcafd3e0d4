//! Tests of `setup`.

use leitai_kob::setup::*;

#[test]
fn the_last_round_is_the_first_one_with_too_long_bodies() {
    for (until, period) in [(0, 1), (0, 3), (10, 3), (7, 64), (256, 2)] {
        for phase in [0, period / 2, period - 1] {
            let growth = Growth {
                until,
                period,
                phase,
            };
            for free in 0..=225 {
                let mut length = 1;
                let expected = (1..=u16::MAX).find(|round| {
                    length += u32::from(growth.grows_at(*round));
                    length > free / 2
                });
                assert_eq!(
                    Some(last_round(free, growth, false)),
                    expected,
                    "{growth:?}, {free} free cells"
                );
            }
        }
    }
}
