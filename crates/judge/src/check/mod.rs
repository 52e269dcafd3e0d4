//! The compliance run: what a bot's author, or a server before it lets a version play, wants to know of a program. Each
//! [`Step`] ends in a [`Finding`], which says what was seen and, if something is wrong, what to do next.

mod findings;
mod step;
mod trial;

use std::sync::atomic::AtomicBool;

use leitai_game::{AnyGame, Seat};
use leitai_sandbox::Sandbox;
use serde::Serialize;
use serde_json::Value;

pub use step::{Finding, Leg, Mark, Step, Words};

use crate::check::trial::{Terms, Trial, play_trial};
use crate::driver::JudgeError;
use crate::manners::Manners;
use crate::player::{Player, PlayerKind};
use crate::referee::Limits;

/// Rounds of a leg in which only the manners of the judge are new, or only the answers are compared.
pub const SHORT: u32 = 40;

/// Whole legs on a seat must have so many rounds together; a bot that plays at random may lose its leg at once, and then
/// the next better one plays some more.
const ENOUGH: u32 = 20;
/// Whole legs on a seat at most.
const MOST_LEGS: usize = 6;

/// A program that is to be checked, built, and what it is checked with.
pub struct Candidate {
    /// The game.
    pub game: &'static dyn AnyGame,
    /// The config of the legs it plays.
    pub config: Value,
    /// The seed of the first of them.
    pub seed: u64,
    /// The program; one that could not be built is [`PlayerKind::Broken`].
    pub player: Player,
    /// How it was built, in words.
    pub how: String,
    /// What it may use, where the referee looks.
    pub limits: Limits,
    /// What else it may use.
    pub resources: leitai_sandbox::Limits,
    /// How it is started.
    pub sandbox: Sandbox,
}

/// Watches a check.
pub trait Watcher {
    /// A step has begun.
    fn begins(&mut self, _step: Step) {}
    /// A leg that the step needs is in this round, of so many.
    fn plays(&mut self, _step: Step, _round: u32, _rounds: u32) {}
    /// A step is over.
    fn found(&mut self, finding: &Finding);
}

/// All findings, in the order of [`Step::ALL`].
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Whether every step that must pass has.
    pub passed: bool,
    /// Whether none of them failed, but the machine was too busy to judge one: another run may say more.
    pub undecided: bool,
    /// One a step.
    pub steps: Vec<Finding>,
}

/// Checks a program. `None` if it was stopped.
///
/// # Errors
/// If this machine cannot run it; that says nothing about the program.
pub fn check(
    candidate: &Candidate,
    watcher: &mut dyn Watcher,
    stop: &AtomicBool,
) -> Result<Option<Report>, JudgeError> {
    let mut run = Run { candidate, watcher, stop, findings: Vec::new(), played: Vec::new() };
    let finished = run.all()?;
    let must = |finding: &&Finding| finding.step.must_pass();
    let passed = run.findings.iter().filter(must).all(|finding| finding.mark.is_good());
    let undecided = !passed && run.findings.iter().filter(must).all(|finding| finding.mark != Mark::Failed);
    Ok(finished.then_some(Report { passed, undecided, steps: run.findings }))
}

/// Whether these legs say enough of a program: one with a fault always does.
fn enough(legs: &[Trial]) -> bool {
    let rounds: u32 = legs.iter().map(|leg| leg.round).sum();
    rounds >= ENOUGH || legs.iter().any(|leg| leg.fault().is_some() || leg.void.is_some())
}

/// A check while it runs.
struct Run<'a> {
    candidate: &'a Candidate,
    watcher: &'a mut dyn Watcher,
    stop: &'a AtomicBool,
    findings: Vec<Finding>,
    /// Whole legs.
    played: Vec<Trial>,
}

