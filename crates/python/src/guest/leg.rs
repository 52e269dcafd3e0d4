//! A leg of a guest game as numbers. Its views and legal actions are asked once a position.

use std::any::Any;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use leitai_game::encode::play::PlayActions;
use leitai_game::encode::{AnyEncodedLeg, AnyOpponent, Indices, Layout};
use leitai_game::erased::{AnyLeg, AnySetup, AnySink, TextReplies};
use leitai_game::replay::write_token;
use leitai_game::rng::Rng;
use leitai_game::{
    BySeat, Fault, GameFault, InvalidSetup, Outcome, Perspective, Reply, Seat, ToMove,
};
use serde_json::Value;

use super::deals::GuestDeals;
use super::opponent::{BotQuestion, GuestOpponent};
use super::replies::replay_tokens;
use super::view::SeenView;

pub struct GuestLeg {
    deals: Arc<GuestDeals>,
    setup: Arc<dyn AnySetup>,
    /// The replies so far, as in replays: a position is restored by playing them again.
    said: String,
    position: Mutex<Position>,
}

/// A position, and what was asked of it.
struct Position {
    leg: Box<dyn AnyLeg>,
    views: BySeat<Option<Arc<SeenView>>>,
    legal: BySeat<Option<Arc<Vec<String>>>>,
}

impl Position {
    fn new(leg: Box<dyn AnyLeg>) -> Position {
        Position {
            leg,
            views: BySeat::default(),
            legal: BySeat::default(),
        }
    }

    fn view(&mut self, seat: Seat) -> Arc<SeenView> {
        if let Some(view) = &self.views[seat] {
            return view.clone();
        }
        let read = SeenView::read(&self.leg.view(Perspective::Seat(seat)), seat);
        self.views[seat].insert(Arc::new(read)).clone()
    }

    fn legal(&mut self, seat: Seat) -> Arc<Vec<String>> {
        if let Some(legal) = &self.legal[seat] {
            return legal.clone();
        }
        let legal = match self.leg.to_move().asks_seat(seat) {
            true => self.leg.legal_actions(seat),
            false => Vec::new(),
        };
        self.legal[seat].insert(Arc::new(legal)).clone()
    }
}

impl GuestLeg {
    pub fn start(deals: Arc<GuestDeals>, setup: Arc<dyn AnySetup>) -> GuestLeg {
        GuestLeg {
            deals,
            position: Mutex::new(Position::new(setup.start_leg())),
            setup,
            said: String::new(),
        }
    }

    /// Never contended for long: the legs of a batch have a thread each.
    fn at(&self) -> MutexGuard<'_, Position> {
        self.position.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn at_mut(&mut self) -> &mut Position {
        self.position
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn step(&mut self, replies: &TextReplies<'_>, sink: &mut dyn AnySink) {
        let before = self.said.len();
        if before > 0 {
            self.said.push(' ');
        }
        write_token(replies, &mut self.said);
        let position = self.at_mut();
        position.leg.step(*replies, sink);
        (position.views, position.legal) = Default::default();
        if position.leg.fault().is_some() {
            self.said.truncate(before);
        }
    }
}

impl PlayActions for GuestLeg {
    type Action = String;
    type Opponent = GuestOpponent;

    fn asked(&self) -> ToMove {
        self.at().leg.to_move()
    }

    fn read_indices(&self, seat: Seat, indices: &[i64]) -> Result<String, InvalidSetup> {
        let legal = self.at().legal(seat);
        self.deals.numbers.notation_of(&legal, indices)
    }

    fn sample_one(&self, seat: Seat, rng: &mut Rng) -> Option<String> {
        self.at().leg.sample_action(seat, rng)
    }

    fn ask_own(&self, seat: Seat, bot: &mut GuestOpponent) -> String {
        let note = || BotQuestion {
            setup: self.setup.clone(),
            said: self.said.clone(),
            seat,
        };
        bot.ask(&*self.at().leg, seat, note)
    }

    fn play(&mut self, said: BySeat<Option<String>>) {
        let replies = said.each_ref();
        let replies = replies.map_values(|said| said.as_deref().map(Reply::Action));
        self.step(&replies, &mut ());
    }
}

impl AnyEncodedLeg for GuestLeg {
    fn describe_layout(&self) -> Layout {
        self.deals.numbers.layout.clone()
    }

    fn deal_again(&mut self, seed: u64) -> Result<(), InvalidSetup> {
        self.setup = self.deals.deal(seed)?;
        self.said.clear();
        *self.at_mut() = Position::new(self.setup.start_leg());
        Ok(())
    }

    fn to_move(&self) -> ToMove {
        self.at().leg.to_move()
    }

    fn outcome(&self) -> Option<Outcome> {
        self.at().leg.outcome()
    }

    fn scores(&self) -> BySeat<i32> {
        self.at().leg.scores()
    }

