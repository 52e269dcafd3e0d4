//! Tables of tests that are written as lines.
#![allow(dead_code, reason = "every test binary uses its part")]

/// The rows of a table that is written as lines of cells, `one | another`. Lines that begin with `//` are comments.
pub fn cells(rows: &str) -> impl Iterator<Item = Vec<&str>> {
    let lines = rows.lines();
    let lines = lines.filter(|line| !line.trim().is_empty() && !line.starts_with("//"));
    lines.map(|line| line.split(" |").map(str::trim).collect())
}

/// The same of rows with so many cells.
pub fn table<const N: usize>(rows: &str) -> impl Iterator<Item = [&str; N]> {
    cells(rows).map(|row| match row.try_into() {
        Ok(row) => row,
        Err(row) => panic!("{N} cells are needed: {row:?}"),
    })
}

/// The words of a command line; one in single quotes may have blanks.
pub fn words(line: &str) -> Vec<&str> {
    let parts = line.split('\'').enumerate();
    let words = parts.flat_map(|(index, part)| match index % 2 {
        0 => part.split_whitespace().collect(),
        _ => vec![part],
    });
    words.collect()
}
