//! The strongest built-in bot.
//!
//! It holds several guesses of the whole position (particles), which it corrects with every view.
//! Each of its trials plays a plan of its side out from one of them by the policy of
//! `rollout`, with the habits and the goals of the enemy drawn anew. From the plan that leaves all
//! to the policy it climbs, tank by tank, to better ones: the variations of a tank's part race
//! against each other in the same trials ([`leitai_search::halving`]), and the winner is taken if
//! it gains enough. Passes over the tanks go on with ever more trials until nothing changes or the
//! time is up.

mod known_orders;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use leitai_game::{Bot, BotClock, Rng, Seat};
use leitai_search::SearchBudget;
use leitai_search::halving::{HalvingPlan, RaceWinner, Trial, find_winner};
use leitai_search::threads::search_beside;

use crate::bots::belief;
use crate::bots::rollout::{Manner, Playout, Scenario, SidePlan, WayTable, Weights};
use crate::map::MINES;
use crate::orders::{Action, TankOrder};
use crate::position::{Orders, Position};
use crate::rules::join_orders;
use crate::setup::Setup;
use crate::tank::{TEAM, Tank, TankType, team_range};
use crate::view::View;

/// How a [`Champion`] searches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChampionOptions {
    /// The types of its tanks.
    pub team: [TankType; TEAM],
    /// Guesses of the position that it holds at once.
    pub particles: usize,
    /// Rounds that a trial plays.
    pub ahead: usize,
    /// Trials of every variation before the worse half of them is dropped.
    pub first_trials: usize,
    /// Trials of the last ones in the first pass; every pass doubles them.
    pub all_trials: usize,
    /// Passes over the tanks.
    pub passes: usize,
    /// By how much a variation must be better in the mean, in tenths of a resource.
    pub margin: i32,
    /// In standard errors of the gain, in hundredths.
    pub sureness: i32,
    /// How often an enemy tank of a trial has a goal of its own, in percent.
    pub variety: usize,
    /// Nearest mines that are tried as goals of a tank.
    pub goals: usize,
    /// A mine, in tenths of a resource.
    pub mine: i32,
    /// A living tank.
    pub tank: i32,
    /// The HP of a whole tank.
    pub life: i32,
    /// A round less to the mine that a tank goes to next.
    pub nearness: i32,
    /// Trials where nobody counts time, or where `most_millis` is 0.
    pub untimed_trials: u64,
    /// Most milliseconds of a move; 0: the trials are counted, whatever the time.
    pub most_millis: u64,
    /// How far from its tanks it notices an enemy, be it in sight or not, in hundredths of a cell; the
    /// rest of a cell is the chance to notice one that far away. `u16::MAX`: it overlooks nothing.
    pub notice: u16,
    /// Whether it remembers and guesses where enemies are that it does not notice.
    pub memory: bool,
}

impl Default for ChampionOptions {
    fn default() -> ChampionOptions {
        use TankType::{Sniper, Striker};
        ChampionOptions {
            team: [Striker, Striker, Striker, Sniper, Sniper],
            particles: 4,
            ahead: 14,
            first_trials: 4,
            all_trials: 16,
            passes: 5,
            margin: 40,
            sureness: 150,
            variety: 25,
            goals: 4,
            mine: 120,
            tank: 60,
            life: 60,
            nearness: 6,
            untimed_trials: 300,
            most_millis: 400,
            notice: u16::MAX,
            memory: true,
        }
    }
}

/// The strongest built-in bot.
pub struct Champion {
    rng: Rng,
    options: ChampionOptions,
    /// What it expects the next round to begin with.
    particles: Vec<Position>,
    last: SidePlan,
    ways: Option<WayTable>,
}

impl Champion {
    /// With the default options.
    pub fn new(seed: u64) -> Champion {
        Champion::with_options(seed, ChampionOptions::default())
    }

    /// With these options.
    pub fn with_options(seed: u64, options: ChampionOptions) -> Champion {
        Champion {
            rng: Rng::new(seed),
            options,
            particles: Vec::new(),
            last: SidePlan::FREE,
            ways: None,
        }
    }

    fn correct_particles(&mut self, setup: &Setup, view: &View) {
        if !self.options.memory {
            self.particles = vec![belief::only_seen(setup, view)];
            return;
        }
        let is_current = |guess: &Position| guess.round == view.round;
        if self.particles.is_empty() || !self.particles.iter().all(is_current) {
            let opening = belief::guess_opening(setup, view);
            self.particles = vec![opening; self.options.particles.max(1)];
            self.last = SidePlan::FREE;
        }
        for guess in &mut self.particles {
            *guess = belief::merge_view(setup, view, guess);
        }
    }

