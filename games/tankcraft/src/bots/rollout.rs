//! Plays a position out by a fast policy and says what the result is worth:
//! [`champion`](super::champion) tries its plans out with it.
//!
//! The policy is that of [`drive`](super::drive), shoot the weakest enemy in range, else drive to
//! the nearest mine of others, but for three things: a [`SidePlan`] can change what a tank does, a
//! [`Scenario`] says how ties are broken on each side, and its tables are made for speed.

use std::sync::Arc;

use leitai_game::{Rng, Seat};

use crate::bots::drive::{DirectionOrder, DriverBot};
use crate::cell::{Cell, Direction, Grid, SIDE};
use crate::map::MINES;
use crate::orders::TankOrder;
use crate::position::Position;
use crate::rules::join_orders;
use crate::setup::Setup;
use crate::tank::{TANKS, TEAM, Tank, TankType, team_range};

/// What a side does in a playout where it is not left to the policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SidePlan {
    /// Orders of the first round.
    pub first: [Option<TankOrder>; TEAM],
    /// The mine that a tank goes to until its side owns it.
    pub goals: [Option<u8>; TEAM],
    /// What else it does until then.
    pub manners: [Manner; TEAM],
}

/// How a tank behaves in a playout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    /// Shoots what is in range, else goes on.
    Fight,
    /// Does not shoot before it has reached its goal.
    Rush,
    /// Stays, and shoots what is in range.
    Hold,
}

impl SidePlan {
    /// Everything is left to the policy.
    pub const FREE: SidePlan = SidePlan {
        first: [None; TEAM],
        goals: [None; TEAM],
        manners: [Manner::Fight; TEAM],
    };

    /// Its orders of the first round; STOP where it has none.
    pub fn orders(&self) -> [TankOrder; TEAM] {
        self.first.map(Option::unwrap_or_default)
    }
}

/// The chance in a playout.
#[derive(Clone, Copy, Debug)]
pub struct Scenario {
    habits: [Habits; 2],
}

/// How a side breaks ties.
#[derive(Clone, Copy, Debug)]
struct Habits {
    directions: DirectionOrder,
    /// Mixed into the numbers of mines, of which the least is taken.
    mine_salt: u16,
}

impl Scenario {
    pub fn draw(rng: &mut Rng) -> Scenario {
        let mut habits = || Habits {
            directions: DirectionOrder::draw_order(rng),
            mine_salt: rng.next_below(16) as u16,
        };
        Scenario {
            habits: [habits(), habits()],
        }
    }
}

/// What a position is worth to a side, in tenths of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Weights {
    /// A mine.
    pub mine: i32,
    /// A living tank.
    pub tank: i32,
    /// The HP of a whole tank.
    pub life: i32,
    /// A round less to the mine that a tank goes to next.
    pub nearness: i32,
}

/// Farther than any mine that counts for [`Weights::nearness`].
const FAR: i32 = 12;
/// Cells of a row of the distance table, border included.
const ROW: usize = SIDE as usize + 2;
/// A mine that nobody wants.
const UNWANTED: u16 = u16::MAX;

/// Rounds from everywhere to every mine, for the bricks of one position. A copy is cheap.
#[derive(Clone)]
pub struct WayTable {
    bricks: [Grid; 2],
    /// Rounds to each mine, by cell.
    rounds: Arc<[[u8; MINES]]>,
}

impl WayTable {
    pub fn new(setup: &Setup, position: &Position) -> WayTable {
        let driver = DriverBot::new(setup, position);
        let cell = |n: usize| Cell::new((n / ROW) as u8, (n % ROW) as u8);
        let rounds = (0..ROW * ROW)
            .map(|n| std::array::from_fn(|mine| driver.rounds_to_mine(mine, cell(n))))
            .collect();
        WayTable {
            bricks: position.bricks,
            rounds,
        }
    }

    /// The table of a position on the same map: this one, if no brick has changed.
    pub fn update(self, setup: &Setup, position: &Position) -> WayTable {
        if self.bricks == position.bricks {
            self
        } else {
            WayTable::new(setup, position)
        }
    }
}

/// Plays positions on one map, the bricks on the ways as they were at the beginning.
pub struct Playout<'a> {
    setup: &'a Setup,
    ways: WayTable,
    weights: Weights,
}

