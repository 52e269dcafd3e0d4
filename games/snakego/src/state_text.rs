//! The canonical state text (`docs/rules/snakego.md`, "Canonical state text").

use std::fmt;

use leitai_game::Seat;
use leitai_game::plain_text::PlainText;

use crate::position::Position;
use crate::setup::Setup;

/// Writes the position after a first line `T <round> <player>`. At the end of a player's turn the
/// player is the one whose turn has ended; 9 means a round that has just begun.
pub fn write(
    setup: &Setup,
    position: &Position,
    player: u8,
    out: &mut dyn fmt::Write,
) -> fmt::Result {
    let mut text = PlainText::new();
    text.push("T ").number(position.round().into());
    text.byte(b' ').number(player.into()).byte(b'\n');
    for seat in Seat::BOTH {
        for snake in position.snakes(seat) {
            let ray = snake.ray().map_or(-1, i32::from);
            text.push(["S0 ", "S1 "][seat.index()]);
            for number in [snake.id.into(), snake.bank.into(), ray] {
                text.number(number).byte(b' ');
            }
            for cell in position.cells_of(snake) {
                text.hex(cell.0);
            }
            text.byte(b'\n');
        }
    }
    for seat in Seat::BOTH {
        text.push(["W0 ", "W1 "][seat.index()]);
        position.walls(seat).cells().for_each(|cell| {
            text.hex(cell.0);
        });
        text.byte(b'\n');
    }
    text.push("I ");
    for (i, (id, _)) in position.lying_items(setup).enumerate() {
        if i > 0 {
            text.byte(b' ');
        }
        text.number(id.into());
    }
    let [first, second] = position.count_cells().into_pair();
    text.push("\nP ").number(first.into());
    text.byte(b' ').number(second.into()).byte(b'\n');
    text.write_to(out)
}
