//! Bots: programs on ladders.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::bots::living::require_living;
use crate::bots::quota;
use crate::database::prelude::*;
use crate::database::skeletons::{self, fold_name};
use crate::standings::standings;
use crate::tables::bots::{ActiveModel, Bot, Column, Entity, Relation};
use crate::{BotId, Page, PageQuery, Quota, UserId, VersionId, VersionState, tables};

/// A bot as other users see it in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BotRow {
    /// The key.
    pub id: BotId,
    /// The game's id.
    pub game: String,
    /// Its name.
    pub name: String,
    /// The author's name; `None` for a built-in or a deleted bot.
    pub owner: Option<String>,
    /// Whether it is a built-in bot.
    pub built_in: bool,
    /// The number of the active version.
    pub active: Option<i32>,
    /// Whether an agent wrote it, as the author says.
    pub by_agent: bool,
}

/// A bot to be created.
#[derive(Clone, Debug)]
pub struct NewBot {
    /// The game's id.
    pub game: String,
    /// The name; unique within a game, without regard to case.
    pub name: String,
    /// The author.
    pub owner: UserId,
    /// The author's description.
    pub about: String,
}

impl Store {
    /// Creates a bot without versions. [`StoreError::Taken`] if the name is in use on this ladder.
    pub async fn create_bot(&self, new: NewBot, at: Timestamp) -> Result<Bot> {
        self.create_bot_within(new, &Quota::UNLIMITED, at).await
    }

    /// Creates a bot without versions. [`StoreError::Quota`] if its author has as many as the quota
    /// allows.
    pub async fn create_bot_within(
        &self,
        new: NewBot,
        quota: &Quota,
        at: Timestamp,
    ) -> Result<Bot> {
        let change = self.begin_write().await?;
        let made = insert_bot(&change, new, quota, at).await?;
        change.commit().await?;
        Ok(made)
    }

    /// Finds a bot; [`StoreError::Missing`] if there is none, [`StoreError::Deleted`] if it was
    /// deleted.
    pub async fn find_bot(&self, id: BotId) -> Result<Bot> {
        require_living(Entity::find_by_id(id).one(&self.readers).await?, id)
    }

    /// Finds a bot by name, without regard to case.
    pub async fn bot_by_name(&self, game: &str, name: &str) -> Result<Option<Bot>> {
        Ok(query_named(game, name).one(&self.readers).await?)
    }

    /// The public rows of bots in the order of `ids`. Unknown ids are left out.
    pub async fn bot_briefs(&self, ids: &[BotId]) -> Result<Vec<BotRow>> {
        let rows = Entity::find()
            .select_only()
            .columns([
                Column::Id,
                Column::Game,
                Column::Name,
                Column::Owner,
                Column::Deleted,
                Column::ByAgent,
            ])
            .column_as(tables::users::Column::Name, "owner_name")
            .column_as(tables::versions::Column::Number, "number")
            .join(JoinType::LeftJoin, Relation::Owner.def())
            .join(
                JoinType::LeftJoin,
                tables::versions::Relation::Activated.def().rev(),
            )
            .filter(Column::Id.is_in(ids.iter().copied()))
            .into_model::<BotQueryRow>()
            .all(&self.readers)
            .await?;
        let briefs: HashMap<BotId, BotRow> =
            rows.into_iter().map(|row| (row.id, row.into())).collect();
        Ok(ids
            .iter()
            .filter_map(|id| briefs.get(id).cloned())
            .collect())
    }

    /// The bots of an author and of the author's teams, newest first (at most 1,000).
    pub async fn bots_of(&self, owner: UserId) -> Result<Vec<Bot>> {
        let own_teams = tables::team_members::query_team_ids(owner);
        let either = Condition::any()
            .add(Column::Owner.eq(owner))
            .add(Column::Team.in_subquery(own_teams));
        let mine = Entity::find().filter(either).order_by_desc(Column::Id);
        Ok(mine.limit(1000).all(&self.readers).await?)
    }

    /// The built-in bots of a game that are not disabled, by name.
    pub async fn built_ins(&self, game: &str) -> Result<Vec<Bot>> {
        let ours = Entity::find()
            .filter(Column::Game.eq(game))
            .filter(Column::Owner.is_null());
        let ours = ours.filter(Column::Deleted.is_null());
        let playing = ours
            .filter(Column::Disabled.eq(false))
            .order_by_asc(Column::Folded);
        Ok(playing.all(&self.readers).await?)
    }

    /// The bots of a game, newest first.
    pub async fn list_bots(&self, game: &str, ask: &PageQuery) -> Result<Page<Bot>> {
        let rows = Entity::find()
            .filter(Column::Game.eq(game))
            .filter(Column::Deleted.is_null());
        self.page_of(rows, Column::Id, ask, |row| row.id.0).await
    }

    /// The author's description.
    pub async fn set_about(&self, bot: BotId, about: &str) -> Result<Bot> {
        let change = self.begin_write().await?;
        update_bot(
            &change,
            bot,
            ActiveModel {
                about: Set(about.to_owned()),
                ..Default::default()
            },
        )
        .await?;
        change.commit().await?;
        self.find_bot(bot).await
    }

    /// The author removes the bot from the ladder, or puts it back.
    pub async fn set_retired(&self, bot: BotId, retired: bool) -> Result<Bot> {
        self.list_or_not(
            bot,
            ActiveModel {
                retired: Set(retired),
                ..Default::default()
            },
        )
        .await
    }

