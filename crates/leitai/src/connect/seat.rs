//! One match of a program on this machine at a seat of an arena: bytes come from the arena and go to the
//! program, and back. Both directions are counted, so that nothing is lost or said twice when the
//! connection is cut.

use std::io::Read;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use leitai_judge::Transport;
use leitai_judge::program_io::{ProgramIo, ProgramOutput, poll_until};
use leitai_sandbox::{Program, Sandbox};
use rustix::event::{PollFd, PollFlags};
use serde_json::{Value, json};

use super::line::{ArenaLine, LineEvent};
use crate::files::print_stderr;
use crate::lang::Localizer;

/// The most output between two inputs; the rest stays in the program's own pipe.
const MOST_AHEAD: usize = 64 << 10;
/// The bytes of one message, which is longer in base64.
const PIECE: usize = 4 << 10;
/// How long a poll may last before an interruption is noticed.
const LOOK: Duration = Duration::from_millis(100);
/// How long a program may take to end.
const EXIT: Duration = Duration::from_millis(500);
/// The bytes of stderr that are kept.
const LOG: usize = 64 << 10;

/// How a program is started, once for each leg.
pub struct HomeProgram {
    pub name: String,
    pub program: Program,
    pub transport: Transport,
    pub sandbox: Sandbox,
}

/// What the arena measured of the time to here and back, in microseconds.
#[derive(Clone, Copy, Debug)]
pub struct Latency {
    pub least: u64,
    pub most: u64,
}

/// The end of a match.
pub struct SeatEnd {
    /// The arena's summary of the match.
    pub summary: Value,
    pub latency: Option<Latency>,
    /// How often the connection was cut.
    pub cuts: u32,
}

/// A match under way.
pub struct Seat<'a> {
    lang: Localizer,
    home: &'a HomeProgram,
    line: ArenaLine,
    /// The leg, from 1, and how often a leg began: a leg may be played again.
    place: (u64, u64),
    io: Option<ProgramIo>,
    /// The bytes that the program got in this leg.
    given: usize,
    /// Its output in this leg.
    output: Vec<u8>,
    ahead: usize,
    has_exited: bool,
    latency: Option<Latency>,
    cuts: u32,
    has_resigned: bool,
}

