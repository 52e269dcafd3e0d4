//! Tests of `play::seat_owner`.

use leitai_server::play::seat_owner::*;
use leitai_server::play::shared_seats::LONGEST;

#[test]
fn long_texts_are_cut_between_letters() {
    let text = "擂".repeat(LONGEST);
    let parts = cut_text(&text);
    assert!(parts.len() > 3 && parts.iter().all(|(part, _)| part.len() <= LONGEST));
    assert!(parts.iter().rev().skip(1).all(|(_, goes_on)| *goes_on));
    assert!(!parts[parts.len() - 1].1);
    let joined: String = parts.iter().map(|(part, _)| *part).collect();
    assert_eq!(joined, text);
    assert_eq!(cut_text("x"), [("x", false)]);
}