impl<'a> Playout<'a> {
    pub fn new(setup: &'a Setup, ways: WayTable, weights: Weights) -> Playout<'a> {
        Playout {
            setup,
            ways,
            weights,
        }
    }

    /// Rounds from a cell to each mine.
    #[inline]
    pub fn rounds_from(&self, cell: Cell) -> &[u8; MINES] {
        &self.ways.rounds[usize::from(cell.row) * ROW + usize::from(cell.col)]
    }

    /// Plays so many rounds; the plans are red's and blue's.
    pub fn play(
        &self,
        position: &mut Position,
        plans: [&SidePlan; 2],
        scenario: &Scenario,
        rounds: usize,
    ) {
        for round in 0..rounds {
            if position.end().is_some() {
                return;
            }
            let [red, blue] = Seat::BOTH
                .map(|seat| self.choose(position, seat, plans[seat.index()], scenario, round == 0));
            position.play_round(self.setup, &join_orders(red, blue), &mut ());
        }
    }

    /// The orders of a side.
    pub fn choose(
        &self,
        position: &Position,
        seat: Seat,
        plan: &SidePlan,
        scenario: &Scenario,
        is_first: bool,
    ) -> [TankOrder; TEAM] {
        let mut side = Side::new(self.setup, position, seat);
        if is_first {
            side.give_first_orders(&plan.first);
        }
        side.order_fire(plan);
        let habits = &scenario.habits[seat.index()];
        let goals = self.assign_goals(&side, plan, habits.mine_salt);
        for (place, goal) in goals.into_iter().enumerate() {
            if let Some((mine, _)) = goal {
                self.step(&mut side, place, mine, &habits.directions);
            }
        }
        side.orders
    }

    /// Gives every free tank a mine and tells how far it is: the goals of the plan first, then the
    /// shortest way, no mine twice.
    fn assign_goals(&self, side: &Side, plan: &SidePlan, salt: u16) -> [Option<(usize, u8)>; TEAM] {
        let mut goals = [None; TEAM];
        let mut wanted = !side.position.owners[side.seat.index()] & ((1 << MINES) - 1);
        for (place, goal) in plan.goals.into_iter().enumerate() {
            let is_alive = side.tank(place).is_alive();
            if let Some(mine) = goal.filter(|mine| is_alive && wanted >> mine & 1 != 0) {
                wanted &= !(1 << mine);
                let mine = usize::from(mine);
                goals[place] = Some((mine, self.rounds_from(side.tank(place).cell)[mine]));
            }
        }
        let mut nearest = [UNWANTED; TEAM];
        for (place, near) in nearest.iter_mut().enumerate() {
            if side.is_free(place) && goals[place].is_none() {
                *near = self.nearest_mine(side.tank(place).cell, wanted, salt);
            }
        }
        for _ in 0..TEAM {
            let best = (0..TEAM).min_by_key(|place| nearest[*place]).unwrap_or(0);
            if nearest[best] == UNWANTED {
                break;
            }
            let mine = usize::from((nearest[best] ^ salt) & 15);
            goals[best] = Some((mine, (nearest[best] >> 4) as u8));
            wanted &= !(1 << mine);
            let taken = nearest[best] & 15;
            nearest[best] = UNWANTED;
            for (place, near) in nearest.iter_mut().enumerate() {
                if *near != UNWANTED && *near & 15 == taken {
                    *near = self.nearest_mine(side.tank(place).cell, wanted, salt);
                }
            }
        }
        goals
    }

    /// The nearest wanted mine: rounds times 16, and the mine's salted number.
    #[inline]
    fn nearest_mine(&self, cell: Cell, wanted: u16, salt: u16) -> u16 {
        let mut best = UNWANTED;
        for (mine, rounds) in (0u16..).zip(self.rounds_from(cell)) {
            let key = u16::from(*rounds) << 4 | (mine ^ salt);
            let key = if wanted >> mine & 1 == 0 {
                UNWANTED
            } else {
                key
            };
            best = best.min(key);
        }
        best
    }

    /// One step of a free tank towards a mine; a brick in the way is shot.
    fn step(&self, side: &mut Side, place: usize, mine: usize, directions: &DirectionOrder) {
        if !side.is_free(place) {
            return;
        }
        let cell = side.tank(place).cell;
        let ways = directions.list().into_iter().map(|way| cell.next(way));
        let mut best: Option<(u8, usize)> = None;
        for (n, next) in ways.enumerate() {
            let rounds = self.rounds_from(next)[mine];
            if best.is_none_or(|(least, _)| rounds < least) && side.is_passable(next) {
                best = Some((rounds, n));
            }
        }
        let Some((_, n)) = best else {
            return side.give_order(place, TankOrder::Stop, cell);
        };
        let way = directions.list()[n];
        let next = cell.next(way);
        if side.position.brick(next) > 0 {
            side.give_order(place, TankOrder::fire_at(next), cell);
        } else {
            side.give_order(place, TankOrder::Go(way), next);
        }
    }

    /// What a position is worth to a seat, less what it is worth to the other.
    pub fn evaluate(&self, position: &Position, seat: Seat) -> i32 {
        self.evaluate_side(position, seat) - self.evaluate_side(position, seat.other())
    }

    fn evaluate_side(&self, position: &Position, seat: Seat) -> i32 {
        let Weights {
            mine,
            tank,
            life,
            nearness,
        } = self.weights;
        let mut worth = 10 * position.gold(seat) as i32;
        if let Some(end) = position.end() {
            return worth + i32::from(end.winner == Some(seat)) * 10_000;
        }
        worth += mine * position.mines(seat) as i32;
        for one in &position.tanks[team_range(seat)] {
            if one.is_alive() {
                worth += tank + life * i32::from(one.life) / i32::from(one.kind.life());
            }
        }
        if nearness > 0 {
            let side = Side::new(self.setup, position, seat);
            let goals = self.assign_goals(&side, &SidePlan::FREE, 0);
            for (_, rounds) in goals.into_iter().flatten() {
                worth += nearness * (FAR - i32::from(rounds)).max(0);
            }
        }
        worth
    }
}

/// One side while its orders are chosen.
struct Side<'a> {
    setup: &'a Setup,
    position: &'a Position,
    seat: Seat,
    orders: [TankOrder; TEAM],
    said: [bool; TEAM],
    /// Cells on which a tank of the side will stand.
    claims: [Cell; TEAM],
}

