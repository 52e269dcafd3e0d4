//! What open contests say of the lanes of the bots that are entered.

use leitai_contest::file::CandidateRule;
use leitai_store::{Bot, CandidateLane, LaneRules};

use crate::contests::rules::read_contest;
use crate::http::app::App;
use crate::http::error::{ApiError, Result};

/// How a version of a bot is to become the active one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Becoming {
    /// Its uploads take this lane.
    Lane(CandidateLane),
    /// Its author says so.
    ByHand,
    /// An experiment accepts it.
    ByTest,
}

/// Refuses what a rule does not allow, in words.
pub fn refuse_by_rule(rule: Option<CandidateRule>, asked: Becoming) -> Option<&'static str> {
    match (rule?, asked) {
        (CandidateRule::Required, Becoming::Lane(CandidateLane::Automatic) | Becoming::ByTest)
        | (CandidateRule::Forbidden, Becoming::Lane(CandidateLane::Off) | Becoming::ByHand) => None,
        (CandidateRule::Required, _) => Some(
            "a contest takes only bots whose uploads are tested first; set the lane of the bot to \
             automatic, and leave it so until the contest begins",
        ),
        (CandidateRule::Forbidden, _) => Some(
            "a contest takes only bots whose uploads play at once; set the lane of the bot to off, and \
             leave it so until the contest begins",
        ),
    }
}

/// Refuses what an open contest of the bot does not allow.
pub async fn check_contests(app: &App, bot: &Bot, asked: Becoming) -> Result<()> {
    for contest in app.store.open_contests_of(bot.id).await? {
        let rules = read_contest(&app.games, &contest).ok();
        let rule = rules.and_then(|rules| rules.entry.candidates);
        if let Some(why) = refuse_by_rule(rule, asked) {
            return Err(ApiError::conflict("contest-lane", why));
        }
    }
    Ok(())
}

/// Refuses a bot whose lane a contest does not take.
pub async fn check_lane(app: &App, bot: &Bot, rule: Option<CandidateRule>) -> Result<()> {
    let LaneRules { lane, .. } = app.store.candidate_lane(bot.id).await?;
    match refuse_by_rule(rule, Becoming::Lane(lane)) {
        Some(why) => Err(ApiError::conflict("contest-lane", why)),
        None => Ok(()),
    }
}
