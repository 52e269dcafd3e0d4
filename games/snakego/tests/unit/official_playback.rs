//! Tests of `official::playback`.

use leitai_snakego::board::Board;
use leitai_snakego::board::Cell;
use leitai_snakego::official::playback::*;

#[test]
fn enclosed_snakes_are_listed_by_connected_part() {
    // Two parts side by side: an angle from (1, 5) to (3, 5), and a column at x = 2 below it.
    let angle = [(1, 5), (2, 5), (3, 5)];
    let column = [(2, 1), (2, 2), (2, 3)];
    let board = |cells: &[(u8, u8)]| Board::from_cells(cells.iter().map(|&(x, y)| Cell::new(x, y)));
    let area = board(&angle) | board(&column);
    let check =
        |bodies: &[(u16, Board)], expected: &[u16]| assert_eq!(met_in(area, bodies), expected);
    check(&[], &[]);
    check(&[(4, board(&[(9, 9)]))], &[]);
    // Cell by cell over the whole area, 6 would come first: (2, 1) is before (3, 5).
    check(&[(6, board(&[(2, 1)])), (7, board(&[(3, 5)]))], &[7, 6]);
    check(
        &[(2, board(&[(2, 3), (2, 2)])), (3, board(&[(2, 1)]))],
        &[3, 2],
    );
}
