//! The messages that spectators of a match receive, each serialised once, and the read position of
//! each spectator. Pure state without sockets or a clock.

use std::collections::VecDeque;

use super::frame_buffer;
use super::message::SpectatorMessage;

/// The most increments that a spectator may lag behind; then it receives the whole leg again.
pub const MOST_BEHIND: usize = 8;
/// The size in bytes at which a chunk of frames is full.
pub const CHUNK: usize = 64 << 10;

/// The messages of a live match.
#[derive(Debug, Default)]
pub struct FrameBacklog {
    /// The leg that is played.
    pub now: LegBacklog,
    /// The leg before, for spectators that have not received its end yet.
    before: LegBacklog,
    /// A random number that distinguishes this backlog from others of the same match.
    salt: u32,
    /// The presence message of the people who play.
    people: Option<SpectatorMessage>,
    presence_version: u64,
}

/// Consecutive frames.
#[derive(Debug, Default)]
pub struct Part {
    /// The frames as JSON, joined by commas.
    pub joined: String,
    /// The number of frames.
    pub frames: usize,
}

/// Consecutive parts of a leg that are sent in one message to a client that requests earlier
/// frames.
#[derive(Debug, Default)]
struct Chunk {
    /// The step of its first frame.
    first: usize,
    frames: Part,
    /// The chunk as a message, cached on first use.
    message: Option<SpectatorMessage>,
}

impl AsRef<str> for Chunk {
    fn as_ref(&self) -> &str {
        &self.frames.joined
    }
}

/// The messages of one leg.
#[derive(Debug, Default)]
pub struct LegBacklog {
    /// The leg, from 0.
    index: usize,
    /// The number of the leg among all starts of legs.
    beginning: u64,
    /// The number of increments so far.
    count: u64,
    /// The last increments, oldest first.
    pub last: VecDeque<SpectatorMessage>,
    /// The header of the leg's frames.
    head: String,
    /// The frames of the leg.
    chunks: Vec<Chunk>,
    /// The last frame with its whole view.
    newest: String,
    /// The whole leg as a message, cached on first use.
    whole_message: Option<SpectatorMessage>,
    /// The newest frame as a message, cached on first use.
    newest_message: Option<SpectatorMessage>,
}

/// The read position of a spectator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BacklogCursor {
    /// Whether the spectator receives the newest frame first and requests the earlier ones.
    pub newest_first: bool,
    /// The leg of the last message, from 0.
    leg: Option<usize>,
    beginning: u64,
    cuts: u64,
    people: u64,
}

impl BacklogCursor {
    /// The position of the same spectator in another backlog of the match.
    pub fn in_another_backlog(self) -> BacklogCursor {
        BacklogCursor {
            newest_first: self.newest_first,
            leg: self.leg,
            ..BacklogCursor::default()
        }
    }
}

impl FrameBacklog {
    /// An empty backlog. The salt distinguishes it from another one of the same match.
    pub fn new(salt: u32) -> FrameBacklog {
        FrameBacklog {
            salt,
            ..FrameBacklog::default()
        }
    }

    /// Begins a leg (index from 0) with its first frame.
    pub fn begin_leg(&mut self, index: usize, head: &str, first: String) {
        let frames = Part {
            joined: first.clone(),
            frames: 1,
        };
        let leg = LegBacklog {
            index,
            beginning: self.now.beginning + 1,
            head: head.to_owned(),
            chunks: vec![Chunk {
                frames,
                ..Chunk::default()
            }],
            newest: first,
            ..LegBacklog::default()
        };
        self.before = std::mem::replace(&mut self.now, leg);
    }

    /// Appends frames to the leg: in parts, as a message, and the last of them with its whole view.
    pub fn append_frames(&mut self, parts: Vec<Part>, message: SpectatorMessage, newest: String) {
        let leg = &mut self.now;
        parts.into_iter().for_each(|part| leg.append_part(part));
        (leg.whole_message, leg.newest_message, leg.newest) = (None, None, newest);
        leg.count += 1;
        leg.last.push_back(message);
        if leg.last.len() > MOST_BEHIND {
            leg.last.pop_front();
        }
    }