    /// Plays the round in every particle.
    fn advance_particles(&mut self, search: &PlanSearch, orders: [TankOrder; TEAM]) {
        for (n, guess) in self.particles.iter_mut().enumerate() {
            let world = &search.worlds[n % search.worlds.len()];
            let enemy = search.playout.choose(
                guess,
                search.seat.other(),
                &world.enemy,
                &world.scenario,
                true,
            );
            guess.play_round(search.setup, &search.join(orders, enemy), &mut ());
        }
    }
}

impl Bot<Position> for Champion {
    fn choose_action(&mut self, setup: &Setup, view: &View, clock: &dyn BotClock) -> Action {
        if view.round == 0 {
            self.particles.clear();
            self.ways = None;
            return Action::Team(self.options.team);
        }
        let seat = view.own_seat().unwrap_or(Seat::First);
        let noticed = belief::overlook_far(view, seat, self.options.notice, &mut self.rng);
        self.correct_particles(setup, &noticed);
        let trials = self.options.untimed_trials;
        let budget = match self.options.most_millis {
            0 => SearchBudget::nodes(trials),
            most => SearchBudget::clock(clock, Duration::from_millis(most), trials),
        };
        let particles = std::mem::take(&mut self.particles);
        let ways = match self.ways.take() {
            Some(ways) => ways.update(setup, &particles[0]),
            None => WayTable::new(setup, &particles[0]),
        };
        self.ways = Some(ways.clone());
        let (options, rng) = (self.options, &mut self.rng);
        let mut search = PlanSearch::new(setup, ways, &particles, seat, options, rng);
        search.threads = budget.threads();
        let plan = search.climb(&self.last, budget, &mut self.rng);
        let orders = plan.orders();
        self.particles = particles.clone();
        self.advance_particles(&search, orders);
        self.last = plan;
        Action::Orders(orders)
    }
}

/// The circumstances of a trial.
struct World {
    particle: usize,
    scenario: Scenario,
    /// What the enemy does.
    enemy: SidePlan,
}

/// One decision.
pub(super) struct PlanSearch<'a> {
    setup: &'a Setup,
    particles: &'a [Position],
    seat: Seat,
    options: ChampionOptions,
    playout: Playout<'a>,
    worlds: Vec<World>,
    /// Trials so far.
    trials: u64,
    /// The threads that share the trials; at least 1.
    threads: usize,
}

