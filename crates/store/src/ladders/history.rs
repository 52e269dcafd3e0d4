//! Rating history and head-to-head results.

use leitai_ladder::weng_lin::Rating;
use sea_orm::sea_query::{ExprTrait, Order};

use crate::database::prelude::*;
use crate::tables::history::{changes, rivals};
use crate::{BotId, BotRow, HeadToHeadTally, LadderId, MatchId};

/// A rating after a match, or after a new version was activated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RatingPoint {
    /// When.
    pub at: Timestamp,
    /// The match; `None` where a new version was activated.
    pub match_id: Option<MatchId>,
    /// The rating as shown.
    pub value: f64,
    /// Its standard error, as shown.
    pub error: f64,
}

/// The results of a bot against another in rated matches.
#[derive(Clone, Debug, PartialEq)]
pub struct HeadToHead {
    /// The opponent.
    pub rival: BotRow,
    /// The results from the bot's side.
    pub tally: HeadToHeadTally,
}

impl Store {
    /// The last ratings of a bot on a ladder, oldest first; at most `most` (1 to 2,000).
    pub async fn rating_history(
        &self,
        bot: BotId,
        ladder: &LadderId,
        most: u64,
    ) -> Result<Vec<RatingPoint>> {
        let last = query_history(bot, ladder);
        let last = last.limit(most.clamp(1, 2000));
        let points = last.all(&self.readers).await?.into_iter().rev();
        Ok(points.map(RatingPoint::from).collect())
    }

    /// The opponents of a bot on a ladder, most frequent first (at most 500).
    pub async fn head_to_head(&self, bot: BotId, ladder: &LadderId) -> Result<Vec<HeadToHead>> {
        let column = |column: rivals::Column| Expr::col((rivals::Entity, column));
        let games = column(rivals::Column::Wins)
            .add(column(rivals::Column::Draws))
            .add(column(rivals::Column::Losses));
        let all = rivals::Entity::find()
            .filter(rivals::Column::Ladder.eq(ladder))
            .filter(rivals::Column::Bot.eq(bot));
        let all = all
            .order_by(games, Order::Desc)
            .order_by_asc(rivals::Column::Rival)
            .limit(500);
        let rows = all.all(&self.readers).await?;
        let ids: Vec<BotId> = rows.iter().map(|row| row.rival).collect();
        let briefs = self.bot_briefs(&ids).await?;
        let both = briefs.into_iter().zip(rows);
        Ok(both
            .map(|(rival, row)| HeadToHead {
                rival,
                tally: row.tally(),
            })
            .collect())
    }
}

/// The ratings of a bot on a ladder, newest first.
pub(crate) fn query_history(bot: BotId, ladder: &LadderId) -> Select<changes::Entity> {
    changes::Entity::find()
        .filter(changes::Column::Bot.eq(bot))
        .filter(changes::Column::Ladder.eq(ladder))
        .order_by_desc(changes::Column::Id)
}

impl From<changes::Model> for RatingPoint {
    fn from(change: changes::Model) -> RatingPoint {
        let shown = Rating {
            skill: change.skill,
            doubt: change.doubt,
        }
        .shown_rating();
        RatingPoint {
            at: change.at,
            match_id: change.match_id,
            value: shown.value,
            error: shown.error,
        }
    }
}

/// Adds matches to the head-to-head results of a ladder.
pub(crate) async fn add_head_to_head(
    change: &Change,
    ladder: &LadderId,
    tallies: impl IntoIterator<Item = ((BotId, BotId), HeadToHeadTally)>,
) -> Result<()> {
    let rows: Vec<rivals::ActiveModel> = tallies
        .into_iter()
        .map(|tally| rivals::row(ladder, tally))
        .collect();
    for some in rows.chunks(500) {
        let known = OnConflict::columns([
            rivals::Column::Ladder,
            rivals::Column::Bot,
            rivals::Column::Rival,
        ])
        .value(
            rivals::Column::Wins,
            Expr::cust("head_to_heads.wins + excluded.wins"),
        )
        .value(
            rivals::Column::Draws,
            Expr::cust("head_to_heads.draws + excluded.draws"),
        )
        .value(
            rivals::Column::Losses,
            Expr::cust("head_to_heads.losses + excluded.losses"),
        )
        .to_owned();
        let rows = some.iter().cloned();
        rivals::Entity::insert_many(rows)
            .on_conflict(known)
            .exec_without_returning(change)
            .await?;
    }
    Ok(())
}
