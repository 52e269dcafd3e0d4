//! Plays up to a pinned position and asks a bot there. The bot sees the recorded game: recorded
//! replies are played whatever it answers, and the opponent plays its recorded replies, until the
//! bot has answered in the pinned round.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use leitai_game::replay::{FaultRecord, LegRecord};
use leitai_game::{AnyLeg, ByEntrant, Entrant, GameHandle, Seat};
use leitai_judge::check::CheckedProgram;
use leitai_judge::{
    Divergence, EntrantSettings, HumanAnswer, HumanInput, MatchObserver, MatchProgress, MatchSpec,
    PlayedMatch, Player, PlayerKind, RefereeLimits, ResumePoint, play_match,
};
use leitai_sandbox::{Sandbox, SandboxLimits};

use crate::Roster;
use crate::regression::pinned_position::PinnedReply;
use crate::regression::{PinnedPosition, RegressionVerdict};

/// The time limit of the recorded opponent, which has no meaning: its answers are known.
const NO_LIMIT: Duration = Duration::from_secs(24 * 3600);

/// The answer of a bot in a pinned position.
#[derive(Clone, Debug)]
pub struct RegressionResult {
    /// Whether it is the mistake.
    pub verdict: RegressionVerdict,
    /// Its answers in the pinned round, up to the first that differs.
    pub answers: Vec<String>,
    /// Its fault there: it crashed, did not answer, or broke a rule.
    pub fault: Option<FaultRecord>,
    /// Why it could not be judged: the machine was too busy.
    pub void: Option<String>,
    /// Where it would have left the recorded game earlier.
    pub divergence: Option<Divergence>,
}

/// A bot that is asked, and how its program runs.
#[derive(Clone)]
pub struct AskedBot<'a> {
    /// The game.
    pub game: &'a GameHandle,
    /// The bot, ready to play.
    pub player: &'a Player,
    /// What it alone plays with.
    pub settings: EntrantSettings,
    /// The limits that the referee enforces.
    pub limits: RefereeLimits,
    /// The limits that the sandbox enforces.
    pub resources: SandboxLimits,
    /// Where it runs.
    pub sandbox: &'a Sandbox,
    /// The longest time of one position; `None`: as long as it takes.
    pub longest: Option<Duration>,
}

impl<'a> AskedBot<'a> {
    /// The first bot of a roster.
    pub fn of_roster(roster: &'a Roster) -> AskedBot<'a> {
        let options = roster.options();
        AskedBot {
            game: roster.game(),
            player: &roster.players[0],
            settings: roster.settings[0].clone(),
            limits: options.limits,
            resources: options.resources,
            sandbox: &options.sandbox,
            longest: None,
        }
    }

    /// A program that passed its check, for at most so long a position. What it alone plays with is in
    /// its limits.
    pub fn of_checked(checked: &'a CheckedProgram, longest: Option<Duration>) -> AskedBot<'a> {
        AskedBot {
            game: &checked.game,
            player: &checked.player,
            settings: EntrantSettings::default(),
            limits: checked.limits,
            resources: checked.resources,
            sandbox: &checked.sandbox,
            longest,
        }
    }
}

/// Plays up to the pinned position and asks the bot. The match is that of the position.
pub fn run_position(
    asked: &AskedBot<'_>,
    pinned: &PinnedPosition,
    stop: &AtomicBool,
) -> anyhow::Result<RegressionResult> {
    let (game, bot) = (asked.game, asked.player);
    let (setup, resume) = ResumePoint::new(&**game, &pinned.replay, pinned.replay_point())?;
    let other = PinnedPosition {
        entrant: pinned.entrant.other(),
        ..pinned.clone()
    }
    .bot_steps(&**game)?;
    let own: Vec<PinnedReply> = pinned
        .bot_steps(&**game)?
        .into_iter()
        .filter(|step| step.round == pinned.round)
        .collect();
    let spec = MatchSpec {
        config: pinned.replay.config.clone(),
        legs: pinned.leg,
        from: Some(resume),
        settings: ByEntrant::from_fn(|entrant| match entrant == pinned.entrant {
            true => asked.settings.clone(),
            false => EntrantSettings::default(),
        }),
        limits: asked.limits,
        resources: asked.resources,
        sandbox: asked.sandbox.clone(),
        ..MatchSpec::with_setup(
            game,
            pinned.replay.config.clone(),
            pinned.replay.seed.unwrap_or(1),
            setup,
            match_players(pinned, bot),
        )
    };
    let over = AtomicBool::new(false);
    let mut observer = AnswerObserver {
        until: asked
            .longest
            .map(|longest| (Instant::now() + longest, longest)),
        late: None,
        own: &own,
        seat: pinned.entrant.seat_in_leg(pinned.leg - 1),
        index: pinned.leg - 1,
        over: &over,
        stop,
    };
    let mut recorded_opponent = RecordedOpponent {
        steps: other.into(),
        asked: None,
    };
    let played = play_match(&spec, &mut recorded_opponent, &mut observer, &over)?;
    Ok(observer.result(pinned, played))
}

/// A match with the bot in the place of the entrant that made the mistake, against the recorded
/// opponent.
fn match_players(pinned: &PinnedPosition, bot: &Player) -> ByEntrant<Player> {
    ByEntrant::from_fn(|entrant| {
        if entrant == pinned.entrant {
            return bot.clone();
        }
        Player {
            name: pinned.replay.entrants[entrant].name.clone(),
            kind: PlayerKind::Human {
                period: NO_LIMIT,
                protocol: None,
            },
        }
    })
}

/// The fault of the bot in the pinned round, among its first answers there.
fn fault_in(
    leg: &LegRecord,
    entrant: Entrant,
    own: &[PinnedReply],
    answers: usize,
) -> Option<FaultRecord> {
    let asked = |fault: &&FaultRecord| {
        own.iter()
            .take(answers)
            .any(|step| step.index == fault.step)
    };
    leg.faults
        .iter()
        .filter(|fault| fault.entrant == entrant)
        .find(asked)
        .cloned()
}

/// Ends the match as soon as the bot has answered.
struct AnswerObserver<'a> {
    /// When it has to have answered, and how long that is.
    until: Option<(Instant, Duration)>,
    /// It had not; it was given so long.
    late: Option<Duration>,
    own: &'a [PinnedReply],
    seat: Seat,
    index: usize,
    over: &'a AtomicBool,
    stop: &'a AtomicBool,
}

impl AnswerObserver<'_> {
    fn result(&self, pinned: &PinnedPosition, played: PlayedMatch) -> RegressionResult {
        let leg = played.replay.legs.get(pinned.leg - 1);
        let answers = leg.map_or_else(Vec::new, |leg| self.bot_answers(&leg.replies));
        let fault = leg.and_then(|leg| fault_in(leg, pinned.entrant, self.own, answers.len()));
        let late = self
            .late
            .map(|longest| format!("asking took longer than {} s", longest.as_secs()));
        RegressionResult {
            verdict: pinned.judge(&answers),
            answers,
            fault,
            void: late.or(played.void.map(|why| why.why)),
            divergence: played
                .divergences
                .into_iter()
                .find(|found| found.entrant == pinned.entrant),
        }
    }

