//! A leg in numbers without type parameters: what environments hold. [`AnyLane`] is to [`Encode`] what
//! [`AnyLeg`] is to [`Game`], but for speed: actions are indices, and a step can be played against a
//! built-in bot inside the same call.

use std::any::Any;
use std::marker::PhantomData;
use std::sync::Arc;

use serde_json::Value;

use crate::bot::{Bot, BotInfo, Untimed};
use crate::encode::{Encode, Layout};
use crate::erased::{
    AnyLeg, AnySetup, AnySink, SinkOf, TextReplies, leg_of, read_config, read_reply, setup_of, typed_setup,
};
use crate::game::{Game, Meta, Outcome, ToMove};
use crate::invalid::Invalid;
use crate::package::GamePackage;
use crate::reply::Reply;
use crate::rng::{Rng, mix};
use crate::seat::Eye;
use crate::seat::{BySeat, Seat};

/// A game of any kind, for learners.
pub trait AnyEncoded: Send + Sync {
    /// Names and numbers.
    fn meta(&self) -> &'static Meta;
    /// Deals legs of this config; fails on unknown or unsound choices. With `pool`, so many setups are dealt at once, and
    /// every leg gets one of them: what a leg costs is then independent of what dealing costs.
    fn dealer(&self, config: &Value, pool: usize, seed: u64) -> Result<Box<dyn AnyDealer>, Invalid>;
    /// A built-in bot for one leg.
    fn opponent(&self, name: &str, seed: u64) -> Option<Box<dyn AnyOpponent>>;
    /// Asks a new bot what another one was asked, see [`AnyOpponent::questions`].
    fn ask_again(&self, bot: &mut dyn AnyOpponent, questions: &Value) -> Result<(), Invalid>;
}

/// Most questions that a bot notes: more than any leg has.
pub const MAX_NOTED: usize = 1 << 14;

/// Deals legs of one config.
pub trait AnyDealer: Send + Sync {
    /// A leg before its first step; the setup is that of the seed (of the pool, if there is one).
    fn deal(&self, seed: u64) -> Result<Box<dyn AnyLane>, Invalid>;
    /// A leg of this setup before its first step.
    fn start(&self, setup: &Value) -> Result<Box<dyn AnyLane>, Invalid>;
}

/// What seats said, as indices.
pub type Indices<'a> = BySeat<Option<&'a [i64]>>;

