//! A leg of the checked program against a weak built-in bot, with measurements.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use leitai_game::replay::{FaultRecord, LegRecord, ReplayWalker, RerunRecord};
use leitai_game::{AnyLeg, AnySetup, ByEntrant, Entrant, Seat};

use crate::check::program::CheckedProgram;
use crate::clock::{Spent, wall_cap};
use crate::driver::{JudgeError, MatchObserver, MatchProgress, MatchSpec, play_match};
use crate::io_pattern::IoPattern;
use crate::player::{NoHumans, Player, PlayerKind};
use crate::program_io::ProgramEnd;

/// A leg of the candidate.
pub struct TrialLeg {
    /// Its seat.
    pub seat: Seat,
    /// What chance was drawn from.
    pub seed: u64,
    /// Chance as it fell.
    pub setup: Arc<dyn AnySetup>,
    /// As it stands in a replay.
    pub record: LegRecord,
    /// The last round that was played.
    pub round: u32,
    /// What was seen of it at the end.
    pub end: ProgramEnd,
    /// The opponent, a built-in bot.
    pub opponent: String,
    /// The time that the candidate waited rather than computed, in this leg and before it.
    pub waited: Duration,
    /// The machine was too busy for it to be judged.
    pub void: Option<RerunRecord>,
}

/// What a leg is played with.
#[derive(Clone)]
pub struct TrialTerms {
    /// The seat of the candidate.
    pub seat: Seat,
    /// What chance is drawn from.
    pub seed: u64,
    /// The built-in bot that it plays.
    pub opponent: String,
    /// How its streams are treated.
    pub io_pattern: IoPattern,
    /// Rounds after which it is stopped.
    pub rounds: Option<u32>,
    /// The time that the candidate waited in earlier legs of the check.
    pub waited: Duration,
}

impl TrialTerms {
    /// A whole leg.
    pub fn whole_leg(seat: Seat, seed: u64, opponent: String) -> TrialTerms {
        TrialTerms {
            seat,
            seed,
            opponent,
            io_pattern: IoPattern::Patient,
            rounds: None,
            waited: Duration::ZERO,
        }
    }
}

/// Time that the candidate used in one period.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PeriodUsage {
    /// The round, from 1.
    pub round: u32,
    /// Wall and CPU time, and noise.
    pub spent: Spent,
    /// What the processor time may be; wall time where there is no other.
    pub limit: Duration,
}

impl PeriodUsage {
    /// CPU time that counts; wall time where there is no such clock.
    pub fn cpu_time(&self) -> Duration {
        self.spent.charged_time().unwrap_or(self.spent.wall)
    }

    /// Wall time without withheld time, which is compared with the referee's cap.
    pub fn wall_time(&self) -> Duration {
        self.spent.wall.saturating_sub(self.noise_time())
    }

    /// Wall time that the machine withheld.
    pub fn noise_time(&self) -> Duration {
        self.spent
            .cpu
            .map_or(Duration::ZERO, |_| self.spent.excused_time())
    }

    /// What wall time may be.
    pub fn wall_limit(&self) -> Duration {
        if self.spent.cpu.is_some() {
            wall_cap(self.limit)
        } else {
            self.limit
        }
    }
}

/// Plays a leg, or so many of its rounds; `tell` gets the round and how many there are. `None`
/// if it was stopped.
pub fn play_trial(
    candidate: &CheckedProgram,
    terms: &TrialTerms,
    tell: &mut dyn FnMut(u32, u32),
    stop: &AtomicBool,
) -> Result<Option<TrialLeg>, JudgeError> {
    let TrialTerms {
        seat, seed, rounds, ..
    } = *terms;
    let fixture = match_spec(candidate, terms)?;
    let halt = AtomicBool::new(false);
    let most = fixture.setup.max_rounds().min(rounds.unwrap_or(u32::MAX));
    let mut observer = TrialObserver {
        seat,
        most,
        tell,
        stop,
        halt: &halt,
        end: ProgramEnd::default(),
        round: 0,
    };
    let mut played = play_match(&fixture, &mut NoHumans, &mut observer, &halt)?;
    let (end, round) = (observer.end, observer.round);
    if stop.load(Ordering::Relaxed) {
        return Ok(None);
    }
    let record = played.replay.legs.pop().unwrap_or_default();
    let setup = fixture.setup;
    Ok(Some(TrialLeg {
        seat,
        seed,
        setup,
        record,
        round,
        end,
        opponent: terms.opponent.clone(),
        waited: played.waited[seat.entrant_in_leg(0)],
        void: played.void,
    }))
}

