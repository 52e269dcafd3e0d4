//! The moves of a leg so far. A [`Position`] stores the moves only as far as bodies reach; a
//! protocol or an export, which need all of them, use [`Steps`].

use leitai_game::Replies;
use leitai_game::{BySeat, Reply, Seat};

use crate::board::Direction;
use crate::position::Position;
use crate::setup::Setup;

/// The digits of both sides, one for each played round.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Steps(BySeat<String>);

impl Steps {
    /// Adds a played round.
    pub fn push(&mut self, moves: BySeat<Direction>) {
        for (seat, digits) in self.0.iter_mut() {
            digits.push(moves[seat].digit());
        }
    }

    /// Adds the replies of a step; "no move …: the round is not played, …, neither is recorded".
    pub fn push_replies(&mut self, replies: &Replies<Position>) {
        if let Some(moves) = both_moves(replies) {
            self.push(moves);
        }
    }

    /// The digits of one side.
    pub fn steps_of(&self, seat: Seat) -> &str {
        &self.0[seat]
    }
}

/// Both directions, if both sides gave one.
pub fn both_moves(replies: &Replies<Position>) -> Option<BySeat<Direction>> {
    match replies.into_pair() {
        [Some(Reply::Action(a)), Some(Reply::Action(b))] => Some(BySeat::new(a, b)),
        _ => None,
    }
}

/// The input of a site's bot on this seat: `<map>#<me.sx>#<me.sy>#(<my
/// steps>)#<you.sx>#<you.sy>#(<your steps>)`. "Same map for both, not mirrored."
pub fn input_string(setup: &Setup, steps: &Steps, seat: Seat) -> String {
    let side = |seat: Seat| {
        let start = setup.start_of(seat);
        format!("{}#{}#({})", start.x(), start.y(), steps.steps_of(seat))
    };
    format!(
        "{}#{}#{}",
        setup.map().text(),
        side(seat),
        side(seat.other())
    )
}
