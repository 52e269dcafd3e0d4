//! The canonical state text.
//!
//! ```text
//! R 12                  rounds played, the fatal one included
//! A 11,1 11,2 11,3 …    the cells of A from tail to head, each row,column
//! B 1,12 2,12 3,12 …
//! E - wall              why A and B lost; - for neither
//! ```

use std::fmt::{self, Write};

use leitai_game::Seat;

use crate::position::{Loss, Position};

/// Writes the position.
pub fn write(position: &Position, out: &mut dyn Write) -> fmt::Result {
    writeln!(out, "R {}", position.rounds_played())?;
    for seat in Seat::BOTH {
        out.write_str(["A", "B"][seat.index()])?;
        for (x, y) in position.cells(seat) {
            write!(out, " {x},{y}")?;
        }
        out.write_char('\n')?;
    }
    let [a, b] = position.losses().map_values(loss_name).into_pair();
    writeln!(out, "E {a} {b}")
}

fn loss_name(loss: Option<Loss>) -> &'static str {
    match loss {
        None => "-",
        Some(Loss::Died(cause)) => cause.name(),
        Some(Loss::Failed(fault)) => fault.code(),
    }
}
