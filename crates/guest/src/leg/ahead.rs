//! A position as a search sees it: calls that take from an allowance. They change nothing, and what
//! fails in them is told to the search, not kept as a fault of the leg.

use std::sync::{Arc, OnceLock};

use leitai_game::erased::TextReplies;
use leitai_game::{GameFault, Reply, Seat, ToMove};
use leitai_module::wire::{Call, Intern, Reader, Wants, Writer};

use crate::calls::{Answer, NoAnswer};

use super::GuestLeg;

/// What a part of memory that a call puts back costs beside its fuel.
const FUEL_OF_PART: u64 = 100;
/// The most steps of a random leg, where the module does not bound it.
const MOST_STEPS: u32 = 10_000;

/// The bytes of legal actions from which on they count as memory: no game that somebody plays has so
/// many, and an answer may have 4 MiB.
const LONG_LIST: u64 = 64 << 10;

/// What a search may still take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Allowance {
    fuel: u64,
    bytes: u64,
}

impl Allowance {
    /// So much fuel, and so many bytes of positions.
    pub(crate) fn new(fuel: u64, bytes: u64) -> Allowance {
        Allowance { fuel, bytes }
    }
}

/// Why a search ends before its playouts do.
#[derive(Debug)]
pub(crate) enum Stopped {
    /// Nothing is left of its allowance.
    Spent,
    /// The rules failed.
    Failed(Box<GameFault>),
}

/// Random legs: how often first and second won, and how often neither.
pub(crate) type Ended = [u32; 3];

impl GuestLeg {
    /// The fuel that a search may take for one decision.
    pub(crate) fn search_fuel(&self) -> u64 {
        self.rules.search_fuel()
    }

    /// Keeps what failed in a search as a fault of the leg.
    pub(crate) fn keep_failure(&self, fault: GameFault) {
        let _ = self.fault.set(fault); // The first one is told.
    }

    /// The legal actions of a seat.
    pub(crate) fn list_ahead(
        &self,
        seat: Seat,
        allowance: &mut Allowance,
    ) -> Result<Vec<String>, Stopped> {
        let mut request = Writer::default();
        request.seat(seat);
        let owned = |texts: Vec<&str>| texts.into_iter().map(str::to_owned).collect();
        let legal: Vec<String> = self.ask_ahead(Call::Legal, request, allowance, |answer| {
            answer.texts().map(owned)
        })?;
        let bytes = legal.iter().map(|action| action.len() as u64).sum::<u64>();
        if bytes > LONG_LIST {
            allowance.bytes = allowance.bytes.checked_sub(bytes).ok_or(Stopped::Spent)?;
        }
        Ok(legal)
    }

    /// The position after a step.
    pub(crate) fn step_ahead(
        &self,
        replies: &TextReplies<'_>,
        allowance: &mut Allowance,
    ) -> Result<GuestLeg, Stopped> {
        let mut request = Writer::default();
        request.wants(Wants::NOTHING);
        request.replies(replies);
        let request = request.into_bytes();
        let answer = self.call_ahead(Call::Step, &request, allowance)?;
        let intern: Intern<'_> = &|text| self.rules.intern(text);
        let read = self.rules.read(Call::Step, &request, &answer, |answer| {
            let status = answer.status(intern)?;
            for _ in 0..answer.count(5)? {
                super::read_item(answer)?;
            }
            Some(status)
        });
        let status = read.map_err(Stopped::from)?;
        let image = answer.image.expect("a step keeps its image");
        let bytes = image.bytes_beside(&self.image) as u64;
        allowance.bytes = allowance.bytes.checked_sub(bytes).ok_or(Stopped::Spent)?;
        Ok(GuestLeg {
            image,
            status,
            // A search decides no matches.
            said: Arc::default(),
            fault: OnceLock::new(),
            ..self.copy()
        })
    }