impl<'a> Side<'a> {
    fn new(setup: &'a Setup, position: &'a Position, seat: Seat) -> Side<'a> {
        let start = team_range(seat).start;
        Side {
            setup,
            position,
            seat,
            orders: [TankOrder::Stop; TEAM],
            said: std::array::from_fn(|place| !position.tanks[start + place].is_alive()),
            claims: [Cell::NOWHERE; TEAM],
        }
    }

    #[inline]
    fn tank(&self, place: usize) -> &Tank {
        &self.position.tanks[team_range(self.seat).start + place]
    }

    /// Whether the tank is alive and has no order yet.
    #[inline]
    fn is_free(&self, place: usize) -> bool {
        !self.said[place]
    }

    #[inline]
    fn give_order(&mut self, place: usize, order: TankOrder, claim: Cell) {
        self.orders[place] = order;
        self.said[place] = true;
        self.claims[place] = claim;
    }

    fn give_first_orders(&mut self, first: &[Option<TankOrder>; TEAM]) {
        for (place, order) in first.iter().enumerate() {
            if let (Some(order), true) = (*order, self.is_free(place)) {
                let cell = self.tank(place).cell;
                let claim = match order {
                    TankOrder::Go(way) => cell.next(way),
                    _ => cell,
                };
                self.give_order(place, order, claim);
            }
        }
    }

    /// Not stone, not claimed by a friend, and no invincible enemy on it.
    #[inline]
    fn is_passable(&self, cell: Cell) -> bool {
        let deadly = |tank: &Tank| tank.noharm > 0 && tank.cell == cell;
        let enemies = &self.position.tanks[team_range(self.seat.other())];
        !self.setup.map().stone.has(cell)
            && !self.claims.contains(&cell)
            && !enemies.iter().any(deadly)
    }

    /// Whether the tank still follows its goal without a look at enemies.
    fn is_rushing(&self, plan: &SidePlan, place: usize) -> bool {
        let owned = self.position.owners[self.seat.index()];
        plan.manners[place] == Manner::Rush
            && plan.goals[place].is_some_and(|mine| owned >> mine & 1 == 0)
    }

    /// Everybody who has an enemy in range shoots, all at the weakest first; a strong tank next to
    /// a weak one rams.
    fn order_fire(&mut self, plan: &SidePlan) {
        let enemies = team_range(self.seat.other());
        let mut left = [0; TANKS];
        for enemy in enemies.clone() {
            let tank = &self.position.tanks[enemy];
            left[enemy] = if tank.noharm == 0 { tank.life } else { 0 };
        }
        for place in 0..TEAM {
            if !self.is_free(place) || self.is_rushing(plan, place) {
                continue;
            }
            let me = *self.tank(place);
            let target = enemies
                .clone()
                .filter(|enemy| {
                    let cell = self.position.tanks[*enemy].cell;
                    left[*enemy] > 0 && cell.distance(me.cell) <= me.kind.range()
                })
                .min_by_key(|enemy| left[*enemy]);
            match target {
                Some(enemy) => self.attack(place, &me, enemy, &mut left),
                None if plan.manners[place] == Manner::Hold => {
                    self.give_order(place, TankOrder::Stop, me.cell);
                }
                None => {}
            }
        }
    }

    fn attack(&mut self, place: usize, me: &Tank, enemy: usize, left: &mut [u8; TANKS]) {
        let cell = self.position.tanks[enemy].cell;
        match ram_direction(me, cell, left[enemy]) {
            Some(way) => {
                left[enemy] = 0;
                self.give_order(place, TankOrder::Go(way), cell);
            }
            None => {
                left[enemy] = left[enemy].saturating_sub(me.kind.attack());
                self.give_order(place, TankOrder::fire_at(cell), me.cell);
            }
        }
    }
}

/// The way onto a neighbour that a Pioneer can run down and still live.
fn ram_direction(me: &Tank, enemy: Cell, life: u8) -> Option<Direction> {
    let worth = me.kind == TankType::Pioneer && life > me.kind.attack() && me.life > life + 2;
    if !worth {
        return None;
    }
    Direction::ALL
        .into_iter()
        .find(|way| me.cell.next(*way) == enemy)
}
