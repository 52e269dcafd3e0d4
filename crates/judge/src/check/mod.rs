//! The compliance run that an author, or a server before it activates a version, makes with a
//! program. Each [`CheckStep`] ends in a [`CheckFinding`], which says what was seen and, if
//! something is wrong, what to do next.

mod findings;
pub mod program;
mod step;
mod trial;

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use leitai_game::Seat;
use leitai_game::lang::Localizer;
use serde::Serialize;

pub use program::{CheckedProgram, SHORT};
pub use step::{CheckFinding, CheckLeg, CheckStep, StepResult};

use crate::check::trial::{TrialLeg, TrialTerms, play_trial};
use crate::driver::JudgeError;
use crate::io_pattern::IoPattern;
use crate::player::PlayerKind;

/// Whole legs on a seat must have so many rounds together; a bot that plays at random may lose its
/// leg at once, and then the next better one plays some more.
const ENOUGH: u32 = 20;
/// Whole legs on a seat at most.
const MOST_LEGS: usize = 6;

/// Watches a check.
pub trait CheckObserver {
    /// A step has begun.
    fn on_step_begin(&mut self, _step: CheckStep) {}
    /// A leg that the step needs is in this round, of so many.
    fn on_progress(&mut self, _step: CheckStep, _round: u32, _rounds: u32) {}
    /// A step is over.
    fn on_finding(&mut self, finding: &CheckFinding);
}

/// All findings, in the order of [`CheckStep::ALL`].
#[derive(Clone, Debug, Serialize)]
pub struct CheckReport {
    /// Whether every step that must pass has.
    pub passed: bool,
    /// Whether none of them failed, but the machine was too busy to judge one: another run may say
    /// more.
    pub undecided: bool,
    /// One a step.
    pub steps: Vec<CheckFinding>,
}

/// Checks a program. `None` if it was stopped.
///
/// # Errors
/// If this machine cannot run it; that says nothing about the program.
pub fn check_program(
    candidate: &CheckedProgram,
    watcher: &mut dyn CheckObserver,
    stop: &AtomicBool,
) -> Result<Option<CheckReport>, JudgeError> {
    let mut run = CheckRun {
        candidate,
        watcher,
        stop,
        findings: Vec::new(),
        played: Vec::new(),
        waited: Duration::ZERO,
    };
    let finished = run.run_all_steps()?;
    let must = |finding: &&CheckFinding| finding.step.must_pass();
    let passed = run
        .findings
        .iter()
        .filter(must)
        .all(|finding| finding.mark.is_good());
    let undecided = !passed
        && run
            .findings
            .iter()
            .filter(must)
            .all(|finding| finding.mark != StepResult::Failed);
    Ok(finished.then_some(CheckReport {
        passed,
        undecided,
        steps: run.findings,
    }))
}

/// Whether these legs say enough of a program: one with a fault always does.
fn has_enough_legs(legs: &[TrialLeg]) -> bool {
    let rounds: u32 = legs.iter().map(|leg| leg.round).sum();
    rounds >= ENOUGH
        || legs
            .iter()
            .any(|leg| leg.candidate_fault().is_some() || leg.void.is_some())
}

/// A check while it runs.
struct CheckRun<'a> {
    candidate: &'a CheckedProgram,
    watcher: &'a mut dyn CheckObserver,
    stop: &'a AtomicBool,
    findings: Vec<CheckFinding>,
    /// Whole legs.
    played: Vec<TrialLeg>,
    /// The time that the candidate waited rather than computed in all legs so far.
    waited: Duration,
}

