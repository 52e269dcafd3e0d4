//! Verifies a replay: plays it again and compares every state, outcome and the verdict.

use std::fmt;

use serde_json::Value;

use crate::Scope;
use crate::erased::{AnyGame, AnyLeg, AnySetup, AnySink, Checkpoint};
use crate::game_fault::GameFault;
use crate::invalid::InvalidSetup;
use crate::lang::say;
use crate::replay::record::{LegRecord, MatchStatus, OutcomeRecord, Replay, VerdictRecord, fold8};
use crate::replay::walk::ReplayWalker;
use crate::reply::Fault;
use crate::seat::{Entrant, Seat};

/// The number of comparisons, if everything agreed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Verified {
    /// Legs played again.
    pub legs: usize,
    /// Replies played again.
    pub steps: usize,
    /// State hashes compared.
    pub hashes: usize,
    /// Whether the replay had outcomes and a verdict to compare.
    pub complete: bool,
    /// Whether nothing but the form could be checked: the game cannot be repeated, or is not played here.
    pub is_form_only: bool,
}

/// The first difference between a replay and the engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The leg, from 1; `None` if the difference concerns the match.
    pub leg: Option<usize>,
    /// The round in that leg.
    pub round: Option<u32>,
    /// The step in that leg, from 0.
    pub step: Option<usize>,
    /// The difference, with both values.
    pub what: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(leg) = self.leg {
            write!(f, "leg {leg}, ")?;
        }
        if let Some(round) = self.round {
            write!(f, "round {round}, ")?;
        }
        if let Some(step) = self.step {
            write!(f, "step {step}: ")?;
        }
        f.write_str(&self.what)
    }
}

/// Plays a replay again and compares every recorded reply, state hash, outcome and the verdict.
/// `Err` is a replay that cannot be played at all under this game, or under rules that fail.
pub fn verify_replay(
    game: &dyn AnyGame,
    replay: &Replay,
) -> Result<Result<Verified, Difference>, InvalidSetup> {
    match compare_replay(game, replay)? {
        Err(_) if game.capabilities().plays_here && !game.is_repeatable(replay) => {
            Ok(Ok(Verified {
                legs: replay.legs.len(),
                is_form_only: true,
                ..Verified::default()
            }))
        }
        compared => Ok(compared),
    }
}

fn compare_replay(
    game: &dyn AnyGame,
    replay: &Replay,
) -> Result<Result<Verified, Difference>, InvalidSetup> {
    if replay.rules != game.meta().rules {
        let (recorded, ours) = (&replay.rules, game.meta().rules);
        return Err(InvalidSetup(say!(
            "judged by the rules {recorded:?}; this version plays {ours:?}"
        )));
    }
    let setup = game.read_setup(&replay.setup)?;
    if let Some(difference) = compare_dealt_setup(game, replay, &*setup) {
        return Ok(Err(difference));
    }
    let mut total = Verified {
        complete: replay.status == MatchStatus::Complete,
        is_form_only: !game.capabilities().plays_here,
        ..Verified::default()
    };
    let mut ends = Vec::new();
    for (index, record) in replay.legs.iter().enumerate() {
        let last = index + 1 == replay.legs.len();
        let must_end = !last || total.complete;
        match verify_leg(&*setup, record, must_end, &mut total) {
            Ok(end) => ends.push(end),
            Err(Mismatch::Failed(fault)) => return Err(InvalidSetup::new(fault)),
            Err(Mismatch::Differs(difference)) => {
                return Ok(Err(Difference {
                    leg: Some(index + 1),
                    ..difference
                }));
            }
        }
    }
    let differs = verify_verdict(&*setup, replay, &ends);
    match setup.fault() {
        Some(fault) => Err(InvalidSetup::new(fault)),
        None => Ok(differs.map_or(Ok(total), Err)),
    }
}

fn compare_dealt_setup(
    game: &dyn AnyGame,
    replay: &Replay,
    setup: &dyn AnySetup,
) -> Option<Difference> {
    let seed = replay.seed?;
    let is_of_book = replay.forced.is_some_and(|forced| forced.each_leg);
    if replay.origin.is_some() || is_of_book {
        return None; // A foreign replay and a book have their own setup; the seed does not deal it.
    }
    let dealt = game.deal_setup(&replay.config, seed).ok()?;
    (dealt.to_json() != setup.to_json()).then(|| {
        describe_difference(
            None,
            None,
            format!("the setup is not the one that seed {seed} deals"),
        )
    })
}

/// Why a leg is not what the rules say.
enum Mismatch {
    Differs(Difference),
    /// The rules failed, so that nothing can be said.
    Failed(GameFault),
}

fn verify_leg(
    setup: &dyn AnySetup,
    record: &LegRecord,
    must_end: bool,
    total: &mut Verified,
) -> Result<Box<dyn AnyLeg>, Mismatch> {
    let mut walk = ReplayWalker::new(setup, record);
    match walk_leg(&mut walk, record, must_end, total) {
        Ok(()) => Ok(walk.into_leg()),
        Err(difference) => Err(match walk.current_leg().fault() {
            Some(fault) => Mismatch::Failed(fault),
            None => Mismatch::Differs(difference),
        }),
    }
}

