//! Plans whose orders of this round are known, for the analysis of a recorded leg.

use leitai_game::Seat;

use crate::bots::champion::PlanSearch;
use crate::bots::rollout::SidePlan;
use crate::orders::TankOrder;
use crate::tank::TEAM;

impl PlanSearch<'_> {
    /// From now on the enemy gives these orders in the first round, in every world.
    pub(in crate::bots) fn know_enemy_orders(&mut self, orders: [TankOrder; TEAM]) {
        for world in &mut self.worlds {
            world.enemy.first = orders.map(Some);
        }
    }

    /// The mean worth of giving these orders in this round, in tenths of a resource; what follows
    /// is left to the policy or to the goals of the plan, whichever is worth more.
    pub(in crate::bots) fn rate_orders(
        &mut self,
        orders: [TankOrder; TEAM],
        plan: &SidePlan,
    ) -> i32 {
        let trials = self.worlds.len().min(self.options.all_trials).max(1);
        let first = orders.map(Some);
        let ways = [*plan, SidePlan::FREE].map(|plan| SidePlan { first, ..plan });
        let mut rate = |plan: &SidePlan| -> i32 {
            (0..trials).map(|n| self.try_plan(plan, n)).sum::<i32>() / trials as i32
        };
        rate(&ways[0]).max(rate(&ways[1]))
    }
}

impl PlanSearch<'_> {
    /// What the policy orders in the first world, the first seat's orders first.
    pub(in crate::bots) fn policy_orders(&self) -> [[TankOrder; TEAM]; 2] {
        let world = &self.worlds[0];
        let position = &self.particles[world.particle];
        Seat::BOTH.map(|seat| {
            self.playout
                .choose(position, seat, &SidePlan::FREE, &world.scenario, true)
        })
    }
}
