//! A leg as numbers without type parameters, as learning environments hold it. [`AnyEncodedLeg`] is
//! to [`Encode`] what [`AnyLeg`] is to [`Game`], but built for speed: actions are indices, and one
//! call can play a step and the replies of a built-in bot.

use std::any::Any;
use std::marker::PhantomData;
use std::sync::{Arc, OnceLock};

use serde_json::Value;

use crate::bot::{Bot, BotInfo, Untimed};
use crate::encode::play::{AnyOpponent, Indices, NotedQuestions, PlayActions, SetupPool};
use crate::encode::{Encode, Layout};
use crate::erased::typed::{ErasedSink, leg_of, read_config, read_reply, setup_of, typed_setup};
use crate::erased::{AnyLeg, AnySetup, AnySink, TextReplies};
use crate::game::{Game, Meta, Outcome, ToMove};
use crate::game_fault::GameFault;
use crate::invalid::InvalidSetup;
use crate::lang::say;
use crate::package::GamePackage;
use crate::reply::Reply;
use crate::rng::Rng;
use crate::seat::Perspective;
use crate::seat::{BySeat, Seat};

/// A game of any kind, for machine learning.
pub trait AnyEncoded: Send + Sync {
    /// Name and constants of the game.
    fn meta(&self) -> Meta;
    /// Deals legs of this config; fails on unknown or invalid choices. With `pool`, this many
    /// setups are dealt at once and every leg gets one of them, so that the time of a leg does not
    /// depend on the time of dealing.
    fn setup_source(
        &self,
        config: &Value,
        pool: usize,
        seed: u64,
    ) -> Result<Box<dyn AnySetupSource>, InvalidSetup>;
    /// A built-in bot for one leg.
    fn make_opponent(&self, name: &str, seed: u64) -> Option<Box<dyn AnyOpponent>>;
    /// Asks a new bot the questions of another one, see [`AnyOpponent::save_questions`].
    fn ask_again(&self, bot: &mut dyn AnyOpponent, questions: &Value) -> Result<(), InvalidSetup>;
}

/// Deals legs of one config.
pub trait AnySetupSource: Send + Sync {
    /// A leg before its first step, with the setup of the seed (from the pool, if there is one).
    fn deal_leg(&self, seed: u64) -> Result<Box<dyn AnyEncodedLeg>, InvalidSetup>;
    /// A leg of this setup before its first step.
    fn start_leg(&self, setup: &Value) -> Result<Box<dyn AnyEncodedLeg>, InvalidSetup>;
}

