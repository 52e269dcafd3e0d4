//! Proofs without any evaluation, pruning by values or knowledge of a game: every line is played to
//! its end, or to a depth beyond which nothing is claimed.

use leitai_game::{AnyLeg, BySeat, Perspective, Reply, Seat, ToMove};
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
    let asked = match leg.to_move().asks_seat(seat) {
        true => seat,
        false => seat.other(),
    };
    let mut best = -1;
    for action in leg.legal_actions(asked) {
        best = best.max(value_of_action(leg, asked, &action, depth));
        if best == 1 {
            break;
        }
    }
    if asked == seat { best } else { -best }
}

/// Actions in TankCraft are the product of five tanks' orders. In the last round of a leg all that
/// counts is which mines are entered, as long as enemies are too far apart to shoot: these are the
/// orders that change a score by themselves, and all their combinations. `None` elsewhere.
pub fn list_last_orders(leg: &dyn AnyLeg, seat: Seat) -> Option<Vec<String>> {
    const STOP: [&str; 5] = ["STOP"; 5];
    let result_after = |orders: &[&str; 5]| {
        let (own, other) = (orders.join(";"), STOP.join(";"));
        let after = play_both(leg, seat, &own, &other);
        (
            after.scores(),
            after.view(Perspective::All)["owners"].clone(),
            after.outcome().is_some(),
        )
    };
    let still = result_after(&STOP);
    if leg.to_move() != ToMove::Both || !still.2 || !is_apart(leg) {
        return None;
    }
    let mut all = vec![STOP];
    for place in 0..STOP.len() {
        let before = all.clone();
        for way in ["GOUP", "GODOWN", "GOLEFT", "GORIGHT"] {
            let mut alone = STOP;
            alone[place] = way;
            if result_after(&alone) != still {
                all.extend(before.iter().map(|orders| {
                    let mut orders = *orders;
                    orders[place] = way;
                    orders
                }));
            }
        }
    }
    Some(all.iter().map(|orders| orders.join(";")).collect())
}

/// What orders of the last round lead to against all combinations of the other side's.
pub fn value_of_last_orders(leg: &dyn AnyLeg, seat: Seat, own: &str) -> i8 {
    let others = list_last_orders(leg, seat.other()).unwrap_or_default();
    let values = others.iter().map(|other| {
        let after = play_both(leg, seat, own, other);
        value_of_leg(&*after, seat, 0)
    });
    values.min().unwrap_or(0)
}

fn play_both(leg: &dyn AnyLeg, seat: Seat, own: &str, other: &str) -> Box<dyn AnyLeg> {
    let mut after = leg.clone_leg();
    let mut replies = BySeat::new(None, None);
    replies[seat] = Some(Reply::Action(own));
    replies[seat.other()] = Some(Reply::Action(other));
    after.step(replies, &mut ());
    after
}

/// Whether no tank can reach an enemy within a round, by the view of all.
fn is_apart(leg: &dyn AnyLeg) -> bool {
    const APART: u64 = 8;
    let view = leg.view(Perspective::All);
    let cells: Vec<Option<[u64; 2]>> = match view["tanks"].as_array() {
        Some(tanks) => tanks.iter().map(cell_of).collect(),
        None => return false,
    };
    let (red, blue) = cells.split_at(cells.len() / 2);
    red.iter().flatten().all(|[row, col]| {
        let far = |other: &[u64; 2]| row.abs_diff(other[0]) + col.abs_diff(other[1]) > APART;
        blue.iter().flatten().all(far)
    })
}

fn cell_of(tank: &serde_json::Value) -> Option<[u64; 2]> {
    let cell = tank["cell"].as_array()?;
    Some([cell.first()?.as_u64()?, cell.get(1)?.as_u64()?])
}
