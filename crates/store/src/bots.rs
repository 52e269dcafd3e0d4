//! Programs on ladders.

use sea_orm::FromQueryResult;
use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};

use crate::{Ask, BotId, Page, Store, StoreError, Timestamp, UserId, Version, VersionId};

/// A program on the ladder of one game.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "bots")]
pub struct Model {
    /// The key.
    #[sea_orm(primary_key)]
    pub id: BotId,
    /// The game's id.
    pub game: String,
    /// As its author wrote it.
    pub name: String,
    /// In lower case: unique a game.
    pub folded: String,
    /// The author; nothing for a built-in bot.
    pub owner: Option<UserId>,
    /// What its author says of it.
    pub about: String,
    /// The version that plays.
    pub active: Option<VersionId>,
    /// Its author took it off the ladder.
    pub retired: bool,
    /// An administrator took it off the ladder.
    pub disabled: bool,
    /// When it was made.
    pub created: Timestamp,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

pub use Model as Bot;

impl Model {
    /// Comes with Leitai: nobody owns it.
    pub fn built_in(&self) -> bool {
        self.owner.is_none()
    }

    /// Whether it plays on the ladder.
    pub fn listed(&self) -> bool {
        self.active.is_some() && !self.retired && !self.disabled
    }
}

/// A bot as others see it in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, FromQueryResult)]
pub struct BotBrief {
    /// The key.
    pub id: BotId,
    /// The game's id.
    pub game: String,
    /// Its name.
    pub name: String,
    /// The author's name; nothing for a built-in bot.
    pub owner: Option<String>,
    /// Comes with Leitai.
    pub built_in: bool,
    /// The number of the version that plays.
    pub active: Option<i32>,
}

/// A bot to be made.
#[derive(Clone, Debug)]
pub struct NewBot {
    /// The game's id.
    pub game: String,
    /// Unique a game, whatever the case.
    pub name: String,
    /// The author.
    pub owner: UserId,
    /// What its author says of it.
    pub about: String,
}

impl Store {
    /// Makes a bot without versions. [`StoreError::Taken`] if the name is in use on this ladder.
    pub async fn create_bot(&self, new: NewBot, at: Timestamp) -> Result<Bot, StoreError> {
        let _ = (new, at);
        todo!()
    }

    /// A built-in bot and its one version, ready and active, made if they are not there. [`StoreError::Taken`] if a
    /// person's bot has the name.
    pub async fn ensure_built_in(
        &self,
        game: &str,
        name: &str,
        about: &str,
        at: Timestamp,
    ) -> Result<(Bot, Version), StoreError> {
        let _ = (game, name, about, at);
        todo!()
    }

    /// A bot; [`StoreError::Missing`] if there is none.
    pub async fn bot(&self, id: BotId) -> Result<Bot, StoreError> {
        let _ = id;
        todo!()
    }

    /// A bot by name, whatever the case.
    pub async fn bot_by_name(&self, game: &str, name: &str) -> Result<Option<Bot>, StoreError> {
        let _ = (game, name);
        todo!()
    }

    /// As others see them, in the order asked for; what does not exist is left out.
    pub async fn bot_briefs(&self, ids: &[BotId]) -> Result<Vec<BotBrief>, StoreError> {
        let _ = ids;
        todo!()
    }

    /// The bots of an author, newest first (at most 1,000).
    pub async fn bots_of(&self, owner: UserId) -> Result<Vec<Bot>, StoreError> {
        let _ = owner;
        todo!()
    }

    /// The built-in bots of a game that are not disabled, by name.
    pub async fn built_ins(&self, game: &str) -> Result<Vec<Bot>, StoreError> {
        let _ = game;
        todo!()
    }

    /// The bots of a game, newest first.
    pub async fn bots(&self, game: &str, ask: &Ask) -> Result<Page<Bot>, StoreError> {
        let _ = (game, ask);
        todo!()
    }

    /// What its author says of it.
    pub async fn set_about(&self, bot: BotId, about: &str) -> Result<Bot, StoreError> {
        let _ = (bot, about);
        todo!()
    }

    /// Its author takes it off the ladder, or puts it back.
    pub async fn set_retired(&self, bot: BotId, retired: bool) -> Result<Bot, StoreError> {
        let _ = (bot, retired);
        todo!()
    }

    /// An administrator takes it off the ladder, or puts it back.
    pub async fn set_bot_disabled(&self, bot: BotId, disabled: bool) -> Result<Bot, StoreError> {
        let _ = (bot, disabled);
        todo!()
    }

    /// Lets a version play (only one that is ready). The bot keeps its rating, but the rating's doubt rises to at
    /// least half a newcomer's: a new version may be another player.
    pub async fn activate(&self, bot: BotId, version: VersionId, at: Timestamp) -> Result<Bot, StoreError> {
        let _ = (bot, version, at);
        todo!()
    }
}
