//! Creation of accounts on the command line.

use leitai_store::{NewUser, Store, Timestamp, UserId};

use super::{AccountError, names, password};

/// Creates an account from the command line, on request an administrator's. For an arena whose
/// first account was not created on its page.
///
/// # Errors
/// If the name or password is not acceptable, or the name is taken.
pub async fn create_account(
    store: &Store,
    name: &str,
    password: &str,
    admin: bool,
) -> Result<UserId, AccountError> {
    let name = names::check_name(name)?.to_owned();
    password::check_password(password, &name, "password")?;
    let hash = password::hash(password)
        .map_err(|error| AccountError::hashing_error("the password was not hashed", &error))?;
    let new = NewUser {
        name,
        password: hash,
        admin,
    };
    Ok(store.create_user(new, Timestamp::now()).await?.id)
}
