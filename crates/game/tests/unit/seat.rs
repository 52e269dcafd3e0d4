//! Tests of `seat`.

use leitai_game::seat::*;

#[test]
fn entrants_swap_seats_after_every_leg() {
    for leg in 0..4 {
        for entrant in Entrant::BOTH {
            assert_eq!(entrant.seat_in_leg(leg).entrant_in_leg(leg), entrant);
            assert_ne!(entrant.seat_in_leg(leg), entrant.seat_in_leg(leg + 1));
        }
    }
    assert_eq!(Entrant::A.seat_in_leg(0), Seat::First);
}

#[test]
fn a_pair_is_written_as_an_array() {
    let pair = BySeat::new(1, 2);
    let text = serde_json::to_string(&pair).expect("plain data");
    assert_eq!(text, "[1,2]");
    assert_eq!(
        serde_json::from_str::<BySeat<i32>>(&text).expect("own text"),
        pair
    );
    assert!(serde_json::from_str::<BySeat<i32>>("[1]").is_err());
}
