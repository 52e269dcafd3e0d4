//! How a match with people stands, and what their keys mean in it. It draws nothing and reads no clock.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use leitai_game::composer::{Composed, Draft};
use leitai_game::picture::{Key, KeyBinding};
use leitai_game::replay::parse_token;
use leitai_game::{AnyComposer, AnyGame, AnyLeg, ByEntrant, BySeat, Reply, Seat, ToMove};
use leitai_judge::{Answer, Match, PlayerKind};
use serde_json::Value;

use super::story::{self, Events};
use super::window::Press;
use crate::lang::{say, t, text};

/// Moves that are remembered for the list.
const REMEMBERED: usize = 12;
/// Of two people who move at once the last word of each counts until both have spoken, or until so long before the
/// end of their time.
const LAST_WORD: Duration = Duration::from_millis(80);
/// Longer times are not counted down: nobody has to hurry.
const COUNTED: Duration = Duration::from_secs(600);

/// A match as people see it.
pub struct Desk {
    /// The game.
    pub game: &'static dyn AnyGame,
    /// Who plays.
    pub names: ByEntrant<String>,
    /// Legs of the match at most.
    pub legs: usize,
    /// Rounds of a leg at most.
    pub rounds: u32,
    /// The last moves, oldest first.
    pub moves: VecDeque<String>,
    /// Rounds that people look ahead.
    pub ahead: u32,
    /// What was wrong with the last key.
    pub flash: Option<String>,
    /// Whether somebody wants to leave.
    pub leave: Leave,
    /// Whether the keys are explained.
    pub help: bool,
    /// Whether others' steps are passed over quickly; until people are asked again.
    pub hurry: bool,
    /// Whether the last step was a person's, or there was none yet.
    pub last_by_people: bool,
    people: ByEntrant<bool>,
    index: usize,
    leg: Option<Box<dyn AnyLeg>>,
    /// Bytes of the leg's replies that `leg` has followed.
    followed: usize,
    asked: BySeat<Option<Asked>>,
    chosen: BySeat<Option<String>>,
    /// What people put together key by key while they are asked.
    composers: BySeat<Option<Box<dyn AnyComposer>>>,
    /// What the last step did.
    events: Vec<Value>,
}

/// Whether somebody wants to leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leave {
    /// Nobody does.
    No,
    /// It has to be confirmed.
    Asked,
    /// The only person leaves, and loses.
    Seat,
    /// The match is interrupted.
    Match,
}

/// An action that a person can choose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Any of these keys.
    pub keys: Vec<Key>,
    /// What it is called.
    pub label: &'static str,
    /// Why it cannot be chosen; empty when it is not this person's turn.
    pub illegal: Option<String>,
    action: &'static str,
}

#[derive(Clone, Copy)]
struct Asked {
    until: Instant,
    budget: Duration,
}

impl Desk {
    /// Before the first leg.
    pub fn new(fixture: &Match) -> Desk {
        Desk {
            game: fixture.game,
            names: fixture.players.each_ref().map(|player| player.name.clone()),
            legs: fixture.legs,
            rounds: fixture.setup.rounds(),
            moves: VecDeque::new(),
            ahead: 0,
            flash: None,
            leave: Leave::No,
            help: false,
            hurry: false,
            last_by_people: true,
            people: fixture.players.each_ref().map(|player| matches!(player.kind, PlayerKind::Human { .. })),
            index: 0,
            leg: None,
            followed: 0,
            asked: BySeat::default(),
            chosen: BySeat::default(),
            composers: BySeat::default(),
            events: Vec::new(),
        }
    }

    /// Follows the leg to where it stands, given the replies as in a replay; tells whether there was anything new.
    pub fn follow(&mut self, index: usize, leg: &dyn AnyLeg, replies: &str) -> bool {
        if self.leg.is_none() || index != self.index || replies.len() < self.followed {
            (self.index, self.leg, self.followed) = (index, Some(leg.clone_leg()), replies.len());
            self.forget_question();
            self.moves.clear();
            self.events.clear();
            self.last_by_people = true;
            return true;
        }
        let new = replies.get(self.followed..).unwrap_or_default();
        self.followed = replies.len();
        new.split_ascii_whitespace().for_each(|token| self.step(token));
        !new.is_empty()
    }

