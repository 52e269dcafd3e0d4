//! Tests of `position::turn`.

use leitai_game::Seat;
use leitai_snakego::position::turn::*;
use serde::Deserialize;
use serde_json::json;

/// `Turn::next`, written plainly.
fn next_plainly(counts: [u8; 2], seat: Seat, cursor: u8) -> Option<u8> {
    let second = (counts[1] > 0).then_some(place_of(Seat::Second, 0));
    match seat {
        _ if cursor < counts[seat.index()] => Some(place_of(seat, cursor)),
        Seat::First => second,
        Seat::Second => None,
    }
}

fn all(mut check: impl FnMut([u8; 2], Seat, u8)) {
    for counts in (0..25).map(|n| [n / 5, n % 5]) {
        for seat in Seat::BOTH {
            (0..counts[seat.index()]).for_each(|cursor| check(counts, seat, cursor));
        }
    }
}

#[test]
fn the_turn_passes_to_the_next_snake_of_the_side_then_to_the_other_side() {
    all(|counts, seat, cursor| {
        for passed in 0..=2 {
            let turn = Turn::new(counts, seat, cursor);
            let expected = next_plainly(counts, seat, cursor + passed);
            if cursor + passed <= counts[seat.index()] {
                assert_eq!(turn.next(passed), expected, "{turn:?} {passed}");
            }
        }
    });
}

#[test]
fn snakes_come_and_go() {
    all(|counts, seat, cursor| {
        let turn = Turn::new(counts, seat, cursor);
        let count = counts[seat.index()];
        assert_eq!(turn.has_room(), count < 4);
        if turn.has_room() {
            let (mut more, mut grown) = (turn, counts);
            more.add();
            grown[seat.index()] += 1;
            assert_eq!(more, Turn::new(grown, seat, cursor));
        }
        for gone in 0..count {
            let (mut less, mut shrunk) = (turn, counts);
            less.remove(seat, gone.into());
            shrunk[seat.index()] -= 1;
            let moved = cursor - u8::from(gone < cursor);
            assert_eq!(less, Turn::new(shrunk, seat, moved), "{turn:?} {gone}");
        }
    });
}

#[test]
fn it_is_saved_as_counts_seat_and_cursor() {
    all(|counts, seat, cursor| {
        let turn = Turn::new(counts, seat, cursor);
        let saved = json!({ "counts": counts, "seat": seat, "cursor": cursor });
        assert_eq!(serde_json::to_value(turn).expect("plain data"), saved);
        assert_eq!(Turn::deserialize(saved).expect("just written"), turn);
    });
}
