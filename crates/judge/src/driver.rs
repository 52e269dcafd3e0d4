//! Plays a match: starts the programs, transfers the bytes that the referee orders, measures time,
//! writes the replay. Each match has one thread, which blocks in `poll`; the driver makes no
//! decision about the game.

mod leg;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use leitai_game::lang::Say;
use leitai_game::replay::{
    EntrantRecord, FORMAT, LegRecord, LimitsRecord, MatchStatus, Replay, RerunRecord, VerdictRecord,
};
use leitai_game::{
    AnyLeg, AnySetup, ByEntrant, Entrant, GameFault, GameHandle, InvalidSetup, Outcome, Scope,
    Seat, ToMove, Verdict,
};
use leitai_sandbox::Sandbox;
use serde_json::Value;

use self::leg::LegDriver;
use crate::affinity::{CoreAssignment, CorePlan};
use crate::clock::{Spent, to_micros};
use crate::entrant_settings::EntrantSettings;
use crate::forced_replies::Divergence;
use crate::io_pattern::IoPattern;
use crate::player::{HumanInput, Player, PlayerKind};
use crate::program_io::ProgramEnd;
use crate::referee::{Referee, RefereeLimits};
use crate::resume::ResumePoint;
use crate::traffic::TrafficLog;

/// The most reruns of a leg because the machine was too busy to judge it.
pub const MOST_RERUNS: usize = 2;

/// A match to be played: its game, setup, players and limits.
#[allow(missing_docs, reason = "the names say it")]
pub struct MatchSpec {
    pub game: GameHandle,
    /// The config of the setup.
    pub config: Value,
    /// The seed of the setup and of all random choices of built-in bots.
    pub seed: u64,
    /// The result of all chance.
    pub setup: Arc<dyn AnySetup>,
    /// The most legs.
    pub legs: usize,
    pub players: ByEntrant<Player>,
    /// What each entrant alone plays with.
    pub settings: ByEntrant<EntrantSettings>,
    /// The limits of programs; people have those in [`PlayerKind::Human`].
    pub limits: RefereeLimits,
    /// Further limits of programs: memory, processes, files.
    pub resources: leitai_sandbox::SandboxLimits,
    pub sandbox: Sandbox,
    /// The start of the match, RFC 3339.
    pub recorded: Option<String>,
    /// The moment of a recorded match from which this one continues. The legs before it are copied,
    /// and [`MatchSpec::legs`] counts them.
    pub from: Option<ResumePoint>,
    /// How the judge writes and reads the streams of programs.
    pub io_pattern: IoPattern,
    /// The time that the entrants waited before, which counts for their waiting allowance.
    pub waited: ByEntrant<Duration>,
    /// Where what goes to and from programs is written, if anywhere.
    pub traffic: Option<TrafficLog>,
}

impl MatchSpec {
    /// A match from its start with the game's default limits and number of legs, without isolation.
    /// Other values are set by `..MatchSpec::new(…)`.
    ///
    /// # Errors
    /// If no setup can be dealt with this config.
    pub fn new(
        game: impl Into<GameHandle>,
        config: Value,
        seed: u64,
        players: ByEntrant<Player>,
    ) -> Result<MatchSpec, InvalidSetup> {
        let game = game.into();
        let setup = game.deal_setup(&config, seed)?;
        Ok(MatchSpec::with_setup(game, config, seed, setup, players))
    }

    /// A match as by [`MatchSpec::new`] on an existing setup, for example that of a replay.
    pub fn with_setup(
        game: impl Into<GameHandle>,
        config: Value,
        seed: u64,
        setup: Arc<dyn AnySetup>,
        players: ByEntrant<Player>,
    ) -> MatchSpec {
        let game = game.into();
        let meta = game.meta();
        let limits = RefereeLimits::new(meta.period_limit, meta.message_limit);
        MatchSpec {
            config,
            seed,
            setup,
            legs: meta.legs,
            players,
            settings: ByEntrant::default(),
            limits,
            game,
            resources: leitai_sandbox::SandboxLimits::BOT,
            sandbox: Sandbox::without_isolation(),
            recorded: None,
            from: None,
            io_pattern: IoPattern::Usual,
            waited: ByEntrant::default(),
            traffic: None,
        }
    }

    fn limits_of(&self, entrant: Entrant) -> RefereeLimits {
        match self.players[entrant].kind {
            PlayerKind::Human { period, .. } => RefereeLimits {
                period,
                total: None,
                waiting: None,
                ..self.limits
            },
            // Its own time is a thinking time: it is not at fault for a little more.
            PlayerKind::BuiltIn(_) => self.limits,
            _ => self.settings[entrant].limits.narrow_referee(self.limits),
        }
    }

    /// The facts that decide about cores.
    fn core_plan(&self) -> CorePlan {
        let programs = self
            .players
            .iter_pairs()
            .filter(|(_, player)| is_program(player))
            .count();
        let turns = matches!(self.setup.start_leg().to_move(), ToMove::One(_));
        CorePlan {
            programs,
            turns,
            pondering: self.limits.pondering,
            is_spread: self.limits.bot_threads > 1,
        }
    }
}

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
    /// Why the match has no verdict although it was not stopped: the machine was repeatedly too
    /// busy ([`MatchStatus::Void`]).
    pub void: Option<RerunRecord>,
}

