//! Random players for tests, each with a preference for rare moves.

use leitai_game::{Rng, Seat};
use leitai_snakego::{Action, Cell, Position};

/// The preference of a player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Every legal action has the same probability.
    Wild,
    /// Avoids death where possible, and eats.
    Living,
    /// Runs into its own body to solidify.
    Fencing,
    /// Splits and shoots whenever it may.
    Splitting,
    /// Moves straight ahead, and closes only large loops.
    Circling,
}

impl Style {
    /// A legal action of the snake to act.
    pub fn choose(self, position: &Position, rng: &mut Rng) -> Action {
        let legal = Action::ALL
            .into_iter()
            .filter(|action| position.legal_mask() >> action.number() & 1 != 0);
        let weighed: Vec<(Action, usize)> = legal
            .map(|action| (action, self.weight(position, action)))
            .collect();
        let mut left = rng.next_below(weighed.iter().map(|(_, weight)| weight).sum());
        for (action, weight) in weighed {
            if left < weight {
                return action;
            }
            left -= weight;
        }
        unreachable!("a move is always legal in some direction, and every weight is positive")
    }

    fn weight(self, position: &Position, action: Action) -> usize {
        let [death, own, item, free, special] = match self {
            Style::Wild => [1, 1, 1, 1, 1],
            Style::Living => [1, 1, 4000, 1000, 30],
            Style::Fencing => [1, 9000, 4000, 1000, 40],
            Style::Splitting => [1, 300, 4000, 1000, 1500],
            Style::Circling => [1, 50_000, 1000, 1000, 5],
        };
        let Some(snake) = position.current() else {
            return 1;
        };
        let Some(direction) = action.direction() else {
            return special;
        };
        let Some(target) = direction.next_from(snake.head) else {
            return death;
        };
        let walled = Seat::BOTH
            .into_iter()
            .any(|seat| position.walls(seat).has(target));
        let loop_length = position
            .cells_of(snake)
            .iter()
            .position(|cell| *cell == target);
        let worth = match self {
            Style::Circling => loop_length >= Some(11),
            // The last snake of a side solidifies only if it is long.
            _ => snake.length >= 9 || position.snakes(position.seat()).len() > 1,
        };
        match () {
            () if walled => death,
            () if loop_length.is_some() && !worth => 1,
            () if loop_length.is_some() => own,
            () if position.bodies().has(target) => death,
            () if self == Style::Circling && snake.facing() == Some(direction) => 6 * free,
            () if position.item_cells().has(target) => item,
            () if nearest(position, target) < nearest(position, snake.head) => 3 * free,
            () => free,
        }
    }
}

/// A step to the nearest item on the map, regardless of walls and snakes.
fn nearest(position: &Position, from: Cell) -> u8 {
    let steps = |cell: Cell| cell.x().abs_diff(from.x()) + cell.y().abs_diff(from.y());
    position
        .item_cells()
        .cells()
        .map(steps)
        .min()
        .unwrap_or(u8::MAX)
}
