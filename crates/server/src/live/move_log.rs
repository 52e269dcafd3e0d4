//! The moves of a match as the judge reported them, and the state that follows from them. Pure
//! state; appending is cheap.

use std::fmt;

use leitai_game::AnyLeg;
use leitai_game::replay::{MAX_STEPS, parse_token};
use leitai_judge::MatchProgress;

use super::{LiveMatchStart, LiveMatchState};

/// The moves of a match as the judge reported them.
pub struct MoveLog {
    /// The facts of the match.
    pub play: LiveMatchStart,
    /// The present leg.
    now: LegMoveLog,
    /// The previous leg, whose end spectators may not have received.
    before: Option<LegMoveLog>,
    /// The number of starts of legs.
    beginnings: u64,
    over: bool,
    /// The position after the first `followed` bytes of the leg's tokens, for the present state.
    leg: Box<dyn AnyLeg>,
    followed: usize,
}

/// The moves of one leg.
#[derive(Clone, Debug, Default)]
pub struct LegMoveLog {
    /// The leg, from 0.
    pub index: usize,
    /// A number that distinguishes this run of the leg from all other runs in the match.
    pub beginning: u64,
    /// Tokens separated by single spaces.
    pub tokens: String,
    /// See [`LiveMatches::append_steps`](super::LiveMatches::append_steps).
    pub times_us: Vec<u64>,
    steps: usize,
}

impl fmt::Debug for MoveLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Feed")
            .field("id", &self.play.id)
            .field("now", &self.now)
            .finish_non_exhaustive()
    }
}

impl MoveLog {
    /// A log before the first leg.
    pub fn new(play: LiveMatchStart) -> MoveLog {
        let leg = play.setup.start_leg();
        MoveLog {
            play,
            now: LegMoveLog::default(),
            before: None,
            beginnings: 0,
            over: false,
            leg,
            followed: 0,
        }
    }

    /// Begins a leg unless it has begun.
    pub fn ensure_leg(&mut self, index: usize) {
        let last = std::mem::take(&mut self.now);
        self.before = Some(last).filter(|last| last.index != index && last.beginning > 0);
        self.begin_leg(index);
    }

    /// Restarts a leg.
    pub fn restart_leg(&mut self, index: usize) {
        self.begin_leg(index);
    }

    fn begin_leg(&mut self, index: usize) {
        self.beginnings += 1;
        self.now = LegMoveLog {
            index,
            beginning: self.beginnings,
            ..LegMoveLog::default()
        };
        (self.leg, self.followed) = (self.play.setup.start_leg(), 0);
    }

    /// Appends tokens and times. Reports about another leg than the present one, and steps beyond
    /// the longest leg, are ignored.
    pub fn append_steps(&mut self, index: usize, tokens: &str, times_us: &[u64]) {
        if index != self.now.index || self.over {
            return;
        }
        for token in tokens
            .split_ascii_whitespace()
            .take(MAX_STEPS - self.now.steps)
        {
            if !self.now.tokens.is_empty() {
                self.now.tokens.push(' ');
            }
            self.now.tokens.push_str(token);
            self.now.steps += 1;
        }
        let room = (2 * self.now.steps).saturating_sub(self.now.times_us.len());
        self.now.times_us.extend(times_us.iter().take(room));
    }

    /// Marks the match as over.
    pub fn end_match(&mut self) {
        self.over = true;
    }

    /// The present state.
    pub fn current_state(&mut self) -> LiveMatchState {
        self.start_following();
        LiveMatchState {
            id: self.play.id,
            leg: self.now.index + 1,
            round: self.leg.round(),
            rounds: self.play.setup.max_rounds(),
            scores: (!self.is_secret()).then(|| self.leg.scores()),
            spectators: 0,
        }
    }

    /// Whether a leg is only shown after its end: there is fog, and a player could watch.
    pub fn is_secret(&self) -> bool {
        self.play.has_people && !self.play.game.is_open()
    }

