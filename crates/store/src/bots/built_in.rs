//! The bots that are built in, and their versions.

use leitai_ladder::weng_lin::Rating;

use crate::bots::bots::{
    activate_version, new_row, query_alike, query_named, start_playing, update_bot,
};
use crate::bots::versions;
use crate::database::prelude::*;
use crate::migrations::alone::prepare_alone;
use crate::standings::standings;
use crate::tables::bots::{self, Bot};
use crate::tables::versions::{ActiveModel, Column, Entity, Version, VersionState};

/// How a built-in bot joins the standard ladder of its game.
enum LadderPlace {
    /// It does not.
    Nowhere,
    /// As a newcomer.
    AsNewcomer,
    /// With this rating.
    Rated(Rating),
}

impl Store {
    /// Creates a built-in bot and its one version (ready and active) if they are absent, and puts
    /// it on the ladder. [`StoreError::Taken`] if a user's bot has the name.
    pub async fn ensure_built_in(
        &self,
        game: &str,
        name: &str,
        about: &str,
        at: Timestamp,
    ) -> Result<(Bot, Version)> {
        let place = LadderPlace::AsNewcomer;
        self.ensure_built_in_row(game, name, about, (place, 1), at)
            .await
    }

    /// As [`ensure_built_in`](Store::ensure_built_in), for a bot whose rating on the standard ladder
    /// is known: it joins with it.
    pub async fn ensure_rated_built_in(
        &self,
        game: &str,
        name: &str,
        about: &str,
        rating: Rating,
        at: Timestamp,
    ) -> Result<(Bot, Version)> {
        let place = LadderPlace::Rated(rating);
        self.ensure_built_in_row(game, name, about, (place, 1), at)
            .await
    }

    /// As [`ensure_built_in`](Store::ensure_built_in), for a bot that plays on request only: it is
    /// not on the ladder. What it played in an earlier version stays that version's.
    pub async fn ensure_unranked_built_in(
        &self,
        game: &str,
        name: &str,
        about: &str,
        number: i32,
        at: Timestamp,
    ) -> Result<(Bot, Version)> {
        let place = LadderPlace::Nowhere;
        self.ensure_built_in_row(game, name, about, (place, number), at)
            .await
    }

    async fn ensure_built_in_row(
        &self,
        game: &str,
        name: &str,
        about: &str,
        (place, number): (LadderPlace, i32),
        at: Timestamp,
    ) -> Result<(Bot, Version)> {
        let change = self.begin_write().await?;
        prepare_alone(&change).await?;
        let known = query_named(game, name).one(&change).await?;
        if known.as_ref().is_some_and(|bot| !bot.built_in()) {
            return Err(StoreError::Taken {
                what: "name",
                value: name.to_owned(),
            });
        }
        let bot = match known {
            Some(bot) => bot,
            None => {
                let mut row = new_row(game.to_owned(), name, None, about.to_owned(), at);
                // A person's bot of before may look like it, and stays.
                if query_alike(game, name).one(&change).await?.is_some() {
                    row.skeleton = Set(None);
                }
                row.insert(&change).await?
            }
        };
        let version = built_in(&change, &bot, number, at).await?;
        if bot.active != Some(version.id) {
            // Another version may play in another way.
            let described = bots::ActiveModel {
                about: Set(about.to_owned()),
                ..Default::default()
            };
            update_bot(&change, bot.id, described).await?;
            match place {
                LadderPlace::Nowhere => activate_version(&change, bot.id, version.id).await?,
                _ => start_playing(&change, &bot, version.id, at).await?,
            }
            if let LadderPlace::Rated(rating) = place {
                standings::set_base_rating(&change, &bot, rating).await?;
            }
        }
        change.commit().await?;
        Ok((self.find_bot(bot.id).await?, version))
    }
}

/// The version of a built-in bot with this number.
pub(crate) async fn built_in(
    place: &impl ConnectionTrait,
    bot: &Bot,
    number: i32,
    at: Timestamp,
) -> Result<Version> {
    if let Some(known) = Entity::find()
        .filter(Column::Bot.eq(bot.id))
        .filter(Column::Number.eq(number))
        .one(place)
        .await?
    {
        return Ok(known);
    }
    let version = ActiveModel {
        state: Set(VersionState::Ready),
        how: Set(Some("built-in".to_owned())),
        finished: Set(Some(at)),
        ..versions::new_row(bot.id, number, at)
    };
    Ok(version.insert(place).await?)
}