    fn step(&mut self, token: &str) {
        let Some(mut leg) = self.leg.take() else { return };
        let replies = parse_token(token, leg.to_move()).unwrap_or_default();
        let mut events = Events::default();
        leg.step(replies, &mut events);
        let notable = events.0.iter().map(story::name).filter(|name| story::mark(name).is_some());
        let notable = notable.filter(|_| self.game.is_open());
        let notable: String = notable.map(|name| format!(" · {name}")).collect();
        for (seat, reply) in replies.iter() {
            let Some(reply) = reply else { continue };
            self.last_by_people = self.is_person(seat);
            if !self.tells(seat) {
                continue;
            }
            let what = match reply {
                Reply::Action(action) => story::label(self.game, seat, action).to_owned(),
                Reply::Fault(fault) => format!("{} {}", story::FAULT, fault.code()),
            };
            self.moves.push_back(format!("{}: {what}", self.name(seat)));
        }
        // Events do not say whose they are, so that after two moves at once they stand for themselves.
        match self
            .moves
            .back_mut()
            .filter(|_| replies.iter().filter(|(_, reply)| reply.is_some()).count() == 1)
        {
            Some(line) => line.push_str(&notable),
            None if notable.is_empty() => {}
            None => self.moves.push_back(notable),
        }
        let old = self.moves.len().saturating_sub(REMEMBERED);
        self.moves.drain(..old);
        self.events = events.0;
        self.forget_question();
        self.leg = Some(leg);
    }

    fn forget_question(&mut self) {
        (self.asked, self.chosen, self.composers) = Default::default();
    }

    /// Whether people may know what was said on this seat. Two at one screen keep no secrets.
    fn tells(&self, seat: Seat) -> bool {
        self.game.is_open() || self.alone().is_none_or(|own| own == seat)
    }

    /// A person is asked.
    pub fn ask(&mut self, seat: Seat, now: Instant, budget: Duration) {
        self.asked[seat] = Some(Asked { until: now + budget, budget });
        self.chosen[seat] = None;
        self.composers[seat] = self.game.composer(seat);
        self.hurry = false;
    }

    /// A person's answer, if it is to be given now.
    pub fn answer(&mut self, now: Instant) -> Option<(Seat, Answer)> {
        let asked = |seat: &Seat| self.asked[*seat].is_some();
        if self.leave == Leave::Seat {
            let seat = Seat::BOTH.into_iter().find(asked)?;
            self.asked[seat] = None;
            return Some((seat, Answer::Leave));
        }
        let urgent = |asked: Asked| asked.until.saturating_duration_since(now) <= LAST_WORD;
        let pending =
            |seat: Seat| self.asked[seat].is_some_and(|a| !urgent(a)) && self.chosen[seat].is_none();
        let seat = Seat::BOTH.into_iter().filter(asked).find(|seat| self.chosen[*seat].is_some())?;
        if pending(seat.other()) {
            return None;
        }
        self.asked[seat] = None;
        let action = self.chosen[seat].take()?;
        Some((seat, Answer::Action(action)))
    }

    /// Whether a key has made an answer that is to be given before another key counts.
    pub fn has_answer(&self) -> bool {
        let missing = |seat: Seat| self.asked[seat].is_some() && self.chosen[seat].is_none();
        self.leave == Leave::Seat || (self.is_asked() && !Seat::BOTH.into_iter().any(missing))
    }

