//! What people are told in the page: of their bots and contests, and of whom they follow.
//!
//! A notification is a row that is written when the page's subscriber reads an event. It says which
//! rows it is about; what they are is looked up when it is read.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::time::Duration;

use sea_orm::Statement;

use crate::database::prelude::*;
use crate::tables::notifications::{ActiveModel, Column, Entity, Model, NotificationKind};
use crate::{
    BotId, BotRow, Contest, ContestId, ExperimentId, GroupId, LadderId, NotificationId, UserId,
    tables,
};

/// The most that are kept for one person.
pub const MOST_NOTIFICATIONS: u64 = 200;
/// How long they are kept.
pub const KEPT: Duration = Duration::from_secs(30 * 24 * 3600);
/// Rows that are inserted together.
const TOGETHER: usize = 500;

/// Something that a person is told, with what it is about.
#[derive(Clone, Debug, PartialEq)]
pub struct Notification {
    /// The key.
    pub id: NotificationId,
    /// What.
    pub kind: NotificationKind,
    /// When it happened.
    pub created: Timestamp,
    /// Whether it was read.
    pub read: bool,
    /// The bot.
    pub bot: Option<BotRow>,
    /// The number of its version.
    pub version: Option<i32>,
    /// The contest.
    pub contest: Option<Contest>,
    /// The bot's place in the contest or on the ladder, from 1.
    pub place: Option<i32>,
    /// The ladder of the place; `None` also for one that was told before there were several.
    pub ladder: Option<LadderId>,
    /// The name of the person.
    pub player: Option<String>,
    /// The group, and its name.
    pub group: Option<(GroupId, String)>,
    /// The id of the game.
    pub game: Option<String>,
    /// Why the game was taken down.
    pub why: Option<String>,
    /// The experiment.
    pub experiment: Option<ExperimentId>,
}

/// Which notifications were read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadRange {
    /// This one.
    One(NotificationId),
    /// This one and all before it.
    Until(NotificationId),
}

/// Something to be told to a person.
#[derive(Clone)]
pub(crate) struct News {
    pub kind: NotificationKind,
    /// Unique among all that one person is told.
    pub key: String,
    pub bot: Option<BotId>,
    pub version: Option<i32>,
    pub contest: Option<ContestId>,
    pub place: Option<i32>,
    pub ladder: Option<LadderId>,
    pub player: Option<UserId>,
    pub group: Option<GroupId>,
    pub game: Option<String>,
    pub experiment: Option<ExperimentId>,
}

impl News {
    /// Of this kind, about nothing yet.
    pub fn new(kind: NotificationKind, key: String) -> News {
        News {
            kind,
            key,
            bot: None,
            version: None,
            contest: None,
            place: None,
            ladder: None,
            player: None,
            group: None,
            game: None,
            experiment: None,
        }
    }
}

impl Store {
    /// What a person is told, newest first.
    pub async fn notifications_of(&self, user: UserId) -> Result<Vec<Notification>> {
        let rows = Entity::find()
            .filter(Column::User.eq(user))
            .order_by_desc(Column::Id)
            .limit(MOST_NOTIFICATIONS)
            .all(&self.readers)
            .await?;
        let ids: BTreeSet<BotId> = rows.iter().filter_map(|row| row.bot).collect();
        let ids: Vec<BotId> = ids.into_iter().collect();
        let bots = self.bot_briefs(&ids).await?;
        let bots: HashMap<BotId, BotRow> = bots.into_iter().map(|bot| (bot.id, bot)).collect();
        let of_contests = rows.iter().filter_map(|row| row.contest);
        let contests = tables::contests::Entity::find()
            .filter(tables::contests::Column::Id.is_in(of_contests))
            .all(&self.readers)
            .await?;
        // Whom nobody can look up is not named.
        let players = tables::users::Entity::find()
            .filter(tables::users::Column::Disabled.eq(false))
            .filter(tables::users::Column::Id.is_in(rows.iter().filter_map(|row| row.player)))
            .all(&self.readers)
            .await?;
        let groups = tables::groups::Entity::find()
            .filter(tables::groups::Column::Id.is_in(rows.iter().filter_map(|row| row.group_id)))
            .all(&self.readers)
            .await?;
        let group = |id: GroupId| {
            let found = groups.iter().find(|group| group.id == id)?;
            Some((id, found.name.clone()))
        };
        let reasons = self.take_down_reasons(&rows).await?;
        let name = |id: UserId| players.iter().find(|user| user.id == id);
        let contest = |id: ContestId| contests.iter().find(|contest| contest.id == id);
        let told = rows.into_iter().map(|row| Notification {
            id: row.id,
            kind: row.kind,
            created: row.created,
            read: row.read,
            bot: row.bot.and_then(|id| bots.get(&id).cloned()),
            version: row.version,
            contest: row.contest.and_then(contest).cloned(),
            place: row.place,
            ladder: row.ladder,
            player: row.player.and_then(name).map(|user| user.name.clone()),
            group: row.group_id.and_then(group),
            why: (row.kind == NotificationKind::GameTakenDown)
                .then(|| reasons.get(row.game.as_ref()?).cloned())
                .flatten(),
            game: row.game,
            experiment: row.experiment,
        });
        Ok(told.collect())
    }

