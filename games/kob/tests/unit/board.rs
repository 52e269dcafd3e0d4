//! Tests of `board`.

use leitai_kob::board::*;

fn inside() -> Board {
    Board::from_cells((0..15).flat_map(|x| (0..15).map(move |y| Cell::new(x, y))))
}

#[test]
fn a_step_off_the_largest_board_lands_in_row_or_column_15() {
    for cell in inside().cells() {
        for direction in Direction::ALL {
            let (down, right) = direction.delta();
            let (x, y) = (cell.x() as i8 + down, cell.y() as i8 + right);
            let next = direction.step_from(cell);
            if (0..15).contains(&x) && (0..15).contains(&y) {
                assert_eq!(next, Cell::new(x as u8, y as u8));
            } else {
                assert!(
                    next.x() == 15 || next.y() == 15,
                    "{cell:?} {direction:?} {next:?}"
                );
            }
        }
    }
}

#[test]
fn a_fill_to_the_right_stops_before_the_first_closed_cell() {
    let row = |x: u8, columns: &[u8]| columns.iter().map(|y| Cell::new(x, *y)).collect::<Vec<_>>();
    let open =
        Board::from_cells([row(3, &[0, 1, 2, 3, 5, 6, 7, 14]), row(4, &[0, 1, 14])].concat());
    let check = |from: &[u8], reached: &[u8]| {
        assert_eq!(
            run_right(Board::from_cells(row(3, from)), open),
            Board::from_cells(row(3, reached)),
            "{from:?}"
        );
    };
    check(&[1], &[1, 2, 3]);
    check(&[0, 2], &[0, 1, 2, 3]);
    check(&[3, 6, 14], &[3, 6, 7, 14]);
    check(&[], &[]);
}

#[test]
fn directions_are_numbered_as_the_arrays_of_the_seed_say() {
    let deltas: Vec<_> = Direction::ALL
        .iter()
        .map(|direction| direction.delta())
        .collect();
    assert_eq!(deltas, [(-1, 0), (0, 1), (1, 0), (0, -1)]);
    assert!(
        Direction::ALL
            .iter()
            .all(|d| Direction::from_digit(d.digit() as u8) == Some(*d))
    );
    assert!(
        Direction::ALL
            .iter()
            .all(|d| d.back().back() == *d && d.back() != *d)
    );
    assert_eq!(Direction::from_digit(b'4'), None);
    assert_eq!(Direction::from_digit(b'/'), None);
}
