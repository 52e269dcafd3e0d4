//! `miner`: every tank drives to the nearest mine that it does not own and shoots at what it sees.

use leitai_game::{Bot, BotClock, Rng, Seat};

use crate::bots::belief;
use crate::bots::drive::{DirectionOrder, DriverBot, NO_WISHES};
use crate::orders::Action;
use crate::position::Position;
use crate::setup::Setup;
use crate::tank::{TEAM, TankType};
use crate::view::View;

/// Plays [`DriverBot`] as it is, as if the enemies it does not see were not there.
pub struct Miner(Rng);

const CREW: [TankType; TEAM] = [
    TankType::Striker,
    TankType::Pioneer,
    TankType::Striker,
    TankType::Pioneer,
    TankType::Striker,
];

impl Miner {
    pub fn new(seed: u64) -> Miner {
        Miner(Rng::new(seed))
    }
}

impl Bot<Position> for Miner {
    fn choose_action(&mut self, setup: &Setup, view: &View, _: &dyn BotClock) -> Action {
        if view.round == 0 {
            return Action::Team(CREW);
        }
        let seat = view.own_seat().unwrap_or(Seat::First);
        let position = belief::only_seen(setup, view);
        let habits = DirectionOrder::draw_order(&mut self.0);
        let driver = DriverBot::new(setup, &position);
        Action::Orders(driver.choose_orders(setup, &position, seat, &NO_WISHES, &habits))
    }
}