    /// The author says whether an agent wrote the bot.
    pub async fn set_by_agent(&self, bot: BotId, by_agent: bool) -> Result<Bot> {
        self.list_or_not(
            bot,
            ActiveModel {
                by_agent: Set(by_agent),
                ..Default::default()
            },
        )
        .await
    }

    /// An administrator removes the bot from the ladder, or puts it back.
    pub async fn set_bot_disabled(&self, bot: BotId, disabled: bool) -> Result<Bot> {
        self.list_or_not(
            bot,
            ActiveModel {
                disabled: Set(disabled),
                ..Default::default()
            },
        )
        .await
    }

    /// Makes a version the active one (it must be ready). The bot keeps its rating, but the
    /// rating's doubt rises to at least half a newcomer's, because a new version may play
    /// differently.
    pub async fn activate_version(
        &self,
        bot: BotId,
        version: VersionId,
        at: Timestamp,
    ) -> Result<Bot> {
        let change = self.begin_write().await?;
        let found = require_living(Entity::find_by_id(bot).one(&change).await?, bot)?;
        let wanted = tables::versions::Entity::find_by_id(version)
            .one(&change)
            .await?;
        let wanted = wanted.filter(|version| version.bot == bot && version.deleted.is_none());
        let wanted = wanted.ok_or_else(|| StoreError::row_missing("version", version))?;
        if wanted.state != VersionState::Ready {
            let number = wanted.number;
            return Err(StoreError::Refused(format!(
                "version {number} is not ready: only one that passed the checks may play"
            )));
        }
        if found.active != Some(version) {
            start_playing(&change, &found, version, at).await?;
        }
        change.commit().await?;
        self.find_bot(bot).await
    }

    async fn list_or_not(&self, bot: BotId, new: ActiveModel) -> Result<Bot> {
        let change = self.begin_write().await?;
        update_bot(&change, bot, new).await?;
        let found = require_living(Entity::find_by_id(bot).one(&change).await?, bot)?;
        standings::list_bot(&change, &found).await?;
        change.commit().await?;
        Ok(found)
    }
}

#[derive(FromQueryResult)]
struct BotQueryRow {
    id: BotId,
    game: String,
    name: String,
    owner: Option<UserId>,
    deleted: Option<Timestamp>,
    owner_name: Option<String>,
    number: Option<i32>,
    by_agent: bool,
}

impl From<BotQueryRow> for BotRow {
    fn from(row: BotQueryRow) -> BotRow {
        let built_in = row.owner.is_none() && row.deleted.is_none();
        let BotQueryRow {
            id,
            game,
            name,
            owner_name,
            number,
            by_agent,
            ..
        } = row;
        BotRow {
            id,
            game,
            name,
            owner: owner_name,
            built_in,
            active: number,
            by_agent,
        }
    }
}

/// Inserts a bot after checking its author's quota.
pub(crate) async fn insert_bot(
    change: &Change,
    new: NewBot,
    quota: &Quota,
    at: Timestamp,
) -> Result<Bot> {
    quota::check_bots(change, new.owner, quota).await?;
    let alike = query_alike(&new.game, &new.name);
    skeletons::check(change, alike, Column::Name, ("name", &new.name)).await?;
    let bot = new_row(new.game, &new.name, Some(new.owner), new.about, at);
    bot.insert(change)
        .await
        .map_err(|error| StoreError::value_taken(error, "name", &new.name))
}

/// Activates a version: its bot is listed and its rating's doubt rises.
pub(crate) async fn start_playing(
    change: &Change,
    bot: &Bot,
    version: VersionId,
    at: Timestamp,
) -> Result<()> {
    activate_version(change, bot.id, version).await?;
    let bot = Bot {
        active: Some(version),
        ..bot.clone()
    };
    standings::list_bot(change, &bot).await?;
    standings::end_rest(change, &bot).await?;
    standings::reset_doubt(change, &bot, at).await
}

pub(crate) async fn activate_version(
    change: &Change,
    bot: BotId,
    version: VersionId,
) -> Result<()> {
    let active = ActiveModel {
        active: Set(Some(version)),
        ..Default::default()
    };
    update_bot(change, bot, active).await
}

pub(crate) fn new_row(
    game: String,
    name: &str,
    owner: Option<UserId>,
    about: String,
    at: Timestamp,
) -> ActiveModel {
    ActiveModel {
        id: NotSet,
        game: Set(game),
        name: Set(name.to_owned()),
        folded: Set(fold_name(name)),
        skeleton: Set(Some(skeletons::skeleton(name))),
        owner: Set(owner),
        about: Set(about),
        active: Set(None),
        retired: Set(false),
        disabled: Set(false),
        created: Set(at),
        deleted: Set(None),
        team: Set(None),
        by_agent: Set(false),
        fetchable: Set(false),
    }
}

pub(crate) fn query_named(game: &str, name: &str) -> Select<Entity> {
    Entity::find()
        .filter(Column::Game.eq(game))
        .filter(Column::Folded.eq(fold_name(name)))
}

/// The bot of a game whose name looks like this one.
pub(crate) fn query_alike(game: &str, name: &str) -> Select<Entity> {
    Entity::find()
        .filter(Column::Game.eq(game))
        .filter(Column::Skeleton.eq(skeletons::skeleton(name)))
}

pub(crate) async fn update_bot(
    place: &impl ConnectionTrait,
    id: BotId,
    new: ActiveModel,
) -> Result<()> {
    match update_rows(place, Column::Id.eq(id), new).await? {
        0 => Err(StoreError::row_missing("bot", id)),
        _ => Ok(()),
    }
}
