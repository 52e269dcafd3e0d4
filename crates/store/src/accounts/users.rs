//! User accounts.

use std::time::Duration;

use crate::accounts::{freed_names, known_browsers, sessions, tokens};
use crate::database::prelude::*;
use crate::database::skeletons::{self, fold_name};
use crate::migrations::alone::prepare_alone;
use crate::tables::users::{ActiveModel, Column, Entity, User};
use crate::{NameKind, Page, PageQuery, SessionId, UserId};

/// An account to be created.
#[derive(Clone, Debug)]
pub struct NewUser {
    /// The name; unique without regard to case.
    pub name: String,
    /// A PHC string (argon2).
    pub password: String,
    /// Whether the user is an administrator.
    pub admin: bool,
}

/// What ends with a new password besides the other sessions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PasswordEnds {
    /// The holder changed it: this session stays, the API tokens only if `tokens` is false.
    Others {
        /// The session that changes it.
        keep: SessionId,
        /// Whether the API tokens are revoked.
        tokens: bool,
    },
    /// It was reset: every session and API token ends.
    Everything,
}

/// The administrators who may log in.
fn living_admins() -> Select<Entity> {
    Entity::find()
        .filter(Column::Admin.eq(true))
        .filter(Column::Disabled.eq(false))
}

impl Store {
    /// Creates an account. [`StoreError::Taken`] if the name is in use, [`StoreError::Alike`] if one
    /// that looks like it is, [`StoreError::Freed`] if it was given up lately.
    pub async fn create_user(&self, new: NewUser, at: Timestamp) -> Result<User> {
        let change = self.begin_write().await?;
        let made = insert_user(&change, new, false, (self.freed_for(), at)).await?;
        change.commit().await?;
        Ok(made)
    }

    /// Creates the account of an arena's first administrator; `None` if there is one by now, whom
    /// another server may have created a moment ago.
    pub async fn create_first_admin(&self, new: NewUser, at: Timestamp) -> Result<Option<User>> {
        let change = self.begin_write().await?;
        prepare_alone(&change).await?;
        if living_admins().one(&change).await?.is_some() {
            return Ok(None);
        }
        let new = NewUser { admin: true, ..new };
        let made = insert_user(&change, new, false, (self.freed_for(), at)).await?;
        change.commit().await?;
        Ok(Some(made))
    }

    /// Finds a user; [`StoreError::Missing`] if there is none.
    pub async fn find_user(&self, id: UserId) -> Result<User> {
        find_row::<Entity>(&self.readers, id, "user").await
    }

    /// Finds a user by name, without regard to case.
    pub async fn user_by_name(&self, name: &str) -> Result<Option<User>> {
        Ok(Entity::find()
            .filter(Column::Folded.eq(fold_name(name)))
            .one(&self.readers)
            .await?)
    }

    /// [`StoreError::Alike`] if the name of another account looks like this one, [`StoreError::Freed`]
    /// if it or one like it was given up lately. Whoever creates an account is refused as well; this
    /// tells before a password is hashed.
    pub async fn check_account_name(&self, name: &str, at: Timestamp) -> Result<()> {
        check_name(&self.readers, name, (self.freed_for(), at)).await
    }

    /// Sets a new password (PHC string) and ends what `ends` says, in one transaction.
    pub async fn set_password(
        &self,
        user: UserId,
        password: &str,
        ends: PasswordEnds,
    ) -> Result<()> {
        let change = self.begin_write().await?;
        replace_password(&change, user, password, false, ends).await?;
        Ok(change.commit().await?)
    }

    /// Locks a user out (which ends every session) or lifts the lock.
    pub async fn set_user_disabled(&self, user: UserId, disabled: bool) -> Result<User> {
        let change = self.begin_write().await?;
        update_user(
            &change,
            user,
            ActiveModel {
                disabled: Set(disabled),
                ..Default::default()
            },
        )
        .await?;
        if disabled {
            sessions::end_sessions(&change, user, None).await?;
        }
        change.commit().await?;
        self.find_user(user).await
    }

    /// Grants or revokes the right to administer.
    pub async fn set_admin(&self, user: UserId, admin: bool) -> Result<User> {
        let change = self.begin_write().await?;
        update_user(
            &change,
            user,
            ActiveModel {
                admin: Set(admin),
                ..Default::default()
            },
        )
        .await?;
        change.commit().await?;
        self.find_user(user).await
    }

    /// Whether there is an administrator: a new arena asks its first visitor to create one.
    pub async fn has_admin(&self) -> Result<bool> {
        Ok(living_admins().one(&self.readers).await?.is_some())
    }

    /// All users, newest first.
    pub async fn list_users(&self, ask: &PageQuery) -> Result<Page<User>> {
        let rows = Entity::find();
        self.page_of(rows, Column::Id, ask, |row| row.id.0).await
    }
}

/// [`StoreError::Alike`] if the name of another account looks like this one, [`StoreError::Freed`] if
/// it or one like it was given up less than `kept` before now.
async fn check_name(
    place: &impl ConnectionTrait,
    name: &str,
    (kept, at): (Duration, Timestamp),
) -> Result<()> {
    let alike = Entity::find().filter(Column::Skeleton.eq(skeletons::skeleton(name)));
    skeletons::check(place, alike, Column::Name, ("name", name)).await?;
    freed_names::check(place, NameKind::Account, name, None, (kept, at)).await
}

/// Adds an account; with a temporary password somebody else has chosen it.
pub(crate) async fn insert_user(
    change: &Change,
    new: NewUser,
    password_temporary: bool,
    (kept, at): (Duration, Timestamp),
) -> Result<User> {
    check_name(change, &new.name, (kept, at)).await?;
    let user = ActiveModel {
        id: NotSet,
        name: Set(new.name.clone()),
        folded: Set(fold_name(&new.name)),
        skeleton: Set(Some(skeletons::skeleton(&new.name))),
        password: Set(new.password),
        admin: Set(new.admin),
        disabled: Set(false),
        created: Set(at),
        password_temporary: Set(password_temporary),
    };
    user.insert(change)
        .await
        .map_err(|error| StoreError::value_taken(error, "name", &new.name))
}

/// Sets a password, and whether it must be changed first; ends sessions and tokens. Browsers are
/// known no more: somebody may have logged in with the old password.
pub(crate) async fn replace_password(
    change: &Change,
    user: UserId,
    password: &str,
    temporary: bool,
    ends: PasswordEnds,
) -> Result<()> {
    let new = ActiveModel {
        password: Set(password.to_owned()),
        password_temporary: Set(temporary),
        ..Default::default()
    };
    update_user(change, user, new).await?;
    let keep = match ends {
        PasswordEnds::Others { keep, .. } => Some(keep),
        PasswordEnds::Everything => None,
    };
    sessions::end_sessions(change, user, keep).await?;
    known_browsers::forget_person(change, user).await?;
    if !matches!(ends, PasswordEnds::Others { tokens: false, .. }) {
        tokens::revoke_all(change, user).await?;
    }
    Ok(())
}

async fn update_user(place: &impl ConnectionTrait, id: UserId, new: ActiveModel) -> Result<()> {
    match update_rows(place, Column::Id.eq(id), new).await? {
        0 => Err(StoreError::row_missing("user", id)),
        _ => Ok(()),
    }
}
