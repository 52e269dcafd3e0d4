//! Checks of the built-in bots over whole legs.

use std::time::Duration;

use super::random_legs::{KeptReplies, RandomLegs, as_text, random_replies};
use crate::bot::{BotClock, Untimed};
use crate::erased::{AnyBot, AnyLeg};
use crate::game::ToMove;
use crate::reply::Reply;
use crate::rng::{Rng, mix_seed};
use crate::seat::Seat;

/// A clock without time left, and threads to search on: a bot must still answer.
struct NoTimeLeft;

impl BotClock for NoTimeLeft {
    fn time_left(&self) -> Option<Duration> {
        Some(Duration::ZERO)
    }

    fn threads(&self) -> usize {
        3
    }
}

/// Every bot chooses only legal actions over whole legs on either seat, also without time and
/// on several threads, and repeats them under the same seed.
pub fn bots_say_legal_actions(bench: &RandomLegs<'_>) -> Result<usize, String> {
    let mut cases = 0;
    for name in bench.game.list_own_bots() {
        for index in 0..bench.options.bot_legs {
            for seat in Seat::BOTH {
                let seed = mix_seed(bench.options.seed, index as u64 + 100);
                let play = BotLeg {
                    bench,
                    name,
                    seat,
                    seed,
                };
                let at = |why: String| format!("{name} on {seat}, seed {seed}: {why}");
                let untimed = play.play_leg(&Untimed).map_err(at)?;
                if index == 0 && play.play_leg(&Untimed).map_err(at)? != untimed {
                    return Err(at("says something else under the same seed".into()));
                }
                cases += untimed.len() + play.play_leg(&NoTimeLeft).map_err(at)?.len();
            }
        }
    }
    Ok(cases)
}

struct BotLeg<'a> {
    bench: &'a RandomLegs<'a>,
    name: &'a str,
    seat: Seat,
    seed: u64,
}

impl BotLeg<'_> {
    /// A leg against careful random play.
    fn play_leg(&self, clock: &dyn BotClock) -> Result<Vec<KeptReplies>, String> {
        let mut bot = self
            .bench
            .game
            .make_bot(self.name, self.seed)
            .ok_or("is listed, but cannot be made")?;
        let mut leg = self.bench.deal_setup(self.seed >> 1)?.start_leg();
        let mut rng = Rng::new(self.seed);
        let mut all = Vec::new();
        while leg.to_move() != ToMove::Nobody && all.len() < self.bench.options.max_steps {
            let mut said = random_replies(&*leg, &mut rng, true)?;
            if leg.to_move().asks_seat(self.seat) {
                said[self.seat] = Some(Reply::Action(self.ask_bot(&mut *bot, &*leg, clock)?));
            }
            leg.step(as_text(&said), &mut ());
            all.push(said);
        }
        Ok(all)
    }

    fn ask_bot(
        &self,
        bot: &mut dyn AnyBot,
        leg: &dyn AnyLeg,
        clock: &dyn BotClock,
    ) -> Result<String, String> {
        let action = bot.choose_action(leg, self.seat, clock);
        // Rules of strangers may have failed in the bot; then they say nothing more about the action.
        if let Some(fault) = leg.fault() {
            return Err(fault.to_string());
        }
        let legal = leg.check_action(self.seat, &action);
        legal.map_err(|why| format!("the action {action:?} {why} in\n{}", leg.state_text()))?;
        Ok(action)
    }
}
