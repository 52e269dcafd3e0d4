//! The match that is to be played, who watches it, and what is kept from leg to leg.

use std::sync::Arc;
use std::time::Duration;

use leitai_game::erased::TextReplies;
use leitai_game::lang::Say;
use leitai_game::replay::{FaultRecord, LegRecord, LogRecord, RerunRecord};
use leitai_game::{
    AnyLeg, AnySetup, ByEntrant, BySeat, Entrant, GameFault, GameHandle, InvalidSetup, ToMove,
};
use leitai_sandbox::{KeptFile, Sandbox};
use serde_json::Value;

use crate::affinity::CorePlan;
use crate::clock::Spent;
use crate::entrant_settings::EntrantSettings;
use crate::io_pattern::IoPattern;
use crate::player::{Player, PlayerKind};
use crate::program_io::ProgramEnd;
use crate::referee::{Referee, RefereeLimits};
use crate::resume::ResumePoint;
use crate::traffic::TrafficLog;

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
    /// What the programs of the entrants kept in the match before, where they may keep anything.
    pub kept: ByEntrant<Vec<u8>>,
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
            kept: ByEntrant::default(),
            traffic: None,
        }
    }

    pub(super) fn limits_of(&self, entrant: Entrant) -> RefereeLimits {
        match self.players[entrant].kind {
            PlayerKind::Human { period, .. } => RefereeLimits {
                period,
                total: None,
                bank: None,
                waiting: None,
                ..self.limits
            },
            // Its own time is a thinking time: it is not at fault for a little more.
            PlayerKind::BuiltIn(_) => self.limits,
            _ => self.settings[entrant].limits.narrow_referee(self.limits),
        }
    }

    /// The facts that decide about cores.
    pub(super) fn core_plan(&self) -> CorePlan {
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
    /// What a program kept for its next leg cannot be read.
    #[error("cannot read what a program keeps between legs: {0}; run the match again")]
    Kept(std::io::Error),
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
    /// What a judge program has shown so far ([`LegRecord::shown`]).
    pub shown: &'a [Value],
    /// The reply of a seat in the present step that waits for the other's.
    pub answered: TextReplies<'a>,
    /// The faults so far, without last words.
    pub faults: &'a [FaultRecord],
    /// The longest period of each entrant so far in this leg, by both clocks.
    pub slowest: ByEntrant<Spent>,
}

/// The observer of a match without one.
impl MatchObserver for () {
    fn on_progress(&mut self, _: &MatchProgress<'_>) {}
}

fn is_program(player: &Player) -> bool {
    matches!(player.kind, PlayerKind::Program { .. })
}

/// The time that the entrants used in the finished legs.
#[derive(Default)]
pub(super) struct TimeTally {
    pub(super) slowest: ByEntrant<Spent>,
    pub(super) total: ByEntrant<Spent>,
    pub(super) waited: ByEntrant<Duration>,
    /// What their programs keep for the next leg.
    pub(super) kept: ByEntrant<Vec<u8>>,
}

impl TimeTally {
    /// Keeps what the programs of a finished leg have left, all of which have ended.
    pub(super) fn keep_files(
        &mut self,
        index: usize,
        files: BySeat<Option<KeptFile>>,
        record: &mut LegRecord,
    ) -> Result<(), JudgeError> {
        for (seat, file) in files.iter_pairs() {
            let (Some(file), entrant) = (file, seat.entrant_in_leg(index)) else {
                continue;
            };
            match file.read().map_err(JudgeError::Kept)? {
                Some(bytes) => self.kept[entrant] = bytes,
                None => record.logs.push(LogRecord {
                    entrant,
                    period: record.logs.last().map_or(1, |log| log.period),
                    text: "[leitai] LEITAI_KEPT has more than 1 MiB: what it had before this leg stays\n"
                        .to_owned(),
                }),
            }
        }
        Ok(())
    }

    pub(super) fn add_leg(&mut self, index: usize, referee: &Referee) {
        for entrant in Entrant::BOTH {
            let seat = entrant.seat_in_leg(index);
            self.slowest[entrant] = self.slowest[entrant].slower_of(&referee.slowest_period(seat));
            self.total[entrant] = referee.total_spent(seat);
            self.waited[entrant] = referee.total_waited(seat);
        }
    }
}