impl Run<'_> {
    /// Whether it came to its end.
    fn all(&mut self) -> Result<bool, JudgeError> {
        self.found(findings::built(self.candidate));
        if let PlayerKind::Broken(_) = self.candidate.player.kind {
            return Ok(self.skip("it could not be built", "未能构建"));
        }
        self.watcher.begins(Step::Starts);
        let seed = self.candidate.seed;
        let terms = Terms::whole(Seat::First, seed, self.opponent(0));
        let first = self.trial(Step::First, &terms)?;
        let Some(first) = first else { return Ok(false) };
        for look in [findings::starts, findings::first_move] {
            let finding = look(&first, self.candidate);
            let good = finding.mark == Mark::Passed;
            self.found(finding);
            if !good && first.void.is_some() {
                return Ok(self.skip("not before the first leg could be judged", "需先判定第一局"));
            }
            if !good {
                return Ok(self.skip("there is no first answer", "没有第一个回答"));
            }
        }
        let whole = self.whole(Step::First, Seat::First, Some(first))?
            && self.whole(Step::Second, Seat::Second, None)?;
        Ok(whole && self.manners()? && self.measures()?)
    }

    /// Plays whole legs on this seat until they have shown enough; whether it was not stopped.
    fn whole(&mut self, step: Step, seat: Seat, first: Option<Trial>) -> Result<bool, JudgeError> {
        let mut legs: Vec<Trial> = first.into_iter().collect();
        while legs.len() < MOST_LEGS && !enough(&legs) {
            let seed = self.candidate.seed.wrapping_add(legs.len() as u64);
            let terms = Terms::whole(seat, seed, self.opponent(legs.len()));
            let Some(leg) = self.trial(step, &terms)? else { return Ok(false) };
            legs.push(leg);
        }
        self.found(findings::whole(step, &legs, self.candidate));
        self.played.extend(legs);
        Ok(true)
    }

    /// The longest leg on either seat again, or its beginning, with a judge who is less kind.
    fn manners(&mut self) -> Result<bool, JudgeError> {
        for (step, seat, manners) in [
            (Step::SplitWrites, Seat::First, Manners::SplitWrites),
            (Step::SlowReader, Seat::Second, Manners::SlowReads),
        ] {
            if self.played.iter().any(|leg| leg.seat == seat && leg.fault().is_some()) {
                let seen =
                    Words::new("not before a whole leg goes well on this seat", "先要在此座位上完整下完一局");
                self.found(Finding::new(step, Mark::Skipped, seen));
                continue;
            }
            let trial = self.trial(step, &self.longest(seat).again(manners, SHORT))?;
            let Some(trial) = trial else { return Ok(false) };
            self.found(findings::short(step, &trial, self.candidate));
        }
        Ok(true)
    }

    /// What the whole legs have shown, and whether one of them is the same again.
    fn measures(&mut self) -> Result<bool, JudgeError> {
        self.found(findings::memory(&self.played, self.candidate));
        self.found(findings::time(&self.played, self.candidate));
        self.found(findings::exits(&self.played));
        let terms = self.longest(Seat::First).again(Manners::Usual, SHORT);
        let again = self.trial(Step::Repeatable, &terms)?;
        let Some(again) = again else { return Ok(false) };
        self.found(findings::repeatable(self.longest(Seat::First), &again));
        Ok(true)
    }

    /// Who plays in this leg of a seat: first the weakest of our bots, which plays at random, then the next one.
    fn opponent(&self, leg: usize) -> &'static str {
        let bots = self.candidate.game.bots();
        bots.get(leg.min(1)).or(bots.first()).map_or("random", |(name, _)| *name)
    }

    fn longest(&self, seat: Seat) -> &Trial {
        let legs = self.played.iter().filter(|leg| leg.seat == seat);
        legs.max_by_key(|leg| leg.round).expect("whole legs come first")
    }

    fn trial(&mut self, step: Step, terms: &Terms) -> Result<Option<Trial>, JudgeError> {
        self.watcher.begins(step);
        let watcher = &mut *self.watcher;
        let mut tell = |round, of| watcher.plays(step, round, of);
        play_trial(self.candidate, terms, &mut tell, self.stop)
    }

    fn found(&mut self, finding: Finding) {
        self.watcher.found(&finding);
        self.findings.push(finding);
    }

    /// The steps that are left are not tried.
    fn skip(&mut self, en: &str, zh: &str) -> bool {
        for step in Step::ALL.into_iter().skip(self.findings.len()) {
            self.found(Finding::new(step, Mark::Skipped, Words::new(en, zh)));
        }
        true
    }
}
