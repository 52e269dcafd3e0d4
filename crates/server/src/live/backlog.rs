//! The messages that spectators of a match receive, each serialised once, and the read position of
//! each spectator. Pure state without sockets or a clock.

use std::collections::VecDeque;

use super::frame_buffer;
use super::message::SpectatorMessage;

/// The most increments that a spectator may lag behind; then it receives the whole leg again.
const MOST_BEHIND: usize = 8;
/// The size in bytes at which a chunk of frames is full.
const CHUNK: usize = 64 << 10;

/// The messages of a live match.
#[derive(Debug, Default)]
pub struct FrameBacklog {
    now: LegBacklog,
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
struct LegBacklog {
    /// The leg, from 0.
    index: usize,
    /// The number of the leg among all starts of legs.
    beginning: u64,
    /// The number of increments so far.
    count: u64,
    /// The last increments, oldest first.
    last: VecDeque<SpectatorMessage>,
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

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = r#"{"head":1"#;

    /// A spectator that keeps the messages it receives.
    #[derive(Default)]
    struct BacklogReader {
        place: BacklogCursor,
        seen: Vec<String>,
        wholes: usize,
    }

    impl BacklogReader {
        /// Receives all messages that are ready.
        fn look(&mut self, backlog: &mut FrameBacklog) {
            while let Some(message) = backlog.next(&mut self.place) {
                let text = message.text().as_str();
                let whole =
                    text.strip_prefix(r#"{"type":"leg","frames_of_leg":{"head":1,"frames":["#);
                match whole.and_then(|rest| rest.strip_suffix("]}}")) {
                    Some(all) => {
                        self.wholes += 1;
                        self.seen = all.split(',').map(str::to_owned).collect();
                    }
                    None if text.starts_with("presence") => {}
                    None => self.seen.push(text.to_owned()),
                }
            }
        }
    }

    fn add(backlog: &mut FrameBacklog, name: &str) {
        let part = Part {
            joined: name.to_owned(),
            frames: 1,
        };
        backlog.append_frames(vec![part], name.to_owned().into(), format!("whole {name}"));
    }

    fn text(message: Option<SpectatorMessage>) -> Option<String> {
        message.map(|message| message.text().as_str().to_owned())
    }

