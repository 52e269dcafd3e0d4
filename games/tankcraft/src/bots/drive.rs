//! A fast policy for one side: shoot the weakest enemy in range; drive to the nearest mines of
//! others. [`miner`](super::miner) plays it directly, [`squad`](super::squad) uses it for
//! lookahead.

use leitai_game::{Rng, Seat};

use crate::cell::{Cell, Direction, SIDE};
use crate::map::MINES;
use crate::orders::TankOrder;
use crate::position::Position;
use crate::setup::Setup;
use crate::tank::{TANKS, TEAM, Tank, TankType, side_of, team_range};

/// The mine that each tank of a side is to take, where that is not left to the driver.
pub type MineGoals = [Option<u8>; TEAM];

/// Everything is left to the driver.
pub const NO_WISHES: MineGoals = [None; TEAM];

/// Ways to every mine, from the bricks as they are now.
pub struct DriverBot {
    ways: Box<[MineDistances; MINES]>,
}

/// The order in which equally good directions are tried.
#[derive(Clone, Copy, Debug)]
pub struct DirectionOrder([Direction; 4]);

impl DirectionOrder {
    pub fn draw_order(rng: &mut Rng) -> DirectionOrder {
        let mut directions = Direction::ALL;
        (1..4).for_each(|n| directions.swap(n, rng.next_below(n + 1)));
        DirectionOrder(directions)
    }

    pub fn list(&self) -> [Direction; 4] {
        self.0
    }
}

/// Rounds from every cell to one mine.
type MineDistances = [[u8; SIDE as usize + 2]; SIDE as usize + 2];

/// Farther than any way.
const NEVER: u8 = u8::MAX;

impl DriverBot {
    pub fn new(setup: &Setup, position: &Position) -> DriverBot {
        let mut ways = Box::new([[[NEVER; SIDE as usize + 2]; SIDE as usize + 2]; MINES]);
        for (way, mine) in ways.iter_mut().zip(setup.map().mines) {
            fill_distances(way, mine, setup, position);
        }
        DriverBot { ways }
    }

    /// Rounds to a mine, bricks on the way shot first.
    pub fn rounds_to_mine(&self, mine: usize, from: Cell) -> u8 {
        self.ways[mine][usize::from(from.row)][usize::from(from.col)]
    }

    /// Orders for a side, as if it saw everything on the position.
    pub fn choose_orders(
        &self,
        setup: &Setup,
        position: &Position,
        seat: Seat,
        wishes: &MineGoals,
        habits: &DirectionOrder,
    ) -> [TankOrder; TEAM] {
        let mut side = SideOrders::new(setup, position, seat);
        side.order_fire();
        let goals = self.assign_goals(&side, wishes);
        for (place, goal) in goals.into_iter().enumerate() {
            if let Some(mine) = goal {
                self.step(&mut side, place, mine, habits);
            }
        }
        side.orders
    }

    /// Gives every free tank a mine: the shortest way first, no mine twice; the wishes before that.
    fn assign_goals(&self, side: &SideOrders, wishes: &MineGoals) -> [Option<usize>; TEAM] {
        let mut goals = [None; TEAM];
        let mut wanted = !side.position.owners[side.seat.index()] & ((1 << MINES) - 1);
        for (goal, wish) in goals.iter_mut().zip(wishes) {
            if let Some(mine) = wish.filter(|mine| wanted >> mine & 1 != 0) {
                *goal = Some(mine.into());
                wanted &= !(1 << mine);
            }
        }
        for _ in 0..TEAM {
            let idle = (0..TEAM).filter(|place| side.is_free(*place) && goals[*place].is_none());
            let open = |mine: &usize| wanted >> mine & 1 != 0;
            let pairs = idle.flat_map(|place| {
                mines_in_order(side.seat)
                    .filter(open)
                    .map(move |mine| (place, mine))
            });
            let shortest = pairs
                .min_by_key(|(place, mine)| self.rounds_to_mine(*mine, side.tank(*place).cell));
            let Some((place, mine)) = shortest else { break };
            goals[place] = Some(mine);
            wanted &= !(1 << mine);
        }
        goals
    }

    /// One step of a free tank towards a mine; a brick in the way is shot.
    fn step(&self, side: &mut SideOrders, place: usize, mine: usize, habits: &DirectionOrder) {
        if !side.is_free(place) {
            return;
        }
        let tank = *side.tank(place);
        let near = habits
            .0
            .into_iter()
            .filter(|direction| side.passable(tank.cell.next(*direction)));
        let best =
            near.min_by_key(|direction| self.rounds_to_mine(mine, tank.cell.next(*direction)));
        let Some(direction) = best else {
            return side.order_stop(place);
        };
        let next = tank.cell.next(direction);
        if side.position.brick(next) > 0 {
            side.give_order(place, TankOrder::fire_at(next), tank.cell);
        } else {
            side.give_order(place, TankOrder::Go(direction), next);
        }
    }
}

