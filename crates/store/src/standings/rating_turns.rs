//! The order of the changes of a ladder.
//!
//! Every change of a ladder takes its next number (the turn of the change) and locks the ladder's row
//! until it is committed. So all changes of a ladder are totally ordered, which a rebuild needs;
//! and an unchanged number means that the ladder has not changed.

use sea_orm::sea_query::ExprTrait;

use crate::LadderId;
use crate::database::prelude::*;
use crate::tables::rating_turns::{Column, Entity, Model};

/// Takes `turns` turns of a ladder and returns the last one. The counter is locked until `change`
/// ends.
pub(crate) async fn take_turns(change: &Change, ladder: &LadderId, turns: i64) -> Result<i64> {
    Ok(advance_turns(change, ladder, Column::Turn, turns)
        .await?
        .turn)
}

/// Counts picks of a ladder and returns the number of the last one. The counter is locked until
/// `change` ends.
pub(crate) async fn take_picks(change: &Change, ladder: &LadderId, picks: i64) -> Result<i64> {
    Ok(advance_turns(change, ladder, Column::Picks, picks)
        .await?
        .picks)
}

/// The present turn of a ladder.
pub(crate) async fn current_turns(
    place: &impl ConnectionTrait,
    ladder: &LadderId,
) -> Result<Model> {
    let known = Entity::find_by_id(ladder.clone()).one(place).await?;
    Ok(known.unwrap_or_else(|| Model::new_ladder(ladder)))
}

async fn advance_turns(
    change: &Change,
    ladder: &LadderId,
    column: Column,
    by: i64,
) -> Result<Model> {
    let more = Entity::update_many()
        .col_expr(column, Expr::col(column).add(by))
        .filter(Column::Ladder.eq(ladder));
    if more.clone().exec(change).await?.rows_affected == 0 {
        insert_ladder(change, ladder).await?;
        more.exec(change).await?;
    }
    current_turns(change, ladder).await
}

/// Inserts a ladder, unless it is there.
pub(crate) async fn insert_ladder(change: &Change, ladder: &LadderId) -> Result<()> {
    let first = Model::new_ladder(ladder).into_active_model().reset_all();
    insert_new(change, first, [Column::Ladder]).await?;
    Ok(())
}

/// The ladders of a game, the standard one first, which is there even before anybody played: who
/// locks several takes them in this order.
pub(crate) async fn ladders_of(place: &impl ConnectionTrait, game: &str) -> Result<Vec<Model>> {
    let known = Entity::find().filter(Column::Game.eq(game));
    let mut all = known.all(place).await?;
    let standard = LadderId::standard(game);
    if all.iter().all(|known| known.ladder != standard) {
        all.push(Model::new_ladder(&standard));
    }
    // Databases order texts by rules of their own.
    all.sort_unstable_by(|one, two| one.ladder.cmp(&two.ladder));
    Ok(all)
}

/// The ids of all ladders.
pub(crate) async fn all_ladders(place: &impl ConnectionTrait) -> Result<Vec<LadderId>> {
    let all = Entity::find().select_only().column(Column::Ladder);
    Ok(all.into_tuple().all(place).await?)
}
