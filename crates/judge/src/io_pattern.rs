//! The pattern in which the judge writes and reads a program's streams.

use std::time::Duration;

/// The pattern in which the judge writes and reads a program's streams. Only
/// [`check`](crate::check) uses patterns other than the default: a stream may be split anywhere and
/// read at any pace, and a program that relies on more works only by chance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum IoPattern {
    /// Messages are written as a whole, answers are read at once.
    #[default]
    Usual,
    /// The same, but a program has a second to exit after the end, and its memory is measured.
    Patient,
    /// Messages are written in pieces of 1 to 7 bytes, with a pause between them.
    SplitWrites,
    /// Answers are read late, and at first at most 7 bytes at a time.
    SlowReads,
}

/// The most pieces of a message or of an answer; the rest is transferred as a whole.
const MOST_PIECES: usize = 48;
/// The pause between two pieces.
const PAUSE: Duration = Duration::from_micros(150);
/// The delay before every read.
const LATE: Duration = Duration::from_millis(1);
/// The bytes of a slow read.
const SIP: usize = 7;

impl IoPattern {
    /// The time that a program has to exit after the end message before it is killed without a
    /// fault.
    pub(crate) fn exit_grace(self) -> Duration {
        match self {
            IoPattern::Patient => Duration::from_secs(1),
            _ => Duration::from_millis(50),
        }
    }

    /// The bytes of a message to write at once, after this many pieces.
    pub(crate) fn piece_size(self, pieces: usize, rest: usize) -> usize {
        match self {
            IoPattern::SplitWrites if pieces < MOST_PIECES => {
                rest.min([1, 1, 2, 1, 3, 5, 7][pieces % 7])
            }
            _ => rest,
        }
    }

    /// Waits between two pieces.
    pub(crate) fn pause_between(self) {
        if self == IoPattern::SplitWrites {
            std::thread::sleep(PAUSE);
        }
    }

    /// The bytes to read at once, up to `most`, after this many pieces; waits before.
    pub(crate) fn read_size(self, pieces: usize, most: usize) -> usize {
        if self != IoPattern::SlowReads || pieces >= MOST_PIECES {
            return most;
        }
        std::thread::sleep(LATE);
        most.min(SIP)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sizes of the pieces in which a message of this length is written.
    fn pieces(io_pattern: IoPattern, length: usize) -> Vec<usize> {
        let mut rest = length;
        let mut all = Vec::new();
        while rest > 0 {
            let piece = io_pattern.piece_size(all.len(), rest);
            all.push(piece);
            rest -= piece;
        }
        all
    }

    #[test]
    fn a_message_is_written_in_a_bounded_number_of_odd_pieces() {
        assert_eq!(pieces(IoPattern::Usual, 1000), [1000]);
        assert_eq!(pieces(IoPattern::SlowReads, 1000), [1000]);
        assert_eq!(pieces(IoPattern::SplitWrites, 1), [1]);
        assert_eq!(pieces(IoPattern::SplitWrites, 12), [1, 1, 2, 1, 3, 4]);
        let long = pieces(IoPattern::SplitWrites, 100_000);
        assert_eq!(
            (long.len(), long.iter().sum::<usize>()),
            (MOST_PIECES + 1, 100_000)
        );
    }

    #[test]
    fn a_bounded_number_of_reads_is_slow() {
        let check = |io_pattern: IoPattern, pieces: usize, most: usize| {
            assert_eq!(io_pattern.read_size(pieces, 4096), most)
        };
        check(IoPattern::Usual, 0, 4096);
        check(IoPattern::Patient, 0, 4096);
        check(IoPattern::SplitWrites, 0, 4096);
        check(IoPattern::SlowReads, 0, 7);
        check(IoPattern::SlowReads, MOST_PIECES, 4096);
    }
}
