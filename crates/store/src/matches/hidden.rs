//! The matches of contests that nobody may see yet.

use sea_orm::sea_query::{ExprTrait, SelectStatement};

use crate::database::prelude::*;
use crate::tables;
use crate::tables::contests::{Column, Entity, played};

/// The matches of contests that [`Model::hides_matches`], among those of the query around it.
pub(crate) fn hidden_matches(at: Timestamp) -> SelectStatement {
    use played::Column as Played;
    let hides = Condition::any()
        .add(Column::Private.eq(true))
        .add(Column::ResultsFrom.gt(at))
        .add(Column::ResultsFrom.is_null().and(Column::Ended.is_null()));
    let contest = Entity::find()
        .select_only()
        .column(Column::Id)
        .filter(Expr::col((Entity, Column::Id)).equals((played::Entity, Played::Contest)))
        .filter(hides);
    played::Entity::find()
        .select_only()
        .column(Played::MatchId)
        .filter(
            Expr::col((played::Entity, Played::MatchId))
                .equals((tables::matches::Entity, tables::matches::Column::Id)),
        )
        .filter(Expr::exists(contest.into_query()))
        .into_query()
}