    /// A key was pressed.
    pub fn press(&mut self, press: Press) {
        if press == Press::Resized {
            return;
        }
        self.flash = None;
        if std::mem::take(&mut self.help) && press != Press::Interrupt {
            return;
        }
        if self.leave == Leave::Asked {
            return self.confirm(press);
        }
        if press.as_key().is_some_and(|key| self.compose(key)) {
            return;
        }
        match press {
            Press::Key(key) if self.is_games(key) => self.choose(key),
            Press::Key(key) => self.own_key(key),
            Press::Backspace => self.ahead = 0,
            Press::Enter => self.hurry = !self.is_asked(),
            Press::Escape => self.leave = Leave::Asked,
            Press::Interrupt => self.leave = Leave::Match,
            _ => {}
        }
    }

    fn confirm(&mut self, press: Press) {
        self.leave = match press {
            Press::Interrupt => Leave::Match,
            Press::Key(Key::Char('y')) if self.alone().is_some() => Leave::Seat,
            Press::Key(Key::Char('y')) => Leave::Match,
            _ => Leave::No,
        };
    }

    /// Whose composer takes keys: the first who is asked and has not answered.
    pub fn composing(&self) -> Option<Seat> {
        let open = |seat: &Seat| self.composers[*seat].is_some() && self.chosen[*seat].is_none();
        Seat::BOTH.into_iter().find(|seat| self.asked[*seat].is_some() && open(seat))
    }

    /// What has been put together so far.
    pub fn draft(&self) -> Option<Draft> {
        let seat = self.composing()?;
        let (leg, composer) = (self.leg.as_deref()?, self.composers[seat].as_ref()?);
        Some(composer.draft(leg, seat, text))
    }

    /// A key for a composer; tells whether it meant something there.
    fn compose(&mut self, key: Key) -> bool {
        let Some(seat) = self.composing() else { return false };
        let (Some(leg), Some(composer)) = (self.leg.as_deref(), &mut self.composers[seat]) else {
            return false;
        };
        match composer.key(leg, seat, key) {
            Composed::Nothing => return false,
            Composed::Changed => {}
            Composed::Refused(why) => self.flash = Some(text(why).to_owned()),
            Composed::Say(action) => match leg.check(seat, &action) {
                Ok(()) => self.chosen[seat] = Some(action),
                Err(why) => self.flash = Some(why.0),
            },
        }
        true
    }

    /// Whether people put actions together key by key in this game.
    pub fn composes(&self) -> bool {
        self.game.composer(Seat::First).is_some()
    }

    /// What the last step did.
    pub fn events(&self) -> &[Value] {
        &self.events
    }

    fn own_key(&mut self, key: Key) {
        let most = self.rounds.saturating_sub(self.leg().map_or(0, AnyLeg::round));
        match key {
            Key::Char('+' | '=') => self.ahead = (self.ahead + 1).min(most),
            Key::Char(']') => self.ahead = (self.ahead + 10).min(most),
            Key::Char('-' | '_') => self.ahead = self.ahead.saturating_sub(1),
            Key::Char('[') => self.ahead = self.ahead.saturating_sub(10),
            Key::Char('?') => self.help = true,
            Key::Char('q') => self.leave = Leave::Asked,
            _ => {}
        }
    }

    fn is_games(&self, key: Key) -> bool {
        let keys = |seat: Seat| self.keyboard(seat).into_iter().any(|choice| choice.keys.contains(&key));
        Seat::BOTH.into_iter().any(|seat| self.is_person(seat) && keys(seat))
    }

    /// A key of the game was pressed: for the first person who is asked and has it.
    fn choose(&mut self, key: Key) {
        let asked = Seat::BOTH.into_iter().filter(|seat| self.asked[*seat].is_some());
        let chosen = asked.filter_map(|seat| {
            let choice = self.choices(seat).into_iter().find(|choice| choice.keys.contains(&key))?;
            Some((seat, choice))
        });
        match chosen.collect::<Vec<_>>().into_iter().next() {
            None => self.flash = Some(t("not now: somebody else moves", "还没轮到你").to_owned()),
            Some((seat, Choice { illegal: None, action, .. })) => self.chosen[seat] = Some(action.to_owned()),
            Some((_, Choice { illegal: Some(why), label, .. })) => {
                self.flash = Some(format!("{label}: {why}"))
            }
        }
    }