/// An infrastructure error: the match has no result.
#[derive(Debug, thiserror::Error, Say)]
#[allow(missing_docs, reason = "the names say it")]
pub enum JudgeError {
    /// The match cannot be set up as requested.
    #[error(transparent)]
    Invalid(#[from] InvalidSetup),
    /// The machine lacked a resource.
    #[error(
        "could not start {name}: {source}; free processes, memory or files and run the match again"
    )]
    Start {
        name: String,
        source: std::io::Error,
    },
    /// The rules of a guest game failed.
    #[error(
        "{fault}; this happened in leg {leg}, round {round} of seed {seed}; it is an error of the game, not of a player, and the match does not count: please report it to the author of the game"
    )]
    RulesFailed {
        fault: Box<GameFault>,
        seed: u64,
        /// The leg, from 1.
        leg: usize,
        round: u32,
    },
    /// A built-in bot panicked.
    #[error(
        "the built-in bot {bot} panicked in leg {leg}, round {round} of seed {seed}: {what}; this is a bug in Leitai, and the match does not count: please report it with the command"
    )]
    BotPanicked {
        bot: String,
        seed: u64,
        /// The leg, from 1.
        leg: usize,
        round: u32,
        /// The message of the panic.
        what: String,
    },
}

/// Observes a running match.
pub trait MatchObserver {
    /// Called before the first step of a leg, after every step, and at intervals while an answer is
    /// awaited.
    fn on_progress(&mut self, progress: &MatchProgress<'_>);
    /// Called when a leg could not be judged and is played again.
    fn leg_again(&mut self, _index: usize, _why: &RerunRecord) {}
    /// Called at the end of a leg with the final measurements of an entrant's program.
    fn program_over(&mut self, _index: usize, _entrant: Entrant, _end: &ProgramEnd) {}
    /// Called at the end of a leg; the faults of its record have last words.
    fn leg_over(&mut self, _index: usize, _record: &LegRecord, _leg: &dyn AnyLeg) {}
}

/// The state of a running match.
pub struct MatchProgress<'a> {
    /// The leg, from 0.
    pub index: usize,
    /// The position.
    pub leg: &'a dyn AnyLeg,
    /// The replies so far, as in a replay ([`LegRecord::replies`]).
    pub replies: &'a str,
    /// Wall time of every reply so far ([`LegRecord::times_us`]).
    pub times_us: &'a [u64],
    /// The longest period of each entrant so far in this leg, by both clocks.
    pub slowest: ByEntrant<Spent>,
}

/// The observer of a match without one.
impl MatchObserver for () {
    fn on_progress(&mut self, _: &MatchProgress<'_>) {}
}

/// Plays a match to its verdict, or until `stop` is set. All programs have ended when it returns.
pub fn play_match(
    fixture: &MatchSpec,
    people: &mut dyn HumanInput,
    observer: &mut dyn MatchObserver,
    stop: &AtomicBool,
) -> Result<PlayedMatch, JudgeError> {
    let cores = CoreAssignment::assign_cores(fixture.core_plan());
    let (mut records, mut ends) = fixture
        .from
        .as_ref()
        .map_or_else(Default::default, |from| from.earlier_legs(&*fixture.setup));
    refuse_failed_rules(fixture, &ends)?;
    let mut outcomes: Vec<Outcome> = ends.iter().filter_map(|leg| leg.outcome()).collect();
    let mut divergences = Vec::new();
    let mut tally = TimeTally {
        waited: fixture.waited,
        ..TimeTally::default()
    };
    let mut void = None;
    while ends.len() < fixture.legs
        && outcomes
            .last()
            .is_none_or(|outcome| outcome.scope == Scope::Leg)
    {
        let end = play_leg(
            fixture,
            ends.len(),
            &cores,
            &mut tally,
            people,
            observer,
            stop,
        )?;
        observer.leg_over(ends.len(), &end.record, &*end.leg);
        records.push(end.record);
        void = end.void;
        divergences.extend(end.divergences);
        match end.leg.outcome() {
            Some(outcome) => outcomes.push(outcome),
            None => break,
        }
        ends.push(end.leg);
    }
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
        divergences,
        void,
    })
}

fn is_program(player: &Player) -> bool {
    matches!(player.kind, PlayerKind::Program { .. })
}

/// The time that the entrants used in the finished legs.
#[derive(Default)]
struct TimeTally {
    slowest: ByEntrant<Spent>,
    total: ByEntrant<Spent>,
    waited: ByEntrant<Duration>,
}

impl TimeTally {
    fn add_leg(&mut self, index: usize, referee: &Referee) {
        for entrant in Entrant::BOTH {
            let seat = entrant.seat_in_leg(index);
            self.slowest[entrant] = self.slowest[entrant].slower_of(&referee.slowest_period(seat));
            self.total[entrant] = referee.total_spent(seat);
            self.waited[entrant] = referee.total_waited(seat);
        }
    }
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
        let (mut record, leg, ends) = driver.finish_leg(fixture.io_pattern);
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
