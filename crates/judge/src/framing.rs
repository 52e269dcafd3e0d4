//! Framing: finds the end of messages and splits bytes into whole messages. Every length is bounded
//! before it is used.

use leitai_game::lang::{Message, say};
use leitai_game::replay::{BrokenLimit, LimitName};
use leitai_game::{Fault, Framing};

/// Received bytes of a program that are not used yet.
#[derive(Debug, Default)]
pub struct Inbox {
    bytes: Vec<u8>,
    used: usize,
    /// The beginning of the last taken message.
    taken: usize,
}

/// An invalid message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadFrame {
    /// The kind of fault.
    pub fault: Fault,
    /// The mistake, as the end of a sentence that begins with "the answer".
    pub why: Message,
    /// The exceeded limit, if there is one.
    pub limit: Option<BrokenLimit>,
}

impl Inbox {
    /// Adds received bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        if self.used > 0 {
            self.bytes.drain(..self.used);
            (self.used, self.taken) = (0, 0);
        }
        self.bytes.extend_from_slice(bytes);
    }

    /// Drops all received bytes.
    pub fn clear_bytes(&mut self) {
        self.bytes.clear();
        (self.used, self.taken) = (0, 0);
    }

    /// The unused bytes.
    pub fn unread_bytes(&self) -> &[u8] {
        &self.bytes[self.used..]
    }

    /// The last taken message as it was received, and all unused bytes.
    pub fn recent_bytes(&self) -> &[u8] {
        &self.bytes[self.taken..]
    }

    /// Removes the last taken message from the recent bytes.
    pub fn forget_taken(&mut self) {
        self.taken = self.used;
    }

    /// The number of whole messages that wait, up to `most`; an invalid one ends the count.
    pub fn count_waiting(&self, framing: Framing, limit: usize, most: usize) -> usize {
        let mut rest = self.unread_bytes();
        let mut count = 0;
        while let (true, Ok(Some(frame))) = (count < most, cut_message(rest, framing, limit)) {
            rest = &rest[frame.end..];
            count += 1;
        }
        count
    }

    /// Takes the next whole message of at most `limit` bytes; `None` if it is incomplete.
    pub fn take_message(
        &mut self,
        framing: Framing,
        limit: usize,
    ) -> Result<Option<&[u8]>, BadFrame> {
        let Some(MessageSpan { skip, body, end }) =
            cut_message(self.unread_bytes(), framing, limit)?
        else {
            return Ok(None);
        };
        let start = self.used + skip;
        self.taken = self.used;
        self.used += end;
        Ok(Some(&self.bytes[start..start + body]))
    }
}

/// A message inside the unused bytes: the start of its body, the length of its body, and the start
/// of the next message.
struct MessageSpan {
    skip: usize,
    body: usize,
    end: usize,
}

fn cut_message(
    bytes: &[u8],
    framing: Framing,
    limit: usize,
) -> Result<Option<MessageSpan>, BadFrame> {
    match framing {
        Framing::Lines(count) => cut_lines(bytes, count, limit),
        Framing::Length32 => cut_length32(bytes, limit),
    }
}

fn cut_lines(bytes: &[u8], count: usize, limit: usize) -> Result<Option<MessageSpan>, BadFrame> {
    let mut ends = bytes
        .iter()
        .enumerate()
        .filter(|(_, byte)| **byte == b'\n')
        .map(|(at, _)| at);
    let end = ends.nth(count.max(1) - 1);
    let length = end.unwrap_or(bytes.len());
    if length > limit {
        let why = say!("has no end of line within {limit} bytes");
        return Err(BadFrame {
            fault: Fault::Output,
            why,
            limit: Some(too_long(limit, length)),
        });
    }
    Ok(end.map(|end| MessageSpan {
        skip: 0,
        body: end,
        end: end + 1,
    }))
}

fn cut_length32(bytes: &[u8], limit: usize) -> Result<Option<MessageSpan>, BadFrame> {
    let Some(head) = bytes.first_chunk::<4>() else {
        return Ok(None);
    };
    let length = i32::from_be_bytes(*head);
    let body = usize::try_from(length)
        .ok()
        .filter(|body| *body <= limit)
        .ok_or_else(|| bad_length(head, bytes, limit))?;
    let whole = bytes.len() >= 4 + body;
    Ok(whole.then_some(MessageSpan {
        skip: 4,
        body,
        end: 4 + body,
    }))
}

/// The text at the beginning of these bytes up to its first end of line behind the first four
/// bytes, shortened; `None` if they are no text. The last character may be incomplete.
fn text_at_start(bytes: &[u8]) -> Option<&str> {
    const MOST: usize = 60;
    let line = bytes.iter().skip(4).position(|byte| *byte == b'\n');
    let line = &bytes[..line.map_or(bytes.len(), |end| end + 4).min(MOST)];
    let text = match std::str::from_utf8(line) {
        Ok(text) => text,
        Err(cut) if cut.error_len().is_none() => {
            std::str::from_utf8(&line[..cut.valid_up_to()]).ok()?
        }
        Err(_) => return None,
    };
    let is_text = |c: char| !c.is_control() || c.is_ascii_whitespace();
    (!text.is_empty() && text.chars().all(is_text)).then_some(text)
}

