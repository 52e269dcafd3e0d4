//! Rounds as alpha-beta searches them: two half-moves, of which the second sees the first.

use leitai_game::Seat;
use leitai_game::rng::mix_seed;
use leitai_search::alpha_beta::AlphaBetaGame;

use crate::board::Direction;
use crate::bots::evaluation::{Weights, evaluate_position};
use crate::position::Position;
use crate::setup::Setup;

/// The game from one seat's point of view. On the standard board two heads never meet (parity), so
/// a direction's safety does not depend on the other's choice. The own half-move comes first and
/// the other side answers what it cannot see in truth: a value is a lower bound of the
/// simultaneous game, and a win that is found is forced.
pub struct RoundSearch<'a> {
    /// The leg's setup.
    pub setup: &'a Setup,
    /// Whose values are searched.
    pub me: Seat,
    /// How positions are weighed.
    pub weights: &'a Weights,
    /// What is overlooked.
    pub oversight: Oversight,
}

/// Answers of the other side that a level does not see: a share of them, drawn from the seed and
/// the position, so that the same position is always seen in the same way.
#[derive(Clone, Copy, Debug, Default)]
pub struct Oversight {
    /// How many in 1024 are overlooked. One answer is always seen.
    pub share: u16,
    /// The seed of the draw.
    pub seed: u64,
}

impl Oversight {
    /// The answers that are seen.
    fn keep_seen(self, position: &Position, own: Direction, answers: u8) -> u8 {
        if self.share == 0 {
            return answers;
        }
        let key = mix_seed(position.key() ^ self.seed, u64::from(own.number()) + 1);
        let is_seen = |answer: &Direction| {
            key >> (10 * u32::from(answer.number())) & 1023 >= u64::from(self.share)
        };
        let seen: u8 = Direction::of_mask(answers)
            .filter(is_seen)
            .map(|answer| 1 << answer.number())
            .sum();
        if seen == 0 {
            answers & answers.wrapping_neg()
        } else {
            seen
        }
    }
}

/// A position, and the own direction once it is chosen.
#[derive(Clone, Copy, Debug)]
pub struct HalfRound {
    position: Position,
    /// Directions that are not sure to kill, the own and the other's.
    choices: [u8; 2],
    own: Option<Direction>,
}

impl RoundSearch<'_> {
    /// The moment before a round.
    pub fn node(&self, position: Position) -> HalfRound {
        let choices = [self.me, self.me.other()].map(|seat| position.safe_mask(self.setup, seat));
        HalfRound {
            position,
            choices,
            own: None,
        }
    }

    /// The moment after the own choice, before the other side's. `None` if the direction is sure to
    /// kill or the round cannot be played.
    pub fn node_after(&self, position: Position, own: Direction) -> Option<HalfRound> {
        let node = self.node(position);
        let [mine, theirs] = node.choices;
        (mine >> own.number() & 1 != 0 && theirs != 0).then_some(HalfRound {
            own: Some(own),
            ..node
        })
    }
}

impl AlphaBetaGame for RoundSearch<'_> {
    type Node = HalfRound;
    type Move = Direction;

    #[inline]
    fn is_own_turn(&self, node: &HalfRound) -> bool {
        node.own.is_none()
    }

    /// A side without a way out dies in this round; so do both if neither has one. A leg that two
    /// heads on one cell have ended leaves nobody a way either.
    #[inline]
    fn result(&self, node: &HalfRound) -> Option<i8> {
        match node.choices.map(|mask| mask == 0) {
            [false, false] => None,
            [true, true] => Some(0),
            [true, false] => Some(-1),
            [false, true] => Some(1),
        }
    }

    #[inline]
    fn write_moves(&self, node: &HalfRound, moves: &mut Vec<Direction>) {
        let [own, answers] = node.choices;
        let mask = match node.own {
            None => own,
            Some(own) => self.oversight.keep_seen(&node.position, own, answers),
        };
        moves.extend(Direction::of_mask(mask));
    }

    #[inline]
    fn play(&self, node: &HalfRound, action: Direction) -> HalfRound {
        let Some(own) = node.own else {
            return HalfRound {
                own: Some(action),
                ..*node
            };
        };
        let mut position = node.position;
        let moves = match self.me {
            Seat::First => [own, action],
            Seat::Second => [action, own],
        };
        position.play_round(self.setup, moves);
        self.node(position)
    }

    #[inline]
    fn evaluate(&self, node: &HalfRound) -> i32 {
        let value = evaluate_position(self.setup, &node.position, self.weights);
        match self.me {
            Seat::First => value,
            Seat::Second => -value,
        }
    }

    #[inline]
    fn key(&self, node: &HalfRound) -> u64 {
        let own = node
            .own
            .map_or(0, |direction| 1 + u64::from(direction.number()));
        node.position.key() ^ own.wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    #[inline]
    fn may_stop(&self, node: &HalfRound) -> bool {
        node.own.is_none()
    }

    #[inline]
    fn history_slot(&self, node: &HalfRound, action: Direction) -> usize {
        let other = usize::from(node.own.is_some());
        let seat = [self.me, self.me.other()][other];
        other << 10 | usize::from(node.position.head(seat).0) << 2 | action as usize
    }
}
