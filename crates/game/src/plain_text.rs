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
        if (0..10).contains(&number) {
            return self.byte(b'0' + number as u8);
        }
        let mut digits = [0; NUMBER];
        let end = write_number(number, &mut digits, 0);
        self.bytes(&digits[..end])
    }

    /// Appends numbers, each after this byte of ASCII.
    ///
    /// ```
    /// let mut text = leitai_game::plain_text::PlainText::new();
    /// text.push("cell").fields(b',', [-2, 10, i32::MIN]);
    /// let mut whole = String::new();
    /// text.write_to(&mut whole)?;
    /// assert_eq!(whole, "cell,-2,10,-2147483648");
    /// # Ok::<(), std::fmt::Error>(())
    /// ```
    #[inline]
    pub fn fields<const N: usize>(&mut self, before: u8, numbers: [i32; N]) -> &mut Self {
        // Put together in one place: appending byte by byte asks for room each time.
        let mut fields = [[0; NUMBER + 1]; N];
        let fields = fields.as_flattened_mut();
        let mut end = 0;
        for number in numbers {
            fields[end] = before;
            end = write_number(number, fields, end + 1);
        }
        self.bytes(&fields[..end])
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

/// The most bytes of a number: `-2147483648`.
const NUMBER: usize = 11;

/// Writes a number from this place on; returns the place after it.
#[inline]
fn write_number(number: i32, out: &mut [u8], mut at: usize) -> usize {
    let mut left = number.unsigned_abs();
    if number < 0 {
        out[at] = b'-';
        at += 1;
    }
    let mut unit = 1;
    while left / unit > 9 {
        unit *= 10;
    }
    while unit > 1 {
        out[at] = b'0' + (left / unit) as u8;
        at += 1;
        left %= unit;
        unit /= 10;
    }
    out[at] = b'0' + left as u8;
    at + 1
}