    /// Plays random legs to their ends from here on.
    pub(crate) fn play_out_ahead(
        &self,
        chance: u64,
        legs: u32,
        allowance: &mut Allowance,
    ) -> Result<Ended, Stopped> {
        if !self.rules.has(Call::Playout) {
            return self.play_out_by_steps(chance, legs, allowance);
        }
        let mut request = Writer::default();
        request.long(chance);
        request.number(legs);
        request.number(MOST_STEPS);
        self.ask_ahead(Call::Playout, request, allowance, |answer| {
            let ended = [answer.number()?, answer.number()?, answer.number()?];
            answer.long()?;
            let sum: u64 = ended.iter().map(|count| u64::from(*count)).sum();
            (sum == u64::from(legs)).then_some(ended)
        })
    }

    /// The same for a module without `playout`.
    fn play_out_by_steps(
        &self,
        chance: u64,
        legs: u32,
        allowance: &mut Allowance,
    ) -> Result<Ended, Stopped> {
        let mut rng = leitai_game::Rng::new(chance);
        let mut ended = [0; 3];
        // What is played out is not kept.
        let kept = allowance.bytes;
        for _ in 0..legs {
            let mut leg: Option<GuestLeg> = None;
            for _ in 0..MOST_STEPS {
                let now = leg.as_ref().unwrap_or(self);
                if now.status.to_move == ToMove::Nobody {
                    break;
                }
                let next = now.step_at_random(&mut rng, allowance)?;
                allowance.bytes = kept;
                leg = Some(next);
            }
            let outcome = leg.as_ref().unwrap_or(self).status.outcome;
            let winner = outcome.and_then(|outcome| outcome.winner);
            ended[winner.map_or(2, Seat::index)] += 1;
        }
        Ok(ended)
    }

    fn step_at_random(
        &self,
        rng: &mut leitai_game::Rng,
        allowance: &mut Allowance,
    ) -> Result<GuestLeg, Stopped> {
        let mut actions = [None, None];
        for seat in Seat::BOTH {
            if self.status.to_move.asks_seat(seat) {
                actions[seat.index()] = self.sample_ahead(seat, rng, allowance)?;
            }
        }
        let reply = |seat: Seat| actions[seat.index()].as_deref().map(Reply::Action);
        let replies = leitai_game::BySeat::from_fn(reply);
        self.step_ahead(&replies, allowance)
    }

    /// A random legal action.
    pub(crate) fn sample_ahead(
        &self,
        seat: Seat,
        rng: &mut leitai_game::Rng,
        allowance: &mut Allowance,
    ) -> Result<Option<String>, Stopped> {
        if !self.rules.has(Call::Sample) {
            let mut legal = self.list_ahead(seat, allowance)?;
            let chosen = rng.next_below(legal.len());
            return Ok((chosen < legal.len()).then(|| legal.swap_remove(chosen)));
        }
        let mut request = Writer::default();
        request.seat(seat);
        request.long(rng.next_u64());
        let sampled = self.ask_ahead(Call::Sample, request, allowance, |answer| {
            answer.text().map(str::to_owned)
        });
        sampled.map(Some)
    }

    fn ask_ahead<T>(
        &self,
        call: Call,
        request: Writer,
        allowance: &mut Allowance,
        read: impl FnOnce(&mut Reader<'_>) -> Option<T>,
    ) -> Result<T, Stopped> {
        let request = request.into_bytes();
        let answer = self.call_ahead(call, &request, allowance)?;
        let read = self.rules.read(call, &request, &answer, read);
        read.map_err(Stopped::from)
    }

    fn call_ahead(
        &self,
        call: Call,
        request: &[u8],
        allowance: &mut Allowance,
    ) -> Result<Answer, Stopped> {
        let rules = &self.rules;
        let (taken, answer) = rules.call_within(allowance.fuel, &self.image, call, request);
        let cost = taken.fuel + FUEL_OF_PART * taken.parts as u64;
        allowance.fuel = allowance.fuel.saturating_sub(cost);
        answer.map_err(|why| match why {
            // A position that refuses what it is asked is not what the document describes.
            NoAnswer::Refused(_) => Stopped::from(rules.unreadable(call, request)),
            why => Stopped::from(why),
        })
    }
}

impl From<NoAnswer> for Stopped {
    fn from(why: NoAnswer) -> Stopped {
        match why {
            NoAnswer::Failed(fault) => Stopped::Failed(fault),
            NoAnswer::Refused(_) | NoAnswer::Spent => Stopped::Spent,
        }
    }
}
