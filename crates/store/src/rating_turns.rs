//! The order of the changes of a ladder.
//!
//! Every change of a ladder takes the next number of its game (its turn) and locks the game's row
//! until it is committed. So all changes of a ladder are totally ordered, which a rebuild needs;
//! and an unchanged number means that the ladder has not changed.

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{ExprTrait, OnConflict};
use sea_orm::{ActiveValue::Set, DatabaseTransaction};

use crate::StoreError;

/// The counters of a ladder: changes, and picks of pairs.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "turns")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub game: String,
    pub turn: i64,
    pub picks: i64,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

/// Takes `count` turns of a game and returns the last one. The counter is locked until `change`
/// ends.
pub(crate) async fn take_turns(
    change: &DatabaseTransaction,
    game: &str,
    turns: i64,
) -> Result<i64, StoreError> {
    Ok(advance_turns(change, game, Column::Turn, turns).await?.turn)
}

/// Counts picks of a game and returns the number of the last one. The counter is locked until
/// `change` ends.
pub(crate) async fn take_picks(
    change: &DatabaseTransaction,
    game: &str,
    picks: i64,
) -> Result<i64, StoreError> {
    Ok(advance_turns(change, game, Column::Picks, picks)
        .await?
        .picks)
}

/// The present turn of a ladder.
pub(crate) async fn current_turns(
    place: &impl ConnectionTrait,
    game: &str,
) -> Result<Model, StoreError> {
    let known = Entity::find_by_id(game.to_owned()).one(place).await?;
    Ok(known.unwrap_or_else(|| Model {
        game: game.to_owned(),
        turn: 0,
        picks: 0,
    }))
}

async fn advance_turns(
    change: &DatabaseTransaction,
    game: &str,
    column: Column,
    by: i64,
) -> Result<Model, StoreError> {
    let more = Entity::update_many()
        .col_expr(column, Expr::col(column).add(by))
        .filter(Column::Game.eq(game));
    if more.clone().exec(change).await?.rows_affected == 0 {
        let first = ActiveModel {
            game: Set(game.to_owned()),
            turn: Set(0),
            picks: Set(0),
        };
        let there = OnConflict::column(Column::Game).do_nothing().to_owned();
        Entity::insert(first)
            .on_conflict(there)
            .exec_without_returning(change)
            .await?;
        more.exec(change).await?;
    }
    current_turns(change, game).await
}