fn match_spec(candidate: &CheckedProgram, terms: &TrialTerms) -> Result<MatchSpec, JudgeError> {
    let name = terms.opponent.clone();
    let kind = match candidate.game.list_own_bots().is_empty() {
        true => candidate.player.kind.clone(),
        false => PlayerKind::BuiltIn(name.clone()),
    };
    let bot = Player { name, kind };
    let mut players = ByEntrant::new(candidate.player.clone(), bot);
    if terms.seat == Seat::Second {
        players = players.swap_values();
    }
    let mut waited = ByEntrant::default();
    waited[terms.seat.entrant_in_leg(0)] = terms.waited;
    let (game, config) = (candidate.game.clone(), candidate.config.clone());
    Ok(MatchSpec {
        legs: 1,
        limits: candidate.limits,
        resources: candidate.resources,
        sandbox: candidate.sandbox.clone(),
        io_pattern: terms.io_pattern,
        waited,
        ..MatchSpec::new(game, config, terms.seed, players)?
    })
}

/// Looks at the round, and stops when enough was played.
struct TrialObserver<'a> {
    seat: Seat,
    most: u32,
    tell: &'a mut dyn FnMut(u32, u32),
    stop: &'a AtomicBool,
    halt: &'a AtomicBool,
    end: ProgramEnd,
    round: u32,
}

impl MatchObserver for TrialObserver<'_> {
    fn on_progress(&mut self, progress: &MatchProgress<'_>) {
        let round = progress.leg.round();
        if round > self.most || self.stop.load(Ordering::Relaxed) {
            self.halt.store(true, Ordering::Relaxed);
            return;
        }
        self.round = round;
        (self.tell)(round, self.most);
    }

    fn program_over(&mut self, _: usize, entrant: Entrant, end: &ProgramEnd) {
        if entrant.seat_in_leg(0) == self.seat {
            self.end = *end;
        }
    }
}

impl TrialLeg {
    /// What the candidate did wrong, if it did.
    pub fn candidate_fault(&self) -> Option<&FaultRecord> {
        self.record
            .faults
            .iter()
            .find(|fault| fault.seat == self.seat)
    }

    /// Its first rounds once more.
    pub fn repeat_with(&self, io_pattern: IoPattern, rounds: u32) -> TrialTerms {
        TrialTerms {
            seat: self.seat,
            seed: self.seed,
            opponent: self.opponent.clone(),
            io_pattern,
            rounds: Some(rounds),
            waited: Duration::ZERO,
        }
    }

    /// Who won, if anybody did.
    pub fn winner(&self) -> Option<Seat> {
        self.record
            .outcome
            .as_ref()
            .and_then(|outcome| outcome.winner)
    }

    /// What it used, period by period.
    pub fn usage_by_period(&self, candidate: &CheckedProgram) -> Vec<PeriodUsage> {
        let mut walk = ReplayWalker::new(&*self.setup, &self.record);
        let (mut all, mut last, mut at) = (Vec::<PeriodUsage>::new(), None, 0);
        loop {
            let (to_move, period) = (walk.current_leg().to_move(), walk.current_leg().period());
            let blank = self.empty_usage(walk.current_leg(), candidate);
            // A record that was just written can be read; a leg that was stopped just ends.
            let Ok(Some(_)) = walk.next(&mut ()) else {
                return all;
            };
            for seat in Seat::BOTH
                .into_iter()
                .filter(|seat| to_move.asks_seat(*seat))
            {
                if seat == self.seat {
                    if last != Some(period) {
                        all.push(blank);
                        last = Some(period);
                    }
                    self.add_reply_usage(at, all.last_mut().expect("one was just pushed"));
                }
                at += 1;
            }
        }
    }

    fn empty_usage(&self, leg: &dyn AnyLeg, candidate: &CheckedProgram) -> PeriodUsage {
        let limit = candidate.limits.period;
        let limit = leg.period_limit().map_or(limit, |own| own.max(limit));
        PeriodUsage {
            round: leg.round(),
            limit,
            ..PeriodUsage::default()
        }
    }

    fn add_reply_usage(&self, at: usize, used: &mut PeriodUsage) {
        if let Some(spent) = Spent::of_reply(&self.record, at) {
            used.spent += spent;
        }
    }
}
