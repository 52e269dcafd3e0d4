//! One leg of a batch: its bot, its rewards, its observations.

use std::sync::Mutex;

use leitai_game::encode::{AnyEncodedLeg, AnyOpponent};
use leitai_game::{BySeat, InvalidSetup, Seat, ToMove};

use super::rules::{BatchRules, TailPolicy};
use super::slices::ObservationSlices;
use crate::observation::{write_planes, write_scalars};
use crate::rewards::{RewardMeter, leg_winner};
use crate::seeds;

/// The state of a leg after a step.
#[derive(Clone, Copy, PartialEq)]
pub enum LegStage {
    Running,
    Terminated,
    Truncated,
}

/// Where an environment is: its seed, how many legs it has begun, the steps of the last one.
#[derive(Clone, Copy)]
pub struct LegMoment {
    pub seed: u64,
    pub leg_number: u64,
    pub steps: u32,
}

pub struct BatchLeg {
    pub leg: Box<dyn AnyEncodedLeg>,
    /// The seat of the learner, or of the observation.
    pub seat: Seat,
    /// Never contended: the mutex only shows Python that no two threads share a bot.
    pub bot: Option<Mutex<Box<dyn AnyOpponent>>>,
    /// Which of the opponents the bot is.
    pub member: usize,
    pub seed: u64,
    pub leg_number: u64,
    pub state: LegStage,
    pub steps: u32,
    pub rewards: RewardMeter,
    /// The position from which a leg that was restored goes on; `None` if it was dealt.
    pub base: Option<Box<dyn AnyEncodedLeg>>,
    /// The actions since then: from them and the seed a copy has the same position and the same bot.
    pub said: Vec<i64>,
}

impl BatchLeg {
    /// A leg before its first reset.
    pub fn new(leg: Box<dyn AnyEncodedLeg>, seed: u64, by_score: bool) -> BatchLeg {
        BatchLeg {
            leg,
            seat: Seat::First,
            bot: None,
            member: 0,
            seed,
            leg_number: 0,
            state: LegStage::Terminated,
            steps: 0,
            rewards: RewardMeter::new(by_score),
            base: None,
            said: Vec::new(),
        }
    }

    /// Starts the next leg. The first one has the setup of its seed, as everywhere in Leitai.
    pub fn reset_leg(&mut self, rules: &BatchRules) -> Result<(), InvalidSetup> {
        let number = self.leg_number;
        self.leg_number += 1;
        let seed = seeds::of_leg(self.seed, number);
        self.leg.deal_again(seed)?;
        self.rewards.begin_leg(&*self.leg);
        let turns = rules
            .seat
            .unwrap_or_else(|| seeds::alternating_seat(self.seed, number));
        let chance = seeds::of_opponent(seed);
        self.seat = Seat::First;
        if !rules.opponents.is_empty() {
            self.seat = turns;
            self.seat_bot(rules, chance);
        }
        if let Some(bot) = &mut self.bot {
            own_bot(bot).reset_bot(chance);
            self.leg
                .step_against(self.seat, None, own_bot(bot), false)?;
        }
        self.begin_leg();
        Ok(())
    }

    /// Draws the bot of a leg; that of the leg before is used again if it is the same.
    pub fn seat_bot(&mut self, rules: &BatchRules, chance: u64) {
        let weights = rules.opponents.iter().map(|(_, weight)| *weight);
        let member = seeds::draw_weighted(chance, weights);
        if self.bot.is_none() || member != self.member {
            let name = &rules.opponents[member].0;
            self.bot = rules.game.make_opponent(name, chance).map(Mutex::new);
            self.member = member;
        }
    }

    pub fn begin_leg(&mut self) {
        (self.state, self.steps) = (LegStage::Running, 0);
        self.base = None;
        self.said.clear();
        self.show_mover();
    }

