//! Matches that continue a recorded match from one of its moments.

use std::sync::Arc;

use leitai_game::replay::{ForcedRecord, LegRecord, LogRecord, Replay, ReplayWalker};
use leitai_game::{AnyGame, AnySetup, InvalidSetup};
use leitai_judge::{Divergence, DivergentReply, PlayedMatch, ReplayPoint, ResumePoint};
use leitai_series::book::BookPosition;
use leitai_store::{BOOK_KEY, Json};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::source::{MatchTask, RecordedMoment};

/// The key of a match's limits under which its origin is stored.
const KEY: &str = "from";

/// The moment of another match from which a match continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MatchOrigin {
    /// The id of the other match.
    #[serde(rename = "match")]
    pub match_id: i64,
    /// The leg, from 1.
    pub leg: usize,
    /// The first round that was not forced.
    pub round: u32,
}

impl MatchOrigin {
    /// The origin in the limits of a match.
    pub fn of_limits(limits: &Json) -> Option<MatchOrigin> {
        serde_json::from_value(limits.get(KEY)?.clone()).ok()
    }

    /// The limits with this origin.
    pub fn with_limits(self, limits: &Json) -> Json {
        let mut all = limits.as_object().cloned().unwrap_or_default();
        all.insert(KEY.to_owned(), serde_json::json!(self));
        Json::Object(all)
    }

    /// The moment in a replay.
    pub fn replay_point(self) -> ReplayPoint {
        ReplayPoint {
            leg: self.leg,
            round: self.round,
        }
    }
}

/// The limits without the origin and the book, as they are shown; null where nothing else is left.
pub fn without_origin(mut limits: Json) -> Json {
    if let Some(all) = limits.as_object_mut()
        && [KEY, BOOK_KEY].iter().any(|key| all.remove(*key).is_some())
        && all.is_empty()
    {
        return Json::Null;
    }
    limits
}

/// The moment with the replay up to its leg, for a worker.
pub fn recorded_moment(bytes: &[u8], origin: MatchOrigin) -> Result<RecordedMoment, String> {
    let text = String::from_utf8_lossy(bytes);
    let mut replay = Replay::parse(&text).map_err(|error| error.to_string())?;
    replay.legs.truncate(origin.leg);
    for leg in &mut replay.legs {
        leg.logs.clear();
        for fault in &mut leg.faults {
            fault.last_words.clear();
            fault.received = None;
        }
    }
    Ok(RecordedMoment {
        leg: origin.leg,
        round: origin.round,
        replay: replay.to_text(),
    })
}

/// The point from which the judge continues.
///
/// # Errors
/// If the replay does not reach the moment.
pub fn resume_point(
    game: &dyn AnyGame,
    moment: &RecordedMoment,
) -> Result<ResumePoint, InvalidSetup> {
    let replay =
        Replay::parse(&moment.replay).map_err(|error| InvalidSetup::new(error.to_string()))?;
    let point = ReplayPoint {
        leg: moment.leg,
        round: moment.round,
    };
    Ok(ResumePoint::new(game, &replay, point)?.1)
}

/// The setup of a task, and the point from which the judge plays on, if not from the beginning.
///
/// # Errors
/// If the rules know no such match.
pub fn begin_match(
    game: &dyn AnyGame,
    task: &MatchTask,
) -> Result<(Arc<dyn AnySetup>, Option<ResumePoint>), InvalidSetup> {
    if let Some(position) = &task.opening {
        let start = position.start(game);
        let (setup, from) = start.map_err(|why| InvalidSetup::new(format!("{why:#}")))?;
        return Ok((setup, Some(from)));
    }
    let from = task.from.as_ref();
    let from = from.map(|moment| resume_point(game, moment));
    Ok((game.deal_setup(&task.config, task.seed)?, from.transpose()?))
}

/// Whether a replay continues the moment of a task: the same legs before it, and the same replies in its
/// leg before the round; or all its legs start from the task's position. Without either nothing may be
/// forced.
pub fn is_continuation(game: &dyn AnyGame, task: &MatchTask, replay: &Replay) -> bool {
    if let Some(position) = &task.opening {
        return starts_from(position, replay);
    }
    let Some(moment) = &task.from else {
        return replay.forced.is_none();
    };
    let forced = ForcedRecord {
        leg: moment.leg,
        round: moment.round,
        each_leg: false,
    };
    let (Ok(recorded), Ok(resume)) = (Replay::parse(&moment.replay), resume_point(game, moment))
    else {
        return false;
    };
    let index = resume.leg_index();
    let (Some(own), Some(other)) = (replay.legs.get(index), recorded.legs.get(index)) else {
        return false;
    };
    let before = replay.legs.iter().zip(&recorded.legs).take(index);
    let steps = resume.forced_replies.len();
    replay.forced == Some(forced)
        && before
            .into_iter()
            .all(|(one, two)| one.replies == two.replies)
        && own
            .replies
            .split(' ')
            .take(steps)
            .eq(other.replies.split(' ').take(steps))
}

/// Whether every leg of a replay starts with the replies that lead to a position.
fn starts_from(position: &BookPosition, replay: &Replay) -> bool {
    let forced = ForcedRecord {
        leg: 1,
        round: position.round,
        each_leg: true,
    };
    let before: Vec<&str> = position.replies.split_ascii_whitespace().collect();
    let starts = |leg: &LegRecord| {
        let own = leg.replies.split_ascii_whitespace().take(before.len());
        own.eq(before.iter().copied())
    };
    replay.forced == Some(forced) && replay.legs.iter().all(starts)
}

/// Writes into the log of each program where it answered otherwise than in the recorded match: for
/// its author, at the moment at which it happened.
pub fn log_divergences(setup: &dyn AnySetup, played: &mut PlayedMatch) {
    let Some(leg) = played.replay.legs.last_mut() else {
        return;
    };
    for found in &played.divergences {
        let period = period_of_step(setup, leg, found.step);
        let record = LogRecord {
            entrant: found.entrant,
            period,
            text: divergence_text(found),
        };
        let place = leg.logs.iter().position(|log| log.period > period);
        leg.logs.insert(place.unwrap_or(leg.logs.len()), record);
    }
}

fn period_of_step(setup: &dyn AnySetup, leg: &leitai_game::replay::LegRecord, step: usize) -> u32 {
    let mut walk = ReplayWalker::new(setup, leg);
    for _ in 0..step {
        if !matches!(walk.next(&mut ()), Ok(Some(_))) {
            break;
        }
    }
    walk.current_leg().period()
}

fn divergence_text(found: &Divergence) -> String {
    let Divergence {
        round, recorded, ..
    } = found;
    let instead = match &found.instead {
        DivergentReply::Action(action) => format!("it answered {action}"),
        DivergentReply::Fault { code, what } => format!("it {what} [{code}]"),
    };
    let mut text = format!(
        "[leitai] round {round}: {instead} where the recorded match has {recorded}; it goes on as \
         recorded"
    );
    text.push('\n');
    text
}
