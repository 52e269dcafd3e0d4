//! Tests of `divisions`.

use leitai_ladder::divisions::*;
use proptest::prelude::*;
use std::num::NonZeroU32;

fn size(size: u32) -> NonZeroU32 {
    NonZeroU32::new(size).expect("tests divide")
}

#[test]
fn divisions_open_when_full_and_close_when_a_fifth_is_missing() {
    let rows = [
        (39, 0, 0),
        (40, 0, 2),
        (59, 2, 2),
        (60, 2, 3),
        (56, 3, 3),
        (55, 3, 2),
        (36, 2, 2),
        (35, 2, 0),
        (1000, 0, 50),
        (0, 9, 0),
    ];
    for (bots, before, count) in rows {
        let found = Divisions::after(bots, size(20), before);
        assert_eq!(found.map_or(0, |found| found.count()), count, "{bots} bots");
    }
}

#[test]
fn most_of_the_interval_beyond_a_border_is_a_tendency() {
    let three = Divisions::new(size(10), 3).expect("three");
    let rows = [
        (2, [11, 20], None),
        (2, [8, 12], None),
        (2, [8, 11], Some(Tendency::Up)),
        (2, [20, 23], Some(Tendency::Down)),
        (2, [19, 22], None),
        (2, [5, 26], None),
        (3, [25, 90], None),
        (1, [1, 3], None),
        (1, [8, 20], Some(Tendency::Down)),
    ];
    for (division, places, expected) in rows {
        let found = three.tendency(division, places);
        assert_eq!(found, expected, "{division}: {places:?}");
    }
}

fn any_interval() -> impl Strategy<Value = PlaceInterval> {
    (1u32..300, 0u32..200).prop_map(|(best, width)| [best, best + width])
}

proptest! {
    #[test]
    fn who_has_moved_stays(division in 1u32..20, places in any_interval(), each in 1u32..40, count in 2u32..12) {
        let all = Divisions::new(size(each), count).expect("two or more");
        let next = all.next_division(division, places);
        prop_assert_eq!(all.next_division(next, places), next);
        prop_assert!((1..=count).contains(&next));
    }

    #[test]
    fn only_a_whole_interval_beyond_the_border_moves(
        division in 1u32..12, places in any_interval(), each in 1u32..40, count in 2u32..12,
    ) {
        let all = Divisions::new(size(each), count).expect("two or more");
        let division = division.min(count);
        let [best, worst] = places;
        let next = all.next_division(division, places);
        let above = each * (division - 1);
        prop_assert_eq!(next < division, worst <= above);
        prop_assert_eq!(next > division, division < count && best > above + each);
    }

    /// To come back, a bot must first be surely on the other side: intervals that all contain one
    /// place move nobody twice in different directions.
    #[test]
    fn nobody_swings_while_one_place_stays_possible(
        start in 1u32..12, place in 1u32..200, widths in prop::collection::vec((0u32..60, 0u32..60), 1..30),
    ) {
        let all = Divisions::new(size(10), 12).expect("two or more");
        let (mut division, mut moves) = (start, Vec::new());
        for (better, worse) in widths {
            let next = all.next_division(division, [place.saturating_sub(better).max(1), place + worse]);
            if next != division {
                moves.push(next < division);
            }
            division = next;
        }
        moves.dedup();
        prop_assert!(moves.len() <= 1, "{moves:?}");
    }

    #[test]
    fn one_bot_more_or_less_does_not_open_and_close(bots in 0u32..2000, before in 0u32..60, each in 5u32..50) {
        let count = |bots, before| Divisions::after(bots, size(each), before).map_or(0, |found| found.count());
        let now = count(bots, before);
        let more = count(bots + 1, now);
        prop_assert_eq!(count(bots, more), more);
    }
}
