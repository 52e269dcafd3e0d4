//! Rewrites the rating history from one turn on.

use std::collections::{HashMap, VecDeque};

use leitai_ladder::weng_lin::Rating;

use crate::database::prelude::*;
use crate::ladders::history::query_history;
use crate::matches::matches;
use crate::tables::history::{changes, raises};
use crate::{BotId, LadderId, MatchId, PerSide, tables};

/// Replaces the rating history from this turn on.
pub(crate) async fn rewrite_history(
    change: &Change,
    ladder: &LadderId,
    from: i64,
    points: &mut Vec<RebuiltRating>,
) -> Result<()> {
    let mut raised = take_raises(change, ladder, from).await?;
    use tables::matches::Column;
    let these = tables::matches::Entity::find()
        .select_only()
        .column(Column::Id);
    let these = these
        .filter(Column::Ladder.eq(ladder))
        .filter(Column::Turn.gte(from))
        .into_query();
    delete_rows::<changes::Entity>(change, changes::Column::MatchId.in_subquery(these)).await?;
    let rows = std::mem::take(points).into_iter().filter_map(|point| {
        let at = point
            .at
            .or_else(|| raised.get_mut(&point.bot)?.pop_front())?;
        Some(changes::ActiveModel {
            id: NotSet,
            bot: Set(point.bot),
            ladder: Set(ladder.clone()),
            match_id: Set(point.match_id),
            at: Set(at),
            skill: Set(point.rating.skill),
            doubt: Set(point.rating.doubt),
        })
    });
    insert_rows(change, &rows.collect::<Vec<_>>()).await
}

/// Removes the history points of new versions from this turn on, and returns the activation times
/// by bot.
async fn take_raises(
    change: &Change,
    ladder: &LadderId,
    from: i64,
) -> Result<HashMap<BotId, VecDeque<Timestamp>>> {
    let later = raises::Entity::find().filter(raises::Column::Ladder.eq(ladder));
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
        let points = query_history(bot, ladder)
            .filter(changes::Column::MatchId.is_null())
            .limit(count)
            .all(change)
            .await?;
        let ids = points.iter().map(|point| point.id);
        delete_rows::<changes::Entity>(change, changes::Column::Id.is_in(ids)).await?;
        moments.insert(bot, points.iter().rev().map(|point| point.at).collect());
    }
    Ok(moments)
}

/// Writes the rating changes of matches.
pub(crate) async fn rewrite_changes(
    change: &Change,
    changed: &[(MatchId, PerSide<f64>)],
) -> Result<()> {
    for (id, both) in changed {
        let new = tables::matches::ActiveModel {
            a_change: Set(Some(both.a)),
            b_change: Set(Some(both.b)),
            ..Default::default()
        };
        matches::update_match(change, *id, new).await?;
    }
    Ok(())
}

/// A rating after a match, or after a new version was activated.
pub(crate) struct RebuiltRating {
    pub bot: BotId,
    pub match_id: Option<MatchId>,
    /// `None` for a new version.
    pub at: Option<Timestamp>,
    pub rating: Rating,
}
