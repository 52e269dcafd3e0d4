//! The tokens of a leg's replies, and a leg played from them step by step.

use crate::erased::{AnyLeg, AnySetup, AnySink, TextReplies};
use crate::game::ToMove;
use crate::invalid::InvalidSetup;
use crate::lang::say;
use crate::replay::record::LegRecord;
use crate::reply::{Fault, Reply};
use crate::seat::{BySeat, Seat};

/// Writes the replies of one step as a token: the notation of the action, or `!` and the code of a
/// fault. If both seats replied, first and second are joined by `/`; if only the second of two
/// asked seats replied, the token starts with `/`.
///
/// ```
/// use leitai_game::{BySeat, Fault, Reply, replay::write_token};
/// let mut token = String::new();
/// write_token(&BySeat::new(Some(Reply::Action("2")), Some(Reply::Fault(Fault::Timeout))), &mut token);
/// assert_eq!(token, "2/!TLE");
/// ```
pub fn write_token(replies: &TextReplies<'_>, out: &mut String) {
    let [first, second] = replies.into_pair();
    match (first, second) {
        (Some(one), None) | (None, Some(one)) => write_reply(one, out),
        (Some(first), Some(second)) => {
            write_reply(first, out);
            out.push('/');
            write_reply(second, out);
        }
        (None, None) => out.push('-'),
    }
}

fn write_reply(reply: Reply<&str>, out: &mut String) {
    match reply {
        Reply::Action(text) => out.push_str(text),
        Reply::Fault(fault) => {
            out.push('!');
            out.push_str(fault.code());
        }
    }
}

/// Reads a token as the replies of the asked seats.
pub fn parse_token(token: &str, to_move: ToMove) -> Result<TextReplies<'_>, String> {
    let mut replies = BySeat::new(None, None);
    match to_move {
        ToMove::Nobody => return Err(format!("reply {token:?} after the end of the leg")),
        ToMove::One(seat) => replies[seat] = Some(parse_reply(token)?),
        ToMove::Both => {
            let (first, second) = token
                .split_once('/')
                .ok_or_else(|| format!("{token:?} is not two replies joined by /"))?;
            replies = BySeat::new(Some(parse_reply(first)?), Some(parse_reply(second)?));
        }
    }
    Ok(replies)
}

fn parse_reply(text: &str) -> Result<Reply<&str>, String> {
    match text.strip_prefix('!') {
        None => Ok(Reply::Action(text)),
        Some(code) => Fault::from_code(code)
            .map(Reply::Fault)
            .ok_or(format!("unknown fault {code:?}")),
    }
}

/// The tokens of a leg's `replies`, one a step.
pub type ReplyTokens<'a> = std::str::SplitAsciiWhitespace<'a>;

/// Plays a recorded leg step by step.
pub struct ReplayWalker<'a> {
    leg: Box<dyn AnyLeg>,
    tokens: ReplyTokens<'a>,
    step: usize,
}

impl<'a> ReplayWalker<'a> {
    /// The walker before the first step.
    pub fn new(setup: &dyn AnySetup, record: &'a LegRecord) -> ReplayWalker<'a> {
        ReplayWalker {
            leg: setup.start_leg(),
            tokens: record.replies.split_ascii_whitespace(),
            step: 0,
        }
    }

    /// The current position.
    pub fn current_leg(&self) -> &dyn AnyLeg {
        &*self.leg
    }

    /// The current position, by value.
    pub fn into_leg(self) -> Box<dyn AnyLeg> {
        self.leg
    }

    /// Steps played so far.
    pub fn step_number(&self) -> usize {
        self.step
    }

    /// Plays the next step and returns the seats that replied; `None` at the end of the record.
    /// Fails on an unreadable token, and on rules that fail.
    pub fn next(
        &mut self,
        sink: &mut dyn AnySink,
    ) -> Result<Option<BySeat<Option<Reply<&'a str>>>>, InvalidSetup> {
        let Some(token) = self.tokens.next() else {
            return Ok(None);
        };
        let replies = parse_token(token, self.leg.to_move())
            .map_err(|why| InvalidSetup(say!("step {}: {why}", self.step)))?;
        let replies = self.check_readable(replies)?;
        self.leg.step(replies, sink);
        if let Some(fault) = self.leg.fault() {
            return Err(InvalidSetup::new(fault));
        }
        self.step += 1;
        Ok(Some(replies))
    }

    fn check_readable(&self, replies: TextReplies<'a>) -> Result<TextReplies<'a>, InvalidSetup> {
        for seat in Seat::BOTH {
            if let Some(Reply::Action(text)) = replies[seat]
                && !self.leg.knows_action(text)
            {
                if let Some(fault) = self.leg.fault() {
                    return Err(InvalidSetup::new(fault));
                }
                return Err(InvalidSetup(say!(
                    "step {}: there is no action {text:?}",
                    self.step
                )));
            }
        }
        Ok(replies)
    }
}
