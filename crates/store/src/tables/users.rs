//! The table `users`.

use sea_orm::entity::prelude::*;

use crate::{Timestamp, UserId};

/// A person with an account.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "users")]
pub struct Model {
    /// The key.
    #[sea_orm(primary_key)]
    pub id: UserId,
    /// The name as the user wrote it.
    pub name: String,
    /// The name in lower case: names must differ by more than case.
    pub folded: String,
    /// What is equal for names that look alike, see [`skeletons`](crate::database::skeletons).
    pub skeleton: Option<String>,
    /// A PHC string (argon2).
    pub password: String,
    /// Whether the user is an administrator.
    pub admin: bool,
    /// Whether the account is locked out; then it has no sessions.
    pub disabled: bool,
    /// When the account was created.
    pub created: Timestamp,
    /// Whether somebody else chose the password, so that it must be changed first.
    pub password_temporary: bool,
}

relations!();

pub use Model as User;

/// Stands in place of a hash where an account has no password; no password has it.
pub(crate) const NO_PASSWORD: &str = "none";

impl Model {
    /// Whether the account has a password; one without is opened at a provider
    /// ([`identities`](crate::accounts::identities)).
    pub fn has_password(&self) -> bool {
        self.password != NO_PASSWORD
    }
}