    /// Goes on from the position that the leg has now.
    pub fn restore_leg(&mut self) {
        self.rewards.begin_leg(&*self.leg);
        self.begin_leg();
        self.base = Some(self.leg.clone_encoded());
        if self.leg.to_move() == ToMove::Nobody {
            self.state = LegStage::Terminated;
        }
    }

    pub fn is_over(&self) -> bool {
        self.state != LegStage::Running
    }

    /// Where it is.
    pub fn moment(&self) -> LegMoment {
        LegMoment {
            seed: self.seed,
            leg_number: self.leg_number,
            steps: self.steps,
        }
    }

    /// Shows the side of the asked seat to a learner that plays both seats.
    pub fn show_mover(&mut self) {
        if let (None, ToMove::One(seat)) = (&self.bot, self.leg.to_move()) {
            self.seat = seat;
        }
    }

    pub fn step_leg(&mut self, rules: &BatchRules, actions: &[i64]) -> Result<(), InvalidSetup> {
        let parts = rules.shape.parts.len();
        self.said.extend_from_slice(actions);
        match &mut self.bot {
            Some(bot) => {
                let until_out = rules.tail != TailPolicy::Play;
                self.leg
                    .step_against(self.seat, Some(actions), own_bot(bot), until_out)?;
            }
            None if rules.sides == 2 => {
                let (first, second) = actions.split_at(parts);
                self.leg
                    .step_indices(BySeat::new(Some(first), Some(second)))?;
            }
            None => {
                let seat = self.seat;
                self.leg
                    .step_indices(BySeat::from_fn(|asked| (asked == seat).then_some(actions)))?;
            }
        }
        self.steps += 1;
        self.state = match (self.leg.to_move(), rules.tail) {
            (ToMove::Nobody, _) => LegStage::Terminated,
            (_, TailPolicy::Truncate) if self.leg.is_out(self.seat) => LegStage::Truncated,
            (_, TailPolicy::Settle) if self.leg.is_out(self.seat) => LegStage::Terminated,
            _ if self.steps >= rules.most => LegStage::Truncated,
            _ => LegStage::Running,
        };
        self.show_mover();
        Ok(())
    }

    /// The winner of a leg that has ended, by the current scores if it was settled before its end.
    pub fn winner(&self) -> Option<Seat> {
        leg_winner(&*self.leg).filter(|_| self.state == LegStage::Terminated)
    }

    /// Writes the mask. After the end it is all 1: the action does not matter then, but a masked
    /// policy needs one.
    pub fn write_mask(&self, seat: Seat, out: &mut [i8]) {
        match self.state {
            LegStage::Running => self.leg.write_mask(seat, out),
            LegStage::Terminated | LegStage::Truncated => out.fill(1),
        }
    }

    /// Writes the observations of this leg's seats.
    pub fn write_observation(
        &self,
        rules: &BatchRules,
        at: usize,
        out: &mut ObservationSlices<'_>,
    ) {
        let (shape, leg) = (&rules.shape, &*self.leg);
        let (planes, scalars, masks) = (out.planes.of(at), out.scalars.of(at), out.masks.of(at));
        if rules.sides == 1 {
            write_planes(leg, shape, self.seat, rules.packed, planes);
            write_scalars(leg, shape, self.seat, scalars);
            return self.write_mask(self.seat, masks);
        }
        for seat in Seat::BOTH {
            write_planes(leg, shape, seat, rules.packed, seat_half(planes, seat));
            write_scalars(leg, shape, seat, seat_half(scalars, seat));
            self.write_mask(seat, seat_half(masks, seat));
        }
    }
}

pub fn seat_half<T>(slice: &mut [T], seat: Seat) -> &mut [T] {
    let (first, second) = slice.split_at_mut(slice.len() / 2);
    if seat == Seat::First { first } else { second }
}

pub fn own_bot(bot: &mut Mutex<Box<dyn AnyOpponent>>) -> &mut dyn AnyOpponent {
    &mut **bot.get_mut().expect("it is never locked")
}