/// A leg of any game, in numbers.
pub trait AnyLane: Send + Sync {
    /// What the numbers mean.
    fn layout(&self) -> Layout;
    /// Begins a new leg with the setup of this seed, dealt as this one was.
    fn deal(&mut self, seed: u64) -> Result<(), Invalid>;
    /// Who is asked now.
    fn to_move(&self) -> ToMove;
    /// How the leg ended, once it has.
    fn outcome(&self) -> Option<Outcome>;
    /// The score as it stands.
    fn scores(&self) -> BySeat<i32>;
    /// The round being played.
    fn round(&self) -> u32;
    /// See [`Encode::planes`].
    fn planes(&self, seat: Seat, out: &mut [u8]);
    /// See [`Encode::scalars`].
    fn scalars(&self, seat: Seat, out: &mut [i32]);
    /// See [`Encode::mask`]; all 0 when the seat is not asked.
    fn mask(&self, seat: Seat, out: &mut [i8]);
    /// Plays a step; those who are asked and say nothing run out of time. Fails, and plays nothing, if an index is out
    /// of range.
    fn step(&mut self, indices: Indices<'_>) -> Result<(), Invalid>;
    /// Plays a step in notation, faults included, and tells a sink; unknown notation is malformed.
    fn step_text(&mut self, replies: TextReplies<'_>, sink: &mut dyn AnySink);
    /// Plays what this seat says against a built-in bot on the other one, up to the moment when this seat is asked again
    /// or the leg is over. Without indices only the bot acts, if it is asked alone. With `until_out` the bot does not go
    /// on alone once this seat [is out](Encode::is_out).
    fn step_against(
        &mut self,
        seat: Seat,
        indices: Option<&[i64]>,
        bot: &mut dyn AnyOpponent,
        until_out: bool,
    ) -> Result<(), Invalid>;
    /// Plays random legal actions, up to the end of the leg or so many steps; gives the number of steps played.
    fn play_random(&mut self, rng: &mut Rng, most: u32) -> u32;
    /// See [`Encode::is_out`].
    fn is_out(&self, seat: Seat) -> bool;
    /// See [`Encode::leader`].
    fn leader(&self) -> Option<Seat>;
    /// The position as plain data, for [`restore`](AnyLane::restore).
    fn save(&self) -> Value;
    /// Goes to a position of this setup that was saved.
    fn restore(&mut self, saved: &Value) -> Result<(), Invalid>;
    /// Goes to the position and setup of another leg of this game; false, and nothing changes, if it is one of another game.
    fn copy_from(&mut self, other: &dyn AnyLane) -> bool;
    /// What a built-in bot would say on this seat, as indices.
    fn choose(&self, seat: Seat, bot: &mut dyn AnyOpponent, out: &mut [i64]);
    /// The notation of what these indices say.
    fn notation(&self, seat: Seat, indices: &[i64]) -> Result<String, Invalid>;
    /// The indices of what this notation says; fails if it is none.
    fn indices(&self, seat: Seat, notation: &str, out: &mut [i64]) -> Result<(), Invalid>;
    /// FNV-1a 64 of the canonical state text.
    fn hash(&self) -> u64;
    /// The same leg with words instead of numbers: views, texts, pictures, dialects.
    fn leg(&self) -> Box<dyn AnyLeg>;
    /// A leg with this setup at the moment that a view shows; see [`Encode::imagine`].
    fn imagine(&self, view: &Value) -> Result<Box<dyn AnyLane>, Invalid>;
    /// The setup.
    fn setup(&self) -> Arc<dyn AnySetup>;
    /// A copy.
    fn clone_lane(&self) -> Box<dyn AnyLane>;
    /// Whether the other is the same position of the same setup.
    fn equals(&self, other: &dyn AnyLane) -> bool;
    /// For the erasure itself.
    fn as_any(&self) -> &dyn Any;
}

/// A built-in bot of any game, for [`AnyLane::step_against`].
pub trait AnyOpponent: Send {
    /// Becomes the bot of another leg, with another seed.
    fn renew(&mut self, seed: u64);
    /// From now on the bot notes what it is asked, so that it can be copied: a bot is what it was made of and what it was
    /// asked since. It notes [`MAX_NOTED`] questions.
    fn note_questions(&mut self);
    /// The questions noted, as plain data for [`AnyEncoded::ask_again`]; fails if they were not all noted.
    fn questions(&self) -> Result<Value, Invalid>;
    /// A bot that has been asked the same; fails if the questions were not all noted.
    fn copy(&self) -> Result<Box<dyn AnyOpponent>, Invalid>;
    /// For the erasure itself.
    fn as_any_mut(&mut self) -> &mut dyn Any;
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
    fn meta(&self) -> &'static Meta {
        const { &G::META }
    }

    fn dealer(&self, config: &Value, pool: usize, seed: u64) -> Result<Box<dyn AnyDealer>, Invalid> {
        let config = read_config::<G>(config)?;
        let deal = |n: usize| G::deal(&config, mix(seed, n as u64)).map(Arc::new);
        let pool = (0..pool).map(deal).collect::<Result<Vec<_>, _>>()?;
        Ok(Box::new(Dealer::<G>(Arc::new(Deck { config, pool }))))
    }

    fn opponent(&self, name: &str, seed: u64) -> Option<Box<dyn AnyOpponent>> {
        let info = G::bots().iter().find(|bot| bot.name == name)?;
        Some(Box::new(Opponent::<G>::new(info, seed)))
    }

    fn ask_again(&self, bot: &mut dyn AnyOpponent, questions: &Value) -> Result<(), Invalid> {
        let legs: Vec<AskedLeg<G>> = serde::Deserialize::deserialize(questions).map_err(Invalid::new)?;
        let bot = bot.as_any_mut().downcast_mut::<Opponent<G>>();
        let bot = bot.ok_or_else(|| Invalid("the bot is one of another game".into()))?;
        for (setup, questions) in legs {
            let setup = Arc::new(setup);
            for (seat, position) in questions {
                bot.ask(&setup, &position, seat);
            }
        }
        Ok(())
    }
}

struct Deck<G: Encode + GamePackage> {
    config: G::Config,
    pool: Vec<Arc<G::Setup>>,
}

impl<G: Encode + GamePackage> Deck<G> {
    fn deal(&self, seed: u64) -> Result<Arc<G::Setup>, Invalid> {
        match self.pool.len() {
            0 => G::deal(&self.config, seed).map(Arc::new),
            count => Ok(self.pool[(mix(seed, 0) % count as u64) as usize].clone()),
        }
    }
}

struct Dealer<G: Encode + GamePackage>(Arc<Deck<G>>);

impl<G: Encode + GamePackage> Dealer<G> {
    fn lane(&self, setup: Arc<G::Setup>) -> Box<dyn AnyLane> {
        Box::new(Lane { position: G::start(&setup), setup, deck: self.0.clone() })
    }
}

impl<G: Encode + GamePackage> AnyDealer for Dealer<G> {
    fn deal(&self, seed: u64) -> Result<Box<dyn AnyLane>, Invalid> {
        self.0.deal(seed).map(|setup| self.lane(setup))
    }

