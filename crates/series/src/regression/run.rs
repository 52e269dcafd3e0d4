//! Plays up to a pinned position and asks a bot there. The bot sees the recorded game: recorded
//! replies are played whatever it answers, and the opponent plays its recorded replies, until the
//! bot has answered in the pinned round.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use leitai_game::replay::{FaultRecord, LegRecord};
use leitai_game::{AnyLeg, ByEntrant, Entrant, Seat};
use leitai_judge::{
    Divergence, EntrantSettings, HumanAnswer, HumanInput, MatchObserver, MatchProgress, MatchSpec,
    Player, PlayerKind, ResumePoint, play_match,
};

use crate::Roster;
use crate::regression::PinnedPosition;
use crate::regression::pinned_position::PinnedReply;

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

/// Whether a pinned mistake is made again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RegressionVerdict {
    /// The bot repeats the mistake.
    StillMade,
    /// The bot answers differently.
    Gone,
    /// The bot gave no valid answer: it crashed, did not answer in time, or broke a rule.
    Failed,
    /// The bot could not be asked, so nothing is known.
    Unknown,
}

/// Plays up to the pinned position and asks the first bot of the roster. The match is that of the
/// position; the roster's options define how programs run.
pub fn run_position(
    roster: &Roster,
    pinned: &PinnedPosition,
    stop: &AtomicBool,
) -> anyhow::Result<RegressionResult> {
    let (game, bot) = (roster.game(), &roster.players[0]);
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
            true => roster.settings[0].clone(),
            false => EntrantSettings::default(),
        }),
        ..roster.options().make_match(
            game,
            match_players(pinned, bot),
            pinned.replay.seed.unwrap_or(1),
            setup,
        )
    };
    let over = AtomicBool::new(false);
    let mut observer = AnswerObserver {
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
    let leg = played.replay.legs.get(pinned.leg - 1);
    let answers = leg.map_or_else(Vec::new, |leg| observer.bot_answers(&leg.replies));
    let fault = leg.and_then(|leg| fault_in(leg, pinned.entrant, &own, answers.len()));
    Ok(RegressionResult {
        verdict: judge_answers(
            &own,
            &answers,
            fault.is_some() || answers.iter().any(|answer| answer.starts_with('!')),
        ),
        answers,
        fault,
        void: played.void.map(|why| why.why),
        divergence: played
            .divergences
            .into_iter()
            .find(|found| found.entrant == pinned.entrant),
    })
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

fn judge_answers(own: &[PinnedReply], answers: &[String], fault: bool) -> RegressionVerdict {
    let differs = answers
        .iter()
        .zip(own)
        .any(|(answer, step)| *answer != step.played);
    match () {
        () if differs && fault => RegressionVerdict::Failed,
        () if differs => RegressionVerdict::Gone,
        () if answers.len() < own.len() => RegressionVerdict::Unknown,
        () => RegressionVerdict::StillMade,
    }
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
    own: &'a [PinnedReply],
    seat: Seat,
    index: usize,
    over: &'a AtomicBool,
    stop: &'a AtomicBool,
}

impl AnswerObserver<'_> {
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
            answers.len() == self.own.len()
                || judge_answers(self.own, &answers, false) == RegressionVerdict::Gone
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
        if self.stop.load(Ordering::Relaxed) || (is_reached && has_answered()) {
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
