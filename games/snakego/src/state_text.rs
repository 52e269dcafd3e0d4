//! The canonical state text (`docs/rules/snakego.md`, "Canonical state text").

use std::fmt::{self, Write};

use leitai_game::Seat;

use crate::board::Board;
use crate::position::Position;
use crate::setup::Setup;

/// Writes the position after a first line `T <round> <player>`. At the end of a player's turn the
/// player is the one whose turn has ended; 9 means a round that has just begun.
pub fn write(setup: &Setup, position: &Position, player: u8, out: &mut dyn Write) -> fmt::Result {
    writeln!(out, "T {} {player}", position.round())?;
    for seat in Seat::BOTH {
        for snake in position.snakes(seat) {
            let ray = snake.ray().map_or(-1, i32::from);
            write!(out, "S{} {} {} {ray} ", seat.index(), snake.id, snake.bank)?;
            for cell in position.cells_of(snake) {
                write!(out, "{:02x}", cell.0)?;
            }
            out.write_char('\n')?;
        }
    }
    write_walls(0, position.walls(Seat::First), out)?;
    write_walls(1, position.walls(Seat::Second), out)?;
    out.write_str("I ")?;
    for (i, (id, _)) in position.lying_items(setup).enumerate() {
        write!(out, "{}{id}", if i > 0 { " " } else { "" })?;
    }
    let [first, second] = position.count_cells().into_pair();
    write!(out, "\nP {first} {second}\n")
}

fn write_walls(player: u8, walls: Board, out: &mut dyn Write) -> fmt::Result {
    write!(out, "W{player} ")?;
    for cell in walls.cells() {
        write!(out, "{:02x}", cell.0)?;
    }
    out.write_char('\n')
}
