//! What legs as numbers do alike, whatever their actions are: dealing from a pool, playing against a
//! bot, playing at random, and the questions by which a bot is copied.

use std::any::Any;
use std::sync::Arc;

use serde_json::Value;

use crate::game::ToMove;
use crate::invalid::InvalidSetup;
use crate::lang::say;
use crate::rng::{Rng, mix_seed};
use crate::seat::{BySeat, Seat};

/// The actions of the seats as indices.
pub type Indices<'a> = BySeat<Option<&'a [i64]>>;

/// A built-in bot of any game, for one leg.
pub trait AnyOpponent: Send {
    /// Resets to a new bot for another leg, with another seed.
    fn reset_bot(&mut self, seed: u64);
    /// Starts to record the questions, so that the bot can be copied: its state follows from its
    /// seed and its questions. At most [`MAX_NOTED`] are recorded.
    fn note_questions(&mut self);
    /// The recorded questions as plain data for `AnyEncoded::ask_again`; fails if not all were
    /// recorded.
    fn save_questions(&self) -> Result<Value, InvalidSetup>;
    /// A bot that was asked the same questions; fails if not all were recorded.
    fn copy_bot(&self) -> Result<Box<dyn AnyOpponent>, InvalidSetup>;
    /// For the erasure itself.
    fn as_any_mut(&mut self) -> &mut dyn Any;
}

/// A leg that is played by actions of its own, which indices and bots name.
pub trait PlayActions {
    /// What an asked seat says.
    type Action;
    /// The built-in bots of its game.
    type Opponent: AnyOpponent + 'static;

    /// The seats that are asked now.
    fn asked(&self) -> ToMove;
    /// The action of these indices.
    fn read_indices(&self, seat: Seat, indices: &[i64]) -> Result<Self::Action, InvalidSetup>;
    /// A random legal action.
    fn sample_one(&self, seat: Seat, rng: &mut Rng) -> Option<Self::Action>;
    /// The action of a bot on this seat.
    fn ask_own(&self, seat: Seat, bot: &mut Self::Opponent) -> Self::Action;
    /// Plays a step; every asked seat has an action.
    fn play(&mut self, actions: BySeat<Option<Self::Action>>);
    /// Whether this seat will not be asked again.
    fn is_done(&self, _seat: Seat) -> bool {
        false
    }

    /// The action of a bot that came from the same game.
    fn ask_opponent(&self, seat: Seat, bot: &mut dyn AnyOpponent) -> Self::Action {
        let bot = bot.as_any_mut().downcast_mut::<Self::Opponent>();
        self.ask_own(
            seat,
            bot.expect("lanes and opponents come from the same game"),
        )
    }

    /// The actions of the seats that are asked and have indices.
    fn read_both(
        &self,
        indices: Indices<'_>,
    ) -> Result<BySeat<Option<Self::Action>>, InvalidSetup> {
        let mut actions = BySeat::new(None, None);
        let asked = self.asked();
        for (seat, said) in indices.iter_pairs() {
            if let (Some(said), true) = (said, asked.asks_seat(seat)) {
                actions[seat] = Some(self.read_indices(seat, said)?);
            }
        }
        Ok(actions)
    }

    /// See `AnyEncodedLeg::step_against`.
    fn play_against(
        &mut self,
        seat: Seat,
        indices: Option<&[i64]>,
        bot: &mut dyn AnyOpponent,
        until_out: bool,
    ) -> Result<(), InvalidSetup> {
        let mine = indices.map(|indices| self.read_indices(seat, indices));
        let (mut mine, other) = (mine.transpose()?, seat.other());
        loop {
            let mut actions = BySeat::new(None, None);
            match self.asked() {
                ToMove::Nobody => return Ok(()),
                ToMove::One(_) if until_out && self.is_done(seat) => return Ok(()),
                ToMove::One(asked) if asked == other => {
                    actions[other] = Some(self.ask_opponent(other, bot));
                }
                asked => {
                    let Some(action) = mine.take() else {
                        return Ok(());
                    };
                    actions[seat] = Some(action);
                    if asked.asks_seat(other) {
                        actions[other] = Some(self.ask_opponent(other, bot));
                    }
                }
            }
            self.play(actions);
        }
    }

    /// See `AnyEncodedLeg::play_random`.
    fn play_sampled(&mut self, rng: &mut Rng, most: u32) -> u32 {
        for played in 0..most {
            let asked = self.asked();
            if asked == ToMove::Nobody {
                return played;
            }
            let said = BySeat::from_fn(|seat| match asked.asks_seat(seat) {
                true => self.sample_one(seat, rng),
                false => None,
            });
            self.play(said);
        }
        most
    }
}

/// Setups that were dealt beforehand; without any, every leg gets a new one.
pub struct SetupPool<S: ?Sized>(Vec<Arc<S>>);

impl<S: ?Sized> SetupPool<S> {
    /// Deals this many setups.
    ///
    /// # Errors
    /// If one cannot be dealt.
    pub fn deal_all(
        count: usize,
        seed: u64,
        deal: impl Fn(u64) -> Result<Arc<S>, InvalidSetup>,
    ) -> Result<Self, InvalidSetup> {
        let deal = |n: usize| deal(mix_seed(seed, n as u64));
        (0..count)
            .map(deal)
            .collect::<Result<_, _>>()
            .map(SetupPool)
    }

    /// The setup of this seed.
    ///
    /// # Errors
    /// If it cannot be dealt.
    pub fn deal_one(
        &self,
        seed: u64,
        deal: impl Fn(u64) -> Result<Arc<S>, InvalidSetup>,
    ) -> Result<Arc<S>, InvalidSetup> {
        match self.0.len() {
            0 => deal(seed),
            count => Ok(self.0[(mix_seed(seed, 0) % count as u64) as usize].clone()),
        }
    }
}

/// The most questions that a bot records: more than any leg has.
pub const MAX_NOTED: usize = 1 << 14;

/// The questions that a bot was asked, if they are recorded: its state follows from its seed and them.
pub struct NotedQuestions<Q> {
    noted: Option<Vec<Q>>,
    /// The number of all questions.
    asked: usize,
}

impl<Q> Default for NotedQuestions<Q> {
    fn default() -> Self {
        NotedQuestions {
            noted: None,
            asked: 0,
        }
    }
}

impl<Q> NotedQuestions<Q> {
    /// Records from now on.
    pub fn start(&mut self) {
        self.noted.get_or_insert_default();
    }

    /// Forgets the questions, for a new bot.
    pub fn forget(&mut self) {
        self.noted = self.noted.take().map(|_| Vec::new());
        self.asked = 0;
    }

    /// Counts a question; `note` makes it, where it is recorded.
    pub fn add(&mut self, note: impl FnOnce() -> Q) {
        self.asked += 1;
        if let Some(noted) = self.noted.as_mut().filter(|noted| noted.len() < MAX_NOTED) {
            noted.push(note());
        }
    }

    /// All questions.
    ///
    /// # Errors
    /// If not all were recorded.
    pub fn all(&self) -> Result<&[Q], InvalidSetup> {
        let noted = self.noted.as_deref().unwrap_or_default();
        if noted.len() == self.asked {
            return Ok(noted);
        }
        Err(InvalidSetup(say!(
            "the bot was asked {} times, too often to be copied (at most {MAX_NOTED} times); take a new one for every leg",
            self.asked
        )))
    }
}