    /// The bot's answers in the pinned round, up to the first that differs: later steps are not the
    /// recorded ones.
    fn bot_answers(&self, replies: &str) -> Vec<String> {
        let mut answers = Vec::new();
        let tokens: Vec<&str> = replies.split_ascii_whitespace().collect();
        for step in self.own {
            let Some(token) = tokens.get(step.index) else {
                break;
            };
            let own = token.split_once('/').map_or(*token, |(first, second)| {
                if self.seat == Seat::First {
                    first
                } else {
                    second
                }
            });
            answers.push(own.to_owned());
            if own != step.played {
                break;
            }
        }
        answers
    }
}

impl MatchObserver for AnswerObserver<'_> {
    fn on_progress(&mut self, progress: &MatchProgress<'_>) {
        let has_answered = || {
            let answers = self.bot_answers(progress.replies);
            let last = answers
                .last()
                .zip(self.own.get(answers.len().wrapping_sub(1)));
            answers.len() == self.own.len()
                || last.is_some_and(|(answer, own)| *answer != own.played)
        };
        let last = self.own.first().map_or(0, |step| step.index);
        // Counting spaces is cheap; a long leg is split only when it has come this far.
        let is_reached = progress.index == self.index
            && progress
                .replies
                .bytes()
                .filter(|byte| *byte == b' ')
                .count()
                >= last;
        let answered = is_reached && has_answered();
        if let Some((until, longest)) = self.until.filter(|_| !answered && self.late.is_none()) {
            self.late = (Instant::now() >= until).then_some(longest);
        }
        if self.stop.load(Ordering::Relaxed) || answered || self.late.is_some() {
            self.over.store(true, Ordering::Relaxed);
        }
    }
}

/// The opponent, which plays its recorded replies. It is also asked in forced rounds, though
/// perhaps not in each of their steps; so the round of the leg gives the place in its record.
struct RecordedOpponent {
    steps: std::collections::VecDeque<PinnedReply>,
    asked: Option<Seat>,
}

impl HumanInput for RecordedOpponent {
    fn ask_person(&mut self, _: &dyn AnyLeg, seat: Seat, _: Duration) {
        self.asked = Some(seat);
    }

    fn poll_answer(&mut self, leg: &dyn AnyLeg) -> Option<(Seat, HumanAnswer)> {
        let seat = self.asked.take()?;
        let round = leg.round();
        while self.steps.front().is_some_and(|step| step.round < round) {
            self.steps.pop_front();
        }
        let step = self
            .steps
            .pop_front_if(|step| step.round == round && !step.played.starts_with('!'));
        Some((
            seat,
            step.map_or(HumanAnswer::Leave, |step| HumanAnswer::Action(step.played)),
        ))
    }
}
