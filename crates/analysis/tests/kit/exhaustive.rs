//! Proofs without any evaluation, pruning by values or knowledge of a game: every line is played to
//! its end, or to a depth beyond which nothing is claimed.

use leitai_game::{AnyLeg, BySeat, Reply, Seat, ToMove};
use serde::{Deserialize, Serialize};

/// A position whose best actions, or a mistake in it, are proven.
#[derive(Debug, Serialize, Deserialize)]
pub struct ProvenPosition {
    /// The game.
    pub game: String,
    /// The config and the seed of the setup.
    pub config: serde_json::Value,
    /// See `config`.
    pub seed: u64,
    /// The replies up to the position, as in a replay.
    pub replies: String,
    /// Who decides.
    pub seat: Seat,
    /// The actions that are proven to be best.
    pub best: Vec<String>,
    /// An action that is proven to be worse.
    pub mistake: String,
}

/// What an action leads to for a seat whatever the other side does, which is thought to answer what
/// it cannot see in truth: 1 a win, 0 a draw or not decided within the depth, -1 a loss.
pub fn value_of_action(leg: &dyn AnyLeg, seat: Seat, action: &str, depth: u32) -> i8 {
    let others = match leg.to_move() {
        ToMove::Both => leg.legal_actions(seat.other()),
        _ => vec![String::new()],
    };
    let mut worst = 1;
    for other in &others {
        let mut after = leg.clone_leg();
        let mut replies = BySeat::new(None, None);
        replies[seat] = Some(Reply::Action(action));
        if !other.is_empty() {
            replies[seat.other()] = Some(Reply::Action(&**other));
        }
        after.step(replies, &mut ());
        worst = worst.min(value_of_leg(&*after, seat, depth - 1));
        if worst < 0 {
            break;
        }
    }
    worst
}

/// The same of a position.
pub fn value_of_leg(leg: &dyn AnyLeg, seat: Seat, depth: u32) -> i8 {
    if let Some(outcome) = leg.outcome() {
        return match outcome.winner {
            None => 0,
            Some(winner) if winner == seat => 1,
            Some(_) => -1,
        };
    }
    if depth == 0 {
        return 0;
    }
    let asked = if leg.to_move().asks_seat(seat) {
        seat
    } else {
        seat.other()
    };
    let mut best = -1;
    for action in leg.legal_actions(asked) {
        // In a turn-based game the other side's turn is its own decision.
        let value = match asked == seat {
            true => value_of_action(leg, seat, &action, depth),
            false => -value_of_action(leg, asked, &action, depth),
        };
        let value = if asked == seat { value } else { -value };
        best = best.max(value);
        if best == 1 {
            break;
        }
    }
    if asked == seat { best } else { -best }
}
