//! The stderr of a program: always read, stored by period, and bounded.

use std::collections::VecDeque;

use leitai_game::Entrant;
use leitai_game::clean_text::clean_line;
use leitai_game::replay::LogRecord;

/// The default number of bytes that are kept for each leg and entrant: half from the beginning,
/// half from the end.
pub const KEPT: usize = 64 << 10;
/// The beginning of a remark to the viewer (docs/remarks.md), which nobody says at his end.
const REMARK: &str = "#leitai ";
/// The number of lines in a program's last words.
const LAST_LINES: usize = 5;

/// The stderr of one program in one leg.
#[derive(Debug)]
pub struct StderrLog {
    /// The bytes kept from the beginning, and as many from the end.
    half: usize,
    head: Vec<LogPiece>,
    head_bytes: usize,
    tail: VecDeque<LogPiece>,
    tail_bytes: usize,
    dropped: usize,
}

#[derive(Debug)]
struct LogPiece {
    period: u32,
    bytes: Vec<u8>,
}

impl StderrLog {
    /// An empty log that keeps this many bytes.
    pub fn with_limit(bytes: usize) -> StderrLog {
        let half = bytes / 2;
        StderrLog {
            half,
            head: Vec::new(),
            head_bytes: 0,
            tail: VecDeque::new(),
            tail_bytes: 0,
            dropped: 0,
        }
    }

    /// Adds the bytes read in this period.
    pub fn push(&mut self, period: u32, bytes: &[u8]) {
        let (first, rest) = bytes.split_at(bytes.len().min(self.half - self.head_bytes));
        self.head_bytes += first.len();
        append_piece(&mut self.head, period, first);
        if rest.is_empty() {
            return;
        }
        self.tail_bytes += rest.len();
        match self.tail.back_mut().filter(|piece| piece.period == period) {
            Some(piece) => piece.bytes.extend_from_slice(rest),
            None => self.tail.push_back(LogPiece {
                period,
                bytes: rest.to_vec(),
            }),
        }
        self.trim_middle();
    }

    fn trim_middle(&mut self) {
        while self.tail_bytes > self.half {
            let over = self.tail_bytes - self.half;
            let oldest = self
                .tail
                .front_mut()
                .expect("bytes are counted, so there is a piece");
            let cut = over.min(oldest.bytes.len());
            oldest.bytes.drain(..cut);
            if oldest.bytes.is_empty() {
                self.tail.pop_front();
            }
            self.tail_bytes -= cut;
            self.dropped += cut;
        }
    }

    /// The last lines, without what the program tells the viewer.
    pub fn last_words(&self) -> Vec<String> {
        let mut bytes: Vec<u8> = Vec::new();
        self.head
            .iter()
            .chain(&self.tail)
            .for_each(|piece| bytes.extend_from_slice(&piece.bytes));
        let text = String::from_utf8_lossy(&bytes);
        let lines: Vec<&str> = text
            .lines()
            .filter(|line| !line.trim().is_empty() && !line.starts_with(REMARK))
            .collect();
        lines[lines.len().saturating_sub(LAST_LINES)..]
            .iter()
            .map(|line| clip_line(&clean_line(line)))
            .collect()
    }

    /// The kept text, for the replay.
    pub fn log_records(&self, entrant: Entrant) -> Vec<LogRecord> {
        let record = |period, text| LogRecord {
            entrant,
            period,
            text,
        };
        let text = |piece: &LogPiece| String::from_utf8_lossy(&piece.bytes).into_owned();
        let mut records: Vec<LogRecord> = self
            .head
            .iter()
            .map(|piece| record(piece.period, text(piece)))
            .collect();
        if self.dropped > 0 {
            let period = self.tail.front().map_or(0, |piece| piece.period);
            records.push(record(
                period,
                format!("[… {} bytes left out …]\n", self.dropped),
            ));
        }
        records.extend(
            self.tail
                .iter()
                .map(|piece| record(piece.period, text(piece))),
        );
        records
    }
}

fn append_piece(pieces: &mut Vec<LogPiece>, period: u32, bytes: &[u8]) {
    match pieces.last_mut().filter(|piece| piece.period == period) {
        _ if bytes.is_empty() => {}
        Some(piece) => piece.bytes.extend_from_slice(bytes),
        None => pieces.push(LogPiece {
            period,
            bytes: bytes.to_vec(),
        }),
    }
}

fn clip_line(line: &str) -> String {
    match line.char_indices().nth(200) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_within_the_limit_is_kept_by_period() {
        let mut log = StderrLog::with_limit(KEPT);
        log.push(1, b"one ");
        log.push(1, b"more\n");
        log.push(4, b"four\n");
        let records = log.log_records(Entrant::B);
        let texts: Vec<(u32, &str)> = records
            .iter()
            .map(|r| (r.period, r.text.as_str()))
            .collect();
        assert_eq!(texts, [(1, "one more\n"), (4, "four\n")]);
        log.push(4, b"#leitai {\"text\": \"home\"}\n");
        assert_eq!(log.last_words(), ["one more", "four"]);
    }

    #[test]
    fn the_requested_number_of_bytes_is_kept() {
        let check = |bytes: usize, expected: &str| {
            let mut log = StderrLog::with_limit(bytes);
            log.push(1, b"abcdefgh");
            let texts: Vec<String> = log
                .log_records(Entrant::A)
                .into_iter()
                .map(|record| record.text)
                .collect();
            assert_eq!(texts.concat(), expected, "{bytes}");
        };
        check(8, "abcdefgh");
        check(4, "ab[… 4 bytes left out …]\ngh");
        check(0, "[… 8 bytes left out …]\n");
    }

    #[test]
    fn of_ten_megabytes_the_head_and_the_tail_are_kept() {
        let mut log = StderrLog::with_limit(KEPT);
        log.push(1, b"first\n");
        for period in 1..=10 {
            log.push(period, &vec![b'x'; 1 << 20]);
        }
        log.push(11, b"\nlast\n");
        let records = log.log_records(Entrant::A);
        let kept: usize = records.iter().map(|record| record.text.len()).sum();
        assert!(kept < KEPT + 100, "{kept}");
        assert!(records[0].text.starts_with("first\n"));
        assert!(
            records
                .iter()
                .any(|record| record.text.contains("bytes left out"))
        );
        assert_eq!(log.last_words().last().map(String::as_str), Some("last"));
    }
}
