//! A match with people as they see it: who is there, what they are asked, what they have chosen, how much time they
//! have. It holds no sockets and reads no clock; sockets and the judge's thread share it under one lock, and nobody
//! holds the lock for longer than it takes to make a frame.

use std::time::Duration;

use axum::extract::ws::Utf8Bytes;
use leitai_game::{AnyGame, AnyLeg, ByEntrant, Entrant, Eye, Seat, ToMove};
use leitai_judge::{Answer, Progress};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::mpsc::Sender;

use super::chair::{Chair, Presence, Question};
use super::pace::Pace;
use crate::arena::hub::reel::{Cast, Reel, increment};
use crate::arena::hub::{Follower, News};
use crate::messages;

/// Of two people who move at once, the last word of each counts until both have chosen, or until so long before the
/// end of its time.
const LAST_WORD: Duration = Duration::from_millis(80);
/// Characters of an action that are looked at.
const LONGEST_ACTION: usize = 400;

/// A match with people as they see it.
pub struct Floor {
    cast: Cast,
    pace: Pace,
    chairs: ByEntrant<Option<Chair>>,
    follower: Follower,
    index: usize,
    steps: usize,
    /// When the countdown of this leg ends.
    countdown: Option<Duration>,
    /// What spectators are to be told of who is there.
    people: Option<String>,
    /// What everybody was told last of who is there.
    told: Option<ByEntrant<&'static str>>,
    /// The recorded steps of a leg that are played again before the match goes on: which leg, and how many.
    catch_up: Option<(usize, usize)>,
    end: Option<End>,
}

/// What a person says.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Word {
    /// Chooses an action.
    Say {
        /// The leg, from 1.
        leg: usize,
        /// The step, from 0.
        step: usize,
        /// The action's notation.
        action: String,
    },
    /// Resigns.
    Leave,
}

/// Why a connection gets no more messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The match is over.
    Over,
    /// The same person has sat down on another connection.
    Replaced,
    /// It did not take its messages.
    Slow,
    /// The server stops; the match goes on after its restart.
    Restart,
}

impl Floor {
    /// Before anybody has come. `people` says on which sides persons play.
    pub fn new(cast: Cast, people: ByEntrant<bool>) -> Floor {
        let pace = Pace::of(cast.game, &*cast.setup);
        let chairs = people.map(|person| person.then(Chair::default));
        let follower = Follower::default();
        Floor {
            cast,
            pace,
            chairs,
            follower,
            index: 0,
            steps: 0,
            countdown: None,
            people: None,
            told: None,
            catch_up: None,
            end: None,
        }
    }

    /// The match goes on after so many recorded steps of a leg. People see them at once, when the last is played.
    pub fn catch_up(&mut self, index: usize, steps: usize) {
        self.catch_up = Some((index, steps)).filter(|_| steps > 0);
    }

    /// Whether recorded steps are played again.
    pub fn is_catching_up(&self) -> bool {
        self.catch_up.is_some()
    }

    /// The one who was invited has a name.
    pub fn name(&mut self, entrant: Entrant, name: String) {
        self.cast.entrants[entrant] = name;
    }

    /// What is played, and by whom.
    pub fn cast(&self) -> &Cast {
        &self.cast
    }

    /// On which sides persons play.
    pub fn people(&self) -> ByEntrant<bool> {
        self.chairs.each_ref().map(Option::is_some)
    }

    /// Whether every person has come.
    pub fn is_complete(&self) -> bool {
        self.sitting().all(|(_, chair)| chair.presence() != Presence::Awaited)
    }

    /// Whether no person will ever answer again.
    pub fn is_deserted(&self) -> bool {
        self.sitting().all(|(_, chair)| chair.presence() == Presence::Left)
    }

    /// Since when no person is there: the time when the last one was cut off, zero if nobody has come yet.
    pub fn vacant_since(&self) -> Option<Duration> {
        let since = |presence| match presence {
            Presence::Here => None,
            Presence::Away(since) => Some(since),
            Presence::Awaited | Presence::Left => Some(Duration::ZERO),
        };
        let all: Option<Vec<Duration>> = self.sitting().map(|(_, chair)| since(chair.presence())).collect();
        all?.into_iter().max()
    }

