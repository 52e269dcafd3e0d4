//! What a recount has read so far, and of which contest.

use std::collections::BTreeMap;

use crate::database::prelude::*;
use crate::tables::contests::played;
use crate::tables::recount::{ActiveModel, Column, Entity, Model, games_read};
use crate::{ContestId, MatchId, tables};

/// A contest as its row names it: `contest 12`.
pub(crate) fn subject_of(contest: ContestId) -> String {
    format!("contest {contest}")
}

/// The matches of a contest that have a result, in order, behind `after`.
pub(crate) fn select_after(contest: ContestId, after: i64) -> Select<tables::matches::Entity> {
    tables::matches::Entity::find()
        .filter(tables::matches::Column::Winner.is_not_null())
        .join(JoinType::InnerJoin, played::Relation::Match.def().rev())
        .filter(played::Column::Contest.eq(contest))
        .filter(played::Column::TakenBack.is_null())
        .filter(played::Column::MatchId.gt(after))
        .order_by_asc(tables::matches::Column::Id)
}

pub(crate) async fn lock_row(change: &Change, subject: &str) -> Result<Option<Model>> {
    Ok(Entity::find_by_id(subject)
        .lock_exclusive()
        .one(change)
        .await?)
}

pub(crate) async fn update_row(change: &Change, row: Model) -> Result<()> {
    let subject = row.subject.clone();
    Entity::update_many()
        .set(ActiveModel::from(row).reset_all())
        .filter(Column::Subject.eq(subject))
        .exec(change)
        .await?;
    Ok(())
}

/// The games of a subject that were read, by match.
pub(crate) async fn games_by_match(
    change: &Change,
    subject: &str,
) -> Result<BTreeMap<MatchId, Vec<String>>> {
    let rows = games_read::Entity::find().filter(games_read::Column::Subject.eq(subject));
    let rows = rows.all(change).await?.into_iter();
    let games = |text: &str| text.split_ascii_whitespace().map(str::to_owned).collect();
    Ok(rows.map(|row| (row.match_id, games(&row.games))).collect())
}

pub(crate) async fn forget_games(change: &Change, subject: &str) -> Result<()> {
    delete_rows::<games_read::Entity>(change, games_read::Column::Subject.eq(subject)).await?;
    Ok(())
}
