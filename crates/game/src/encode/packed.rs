//! Planes as bits in bytes: the cell in row r and column c is bit `c % 8` (from the lowest) of byte `c / 8` of row r. In
//! NumPy, `np.unpackbits(planes, axis=-1, bitorder="little", count=cols)` undoes it.

/// Bytes of one row.
pub const fn row_len(cols: usize) -> usize {
    cols.div_ceil(8)
}

/// Bytes of one plane.
pub const fn plane_len(rows: usize, cols: usize) -> usize {
    rows * row_len(cols)
}

/// Sets the bit of a cell in a plane of boards with so many columns.
///
/// ```
/// use leitai_game::encode::packed;
/// let mut plane = [0; packed::plane_len(2, 14)];
/// packed::set(&mut plane, 14, 1, 9);
/// assert_eq!(plane, [0, 0, 0, 0b10]);
/// ```
#[inline]
pub fn set(plane: &mut [u8], cols: usize, row: usize, col: usize) {
    plane[row * row_len(cols) + col / 8] |= 1 << (col % 8);
}

/// One byte a cell, 0 or 1, row after row; `out` has `rows * cols` bytes for every plane that is packed.
pub fn unpack(packed: &[u8], cols: usize, out: &mut [u8]) {
    let rows = packed.chunks_exact(row_len(cols)).zip(out.chunks_exact_mut(cols));
    for (bytes, cells) in rows {
        for (byte, cells) in bytes.iter().zip(cells.chunks_mut(8)) {
            match <&mut [u8; 8]>::try_from(&mut *cells) {
                Ok(eight) => *eight = spread(*byte),
                Err(_) => cells.iter_mut().enumerate().for_each(|(bit, cell)| *cell = byte >> bit & 1),
            }
        }
    }
}

/// The bits of a byte, the lowest first, one a byte: each lane of the product holds the byte, the mask picks one bit of
/// it, and adding 127 carries a bit that is set to the top of its lane.
#[inline]
const fn spread(byte: u8) -> [u8; 8] {
    let picked = (byte as u64).wrapping_mul(0x0101_0101_0101_0101) & 0x8040_2010_0804_0201;
    // A lane holds 0 or a power of two; the top lane's power is 128, so halve before adding.
    let halved = (picked >> 1 & 0x7f7f_7f7f_7f7f_7f7f) | (picked & 1);
    ((halved.wrapping_add(0x7f7f_7f7f_7f7f_7f7f) >> 7) & 0x0101_0101_0101_0101).to_le_bytes()
}

/// Turns a row of a plane by half a turn: the lowest `cols` bits, the first becoming the last.
#[inline]
pub const fn mirror(row: u32, cols: usize) -> u32 {
    row.reverse_bits() >> (32 - cols)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_spreads_to_its_bits() {
        for byte in 0..=u8::MAX {
            let bits: [u8; 8] = std::array::from_fn(|bit| byte >> bit & 1);
            assert_eq!(spread(byte), bits, "{byte:08b}");
        }
    }

    #[test]
    fn what_was_set_is_unpacked() {
        for (rows, cols) in [(2, 16), (3, 14), (21, 21), (1, 3)] {
            let mut packed = vec![0; plane_len(rows, cols)];
            let cells: Vec<(usize, usize)> =
                (0..rows).flat_map(|row| (0..cols).map(move |col| (row, col))).collect();
            let chosen = |(row, col): (usize, usize)| (row * 7 + col * 3) % 5 < 2;
            cells
                .iter()
                .filter(|cell| chosen(**cell))
                .for_each(|(row, col)| set(&mut packed, cols, *row, *col));
            let mut out = vec![9; rows * cols];
            unpack(&packed, cols, &mut out);
            let expected: Vec<u8> = cells.iter().map(|cell| chosen(*cell).into()).collect();
            assert_eq!(out, expected, "{rows} x {cols}");
        }
    }

    #[test]
    fn a_mirrored_row_runs_backwards() {
        assert_eq!(mirror(0b0000_0001, 14), 1 << 13);
        assert_eq!(mirror(mirror(0b1_0110, 21), 21), 0b1_0110);
    }
}
