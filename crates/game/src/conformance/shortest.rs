//! The shortest input for which a check fails, so that the author of a game has little to read.

use serde_json::Value;

use super::random_legs::{KeptReplies, RandomLeg, RandomLegs, as_text, kept_reply_token};
use super::{CHECKS, Check, ConformanceOptions};
use crate::erased::{AnyGame, AnyLeg};
use crate::reply::{Fault, Reply};
use crate::rng::mix_seed;
use crate::seat::{Perspective, Seat};

/// The random legs that are looked through.
const LEGS: u64 = 24;

/// The checks that look at each position for itself.
const OF_ONE_POSITION: [&str; 11] = [
    "legal-and-check",
    "sample",
    "clones",
    "faults",
    "missing-replies",
    "unasked-replies",
    "views",
    "state-text",
    "json-lines",
    "keys",
    "pictures",
];

/// What a check fails for: a setup, and the replies up to the position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailingInput {
    /// The config with every default.
    pub config: Value,
    /// The seed of the setup.
    pub seed: u64,
    /// The replies of each step, as a replay has them.
    pub replies: Vec<String>,
    /// What is wrong there.
    pub what: String,
}

impl FailingInput {
    /// `config {…}, seed 7, replies 1 3/4 2`.
    pub fn to_line(&self) -> String {
        let (config, seed) = (&self.config, self.seed);
        let replies = match self.replies.is_empty() {
            true => "-".to_owned(),
            false => self.replies.join(" "),
        };
        format!("config {config}, seed {seed}, replies {replies}")
    }
}

/// Looks through random legs for the one that fails the check after the fewest steps. `None` if no leg
/// alone fails it.
pub fn find_shortest_failure(
    game: &dyn AnyGame,
    options: &ConformanceOptions,
    check: &str,
) -> Option<FailingInput> {
    let options = ConformanceOptions {
        legs: 0,
        ..options.clone()
    };
    let mut bench = RandomLegs::new(game, options).ok()?;
    let found = (0..LEGS).filter_map(|index| {
        let seed = mix_seed(bench.options.seed, index + 1) >> 1;
        fail_in_leg(&mut bench, seed, index % 2 == 1, check)
    });
    found.min_by_key(|input| input.replies.len())
}

fn fail_in_leg(
    bench: &mut RandomLegs<'_>,
    seed: u64,
    careful: bool,
    check: &str,
) -> Option<FailingInput> {
    let mut said = Vec::new();
    let played = bench.play_random_leg(seed, careful, &mut said);
    let config = bench.config.clone();
    let input = |steps: usize, what: String| FailingInput {
        replies: said[..steps].iter().map(kept_reply_token).collect(),
        config: config.clone(),
        seed,
        what,
    };
    if let Some((steps, what)) = find_fault(bench, seed, &said) {
        return Some(input(steps, what));
    }
    let played = match played {
        Ok(played) => played,
        Err(what) => return Some(input(said.len(), what)),
    };
    let (_, run) = CHECKS.iter().find(|(name, _)| *name == check)?;
    bench.played = vec![played];
    bench.vocabulary = bench.all_notations();
    let what = run(bench).err()?;
    let early = OF_ONE_POSITION
        .contains(&check)
        .then(|| find_position(bench, &said, *run))
        .flatten();
    let (steps, what) = early.unwrap_or((said.len(), what));
    Some(input(steps, what))
}

/// The first position of the leg that fails a check for itself.
fn find_position(
    bench: &mut RandomLegs<'_>,
    said: &[KeptReplies],
    run: Check,
) -> Option<(usize, String)> {
    let whole = bench.played.pop()?;
    let mut leg = whole.setup.start_leg();
    for (steps, replies) in said.iter().enumerate() {
        bench.played = vec![RandomLeg {
            seed: whole.seed,
            setup: whole.setup.clone(),
            said: said[..steps].to_vec(),
            moments: vec![leg.clone_leg()],
            end: whole.end.clone_leg(),
        }];
        if let Err(what) = run(bench) {
            return Some((steps, what));
        }
        leg.step(as_text(replies), &mut ());
    }
    None
}

/// The first position in which the rules themselves fail, whatever is asked.
fn find_fault(bench: &RandomLegs<'_>, seed: u64, said: &[KeptReplies]) -> Option<(usize, String)> {
    let mut leg = bench.deal_setup(seed).ok()?.start_leg();
    for steps in 0..=said.len() {
        if let Some(what) = fail_in_position(bench, &*leg) {
            return Some((steps, what));
        }
        if let Some(replies) = said.get(steps) {
            leg.step(as_text(replies), &mut ());
        }
    }
    None
}

fn fail_in_position(bench: &RandomLegs<'_>, at: &dyn AnyLeg) -> Option<String> {
    let leg = at.clone_leg();
    leg.state_text();
    leg.view(Perspective::All);
    for seat in Seat::BOTH {
        leg.view(Perspective::Seat(seat));
        for action in leg.legal_actions(seat) {
            let _legal = leg.check_action(seat, &action);
        }
        let _sampled = leg.sample_action(seat, &mut bench.salted_rng(22));
        for fault in Fault::ALL {
            let mut ahead = leg.clone_leg();
            let mut said = KeptReplies::new(None, None);
            said[seat] = Some(Reply::Fault(fault));
            ahead.step(as_text(&said), &mut ());
            if let Some(fault) = ahead.fault() {
                return Some(fault.to_string());
            }
        }
    }
    leg.fault().map(|fault| fault.to_string())
}
