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
pub struct PlainText {
    /// The text, and zeros to be written over: where rules are interpreted, asking a `Vec` for room byte by
    /// byte takes longer than writing.
    bytes: Vec<u8>,
    length: usize,
}

impl PlainText {
    /// An empty text, with room for most states.
    #[allow(clippy::new_without_default, reason = "it takes memory")]
    pub fn new() -> PlainText {
        PlainText {
            bytes: vec![0; 1024],
            length: 0,
        }
    }

    /// At least so many bytes after the text.
    #[inline]
    fn room(&mut self, needed: usize) -> &mut [u8] {
        if self.bytes.len() - self.length < needed {
            self.bytes.resize(2 * self.bytes.len() + needed, 0);
        }
        &mut self.bytes[self.length..]
    }

    /// Appends a text.
    pub fn push(&mut self, text: &str) -> &mut Self {
        self.bytes(text.as_bytes())
    }

    /// Appends bytes of ASCII.
    pub fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        self.room(bytes.len())[..bytes.len()].copy_from_slice(bytes);
        self.length += bytes.len();
        self
    }

    /// Appends a byte of ASCII.
    #[inline]
    pub fn byte(&mut self, byte: u8) -> &mut Self {
        self.room(1)[0] = byte;
        self.length += 1;
        self
    }

    /// Appends the first bytes of a short text: eight are written at once.
    #[inline]
    pub fn short(&mut self, text: [u8; 8], length: usize) -> &mut Self {
        self.room(8)[..8].copy_from_slice(&text);
        self.length += length.min(8);
        self
    }

    /// Appends a number.
    pub fn number(&mut self, number: i32) -> &mut Self {
        if (0..10).contains(&number) {
            return self.byte(b'0' + number as u8);
        }
        self.length += write_number(number, self.room(NUMBER), 0);
        self
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
        let room = self.room(N * (NUMBER + 1));
        let mut end = 0;
        for number in numbers {
            if let Some(field) = SMALL.get(number.wrapping_add(2) as usize) {
                let field = *field | u32::from(before);
                room[end..end + 4].copy_from_slice(&field.to_le_bytes());
                end += (field >> 24) as usize;
            } else {
                room[end] = before;
                end = write_number(number, room, end + 1);
            }
        }
        self.length += end;
        self
    }

    /// Appends a byte as two hexadecimal digits.
    #[inline]
    pub fn hex(&mut self, byte: u8) -> &mut Self {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let room = self.room(2);
        room[0] = DIGITS[usize::from(byte >> 4)];
        room[1] = DIGITS[usize::from(byte & 15)];
        self.length += 2;
        self
    }

    /// Hands the text on.
    ///
    /// # Panics
    ///
    /// If a byte was not ASCII.
    pub fn write_to(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        let text = std::str::from_utf8(&self.bytes[..self.length]);
        out.write_str(text.expect("it is put together from ASCII"))
    }
}

/// The most bytes of a number: `-2147483648`.
const NUMBER: usize = 11;

/// Most fields, with numbers from -2 to 99: room for a byte before the number, the number, and in the last
/// byte how many these are.
static SMALL: [u32; 102] = {
    let mut small = [u32::from_le_bytes([0, b'-', b'2', 3]); 102];
    small[1] = u32::from_le_bytes([0, b'-', b'1', 3]);
    let mut number = 0;
    while number < 100 {
        small[number as usize + 2] = u32::from_le_bytes(match number {
            0..10 => [0, b'0' + number, 0, 2],
            _ => [0, b'0' + number / 10, b'0' + number % 10, 3],
        });
        number += 1;
    }
    small
};

/// Writes a number from this place on; returns the place after it.
#[inline(never)]
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
