//! What people follow: bots, other people, and contests.

use std::collections::HashMap;

use crate::database::prelude::*;
use crate::tables::follows::{ActiveModel, Column, Entity, FollowKind, FollowTarget};
use crate::{BotId, BotRow, Contest, ContestId, UserId, tables};

/// The most that one person follows.
pub const MOST_FOLLOWS: u64 = 200;
/// Keys of one query.
const TOGETHER: usize = 500;

/// What a person follows, the latest first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Follows {
    /// Bots.
    pub bots: Vec<BotRow>,
    /// The names of people. Accounts that are locked out are left out.
    pub players: Vec<String>,
    /// Contests.
    pub contests: Vec<Contest>,
}

impl Store {
    /// Lets a person follow a bot, another person or a contest; nothing changes if it is so already.
    /// [`StoreError::Refused`] if the person follows [`MOST_FOLLOWS`].
    pub async fn follow(&self, user: UserId, target: FollowTarget, at: Timestamp) -> Result<()> {
        let change = self.begin_write().await?;
        let (kind, target) = target.into_columns();
        // Of several requests of a person at the same time each sees the ones before.
        lock_row::<tables::users::Entity>(&change, user, "user").await?;
        let known = Entity::find_by_id((user, kind, target))
            .one(&change)
            .await?;
        if known.is_some() {
            return Ok(());
        }
        let own = Entity::find().filter(Column::User.eq(user));
        if own.count(&change).await? >= MOST_FOLLOWS {
            return Err(StoreError::Refused(format!(
                "you follow {MOST_FOLLOWS} bots, players and contests already; unfollow one first"
            )));
        }
        let row = ActiveModel {
            user: Set(user),
            kind: Set(kind),
            target: Set(target),
            since: Set(at),
        };
        insert_new(&change, row, [Column::User, Column::Kind, Column::Target]).await?;
        Ok(change.commit().await?)
    }

    /// Ends that a person follows this; nothing changes if it is so already.
    pub async fn unfollow(&self, user: UserId, target: FollowTarget) -> Result<()> {
        let change = self.begin_write().await?;
        let (kind, target) = target.into_columns();
        Entity::delete_by_id((user, kind, target))
            .exec(&change)
            .await?;
        Ok(change.commit().await?)
    }

    /// What a person follows.
    pub async fn follows_of(&self, user: UserId) -> Result<Follows> {
        let rows = Entity::find()
            .filter(Column::User.eq(user))
            .order_by_desc(Column::Since)
            .order_by_desc(Column::Target)
            .limit(MOST_FOLLOWS)
            .all(&self.readers)
            .await?;
        let of = |kind| {
            rows.iter()
                .filter(move |row| row.kind == kind)
                .map(|row| row.target)
        };
        let ids: Vec<BotId> = of(FollowKind::Bot).map(BotId).collect();
        let people: Vec<UserId> = of(FollowKind::Player).map(UserId).collect();
        let found = tables::users::Entity::find()
            .filter(tables::users::Column::Id.is_in(people.iter().copied()))
            .filter(tables::users::Column::Disabled.eq(false))
            .all(&self.readers)
            .await?;
        let of_contests: Vec<ContestId> = of(FollowKind::Contest).map(ContestId).collect();
        let contests = tables::contests::Entity::find()
            .filter(tables::contests::Column::Id.is_in(of_contests.iter().copied()))
            .all(&self.readers)
            .await?;
        let contest = |id: &ContestId| contests.iter().find(|row| row.id == *id).cloned();
        let name = |id: &UserId| found.iter().find(|user| user.id == *id);
        Ok(Follows {
            bots: self.bot_briefs(&ids).await?,
            players: people
                .iter()
                .filter_map(name)
                .map(|user| user.name.clone())
                .collect(),
            contests: of_contests.iter().filter_map(contest).collect(),
        })
    }
}

/// Who follows each of these; what nobody follows is left out.
pub(crate) async fn followers_of(
    change: &Change,
    kind: FollowKind,
    targets: &[i64],
) -> Result<HashMap<i64, Vec<UserId>>> {
    let mut followers: HashMap<i64, Vec<UserId>> = HashMap::new();
    for some in targets.chunks(TOGETHER) {
        let rows = Entity::find()
            .select_only()
            .columns([Column::Target, Column::User])
            .filter(Column::Kind.eq(kind))
            .filter(Column::Target.is_in(some.iter().copied()))
            .order_by_asc(Column::User)
            .into_tuple::<(i64, UserId)>();
        for (target, user) in rows.all(change).await? {
            followers.entry(target).or_default().push(user);
        }
    }
    Ok(followers)
}

/// Removes what a deleted account follows, and who followed it.
pub(crate) async fn forget_person(change: &Change, user: UserId) -> Result<()> {
    let followed = Condition::all()
        .add(Column::Kind.eq(FollowKind::Player))
        .add(Column::Target.eq(user.0));
    let both = Condition::any().add(Column::User.eq(user)).add(followed);
    delete_rows::<Entity>(change, both).await?;
    Ok(())
}

/// Removes who followed a deleted bot.
pub(crate) async fn forget_bot(change: &Change, bot: BotId) -> Result<()> {
    Entity::delete_many()
        .filter(Column::Kind.eq(FollowKind::Bot))
        .filter(Column::Target.eq(bot.0))
        .exec(change)
        .await?;
    Ok(())
}