    fn round(&self) -> u32 {
        self.at().leg.round()
    }

    fn write_planes(&self, seat: Seat, out: &mut [u8]) {
        let mut position = self.at();
        let view = position.view(seat);
        let is_asked = position.leg.to_move().asks_seat(seat);
        self.deals.numbers.write_planes(&view, seat, is_asked, out);
    }

    fn write_scalars(&self, seat: Seat, out: &mut [i32]) {
        let view = self.at().view(seat);
        self.deals.numbers.write_scalars(&view, seat, out);
    }

    fn write_mask(&self, seat: Seat, out: &mut [i8]) {
        let legal = self.at().legal(seat);
        self.deals.numbers.write_mask(&legal, out);
    }

    fn step_indices(&mut self, indices: Indices<'_>) -> Result<(), InvalidSetup> {
        let (asked, said) = (self.asked(), self.read_both(indices)?);
        let reply = |seat: Seat| match &said[seat] {
            Some(text) => Some(Reply::Action(&**text)),
            None => asked
                .asks_seat(seat)
                .then_some(Reply::Fault(Fault::Timeout)),
        };
        let replies = BySeat::from_fn(reply);
        self.step(&replies, &mut ());
        Ok(())
    }

    fn step_text(&mut self, replies: TextReplies<'_>, sink: &mut dyn AnySink) {
        self.step(&replies, sink);
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

    fn is_out(&self, _seat: Seat) -> bool {
        false
    }

    fn certain_winner(&self) -> Option<Seat> {
        self.scores().leader()
    }

    fn save_state(&self) -> Value {
        Value::String(self.said.clone())
    }

    fn restore_state(&mut self, saved: &Value) -> Result<(), InvalidSetup> {
        let said = saved
            .as_str()
            .ok_or_else(|| InvalidSetup::new("no saved leg"))?;
        let mut leg = self.setup.start_leg();
        replay_tokens(&mut *leg, said)?;
        self.said = said.to_owned();
        *self.at_mut() = Position::new(leg);
        Ok(())
    }

    fn copy_from(&mut self, other: &dyn AnyEncodedLeg) -> bool {
        let Some(other) = other.as_any().downcast_ref::<GuestLeg>() else {
            return false;
        };
        self.setup = other.setup.clone();
        self.said.clone_from(&other.said);
        *self.at_mut() = Position::new(other.at().leg.clone_leg());
        true
    }

    fn ask_bot(&self, seat: Seat, bot: &mut dyn AnyOpponent, out: &mut [i64]) {
        out.fill(0);
        if self.to_move().asks_seat(seat) {
            let said = self.ask_opponent(seat, bot);
            let (legal, numbers) = (self.at().legal(seat), &self.deals.numbers);
            // Of an action without a number the first legal one that has one.
            let first = || {
                legal
                    .iter()
                    .find_map(|action| numbers.encode(&legal, action).ok())
            };
            let index = numbers.encode(&legal, &said).ok().or_else(first);
            out.fill(index.unwrap_or_default() as i64);
        }
    }

    fn write_notation(&self, seat: Seat, indices: &[i64]) -> Result<String, InvalidSetup> {
        self.read_indices(seat, indices)
    }

    fn encode_notation(
        &self,
        seat: Seat,
        notation: &str,
        out: &mut [i64],
    ) -> Result<(), InvalidSetup> {
        let index = self
            .deals
            .numbers
            .encode(&self.at().legal(seat), notation)?;
        out.fill(index as i64);
        Ok(())
    }

    fn hash(&self) -> u64 {
        self.at().leg.hash()
    }

    fn to_leg(&self) -> Box<dyn AnyLeg> {
        self.at().leg.clone_leg()
    }

    fn leg_from_view(&self, _view: &Value) -> Result<Box<dyn AnyEncodedLeg>, InvalidSetup> {
        let id = self.deals.game.meta().id;
        Err(InvalidSetup::new(format!(
            "the rules of {id} come from a file and make no positions of views; keep the leg and play the replies, Leg.play"
        )))
    }

    fn setup(&self) -> Arc<dyn AnySetup> {
        self.setup.clone()
    }

    fn clone_encoded(&self) -> Box<dyn AnyEncodedLeg> {
        Box::new(GuestLeg {
            deals: self.deals.clone(),
            setup: self.setup.clone(),
            said: self.said.clone(),
            position: Mutex::new(Position::new(self.at().leg.clone_leg())),
        })
    }

    fn equals_leg(&self, other: &dyn AnyEncodedLeg) -> bool {
        let other = other.as_any().downcast_ref::<GuestLeg>();
        other.is_some_and(|other| {
            let same_setup = self.setup.to_json() == other.setup.to_json();
            let text = |leg: &GuestLeg| leg.at().leg.state_text();
            same_setup && text(self) == text(other)
        })
    }

    fn fault(&self) -> Option<GameFault> {
        self.at().leg.fault()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
