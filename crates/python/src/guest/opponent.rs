//! A built-in bot of a guest game, for one leg.

use std::any::Any;
use std::sync::Arc;

use leitai_game::encode::AnyOpponent;
use leitai_game::encode::play::NotedQuestions;
use leitai_game::erased::{AnyBot, AnyGame, AnyLeg, AnySetup};
use leitai_game::{InvalidSetup, Seat, Untimed};
use serde_json::{Value, json};

use super::replies::replay_tokens;

pub struct GuestOpponent {
    game: &'static dyn AnyGame,
    name: &'static str,
    seed: u64,
    bot: Box<dyn AnyBot>,
    noted: NotedQuestions<BotQuestion>,
}

/// A question to a bot: a position, and the seat that was asked.
pub struct BotQuestion {
    pub setup: Arc<dyn AnySetup>,
    /// The replies up to the position, as in replays.
    pub said: String,
    pub seat: Seat,
}

impl GuestOpponent {
    pub fn new(game: &'static dyn AnyGame, name: &'static str, seed: u64) -> Option<GuestOpponent> {
        Some(GuestOpponent {
            game,
            name,
            seed,
            bot: game.make_bot(name, seed)?,
            noted: NotedQuestions::default(),
        })
    }

    /// The bot's action in notation; `note` makes the question for copies.
    pub fn ask(
        &mut self,
        leg: &dyn AnyLeg,
        seat: Seat,
        note: impl FnOnce() -> BotQuestion,
    ) -> String {
        self.noted.add(note);
        self.bot.choose_action(leg, seat, &Untimed)
    }

    fn ask_one_again(
        &mut self,
        setup: Arc<dyn AnySetup>,
        said: &str,
        seat: Seat,
    ) -> Result<(), InvalidSetup> {
        let mut leg = setup.start_leg();
        replay_tokens(&mut *leg, said)?;
        let said = said.to_owned();
        self.ask(&*leg, seat, || BotQuestion { setup, said, seat });
        Ok(())
    }

    /// Asks the questions that another bot was asked.
    pub fn ask_again(&mut self, questions: &Value) -> Result<(), InvalidSetup> {
        let unreadable = || InvalidSetup::new("no questions of a bot");
        for asked in questions.as_array().ok_or_else(unreadable)? {
            let said = asked[1].as_str().ok_or_else(unreadable)?;
            let seat = if asked[2] == 1 {
                Seat::Second
            } else {
                Seat::First
            };
            self.ask_one_again(self.game.read_setup(&asked[0])?, said, seat)?;
        }
        Ok(())
    }
}

impl AnyOpponent for GuestOpponent {
    fn reset_bot(&mut self, seed: u64) {
        self.seed = seed;
        if let Some(bot) = self.game.make_bot(self.name, seed) {
            self.bot = bot;
        }
        self.noted.forget();
    }

    fn note_questions(&mut self) {
        self.noted.start();
    }

    fn save_questions(&self) -> Result<Value, InvalidSetup> {
        let one =
            |asked: &BotQuestion| json!([asked.setup.to_json(), asked.said, asked.seat.index()]);
        Ok(self.noted.all()?.iter().map(one).collect())
    }

    fn copy_bot(&self) -> Result<Box<dyn AnyOpponent>, InvalidSetup> {
        let copy = GuestOpponent::new(self.game, self.name, self.seed);
        let mut copy =
            copy.ok_or_else(|| InvalidSetup::new(format!("there is no bot {:?}", self.name)))?;
        copy.note_questions();
        for asked in self.noted.all()? {
            copy.ask_one_again(asked.setup.clone(), &asked.said, asked.seat)?;
        }
        Ok(Box::new(copy))
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }
}