    fn start(&self, setup: &Value) -> Result<Box<dyn AnyLane>, Invalid> {
        typed_setup::<G>(setup).map(|setup| self.lane(Arc::new(setup)))
    }
}

struct Opponent<G: Encode + GamePackage> {
    bot: Box<dyn Bot<G>>,
    info: &'static BotInfo<G>,
    seed: u64,
    noted: Option<Vec<Question<G>>>,
    /// Questions in all.
    asked: usize,
}

/// What a bot was asked in one leg, as plain data: the setup, then seats and positions.
type AskedLeg<G> = (<G as Game>::Setup, Vec<(Seat, G)>);

/// What a bot was asked.
struct Question<G: Encode + GamePackage> {
    setup: Arc<G::Setup>,
    position: G,
    seat: Seat,
}

impl<G: Encode + GamePackage> Opponent<G> {
    fn new(info: &'static BotInfo<G>, seed: u64) -> Self {
        Opponent { bot: (info.make)(seed), info, seed, noted: None, asked: 0 }
    }

    fn ask(&mut self, setup: &Arc<G::Setup>, position: &G, seat: Seat) -> G::Action {
        self.asked += 1;
        if let Some(noted) = self.noted.as_mut().filter(|noted| noted.len() < MAX_NOTED) {
            noted.push(Question { setup: setup.clone(), position: position.clone(), seat });
        }
        self.bot.choose(setup, &position.view(setup, Eye::Seat(seat)), &Untimed)
    }

    fn noted(&self) -> Result<&[Question<G>], Invalid> {
        let noted = self.noted.as_deref().unwrap_or_default();
        if noted.len() == self.asked {
            return Ok(noted);
        }
        Err(Invalid(format!(
            "the bot was asked {} times, too often to be copied (at most {MAX_NOTED} times); take a new one for every leg",
            self.asked
        )))
    }
}

impl<G: Encode + GamePackage> AnyOpponent for Opponent<G> {
    fn renew(&mut self, seed: u64) {
        let noted = self.noted.take().map(|_| Vec::new());
        *self = Opponent { noted, ..Opponent::new(self.info, seed) };
    }

    fn note_questions(&mut self) {
        self.noted.get_or_insert_default();
    }

    fn questions(&self) -> Result<Value, Invalid> {
        let of_leg = |leg: &[Question<G>]| {
            let asked: Vec<(Seat, &G)> = leg.iter().map(|asked| (asked.seat, &asked.position)).collect();
            serde_json::json!([*leg[0].setup, asked])
        };
        Ok(self.noted()?.chunk_by(|one, next| Arc::ptr_eq(&one.setup, &next.setup)).map(of_leg).collect())
    }