    fn start_following(&mut self) {
        let new = self.now.tokens.get(self.followed..).unwrap_or_default();
        for token in new.split_ascii_whitespace() {
            let Ok(replies) = parse_token(token, self.leg.to_move()) else {
                break;
            };
            self.leg.step(replies, &mut ());
        }
        self.followed = self.now.tokens.len();
    }
}

/// The read position of the frame task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MoveLogCursor {
    beginning: u64,
    bytes: usize,
    times: usize,
}

/// New moves for the frame task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MoveLogPiece {
    /// The leg, from 0.
    pub index: usize,
    /// Whether the piece begins the leg.
    pub begins: bool,
    /// Tokens separated by spaces.
    pub tokens: String,
    /// The wall times of the replies.
    pub times_us: Vec<u64>,
}

impl MoveLog {
    /// Takes the next moves that may be shown. Must be called until it returns `None`.
    pub fn take_piece(&mut self, taken: &mut MoveLogCursor) -> Option<MoveLogPiece> {
        let hides_now = self.is_secret() && !self.over;
        let now = (!hides_now && self.beginnings > 0).then_some(&self.now);
        let before = self
            .before
            .as_ref()
            .filter(|leg| leg.beginning >= taken.beginning);
        let piece = [before, now]
            .into_iter()
            .flatten()
            .find_map(|leg| leg.next_piece(taken));
        if now.is_some_and(|now| now.beginning == taken.beginning) {
            self.before = None;
        }
        piece
    }

    /// Whether the match is over.
    pub fn is_over(&self) -> bool {
        self.over
    }
}

impl LegMoveLog {
    fn next_piece(&self, taken: &mut MoveLogCursor) -> Option<MoveLogPiece> {
        let begins = self.beginning > taken.beginning;
        if begins {
            *taken = MoveLogCursor {
                beginning: self.beginning,
                ..MoveLogCursor::default()
            };
        }
        let new = taken.beginning == self.beginning && (begins || self.tokens.len() > taken.bytes);
        let piece = new.then(|| MoveLogPiece {
            index: self.index,
            begins,
            tokens: self.tokens[taken.bytes..].trim_start().to_owned(),
            times_us: self
                .times_us
                .get(taken.times..)
                .unwrap_or_default()
                .to_vec(),
        })?;
        (taken.bytes, taken.times) = (self.tokens.len(), self.times_us.len());
        Some(piece)
    }
}

/// Extracts the new part of a judge's [`MatchProgress`], for
/// [`LiveMatches::append_steps`](super::LiveMatches::append_steps) or for a message to another
/// machine.
#[derive(Debug, Default)]
pub struct ProgressReader {
    index: Option<usize>,
    replies: usize,
    times: usize,
}

/// New moves of a leg.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LegProgress<'a> {
    /// The leg, from 0.
    pub index: usize,
    /// Whether the leg begins here, for the first time or again.
    pub begins: bool,
    /// New tokens.
    pub tokens: &'a str,
    /// The wall times of the replies.
    pub times_us: &'a [u64],
}

impl ProgressReader {
    /// The new moves, if there are any.
    pub fn read_progress<'a>(&mut self, progress: &MatchProgress<'a>) -> Option<LegProgress<'a>> {
        let begins = self.index != Some(progress.index) || progress.replies.len() < self.replies;
        if begins {
            *self = ProgressReader {
                index: Some(progress.index),
                ..ProgressReader::default()
            };
        }
        let tokens = progress
            .replies
            .get(self.replies..)
            .unwrap_or_default()
            .trim_start();
        let times_us = progress.times_us.get(self.times..).unwrap_or_default();
        (self.replies, self.times) = (progress.replies.len(), progress.times_us.len());
        (begins || !tokens.is_empty()).then_some(LegProgress {
            index: progress.index,
            begins,
            tokens,
            times_us,
        })
    }
}
