//! Plays a match: starts the programs, transfers the bytes that the referee orders, measures time,
//! writes the replay. Each match has one thread, which blocks in `poll`; the driver makes no
//! decision about the game.

mod leg;
pub mod spec;

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use leitai_game::replay::{
    EntrantRecord, FORMAT, LegRecord, LimitsRecord, MatchStatus, Replay, RerunRecord, VerdictRecord,
};
use leitai_game::{AnyLeg, ByEntrant, GameFault, Outcome, Scope, Seat, Verdict};

pub use self::spec::{JudgeError, MatchObserver, MatchProgress, MatchSpec};

use self::leg::LegDriver;
use self::spec::TimeTally;
use crate::affinity::CoreAssignment;
use crate::clock::{Spent, to_micros};
use crate::forced_replies::Divergence;
use crate::io_pattern::IoPattern;
use crate::player::{HumanInput, PlayerKind};
use crate::referee::RefereeLimits;
use crate::resume::ResumePoint;

/// The most reruns of a leg because the machine was too busy to judge it.
pub const MOST_RERUNS: usize = 2;

/// A finished or interrupted match.
#[allow(missing_docs, reason = "the names say it")]
pub struct PlayedMatch {
    pub replay: Replay,
    /// The verdict; `None` if the match was interrupted.
    pub verdict: Option<Verdict>,
    /// The outcome of every finished leg.
    pub outcomes: Vec<Outcome>,
    /// The divergences of programs from the recorded match that this one continues.
    pub divergences: Vec<Divergence>,
    /// The longest period of each entrant, by both clocks.
    pub slowest: ByEntrant<Spent>,
    /// The time that each entrant waited rather than computed, with [`MatchSpec::waited`].
    pub waited: ByEntrant<Duration>,
    /// What the programs keep for another match, where they may keep anything.
    pub kept: ByEntrant<Vec<u8>>,
    /// Why the match has no verdict although it was not stopped: the machine was repeatedly too
    /// busy ([`MatchStatus::Void`]).
    pub void: Option<RerunRecord>,
}

/// Plays a match to its verdict, or until `stop` is set. All programs have ended when it returns.
pub fn play_match(
    fixture: &MatchSpec,
    people: &mut dyn HumanInput,
    observer: &mut dyn MatchObserver,
    stop: &AtomicBool,
) -> Result<PlayedMatch, JudgeError> {
    let PlayedLegs {
        records,
        ends,
        outcomes,
        divergences,
        tally,
        void,
    } = play_legs(fixture, people, observer, stop)?;
    let interrupted = ends.len() < records.len() || records.is_empty();
    let verdict = (!interrupted).then(|| fixture.setup.decide_match(&ends));
    refuse_failed_rules(fixture, &ends)?;
    let status = match (&verdict, &void) {
        (Some(_), _) => MatchStatus::Complete,
        (None, Some(_)) => MatchStatus::Void,
        (None, None) => MatchStatus::Interrupted,
    };
    let verdict_record = verdict.as_ref().map(VerdictRecord::from);
    let replay = make_replay(fixture, records, status, verdict_record);
    Ok(PlayedMatch {
        replay,
        verdict,
        outcomes,
        slowest: tally.slowest,
        waited: tally.waited,
        kept: tally.kept,
        divergences,
        void,
    })
}

/// The legs of a match, earlier ones too.
struct PlayedLegs {
    records: Vec<LegRecord>,
    /// Those that ended; the last record may be of a leg that did not.
    ends: Vec<Box<dyn AnyLeg>>,
    outcomes: Vec<Outcome>,
    divergences: Vec<Divergence>,
    tally: TimeTally,
    void: Option<RerunRecord>,
}

/// Plays until the match is decided, or a leg does not end.
fn play_legs(
    fixture: &MatchSpec,
    people: &mut dyn HumanInput,
    observer: &mut dyn MatchObserver,
    stop: &AtomicBool,
) -> Result<PlayedLegs, JudgeError> {
    let cores = CoreAssignment::assign_cores(fixture.core_plan());
    let from = fixture.from.as_ref();
    let (records, ends) =
        from.map_or_else(Default::default, |from| from.earlier_legs(&*fixture.setup));
    refuse_failed_rules(fixture, &ends)?;
    let mut legs = PlayedLegs {
        outcomes: ends.iter().filter_map(|leg| leg.outcome()).collect(),
        records,
        ends,
        divergences: Vec::new(),
        tally: TimeTally {
            waited: fixture.waited,
            kept: fixture.kept.clone(),
            ..TimeTally::default()
        },
        void: None,
    };
    let goes_on = |last: Option<&Outcome>| last.is_none_or(|last| last.scope == Scope::Leg);
    while legs.ends.len() < fixture.legs && goes_on(legs.outcomes.last()) {
        let (index, tally) = (legs.ends.len(), &mut legs.tally);
        let end = play_leg(fixture, index, &cores, tally, people, observer, stop)?;
        observer.leg_over(index, &end.record, &*end.leg);
        legs.records.push(end.record);
        legs.void = end.void;
        legs.divergences.extend(end.divergences);
        match end.leg.outcome() {
            Some(outcome) => legs.outcomes.push(outcome),
            None => break,
        }
        legs.ends.push(end.leg);
    }
    Ok(legs)
}

/// The end of a leg.
struct LegEnd {
    record: LegRecord,
    leg: Box<dyn AnyLeg>,
    void: Option<RerunRecord>,
    divergences: Vec<Divergence>,
}