    /// Somebody sits down and gets everything there is for it; given back is the number of the connection.
    pub fn sit(&mut self, entrant: Entrant, sender: Sender<Utf8Bytes>, now: Duration) -> Option<u64> {
        let chair = self.chairs[entrant].as_mut()?;
        let line = chair.sit(sender, now);
        if let Some(whole) = chair.whole() {
            chair.send(whole, now);
        }
        self.tell_people(now);
        self.tell_countdown(entrant, now);
        self.tell_question(entrant, now);
        Some(line)
    }

    /// A connection is gone.
    pub fn gone(&mut self, entrant: Entrant, line: u64, now: Duration) {
        let gone = self.chairs[entrant].as_mut().is_some_and(|chair| chair.gone(line, now));
        if gone {
            self.tell_people(now);
        }
    }

    /// Why a connection gets no more messages.
    pub fn end_of(&self, entrant: Entrant, line: u64) -> End {
        match &self.chairs[entrant] {
            Some(chair) if chair.lines() != line => End::Replaced,
            _ => self.end.unwrap_or(End::Slow),
        }
    }

    /// A person says something. What is not for the question that is open is ignored: it crossed the step on its way.
    pub fn hear(&mut self, entrant: Entrant, word: Word, now: Duration) {
        match word {
            Word::Leave => self.leave(entrant, now),
            Word::Say { leg, step, action } if leg == self.index + 1 => {
                self.choose(entrant, step, action, now)
            }
            Word::Say { .. } => {}
        }
    }

    fn choose(&mut self, entrant: Entrant, step: usize, action: String, now: Duration) {
        let Some(chair) = &mut self.chairs[entrant] else { return };
        let Some(seat) = chair.question.as_ref().filter(|asked| asked.step == step).map(|asked| asked.seat)
        else {
            return;
        };
        let Some(leg) = chair.reel().map(Reel::leg) else { return };
        let checked = match action.chars().nth(LONGEST_ACTION) {
            Some(_) => Err(format!("an action has at most {LONGEST_ACTION} characters")),
            None => leg.check(seat, &action).map_err(|why| why.0),
        };
        match (checked, &mut chair.question) {
            (Ok(()), Some(question)) => question.chosen = Some(action),
            (Ok(()), None) => {}
            (Err(why), _) => {
                let refused = json!({"type": "refused", "leg": self.index + 1, "step": step, "why": messages::in_both(self.cast.game, &why)});
                chair.send(refused.to_string().into(), now);
            }
        }
    }

    fn leave(&mut self, entrant: Entrant, now: Duration) {
        if let Some(chair) = &mut self.chairs[entrant] {
            chair.leave();
            self.tell_people(now);
        }
    }

    /// Time has passed: who was away for too long has left.
    pub fn tick(&mut self, now: Duration) {
        for entrant in Entrant::BOTH {
            let late = self.chairs[entrant].as_ref().and_then(|chair| chair.window(now));
            if late == Some(Duration::ZERO) {
                self.leave(entrant, now);
            }
        }
        // Who did not take its messages is cut off in the middle of something else.
        if self.told.is_some_and(|told| told != self.words()) {
            self.tell_people(now);
        }
    }