    fn copy(&self) -> Result<Box<dyn AnyOpponent>, Invalid> {
        let mut copy = Opponent::new(self.info, self.seed);
        copy.note_questions();
        for asked in self.noted()? {
            copy.ask(&asked.setup, &asked.position, asked.seat);
        }
        Ok(Box::new(copy))
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }
}

struct Lane<G: Encode + GamePackage> {
    position: G,
    setup: Arc<G::Setup>,
    deck: Arc<Deck<G>>,
}

impl<G: Encode + GamePackage> Lane<G> {
    fn read(&self, seat: Seat, indices: &[i64]) -> Result<G::Action, Invalid> {
        let action = self.position.action(&self.setup, seat, indices);
        action.ok_or_else(|| out_of_range(&G::layout(&self.setup), indices))
    }

    fn read_both(&self, indices: Indices<'_>) -> Result<BySeat<Option<G::Action>>, Invalid> {
        let mut actions = BySeat::default();
        let asked = self.position.to_move();
        for (seat, said) in indices.iter() {
            if let (Some(said), true) = (said, asked.asks(seat)) {
                actions[seat] = Some(self.read(seat, said)?);
            }
        }
        Ok(actions)
    }

    fn ask(&self, seat: Seat, bot: &mut dyn AnyOpponent) -> G::Action {
        let bot = bot.as_any_mut().downcast_mut::<Opponent<G>>();
        let bot = bot.expect("lanes and opponents come from the same game");
        bot.ask(&self.setup, &self.position, seat)
    }
}

impl<G: Encode + GamePackage> AnyLane for Lane<G> {
    fn layout(&self) -> Layout {
        G::layout(&self.setup)
    }

    fn deal(&mut self, seed: u64) -> Result<(), Invalid> {
        self.setup = self.deck.deal(seed)?;
        self.position = G::start(&self.setup);
        Ok(())
    }

    fn to_move(&self) -> ToMove {
        self.position.to_move()
    }

    fn outcome(&self) -> Option<Outcome> {
        self.position.outcome()
    }

    fn scores(&self) -> BySeat<i32> {
        self.position.scores()
    }

    fn round(&self) -> u32 {
        self.position.round()
    }

    fn planes(&self, seat: Seat, out: &mut [u8]) {
        self.position.planes(&self.setup, seat, out);
    }

    fn scalars(&self, seat: Seat, out: &mut [i32]) {
        self.position.scalars(&self.setup, seat, out);
    }

    fn mask(&self, seat: Seat, out: &mut [i8]) {
        match self.position.to_move().asks(seat) {
            true => self.position.mask(&self.setup, seat, out),
            false => out.fill(0),
        }
    }

    fn step(&mut self, indices: Indices<'_>) -> Result<(), Invalid> {
        let actions = self.read_both(indices)?;
        let complete =
            Seat::BOTH.iter().all(|seat| actions[*seat].is_some() || !self.position.to_move().asks(*seat));
        if complete {
            self.position.play(&self.setup, actions);
        } else {
            self.position.step(&self.setup, actions.map(|action| action.map(Reply::Action)), &mut ());
        }
        Ok(())
    }

    fn step_text(&mut self, replies: TextReplies<'_>, sink: &mut dyn AnySink) {
        let replies = replies.map(|reply| reply.map(read_reply::<G>));
        self.position.step(&self.setup, replies, &mut SinkOf(sink));
    }

    fn step_against(
        &mut self,
        seat: Seat,
        indices: Option<&[i64]>,
        bot: &mut dyn AnyOpponent,
        until_out: bool,
    ) -> Result<(), Invalid> {
        let mut mine = indices.map(|indices| self.read(seat, indices)).transpose()?;
        loop {
            let other = seat.other();
            let mut actions = BySeat::default();
            match self.position.to_move() {
                ToMove::Nobody => return Ok(()),
                ToMove::One(_) if until_out && self.position.is_out(seat) => return Ok(()),
                ToMove::One(asked) if asked == other => actions[other] = Some(self.ask(other, bot)),
                asked => {
                    let Some(action) = mine.take() else { return Ok(()) };
                    actions[seat] = Some(action);
                    if asked.asks(other) {
                        actions[other] = Some(self.ask(other, bot));
                    }
                }
            }
            self.position.play(&self.setup, actions);
        }
    }