    /// Sets the presence message of the people who play.
    pub fn set_presence(&mut self, message: SpectatorMessage) {
        self.people = Some(message);
        self.presence_version += 1;
    }

    /// The next message for a spectator, if there is one.
    pub fn next(&mut self, place: &mut BacklogCursor) -> Option<SpectatorMessage> {
        if place.people != self.presence_version {
            place.people = self.presence_version;
            return self.people.clone();
        }
        let legs = [&self.before, &self.now];
        let next = legs.into_iter().find_map(|leg| leg.next(place));
        if next.is_some() || self.now.reaches_cursor(place) || self.now.beginning == 0 {
            return next;
        }
        // Who was in the leg before, here or in another backlog, gets its end before the next leg.
        let lacks_end = self.before.index < self.now.index
            && place.leg == Some(self.before.index)
            && !self.before.reaches_cursor(place);
        let leg = match lacks_end {
            true => &mut self.before,
            false => &mut self.now,
        };
        Some(leg.show_from_start(place, self.salt))
    }

    /// Earlier frames of the run from about this step on, as many as one message takes; `None` if
    /// another run is being played.
    pub fn earlier_frames(&mut self, run: &str, from: usize) -> Option<SpectatorMessage> {
        let salt = self.salt;
        let mut legs = [&mut self.now, &mut self.before].into_iter();
        let leg = legs.find(|leg| leg.run_name(salt) == run)?;
        leg.earlier_frames(run, from)
    }
}

impl LegBacklog {
    fn append_part(&mut self, part: Part) {
        match self.chunks.last_mut() {
            Some(chunk) if chunk.frames.joined.len() < CHUNK => {
                chunk.frames.joined.push(',');
                chunk.frames.joined.push_str(&part.joined);
                chunk.frames.frames += part.frames;
                chunk.message = None;
            }
            last => {
                let first = last.map_or(0, |chunk| chunk.first + chunk.frames.frames);
                self.chunks.push(Chunk {
                    first,
                    frames: part,
                    message: None,
                });
            }
        }
    }

    /// The next increment for this read position.
    fn next(&self, place: &mut BacklogCursor) -> Option<SpectatorMessage> {
        let behind = usize::try_from(self.count.checked_sub(place.cuts)?).ok()?;
        let at = self
            .last
            .len()
            .checked_sub(behind)
            .filter(|_| place.beginning == self.beginning)?;
        let message = self.last.get(at)?.clone();
        place.cuts += 1;
        Some(message)
    }

    /// Whether this read position is at the end.
    fn reaches_cursor(&self, place: &BacklogCursor) -> bool {
        place.beginning == self.beginning && place.cuts == self.count
    }

    /// The leg so far, or its newest frame, for a spectator who has nothing of it.
    fn show_from_start(&mut self, place: &mut BacklogCursor, salt: u32) -> SpectatorMessage {
        place.leg = Some(self.index);
        (place.beginning, place.cuts) = (self.beginning, self.count);
        let run = self.run_name(salt);
        let message = match place.newest_first {
            true => self.newest_message.get_or_insert_with(|| {
                frame_buffer::newest_frame_message(&self.head, &run, &self.newest).into()
            }),
            false => self.whole_message.get_or_insert_with(|| {
                frame_buffer::join_leg_frames(&self.head, &self.chunks).into()
            }),
        };
        message.clone()
    }

    fn earlier_frames(&mut self, run: &str, from: usize) -> Option<SpectatorMessage> {
        let after = self.chunks.partition_point(|chunk| chunk.first <= from);
        let chunk = self.chunks.get_mut(after.checked_sub(1)?)?;
        let make = || frame_buffer::earlier_frames_message(run, &chunk.frames.joined).into();
        Some(chunk.message.get_or_insert_with(make).clone())
    }

    /// The name of this run of the leg; a leg that is played again gets another name.
    fn run_name(&self, salt: u32) -> String {
        format!("{salt:x}-{}", self.beginning)
    }
}
