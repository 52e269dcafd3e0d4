//! Tests of `live::backlog`.

use leitai_server::live::backlog::*;
use leitai_server::live::message::SpectatorMessage;

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
            let whole = text.strip_prefix(r#"{"type":"leg","frames_of_leg":{"head":1,"frames":["#);
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
    let mut place = BacklogCursor::default();
    place.newest_first = true;
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
        let message = text(backlog.earlier_frames("7-1", known.len())).expect("this leg is shown");
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
fn the_end_of_a_leg_comes_before_the_next_leg_also_to_slow_spectators_and_from_another_backlog() {
    for (is_moved, newest_first) in [(false, false), (false, true), (true, false), (true, true)] {
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
