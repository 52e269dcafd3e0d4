//! What an account holds besides its place in the group that made it. Whoever sets its password has
//! all of it, so the group's organisers may only as long as that is nothing.

use crate::accounts::second_factors;
use crate::database::prelude::*;
use crate::{GroupId, NameKind, UserId, tables};

/// What the account has that is not the group's, or how its holder took it over; `None` if there is
/// nothing. It continues a sentence: `account 3 …`.
pub(crate) async fn describe_own(
    change: &Change,
    group: GroupId,
    user: UserId,
) -> Result<Option<&'static str>> {
    let elsewhere = tables::group_members::Entity::find()
        .filter(tables::group_members::Column::User.eq(user))
        .filter(tables::group_members::Column::GroupId.ne(group));
    if elsewhere.one(change).await?.is_some() {
        return Ok(Some("belongs to another group, too"));
    }
    let others = tables::teams::Entity::find()
        .select_only()
        .column(tables::teams::Column::Id)
        .filter(tables::teams::Column::Scope.ne(group.0));
    let elsewhere = tables::team_members::Entity::find()
        .filter(tables::team_members::Column::User.eq(user))
        .filter(tables::team_members::Column::TeamId.in_subquery(others.into_query()));
    if elsewhere.one(change).await?.is_some() {
        return Ok(Some("belongs to a team outside the group"));
    }
    let named = tables::contest_names::Entity::find()
        .filter(tables::contest_names::Column::Kind.eq(NameKind::Account))
        .filter(tables::contest_names::Column::Target.eq(user.0));
    if named.one(change).await?.is_some() {
        return Ok(Some("is named in a contest"));
    }
    let identity =
        tables::identities::Entity::find().filter(tables::identities::Column::User.eq(user));
    if identity.one(change).await?.is_some() {
        return Ok(Some("is opened by its owner at a provider"));
    }
    if second_factors::has_any(change, user).await? {
        return Ok(Some("has a second factor of its owner"));
    }
    let address = tables::mail::Entity::find_by_id(user).one(change).await?;
    if address.is_some_and(|own| own.confirmed.is_some()) {
        return Ok(Some(
            "has an address for mail by which its owner sets a password",
        ));
    }
    Ok(None)
}