impl<'a> PlanSearch<'a> {
    pub(super) fn new(
        setup: &'a Setup,
        ways: WayTable,
        particles: &'a [Position],
        seat: Seat,
        options: ChampionOptions,
        rng: &mut Rng,
    ) -> PlanSearch<'a> {
        let ChampionOptions {
            mine,
            tank,
            life,
            nearness,
            ..
        } = options;
        let weights = Weights {
            mine,
            tank,
            life,
            nearness,
        };
        let mut search = PlanSearch {
            setup,
            particles,
            seat,
            options,
            playout: Playout::new(setup, ways, weights),
            worlds: Vec::new(),
            trials: 0,
            threads: 1,
        };
        search.draw_worlds(options.all_trials, rng);
        search
    }

    /// Draws worlds until there are so many.
    fn draw_worlds(&mut self, count: usize, rng: &mut Rng) {
        while self.worlds.len() < count.max(1) {
            let particle = self.worlds.len() % self.particles.len();
            let scenario = Scenario::draw(rng);
            let enemy = self.draw_enemy(particle, rng);
            self.worlds.push(World {
                particle,
                scenario,
                enemy,
            });
        }
    }

    /// The enemy left to the policy, some of its tanks with goals of their own.
    fn draw_enemy(&self, particle: usize, rng: &mut Rng) -> SidePlan {
        let mut plan = SidePlan::FREE;
        let enemy = self.seat.other();
        let tanks = &self.particles[particle].tanks[team_range(enemy)];
        for (place, tank) in tanks.iter().enumerate() {
            if rng.next_below(100) < self.options.variety && tank.is_alive() {
                let near = self.near_mines(particle, enemy, tank);
                plan.goals[place] = near.get(rng.next_below(near.len())).copied();
            }
        }
        plan
    }

    /// The nearest mines that a side does not own.
    fn near_mines(&self, particle: usize, seat: Seat, tank: &Tank) -> Vec<u8> {
        let owned = self.particles[particle].owners[seat.index()];
        let rounds = self.playout.rounds_from(tank.cell);
        let mut near: Vec<u8> = (0..MINES as u8)
            .filter(|mine| owned >> mine & 1 == 0)
            .collect();
        near.sort_by_key(|mine| rounds[usize::from(*mine)]);
        near.truncate(self.options.goals);
        near
    }

    /// The best plan that passes over the tanks find.
    pub(super) fn climb(
        &mut self,
        last: &SidePlan,
        budget: SearchBudget<'_>,
        rng: &mut Rng,
    ) -> SidePlan {
        let mut plan = self.complete_plan(SidePlan::FREE);
        let mut known = Vec::new();
        let kept = SidePlan {
            first: [None; TEAM],
            ..*last
        };
        let mut others = vec![self.complete_plan(kept)];
        for pass in 0..self.options.passes {
            let trials = self.options.all_trials << pass;
            self.draw_worlds(trials, rng);
            while known.len() < trials {
                known.push(self.try_plan(&plan, known.len()));
            }
            let mut is_better = false;
            let mut places = [0, 1, 2, 3, 4];
            (1..TEAM).for_each(|n| places.swap(n, rng.next_below(n + 1)));
            for place in places {
                others.extend(self.vary_plan(&plan, place));
                match self.race(&others, &known, pass, budget) {
                    Race::Stopped => return plan,
                    Race::Won(winner) => {
                        plan = others[winner.candidate];
                        known = winner.results;
                        is_better = true;
                    }
                    Race::Nobody => {}
                }
                others.clear();
            }
            if !is_better && pass > 1 {
                break;
            }
        }
        plan
    }

    fn race(
        &mut self,
        others: &[SidePlan],
        known: &[i32],
        pass: usize,
        budget: SearchBudget<'_>,
    ) -> Race {
        let plan = HalvingPlan {
            first_trials: self.options.first_trials << pass,
            all_trials: known.len(),
        };
        let mut is_stopped = false;
        let winner = find_winner(plan, known, others.len(), |trials| {
            let results = self.try_all(others, trials, budget);
            is_stopped |= results.is_none();
            results
        });
        match winner {
            _ if is_stopped => Race::Stopped,
            Some(winner) if self.is_sure(&winner.results, known) => Race::Won(winner),
            _ => Race::Nobody,
        }
    }

    /// The results of all these trials, in their order; `None` once the budget is spent. Trials do not
    /// depend on each other, so several threads share them: each takes the next one.
    fn try_all(
        &mut self,
        plans: &[SidePlan],
        trials: &[Trial],
        budget: SearchBudget<'_>,
    ) -> Option<Vec<i32>> {
        let before = self.trials;
        let next = AtomicUsize::new(0);
        let take = || {
            let index = next.fetch_add(1, Ordering::Relaxed);
            trials.get(index).map(|trial| (index, *trial))
        };
        let this = &*self;
        let result_of = |trial: Trial| this.value_of_plan(&plans[trial.candidate], trial.number);
        let mut helpers = vec![(); this.threads - 1];
        let ((mut found, is_stopped), helped) = search_beside(
            &mut helpers,
            |_, (), stop| {
                let mut found = Vec::new();
                while !stop.load(Ordering::Relaxed) {
                    let Some((index, trial)) = take() else { break };
                    found.push((index, result_of(trial)));
                }
                found
            },
            || {
                let mut found = Vec::new();
                loop {
                    let count = before + found.len() as u64;
                    let is_spent = budget.is_spent(count)
                        || (count.is_multiple_of(16) && budget.is_interrupted());
                    let index = next.load(Ordering::Relaxed);
                    if is_spent && index < trials.len() {
                        return (found, true);
                    }
                    let Some((index, trial)) = take() else {
                        return (found, false);
                    };
                    found.push((index, result_of(trial)));
                }
            },
        );
        found.extend(helped.into_iter().flatten());
        found.sort_unstable();
        self.trials += found.len() as u64;
        let results = found.into_iter().map(|(_, result)| result);
        (!is_stopped).then(|| results.collect())
    }

    /// Whether the gain is large enough, in itself and against its spread.
    fn is_sure(&self, results: &[i32], known: &[i32]) -> bool {
        let gains = || {
            results
                .iter()
                .zip(known)
                .map(|(new, old)| f64::from(new - old))
        };
        let n = results.len() as f64;
        let mean = gains().sum::<f64>() / n;
        let variance = gains().map(|gain| (gain - mean).powi(2)).sum::<f64>() / n;
        let error = (variance / n).sqrt();
        mean > f64::from(self.options.margin)
            && mean > error * f64::from(self.options.sureness) / 100.0
    }

    /// What a plan leads to in a world.
    fn try_plan(&mut self, plan: &SidePlan, n: usize) -> i32 {
        self.trials += 1;
        self.value_of_plan(plan, n)
    }

    fn value_of_plan(&self, plan: &SidePlan, n: usize) -> i32 {
        let position = self.play_out(plan, n, self.options.ahead);
        self.playout.evaluate(&position, self.seat)
    }

    fn play_out(&self, plan: &SidePlan, n: usize, rounds: usize) -> Position {
        let world = &self.worlds[n];
        let mut position = self.particles[world.particle];
        let plans = match self.seat {
            Seat::First => [plan, &world.enemy],
            Seat::Second => [&world.enemy, plan],
        };
        self.playout
            .play(&mut position, plans, &world.scenario, rounds);
        position
    }

    /// Trials so far.
    pub(super) fn trials(&self) -> u64 {
        self.trials
    }

    /// The end of the leg in a world, everything left to the policy.
    pub(super) fn play_to_end(&self, n: usize) -> Position {
        self.play_out(&SidePlan::FREE, n, self.setup.rounds().into())
    }

    /// The plan and its variations, with the mean gain of each over the plan.
    pub(super) fn rate_variations(&mut self, plan: &SidePlan) -> Vec<(SidePlan, i32)> {
        let trials = self.worlds.len().min(self.options.all_trials);
        let mut plans: Vec<SidePlan> = vec![*plan];
        for place in 0..TEAM {
            for other in self.vary_plan(plan, place) {
                if plans.iter().all(|known| known.first != other.first) {
                    plans.push(other);
                }
            }
        }
        let mut rate = |plan| (0..trials).map(|n| self.try_plan(plan, n)).sum::<i32>();
        let base = rate(plan);
        let gain = |sum: i32| (sum - base) / trials.max(1) as i32;
        let rated: Vec<i32> = plans.iter().map(rate).map(gain).collect();
        plans.into_iter().zip(rated).collect()
    }

    /// The orders of the side in a playout of its plan.
    pub(super) fn line_of_plan(&self, plan: &SidePlan) -> Vec<[TankOrder; TEAM]> {
        let world = &self.worlds[0];
        let mut position = self.particles[world.particle];
        let mut line = Vec::new();
        while line.len() < self.options.ahead && position.end().is_none() {
            let is_first = line.is_empty();
            let choose = |seat, plan| {
                self.playout
                    .choose(&position, seat, plan, &world.scenario, is_first)
            };
            let own = choose(self.seat, plan);
            let enemy = choose(self.seat.other(), &world.enemy);
            line.push(own);
            position.play_round(self.setup, &self.join(own, enemy), &mut ());
        }
        line
    }

    fn join(&self, own: [TankOrder; TEAM], enemy: [TankOrder; TEAM]) -> Orders {
        match self.seat {
            Seat::First => join_orders(own, enemy),
            Seat::Second => join_orders(enemy, own),
        }
    }

    /// The plan with an order for every tank in the first round: it must be the same in every world.
    fn complete_plan(&self, plan: SidePlan) -> SidePlan {
        let scenario = &self.worlds[0].scenario;
        let orders = self
            .playout
            .choose(&self.particles[0], self.seat, &plan, scenario, true);
        SidePlan {
            first: orders.map(Some),
            ..plan
        }
    }

    /// Variations of a plan for one tank.
    fn vary_plan(&self, plan: &SidePlan, place: usize) -> Vec<SidePlan> {
        let now = &self.particles[0];
        let tank = now.tanks[team_range(self.seat).start + place];
        let mut plans = Vec::new();
        if !tank.is_alive() {
            return plans;
        }
        let is_contested = now.tanks[team_range(self.seat.other())]
            .iter()
            .any(|enemy| enemy.is_alive() && enemy.cell.distance(tank.cell) <= 7);
        let mut add = |goal, manner| {
            let mut other = *plan;
            other.first[place] = None;
            (other.goals[place], other.manners[place]) = (goal, manner);
            let other = self.complete_plan(other);
            if other != *plan && !plans.contains(&other) {
                plans.push(other);
            }
        };
        add(None, Manner::Fight);
        let near = self.near_mines(0, self.seat, &tank);
        for (n, mine) in near.into_iter().enumerate() {
            add(Some(mine), Manner::Fight);
            if is_contested && n < 2 {
                add(Some(mine), Manner::Rush);
            }
        }
        if is_contested {
            add(None, Manner::Hold);
        }
        for order in self.list_orders(&tank) {
            let mut other = *plan;
            other.first[place] = Some(order);
            if other != *plan && !plans.contains(&other) {
                plans.push(other);
            }
        }
        plans
    }

    fn list_orders(&self, tank: &Tank) -> impl Iterator<Item = TankOrder> {
        let now = &self.particles[0];
        let tank = *tank;
        let ways = belief::open_ways(self.setup, tank.cell)
            .filter(move |way| now.brick(tank.cell.next(*way)) == 0)
            .map(TankOrder::Go);
        let enemies = now.tanks[team_range(self.seat.other())].iter();
        let near = enemies.filter(move |enemy| {
            enemy.is_alive() && enemy.cell.distance(tank.cell) <= tank.kind.range()
        });
        let shots = near.map(|enemy| TankOrder::fire_at(enemy.cell));
        ways.chain(shots).chain([TankOrder::Stop])
    }
}

/// How a race ended.
enum Race {
    /// The budget is spent.
    Stopped,
    /// Nobody is better for sure.
    Nobody,
    /// By somebody who is better for sure.
    Won(RaceWinner),
}
