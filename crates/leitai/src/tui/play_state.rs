//! The state of a human match in the terminal and the meaning of keys. It draws nothing and reads
//! no clock.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use leitai_game::action_builder::{KeyEffect, PartialAction};
use leitai_game::render::{Key, KeyBinding};
use leitai_game::replay::parse_token;
use leitai_game::{AnyActionBuilder, AnyLeg, ByEntrant, BySeat, GameHandle, Reply, Seat, ToMove};
use leitai_judge::{HumanAnswer, MatchSpec, PlayerKind, is_choice_final};
use serde_json::Value;

use super::events::{self, StepEvents};
use super::window::KeyPress;
use crate::lang::Localizer;

/// Moves in the list of last moves.
const REMEMBERED: usize = 12;
/// Longer times are not shown as a countdown.
const COUNTED: Duration = Duration::from_secs(600);

/// The state of a human match.
pub struct PlayState {
    /// The user's language.
    pub lang: Localizer,
    /// The game.
    pub game: GameHandle,
    /// The names of the players.
    pub names: ByEntrant<String>,
    /// Legs of the match at most.
    pub legs: usize,
    /// Rounds of a leg at most.
    pub rounds: u32,
    /// The last moves, oldest first.
    pub moves: VecDeque<String>,
    /// The number of rounds to look ahead.
    pub ahead: u32,
    /// The error of the last key.
    pub refusal: Option<String>,
    /// Whether a person wants to leave.
    pub leave: LeaveState,
    /// Whether the help is shown.
    pub help: bool,
    /// Whether other players' steps are shown quickly, until a person is asked again.
    pub hurry: bool,
    /// Whether the last step was a person's, or there was none yet.
    pub last_by_people: bool,
    people: ByEntrant<bool>,
    index: usize,
    leg: Option<Box<dyn AnyLeg>>,
    /// Bytes of the leg's replies that `leg` has replayed.
    followed: usize,
    asked: BySeat<Option<PendingAsk>>,
    chosen: BySeat<Option<String>>,
    /// The action builders of the people who are asked.
    composers: BySeat<Option<Box<dyn AnyActionBuilder>>>,
    /// The events of the last step.
    events: Vec<Value>,
}

/// Whether a person wants to leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeaveState {
    /// Nobody does.
    No,
    /// It must be confirmed.
    Asked,
    /// The only person leaves, and loses.
    Seat,
    /// The match is interrupted.
    Match,
}

/// An action that a person can choose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyedAction {
    /// Any of these keys.
    pub keys: Vec<Key>,
    /// The label.
    pub label: &'static str,
    /// The reason why it is illegal; empty if it is not this person's turn.
    pub illegal: Option<String>,
    action: &'static str,
}

#[derive(Clone, Copy)]
struct PendingAsk {
    until: Instant,
    budget: Duration,
}

impl PlayState {
    /// The state before the first leg.
    pub fn new(lang: Localizer, fixture: &MatchSpec) -> PlayState {
        PlayState {
            lang,
            game: fixture.game.clone(),
            names: fixture
                .players
                .each_ref()
                .map_values(|player| player.name.clone()),
            legs: fixture.legs,
            rounds: fixture.setup.max_rounds(),
            moves: VecDeque::new(),
            ahead: 0,
            refusal: None,
            leave: LeaveState::No,
            help: false,
            hurry: false,
            last_by_people: true,
            people: fixture
                .players
                .each_ref()
                .map_values(|player| matches!(player.kind, PlayerKind::Human { .. })),
            index: 0,
            leg: None,
            followed: 0,
            asked: BySeat::default(),
            chosen: BySeat::default(),
            composers: BySeat::default(),
            events: Vec::new(),
        }
    }

    /// Replays the leg to its present state from the reply tokens; returns whether there was
    /// anything new.
    pub fn follow_leg(&mut self, index: usize, leg: &dyn AnyLeg, replies: &str) -> bool {
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
        new.split_ascii_whitespace()
            .for_each(|token| self.play_token(token));
        !new.is_empty()
    }

