//! Rewrites the rating history from one turn on.

use std::collections::{HashMap, VecDeque};

use sea_orm::ActiveValue::{NotSet, Set};
use sea_orm::{
    ColumnTrait, DatabaseTransaction, EntityTrait, QueryFilter, QueryOrder, QuerySelect, QueryTrait,
};

use super::RebuiltRating;
use crate::history::{changes, raises};
use crate::{BotId, MatchId, PerSide, StoreError, Timestamp, matches};

/// Rows per statement: databases limit the number of values.
const ROWS: usize = 500;

/// Replaces the rating history from this turn on.
pub(super) async fn rewrite_history(
    change: &DatabaseTransaction,
    game: &str,
    from: i64,
    points: &mut Vec<RebuiltRating>,
) -> Result<(), StoreError> {
    let mut raised = take_raises(change, game, from).await?;
    use matches::Column;
    let these = matches::Entity::find().select_only().column(Column::Id);
    let these = these
        .filter(Column::Game.eq(game))
        .filter(Column::Turn.gte(from))
        .into_query();
    let old = changes::Entity::delete_many().filter(changes::Column::MatchId.in_subquery(these));
    old.exec(change).await?;
    let rows = std::mem::take(points).into_iter().filter_map(|point| {
        let at = point
            .at
            .or_else(|| raised.get_mut(&point.bot)?.pop_front())?;
        Some(changes::ActiveModel {
            id: NotSet,
            bot: Set(point.bot),
            match_id: Set(point.match_id),
            at: Set(at),
            skill: Set(point.rating.skill),
            doubt: Set(point.rating.doubt),
        })
    });
    let rows: Vec<_> = rows.collect();
    for some in rows.chunks(ROWS) {
        changes::Entity::insert_many(some.to_vec())
            .exec_without_returning(change)
            .await?;
    }
    Ok(())
}

/// Removes the history points of new versions from this turn on, and returns the activation times
/// by bot.
async fn take_raises(
    change: &DatabaseTransaction,
    game: &str,
    from: i64,
) -> Result<HashMap<BotId, VecDeque<Timestamp>>, StoreError> {
    let later = raises::Entity::find().filter(raises::Column::Game.eq(game));
    let later = later
        .filter(raises::Column::Turn.gte(from))
        .all(change)
        .await?;
    let mut counts: HashMap<BotId, u64> = HashMap::new();
    later
        .iter()
        .for_each(|raise| *counts.entry(raise.bot).or_default() += 1);
    let mut moments = HashMap::new();
    for (bot, count) in counts {
        let points = changes::Entity::find().filter(changes::Column::Bot.eq(bot));
        let points = points.filter(changes::Column::MatchId.is_null());
        let points = points
            .order_by_desc(changes::Column::Id)
            .limit(count)
            .all(change)
            .await?;
        let ids = points.iter().map(|point| point.id);
        changes::Entity::delete_many()
            .filter(changes::Column::Id.is_in(ids))
            .exec(change)
            .await?;
        moments.insert(bot, points.iter().rev().map(|point| point.at).collect());
    }
    Ok(moments)
}

/// Writes the rating changes of matches.
pub(super) async fn rewrite_changes(
    change: &DatabaseTransaction,
    changed: &[(MatchId, PerSide<f64>)],
) -> Result<(), StoreError> {
    for (id, both) in changed {
        let new = matches::ActiveModel {
            a_change: Set(Some(both.a)),
            b_change: Set(Some(both.b)),
            ..matches::unchanged_row()
        };
        matches::update_match(change, *id, new).await?;
    }
    Ok(())
}
