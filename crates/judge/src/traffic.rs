//! What goes between the judge and the programs of a match, written down as it goes: a line of JSON for
//! each piece.

use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use leitai_game::Entrant;
use serde_json::json;

/// Where the traffic of a match is written.
#[derive(Clone)]
pub struct TrafficLog(Arc<TrafficFile>);

struct TrafficFile {
    begun: Instant,
    open: Mutex<TrafficWriter>,
}

struct TrafficWriter {
    to: Box<dyn Write + Send>,
    error: Option<std::io::Error>,
}

/// A stream of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrafficStream {
    /// What the judge sends.
    Stdin,
    /// What the program answers.
    Stdout,
    /// What the program says beside it.
    Stderr,
}

impl TrafficLog {
    /// A log that begins now. What is written here is written at once, so that it is there when a match
    /// hangs.
    pub fn new(to: Box<dyn Write + Send>) -> TrafficLog {
        let open = Mutex::new(TrafficWriter { to, error: None });
        let begun = Instant::now();
        TrafficLog(Arc::new(TrafficFile { begun, open }))
    }

    /// The first error of a write, if there was one; nothing was written after it.
    pub fn take_error(&self) -> Option<std::io::Error> {
        self.open().error.take()
    }

    fn open(&self) -> std::sync::MutexGuard<'_, TrafficWriter> {
        self.0.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The log of one program in one leg.
#[derive(Clone)]
pub struct ProgramTraffic {
    log: TrafficLog,
    /// From 1, as people count legs.
    leg: usize,
    entrant: Entrant,
}

impl ProgramTraffic {
    /// The part of an entrant in the leg with this index.
    pub fn new(log: &TrafficLog, leg_index: usize, entrant: Entrant) -> ProgramTraffic {
        ProgramTraffic {
            log: log.clone(),
            leg: leg_index + 1,
            entrant,
        }
    }

    /// Writes one piece: `{"ms": since the start, "leg", "entrant", "stream", "text"}`, with `"hex"` in
    /// place of the text where the bytes are no UTF-8.
    pub fn record(&self, stream: TrafficStream, bytes: &[u8]) {
        let mut open = self.log.open();
        if bytes.is_empty() || open.error.is_some() {
            return;
        }
        let stream = match stream {
            TrafficStream::Stdin => "stdin",
            TrafficStream::Stdout => "stdout",
            TrafficStream::Stderr => "stderr",
        };
        // Whole microseconds, as milliseconds.
        let ms = self.log.0.begun.elapsed().as_micros() as f64 / 1e3;
        let mut row = json!({"ms": ms, "leg": self.leg, "entrant": self.entrant, "stream": stream});
        match std::str::from_utf8(bytes) {
            Ok(text) => row["text"] = json!(text),
            Err(_) => row["hex"] = json!(hex::encode(bytes)),
        }
        open.error = writeln!(open.to, "{row}").err();
    }
}