    fn play_token(&mut self, token: &str) {
        let Some(mut leg) = self.leg.take() else {
            return;
        };
        let replies = parse_token(token, leg.to_move()).unwrap_or_default();
        let mut events = StepEvents::default();
        leg.step(replies, &mut events);
        let notable = events
            .0
            .iter()
            .map(events::event_name)
            .filter(|name| events::event_mark(name).is_some());
        let notable = notable.filter(|_| self.game.is_open());
        let notable: String = notable.map(|name| format!(" · {name}")).collect();
        for (seat, reply) in replies.iter_pairs() {
            let Some(reply) = reply else { continue };
            self.last_by_people = self.is_person(seat);
            if !self.may_show_seat(seat) {
                continue;
            }
            let what = match reply {
                Reply::Action(action) => {
                    events::action_label(self.lang, &*self.game, seat, action).to_owned()
                }
                Reply::Fault(fault) => format!("{} {}", events::FAULT, fault.code()),
            };
            self.moves
                .push_back(format!("{}: {what}", self.seat_name(seat)));
        }
        // Events do not name a seat, so after simultaneous moves they are listed on their own.
        match self.moves.back_mut().filter(|_| {
            replies
                .iter_pairs()
                .filter(|(_, reply)| reply.is_some())
                .count()
                == 1
        }) {
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

    /// Whether people may see the replies of this seat. Two people at one screen have no secrets.
    fn may_show_seat(&self, seat: Seat) -> bool {
        self.game.is_open() || self.single_person().is_none_or(|own| own == seat)
    }

    /// Asks a person.
    pub fn ask_seat(&mut self, seat: Seat, now: Instant, budget: Duration) {
        self.asked[seat] = Some(PendingAsk {
            until: now + budget,
            budget,
        });
        self.chosen[seat] = None;
        self.composers[seat] = self.game.action_builder(seat);
        self.hurry = false;
    }

    /// Takes a person's answer, if it is due.
    pub fn take_answer(&mut self, now: Instant) -> Option<(Seat, HumanAnswer)> {
        let asked = |seat: &Seat| self.asked[*seat].is_some();
        if self.leave == LeaveState::Seat {
            let seat = Seat::BOTH.into_iter().find(asked)?;
            self.asked[seat] = None;
            return Some((seat, HumanAnswer::Leave));
        }
        let seat = Seat::BOTH
            .into_iter()
            .filter(asked)
            .find(|seat| self.chosen[*seat].is_some())?;
        let time_left = |seat: Seat| {
            let until = self.asked[seat].map(|asked| asked.until);
            until.map_or(Duration::ZERO, |until| until.saturating_duration_since(now))
        };
        let other = seat.other();
        let other_thinks = self.chosen[other].is_none() && !time_left(other).is_zero();
        if !is_choice_final(time_left(seat), other_thinks) {
            return None;
        }
        self.asked[seat] = None;
        let action = self.chosen[seat].take()?;
        Some((seat, HumanAnswer::Action(action)))
    }

    /// Whether an answer is complete and must be taken before the next key counts.
    pub fn has_answer(&self) -> bool {
        let missing = |seat: Seat| self.asked[seat].is_some() && self.chosen[seat].is_none();
        self.leave == LeaveState::Seat || (self.is_asked() && !Seat::BOTH.into_iter().any(missing))
    }

    /// Handles a key.
    pub fn handle_press(&mut self, press: KeyPress) {
        if press == KeyPress::Resized {
            return;
        }
        self.refusal = None;
        if std::mem::take(&mut self.help) && press != KeyPress::Interrupt {
            return;
        }
        if self.leave == LeaveState::Asked {
            return self.confirm_leave(press);
        }
        if press.as_key().is_some_and(|key| self.handle_build_key(key)) {
            return;
        }
        match press {
            KeyPress::Key(key) if self.is_games(key) => self.choose_by_key(key),
            KeyPress::Key(key) => self.own_key(key),
            KeyPress::Backspace => self.ahead = 0,
            KeyPress::Enter => self.hurry = !self.is_asked(),
            KeyPress::Escape => self.leave = LeaveState::Asked,
            KeyPress::Interrupt => self.leave = LeaveState::Match,
            _ => {}
        }
    }

    fn confirm_leave(&mut self, press: KeyPress) {
        self.leave = match press {
            KeyPress::Interrupt => LeaveState::Match,
            KeyPress::Key(Key::Char('y')) if self.single_person().is_some() => LeaveState::Seat,
            KeyPress::Key(Key::Char('y')) => LeaveState::Match,
            _ => LeaveState::No,
        };
    }

    /// The seat whose action builder receives keys: the first who is asked and has not answered.
    pub fn composing_seat(&self) -> Option<Seat> {
        let open = |seat: &Seat| self.composers[*seat].is_some() && self.chosen[*seat].is_none();
        Seat::BOTH
            .into_iter()
            .find(|seat| self.asked[*seat].is_some() && open(seat))
    }

    /// The unfinished action.
    pub fn show_draft(&self) -> Option<PartialAction> {
        let seat = self.composing_seat()?;
        let (leg, composer) = (self.leg.as_deref()?, self.composers[seat].as_ref()?);
        Some(composer.show_draft(leg, seat, self.lang.lang()))
    }

    /// Passes a key to an action builder; returns whether it had an effect there.
    fn handle_build_key(&mut self, key: Key) -> bool {
        let Some(seat) = self.composing_seat() else {
            return false;
        };
        let (Some(leg), Some(composer)) = (self.leg.as_deref(), &mut self.composers[seat]) else {
            return false;
        };
        match composer.handle_key(leg, seat, key) {
            KeyEffect::Nothing => return false,
            KeyEffect::Changed => {}
            KeyEffect::Refused(why) => self.refusal = Some(self.lang.pick(why).to_owned()),
            KeyEffect::Say(action) => match leg.check_action(seat, &action) {
                Ok(()) => self.chosen[seat] = Some(action),
                Err(why) => self.refusal = Some(self.lang.say(&why)),
            },
        }
        true
    }

    /// Whether the game builds actions from several keys.
    pub fn uses_builder(&self) -> bool {
        self.game.action_builder(Seat::First).is_some()
    }

    /// The events of the last step.
    pub fn last_events(&self) -> &[Value] {
        &self.events
    }

    fn own_key(&mut self, key: Key) {
        let most = self
            .rounds
            .saturating_sub(self.current_leg().map_or(0, AnyLeg::round));
        match key {
            Key::Char('+' | '=') => self.ahead = (self.ahead + 1).min(most),
            Key::Char(']') => self.ahead = (self.ahead + 10).min(most),
            Key::Char('-' | '_') => self.ahead = self.ahead.saturating_sub(1),
            Key::Char('[') => self.ahead = self.ahead.saturating_sub(10),
            Key::Char('?') => self.help = true,
            Key::Char('q') => self.leave = LeaveState::Asked,
            _ => {}
        }
    }

    fn is_games(&self, key: Key) -> bool {
        let keys = |seat: Seat| {
            self.list_key_choices(seat)
                .into_iter()
                .any(|choice| choice.keys.contains(&key))
        };
        Seat::BOTH
            .into_iter()
            .any(|seat| self.is_person(seat) && keys(seat))
    }

    /// Chooses the action of a game key, for the first person who is asked and has it.
    fn choose_by_key(&mut self, key: Key) {
        let asked = Seat::BOTH
            .into_iter()
            .filter(|seat| self.asked[*seat].is_some());
        let chosen = asked.filter_map(|seat| {
            let choice = self
                .list_choices(seat)
                .into_iter()
                .find(|choice| choice.keys.contains(&key))?;
            Some((seat, choice))
        });
        match chosen.collect::<Vec<_>>().into_iter().next() {
            None => self.refusal = Some(self.lang.label("not your turn").to_owned()),
            Some((
                seat,
                KeyedAction {
                    illegal: None,
                    action,
                    ..
                },
            )) => self.chosen[seat] = Some(action.to_owned()),
            Some((
                _,
                KeyedAction {
                    illegal: Some(why),
                    label,
                    ..
                },
            )) => self.refusal = Some(format!("{label}: {why}")),
        }
    }

    /// The actions that a person on this seat can choose.
    pub fn list_choices(&self, seat: Seat) -> Vec<KeyedAction> {
        let mut choices = self.list_key_choices(seat);
        for choice in &mut choices {
            choice.illegal = match (&self.leg, self.asked[seat]) {
                (Some(leg), Some(_)) => leg
                    .check_action(seat, choice.action)
                    .err()
                    .map(|why| self.lang.say(&why)),
                _ => Some(String::new()),
            };
        }
        choices
    }

    /// The key choices of a seat. A single person may also use the free keys of the other seat.
    fn list_key_choices(&self, seat: Seat) -> Vec<KeyedAction> {
        let own = self.game.key_bindings(seat);
        let taken = |key: &Key| own.iter().any(|binding| binding.keys.contains(key));
        let others: &[KeyBinding] = if self.single_person().is_some() {
            self.game.key_bindings(seat.other())
        } else {
            &[]
        };
        let choice = |binding: &'static KeyBinding| {
            let same = others.iter().filter(|other| other.action == binding.action);
            let more = same.flat_map(|other| other.keys).filter(|key| !taken(key));
            let keys = binding.keys.iter().chain(more).copied().collect();
            KeyedAction {
                keys,
                label: self.lang.pick(binding.label),
                illegal: None,
                action: binding.action,
            }
        };
        own.iter().map(choice).collect()
    }

    /// The remaining time of the person who is asked, in whole seconds; empty without a countdown.
    pub fn format_clock(&self, now: Instant) -> String {
        let asked = self.asked.iter_pairs().filter_map(|(_, asked)| *asked);
        let Some(asked) = asked
            .min_by_key(|asked| asked.until)
            .filter(|asked| asked.budget <= COUNTED)
        else {
            return String::new();
        };
        let left = asked.until.saturating_duration_since(now);
        const WIDE: u128 = 20;
        let full = (left.as_millis() * WIDE)
            .div_ceil(asked.budget.as_millis().max(1))
            .min(WIDE);
        let bar: String = (0..WIDE)
            .map(|place| if place < full { '█' } else { '░' })
            .collect();
        format!("{bar} {} s", left.as_millis().div_ceil(1000))
    }

    /// The position.
    pub fn current_leg(&self) -> Option<&dyn AnyLeg> {
        self.leg.as_deref()
    }

    /// `leg 1 of 2`.
    pub fn leg_name(&self) -> String {
        self.lang
            .fill("leg {} of {}", &[&(self.index + 1), &self.legs])
    }

    /// The name of the player on this seat in this leg.
    pub fn seat_name(&self, seat: Seat) -> &str {
        &self.names[seat.entrant_in_leg(self.index)]
    }

    /// The seat of the only person in this leg; `None` if there are two.
    pub fn single_person(&self) -> Option<Seat> {
        let mut people = Seat::BOTH.into_iter().filter(|seat| self.is_person(*seat));
        people.next().filter(|_| people.next().is_none())
    }

    fn is_person(&self, seat: Seat) -> bool {
        self.people[seat.entrant_in_leg(self.index)]
    }

    /// Whether a question to a person is open.
    pub fn is_asked(&self) -> bool {
        self.asked.iter_pairs().any(|(_, asked)| asked.is_some())
    }

    /// Whether this person has chosen and waits for the other.
    pub fn is_ready(&self, seat: Seat) -> bool {
        self.chosen[seat].is_some()
    }

    /// Whether the position asks a person.
    pub fn asks_people(&self) -> bool {
        let to_move = self.current_leg().map_or(ToMove::Nobody, AnyLeg::to_move);
        Seat::BOTH
            .into_iter()
            .any(|seat| to_move.asks_seat(seat) && self.is_person(seat))
    }

    /// Whether the leg is over.
    pub fn is_over(&self) -> bool {
        self.current_leg()
            .is_none_or(|leg| leg.to_move() == ToMove::Nobody)
    }

    /// Whether this seat's keys are shown: if a person on it is asked; for a single person always.
    pub fn shows_keys(&self, seat: Seat) -> bool {
        let to_move = self.current_leg().map_or(ToMove::Nobody, AnyLeg::to_move);
        self.is_person(seat) && (to_move.asks_seat(seat) || self.single_person().is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::window::testing::typed;
    use leitai_game::Entrant;
    use leitai_judge::{Player, RefereeLimits};

    /// A match of SnakeGo with people on these sides, before the first step.
    fn state(people: [bool; 2]) -> PlayState {
        let game = leitai_games::find_game("snakego").expect("it is in the list");
        let config = serde_json::json!({"max_round": 40});
        let player = |person: bool| Player {
            name: if person { "me" } else { "greedy" }.to_owned(),
            kind: match person {
                true => PlayerKind::Human {
                    period: Duration::from_secs(5),
                    protocol: None,
                },
                false => PlayerKind::BuiltIn("greedy".to_owned()),
            },
        };
        let players = ByEntrant::new(player(people[0]), player(people[1]));
        let fixture = MatchSpec {
            legs: 2,
            limits: RefereeLimits::new(Duration::from_secs(5), 2048),
            ..MatchSpec::new(game, config, 1, players).expect("a sound config")
        };
        let mut state = PlayState::new(crate::lang::english(), &fixture);
        state.follow_leg(0, &*fixture.setup.start_leg(), "");
        state
    }

    fn answer(state: &mut PlayState) -> Option<(Seat, HumanAnswer)> {
        state.take_answer(Instant::now())
    }

    #[test]
    fn keys_choose_the_games_legal_actions() {
        let check = |key: Key, expected: Result<&str, &str>| {
            let mut state = state([true, false]);
            state.ask_seat(Seat::First, Instant::now(), Duration::from_secs(5));
            state.handle_press(KeyPress::Key(key));
            match expected {
                Ok(action) => {
                    assert!(state.has_answer());
                    assert_eq!(
                        answer(&mut state),
                        Some((Seat::First, HumanAnswer::Action(action.into()))),
                        "{key}"
                    );
                }
                Err(why) => {
                    assert_eq!(answer(&mut state), None, "{key}");
                    assert!(
                        state.refusal.as_deref().unwrap_or_default().contains(why),
                        "{key}: {:?}",
                        state.refusal
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
        let mut state = state([true, false]);
        state.handle_press(KeyPress::Key(Key::Up));
        assert_eq!(answer(&mut state), None);
        assert!(state.refusal.is_some());
        assert!(
            state
                .list_choices(Seat::First)
                .iter()
                .all(|choice| choice.illegal == Some(String::new()))
        );
        state.ask_seat(Seat::First, Instant::now(), Duration::from_secs(5));
        assert_eq!(answer(&mut state), None, "an early key is not kept");
    }

    #[test]
    fn people_look_ahead_between_now_and_the_last_round() {
        let check = |keys: &str, expected: u32| {
            let mut state = state([true, false]);
            typed(keys)
                .into_iter()
                .for_each(|press| state.handle_press(press));
            assert_eq!(state.ahead, expected, "{keys}");
        };
        check("+", 1);
        check("+++-", 2);
        check("-", 0);
        check("]]", 20);
        check("]]]]]]", 39);
        check("][[", 0);
        check("]?+", 10);
        let mut state = state([true, false]);
        typed("]")
            .into_iter()
            .chain([KeyPress::Backspace])
            .for_each(|press| state.handle_press(press));
        assert_eq!(state.ahead, 0);
    }

    #[test]
    fn leaving_takes_two_keys() {
        let check = |people: [bool; 2], presses: Vec<KeyPress>, expected: LeaveState| {
            let mut state = state(people);
            presses.iter().for_each(|press| state.handle_press(*press));
            assert_eq!(state.leave, expected, "{presses:?}");
        };
        check([true, false], typed("q"), LeaveState::Asked);
        check([true, false], typed("qy"), LeaveState::Seat);
        check([true, false], typed("qn"), LeaveState::No);
        check(
            [true, false],
            [vec![KeyPress::Escape], typed("y")].concat(),
            LeaveState::Seat,
        );
        check([true, true], typed("qy"), LeaveState::Match);
        check([true, false], vec![KeyPress::Interrupt], LeaveState::Match);
        let mut state = state([true, false]);
        typed("qy")
            .into_iter()
            .for_each(|press| state.handle_press(press));
        assert_eq!(answer(&mut state), None, "nobody is asked yet");
        state.ask_seat(Seat::First, Instant::now(), Duration::from_secs(5));
        assert_eq!(answer(&mut state), Some((Seat::First, HumanAnswer::Leave)));
    }

    #[test]
    fn with_simultaneous_moves_a_choice_can_change_until_both_have_chosen() {
        let now = Instant::now();
        let mut state = state([true, true]);
        Seat::BOTH
            .into_iter()
            .for_each(|seat| state.ask_seat(seat, now, Duration::from_secs(5)));
        state.chosen[Seat::Second] = Some("1".into());
        assert_eq!(state.take_answer(now), None);
        state.chosen[Seat::Second] = Some("2".into());
        state.chosen[Seat::First] = Some("3".into());
        assert_eq!(
            state.take_answer(now),
            Some((Seat::First, HumanAnswer::Action("3".into())))
        );
        assert_eq!(
            state.take_answer(now),
            Some((Seat::Second, HumanAnswer::Action("2".into())))
        );
        assert_eq!(state.take_answer(now), None);
    }

    #[test]
    fn a_choice_becomes_final_before_the_time_limit() {
        let now = Instant::now();
        let mut state = state([true, true]);
        Seat::BOTH
            .into_iter()
            .for_each(|seat| state.ask_seat(seat, now, Duration::from_secs(5)));
        state.chosen[Seat::Second] = Some("1".into());
        assert_eq!(state.take_answer(now + Duration::from_millis(4900)), None);
        let late = now + Duration::from_millis(4950);
        assert_eq!(
            state.take_answer(late),
            Some((Seat::Second, HumanAnswer::Action("1".into())))
        );
        assert_eq!(state.take_answer(late), None);
    }

    #[test]
    fn the_clock_counts_whole_seconds_down() {
        let now = Instant::now();
        let check = |budget: u64, passed: u64, expected: &str| {
            let mut state = state([true, false]);
            state.ask_seat(Seat::First, now, Duration::from_millis(budget));
            assert_eq!(
                state.format_clock(now + Duration::from_millis(passed)),
                expected,
                "{budget} {passed}"
            );
        };
        check(5000, 0, "████████████████████ 5 s");
        check(5000, 2500, "██████████░░░░░░░░░░ 3 s");
        check(5000, 9000, "░░░░░░░░░░░░░░░░░░░░ 0 s");
        check(3_600_000, 0, "");
        assert_eq!(
            state([true, false]).format_clock(now),
            "",
            "nobody is asked"
        );
    }

    #[test]
    fn the_play_state_follows_and_records_the_replies() {
        let mut state = state([true, false]);
        let leg = state.current_leg().expect("it began").clone_leg();
        assert!(!state.follow_leg(0, &*leg, ""));
        assert!(state.follow_leg(0, &*leg, "1"));
        assert!(state.last_by_people && !state.asks_people());
        assert!(state.follow_leg(0, &*leg, "1 3"));
        assert!(!state.last_by_people && state.asks_people());
        assert_eq!(state.moves, ["me: right", "greedy: left"]);
        assert_eq!(state.current_leg().expect("it began").round(), 2);
        assert!(state.follow_leg(1, &*leg, ""));
        assert_eq!(
            (state.moves.len(), state.seat_name(Seat::First)),
            (0, "greedy")
        );
        assert_eq!(state.single_person(), Some(Seat::Second));
        assert_eq!(Entrant::A.seat_in_leg(1), Seat::Second);
    }
}