/// The mines in the order in which a side counts them: half a turn turns red's order into blue's,
/// so that ties are broken alike for both.
pub fn mines_in_order(seat: Seat) -> impl Iterator<Item = usize> {
    (0..MINES).map(move |n| {
        if seat == Seat::First {
            n
        } else {
            MINES - 1 - n
        }
    })
}

/// Shortest ways from everywhere to one cell. A brick takes as many shots as it has HP, less for a
/// Striker, which is left out of account.
fn fill_distances(way: &mut MineDistances, mine: Cell, setup: &Setup, position: &Position) {
    let stone = &setup.map().stone;
    let mut queue = std::collections::VecDeque::from([mine]);
    way[usize::from(mine.row)][usize::from(mine.col)] = 0;
    while let Some(cell) = queue.pop_front() {
        let here = way[usize::from(cell.row)][usize::from(cell.col)];
        let far = here.saturating_add(1 + position.brick(cell)).min(NEVER - 1);
        for next in Direction::ALL.map(|direction| cell.next(direction)) {
            let known = &mut way[usize::from(next.row)][usize::from(next.col)];
            if !stone.has(next) && far < *known {
                *known = far;
                queue.push_back(next);
            }
        }
    }
}

/// One side while its orders are chosen.
struct SideOrders<'a> {
    setup: &'a Setup,
    position: &'a Position,
    seat: Seat,
    orders: [TankOrder; TEAM],
    said: [bool; TEAM],
    /// Cells on which a tank of the side will stand.
    claims: [Cell; TEAM],
}

impl<'a> SideOrders<'a> {
    fn new(setup: &'a Setup, position: &'a Position, seat: Seat) -> SideOrders<'a> {
        let mut said = [false; TEAM];
        for (place, tank) in team_range(seat).enumerate() {
            said[place] = !position.tanks[tank].is_alive();
        }
        SideOrders {
            setup,
            position,
            seat,
            orders: [TankOrder::Stop; TEAM],
            said,
            claims: [Cell::NOWHERE; TEAM],
        }
    }

    fn tank(&self, place: usize) -> &Tank {
        &self.position.tanks[team_range(self.seat).start + place]
    }

    /// Whether the tank is alive and has no order yet.
    fn is_free(&self, place: usize) -> bool {
        !self.said[place]
    }

    fn give_order(&mut self, place: usize, order: TankOrder, claim: Cell) {
        self.orders[place] = order;
        self.said[place] = true;
        self.claims[place] = claim;
    }

    fn order_stop(&mut self, place: usize) {
        self.give_order(place, TankOrder::Stop, self.tank(place).cell);
    }

    /// Not stone, not claimed by a friend, and no invincible enemy on it.
    fn passable(&self, cell: Cell) -> bool {
        let deadly = |tank: &Tank| tank.noharm > 0 && tank.cell == cell;
        let enemies = &self.position.tanks[team_range(self.seat.other())];
        !self.setup.map().stone.has(cell)
            && !self.claims.contains(&cell)
            && !enemies.iter().any(deadly)
    }

    /// Everybody who has an enemy in range shoots, all at the weakest first; a strong tank next to
    /// a weak one rams.
    fn order_fire(&mut self) {
        let mut left = [0; TANKS];
        for enemy in team_range(self.seat.other()) {
            let tank = &self.position.tanks[enemy];
            left[enemy] = if tank.noharm == 0 { tank.life } else { 0 };
        }
        for place in 0..TEAM {
            if !self.is_free(place) {
                continue;
            }
            let me = *self.tank(place);
            let in_range = |enemy: &usize| {
                left[*enemy] > 0
                    && self.position.tanks[*enemy].cell.distance(me.cell) <= me.kind.range()
            };
            let Some(enemy) = team_range(self.seat.other())
                .filter(in_range)
                .min_by_key(|enemy| left[*enemy])
            else {
                continue;
            };
            debug_assert_ne!(side_of(enemy), self.seat);
            let cell = self.position.tanks[enemy].cell;
            match ram_direction(&me, cell, left[enemy]) {
                Some(direction) => {
                    left[enemy] = 0;
                    self.give_order(place, TankOrder::Go(direction), cell);
                }
                None => {
                    left[enemy] = left[enemy].saturating_sub(me.kind.attack());
                    self.give_order(place, TankOrder::fire_at(cell), me.cell);
                }
            }
        }
    }
}

/// The way onto a neighbour that a Pioneer can run down and still live.
fn ram_direction(me: &Tank, enemy: Cell, life: u8) -> Option<Direction> {
    let worth = me.kind == TankType::Pioneer && life > me.kind.attack() && me.life > life + 2;
    Direction::ALL
        .into_iter()
        .find(|direction| worth && me.cell.next(*direction) == enemy)
}
