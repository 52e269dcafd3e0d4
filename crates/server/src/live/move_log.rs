//! The moves of a match as the judge reported them, and the state that follows from them. Pure
//! state; appending is cheap.

use std::fmt;

use leitai_game::AnyLeg;
use leitai_game::replay::{MAX_STEPS, parse_token};
use leitai_judge::MatchProgress;
use serde::{Deserialize, Serialize};

use super::match_state::{LiveMatchStart, LiveMatchState};
use super::told_token::hear_token;

/// How much of a leg was reported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReportedSteps {
    /// The number of tokens.
    pub steps: usize,
    /// The number of times.
    pub times: usize,
}

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

    /// Appends tokens and times that come after those reported before; see
    /// [`LiveMatches::continue_steps`](super::LiveMatches::continue_steps).
    pub fn continue_steps(
        &mut self,
        index: usize,
        after: ReportedSteps,
        tokens: &str,
        times_us: &[u64],
    ) {
        if index != self.now.index {
            return;
        }
        let here = (
            self.now.steps.checked_sub(after.steps),
            self.now.times_us.len().checked_sub(after.times),
        );
        if let (Some(steps), Some(times)) = here {
            let new: Vec<&str> = tokens.split_ascii_whitespace().skip(steps).collect();
            let times_us = times_us.get(times..).unwrap_or_default();
            self.append_steps(index, &new.join(" "), times_us);
        }
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
            let token = hear_token(&mut *self.leg, token);
            let Ok(replies) = parse_token(token, self.leg.to_move()) else {
                break;
            };
            self.leg.step(replies, &mut ());
        }
        self.followed = self.now.tokens.len();
    }
}

/// A read position: that of the frame task, or of another server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MoveLogCursor {
    beginning: u64,
    bytes: usize,
    times: usize,
}

impl MoveLogCursor {
    /// The position in a log whose starts of legs are counted from this number on; `None` if it
    /// lies before.
    pub fn counted_from(self, base: u64) -> Option<MoveLogCursor> {
        let beginning = self.beginning.checked_sub(base).filter(|own| *own > 0)?;
        Some(MoveLogCursor { beginning, ..self })
    }
}

/// New moves of one leg for a log elsewhere that follows this one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SharedMoves {
    /// The leg, from 0.
    index: usize,
    /// What comes before these moves in the leg.
    after: MoveLogCursor,
    /// A part of the leg's tokens, as they are.
    tokens: String,
    times_us: Vec<u64>,
}

impl SharedMoves {
    /// The position after them.
    pub fn end(&self) -> MoveLogCursor {
        MoveLogCursor {
            bytes: self.after.bytes + self.tokens.len(),
            times: self.after.times + self.times_us.len(),
            ..self.after
        }
    }
}

/// Moves that do not follow the last one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MovesMissing;

/// The longest text of tokens in one [`SharedMoves`], in bytes.
const LONGEST_SHARED: usize = 32 << 10;

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
        [before, now]
            .into_iter()
            .flatten()
            .find_map(|leg| leg.next_piece(taken))
    }

    /// The number of starts of legs.
    pub fn beginnings(&self) -> u64 {
        self.beginnings
    }

    /// The position at the end.
    pub fn end(&self) -> MoveLogCursor {
        self.now.end()
    }

    /// The moves after this position for a log elsewhere, and whether they are all; a call with the
    /// position after them gives more. Secret ones are among them.
    pub fn moves_after(&self, position: MoveLogCursor) -> (Vec<SharedMoves>, bool) {
        let mut shared = Vec::new();
        let legs = self.before.iter().chain([&self.now]);
        for leg in legs.filter(|leg| leg.beginning > 0 && leg.beginning >= position.beginning) {
            let (moves, is_all) = leg.moves_after(position);
            shared.extend(moves);
            if !is_all {
                return (shared, false);
            }
        }
        (shared, true)
    }

    /// Adds the moves of the log that this one follows, whose starts of legs are counted from `base`
    /// on. Moves that are there already are left out.
    pub fn adopt_moves(&mut self, shared: &SharedMoves, base: u64) -> Result<(), MovesMissing> {
        let beginning = base + shared.after.beginning;
        if shared.after.beginning == 0 || beginning < self.now.beginning {
            return Ok(());
        }
        if beginning > self.now.beginning {
            let last = std::mem::take(&mut self.now);
            if last.index != shared.index {
                self.before = Some(last).filter(|last| last.beginning > 0);
            }
            self.beginnings = beginning - 1;
            self.begin_leg(shared.index);
        }
        let (bytes, times) = (self.now.tokens.len(), self.now.times_us.len());
        if shared.after.bytes > bytes || shared.after.times > times {
            return Err(MovesMissing);
        }
        let new = shared.tokens.get(bytes - shared.after.bytes..);
        let new_times = shared.times_us.get(times - shared.after.times..);
        self.now.times_us.extend(new_times.unwrap_or_default());
        let new = new.unwrap_or_default();
        self.now.tokens.push_str(new);
        self.now.steps += new.split_ascii_whitespace().count();
        Ok(())
    }

    /// Whether the match is over.
    pub fn is_over(&self) -> bool {
        self.over
    }
}

impl LegMoveLog {
    fn end(&self) -> MoveLogCursor {
        MoveLogCursor {
            beginning: self.beginning,
            bytes: self.tokens.len(),
            times: self.times_us.len(),
        }
    }

    fn moves_after(&self, position: MoveLogCursor) -> (Option<SharedMoves>, bool) {
        let begins = position.beginning < self.beginning;
        let after = match begins {
            true => MoveLogCursor {
                beginning: self.beginning,
                ..MoveLogCursor::default()
            },
            false => position,
        };
        if !begins && after == self.end() {
            return (None, true);
        }
        let tokens = self.tokens.get(after.bytes..).unwrap_or_default();
        let (tokens, is_all) = match tokens.len() > LONGEST_SHARED {
            // Between two tokens.
            true => {
                let most = tokens.floor_char_boundary(LONGEST_SHARED);
                let between = tokens[..most].rfind(' ').filter(|at| *at > 0);
                let cut = between.unwrap_or(tokens.len());
                (&tokens[..cut], cut == tokens.len())
            }
            false => (tokens, true),
        };
        // Every step has its times with it, or before it; at most two.
        let times_us = self.times_us.get(after.times..).unwrap_or_default();
        let most = match is_all {
            true => times_us.len(),
            false => {
                let steps = self.tokens[..after.bytes + tokens.len()].split(' ').count();
                (2 * steps).saturating_sub(after.times).min(times_us.len())
            }
        };
        let moves = SharedMoves {
            index: self.index,
            after,
            tokens: tokens.to_owned(),
            times_us: times_us[..most].to_vec(),
        };
        (Some(moves), is_all)
    }

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
