//! A small game for the tests of the conformance kit: a race to a target number, in turns or with
//! both seats at once.
//!
//! Each seat says 1, 2 or 3, but not the number that it said last. In turns, the number is added to
//! the seat's own total; with both at once, only if the two numbers differ. The lucky number of the
//! round counts one more. The leg ends when a seat reaches the target, or after the last round. A
//! fault loses the leg, and the match unless the fault was an illegal number.

use std::fmt::Write;

use leitai_game::lang::say;
use leitai_game::{
    BySeat, Entrant, Fault, InvalidSetup, Outcome, Reason, Reply, Scope, Seat, Text, ToMove,
    Verdict,
};
use serde::{Deserialize, Serialize};

pub const ROUNDS: u16 = 20;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    #[default]
    Turns,
    Both,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RaceConfig {
    pub mode: Mode,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RaceSetup {
    pub mode: Mode,
    pub target: u8,
    /// The lucky number of each round, from round 1.
    pub lucky: Vec<u8>,
}

impl RaceSetup {
    pub fn deal(mode: Mode, seed: u64) -> RaceSetup {
        let mut rng = leitai_game::Rng::new(seed);
        RaceSetup {
            mode,
            target: 21,
            lucky: (0..ROUNDS).map(|_| 1 + rng.next_below(3) as u8).collect(),
        }
    }

    pub fn checked(self) -> Result<RaceSetup, InvalidSetup> {
        let sound = self.lucky.len() == usize::from(ROUNDS) && (1..=60).contains(&self.target);
        if sound {
            Ok(self)
        } else {
            Err(InvalidSetup(say!("{} lucky numbers", self.lucky.len())))
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Race {
    pub mode: Mode,
    pub target: u8,
    pub round: u16,
    pub seat: Seat,
    pub totals: [u8; 2],
    /// The last number of each seat; 0 at the start.
    pub last: [u8; 2],
    pub faults: BySeat<Option<Fault>>,
    pub over: bool,
}

impl Race {
    pub fn start(setup: &RaceSetup) -> Race {
        Race {
            mode: setup.mode,
            target: setup.target,
            round: 1,
            seat: Seat::First,
            totals: [0; 2],
            last: [0; 2],
            faults: BySeat::default(),
            over: false,
        }
    }

    pub fn to_move(&self) -> ToMove {
        match self.mode {
            _ if self.over => ToMove::Nobody,
            Mode::Turns => ToMove::One(self.seat),
            Mode::Both => ToMove::Both,
        }
    }

    pub fn legal(&self, seat: Seat) -> Vec<u8> {
        let asked = self.to_move().asks_seat(seat);
        (1..=3)
            .filter(|number| asked && *number != self.last[seat.index()])
            .collect()
    }

    pub fn step(&mut self, setup: &RaceSetup, replies: &BySeat<Option<Reply<u8>>>) {
        if self.over {
            return;
        }
        let mut said = [0; 2];
        let asked = self.to_move();
        for seat in Seat::BOTH.into_iter().filter(|seat| asked.asks_seat(*seat)) {
            match replies[seat] {
                Some(Reply::Action(number)) if self.legal(seat).contains(&number) => {
                    said[seat.index()] = number
                }
                Some(Reply::Action(_)) => self.faults[seat] = Some(Fault::Illegal),
                Some(Reply::Fault(fault)) => self.faults[seat] = Some(fault),
                None => self.faults[seat] = Some(Fault::Timeout),
            }
        }
        if self.faults != BySeat::default() {
            self.over = true;
            return;
        }
        let lucky = setup.lucky[usize::from(self.round) - 1];
        for (index, number) in said
            .into_iter()
            .enumerate()
            .filter(|(_, number)| *number > 0)
        {
            self.last[index] = number;
            if said[0] != said[1] {
                self.totals[index] += number + u8::from(number == lucky);
            }
        }
        self.go_on();
    }

    fn go_on(&mut self) {
        let round_over = self.mode == Mode::Both || self.seat == Seat::Second;
        if self.totals.iter().any(|total| *total >= self.target)
            || (round_over && self.round == ROUNDS)
        {
            self.over = true;
        } else {
            self.round += u16::from(round_over);
            self.seat = if self.mode == Mode::Both {
                Seat::First
            } else {
                self.seat.other()
            };
        }
    }

    pub fn outcome(&self) -> Option<Outcome> {
        let scores = BySeat::new(self.totals[0].into(), self.totals[1].into());
        let [first, second] = self.faults.into_pair();
        let winner = match (first, second) {
            (Some(_), None) => Some(Seat::Second),
            (None, Some(_)) => Some(Seat::First),
            (Some(_), Some(_)) => None,
            (None, None) => more([scores[Seat::First], scores[Seat::Second]], Seat::BOTH),
        };
        let fatal = self
            .faults
            .iter_pairs()
            .any(|(_, fault)| fault.is_some_and(|fault| fault != Fault::Illegal));
        let scope = if fatal { Scope::Match } else { Scope::Leg };
        let reason = if self.faults == BySeat::default() {
            TOTAL
        } else {
            FAULT
        };
        self.over.then_some(Outcome {
            winner,
            scores,
            reason,
            faults: self.faults,
            scope,
        })
    }

    pub fn text(&self) -> String {
        let mut text = String::new();
        let (seat, [a, b], [x, y]) = (self.seat, self.totals, self.last);
        writeln!(
            text,
            "R {} {seat} {a} {b} {x} {y} {}",
            self.round, self.over
        )
        .expect("a String takes every text");
        text
    }
}

pub fn verdict(legs: &[Outcome]) -> Verdict {
    if let Some((leg, end)) = legs
        .iter()
        .enumerate()
        .find(|(_, leg)| leg.scope == Scope::Match)
    {
        return Verdict {
            winner: end.winner.map(|seat| seat.entrant_in_leg(leg)),
            reason: FAULT,
        };
    }
    let wins = Entrant::BOTH.map(|entrant| {
        legs.iter()
            .enumerate()
            .filter(|(leg, end)| end.winner == Some(entrant.seat_in_leg(*leg)))
            .count() as i32
    });
    Verdict {
        winner: more(wins, Entrant::BOTH),
        reason: TOTAL,
    }
}

fn more<T>([a, b]: [i32; 2], [one, other]: [T; 2]) -> Option<T> {
    match a.cmp(&b) {
        std::cmp::Ordering::Greater => Some(one),
        std::cmp::Ordering::Less => Some(other),
        std::cmp::Ordering::Equal => None,
    }
}

pub const TOTAL: Reason = Reason {
    id: "total",
    text: Text::new("by more", "更多"),
};
pub const FAULT: Reason = Reason {
    id: "fault",
    text: Text::new("by a fault", "对方违规"),
};
