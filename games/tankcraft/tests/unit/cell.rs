//! Tests of `cell`.

use leitai_tankcraft::cell::*;

#[test]
fn r3_1_range_three_is_a_diamond_of_25_cells_and_sight_four_has_41() {
    let center = Cell::new(11, 11);
    assert_eq!(
        [0, 1, 3, 4, 5].map(|d| Grid::cells_within(center, d).len()),
        [1, 5, 25, 41, 61]
    );
    assert_eq!(
        Grid::cells_within(Cell::new(1, 1), 3).len(),
        10,
        "cut off by the edge"
    );
}

#[test]
fn sets_contain_their_inserted_cells() {
    let cells = [Cell::new(1, 1), Cell::new(1, 21), Cell::new(21, 3)];
    let mut grid = Grid::from_cells(cells);
    assert!(grid.cells().eq(cells));
    grid.remove(cells[1]);
    assert_eq!(
        (grid.len(), grid.has(cells[1]), grid.has(cells[2])),
        (2, false, true)
    );
    assert_eq!((!Grid::MAP).len(), 4 * 22, "the border");
    assert_eq!(Grid::MAP.len(), 441);
}

#[test]
fn a_flood_fill_stops_at_walls_and_edges() {
    let wall = Grid::from_cells((1..=21).map(|col| Cell::new(10, col)));
    let open = Grid::MAP & !wall;
    assert_eq!(
        Grid::from_cells([Cell::new(1, 1)]).flood_fill(open).len(),
        9 * 21
    );
    assert_eq!(
        Grid::from_cells([Cell::new(21, 21)])
            .with_neighbours()
            .len(),
        3
    );
}

#[test]
fn r1_1_up_is_row_minus_one_and_left_is_column_minus_one() {
    let cell = Cell::new(5, 5);
    let steps = Direction::ALL.map(|d| cell.next(d));
    assert_eq!(
        steps,
        [
            Cell::new(4, 5),
            Cell::new(6, 5),
            Cell::new(5, 4),
            Cell::new(5, 6)
        ]
    );
    assert!(
        Direction::ALL
            .iter()
            .all(|d| cell.next(*d).next(d.back()) == cell)
    );
    assert_eq!(Cell::new(1, 1).rotate_half_turn(), Cell::new(21, 21));
    assert_eq!(Cell::on_map(0, 5), None);
    assert_eq!(Cell::on_map(21, 22), None);
    assert_eq!(Cell::on_map(21, 21), Some(Cell::new(21, 21)));
}
