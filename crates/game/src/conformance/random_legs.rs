//! Random legs, played once and used by all checks.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::Value;

use super::options::ConformanceOptions;
use crate::erased::{AnyGame, AnyLeg, AnySetup, AnySink, TextReplies};
use crate::game::ToMove;
use crate::replay::write_token;
use crate::reply::Reply;
use crate::rng::{Rng, mix_seed};
use crate::seat::{BySeat, Seat};

/// The replies of one step.
pub type KeptReplies = BySeat<Option<Reply<String>>>;

/// A game with random legs.
#[allow(missing_docs, reason = "the names say it")]
pub struct RandomLegs<'a> {
    pub game: &'a dyn AnyGame,
    pub options: ConformanceOptions,
    /// The config with every default written out.
    pub config: Value,
    pub played: Vec<RandomLeg>,
    /// Every notation that was legal in some checked position, or has a key: the words of the game.
    pub vocabulary: Vec<String>,
}

/// A leg played at random to its end.
#[allow(missing_docs, reason = "the names say it")]
pub struct RandomLeg {
    pub seed: u64,
    pub setup: Arc<dyn AnySetup>,
    /// The replies of each step.
    pub said: Vec<KeptReplies>,
    /// Checked positions of the leg: the first, some in between, the last before the end.
    pub moments: Vec<Box<dyn AnyLeg>>,
    /// The leg at its end.
    pub end: Box<dyn AnyLeg>,
}

impl<'a> RandomLegs<'a> {
    /// Plays the legs. Fails where random play breaks the contract: a leg without an end, a period
    /// or round that decreases, an asked seat without a legal action, a legal action that is judged
    /// a fault.
    pub fn new(
        game: &'a dyn AnyGame,
        options: ConformanceOptions,
    ) -> Result<RandomLegs<'a>, String> {
        let config = game
            .read_config(&options.config)
            .map_err(|why| format!("the config is refused: {why}"))?;
        let mut bench = RandomLegs {
            game,
            options,
            config,
            played: Vec::new(),
            vocabulary: Vec::new(),
        };
        for index in 0..bench.options.legs {
            let seed = mix_seed(bench.options.seed, index as u64 + 1) >> 1;
            let played = bench
                .play_random_leg(seed, index % 2 == 1, &mut Vec::new())
                .map_err(|why| format!("seed {seed}: {why}"))?;
            bench.played.push(played);
        }
        bench.vocabulary = bench.all_notations();
        Ok(bench)
    }

    /// Every checked position with its leg.
    pub fn all_moments(&self) -> impl Iterator<Item = (&RandomLeg, &dyn AnyLeg)> {
        self.played
            .iter()
            .flat_map(|played| played.moments.iter().map(move |leg| (played, &**leg)))
    }

    /// A random number generator for each check.
    pub fn salted_rng(&self, salt: u64) -> Rng {
        Rng::new(mix_seed(self.options.seed, salt))
    }

    /// Deals a setup with this config.
    pub fn deal_setup(&self, seed: u64) -> Result<Arc<dyn AnySetup>, String> {
        self.game
            .deal_setup(&self.config, seed)
            .map_err(|why| format!("seed {seed} deals no setup: {why}"))
    }

    /// Plays one leg; `said` keeps the replies, also those of a leg that fails.
    pub(super) fn play_random_leg(
        &self,
        seed: u64,
        careful: bool,
        said: &mut Vec<KeptReplies>,
    ) -> Result<RandomLeg, String> {
        let setup = self.deal_setup(seed)?;
        let mut rng = Rng::new(mix_seed(seed, 2));
        let mut leg = setup.start_leg();
        let mut kept = PositionSample {
            moments: Vec::new(),
            most: self.options.probes.max(2),
            stride: 1,
        };
        play_at_random(&mut *leg, &mut rng, careful, |leg, replies| {
            if said.len() == self.options.max_steps {
                return Err(format!("the leg is not over after {} steps", said.len()));
            }
            kept.offer_position(said.len(), leg);
            let step = said.len();
            said.push(replies);
            step_forward(leg, &*setup, &said[step], step)
        })?;
        Ok(RandomLeg {
            seed,
            setup,
            said: said.clone(),
            moments: kept.moments,
            end: leg,
        })
    }

    pub(super) fn all_notations(&self) -> Vec<String> {
        let mut words = BTreeSet::new();
        for (_, leg) in self.all_moments() {
            words.extend(
                Seat::BOTH
                    .into_iter()
                    .flat_map(|seat| leg.legal_actions(seat)),
            );
        }
        for seat in Seat::BOTH {
            words.extend(
                self.game
                    .key_bindings(seat)
                    .iter()
                    .map(|key| key.action.to_owned()),
            );
        }
        words.into_iter().collect()
    }
}

/// Plays a leg at random from its start to its end; returns the reply tokens of each step as a
/// replay has them.
///
/// # Errors
/// If an asked seat has no legal action.
pub fn random_leg_tokens(setup: &dyn AnySetup, seed: u64) -> Result<Vec<String>, String> {
    let (mut leg, mut tokens) = (setup.start_leg(), Vec::new());
    play_at_random(&mut *leg, &mut Rng::new(seed), false, |leg, replies| {
        tokens.push(kept_reply_token(&replies));
        leg.step(as_text(&replies), &mut ());
        Ok(())
    })?;
    Ok(tokens)
}

