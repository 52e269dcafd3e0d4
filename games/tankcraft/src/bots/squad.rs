//! `squad`: remembers enemies, and tries out what its orders lead to.

use std::time::Duration;

use leitai_game::{Bot, BotClock, Rng, Seat};

use crate::bots::belief;
use crate::bots::drive::{DirectionOrder, DriverBot, MineGoals, NO_WISHES, mines_in_order};
use crate::cell::Cell;
use crate::orders::{Action, TankOrder};
use crate::position::Position;
use crate::rules::join_orders;
use crate::setup::Setup;
use crate::tank::{TEAM, Tank, TankType, team_range};
use crate::view::View;

/// Tries orders out. It keeps a guess of the whole position, which it corrects with every view;
/// then it looks, tank by tank, for the order or the mine that leads to the best position some
/// rounds later, if both sides play [`DriverBot`] until then.
///
/// A single look ahead is nearly noise: a tie broken differently changes every later fight, and a
/// bot that follows the best of fifty lucky guesses loses every match against `miner`. So each plan
/// is played several times with different habits, and must be better by a margin.
pub struct Squad {
    rng: Rng,
    /// What it expects the next round to begin with.
    guess: Option<Position>,
}

const CREW: [TankType; TEAM] = [
    TankType::Striker,
    TankType::Striker,
    TankType::Striker,
    TankType::Striker,
    TankType::Sniper,
];

/// Rounds that are tried out.
const AHEAD: usize = 14;
/// Times that each plan is tried out.
const SAMPLES: usize = 8;
/// Trials after which a plan that is no better so far is dropped.
const PATIENCE: usize = 3;
/// By how much a plan must be better, in units of [`SquadSearch::stand`] summed over all trials.
const MARGIN: i32 = 100 * SAMPLES as i32;
/// Nearest mines that are tried as goals of a tank.
const GOALS: usize = 4;
/// Time that must be left to go on thinking.
const RESERVE: Duration = Duration::from_millis(300);

impl Squad {
    pub fn new(seed: u64) -> Squad {
        Squad {
            rng: Rng::new(seed),
            guess: None,
        }
    }
}

impl Bot<Position> for Squad {
    fn choose_action(&mut self, setup: &Setup, view: &View, clock: &dyn BotClock) -> Action {
        if view.round == 0 {
            self.guess = None;
            return Action::Team(CREW);
        }
        let seat = view.own_seat().unwrap_or(Seat::First);
        let guess = self.guess.filter(|guess| guess.round == view.round);
        let now = guess.map_or_else(
            || belief::guess_opening(setup, view),
            |g| belief::merge_view(setup, view, &g),
        );
        let driver = DriverBot::new(setup, &now);
        let habits = [(); SAMPLES].map(|()| DirectionOrder::draw_order(&mut self.rng));
        let search = SquadSearch {
            setup,
            now,
            seat,
            driver,
            habits,
        };
        let orders = search.find_best(&mut self.rng, clock);
        self.guess = Some(search.position_after(&orders, &habits[0]));
        Action::Orders(orders)
    }
}

/// One decision.
struct SquadSearch<'a> {
    setup: &'a Setup,
    now: Position,
    seat: Seat,
    driver: DriverBot,
    /// The habits of both sides in each trial.
    habits: [DirectionOrder; SAMPLES],
}

/// What the side does: the orders of this round where they are not the driver's, and goals for the
/// rounds after.
#[derive(Clone, Copy)]
struct SquadPlan {
    first: [Option<TankOrder>; TEAM],
    wishes: MineGoals,
}

