//! The bytes of `leitai-game/1`: what a request and an answer consist of. `docs/game-files.md` is
//! their description; both sides use this file.
//!
//! Whole numbers are little-endian. A text is its length in bytes (`u32`), then UTF-8. A list is its
//! length (`u32`), then its items.

use leitai_game::{
    BySeat, Entrant, Fault, Outcome, Perspective, Reason, Reply, Scope, Seat, ToMove, Verdict,
};
use std::fmt;
use std::time::Duration;

/// The name and version of the interface.
pub const INTERFACE: &str = "leitai-game/1";

/// What every exported name of this version begins with.
pub const PREFIX: &str = "leitai_game_1_";

/// The first byte of an answer: it was done, and what follows is the answer's.
pub const DONE: u8 = 0;
/// The first byte of an answer: it was refused, and what follows is a sentence that says why.
pub const REFUSED: u8 = 1;

/// A function of the interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// Choices to a config with every default written out.
    Config,
    /// A config and a seed to a setup.
    Deal,
    /// A setup to its first position, which the module keeps.
    Start,
    /// Replies to the next position, which the module keeps.
    Step,
    /// The legal actions of a seat.
    Legal,
    /// Whether an action is legal.
    Check,
    /// What a perspective knows.
    View,
    /// The canonical state text.
    Text,
    /// The verdict over the legs of a match.
    Decide,
    /// A random legal action.
    Sample,
    /// Random legs from the position on.
    Playout,
    /// Recorded games compared with the rules.
    Corpus,
    /// What a bot of the module plays.
    Bot,
}

impl Call {
    /// Every function, in the order of the document.
    pub const ALL: [Call; 13] = [
        Call::Config,
        Call::Deal,
        Call::Start,
        Call::Step,
        Call::Legal,
        Call::Check,
        Call::View,
        Call::Text,
        Call::Decide,
        Call::Sample,
        Call::Playout,
        Call::Corpus,
        Call::Bot,
    ];

    /// The exported name without its [`PREFIX`].
    pub const fn name(self) -> &'static str {
        match self {
            Call::Config => "config",
            Call::Deal => "deal",
            Call::Start => "start",
            Call::Step => "step",
            Call::Legal => "legal",
            Call::Check => "check",
            Call::View => "view",
            Call::Text => "text",
            Call::Decide => "decide",
            Call::Sample => "sample",
            Call::Playout => "playout",
            Call::Corpus => "corpus",
            Call::Bot => "bot",
        }
    }

    /// Whether a module may lack it.
    pub const fn is_optional(self) -> bool {
        matches!(
            self,
            Call::Config | Call::Decide | Call::Sample | Call::Playout | Call::Corpus | Call::Bot
        )
    }

    /// Whether what it leaves in memory is the next position.
    pub const fn is_kept(self) -> bool {
        matches!(self, Call::Start | Call::Step)
    }
}

/// What a step is to tell, beside the next position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wants {
    /// What happened, for viewers and logs.
    pub events: bool,
    /// The states that are hashed into replays.
    pub checkpoints: bool,
}

impl Wants {
    /// Nothing: what a search plays is neither shown nor kept.
    pub const NOTHING: Wants = Wants {
        events: false,
        checkpoints: false,
    };
}

/// The bytes of most answers.
const ROOM: usize = 1024;

/// Writes a request or an answer.
#[derive(Clone, Debug, Default)]
pub struct Writer(Vec<u8>);

impl Writer {
    /// Nothing yet, with room for most answers: growing step by step costs rules more than writing.
    pub fn with_room() -> Writer {
        Writer::in_room_of(Vec::new())
    }

    /// Nothing yet, in the room of something that was written before.
    pub fn in_room_of(mut earlier: Vec<u8>) -> Writer {
        earlier.clear();
        earlier.reserve(ROOM);
        Writer(earlier)
    }

    /// An answer that begins with [`DONE`].
    pub fn done() -> Writer {
        Writer::with_room().begin_done()
    }

    /// The same in this room.
    pub fn begin_done(mut self) -> Writer {
        self.byte(DONE);
        self
    }

    /// An answer that says why something is refused.
    pub fn refused(why: &str) -> Writer {
        let mut answer = Writer(vec![REFUSED]);
        answer.text(why);
        answer
    }

    /// What was written.
    pub fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    /// One byte.
    pub fn byte(&mut self, value: u8) {
        self.0.push(value);
    }

    /// A length, a count, a round.
    pub fn number(&mut self, value: u32) {
        self.0.extend(value.to_le_bytes());
    }

    /// A score.
    pub fn signed(&mut self, value: i32) {
        self.0.extend(value.to_le_bytes());
    }

    /// A seed, a duration in nanoseconds.
    pub fn long(&mut self, value: u64) {
        self.0.extend(value.to_le_bytes());
    }

    /// A text.
    pub fn text(&mut self, text: &str) {
        self.number(text.len() as u32);
        self.0.extend(text.as_bytes());
    }

