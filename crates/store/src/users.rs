//! People with accounts.

use sea_orm::entity::prelude::*;

use crate::{Ask, Page, SessionId, Store, StoreError, Timestamp, UserId};

/// A person with an account.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "users")]
pub struct Model {
    /// The key.
    #[sea_orm(primary_key)]
    pub id: UserId,
    /// As the person wrote it.
    pub name: String,
    /// In lower case: no two names differ by case alone.
    pub folded: String,
    /// A PHC string (argon2).
    pub password: String,
    /// May do everything.
    pub admin: bool,
    /// May do nothing; has no sessions.
    pub disabled: bool,
    /// When the account was made.
    pub created: Timestamp,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

pub use Model as User;

/// An account to be made.
#[derive(Clone, Debug)]
pub struct NewUser {
    /// As the person wrote it; unique whatever the case.
    pub name: String,
    /// A PHC string (argon2).
    pub password: String,
    /// May do everything.
    pub admin: bool,
}

impl Store {
    /// Makes an account. [`StoreError::Taken`] if the name is in use.
    pub async fn create_user(&self, new: NewUser, at: Timestamp) -> Result<User, StoreError> {
        let _ = (new, at);
        todo!()
    }

    /// A person; [`StoreError::Missing`] if there is none.
    pub async fn user(&self, id: UserId) -> Result<User, StoreError> {
        let _ = id;
        todo!()
    }

    /// A person by name, whatever the case.
    pub async fn user_by_name(&self, name: &str) -> Result<Option<User>, StoreError> {
        let _ = name;
        todo!()
    }

    /// A new password (PHC string); ends every session but `keep`, in one transaction.
    pub async fn set_password(
        &self,
        user: UserId,
        password: &str,
        keep: Option<SessionId>,
    ) -> Result<(), StoreError> {
        let _ = (user, password, keep);
        todo!()
    }

    /// Locks a person out (which ends every session) or lets in again.
    pub async fn set_user_disabled(&self, user: UserId, disabled: bool) -> Result<User, StoreError> {
        let _ = (user, disabled);
        todo!()
    }

    /// Gives or takes the right to administrate.
    pub async fn set_admin(&self, user: UserId, admin: bool) -> Result<User, StoreError> {
        let _ = (user, admin);
        todo!()
    }

    /// Whether anybody may administrate: a new arena asks whoever opens it to make the first account.
    pub async fn has_admin(&self) -> Result<bool, StoreError> {
        todo!()
    }

    /// Everybody, newest first.
    pub async fn users(&self, ask: &Ask) -> Result<Page<User>, StoreError> {
        let _ = ask;
        todo!()
    }
}
