//! Columns of a terminal, in which a Chinese character takes two.

use unicode_width::UnicodeWidthStr;

/// The columns that the text takes.
///
/// ```
/// assert_eq!(leitai_series::columns::width("擂台 Leitai"), 11);
/// ```
pub fn width(text: &str) -> usize {
    text.width()
}

/// The text with spaces after it, so that it takes at least so many columns.
///
/// ```
/// assert_eq!(leitai_series::columns::pad("擂台", 6), "擂台  ");
/// assert_eq!(leitai_series::columns::pad("longer", 3), "longer");
/// ```
pub fn pad(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(width(text))))
}