    /// Follows the match; gives what is new in it.
    pub fn follow<'a>(&mut self, progress: &Progress<'a>, now: Duration) -> Option<News<'a>> {
        self.tick(now);
        let news = self.follower.news(progress)?;
        if news.begins {
            self.begin(news.index, now);
        }
        if !news.tokens.is_empty() {
            self.go_on(&news, now);
        }
        Some(news)
    }

    fn begin(&mut self, index: usize, now: Duration) {
        (self.index, self.steps, self.countdown) = (index, 0, None);
        for (entrant, chair) in self.chairs.iter_mut() {
            let Some(chair) = chair else { continue };
            let (reel, first) = Reel::new(&self.cast, index, Eye::Seat(entrant.seat(index)));
            chair.film_anew(reel, first);
        }
        if !self.is_catching_up() {
            self.tell_leg(now);
        }
    }

    /// Sends everybody the leg so far.
    fn tell_leg(&mut self, now: Duration) {
        for (_, chair) in self.chairs.iter_mut() {
            if let Some((chair, whole)) =
                chair.as_mut().and_then(|chair| chair.whole().map(|whole| (chair, whole)))
            {
                chair.send(whole, now);
            }
        }
    }

    fn go_on(&mut self, news: &News<'_>, now: Duration) {
        self.steps += news.tokens.split_ascii_whitespace().count();
        let catching_up = self.is_catching_up();
        for (_, chair) in self.chairs.iter_mut() {
            let Some(chair) = chair else { continue };
            if let Some(joined) = chair.film(news.tokens, news.times_us).filter(|_| !catching_up) {
                chair.send(increment(news.index, &joined).into(), now);
            }
            // Whoever was asked has answered, or its time was over.
            if chair.question.as_ref().is_some_and(|question| question.step < self.steps) {
                chair.question = None;
                chair.stop(now);
            }
        }
        if self.catch_up.is_some_and(|(index, steps)| (index, steps) <= (news.index, self.steps)) {
            self.catch_up = None;
            self.tell_leg(now);
        }
    }

    /// The leg begins in so long; `None` if it begins at once.
    pub fn count_down(&mut self, now: Duration) -> Option<Duration> {
        let time = self.pace.before(self.index).filter(|_| !self.has_deserter())?;
        self.countdown = Some(now + time);
        Entrant::BOTH.into_iter().for_each(|entrant| self.tell_countdown(entrant, now));
        Some(time)
    }

    fn has_deserter(&self) -> bool {
        self.sitting().any(|(_, chair)| chair.presence() == Presence::Left)
    }

    fn tell_countdown(&mut self, entrant: Entrant, now: Duration) {
        let left = self.countdown.map(|until| until.saturating_sub(now)).filter(|left| !left.is_zero());
        let (Some(left), Some(chair)) = (left, &mut self.chairs[entrant]) else { return };
        let seat = entrant.seat(self.index);
        let text = json!({"type": "countdown", "leg": self.index + 1, "seat": seat, "ms": millis(left)});
        chair.send(text.to_string().into(), now);
    }

    /// Whether what comes next is up to a person who will answer.
    pub fn waits_for_people(&self, to_move: ToMove) -> bool {
        self.sitting().any(|(entrant, chair)| {
            to_move.asks(entrant.seat(self.index)) && chair.presence() != Presence::Left
        })
    }

    /// A person is asked.
    pub fn ask(&mut self, leg: &dyn AnyLeg, seat: Seat, now: Duration) {
        let entrant = seat.entrant(self.index);
        let (budget, step) = (self.pace.budget(leg), self.steps);
        let text = question(&self.cast, leg, self.index, step, seat, budget);
        let Some(chair) = &mut self.chairs[entrant] else { return };
        let question = Question { seat, step, budget, text, chosen: None };
        chair.start(leg.period(), question, now);
        self.tell_question(entrant, now);
    }

    fn tell_question(&mut self, entrant: Entrant, now: Duration) {
        let Some(chair) = &mut self.chairs[entrant] else { return };
        let left = millis(chair.left(now));
        let text = chair.question.as_ref().map(|question| format!("{},\"left_ms\":{left}}}", question.text));
        if let Some(text) = text {
            chair.send(text.into(), now);
        }
    }

    /// An answer, if there is one by now.
    pub fn answer(&mut self, now: Duration) -> Option<(Seat, Answer)> {
        self.tick(now);
        Entrant::BOTH.into_iter().find_map(|entrant| self.answer_of(entrant, now))
    }

    fn answer_of(&mut self, entrant: Entrant, now: Duration) -> Option<(Seat, Answer)> {
        let other_thinks = self.thinks(entrant.other(), now);
        let chair = self.chairs[entrant].as_mut()?;
        let (left, has_left) = (chair.left(now), chair.presence() == Presence::Left);
        let question = chair.question.as_mut()?;
        let (seat, budget) = (question.seat, question.budget);
        let answer = if has_left {
            Answer::Leave
        } else if question.chosen.is_some() && (!other_thinks || left <= LAST_WORD) {
            Answer::Action(question.chosen.take()?)
        } else if left.is_zero() {
            Answer::TimeUp { allowed: budget }
        } else {
            return None;
        };
        chair.question = None;
        chair.stop(now);
        Some((seat, answer))
    }

    /// Whether this person is asked and may still choose.
    fn thinks(&self, entrant: Entrant, now: Duration) -> bool {
        let Some(chair) = &self.chairs[entrant] else { return false };
        let open = chair.question.as_ref().is_some_and(|question| question.chosen.is_none());
        open && chair.presence() != Presence::Left && !chair.left(now).is_zero()
    }

    /// The last message to everybody; then all connections are closed.
    pub fn over(&mut self, text: &Utf8Bytes, now: Duration) {
        self.end = Some(End::Over);
        for (_, chair) in self.chairs.iter_mut() {
            if let Some(chair) = chair {
                chair.send(text.clone(), now);
                chair.hang_up();
            }
        }
    }

    /// Closes all connections: the server stops.
    pub fn cut_off(&mut self) {
        self.end = Some(End::Restart);
        self.chairs.iter_mut().filter_map(|(_, chair)| chair.as_mut()).for_each(Chair::hang_up);
    }

    /// What spectators are to be told of who is there, once.
    pub fn take_people(&mut self) -> Option<String> {
        self.people.take()
    }

    fn tell_people(&mut self, now: Duration) {
        let words = self.words();
        self.told = Some(words);
        let windows = self.sitting().filter_map(|(_, chair)| chair.window(now));
        let until = windows.min().map(millis);
        let (a, b) = (words[Entrant::A], words[Entrant::B]);
        let text = json!({"type": "people", "a": a, "b": b, "until_ms": until}).to_string();
        for (_, chair) in self.chairs.iter_mut() {
            if let Some(chair) = chair {
                chair.send(text.clone().into(), now);
            }
        }
        self.people = Some(text);
    }

    /// Who is here, in a word each.
    fn words(&self) -> ByEntrant<&'static str> {
        ByEntrant::from_fn(|entrant: Entrant| match self.chairs[entrant].as_ref().map(Chair::presence) {
            Some(Presence::Here) => "here",
            Some(Presence::Away(_)) => "away",
            Some(Presence::Awaited | Presence::Left) | None => "none",
        })
    }

    fn sitting(&self) -> impl Iterator<Item = (Entrant, &Chair)> {
        self.chairs.iter().filter_map(|(entrant, chair)| Some((entrant, chair.as_ref()?)))
    }
}

/// The question as a message, but for the time that is left and the closing brace.
fn question(
    cast: &Cast,
    leg: &dyn AnyLeg,
    index: usize,
    step: usize,
    seat: Seat,
    budget: Duration,
) -> String {
    let choices: Vec<Value> =
        cast.game.keys(seat).iter().map(|key| choice(cast.game, leg, seat, key)).collect();
    let mut text = json!({
        "type": "ask",
        "leg": index + 1,
        "step": step,
        "seat": seat,
        "budget_ms": millis(budget),
        "choices": choices,
        "options": leg.options(seat),
    })
    .to_string();
    text.pop();
    text
}

fn choice(game: &dyn AnyGame, leg: &dyn AnyLeg, seat: Seat, key: &leitai_game::picture::KeyBinding) -> Value {
    let keys: Vec<String> = key.keys.iter().map(ToString::to_string).collect();
    let illegal = leg.check(seat, key.action).err();
    json!({
        "action": key.action,
        "keys": keys,
        "label": {"en": key.label.en, "zh": key.label.zh},
        "legal": illegal.is_none(),
        "why": illegal.map(|why| messages::in_both(game, &why.0)),
    })
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