    /// What a person on this seat can choose now.
    pub fn choices(&self, seat: Seat) -> Vec<Choice> {
        let mut choices = self.keyboard(seat);
        for choice in &mut choices {
            choice.illegal = match (&self.leg, self.asked[seat]) {
                (Some(leg), Some(_)) => leg.check(seat, choice.action).err().map(|why| say(&why.0)),
                _ => Some(String::new()),
            };
        }
        choices
    }

    /// The keys of a seat. Somebody who plays alone has those of the other seat, too, where they are free.
    fn keyboard(&self, seat: Seat) -> Vec<Choice> {
        let own = self.game.keys(seat);
        let taken = |key: &Key| own.iter().any(|binding| binding.keys.contains(key));
        let others: &[KeyBinding] = if self.alone().is_some() { self.game.keys(seat.other()) } else { &[] };
        let choice = |binding: &'static KeyBinding| {
            let same = others.iter().filter(|other| other.action == binding.action);
            let more = same.flat_map(|other| other.keys).filter(|key| !taken(key));
            let keys = binding.keys.iter().chain(more).copied().collect();
            Choice { keys, label: text(binding.label), illegal: None, action: binding.action }
        };
        own.iter().map(choice).collect()
    }

    /// The time of who is asked, counted down in whole seconds; empty where nobody has to hurry.
    pub fn clock(&self, now: Instant) -> String {
        let asked = self.asked.iter().filter_map(|(_, asked)| *asked);
        let Some(asked) = asked.min_by_key(|asked| asked.until).filter(|asked| asked.budget <= COUNTED)
        else {
            return String::new();
        };
        let left = asked.until.saturating_duration_since(now);
        const WIDE: u128 = 20;
        let full = (left.as_millis() * WIDE).div_ceil(asked.budget.as_millis().max(1)).min(WIDE);
        let bar: String = (0..WIDE).map(|place| if place < full { '█' } else { '░' }).collect();
        format!("{bar} {} s", left.as_millis().div_ceil(1000))
    }

    /// The position.
    pub fn leg(&self) -> Option<&dyn AnyLeg> {
        self.leg.as_deref()
    }

    /// `leg 1 of 2`.
    pub fn leg_name(&self) -> String {
        match t("en", "zh") {
            "zh" => format!("第 {}/{} 局", self.index + 1, self.legs),
            _ => format!("leg {} of {}", self.index + 1, self.legs),
        }
    }

    /// Who sits here in this leg.
    pub fn name(&self, seat: Seat) -> &str {
        &self.names[seat.entrant(self.index)]
    }

    /// The only person's seat in this leg; `None` when there are two.
    pub fn alone(&self) -> Option<Seat> {
        let mut people = Seat::BOTH.into_iter().filter(|seat| self.is_person(*seat));
        people.next().filter(|_| people.next().is_none())
    }

    fn is_person(&self, seat: Seat) -> bool {
        self.people[seat.entrant(self.index)]
    }

    /// Whether an answer is awaited from a person.
    pub fn is_asked(&self) -> bool {
        self.asked.iter().any(|(_, asked)| asked.is_some())
    }

    /// Whether this person has chosen, and waits for the other one.
    pub fn is_ready(&self, seat: Seat) -> bool {
        self.chosen[seat].is_some()
    }

    /// Whether the position asks a person.
    pub fn people_come_next(&self) -> bool {
        let to_move = self.leg().map_or(ToMove::Nobody, AnyLeg::to_move);
        Seat::BOTH.into_iter().any(|seat| to_move.asks(seat) && self.is_person(seat))
    }

    /// Whether the leg is over.
    pub fn over(&self) -> bool {
        self.leg().is_none_or(|leg| leg.to_move() == ToMove::Nobody)
    }

    /// Whether this seat's keys are shown: those of people who are asked; of a person who plays alone always.
    pub fn shows_keys(&self, seat: Seat) -> bool {
        let to_move = self.leg().map_or(ToMove::Nobody, AnyLeg::to_move);
        self.is_person(seat) && (to_move.asks(seat) || self.alone().is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::window::testing::typed;
    use leitai_game::Entrant;
    use leitai_judge::{Limits, Player};

    /// A match of SnakeGo with people on these sides, before the first step.
    fn desk(people: [bool; 2]) -> Desk {
        let game = leitai_games::find("snakego").expect("it is in the list");
        let config = serde_json::json!({"max_round": 40});
        let setup = game.deal(&config, 1).expect("a sound config");
        let player = |person: bool| Player {
            name: if person { "me" } else { "greedy" }.to_owned(),
            kind: match person {
                true => PlayerKind::Human { period: Duration::from_secs(5) },
                false => PlayerKind::BuiltIn("greedy".to_owned()),
            },
        };
        let fixture = Match {
            game,
            config,
            seed: 1,
            legs: 2,
            players: ByEntrant::new(player(people[0]), player(people[1])),
            limits: Limits::new(Duration::from_secs(5), 2048),
            resources: leitai_sandbox::Limits::BOT,
            sandbox: leitai_sandbox::Sandbox::none(),
            recorded: None,
            from: None,
            manners: Default::default(),
            setup,
        };
        let mut desk = Desk::new(&fixture);
        desk.follow(0, &*fixture.setup.start(), "");
        desk
    }

    fn answer(desk: &mut Desk) -> Option<(Seat, Answer)> {
        desk.answer(Instant::now())
    }

    #[test]
    fn keys_mean_what_the_game_says_where_it_is_legal() {
        let check = |key: Key, expected: Result<&str, &str>| {
            let mut desk = desk([true, false]);
            desk.ask(Seat::First, Instant::now(), Duration::from_secs(5));
            desk.press(Press::Key(key));
            match expected {
                Ok(action) => {
                    assert!(desk.has_answer());
                    assert_eq!(
                        answer(&mut desk),
                        Some((Seat::First, Answer::Action(action.into()))),
                        "{key}"
                    );
                }
                Err(why) => {
                    assert_eq!(answer(&mut desk), None, "{key}");
                    assert!(
                        desk.flash.as_deref().unwrap_or_default().contains(why),
                        "{key}: {:?}",
                        desk.flash
                    );
                }
            }
        };
        check(Key::Char('w'), Ok("2"));
        check(Key::Right, Ok("1"));
        check(Key::Char(' '), Err("split with length 1"));
        check(Key::Char('r'), Err("fired a ray it does not hold"));
        check(Key::Char('x'), Err(""));
    }

    #[test]
    fn keys_of_the_game_do_nothing_while_others_move() {
        let mut desk = desk([true, false]);
        desk.press(Press::Key(Key::Up));
        assert_eq!(answer(&mut desk), None);
        assert!(desk.flash.is_some());
        assert!(desk.choices(Seat::First).iter().all(|choice| choice.illegal == Some(String::new())));
        desk.ask(Seat::First, Instant::now(), Duration::from_secs(5));
        assert_eq!(answer(&mut desk), None, "an early key is not kept");
    }

    #[test]
    fn people_look_ahead_between_now_and_the_last_round() {
        let check = |keys: &str, expected: u32| {
            let mut desk = desk([true, false]);
            typed(keys).into_iter().for_each(|press| desk.press(press));
            assert_eq!(desk.ahead, expected, "{keys}");
        };
        check("+", 1);
        check("+++-", 2);
        check("-", 0);
        check("]]", 20);
        check("]]]]]]", 39);
        check("][[", 0);
        check("]?+", 10);
        let mut desk = desk([true, false]);
        typed("]").into_iter().chain([Press::Backspace]).for_each(|press| desk.press(press));
        assert_eq!(desk.ahead, 0);
    }

    #[test]
    fn leaving_takes_two_keys() {
        let check = |people: [bool; 2], presses: Vec<Press>, expected: Leave| {
            let mut desk = desk(people);
            presses.iter().for_each(|press| desk.press(*press));
            assert_eq!(desk.leave, expected, "{presses:?}");
        };
        check([true, false], typed("q"), Leave::Asked);
        check([true, false], typed("qy"), Leave::Seat);
        check([true, false], typed("qn"), Leave::No);
        check([true, false], [vec![Press::Escape], typed("y")].concat(), Leave::Seat);
        check([true, true], typed("qy"), Leave::Match);
        check([true, false], vec![Press::Interrupt], Leave::Match);
        let mut desk = desk([true, false]);
        typed("qy").into_iter().for_each(|press| desk.press(press));
        assert_eq!(answer(&mut desk), None, "nobody is asked yet");
        desk.ask(Seat::First, Instant::now(), Duration::from_secs(5));
        assert_eq!(answer(&mut desk), Some((Seat::First, Answer::Leave)));
    }

    #[test]
    fn of_two_who_move_at_once_the_last_word_counts_until_both_have_spoken() {
        let now = Instant::now();
        let mut desk = desk([true, true]);
        Seat::BOTH.into_iter().for_each(|seat| desk.ask(seat, now, Duration::from_secs(5)));
        desk.chosen[Seat::Second] = Some("1".into());
        assert_eq!(desk.answer(now), None);
        desk.chosen[Seat::Second] = Some("2".into());
        desk.chosen[Seat::First] = Some("3".into());
        assert_eq!(desk.answer(now), Some((Seat::First, Answer::Action("3".into()))));
        assert_eq!(desk.answer(now), Some((Seat::Second, Answer::Action("2".into()))));
        assert_eq!(desk.answer(now), None);
    }

    #[test]
    fn who_has_spoken_is_heard_before_the_time_is_over() {
        let now = Instant::now();
        let mut desk = desk([true, true]);
        Seat::BOTH.into_iter().for_each(|seat| desk.ask(seat, now, Duration::from_secs(5)));
        desk.chosen[Seat::Second] = Some("1".into());
        assert_eq!(desk.answer(now + Duration::from_millis(4900)), None);
        let late = now + Duration::from_millis(4950);
        assert_eq!(desk.answer(late), Some((Seat::Second, Answer::Action("1".into()))));
        assert_eq!(desk.answer(late), None);
    }

    #[test]
    fn the_clock_counts_whole_seconds_down() {
        let now = Instant::now();
        let check = |budget: u64, passed: u64, expected: &str| {
            let mut desk = desk([true, false]);
            desk.ask(Seat::First, now, Duration::from_millis(budget));
            assert_eq!(desk.clock(now + Duration::from_millis(passed)), expected, "{budget} {passed}");
        };
        check(5000, 0, "████████████████████ 5 s");
        check(5000, 2500, "██████████░░░░░░░░░░ 3 s");
        check(5000, 9000, "░░░░░░░░░░░░░░░░░░░░ 0 s");
        check(3_600_000, 0, "");
        assert_eq!(desk([true, false]).clock(now), "", "nobody is asked");
    }

    #[test]
    fn the_desk_follows_the_replies_and_remembers_them() {
        let mut desk = desk([true, false]);
        let leg = desk.leg().expect("it began").clone_leg();
        assert!(!desk.follow(0, &*leg, ""));
        assert!(desk.follow(0, &*leg, "1"));
        assert!(desk.last_by_people && !desk.people_come_next());
        assert!(desk.follow(0, &*leg, "1 3"));
        assert!(!desk.last_by_people && desk.people_come_next());
        assert_eq!(desk.moves, ["me: right", "greedy: left"]);
        assert_eq!(desk.leg().expect("it began").round(), 2);
        assert!(desk.follow(1, &*leg, ""));
        assert_eq!((desk.moves.len(), desk.name(Seat::First)), (0, "greedy"));
        assert_eq!(desk.alone(), Some(Seat::Second));
        assert_eq!(Entrant::A.seat(1), Seat::Second);
    }
}
