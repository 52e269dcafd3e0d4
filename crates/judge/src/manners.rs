//! How the judge treats a program's streams.

use std::time::Duration;

/// How the judge treats a program's streams. All but the usual way are for [`check`](crate::check) alone: a stream may
/// be cut anywhere and read at any pace, and a program that relies on more works only by chance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Manners {
    /// Messages are written as a whole, answers are read at once.
    #[default]
    Usual,
    /// The same, but a program has a second to leave after the end, and its memory is looked at.
    Patient,
    /// Messages are written in pieces of 1 to 7 bytes, with a pause between them.
    SplitWrites,
    /// Answers are read late, and at most 7 bytes at a time.
    SlowReads,
}

/// Pieces that a message is written in at most; the rest follows as a whole.
pub(crate) const MOST_PIECES: usize = 48;
/// Between two pieces.
const PAUSE: Duration = Duration::from_micros(150);
/// Before every read.
const LATE: Duration = Duration::from_millis(1);
/// Bytes of a slow read.
const SIP: usize = 7;

impl Manners {
    /// How long a program may take to leave after the end message, before it is ended without blame.
    pub(crate) fn leave(self) -> Duration {
        match self {
            Manners::Patient => Duration::from_secs(1),
            _ => Duration::from_millis(50),
        }
    }

    /// How much of a message is written at once, after so many pieces.
    pub(crate) fn piece(self, pieces: usize, rest: usize) -> usize {
        match self {
            Manners::SplitWrites if pieces < MOST_PIECES => rest.min([1, 1, 2, 1, 3, 5, 7][pieces % 7]),
            _ => rest,
        }
    }

    /// Waits between two pieces.
    pub(crate) fn pause(self) {
        if self == Manners::SplitWrites {
            std::thread::sleep(PAUSE);
        }
    }

    /// How much is read at once, of so much at most; waits before.
    pub(crate) fn sip(self, most: usize) -> usize {
        if self != Manners::SlowReads {
            return most;
        }
        std::thread::sleep(LATE);
        most.min(SIP)
    }
}
