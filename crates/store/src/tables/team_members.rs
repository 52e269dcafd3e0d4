//! Who belongs to a team.

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::SelectStatement;
use sea_orm::{QuerySelect, QueryTrait};

use crate::{TeamId, Timestamp, UserId};

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "team_members")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub team_id: TeamId,
    #[sea_orm(primary_key, auto_increment = false)]
    pub user: UserId,
    pub joined: Timestamp,
}

relations!(related User: User = users.Id);

/// The numbers of the teams of a person, for a condition.
pub(crate) fn query_team_ids(user: UserId) -> SelectStatement {
    Entity::find()
        .select_only()
        .column(Column::TeamId)
        .filter(Column::User.eq(user))
        .into_query()
}
