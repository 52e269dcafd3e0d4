//! The ladders of each game, and which bots play on them.
//!
//! A game has its standard ladder, and the further ones that the operator has set up. Who is on the
//! standard ladder plays on the others as well, unless the author opts out.

use crate::bots::living;
use crate::database::prelude::*;
use crate::migrations::alone::prepare_alone;
use crate::standings::rating_turns::{self, ladders_of};
use crate::standings::standings;
use crate::tables::rating_turns::{Column, Entity};
use crate::{BotId, LadderId, Standing, tables};

impl Store {
    /// Opens these ladders of a game and closes its others: nobody is paired there any more, and
    /// what was played stays. The bots of the standard ladder, which is always open, join the
    /// others.
    pub async fn open_ladders(&self, game: &str, further: &[LadderId]) -> Result<()> {
        let change = self.begin_write().await?;
        prepare_alone(&change).await?;
        for ladder in further {
            rating_turns::insert_ladder(&change, ladder).await?;
        }
        for known in ladders_of(&change, game).await? {
            let open = known.ladder.is_standard() || further.contains(&known.ladder);
            if open != known.open {
                Entity::update_many()
                    .col_expr(Column::Open, Expr::value(open))
                    .filter(Column::Ladder.eq(&known.ladder))
                    .exec(&change)
                    .await?;
            }
            if open && !known.ladder.is_standard() {
                enter_bots(&change, &known.ladder).await?;
            }
        }
        Ok(change.commit().await?)
    }

    /// The ladders of a game on which was ever played, the standard one first.
    pub async fn ladders_of(&self, game: &str) -> Result<Vec<LadderId>> {
        let all = ladders_of(&self.readers, game).await?;
        Ok(all.into_iter().map(|known| known.ladder).collect())
    }

    /// The author takes a bot off a further ladder, or puts it back; its rating stays.
    /// [`StoreError::Refused`] for the standard ladder, [`StoreError::Missing`] for one that is not
    /// open.
    pub async fn set_opted_out(
        &self,
        bot: BotId,
        ladder: &LadderId,
        opted_out: bool,
    ) -> Result<()> {
        if ladder.is_standard() {
            return Err(StoreError::Refused(
                "every bot plays on the standard ladder of its game; retire it to take it off all ladders"
                    .to_owned(),
            ));
        }
        let change = self.begin_write().await?;
        let bot = living::require_living(
            tables::bots::Entity::find_by_id(bot).one(&change).await?,
            bot,
        )?;
        let open = Entity::find_by_id(ladder.clone()).one(&change).await?;
        if !open.is_some_and(|known| known.open && known.game == bot.game) {
            return Err(StoreError::row_missing("ladder", ladder));
        }
        let turn = rating_turns::take_turns(&change, ladder, 1).await?;
        let known = standings::find_standing(&change, ladder, bot.id).await?;
        let known = known.unwrap_or_else(|| Standing::new_standing(bot.id, ladder.clone()));
        let standing = Standing {
            opted_out,
            turn,
            ..known
        };
        let listed = standing.is_listed(&bot);
        standings::write(&change, vec![Standing { listed, ..standing }]).await?;
        Ok(change.commit().await?)
    }
}

/// Bots of the standard ladder join another.
async fn enter_bots(change: &Change, to: &LadderId) -> Result<()> {
    let turn = rating_turns::take_turns(change, to, 1).await?;
    let on = |ladder: &LadderId| {
        let on = tables::ladder::Entity::find().filter(tables::ladder::Column::Ladder.eq(ladder));
        on.select_only()
            .column(tables::ladder::Column::Bot)
            .into_query()
    };
    let standard = LadderId::standard(to.game());
    let bots = tables::bots::Entity::find()
        .filter(tables::bots::Column::Id.in_subquery(on(&standard)))
        .filter(tables::bots::Column::Id.not_in_subquery(on(to)));
    let rows = bots.all(change).await?.into_iter().map(|bot| {
        let fresh = Standing::new_standing(bot.id, to.clone());
        let listed = fresh.is_listed(&bot);
        Standing {
            listed,
            turn,
            ..fresh
        }
    });
    standings::write(change, rows.collect()).await
}
