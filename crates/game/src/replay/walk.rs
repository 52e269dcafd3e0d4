//! A leg played from the tokens of its replies, step by step.

use crate::erased::{AnyLeg, AnySetup, AnySink, TextReplies};
use crate::invalid::InvalidSetup;
use crate::lang::say;
use crate::replay::record::LegRecord;
use crate::replay::token::{ReplyTokens, parse_token};
use crate::reply::Reply;
use crate::seat::{BySeat, Seat};

/// Plays a recorded leg step by step.
pub struct ReplayWalker<'a> {
    leg: Box<dyn AnyLeg>,
    tokens: ReplyTokens<'a>,
    step: usize,
}

impl<'a> ReplayWalker<'a> {
    /// The walker before the first step.
    pub fn new(setup: &dyn AnySetup, record: &'a LegRecord) -> ReplayWalker<'a> {
        let mut leg = setup.start_leg();
        leg.recall(&record.shown);
        ReplayWalker {
            leg,
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
        if let Some(fault) = self.leg.fault() {
            return Err(InvalidSetup::new(fault));
        }
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
