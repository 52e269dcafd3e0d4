//! Short texts that are put together from names and numbers, such as canonical state texts: without
//! `fmt`, which takes longer for a number than a rule of a game does for a step.

use std::fmt;

/// A text of ASCII.
///
/// ```
/// let mut text = leitai_game::plain_text::PlainText::new();
/// text.push("row ").number(-1).byte(b' ').bytes(b"cell ").hex(0xa).hex(0xff);
/// let mut whole = String::new();
/// text.write_to(&mut whole)?;
/// assert_eq!(whole, "row -1 cell 0aff");
/// # Ok::<(), std::fmt::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct PlainText(Vec<u8>);

impl PlainText {
    /// An empty text, with room for most states.
    #[allow(clippy::new_without_default, reason = "it takes memory")]
    pub fn new() -> PlainText {
        PlainText(Vec::with_capacity(768))
    }

    /// Appends a text.
    pub fn push(&mut self, text: &str) -> &mut Self {
        self.bytes(text.as_bytes())
    }

    /// Appends bytes of ASCII.
    pub fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        self.0.extend_from_slice(bytes);
        self
    }

    /// Appends a byte of ASCII.
    #[inline]
    pub fn byte(&mut self, byte: u8) -> &mut Self {
        self.0.push(byte);
        self
    }

    /// Appends a number.
    pub fn number(&mut self, number: i32) -> &mut Self {
        if number < 0 {
            self.0.push(b'-');
        }
        let number = number.unsigned_abs();
        if number < 10 {
            return self.byte(b'0' + number as u8);
        }
        let mut unit = 10;
        while number / unit > 9 {
            unit *= 10;
        }
        while unit > 0 {
            self.0.push(b'0' + (number / unit % 10) as u8);
            unit /= 10;
        }
        self
    }

    /// Appends a byte as two hexadecimal digits.
    #[inline]
    pub fn hex(&mut self, byte: u8) -> &mut Self {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        self.0.push(DIGITS[usize::from(byte >> 4)]);
        self.0.push(DIGITS[usize::from(byte & 15)]);
        self
    }

    /// Hands the text on.
    ///
    /// # Panics
    ///
    /// If a byte was not ASCII.
    pub fn write_to(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        out.write_str(std::str::from_utf8(&self.0).expect("it is put together from ASCII"))
    }
}