impl<'a> Seat<'a> {
    /// A seat before the first message.
    pub fn new(lang: Localizer, home: &'a HomeProgram, line: ArenaLine) -> Seat<'a> {
        Seat {
            lang,
            home,
            line,
            place: (0, 0),
            io: None,
            given: 0,
            output: Vec::new(),
            ahead: 0,
            has_exited: false,
            latency: None,
            cuts: 0,
            has_resigned: false,
        }
    }

    /// Plays until the arena says that the match is over. An interruption resigns.
    pub fn play(mut self, stop: &AtomicBool) -> anyhow::Result<SeatEnd> {
        loop {
            if stop.load(Ordering::Relaxed) && !self.has_resigned {
                self.has_resigned = true;
                self.line.say(&json!({"type": "resign"}));
            }
            while let Ok(event) = self.line.events.try_recv() {
                match event {
                    LineEvent::Message(message) => {
                        if message["type"] == "finished" {
                            self.end_program();
                            return Ok(SeatEnd {
                                summary: message["match"].clone(),
                                latency: self.latency,
                                cuts: self.cuts,
                            });
                        }
                        self.hear(&message)?;
                    }
                    LineEvent::Cut => {
                        self.cuts += 1;
                        print_stderr(self.lang.label("the connection is cut; it is tried again"));
                    }
                    LineEvent::Refused(why) => {
                        self.end_program();
                        bail!(
                            "{}",
                            self.lang.fill(
                                "the arena ended the connection: {}",
                                &[&self.lang.say(&why)]
                            )
                        );
                    }
                }
            }
            self.exchange();
        }
    }

    fn hear(&mut self, message: &Value) -> anyhow::Result<()> {
        let number = |member: &str| message[member].as_u64().unwrap_or_default();
        let place = (number("leg"), number("run"));
        let data = message["data"].as_str().unwrap_or_default();
        let decode = || STANDARD.decode(data).context("the arena sent no base64");
        match message["type"].as_str() {
            Some("stream") if place.1 > 0 && place.0 >= self.place.0 => {
                if place != self.place {
                    self.start_leg(place)?;
                }
                self.give(0, &decode()?);
                let received = usize::try_from(number("received")).unwrap_or(usize::MAX);
                self.say_output(received.min(self.output.len()));
            }
            Some("input") if place == self.place => {
                let at = usize::try_from(number("at")).unwrap_or(usize::MAX);
                self.give(at, &decode()?);
            }
            Some("ping") => self.line.say(&json!({"type": "pong", "n": number("n")})),
            Some("latency") => {
                let latest = number("us");
                let known = self.latency.map_or((latest, latest), |l| (l.least, l.most));
                let (least, most) = (known.0.min(latest), known.1.max(latest));
                self.latency = Some(Latency { least, most });
            }
            _ => {}
        }
        Ok(())
    }

    /// Starts the program for a leg.
    fn start_leg(&mut self, place: (u64, u64)) -> anyhow::Result<()> {
        self.end_program();
        (self.place, self.given, self.ahead) = (place, 0, 0);
        self.has_exited = false;
        self.output.clear();
        let home = self.home;
        let patience = Duration::from_secs(10);
        let program = home.program.clone();
        let started =
            ProgramIo::start_program(&home.sandbox, program, home.transport, patience, LOG)?;
        match started {
            Ok(io) => self.io = Some(io),
            Err(end) => {
                print_stderr(&format!("{} {}", home.name, self.lang.say(&end.what)));
                self.has_exited = true;
            }
        }
        Ok(())
    }

    /// Gives the program what it has not got of these bytes, which begin after so many.
    fn give(&mut self, at: usize, bytes: &[u8]) {
        let known = self.given.checked_sub(at);
        let Some(new) = known.and_then(|known| bytes.get(known..)) else {
            return;
        };
        self.given += new.len();
        self.ahead = 0;
        if let Some(io) = &mut self.io {
            io.send_bytes(new);
        }
    }

    /// Says the output from this byte on.
    fn say_output(&self, from: usize) {
        let leg = self.place.0;
        for (index, piece) in self.output[from..].chunks(PIECE).enumerate() {
            let (at, data) = (from + index * PIECE, STANDARD.encode(piece));
            self.line
                .say(&json!({"type": "output", "leg": leg, "at": at, "data": data}));
        }
        if self.has_exited {
            self.line.say(&json!({"type": "exited", "leg": leg}));
        }
    }

    /// Moves bytes until something happens.
    fn exchange(&mut self) {
        let mut fds = vec![PollFd::new(&self.line.wake, PollFlags::IN)];
        let welcome = !self.has_exited && self.ahead < MOST_AHEAD;
        if let Some(io) = &self.io {
            io.add_poll_fds(welcome, &mut fds);
        }
        poll_until(&mut fds, LOOK);
        drop(fds);
        // Only that something came is of interest.
        _ = (&self.line.wake).read(&mut [0; 64]);
        let mut buffer = Vec::new();
        let Some(io) = &mut self.io else { return };
        io.flush_output();
        io.drain_stderr(0, &mut buffer);
        if !welcome {
            return;
        }
        let from = self.output.len();
        match io.read(&mut buffer) {
            ProgramOutput::Nothing => {}
            ProgramOutput::Bytes(count) => {
                self.output.extend_from_slice(&buffer[..count]);
                self.ahead += count;
                self.say_output(from);
            }
            ProgramOutput::Closed => {
                let what = self.lang.say(&io.describe_end().what);
                print_stderr(&format!("{} {what}", self.home.name));
                self.has_exited = true;
                self.say_output(from);
            }
        }
    }

    /// Ends the program of the leg; what it said last is shown if it ended by itself.
    fn end_program(&mut self) {
        let Some(mut io) = self.io.take() else { return };
        io.finish_program(0, Instant::now() + EXIT);
        if self.has_exited {
            for line in io.log.last_words() {
                print_stderr(&format!("  {line}"));
            }
        }
    }
}
