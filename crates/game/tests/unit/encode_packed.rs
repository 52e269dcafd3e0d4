//! Tests of `encode::packed`.

use leitai_game::encode::packed::*;

#[test]
fn what_was_set_is_unpacked() {
    for (rows, cols) in [
        (2, 16),
        (16, 16),
        (3, 8),
        (3, 14),
        (21, 21),
        (5, 30),
        (2, 9),
        (1, 3),
        (2, 40),
        (2, 41),
    ] {
        let mut packed = vec![0; plane_len(rows, cols)];
        let cells: Vec<(usize, usize)> = (0..rows)
            .flat_map(|row| (0..cols).map(move |col| (row, col)))
            .collect();
        let chosen = |(row, col): (usize, usize)| (row * 7 + col * 3) % 5 < 2;
        cells
            .iter()
            .filter(|cell| chosen(**cell))
            .for_each(|(row, col)| set_bit(&mut packed, cols, *row, *col));
        let mut out = vec![9; rows * cols];
        unpack_plane(&packed, cols, &mut out);
        let expected: Vec<u8> = cells.iter().map(|cell| chosen(*cell).into()).collect();
        assert_eq!(out, expected, "{rows} x {cols}");
    }
}

#[test]
fn a_mirrored_row_runs_backwards() {
    assert_eq!(mirror_row(0b0000_0001, 14), 1 << 13);
    assert_eq!(mirror_row(mirror_row(0b1_0110, 21), 21), 0b1_0110);
}