impl SquadSearch<'_> {
    fn find_best(&self, rng: &mut Rng, clock: &dyn BotClock) -> [TankOrder; TEAM] {
        let mut plan = SquadPlan {
            first: [None; TEAM],
            wishes: NO_WISHES,
        };
        let mut best = std::array::from_fn(|n| self.try_plan(&plan, n));
        let mut places = [0, 1, 2, 3, 4];
        (1..TEAM).for_each(|n| places.swap(n, rng.next_below(n + 1)));
        for place in places {
            for other in self.vary_plan(&plan, place) {
                if clock.time_left().is_some_and(|left| left < RESERVE) {
                    return self.orders_of_plan(&plan);
                }
                if let Some(worth) = self.improve_on(&other, &best) {
                    (plan, best) = (other, worth);
                }
            }
        }
        self.orders_of_plan(&plan)
    }

    /// What a plan leads to in each trial, if that is better by the margin.
    fn improve_on(&self, plan: &SquadPlan, best: &[i32; SAMPLES]) -> Option<[i32; SAMPLES]> {
        let (mut worth, mut gain) = ([0; SAMPLES], 0);
        for n in 0..SAMPLES {
            worth[n] = self.try_plan(plan, n);
            gain += worth[n] - best[n];
            if n + 1 >= PATIENCE && gain <= 0 {
                return None;
            }
        }
        (gain > MARGIN).then_some(worth)
    }

    /// Variations of a plan for one tank.
    fn vary_plan(&self, plan: &SquadPlan, place: usize) -> Vec<SquadPlan> {
        let tank = self.now.tanks[team_range(self.seat).start + place];
        if !tank.is_alive() {
            return Vec::new();
        }
        let order = |order| {
            let mut plan = *plan;
            plan.first[place] = Some(order);
            plan
        };
        let goal = |mine: usize| {
            let mut plan = *plan;
            plan.first[place] = None;
            plan.wishes[place] = Some(mine as u8);
            plan
        };
        let goals = self.near_mines(tank.cell).into_iter().map(goal);
        goals
            .chain(self.candidate_orders(&tank).into_iter().map(order))
            .collect()
    }

    fn near_mines(&self, cell: Cell) -> Vec<usize> {
        let foreign = |mine: &usize| self.now.owner(*mine) != Some(self.seat);
        let mut near: Vec<usize> = mines_in_order(self.seat).filter(foreign).collect();
        near.sort_by_key(|mine| self.driver.rounds_to_mine(*mine, cell));
        near.truncate(GOALS);
        near
    }

    fn candidate_orders(&self, tank: &Tank) -> Vec<TankOrder> {
        let ways = belief::open_ways(self.setup, tank.cell).map(TankOrder::Go);
        let enemies = self.now.tanks[team_range(self.seat.other())].iter();
        let near = enemies.filter(|enemy| {
            enemy.is_alive() && enemy.cell.distance(tank.cell) <= tank.kind.range()
        });
        let shots = near.map(|enemy| TankOrder::fire_at(enemy.cell));
        ways.chain(shots).chain([TankOrder::Stop]).collect()
    }

    /// The orders of a plan for this round.
    fn orders_of_plan(&self, plan: &SquadPlan) -> [TankOrder; TEAM] {
        let mut orders = self.play_plan(&self.now, self.seat, &plan.wishes, &self.habits[0]);
        for (order, first) in orders.iter_mut().zip(plan.first) {
            *order = first.unwrap_or(*order);
        }
        orders
    }

    fn play_plan(
        &self,
        position: &Position,
        seat: Seat,
        wishes: &MineGoals,
        habits: &DirectionOrder,
    ) -> [TankOrder; TEAM] {
        self.driver
            .choose_orders(self.setup, position, seat, wishes, habits)
    }

    /// The position after this round, the enemy playing the driver.
    fn position_after(&self, own: &[TankOrder; TEAM], habits: &DirectionOrder) -> Position {
        let mut position = self.now;
        self.play_round(&mut position, own, habits);
        position
    }

    fn play_round(
        &self,
        position: &mut Position,
        own: &[TankOrder; TEAM],
        habits: &DirectionOrder,
    ) {
        let enemy = self.play_plan(position, self.seat.other(), &NO_WISHES, habits);
        let orders = if self.seat == Seat::First {
            join_orders(*own, enemy)
        } else {
            join_orders(enemy, *own)
        };
        position.play_round(self.setup, &orders, &mut ());
    }

    /// What a plan leads to in trial n.
    fn try_plan(&self, plan: &SquadPlan, n: usize) -> i32 {
        let habits = &self.habits[n];
        let mut position = self.position_after(&self.orders_of_plan(plan), habits);
        for _ in 1..AHEAD {
            let own = self.play_plan(&position, self.seat, &plan.wishes, habits);
            self.play_round(&mut position, &own, habits);
        }
        self.evaluate_position(&position, self.seat)
            - self.evaluate_position(&position, self.seat.other())
    }

    /// The value of a position for a side: resources, the future income of its mines, and tanks.
    fn evaluate_position(&self, position: &Position, seat: Seat) -> i32 {
        let won = i32::from(position.end().is_some_and(|end| end.winner == Some(seat)));
        let tanks = position.tanks[team_range(seat)].iter();
        let force: i32 = tanks
            .filter(|tank| tank.is_alive())
            .map(tank_strength)
            .sum();
        won * 10_000 + 10 * position.gold(seat) as i32 + 120 * position.mines(seat) as i32 + force
    }
}

/// What a living tank is worth, by its type and HP.
fn tank_strength(tank: &Tank) -> i32 {
    60 + 60 * i32::from(tank.life) / i32::from(tank.kind.life())
}
