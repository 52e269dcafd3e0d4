//! Tests of `board`.

use leitai_game::board::*;

/// The 4-neighbours on a board with this many cells a side.
fn neighbours(cell: Cell, side: u8) -> impl Iterator<Item = Cell> {
    let near = |a: u8, b: u8| a.abs_diff(b);
    (!Board::EMPTY)
        .cells()
        .filter(move |other| near(cell.x(), other.x()) + near(cell.y(), other.y()) == 1)
        .filter(move |other| other.x() < side && other.y() < side)
}

#[test]
fn cells_are_listed_by_x_then_y() {
    let cells = [(3, 9), (3, 2), (0, 15), (15, 15)].map(|(x, y)| Cell::new(x, y));
    let order: Vec<Cell> = Board::from_cells(cells).cells().collect();
    assert_eq!(order, [cells[2], cells[1], cells[0], cells[3]]);
}

#[test]
fn cells_are_added_and_removed_on_a_condition() {
    let (cell, other) = (Cell::new(9, 3), Cell::new(9, 4));
    let mut board = Board::from_cells([other]);
    board.insert_if(false, cell);
    assert_eq!(board.bit(cell), 0);
    board.insert_if(true, cell);
    assert_eq!(board, Board::from_cells([cell, other]));
    board.remove_if(false, cell);
    assert_eq!(board.bit(cell), 1);
    board.remove_if(true, cell);
    assert_eq!(board, Board::from_cells([other]));
}

#[test]
fn neighbours_stop_at_the_edges() {
    for cell in (!Board::EMPTY).cells() {
        let expected = Board::from_cells(neighbours(cell, 16).chain([cell]));
        assert_eq!(
            Board::from_cells([cell]).with_neighbours(),
            expected,
            "{cell:?}"
        );
    }
}

#[test]
fn unmasked_neighbours_agree_on_every_smaller_board() {
    let inside = Board::from_cells((0..15).flat_map(|x| (0..15).map(move |y| Cell::new(x, y))));
    for cell in inside.cells() {
        let expected = Board::from_cells(neighbours(cell, 15).chain([cell]));
        let spread = Board::from_cells([cell]).with_neighbours_unmasked() & inside;
        assert_eq!(spread, expected, "{cell:?}");
    }
}

#[test]
fn a_fill_stays_inside_its_area() {
    let open = [(0, 0), (0, 1), (1, 1), (3, 1), (0, 14)].map(|(x, y)| Cell::new(x, y));
    let open = Board::from_cells(open);
    assert_eq!(
        Board::from_cells([Cell::new(0, 0)]).flood_fill(open).len(),
        3
    );
    assert!(
        Board::from_cells([Cell::new(9, 9)])
            .flood_fill(open)
            .is_empty()
    );
}