/// Plays a leg, and plays it again if the machine was too busy to judge it.
fn play_leg(
    fixture: &MatchSpec,
    index: usize,
    cores: &CoreAssignment,
    tally: &mut TimeTally,
    people: &mut dyn HumanInput,
    observer: &mut dyn MatchObserver,
    stop: &AtomicBool,
) -> Result<LegEnd, JudgeError> {
    let mut reruns: Vec<RerunRecord> = Vec::new();
    loop {
        let mut driver = LegDriver::new(fixture, index, cores, tally)?;
        driver.play_leg(people, observer, stop);
        if let Some((seat, what)) = driver.panicked.take() {
            return Err(bot_panicked(
                fixture,
                index,
                driver.referee.current_leg().round(),
                seat,
                what,
            ));
        }
        if let Some(fault) = driver.referee.find_game_fault() {
            let leg = driver.referee.current_leg();
            return Err(rules_failed(fixture, index, leg, fault));
        }
        let disturbed = driver.referee.find_disturbance().cloned();
        if let Some(why) = disturbed.as_ref().filter(|_| reruns.len() < MOST_RERUNS) {
            observer.leg_again(index, why);
            reruns.push(why.clone());
            driver.finish_leg(IoPattern::Usual);
            continue;
        }
        tally.add_leg(index, &driver.referee);
        let divergences = driver
            .referee
            .divergences()
            .iter_pairs()
            .filter_map(|(_, found)| found.clone())
            .collect();
        let kept = driver.kept.clone();
        let (mut record, leg, ends) = driver.finish_leg(fixture.io_pattern);
        tally.keep_files(index, kept, &mut record)?;
        ends.iter()
            .for_each(|(entrant, end)| observer.program_over(index, *entrant, end));
        reruns.extend(disturbed.clone());
        record.reruns = reruns;
        return Ok(LegEnd {
            record,
            leg,
            void: disturbed,
            divergences,
        });
    }
}

fn make_replay(
    fixture: &MatchSpec,
    legs: Vec<LegRecord>,
    status: MatchStatus,
    verdict: Option<VerdictRecord>,
) -> Replay {
    let meta = fixture.game.meta();
    Replay {
        format: FORMAT.to_owned(),
        game: meta.id.to_owned(),
        rules: meta.rules.to_owned(),
        engine: concat!("leitai ", env!("CARGO_PKG_VERSION")).to_owned(),
        recorded: fixture.recorded.clone(),
        seed: Some(fixture.seed),
        config: fixture.config.clone(),
        setup: fixture.setup.to_json(),
        entrants: ByEntrant::from_fn(|entrant| EntrantRecord {
            settings: fixture.settings[entrant].to_text(),
            ..fixture.players[entrant].entrant_record()
        }),
        limits: Some(limits_record(
            &fixture.limits,
            &fixture.resources,
            fixture.sandbox.tier().to_string(),
        )),
        status,
        forced: fixture.from.as_ref().and_then(ResumePoint::forced_record),
        legs,
        verdict,
        origin: None,
        signature: None,
    }
}

/// The limits of a match, as its replay has them.
pub fn limits_record(
    limits: &RefereeLimits,
    resources: &leitai_sandbox::SandboxLimits,
    isolation: String,
) -> LimitsRecord {
    let millis = |time: Duration| to_micros(time) / 1000;
    let RefereeLimits {
        period,
        start,
        total,
        grace,
        keeps,
        bank,
        waiting,
        thought: _,
        pondering,
        bot_threads,
        message,
        log,
    } = *limits;
    LimitsRecord {
        period_ms: millis(period),
        start_ms: millis(start),
        match_ms: total.map(millis),
        grace_ms: grace.map(|grace| millis(grace.time)),
        strikes: grace.map_or(0, |grace| grace.strikes),
        keeps,
        bank_ms: bank.map(|bank| millis(bank.time)),
        increment_ms: bank.map_or(0, |bank| millis(bank.increment)),
        waiting_ms: waiting.map(millis),
        pondering,
        bot_threads,
        memory_bytes: resources.memory,
        processes: resources.processes,
        open_files: resources.open_files,
        file_bytes: resources.file,
        disk_bytes: resources.disk,
        message_bytes: message,
        log_bytes: log,
        isolation,
    }
}

/// An error if the rules failed in one of these legs, or in the verdict over them.
fn refuse_failed_rules(fixture: &MatchSpec, legs: &[Box<dyn AnyLeg>]) -> Result<(), JudgeError> {
    for (index, leg) in legs.iter().enumerate() {
        if let Some(fault) = leg.fault().or_else(|| fixture.setup.fault()) {
            return Err(rules_failed(fixture, index, &**leg, fault));
        }
    }
    Ok(())
}

fn rules_failed(
    fixture: &MatchSpec,
    index: usize,
    leg: &dyn AnyLeg,
    fault: GameFault,
) -> JudgeError {
    JudgeError::RulesFailed {
        fault: Box::new(fault),
        seed: fixture.seed,
        leg: index + 1,
        round: leg.round(),
    }
}

fn bot_panicked(
    fixture: &MatchSpec,
    index: usize,
    round: u32,
    seat: Seat,
    what: String,
) -> JudgeError {
    let player = &fixture.players[seat.entrant_in_leg(index)];
    let bot = match &player.kind {
        PlayerKind::BuiltIn(bot) => bot.clone(),
        _ => player.name.clone(),
    };
    JudgeError::BotPanicked {
        bot,
        seed: fixture.seed,
        leg: index + 1,
        round,
        what,
    }
}
