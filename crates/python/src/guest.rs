//! Guest games as numbers: what [`AnyEncoded`] is for a game of the house, made of the view, the legal actions and the
//! replies of any game. The rules of a guest may fail; whoever asks looks at [`AnyEncodedLeg::fault`] afterwards.
//!
//! | module | noun |
//! |---|---|
//! | [`numbers`] | planes, scalars and choices, found in random legs |
//! | [`view`] | what a view holds that can be a number |
//! | [`deals`] | what the legs of a config share |
//! | [`leg`] | a leg |
//! | [`replies`] | replies that are played again |
//! | [`opponent`] | a built-in bot |

pub mod deals;
pub mod leg;
pub mod numbers;
pub mod opponent;
pub mod replies;
pub mod view;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use leitai_game::encode::play::SetupPool;
use leitai_game::encode::{AnyEncoded, AnyEncodedLeg, AnyOpponent, AnySetupSource};
use leitai_game::erased::AnyGame;
use leitai_game::{InvalidSetup, Meta};
use serde_json::Value;

use deals::GuestDeals;
use leg::GuestLeg;
use numbers::ViewNumbers;
use opponent::GuestOpponent;

/// A loaded game as numbers.
pub struct GuestEncoded {
    game: &'static dyn AnyGame,
    /// By config with every default written out.
    numbers: Mutex<BTreeMap<String, Arc<ViewNumbers>>>,
}

impl GuestEncoded {
    pub fn new(game: &'static dyn AnyGame) -> GuestEncoded {
        GuestEncoded {
            game,
            numbers: Mutex::default(),
        }
    }

    fn numbers_of(&self, config: &Value) -> Result<Arc<ViewNumbers>, InvalidSetup> {
        // Who comes second waits, and does not play the same random legs.
        let mut known = self.numbers.lock().unwrap_or_else(PoisonError::into_inner);
        let key = config.to_string();
        if let Some(numbers) = known.get(&key) {
            return Ok(numbers.clone());
        }
        let measured = Arc::new(ViewNumbers::measure(self.game, config)?);
        known.insert(key, measured.clone());
        Ok(measured)
    }
}

impl AnyEncoded for GuestEncoded {
    fn meta(&self) -> Meta {
        self.game.meta()
    }

    fn setup_source(
        &self,
        config: &Value,
        pool: usize,
        seed: u64,
    ) -> Result<Box<dyn AnySetupSource>, InvalidSetup> {
        let config = self.game.read_config(config)?;
        let numbers = self.numbers_of(&config)?;
        let pool = SetupPool::deal_all(pool, seed, |seed| self.game.deal_setup(&config, seed))?;
        Ok(Box::new(GuestSource(Arc::new(GuestDeals {
            game: self.game,
            config,
            numbers,
            pool,
        }))))
    }

    fn make_opponent(&self, name: &str, seed: u64) -> Option<Box<dyn AnyOpponent>> {
        let name = self.game.find_bot(name)?;
        Some(Box::new(GuestOpponent::new(self.game, name, seed)?))
    }

    fn ask_again(&self, bot: &mut dyn AnyOpponent, questions: &Value) -> Result<(), InvalidSetup> {
        let bot = bot.as_any_mut().downcast_mut::<GuestOpponent>();
        let bot = bot.ok_or_else(|| InvalidSetup::new("the bot is one of another game"))?;
        bot.ask_again(questions)
    }
}

struct GuestSource(Arc<GuestDeals>);

impl AnySetupSource for GuestSource {
    fn deal_leg(&self, seed: u64) -> Result<Box<dyn AnyEncodedLeg>, InvalidSetup> {
        let setup = self.0.deal(seed)?;
        Ok(Box::new(GuestLeg::start(self.0.clone(), setup)))
    }

    fn start_leg(&self, setup: &Value) -> Result<Box<dyn AnyEncodedLeg>, InvalidSetup> {
        let setup = self.0.game.read_setup(setup)?;
        Ok(Box::new(GuestLeg::start(self.0.clone(), setup)))
    }
}