fn bad_length(head: &[u8; 4], bytes: &[u8], limit: usize) -> BadFrame {
    let length = i32::from_be_bytes(*head);
    if let Some(text) = text_at_start(bytes) {
        let why = say!(
            "starts with the text {text:?} where a 4-byte length belongs; print only answers to stdout, \
             everything else to stderr"
        );
        return BadFrame {
            fault: Fault::Malformed,
            why,
            limit: None,
        };
    }
    let why =
        say!("announces a length of {length} bytes (0x{length:08x}); 0 to {limit} are allowed");
    match usize::try_from(length) {
        Ok(length) => BadFrame {
            fault: Fault::Output,
            why,
            limit: Some(too_long(limit, length)),
        },
        Err(_) => BadFrame {
            fault: Fault::Malformed,
            why,
            limit: None,
        },
    }
}

fn too_long(limit: usize, length: usize) -> BrokenLimit {
    BrokenLimit::bytes(LimitName::Message, limit as u64, length as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(framing: Framing, pieces: &[&[u8]], expected: &[Result<&[u8], Fault>]) {
        let mut inbox = Inbox::default();
        let mut seen = Vec::new();
        for piece in pieces {
            inbox.push(piece);
            loop {
                match inbox.take_message(framing, 16) {
                    Ok(Some(body)) => seen.push(Ok(body.to_vec())),
                    Ok(None) => break,
                    Err(bad) => {
                        seen.push(Err(bad.fault));
                        break;
                    }
                }
            }
        }
        let expected: Vec<_> = expected
            .iter()
            .map(|frame| frame.map(<[u8]>::to_vec))
            .collect();
        assert_eq!(seen, expected, "{framing:?} {pieces:?}");
    }

    #[test]
    fn a_length_is_followed_by_that_many_bytes() {
        let l = Framing::Length32;
        check(l, &[b"\0\0\0\x01\x02"], &[Ok(b"\x02")]);
        check(l, &[b"\0", b"\0\0", b"\x01", b"", b"\x06"], &[Ok(b"\x06")]);
        check(
            l,
            &[b"\0\0\0\x01\x02\0\0\0\x01\x03\0"],
            &[Ok(b"\x02"), Ok(b"\x03")],
        );
        check(l, &[b"\0\0\0\0"], &[Ok(b"")]);
        check(l, &[b"\0\0\0\x10"], &[]);
        check(l, &[b"\0\0\0\x11"], &[Err(Fault::Output)]);
        check(l, &[b"\xff\xff\xff\xff"], &[Err(Fault::Malformed)]);
        check(l, &[b"\x7f\xff\xff\xff"], &[Err(Fault::Output)]);
        check(l, &[b"move up\n"], &[Err(Fault::Malformed)]);
    }

    #[test]
    fn lines_end_in_lf() {
        let one = Framing::Lines(1);
        check(one, &[b"a\nb\n"], &[Ok(b"a"), Ok(b"b")]);
        check(one, &[b"a\r\n"], &[Ok(b"a\r")]);
        check(one, &[b"a", b"b\nc"], &[Ok(b"ab")]);
        check(one, &[b"0123456789abcdef\n"], &[Ok(b"0123456789abcdef")]);
        check(one, &[b"0123456789abcdefg"], &[Err(Fault::Output)]);
        check(Framing::Lines(2), &[b"a\nb\nc\n"], &[Ok(b"a\nb")]);
        check(Framing::Lines(2), &[b"a\n", b"b"], &[]);
    }

    #[test]
    fn the_bytes_of_a_message_are_known_until_the_next_question() {
        let mut inbox = Inbox::default();
        let mut check = |bytes: &[u8], recent: &[u8]| {
            inbox.forget_taken();
            inbox.push(bytes);
            let _ = inbox.take_message(Framing::Length32, 16);
            assert_eq!(inbox.recent_bytes(), recent);
        };
        check(b"\0\0\0\x01\x02", b"\0\0\0\x01\x02");
        check(b"\0\0\0\x01\x03\xff", b"\0\0\0\x01\x03\xff");
        check(b"", b"\xff");
        check(b"abc", b"\xffabc");
    }

    #[test]
    fn text_before_the_answer_is_named() {
        let check = |bytes: &[u8], part: &str| {
            let mut inbox = Inbox::default();
            inbox.push(bytes);
            let bad = inbox
                .take_message(Framing::Length32, 2048)
                .expect_err("it is no length");
            assert!(bad.why.to_string().contains(part), "{}", bad.why);
            let told = bad.why.to_string().contains("everything else to stderr");
            assert_eq!(told, part.contains('"'), "{}", bad.why);
        };
        check(b"hello", "the text \"hello\" where");
        check(b"\n\n\n\n\n\n", "\"\\n\\n\\n\\n\"");
        check("寻路: 0\n\0\0\0".as_bytes(), "the text \"寻路: 0\" where");
        check(&"寻路: 0".as_bytes()[..5], "the text \"寻\" where");
        check(
            b"\xde\xad\xbe\xef",
            "announces a length of -559038737 bytes",
        );
    }
}
