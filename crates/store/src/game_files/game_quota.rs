//! What an account with the right to add games may keep and ask for. Administrators have no quota.

use std::collections::HashSet;

use crate::bots::counted_actions::{self, DAY};
use crate::database::prelude::*;
use crate::tables::game_files::{Column, Entity, GameFileRow, GameFileState};
use crate::tables::game_rights::owners;
use crate::{OverQuota, UserId};

/// The most that an account has of games.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameQuota {
    /// Games that belong to it.
    pub games: u64,
    /// Versions that are kept, refused ones among them.
    pub versions: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Checks within 24 hours.
    pub daily_checks: u64,
}

/// The versions that count for an account: what it brought of games that are its own, and what was
/// refused.
async fn kept(change: &Change, user: UserId) -> Result<(Vec<GameFileRow>, u64)> {
    let own = owners::Entity::find().filter(owners::Column::User.eq(user));
    let own: HashSet<String> = own
        .all(change)
        .await?
        .into_iter()
        .map(|row| row.game)
        .collect();
    let mut rows = Entity::find()
        .filter(Column::BroughtBy.eq(user))
        .all(change)
        .await?;
    rows.retain(|row| row.state == GameFileState::Refused || own.contains(&row.game));
    Ok((rows, own.len() as u64))
}

/// Refuses a file for which there is no room. The right of the account is locked, and so two files at
/// once do not both find the last place; the game is the account's already.
pub(super) async fn check(
    change: &Change,
    user: UserId,
    quota: GameQuota,
    (hash, bytes): (&str, usize),
    at: Timestamp,
) -> Result<()> {
    let checking = Entity::find()
        .filter(Column::BroughtBy.eq(user))
        .filter(Column::State.eq(GameFileState::Checking));
    if let Some(row) = checking.one(change).await? {
        return Err(over(OverQuota::RunningGameCheck { rules: row.rules }));
    }
    let checks = counted_actions::game_checks(change, user, at).await?;
    let used = checks.len() as u64;
    if used >= quota.daily_checks {
        // When so many have become old that there is room for one more.
        let freed = checks.get((used - quota.daily_checks) as usize);
        let next = freed.map(|first| first.after(DAY));
        let allowed = quota.daily_checks;
        return Err(over(OverQuota::DailyGameChecks {
            used,
            allowed,
            next,
        }));
    }
    let (rows, games) = kept(change, user).await?;
    if games > quota.games {
        let (used, allowed) = (games - 1, quota.games);
        return Err(over(OverQuota::Games { used, allowed }));
    }
    let rows: Vec<_> = rows.iter().filter(|row| row.hash != hash).collect();
    let used = rows.len() as u64;
    if used >= quota.versions {
        let allowed = quota.versions;
        return Err(over(OverQuota::GameVersions { used, allowed }));
    }
    let used = rows.iter().map(|row| row.bytes.unsigned_abs()).sum::<u64>();
    let (more, allowed) = (bytes as u64, quota.bytes);
    match used + more > allowed {
        true => Err(over(OverQuota::GameBytes {
            used,
            more,
            allowed,
        })),
        false => Ok(()),
    }
}

fn over(quota: OverQuota) -> StoreError {
    StoreError::Quota(quota)
}