impl CheckRun<'_> {
    /// Whether it came to its end.
    fn run_all_steps(&mut self) -> Result<bool, JudgeError> {
        self.add_finding(findings::report_build(self.candidate));
        if let PlayerKind::Broken(_) = self.candidate.player.kind {
            return Ok(self.skip_step(|lang| lang.label("it could not be built")));
        }
        self.watcher.on_step_begin(CheckStep::Starts);
        let seed = self.candidate.seed;
        let terms = TrialTerms::whole_leg(Seat::First, seed, self.choose_opponent(0));
        let first = self.run_trial(CheckStep::First, &terms)?;
        let Some(first) = first else { return Ok(false) };
        for look in [findings::report_start, findings::report_first_move] {
            let finding = look(&first, self.candidate);
            let good = finding.mark == StepResult::Passed;
            self.add_finding(finding);
            if !good && first.void.is_some() {
                return Ok(
                    self.skip_step(|lang| lang.label("not before the first leg could be judged"))
                );
            }
            if !good {
                return Ok(self.skip_step(|lang| lang.label("there is no first answer")));
            }
        }
        let whole = self.run_whole_leg(CheckStep::First, Seat::First, Some(first))?
            && self.run_whole_leg(CheckStep::Second, Seat::Second, None)?;
        Ok(whole && self.run_io_patterns()? && self.run_measurements()?)
    }

    /// Plays whole legs on this seat until they have shown enough; whether it was not stopped.
    fn run_whole_leg(
        &mut self,
        step: CheckStep,
        seat: Seat,
        first: Option<TrialLeg>,
    ) -> Result<bool, JudgeError> {
        let mut legs: Vec<TrialLeg> = first.into_iter().collect();
        while legs.len() < MOST_LEGS && !has_enough_legs(&legs) {
            let seed = self.candidate.seed.wrapping_add(legs.len() as u64);
            let terms = TrialTerms::whole_leg(seat, seed, self.choose_opponent(legs.len()));
            let Some(leg) = self.run_trial(step, &terms)? else {
                return Ok(false);
            };
            legs.push(leg);
        }
        self.add_finding(findings::report_whole_legs(step, &legs, self.candidate));
        self.played.extend(legs);
        Ok(true)
    }

    /// The longest leg on either seat again, or its beginning, with a judge who is less kind.
    fn run_io_patterns(&mut self) -> Result<bool, JudgeError> {
        for (step, seat, io_pattern) in [
            (CheckStep::SplitWrites, Seat::First, IoPattern::SplitWrites),
            (CheckStep::SlowReader, Seat::Second, IoPattern::SlowReads),
        ] {
            if self
                .played
                .iter()
                .any(|leg| leg.seat == seat && leg.candidate_fault().is_some())
            {
                let seen = self
                    .candidate
                    .write_both(|lang| lang.label("not before a whole leg goes well on this seat"));
                self.add_finding(CheckFinding::new(step, StepResult::Skipped, seen));
                continue;
            }
            let trial = self.run_trial(
                step,
                &self.longest_trial(seat).repeat_with(io_pattern, SHORT),
            )?;
            let Some(trial) = trial else { return Ok(false) };
            self.add_finding(findings::report_short_leg(step, &trial, self.candidate));
        }
        Ok(true)
    }

    /// What the whole legs have shown, and whether one of them is the same again.
    fn run_measurements(&mut self) -> Result<bool, JudgeError> {
        self.add_finding(findings::report_memory(&self.played, self.candidate));
        self.add_finding(findings::report_time(&self.played, self.candidate));
        self.add_finding(findings::report_exits(&self.played, self.candidate));
        let terms = self
            .longest_trial(Seat::First)
            .repeat_with(IoPattern::Usual, SHORT);
        let again = self.run_trial(CheckStep::Repeatable, &terms)?;
        let Some(again) = again else { return Ok(false) };
        self.add_finding(findings::report_repeatable(
            self.longest_trial(Seat::First),
            &again,
            self.candidate,
        ));
        Ok(true)
    }

    /// Who plays in this leg of a seat: first the weakest of our bots, which plays at random, then
    /// the next one. A game without such bots is played against itself.
    fn choose_opponent(&self, leg: usize) -> String {
        let bots = self.candidate.game.list_own_bots();
        let bot = bots.get(leg.min(1)).or(bots.first());
        bot.map_or_else(
            || self.candidate.player.name.clone(),
            |bot| (*bot).to_owned(),
        )
    }

    fn longest_trial(&self, seat: Seat) -> &TrialLeg {
        let legs = self.played.iter().filter(|leg| leg.seat == seat);
        legs.max_by_key(|leg| leg.round)
            .expect("whole legs come first")
    }

    fn run_trial(
        &mut self,
        step: CheckStep,
        terms: &TrialTerms,
    ) -> Result<Option<TrialLeg>, JudgeError> {
        self.watcher.on_step_begin(step);
        let watcher = &mut *self.watcher;
        let mut tell = |round, of| watcher.on_progress(step, round, of);
        let terms = TrialTerms {
            waited: self.waited,
            ..terms.clone()
        };
        let trial = play_trial(self.candidate, &terms, &mut tell, self.stop)?;
        self.waited = trial.as_ref().map_or(self.waited, |trial| trial.waited);
        Ok(trial)
    }

    fn add_finding(&mut self, finding: CheckFinding) {
        self.watcher.on_finding(&finding);
        self.findings.push(finding);
    }

    /// The steps that are left are not tried.
    fn skip_step(&mut self, why: impl Fn(Localizer<'_>) -> &'static str) -> bool {
        let why = self.candidate.write_both(why);
        for step in CheckStep::ALL.into_iter().skip(self.findings.len()) {
            self.add_finding(CheckFinding::new(step, StepResult::Skipped, why.clone()));
        }
        true
    }
}
