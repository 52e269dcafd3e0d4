//! Bots whose authors let others fetch the active version, to train against it.
//!
//! What may be fetched is decided when somebody asks: a version that is no longer the active one, a bot
//! that is off its ladder, and one that plays in a contest which is private or has begun stay here.

use std::collections::HashMap;

use crate::bots::bots::update_bot;
use crate::database::prelude::*;
use crate::standings::standings::find_standing;
use crate::tables::bots::{ActiveModel, Bot, Column, Entity};
use crate::tables::contests::entries;
use crate::{
    BotId, ContestState, LadderId, LadderRow, Page, PageQuery, Version, VersionId, tables,
};

/// A bot of a ladder that others may fetch.
#[derive(Clone, Debug)]
pub struct FetchableBot {
    /// Its row of the ladder.
    pub row: LadderRow,
    /// Its active version.
    pub version: Version,
}

impl Store {
    /// The author lets others fetch the bot's active version, or no longer.
    pub async fn set_fetchable(&self, bot: BotId, fetchable: bool) -> Result<Bot> {
        let change = self.begin_write().await?;
        let new = ActiveModel {
            fetchable: Set(fetchable),
            ..Default::default()
        };
        update_bot(&change, bot, new).await?;
        change.commit().await?;
        self.find_bot(bot).await
    }

    /// The bots of a ladder that others may fetch, best first.
    pub async fn list_fetchable(
        &self,
        ladder: &LadderId,
        ask: &PageQuery,
    ) -> Result<Page<FetchableBot>> {
        let bots = query_fetchable().filter(Column::Game.eq(ladder.game()));
        let bots = bots.all(&self.readers).await?;
        let active: HashMap<BotId, VersionId> = bots
            .iter()
            .filter_map(|bot| Some((bot.id, bot.active?)))
            .collect();
        let shown = |standing: &crate::Standing| active.contains_key(&standing.bot);
        let page = self
            .cut_page(ladder, ask, |standing, _| shown(standing))
            .await?;
        let wanted = page.items.iter().map(|row| active[&row.standing.bot]);
        let versions = tables::versions::Entity::find()
            .filter(tables::versions::Column::Id.is_in(wanted))
            .filter(tables::versions::Column::Deleted.is_null())
            .all(&self.readers)
            .await?;
        let mut versions: HashMap<BotId, Version> =
            versions.into_iter().map(|own| (own.bot, own)).collect();
        let items = page.items.into_iter().filter_map(|row| {
            let version = versions.remove(&row.standing.bot)?;
            Some(FetchableBot { row, version })
        });
        Ok(Page {
            items: items.collect(),
            next: page.next,
        })
    }

    /// The version and its bot, if anybody may fetch it now: it is the active one of a bot whose author
    /// agreed to it, and which plays on its ladder.
    pub async fn find_fetchable(&self, version: VersionId) -> Result<Option<(Bot, Version)>> {
        let found = tables::versions::Entity::find_by_id(version)
            .filter(tables::versions::Column::Deleted.is_null())
            .one(&self.readers)
            .await?;
        let Some(found) = found else { return Ok(None) };
        let bot = query_fetchable().filter(Column::Id.eq(found.bot));
        let bot = bot.filter(Column::Active.eq(version));
        let Some(bot) = bot.one(&self.readers).await? else {
            return Ok(None);
        };
        let ladder = LadderId::standard(&bot.game);
        let standing = find_standing(&self.readers, &ladder, bot.id).await?;
        Ok(standing.filter(|own| own.listed).map(|_| (bot, found)))
    }
}

/// Bots that others may fetch if they are on a ladder.
fn query_fetchable() -> Select<Entity> {
    let secret = tables::contests::Entity::find()
        .filter(tables::contests::Column::State.is_in([ContestState::Open, ContestState::Running]))
        .filter(
            Condition::any()
                .add(tables::contests::Column::Private.eq(true))
                .add(tables::contests::Column::Frozen.is_not_null()),
        )
        .select_only()
        .column(tables::contests::Column::Id);
    let entered = entries::Entity::find()
        .filter(entries::Column::Left.is_null())
        .filter(entries::Column::Contest.in_subquery(secret.into_query()))
        .select_only()
        .column(entries::Column::Bot);
    Entity::find()
        .filter(Column::Fetchable.eq(true))
        .filter(Column::Owner.is_not_null())
        .filter(Column::Deleted.is_null())
        .filter(Column::Retired.eq(false))
        .filter(Column::Disabled.eq(false))
        .filter(Column::Id.not_in_subquery(entered.into_query()))
}