fn walk_leg(
    walk: &mut ReplayWalker<'_>,
    record: &LegRecord,
    must_end: bool,
    total: &mut Verified,
) -> Result<(), Difference> {
    let mut hashes = CheckpointVerifier {
        // A leg that is not played here has no state.
        recorded: match total.is_form_only {
            true => &[],
            false => record.hashes.as_bytes(),
        },
        seen: 0,
        last: None,
        shown: record.shown.iter(),
        wrong: None,
    };
    loop {
        let (round, step) = (walk.current_leg().round(), walk.step_number());
        let at = |what| describe_difference(Some(round), Some(step), what);
        match walk
            .next(&mut hashes)
            .map_err(|invalid| at(invalid.0.to_string()))?
        {
            None => break,
            Some(_) => hashes.wrong.take().map_or(Ok(()), |what| Err(at(what)))?,
        }
    }
    let round = walk.current_leg().round();
    let at_end = |what| describe_difference(Some(round), None, what);
    if !total.is_form_only {
        hashes.compare_end(record, must_end).map_err(at_end)?;
    }
    let outcome = walk
        .current_leg()
        .outcome()
        .as_ref()
        .map(OutcomeRecord::from);
    if outcome != record.outcome || (must_end && outcome.is_none()) {
        let [recorded, ours] = [&record.outcome, &outcome].map(describe_outcome);
        return Err(at_end(format!(
            "the recorded outcome is {recorded}, the engine's {ours}"
        )));
    }
    total.legs += 1;
    total.steps += walk.step_number();
    total.hashes += hashes.seen;
    Ok(())
}

fn verify_verdict(
    setup: &dyn AnySetup,
    replay: &Replay,
    ends: &[Box<dyn AnyLeg>],
) -> Option<Difference> {
    let ours = (replay.status == MatchStatus::Complete)
        .then(|| VerdictRecord::from(&setup.decide_match(ends)));
    (ours != replay.verdict).then(|| {
        let [recorded, ours] = [&replay.verdict, &ours].map(describe_verdict);
        describe_difference(
            None,
            None,
            format!("the recorded verdict is {recorded}, the engine's {ours}"),
        )
    })
}

fn describe_difference(round: Option<u32>, step: Option<usize>, what: String) -> Difference {
    Difference {
        leg: None,
        round,
        step,
        what,
    }
}

/// The outcome in words, with everything in which two outcomes may differ.
#[doc(hidden)] // For tests.
pub fn describe_outcome(outcome: &Option<OutcomeRecord>) -> String {
    let Some(outcome) = outcome else {
        return "no outcome".to_owned();
    };
    let winner = match (outcome.scope, outcome.winner) {
        (Scope::Leg, Some(Seat::First)) => "a win of the first seat",
        (Scope::Leg, Some(Seat::Second)) => "a win of the second seat",
        (Scope::Leg, None) => "a draw",
        (Scope::Match, Some(Seat::First)) => "a win of the whole match by the first seat",
        (Scope::Match, Some(Seat::Second)) => "a win of the whole match by the second seat",
        (Scope::Match, None) => "a draw of the whole match",
    };
    let (reason, scores) = (&outcome.reason, &outcome.scores);
    let [first, second] = Seat::BOTH.map(|seat| scores[seat]);
    let words = format!("{winner} by the rule {reason}, scores {first} and {second}");
    let code = |seat| outcome.faults[seat].map_or("none", Fault::code);
    match Seat::BOTH.map(code) {
        ["none", "none"] => words,
        [first, second] => format!("{words}, faults {first} and {second}"),
    }
}

/// The verdict in words.
fn describe_verdict(verdict: &Option<VerdictRecord>) -> String {
    let Some(VerdictRecord { winner, reason }) = verdict else {
        return "no verdict".to_owned();
    };
    match winner {
        Some(Entrant::A) => format!("a win of entrant A by the rule {reason}"),
        Some(Entrant::B) => format!("a win of entrant B by the rule {reason}"),
        None => format!("a draw by the rule {reason}"),
    }
}

/// Compares checkpoints with the recorded digits, if the record has hashes.
struct CheckpointVerifier<'a> {
    recorded: &'a [u8],
    seen: usize,
    last: Option<u64>,
    /// What a judge program showed, as far as it was not compared.
    shown: std::slice::Iter<'a, Value>,
    wrong: Option<String>,
}

impl AnySink for CheckpointVerifier<'_> {
    fn wants_shown(&self) -> bool {
        self.shown.len() > 0
    }

    fn on_shown(&mut self, moment: Value) {
        if self
            .shown
            .next()
            .is_some_and(|recorded| *recorded != moment)
        {
            let other = || "the judge program shows something else than is recorded".to_owned();
            self.wrong.get_or_insert_with(other);
        }
    }

    fn on_checkpoint(&mut self, at: &dyn Checkpoint) {
        let hash = at.hash();
        self.last = Some(hash);
        if self.recorded.is_empty() || self.wrong.is_some() {
            return;
        }
        let digits = format!("{:02x}", fold8(hash));
        let recorded = self.recorded.get(2 * self.seen..2 * self.seen + 2);
        self.seen += 1;
        if recorded != Some(digits.as_bytes()) {
            let recorded = recorded.map_or("missing".into(), String::from_utf8_lossy);
            self.wrong = Some(format!(
                "state hash {} is recorded as {recorded}, the engine's is {digits}; the engine's state:\n{}",
                self.seen,
                at.state_text()
            ));
        }
    }
}

impl CheckpointVerifier<'_> {
    fn compare_end(&self, record: &LegRecord, must_end: bool) -> Result<(), String> {
        if !self.recorded.is_empty() && self.recorded.len() != 2 * self.seen {
            return Err(format!(
                "{} hash digits for {} states",
                self.recorded.len(),
                self.seen
            ));
        }
        let ours = self.last.map(|hash| format!("{hash:016x}"));
        if record.final_hash != ours && (record.final_hash.is_some() || (must_end && self.seen > 0))
        {
            let [recorded, ours] =
                [&record.final_hash, &ours].map(|hash| hash.as_deref().unwrap_or("missing"));
            return Err(format!(
                "the final state hash is recorded as {recorded}, the engine's is {ours}"
            ));
        }
        Ok(())
    }
}