    /// A text that is written piece by piece.
    ///
    /// # Panics
    ///
    /// If writing it fails, which it has no reason to do.
    pub fn written_text(&mut self, write: impl FnOnce(&mut dyn fmt::Write) -> fmt::Result) {
        let place = self.0.len();
        self.number(0);
        write(self).expect("there is always room");
        let length = (self.0.len() - place - 4) as u32;
        self.0[place..place + 4].copy_from_slice(&length.to_le_bytes());
    }

    /// Bytes as they are.
    pub fn raw(&mut self, bytes: &[u8]) {
        self.0.extend(bytes);
    }

    /// A list of texts.
    pub fn texts<'a>(&mut self, texts: impl ExactSizeIterator<Item = &'a str>) {
        self.number(texts.len() as u32);
        texts.for_each(|text| self.text(text));
    }

    /// 0 for the first seat, 1 for the second.
    pub fn seat(&mut self, seat: Seat) {
        self.byte(seat.index() as u8);
    }

    /// A seat, or 2 for everything.
    pub fn perspective(&mut self, perspective: Perspective) {
        match perspective {
            Perspective::Seat(seat) => self.seat(seat),
            Perspective::All => self.byte(2),
        }
    }

    /// The replies of one step: for each seat 0 for none, 1 and the action, or 16 and more for a
    /// fault.
    pub fn replies(&mut self, replies: &BySeat<Option<Reply<&str>>>) {
        for (_, reply) in replies.iter_pairs() {
            match reply {
                None => self.byte(0),
                Some(Reply::Action(action)) => {
                    self.byte(1);
                    self.text(action);
                }
                Some(Reply::Fault(fault)) => self.byte(fault_number(*fault)),
            }
        }
    }

    /// What a step is to tell: 1 if events are wanted, and 2 more if checkpoints are not.
    pub fn wants(&mut self, wants: Wants) {
        self.byte(u8::from(wants.events) | u8::from(!wants.checkpoints) << 1);
    }

    /// A rule that decides.
    pub fn reason(&mut self, reason: &Reason) {
        for text in [reason.id, reason.text.en, reason.text.zh] {
            self.text(text);
        }
    }

    /// A verdict: 0 for a draw, 1 for A, 2 for B; the reason.
    pub fn verdict(&mut self, verdict: &Verdict) {
        self.byte(verdict.winner.map_or(0, |winner| winner.index() as u8 + 1));
        self.reason(&verdict.reason);
    }

    /// The numbers of a position.
    pub fn status(&mut self, status: &Status) {
        self.byte(match status.to_move {
            ToMove::Nobody => 0,
            ToMove::One(seat) => seat.index() as u8 + 1,
            ToMove::Both => 3,
        });
        self.number(status.period);
        self.number(status.round);
        let limit = status.period_limit.map_or(0, |limit| limit.as_nanos());
        self.long(u64::try_from(limit).unwrap_or(u64::MAX));
        status
            .scores
            .iter_pairs()
            .for_each(|(_, score)| self.signed(*score));
        match &status.outcome {
            None => self.byte(0),
            Some(outcome) => {
                self.byte(1);
                self.outcome(outcome);
            }
        }
    }

    /// The end of a leg: 0 for a draw, 1 or 2 for the winner; scores; faults; what it ends; reason.
    fn outcome(&mut self, outcome: &Outcome) {
        self.byte(outcome.winner.map_or(0, |winner| winner.index() as u8 + 1));
        outcome
            .scores
            .iter_pairs()
            .for_each(|(_, score)| self.signed(*score));
        for (_, fault) in outcome.faults.iter_pairs() {
            self.byte(fault.map_or(0, fault_number));
        }
        self.byte(u8::from(outcome.scope == Scope::Match));
        self.reason(&outcome.reason);
    }
}

impl fmt::Write for Writer {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.raw(text.as_bytes());
        Ok(())
    }
}

/// The number of a fault: 16 and its place in [`Fault::ALL`].
fn fault_number(fault: Fault) -> u8 {
    let place = Fault::ALL.iter().position(|one| *one == fault);
    16 + place.expect("every fault is in the list") as u8
}

fn fault_of_number(number: u8) -> Option<Fault> {
    Fault::ALL
        .get(usize::from(number).checked_sub(16)?)
        .copied()
}

/// The numbers of a position, told after `start` and every `step`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs, reason = "as in leitai_game::Game")]
pub struct Status {
    pub to_move: ToMove,
    pub period: u32,
    pub round: u32,
    pub period_limit: Option<Duration>,
    pub scores: BySeat<i32>,
    pub outcome: Option<Outcome>,
}

/// Reads a request or an answer; `None` where it is damaged.
pub struct Reader<'a>(&'a [u8]);

/// Makes a constant of a text of strangers; `None` if they have too many.
pub type Intern<'a> = &'a dyn Fn(&str) -> Option<&'static str>;

