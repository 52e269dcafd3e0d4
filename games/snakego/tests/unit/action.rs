//! Tests of `action`.

use leitai_snakego::action::*;
use leitai_snakego::board::Cell;

#[test]
fn the_next_cell_is_the_neighbour_unless_the_map_ends() {
    for cell in (0..=255).map(Cell) {
        let (x, y) = (cell.x(), cell.y());
        let at = |x: Option<u8>, y: Option<u8>| {
            let on_map = |value: &u8| *value < 16;
            Some(Cell::new(x.filter(on_map)?, y.filter(on_map)?))
        };
        let expected = [
            at(Some(x + 1), Some(y)),
            at(Some(x), Some(y + 1)),
            at(x.checked_sub(1), Some(y)),
            at(Some(x), y.checked_sub(1)),
        ];
        let next = Direction::ALL.map(|direction| direction.next_from(cell));
        assert_eq!(next, expected, "{cell:?}");
    }
}

#[test]
fn the_nth_of_a_set_is_the_nth_by_number() {
    for mask in 0..=255u8 {
        let listed: Vec<Action> = Action::ALL
            .into_iter()
            .filter(|action| mask >> action.number() & 1 != 0)
            .collect();
        for n in 0..10 {
            let nth = Action::nth_of(mask, n);
            assert_eq!(nth, listed.get(n).copied(), "{mask:#b} {n}");
        }
    }
}
