//! Quotas of uploads and friendly matches: the arena's, those of contests, and those of groups.

use leitai_store::{BotId, Quota, Timestamp, UserId};

use crate::contests::rules::read_contest;
use crate::http::app::App;
use crate::http::error::Result;

/// The arena's quota, with fewer versions a day if the bot plays in a contest that says so. The
/// store adds what groups say.
pub async fn quota_of_bot(app: &App, bot: BotId) -> Result<Quota> {
    let mut quota = app.options.account_quota();
    for contest in app.store.open_contests_of(bot).await? {
        let rules = read_contest(&app.games, &contest).ok();
        if let Some(daily) = rules.and_then(|rules| rules.entry.daily_versions) {
            quota.daily_versions = quota.daily_versions.min(u64::from(daily));
        }
    }
    Ok(quota)
}

/// Counts an upload for the arena's rate. Who may upload more often, because a group says so, is
/// counted by the quota alone.
pub async fn allow_upload(app: &App, user: UserId) -> Result<()> {
    let arena = app.options.account_quota();
    let own = app.store.member_quota(&[user], &arena).await?;
    if !own.hourly_uploads.looser {
        app.limiter.allow_upload(user).await?;
    }
    Ok(())
}

/// Counts a friendly match for the arena's rate as [`allow_upload`] counts uploads, and refuses one
/// that the quota has no room for.
pub async fn allow_friendly(app: &App, user: UserId) -> Result<()> {
    let arena = app.options.account_quota();
    let own = app.store.member_quota(&[user], &arena).await?;
    if !own.daily_friendlies.looser {
        app.limiter.allow_friendly(user).await?;
    }
    let now = Timestamp::now();
    Ok(app.store.check_room_for_friendly(user, &arena, now).await?)
}