impl<'a> Reader<'a> {
    /// From the first byte.
    pub fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader(bytes)
    }

    /// What has not been read.
    pub fn rest(&self) -> &'a [u8] {
        self.0
    }

    /// So many bytes.
    pub fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    /// See [`Writer::byte`].
    pub fn byte(&mut self) -> Option<u8> {
        self.array().map(u8::from_le_bytes)
    }

    /// See [`Writer::number`].
    pub fn number(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    /// See [`Writer::signed`].
    pub fn signed(&mut self) -> Option<i32> {
        self.array().map(i32::from_le_bytes)
    }

    /// See [`Writer::long`].
    pub fn long(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    /// See [`Writer::text`].
    pub fn text(&mut self) -> Option<&'a str> {
        let length = self.number()?;
        std::str::from_utf8(self.take(length as usize)?).ok()
    }

    /// See [`Writer::texts`]. A count that the bytes cannot hold is refused before it is believed.
    pub fn texts(&mut self) -> Option<Vec<&'a str>> {
        let count = self.count(4)?;
        (0..count).map(|_| self.text()).collect()
    }

    /// The length of a list whose items take at least so many bytes.
    pub fn count(&mut self, least: usize) -> Option<usize> {
        let count = self.number()? as usize;
        (count <= self.0.len() / least).then_some(count)
    }

    /// See [`Writer::seat`].
    pub fn seat(&mut self) -> Option<Seat> {
        Seat::BOTH.get(usize::from(self.byte()?)).copied()
    }

    /// See [`Writer::perspective`].
    pub fn perspective(&mut self) -> Option<Perspective> {
        match self.byte()? {
            2 => Some(Perspective::All),
            seat => Seat::BOTH
                .get(usize::from(seat))
                .map(|seat| Perspective::Seat(*seat)),
        }
    }

    /// See [`Writer::replies`].
    pub fn replies(&mut self) -> Option<BySeat<Option<Reply<&'a str>>>> {
        let [first, second] = [self.reply()?, self.reply()?];
        Some(BySeat::new(first, second))
    }

    fn reply(&mut self) -> Option<Option<Reply<&'a str>>> {
        match self.byte()? {
            0 => Some(None),
            1 => Some(Some(Reply::Action(self.text()?))),
            fault => Some(Some(Reply::Fault(fault_of_number(fault)?))),
        }
    }

    /// See [`Writer::wants`].
    pub fn wants(&mut self) -> Option<Wants> {
        let bits = self.byte()?;
        Some(Wants {
            events: bits & 1 != 0,
            checkpoints: bits & 2 == 0,
        })
    }

    /// See [`Writer::reason`].
    pub fn reason(&mut self, intern: Intern<'_>) -> Option<Reason> {
        let [id, en, zh] = [self.text()?, self.text()?, self.text()?].map(intern);
        Some(Reason::new(id?, en?, zh?))
    }

    /// See [`Writer::verdict`].
    pub fn verdict(&mut self, intern: Intern<'_>) -> Option<Verdict> {
        let winner = match self.byte()? {
            0 => None,
            winner => Some(*Entrant::BOTH.get(usize::from(winner) - 1)?),
        };
        let reason = self.reason(intern)?;
        Some(Verdict { winner, reason })
    }

    /// See [`Writer::status`].
    pub fn status(&mut self, intern: Intern<'_>) -> Option<Status> {
        let to_move = match self.byte()? {
            0 => ToMove::Nobody,
            3 => ToMove::Both,
            seat => ToMove::One(*Seat::BOTH.get(usize::from(seat) - 1)?),
        };
        let (period, round) = (self.number()?, self.number()?);
        let limit = self.long()?;
        let scores = BySeat::new(self.signed()?, self.signed()?);
        let outcome = match self.byte()? {
            0 => None,
            1 => Some(self.outcome(intern)?),
            _ => return None,
        };
        Some(Status {
            to_move,
            period,
            round,
            period_limit: (limit != 0).then(|| Duration::from_nanos(limit)),
            scores,
            outcome,
        })
    }

    fn outcome(&mut self, intern: Intern<'_>) -> Option<Outcome> {
        let winner = match self.byte()? {
            0 => None,
            winner => Some(*Seat::BOTH.get(usize::from(winner) - 1)?),
        };
        let scores = BySeat::new(self.signed()?, self.signed()?);
        let [first, second] = [self.fault()?, self.fault()?];
        let scope = match self.byte()? {
            0 => Scope::Leg,
            1 => Scope::Match,
            _ => return None,
        };
        Some(Outcome {
            winner,
            scores,
            reason: self.reason(intern)?,
            faults: BySeat::new(first, second),
            scope,
        })
    }

    fn fault(&mut self) -> Option<Option<Fault>> {
        match self.byte()? {
            0 => Some(None),
            number => fault_of_number(number).map(Some),
        }
    }
}