    /// Why the games of these rows were taken down, by their ids.
    async fn take_down_reasons(&self, rows: &[Model]) -> Result<HashMap<String, String>> {
        use tables::game_files::{Column, Entity, GameFileState};
        let of = rows.iter().filter_map(|row| row.game.clone());
        let of: BTreeSet<String> = of.collect();
        if of.is_empty() {
            return Ok(HashMap::new());
        }
        let files = Entity::find()
            .filter(Column::Game.is_in(of))
            .filter(Column::State.eq(GameFileState::Retired))
            .order_by_asc(Column::Id);
        let files = files.all(&self.readers).await?.into_iter();
        // Of the newest, which is the last one.
        let reasons = files.filter_map(|row| {
            let why = row.said["why"].as_str()?.to_owned();
            Some((row.game, why))
        });
        Ok(reasons.collect())
    }

    /// How many a person has not read.
    pub async fn count_unread(&self, user: UserId) -> Result<u64> {
        let unread = Entity::find()
            .filter(Column::User.eq(user))
            .filter(Column::Read.eq(false));
        let count = unread.count(&self.readers).await?;
        Ok(count.min(MOST_NOTIFICATIONS))
    }

    /// Marks what a person was told as read: this one, or all up to it. Those of others, and those
    /// that are not there any more, change nothing.
    pub async fn mark_read(&self, user: UserId, read: ReadRange) -> Result<()> {
        let change = self.begin_write().await?;
        let range = match read {
            ReadRange::One(id) => Column::Id.eq(id),
            ReadRange::Until(id) => Column::Id.lte(id),
        };
        Entity::update_many()
            .col_expr(Column::Read, Expr::value(true))
            .filter(Column::User.eq(user))
            .filter(range)
            .filter(Column::Read.eq(false))
            .exec(&change)
            .await?;
        Ok(change.commit().await?)
    }

    /// Removes what is older than [`KEPT`], and what a person has beyond
    /// [`MOST_NOTIFICATIONS`]; returns how many.
    pub async fn sweep_notifications(&self, at: Timestamp) -> Result<u64> {
        let change = self.begin_write().await?;
        let old = Entity::delete_many().filter(Column::Created.lt(at.before(KEPT)));
        let mut swept = old.exec(&change).await?.rows_affected;
        let many = format!(
            r#"DELETE FROM notifications WHERE id IN (SELECT id FROM (SELECT id, row_number() OVER
            (PARTITION BY "user" ORDER BY id DESC) AS place FROM notifications) AS placed
            WHERE place > {MOST_NOTIFICATIONS})"#
        );
        let many = Statement::from_string(change.get_database_backend(), many);
        swept += change.execute_raw(many).await?.rows_affected();
        change.commit().await?;
        Ok(swept)
    }
}

/// Tells people something, each once; those who are gone by now are told nothing.
pub(crate) async fn tell(change: &Change, news: &[(UserId, News)], at: Timestamp) -> Result<()> {
    for some in news.chunks(TOGETHER) {
        let whom = some.iter().map(|(user, _)| *user);
        let there = tables::users::Entity::find().filter(tables::users::Column::Id.is_in(whom));
        let there = there.select_only().column(tables::users::Column::Id);
        let there: Vec<UserId> = there.into_tuple().all(change).await?;
        let there: HashSet<UserId> = there.into_iter().collect();
        let some = some.iter().filter(|(user, _)| there.contains(user));
        let rows = some.map(|(user, news)| ActiveModel {
            id: NotSet,
            user: Set(*user),
            kind: Set(news.kind),
            key: Set(news.key.clone()),
            bot: Set(news.bot),
            version: Set(news.version),
            contest: Set(news.contest),
            place: Set(news.place),
            ladder: Set(news.ladder.clone()),
            player: Set(news.player),
            group_id: Set(news.group),
            game: Set(news.game.clone()),
            experiment: Set(news.experiment),
            created: Set(at),
            read: Set(false),
        });
        let rows: Vec<_> = rows.collect();
        insert_new_rows(change, &rows, [Column::User, Column::Key]).await?;
    }
    Ok(())
}

/// A contest goes on after its end: it has no result yet.
pub(crate) async fn take_back_end(change: &Change, contest: ContestId) -> Result<()> {
    let end = [
        NotificationKind::ContestEnded,
        NotificationKind::FollowedPlaced,
        NotificationKind::FollowedEnded,
    ];
    Entity::delete_many()
        .filter(Column::Contest.eq(contest))
        .filter(Column::Kind.is_in(end))
        .exec(change)
        .await?;
    Ok(())
}

/// Removes what a deleted account was told, and what others were told of it.
pub(crate) async fn forget_person(change: &Change, user: UserId) -> Result<()> {
    let both = Condition::any()
        .add(Column::User.eq(user))
        .add(Column::Player.eq(user));
    delete_rows::<Entity>(change, both).await?;
    Ok(())
}

/// Removes what was told of a deleted group.
pub(crate) async fn forget_group(change: &Change, group: GroupId) -> Result<()> {
    delete_rows::<Entity>(change, Column::GroupId.eq(group)).await?;
    Ok(())
}

/// Removes what was told of a deleted bot.
pub(crate) async fn forget_bot(change: &Change, bot: BotId) -> Result<()> {
    delete_rows::<Entity>(change, Column::Bot.eq(bot)).await?;
    Ok(())
}