/// A leg of any game as numbers.
pub trait AnyEncodedLeg: Send + Sync {
    /// The meaning of the numbers.
    fn describe_layout(&self) -> Layout;
    /// Starts a new leg with the setup of this seed, dealt in the same way.
    fn deal_again(&mut self, seed: u64) -> Result<(), InvalidSetup>;
    /// The seats that are asked now.
    fn to_move(&self) -> ToMove;
    /// How the leg ended, if it has.
    fn outcome(&self) -> Option<Outcome>;
    /// The current score.
    fn scores(&self) -> BySeat<i32>;
    /// The current round.
    fn round(&self) -> u32;
    /// See [`Encode::write_planes`].
    fn write_planes(&self, seat: Seat, out: &mut [u8]);
    /// See [`Encode::write_scalars`].
    fn write_scalars(&self, seat: Seat, out: &mut [i32]);
    /// See [`Encode::write_mask`]; all 0 if the seat is not asked.
    fn write_mask(&self, seat: Seat, out: &mut [i8]);
    /// Plays a step; an asked seat without indices gets a timeout. Fails without playing if an
    /// index is out of range.
    fn step_indices(&mut self, indices: Indices<'_>) -> Result<(), InvalidSetup>;
    /// Plays a step in notation, faults included, and reports to a sink; unknown notation is
    /// malformed.
    fn step_text(&mut self, replies: TextReplies<'_>, sink: &mut dyn AnySink);
    /// Plays the action of this seat against a built-in bot on the other one, until this seat is
    /// asked again or the leg is over. Without indices only the bot acts, if it alone is asked.
    /// With `until_out` the bot stops when this seat [is out](Encode::is_out).
    fn step_against(
        &mut self,
        seat: Seat,
        indices: Option<&[i64]>,
        bot: &mut dyn AnyOpponent,
        until_out: bool,
    ) -> Result<(), InvalidSetup>;
    /// Plays at most this many random legal steps; returns the number of steps played.
    fn play_random(&mut self, rng: &mut Rng, most: u32) -> u32;
    /// See [`Encode::is_out`].
    fn is_out(&self, seat: Seat) -> bool;
    /// See [`Encode::certain_winner`].
    fn certain_winner(&self) -> Option<Seat>;
    /// The position as plain data, for [`AnyEncodedLeg::restore_state`].
    fn save_state(&self) -> Value;
    /// Restores a saved position of this setup.
    fn restore_state(&mut self, saved: &Value) -> Result<(), InvalidSetup>;
    /// Copies the position and setup of another leg; returns false and changes nothing if it is one
    /// of another game.
    fn copy_from(&mut self, other: &dyn AnyEncodedLeg) -> bool;
    /// Writes the action of a built-in bot on this seat, as indices.
    fn ask_bot(&self, seat: Seat, bot: &mut dyn AnyOpponent, out: &mut [i64]);
    /// The notation of the action of these indices.
    fn write_notation(&self, seat: Seat, indices: &[i64]) -> Result<String, InvalidSetup>;
    /// The indices of the action with this notation; fails on unknown notation.
    fn encode_notation(
        &self,
        seat: Seat,
        notation: &str,
        out: &mut [i64],
    ) -> Result<(), InvalidSetup>;
    /// FNV-1a 64 of the canonical state text.
    fn hash(&self) -> u64;
    /// The same leg in text form: views, state texts, renderings, protocols.
    fn to_leg(&self) -> Box<dyn AnyLeg>;
    /// A leg with this setup in the position of a view; see [`Encode::from_view`].
    fn leg_from_view(&self, view: &Value) -> Result<Box<dyn AnyEncodedLeg>, InvalidSetup>;
    /// The setup.
    fn setup(&self) -> Arc<dyn AnySetup>;
    /// A copy.
    fn clone_encoded(&self) -> Box<dyn AnyEncodedLeg>;
    /// Whether the other leg is in the same position of the same setup.
    fn equals_leg(&self, other: &dyn AnyEncodedLeg) -> bool;
    /// See [`AnyLeg::fault`].
    fn fault(&self) -> Option<GameFault> {
        None
    }
    /// For the erasure itself.
    fn as_any(&self) -> &dyn Any;
}

/// Erases the types of a game that can be encoded.
pub struct Encoded<G>(PhantomData<fn() -> G>);

impl<G> Encoded<G> {
    /// The game of this position type.
    pub const fn new() -> Self {
        Encoded(PhantomData)
    }
}

impl<G> Default for Encoded<G> {
    fn default() -> Self {
        Encoded::new()
    }
}

impl<G: Encode + GamePackage> AnyEncoded for Encoded<G> {
    fn meta(&self) -> Meta {
        G::META
    }

    fn setup_source(
        &self,
        config: &Value,
        pool: usize,
        seed: u64,
    ) -> Result<Box<dyn AnySetupSource>, InvalidSetup> {
        let config = read_config::<G>(config)?;
        let pool = SetupPool::deal_all(pool, seed, |seed| G::deal(&config, seed).map(Arc::new))?;
        Ok(Box::new(ErasedSetupSource::<G>(Arc::new(Deals {
            config,
            pool,
        }))))
    }

    fn make_opponent(&self, name: &str, seed: u64) -> Option<Box<dyn AnyOpponent>> {
        let info = G::CONTENTS.bots.iter().find(|bot| bot.name == name)?;
        Some(Box::new(ErasedOpponent::<G>::new(info, seed)))
    }

    fn ask_again(&self, bot: &mut dyn AnyOpponent, questions: &Value) -> Result<(), InvalidSetup> {
        let legs: Vec<BotQuestions<G>> =
            serde::Deserialize::deserialize(questions).map_err(InvalidSetup::new)?;
        let bot = bot.as_any_mut().downcast_mut::<ErasedOpponent<G>>();
        let bot = bot.ok_or_else(|| InvalidSetup(say!("the bot is one of another game")))?;
        for (setup, questions) in legs {
            let setup = Arc::new(setup);
            for (seat, position) in questions {
                bot.ask_bot(&setup, &position, seat);
            }
        }
        Ok(())
    }
}

/// What the legs of one config share.
struct Deals<G: Encode + GamePackage> {
    config: G::Config,
    pool: SetupPool<G::Setup>,
}

impl<G: Encode + GamePackage> Deals<G> {
    fn deal_setup(&self, seed: u64) -> Result<Arc<G::Setup>, InvalidSetup> {
        let deal = |seed| G::deal(&self.config, seed).map(Arc::new);
        self.pool.deal_one(seed, deal)
    }
}

struct ErasedSetupSource<G: Encode + GamePackage>(Arc<Deals<G>>);

impl<G: Encode + GamePackage> ErasedSetupSource<G> {
    fn make_leg(&self, setup: Arc<G::Setup>) -> Box<dyn AnyEncodedLeg> {
        Box::new(ErasedEncodedLeg {
            begun: OnceLock::new(),
            setup,
            setups: self.0.clone(),
        })
    }
}

impl<G: Encode + GamePackage> AnySetupSource for ErasedSetupSource<G> {
    fn deal_leg(&self, seed: u64) -> Result<Box<dyn AnyEncodedLeg>, InvalidSetup> {
        self.0.deal_setup(seed).map(|setup| self.make_leg(setup))
    }

    fn start_leg(&self, setup: &Value) -> Result<Box<dyn AnyEncodedLeg>, InvalidSetup> {
        typed_setup::<G>(setup).map(|setup| self.make_leg(Arc::new(setup)))
    }
}

struct ErasedOpponent<G: Encode + GamePackage> {
    bot: Box<dyn Bot<G>>,
    info: &'static BotInfo<G>,
    seed: u64,
    noted: NotedQuestions<BotQuestion<G>>,
}

/// The questions to a bot in one leg as plain data: the setup, then seats and positions.
type BotQuestions<G> = (<G as Game>::Setup, Vec<(Seat, G)>);

/// One question to a bot.
struct BotQuestion<G: Encode + GamePackage> {
    setup: Arc<G::Setup>,
    position: G,
    seat: Seat,
}

impl<G: Encode + GamePackage> ErasedOpponent<G> {
    fn new(info: &'static BotInfo<G>, seed: u64) -> Self {
        ErasedOpponent {
            bot: (info.make)(seed),
            info,
            seed,
            noted: NotedQuestions::default(),
        }
    }

    fn ask_bot(&mut self, setup: &Arc<G::Setup>, position: &G, seat: Seat) -> G::Action {
        self.noted.add(|| BotQuestion {
            setup: setup.clone(),
            position: position.clone(),
            seat,
        });
        self.bot.choose_action(
            setup,
            &position.view(setup, Perspective::Seat(seat)),
            &Untimed,
        )
    }
}

impl<G: Encode + GamePackage> AnyOpponent for ErasedOpponent<G> {
    fn reset_bot(&mut self, seed: u64) {
        (self.bot, self.seed) = ((self.info.make)(seed), seed);
        self.noted.forget();
    }

    fn note_questions(&mut self) {
        self.noted.start();
    }

    fn save_questions(&self) -> Result<Value, InvalidSetup> {
        let of_leg = |leg: &[BotQuestion<G>]| {
            let asked: Vec<(Seat, &G)> = leg
                .iter()
                .map(|asked| (asked.seat, &asked.position))
                .collect();
            serde_json::json!([*leg[0].setup, asked])
        };
        Ok(self
            .noted
            .all()?
            .chunk_by(|one, next| Arc::ptr_eq(&one.setup, &next.setup))
            .map(of_leg)
            .collect())
    }

    fn copy_bot(&self) -> Result<Box<dyn AnyOpponent>, InvalidSetup> {
        let mut copy = ErasedOpponent::new(self.info, self.seed);
        copy.note_questions();
        for asked in self.noted.all()? {
            copy.ask_bot(&asked.setup, &asked.position, asked.seat);
        }
        Ok(Box::new(copy))
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }
}

struct ErasedEncodedLeg<G: Encode + GamePackage> {
    /// Made when somebody needs it: the first position of SnakeGo draws items, which takes longer than dealing.
    begun: OnceLock<G>,
    setup: Arc<G::Setup>,
    setups: Arc<Deals<G>>,
}

impl<G: Encode + GamePackage> ErasedEncodedLeg<G> {
    #[inline]
    fn position(&self) -> &G {
        self.begun.get_or_init(|| G::start(&self.setup))
    }

    #[inline]
    fn position_mut(&mut self) -> (&mut G, &G::Setup) {
        self.position();
        let position = self.begun.get_mut().expect("it was just made");
        (position, &self.setup)
    }
}

impl<G: Encode + GamePackage> PlayActions for ErasedEncodedLeg<G> {
    type Action = G::Action;
    type Opponent = ErasedOpponent<G>;

    fn asked(&self) -> ToMove {
        self.position().to_move()
    }

    fn read_indices(&self, seat: Seat, indices: &[i64]) -> Result<G::Action, InvalidSetup> {
        let action = self.position().decode_action(&self.setup, seat, indices);
        action.ok_or_else(|| out_of_range(&G::describe_layout(&self.setup), indices))
    }

    fn sample_one(&self, seat: Seat, rng: &mut Rng) -> Option<G::Action> {
        self.position().sample_action(&self.setup, seat, rng)
    }

    fn ask_own(&self, seat: Seat, bot: &mut ErasedOpponent<G>) -> G::Action {
        bot.ask_bot(&self.setup, self.position(), seat)
    }

    fn play(&mut self, actions: BySeat<Option<G::Action>>) {
        let (position, setup) = self.position_mut();
        position.play_actions(setup, actions);
    }

    fn is_done(&self, seat: Seat) -> bool {
        self.position().is_out(seat)
    }
}

impl<G: Encode + GamePackage> AnyEncodedLeg for ErasedEncodedLeg<G> {
    fn describe_layout(&self) -> Layout {
        G::describe_layout(&self.setup)
    }

    fn deal_again(&mut self, seed: u64) -> Result<(), InvalidSetup> {
        self.setup = self.setups.deal_setup(seed)?;
        self.begun.take();
        Ok(())
    }

    fn to_move(&self) -> ToMove {
        self.position().to_move()
    }

    fn outcome(&self) -> Option<Outcome> {
        self.position().outcome()
    }

    fn scores(&self) -> BySeat<i32> {
        self.position().scores()
    }

    fn round(&self) -> u32 {
        self.position().round()
    }

    fn write_planes(&self, seat: Seat, out: &mut [u8]) {
        self.position().write_planes(&self.setup, seat, out);
    }

    fn write_scalars(&self, seat: Seat, out: &mut [i32]) {
        self.position().write_scalars(&self.setup, seat, out);
    }

    fn write_mask(&self, seat: Seat, out: &mut [i8]) {
        match self.position().to_move().asks_seat(seat) {
            true => self.position().write_mask(&self.setup, seat, out),
            false => out.fill(0),
        }
    }

    fn step_indices(&mut self, indices: Indices<'_>) -> Result<(), InvalidSetup> {
        let actions = self.read_both(indices)?;
        let (position, setup) = self.position_mut();
        let asked = position.to_move();
        let is_silent = |seat: &Seat| actions[*seat].is_none() && asked.asks_seat(*seat);
        if Seat::BOTH.iter().any(is_silent) {
            let replies = actions.map_values(|action| action.map(Reply::Action));
            position.step(setup, replies, &mut ());
        } else {
            position.play_actions(setup, actions);
        }
        Ok(())
    }

    fn step_text(&mut self, replies: TextReplies<'_>, sink: &mut dyn AnySink) {
        let replies = replies.map_values(|reply| reply.map(read_reply::<G>));
        let (position, setup) = self.position_mut();
        position.step(setup, replies, &mut ErasedSink(sink));
    }

    fn step_against(
        &mut self,
        seat: Seat,
        indices: Option<&[i64]>,
        bot: &mut dyn AnyOpponent,
        until_out: bool,
    ) -> Result<(), InvalidSetup> {
        self.play_against(seat, indices, bot, until_out)
    }

    fn play_random(&mut self, rng: &mut Rng, most: u32) -> u32 {
        self.play_sampled(rng, most)
    }

    fn is_out(&self, seat: Seat) -> bool {
        self.position().is_out(seat)
    }

    fn certain_winner(&self) -> Option<Seat> {
        self.position().certain_winner()
    }

    fn save_state(&self) -> Value {
        serde_json::to_value(self.position()).expect("a position is plain data")
    }

    fn restore_state(&mut self, saved: &Value) -> Result<(), InvalidSetup> {
        let position: G = serde::Deserialize::deserialize(saved).map_err(InvalidSetup::new)?;
        self.begun = OnceLock::from(position);
        Ok(())
    }

    fn copy_from(&mut self, other: &dyn AnyEncodedLeg) -> bool {
        let Some(other) = other.as_any().downcast_ref::<ErasedEncodedLeg<G>>() else {
            return false;
        };
        match (self.begun.get_mut(), other.begun.get()) {
            (Some(own), Some(other)) => own.clone_from(other),
            _ => self.begun = other.begun.clone(),
        }
        self.setup = other.setup.clone();
        true
    }

    fn ask_bot(&self, seat: Seat, bot: &mut dyn AnyOpponent, out: &mut [i64]) {
        out.fill(0);
        if self.position().to_move().asks_seat(seat) {
            let action = self.ask_opponent(seat, bot);
            self.position()
                .encode_action(&self.setup, seat, action, out);
        }
    }

    fn write_notation(&self, seat: Seat, indices: &[i64]) -> Result<String, InvalidSetup> {
        self.read_indices(seat, indices).map(G::write_action)
    }

    fn encode_notation(
        &self,
        seat: Seat,
        notation: &str,
        out: &mut [i64],
    ) -> Result<(), InvalidSetup> {
        let action = G::read_action(notation);
        let action = action.ok_or_else(|| InvalidSetup(say!("there is no action {notation:?}")))?;
        out.fill(0);
        self.position()
            .encode_action(&self.setup, seat, action, out);
        Ok(())
    }

    fn hash(&self) -> u64 {
        self.position().hash(&self.setup)
    }

    fn to_leg(&self) -> Box<dyn AnyLeg> {
        leg_of(self.setup.clone(), self.position().clone())
    }

    fn leg_from_view(&self, view: &Value) -> Result<Box<dyn AnyEncodedLeg>, InvalidSetup> {
        let position = G::from_view(&self.setup, view)?;
        Ok(Box::new(ErasedEncodedLeg {
            begun: OnceLock::from(position),
            setup: self.setup.clone(),
            setups: self.setups.clone(),
        }))
    }

    fn setup(&self) -> Arc<dyn AnySetup> {
        setup_of::<G>(self.setup.clone())
    }

    fn clone_encoded(&self) -> Box<dyn AnyEncodedLeg> {
        let (begun, setup, setups) = (self.begun.clone(), self.setup.clone(), self.setups.clone());
        Box::new(ErasedEncodedLeg {
            begun,
            setup,
            setups,
        })
    }

    fn equals_leg(&self, other: &dyn AnyEncodedLeg) -> bool {
        let other = other.as_any().downcast_ref::<ErasedEncodedLeg<G>>();
        other.is_some_and(|other| self.position() == other.position() && self.setup == other.setup)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

fn out_of_range(layout: &Layout, indices: &[i64]) -> InvalidSetup {
    let sizes: Vec<usize> = layout.parts.iter().map(Vec::len).collect();
    if sizes.len() != indices.len() {
        let (found, wanted) = (indices.len(), sizes.len());
        return InvalidSetup(say!(
            "an action of this game has {wanted} parts; {found} were given"
        ));
    }
    InvalidSetup(say!(
        "the action {indices:?} is out of range: every part must be at least 0 and below {sizes:?}"
    ))
}
