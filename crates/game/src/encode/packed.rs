//! Planes as bits in bytes: the cell in row r and column c is bit `c % 8` (from the lowest) of byte
//! `c / 8` of row r. In NumPy, `np.unpackbits(planes, axis=-1, bitorder="little", count=cols)`
//! unpacks it.

/// Bytes of one row.
pub const fn row_len(cols: usize) -> usize {
    cols.div_ceil(8)
}

/// Bytes of one plane.
pub const fn plane_len(rows: usize, cols: usize) -> usize {
    rows * row_len(cols)
}

/// Sets the bit of a cell in a plane of a board with this many columns.
///
/// ```
/// use leitai_game::encode::packed;
/// let mut plane = [0; packed::plane_len(2, 14)];
/// packed::set_bit(&mut plane, 14, 1, 9);
/// assert_eq!(plane, [0, 0, 0, 0b10]);
/// ```
#[inline]
pub fn set_bit(plane: &mut [u8], cols: usize, row: usize, col: usize) {
    plane[row * row_len(cols) + col / 8] |= 1 << (col % 8);
}

/// Unpacks to one byte for each cell, 0 or 1, row after row; `out` has `rows * cols` bytes for
/// every packed plane.
pub fn unpack_plane(packed: &[u8], cols: usize, out: &mut [u8]) {
    out.fill(0);
    unpack_into_zeros(packed, cols, out);
}

/// The same into an array of zeros, such as a new one.
pub fn unpack_into_zeros(packed: &[u8], cols: usize, out: &mut [u8]) {
    match (cols, row_len(cols)) {
        (_, len) if 8 * len == cols => unpack_whole(packed, out),
        (8.., 2) => unpack_rows::<2>(packed, cols, out),
        (8.., 3) => unpack_rows::<3>(packed, cols, out),
        (8.., 4) => unpack_rows::<4>(packed, cols, out),
        _ => unpack_bits(packed, cols, out),
    }
}

/// Unpacks rows without unused bits as one row. Most bytes are 0, so eight zero bytes are handled
/// at once.
fn unpack_whole(packed: &[u8], out: &mut [u8]) {
    let (words, rest) = packed.as_chunks::<8>();
    let (cells, rest_cells) = out.as_chunks_mut::<8>();
    for (word, cells) in words.iter().zip(cells.as_chunks_mut::<8>().0) {
        if u64::from_le_bytes(*word) != 0 {
            word.iter()
                .zip(cells)
                .for_each(|(byte, cells)| *cells = SPREAD[usize::from(*byte)]);
        }
    }
    debug_assert!(rest_cells.is_empty());
    unpack_bits(rest, 8, &mut out[64 * words.len()..]);
}

/// Unpacks rows of this many bytes whose last byte is not full: it is written together with the end
/// of the row before.
fn unpack_rows<const BYTES: usize>(packed: &[u8], cols: usize, out: &mut [u8]) {
    // Most rows are empty, and four of them are seen to be so at once.
    let (fours, rest) = packed.as_chunks::<BYTES>().0.as_chunks::<4>();
    let (out, rest_cells) = out.split_at_mut(4 * cols * fours.len());
    for (four, cells) in fours.iter().zip(out.chunks_exact_mut(4 * cols)) {
        if *four != [[0; BYTES]; 4] {
            unpack_some_rows(four, cols, cells);
        }
    }
    unpack_some_rows(rest, cols, rest_cells);
}

fn unpack_some_rows<const BYTES: usize>(rows: &[[u8; BYTES]], cols: usize, out: &mut [u8]) {
    for (bytes, cells) in rows.iter().zip(out.chunks_exact_mut(cols)) {
        let row = bytes
            .iter()
            .rev()
            .fold(0, |row, byte| row << 8 | u32::from(*byte));
        if row == 0 {
            continue;
        }
        let mut put = |at: usize| {
            if let Some(eight) = cells[at..].first_chunk_mut::<8>() {
                *eight = SPREAD[(row >> at & 0xff) as usize];
            }
        };
        (0..BYTES - 1).for_each(|byte| put(8 * byte));
        put(cols - 8);
    }
}

fn unpack_bits(packed: &[u8], cols: usize, out: &mut [u8]) {
    for (bytes, cells) in packed
        .chunks_exact(row_len(cols))
        .zip(out.chunks_exact_mut(cols))
    {
        cells
            .iter_mut()
            .enumerate()
            .for_each(|(col, cell)| *cell = bytes[col / 8] >> (col % 8) & 1);
    }
}

/// The bits of every byte, the lowest first, one a byte.
static SPREAD: [[u8; 8]; 256] = {
    let mut table = [[0; 8]; 256];
    let mut at = 0;
    while at < 256 * 8 {
        table[at / 8][at % 8] = ((at / 8) >> (at % 8) & 1) as u8;
        at += 1;
    }
    table
};

/// Turns a row of a plane by half a turn: the lowest `cols` bits, the first becoming the last.
#[inline]
pub const fn mirror_row(row: u32, cols: usize) -> u32 {
    row.reverse_bits() >> (32 - cols)
}