    #[test]
    fn the_newest_frame_can_be_sent_first_and_the_others_on_request() {
        let mut backlog = FrameBacklog::new(7);
        let mut place = BacklogCursor {
            newest_first: true,
            ..BacklogCursor::default()
        };
        backlog.begin_leg(0, HEAD, "f0".into());
        // Long enough for several chunks.
        let long = |n: usize| format!("{n}{}", "x".repeat(CHUNK / 4));
        (1..=30).for_each(|n| add(&mut backlog, &long(n)));
        let newest = long(30);
        let leg = format!(
            r#"{{"type":"leg","run":"7-1","frames_of_leg":{HEAD},"frames":[whole {newest}]}}}}"#
        );
        assert!(text(backlog.next(&mut place)) == Some(leg));
        assert!(backlog.next(&mut place).is_none());
        let mut known = Vec::new();
        while known.len() < 31 {
            let message =
                text(backlog.earlier_frames("7-1", known.len())).expect("this leg is shown");
            let frames = message.strip_prefix(r#"{"type":"earlier","run":"7-1","frames":["#);
            let frames = frames
                .and_then(|rest| rest.strip_suffix("]}"))
                .expect("earlier frames");
            assert!(frames.len() < 2 * CHUNK, "{}", frames.len());
            known.extend(frames.split(',').map(str::to_owned));
        }
        let all = ["f0".to_owned()].into_iter().chain((1..=30).map(long));
        assert!(known.into_iter().eq(all));
        backlog.begin_leg(1, HEAD, "g0".into());
        assert!(
            backlog.earlier_frames("7-1", 0).is_some(),
            "its end may be on the way"
        );
        backlog.begin_leg(2, HEAD, "h0".into());
        assert!(
            backlog.earlier_frames("7-1", 0).is_none(),
            "another leg is played"
        );
        assert!(
            backlog.earlier_frames("7-2", usize::MAX).is_some()
                && backlog.earlier_frames("7-3", usize::MAX).is_some()
                && backlog.earlier_frames("8-2", 0).is_none()
        );
    }

    #[test]
    fn early_and_late_spectators_see_the_same_without_gap_or_double() {
        let mut backlog = FrameBacklog::default();
        let (mut early, mut late, mut lazy) = (
            BacklogReader::default(),
            BacklogReader::default(),
            BacklogReader::default(),
        );
        early.look(&mut backlog);
        assert_eq!(early.seen, Vec::<String>::new());
        backlog.begin_leg(0, HEAD, "f0".into());
        early.look(&mut backlog);
        for n in 1..=20 {
            add(&mut backlog, &format!("f{n}"));
            early.look(&mut backlog);
            if n >= 7 {
                late.look(&mut backlog);
            }
            if n % 5 == 0 {
                lazy.look(&mut backlog);
            }
        }
        let all: Vec<String> = (0..=20).map(|n| format!("f{n}")).collect();
        for reader in [&early, &late, &lazy] {
            assert_eq!(reader.seen, all);
            assert_eq!(reader.wholes, 1);
        }
    }

    #[test]
    fn a_slow_spectator_gets_the_leg_from_its_start() {
        for (missed, wholes) in [(MOST_BEHIND, 1), (MOST_BEHIND + 1, 2)] {
            let mut backlog = FrameBacklog::default();
            let mut slow = BacklogReader::default();
            backlog.begin_leg(0, HEAD, "f0".into());
            slow.look(&mut backlog);
            (1..=missed).for_each(|n| add(&mut backlog, &format!("f{n}")));
            slow.look(&mut backlog);
            assert_eq!(slow.seen.len(), missed + 1);
            assert_eq!(slow.wholes, wholes, "{missed} missed");
            assert!(backlog.now.last.len() <= MOST_BEHIND);
        }
    }

    #[test]
    fn the_end_of_a_leg_comes_before_the_next_leg_also_to_slow_spectators_and_from_another_backlog()
    {
        for (is_moved, newest_first) in [(false, false), (false, true), (true, false), (true, true)]
        {
            let mut backlog = FrameBacklog::new(7);
            backlog.begin_leg(0, HEAD, "f0".into());
            let mut reader = BacklogReader::default();
            reader.place.newest_first = newest_first;
            reader.look(&mut backlog);
            if is_moved {
                backlog = FrameBacklog::new(8);
                backlog.begin_leg(0, HEAD, "f0".into());
                reader.place = reader.place.in_another_backlog();
            }
            (1..=MOST_BEHIND + 1).for_each(|n| add(&mut backlog, &format!("f{n}")));
            backlog.begin_leg(1, HEAD, "g0".into());
            let mut next = || text(backlog.next(&mut reader.place)).unwrap_or_default();
            let ends = [next(), next()].map(|text| {
                let (_, frames) = text.rsplit_once('[').expect("a leg");
                frames.rsplit(',').next().map(str::to_owned)
            });
            let last = if newest_first { "whole f9]}}" } else { "f9]}}" };
            assert_eq!(ends.map(Option::unwrap_or_default), [last, "g0]}}"]);
            assert_eq!(next(), "", "{is_moved} {newest_first}");
            // Who comes now sees the present leg alone.
            let mut late = BacklogReader::default();
            late.look(&mut backlog);
            assert_eq!((late.wholes, late.seen), (1, vec!["g0".to_owned()]));
        }
    }

    #[test]
    fn a_leg_that_begins_anew_replaces_what_was_seen() {
        let mut backlog = FrameBacklog::default();
        let mut reader = BacklogReader::default();
        backlog.begin_leg(0, HEAD, "f0".into());
        add(&mut backlog, "f1");
        reader.look(&mut backlog);
        add(&mut backlog, "f2");
        backlog.begin_leg(0, HEAD, "g0".into());
        // The end of the previous leg comes first.
        let last = backlog.next(&mut reader.place);
        assert_eq!(text(last).as_deref(), Some("f2"));
        add(&mut backlog, "g1");
        reader.look(&mut backlog);
        assert_eq!(reader.seen, ["g0", "g1"]);
        add(&mut backlog, "g2");
        reader.look(&mut backlog);
        assert_eq!(reader.seen, ["g0", "g1", "g2"]);
    }

    #[test]
    fn presence_is_sent_once_and_after_every_change() {
        let mut backlog = FrameBacklog::default();
        backlog.set_presence("people here".to_owned().into());
        backlog.set_presence("people away".to_owned().into());
        let mut place = BacklogCursor::default();
        let mut next = |backlog: &mut FrameBacklog| text(backlog.next(&mut place));
        assert_eq!(next(&mut backlog).as_deref(), Some("people away"));
        assert_eq!(next(&mut backlog), None);
        backlog.set_presence("people here".to_owned().into());
        assert_eq!(next(&mut backlog).as_deref(), Some("people here"));
    }
}