/// Draws the replies of every step until no seat is asked; `step` plays them.
fn play_at_random(
    leg: &mut dyn AnyLeg,
    rng: &mut Rng,
    careful: bool,
    mut step: impl FnMut(&mut dyn AnyLeg, KeptReplies) -> Result<(), String>,
) -> Result<(), String> {
    while leg.to_move() != ToMove::Nobody {
        let replies = random_replies(leg, rng, careful)?;
        step(leg, replies)?;
    }
    Ok(())
}

/// Legal replies of all asked seats. A careful player tries a few and takes one that does not lower
/// its score, if there is one.
pub fn random_replies(
    leg: &dyn AnyLeg,
    rng: &mut Rng,
    careful: bool,
) -> Result<KeptReplies, String> {
    let mut replies = KeptReplies::new(None, None);
    for seat in Seat::BOTH {
        if leg.to_move().asks_seat(seat) {
            let action = if careful {
                careful_action(leg, seat, rng)
            } else {
                leg.sample_action(seat, rng)
            };
            let action =
                action.ok_or_else(|| format!("{seat} is asked, but has no legal action"))?;
            replies[seat] = Some(Reply::Action(action));
        }
    }
    Ok(replies)
}

fn careful_action(leg: &dyn AnyLeg, seat: Seat, rng: &mut Rng) -> Option<String> {
    let before = leg.scores()[seat];
    let mut action = None;
    for _ in 0..4 {
        action = leg.sample_action(seat, rng);
        let mut replies = KeptReplies::new(None, None);
        replies[seat] = action.clone().map(Reply::Action);
        let other = seat.other();
        if leg.to_move().asks_seat(other) {
            replies[other] = leg.sample_action(other, rng).map(Reply::Action);
        }
        let mut ahead = leg.clone_leg();
        ahead.step(as_text(&replies), &mut ());
        if ahead.scores()[seat] >= before {
            break;
        }
    }
    action
}

/// The replies as [`AnyLeg::step`] takes them.
pub fn as_text(said: &KeptReplies) -> TextReplies<'_> {
    BySeat::from_fn(|seat: Seat| {
        said[seat].as_ref().map(|reply| match reply {
            Reply::Action(text) => Reply::Action(text.as_str()),
            Reply::Fault(fault) => Reply::Fault(*fault),
        })
    })
}

/// The replies as a replay has them, for messages.
pub(super) fn kept_reply_token(said: &KeptReplies) -> String {
    let mut token = String::new();
    write_token(&as_text(said), &mut token);
    token
}

/// A step with legal replies: nothing decreases, no seat is at fault.
fn step_forward(
    leg: &mut dyn AnyLeg,
    setup: &dyn AnySetup,
    said: &KeptReplies,
    index: usize,
) -> Result<(), String> {
    let before = (leg.period(), leg.round());
    leg.step(as_text(said), &mut Listener);
    let after = (leg.period(), leg.round());
    if after.0 < before.0 || after.1 < before.1 {
        return Err(format!(
            "step {index}: (period, round) falls from {before:?} to {after:?}"
        ));
    }
    if after.1 < 1 || after.1 > setup.max_rounds() {
        return Err(format!(
            "step {index}: round {} is not in 1..={}",
            after.1,
            setup.max_rounds()
        ));
    }
    let over = leg.to_move() == ToMove::Nobody;
    match leg.outcome() {
        None if over => Err(format!(
            "step {index}: nobody is asked, but there is no outcome"
        )),
        Some(_) if !over => Err(format!(
            "step {index}: there is an outcome, but somebody is asked"
        )),
        Some(end) if end.faults != BySeat::default() => Err(format!(
            "step {index}: legal replies {} are called faults: {:?}",
            kept_reply_token(said),
            end.faults.into_pair()
        )),
        _ => Ok(()),
    }
}

/// Requests events, so that making and writing them is tested, too.
struct Listener;

impl AnySink for Listener {
    fn wants_events(&self) -> bool {
        true
    }
}

/// Keeps the first position, the newest, and evenly spaced ones between, without knowing the total
/// number.
struct PositionSample {
    moments: Vec<Box<dyn AnyLeg>>,
    most: usize,
    stride: usize,
}

impl PositionSample {
    fn offer_position(&mut self, step: usize, leg: &dyn AnyLeg) {
        // The newest position is replaced only while it is off the stride.
        let newest_stays = step == 0 || (step - 1).is_multiple_of(self.stride);
        if !newest_stays {
            self.moments.pop();
        }
        self.moments.push(leg.clone_leg());
        if self.moments.len() > 2 * self.most {
            self.drop_every_other();
        }
    }

    fn drop_every_other(&mut self) {
        let newest = self.moments.pop();
        let mut index = 0;
        self.moments.retain(|_| {
            index += 1;
            index % 2 == 1
        });
        self.moments.extend(newest);
        self.stride *= 2;
    }
}
