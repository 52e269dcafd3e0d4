//! The canonical state text.
//!
//! ```text
//! R 12                  rounds played, the fatal one included
//! A 11,1 11,2 11,3 …    the cells of A from tail to head, each row,column
//! B 1,12 2,12 3,12 …
//! E - wall              why A and B lost; - for neither
//! ```

use std::fmt;

use leitai_game::Seat;
use leitai_game::plain_text::PlainText;

use crate::position::{Loss, Position};

/// Writes the position.
pub fn write(position: &Position, out: &mut dyn fmt::Write) -> fmt::Result {
    let mut text = PlainText::new();
    text.push("R ").number(position.rounds_played().into());
    for seat in Seat::BOTH {
        text.push(["\nA", "\nB"][seat.index()]);
        for (x, y) in position.cells(seat) {
            text.byte(b' ').number(x.into()).byte(b',').number(y.into());
        }
    }
    let [a, b] = position.losses().map_values(loss_name).into_pair();
    text.push("\nE ").push(a).byte(b' ').push(b).byte(b'\n');
    text.write_to(out)
}

fn loss_name(loss: Option<Loss>) -> &'static str {
    match loss {
        None => "-",
        Some(Loss::Died(cause)) => cause.name(),
        Some(Loss::Failed(fault)) => fault.code(),
    }
}