    fn play_random(&mut self, rng: &mut Rng, most: u32) -> u32 {
        let mut played = 0;
        while played < most {
            let asked = self.position.to_move();
            if asked == ToMove::Nobody {
                break;
            }
            let mut sample = |seat| self.position.sample(&self.setup, seat, rng);
            let said = BySeat::from_fn(|seat| if asked.asks(seat) { sample(seat) } else { None });
            self.position.play(&self.setup, said);
            played += 1;
        }
        played
    }

    fn is_out(&self, seat: Seat) -> bool {
        self.position.is_out(seat)
    }

    fn leader(&self) -> Option<Seat> {
        self.position.leader()
    }

    fn save(&self) -> Value {
        serde_json::to_value(&self.position).expect("a position is plain data")
    }

    fn restore(&mut self, saved: &Value) -> Result<(), Invalid> {
        self.position = serde::Deserialize::deserialize(saved).map_err(Invalid::new)?;
        Ok(())
    }

    fn copy_from(&mut self, other: &dyn AnyLane) -> bool {
        let Some(other) = other.as_any().downcast_ref::<Lane<G>>() else { return false };
        self.position.clone_from(&other.position);
        self.setup = other.setup.clone();
        true
    }

    fn choose(&self, seat: Seat, bot: &mut dyn AnyOpponent, out: &mut [i64]) {
        out.fill(0);
        if self.position.to_move().asks(seat) {
            let action = self.ask(seat, bot);
            self.position.indices(&self.setup, seat, action, out);
        }
    }

    fn notation(&self, seat: Seat, indices: &[i64]) -> Result<String, Invalid> {
        self.read(seat, indices).map(G::write_action)
    }

    fn indices(&self, seat: Seat, notation: &str, out: &mut [i64]) -> Result<(), Invalid> {
        let action = G::read_action(notation);
        let action = action.ok_or_else(|| Invalid(format!("there is no action {notation:?}")))?;
        out.fill(0);
        self.position.indices(&self.setup, seat, action, out);
        Ok(())
    }

    fn hash(&self) -> u64 {
        self.position.hash(&self.setup)
    }

    fn leg(&self) -> Box<dyn AnyLeg> {
        leg_of(self.setup.clone(), self.position.clone())
    }

    fn imagine(&self, view: &Value) -> Result<Box<dyn AnyLane>, Invalid> {
        let position = G::imagine(&self.setup, view)?;
        Ok(Box::new(Lane { position, setup: self.setup.clone(), deck: self.deck.clone() }))
    }

    fn setup(&self) -> Arc<dyn AnySetup> {
        setup_of::<G>(self.setup.clone())
    }

    fn clone_lane(&self) -> Box<dyn AnyLane> {
        let (position, setup, deck) = (self.position.clone(), self.setup.clone(), self.deck.clone());
        Box::new(Lane { position, setup, deck })
    }

    fn equals(&self, other: &dyn AnyLane) -> bool {
        let other = other.as_any().downcast_ref::<Lane<G>>();
        other.is_some_and(|other| self.position == other.position && self.setup == other.setup)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

fn out_of_range(layout: &Layout, indices: &[i64]) -> Invalid {
    let sizes: Vec<usize> = layout.parts.iter().map(Vec::len).collect();
    if sizes.len() != indices.len() {
        let (found, wanted) = (indices.len(), sizes.len());
        return Invalid(format!("an action of this game has {wanted} parts; {found} were given"));
    }
    Invalid(format!(
        "the action {indices:?} is out of range: every part must be at least 0 and below {sizes:?}"
    ))
}
