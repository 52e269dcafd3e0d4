//! Tests of `board`.

use leitai_snakego::board::*;

/// A board from rows of text, the top row first; `#` is in the set. Rows are placed at the
/// lower left.
fn board(rows: &[&str]) -> Board {
    let mut board = Board::EMPTY;
    for (up, row) in rows.iter().rev().enumerate() {
        for (x, glyph) in row.chars().enumerate() {
            if glyph == '#' {
                board.insert(Cell::new(x as u8, up as u8));
            }
        }
    }
    board
}

#[test]
fn a_loop_encloses_these_cells() {
    let check = |rows: &[&str], expected: u32| {
        let area = enclosed_by(board(rows));
        assert_eq!(area.len(), expected, "{rows:#?}");
    };
    check(&["##", "##"], 0);
    check(&["###", "#.#", "###"], 1);
    check(&["#####", "#...#", "###.#", "..#.#", "..###"], 5);
    check(&["####", "#..#", "#.##", "###."], 3);
    // Several areas at once: every cell that cannot reach the border counts.
    check(&[".###.", ".#.##", "##..#", "#.#.#", "#####"], 5);
    // The map's edge is no fence.
    check(&["###", "..#", "..#"], 0);
}

#[test]
fn enclosure_agrees_with_a_plain_flood_fill() {
    let mut rng = leitai_game::Rng::new(1);
    for _ in 0..2000 {
        let set = Board(std::array::from_fn(|_| {
            rng.next_u64() & rng.next_u64() | rng.next_u64() & 0xff
        }));
        let border = (!Board::EMPTY)
            .cells()
            .filter(|c| c.x() % 15 == 0 || c.y() % 15 == 0);
        let outside = Board::from_cells(border).flood_fill(!set);
        assert_eq!(enclosed_by(set), !set & !outside);
    }
}
