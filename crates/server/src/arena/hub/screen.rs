//! What spectators of a match are sent: texts that are made once, and the place of each spectator among them. Pure
//! state: it knows no sockets and no clock.

use std::collections::VecDeque;

use axum::extract::ws::Utf8Bytes;

use super::reel;

/// How many increments a spectator may be behind; then it gets the whole leg anew.
const MOST_BEHIND: usize = 8;

/// What is shown.
#[derive(Debug, Default)]
pub struct Screen {
    now: Cuts,
    /// The end of the leg before, for those who have not seen it yet.
    before: Cuts,
    /// What the whole film begins with.
    head: String,
    /// The frames of the leg, in parts joined by commas.
    parts: Vec<String>,
    /// The whole leg as a message, once somebody wanted it.
    whole: Option<Utf8Bytes>,
    /// Who is here.
    people: Option<Utf8Bytes>,
    people_version: u64,
}

/// The increments of one leg.
#[derive(Debug, Default)]
struct Cuts {
    /// Counts beginnings of legs.
    beginning: u64,
    /// How many increments there were.
    count: u64,
    /// The last of them, oldest first.
    last: VecDeque<Utf8Bytes>,
}

/// How much of it a spectator has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    beginning: u64,
    cuts: u64,
    people: u64,
}

impl Screen {
    /// A leg begins, with its first frame.
    pub fn begin(&mut self, head: &str, first: String) {
        let beginning = self.now.beginning + 1;
        self.before = std::mem::replace(&mut self.now, Cuts { beginning, ..Cuts::default() });
        (self.whole, self.parts) = (None, vec![first]);
        head.clone_into(&mut self.head);
    }

    /// Frames came to the leg: as they are joined, and as a message.
    pub fn add(&mut self, joined: String, message: Utf8Bytes) {
        self.parts.push(joined);
        self.whole = None;
        self.now.count += 1;
        self.now.last.push_back(message);
        if self.now.last.len() > MOST_BEHIND {
            self.now.last.pop_front();
        }
    }

    /// Who is here.
    pub fn people(&mut self, message: Utf8Bytes) {
        self.people = Some(message);
        self.people_version += 1;
    }

    /// The next message for somebody who has this much, if there is one.
    pub fn next(&mut self, place: &mut Place) -> Option<Utf8Bytes> {
        if place.people != self.people_version {
            place.people = self.people_version;
            return self.people.clone();
        }
        let next = [&self.before, &self.now].into_iter().find_map(|cuts| cuts.next(place));
        if next.is_some() || self.now.has(place) || self.now.beginning == 0 {
            return next;
        }
        (place.beginning, place.cuts) = (self.now.beginning, self.now.count);
        let made = self.whole.get_or_insert_with(|| reel::whole(&self.head, &self.parts).into());
        Some(made.clone())
    }
}

impl Cuts {
    /// The increment that this place comes to.
    fn next(&self, place: &mut Place) -> Option<Utf8Bytes> {
        let behind = usize::try_from(self.count.checked_sub(place.cuts)?).ok()?;
        let at = self.last.len().checked_sub(behind).filter(|_| place.beginning == self.beginning)?;
        let message = self.last.get(at)?.clone();
        place.cuts += 1;
        Some(message)
    }

    /// Whether this place has everything.
    fn has(&self, place: &Place) -> bool {
        place.beginning == self.beginning && place.cuts == self.count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = r#"{"head":1"#;

    /// A spectator that keeps what it was sent.
    #[derive(Default)]
    struct Eyes {
        place: Place,
        seen: Vec<String>,
        wholes: usize,
    }

    impl Eyes {
        /// Takes everything there is for it.
        fn look(&mut self, screen: &mut Screen) {
            while let Some(text) = screen.next(&mut self.place) {
                let whole = text.strip_prefix(r#"{"type":"leg","film":{"head":1,"frames":["#);
                match whole.and_then(|rest| rest.strip_suffix("]}}")) {
                    Some(all) => {
                        self.wholes += 1;
                        self.seen = all.split(',').map(str::to_owned).collect();
                    }
                    None if text.starts_with("people") => {}
                    None => self.seen.push(text.as_str().to_owned()),
                }
            }
        }
    }

    fn add(screen: &mut Screen, name: &str) {
        screen.add(name.to_owned(), name.to_owned().into());
    }

    #[test]
    fn early_and_late_spectators_see_the_same_without_gap_or_double() {
        let mut screen = Screen::default();
        let (mut early, mut late, mut lazy) = (Eyes::default(), Eyes::default(), Eyes::default());
        early.look(&mut screen);
        assert_eq!(early.seen, Vec::<String>::new());
        screen.begin(HEAD, "f0".into());
        early.look(&mut screen);
        for n in 1..=20 {
            add(&mut screen, &format!("f{n}"));
            early.look(&mut screen);
            if n >= 7 {
                late.look(&mut screen);
            }
            if n % 5 == 0 {
                lazy.look(&mut screen);
            }
        }
        let all: Vec<String> = (0..=20).map(|n| format!("f{n}")).collect();
        for eyes in [&early, &late, &lazy] {
            assert_eq!(eyes.seen, all);
            assert_eq!(eyes.wholes, 1);
        }
    }

    #[test]
    fn whoever_is_too_slow_gets_the_leg_anew() {
        for (missed, wholes) in [(MOST_BEHIND, 1), (MOST_BEHIND + 1, 2)] {
            let mut screen = Screen::default();
            let mut slow = Eyes::default();
            screen.begin(HEAD, "f0".into());
            slow.look(&mut screen);
            (1..=missed).for_each(|n| add(&mut screen, &format!("f{n}")));
            slow.look(&mut screen);
            assert_eq!(slow.seen.len(), missed + 1);
            assert_eq!(slow.wholes, wholes, "{missed} missed");
            assert!(screen.now.last.len() <= MOST_BEHIND);
        }
    }

    #[test]
    fn a_leg_that_begins_anew_replaces_what_was_seen() {
        let mut screen = Screen::default();
        let mut eyes = Eyes::default();
        screen.begin(HEAD, "f0".into());
        add(&mut screen, "f1");
        eyes.look(&mut screen);
        add(&mut screen, "f2");
        screen.begin(HEAD, "g0".into());
        // The end of the leg before comes first.
        let last = screen.next(&mut eyes.place);
        assert_eq!(last.as_deref(), Some("f2"));
        add(&mut screen, "g1");
        eyes.look(&mut screen);
        assert_eq!(eyes.seen, ["g0", "g1"]);
        add(&mut screen, "g2");
        eyes.look(&mut screen);
        assert_eq!(eyes.seen, ["g0", "g1", "g2"]);
    }

    #[test]
    fn who_is_here_is_told_once_and_again_when_it_changes() {
        let mut screen = Screen::default();
        screen.people("people here".into());
        screen.people("people away".into());
        let mut place = Place::default();
        let mut next = |screen: &mut Screen| screen.next(&mut place);
        assert_eq!(next(&mut screen).as_deref(), Some("people away"));
        assert_eq!(next(&mut screen), None);
        screen.people("people here".into());
        assert_eq!(next(&mut screen).as_deref(), Some("people here"));
    }
}
