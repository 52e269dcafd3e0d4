//! Sign in by OpenID Connect: which account an identity at a provider belongs to, sign-ins that are
//! under way, and people who have yet to choose a name.
//!
//! An identity is an issuer and a subject. Addresses for mail change hands and are not looked at.
//! Of what a browser must send again the database has only hashes.

use serde_json::json;

use crate::accounts::users::{NewUser, insert_user};
use crate::database::audit_log;
use crate::database::prelude::*;
use crate::tables::identities::{
    ActiveModel, Column, Entity, Identity, Newcomer, SignIn, newcomers, sign_ins,
};
use crate::tables::users::User;
use crate::{AuditedAction, IdentityId, TokenHash, UserId, tables};

/// Identities of one account.
const MOST: u64 = 10;

impl Store {
    /// Remembers that a browser was sent to a provider.
    pub async fn start_sign_in(&self, new: SignIn) -> Result<()> {
        let row = sign_ins::ActiveModel {
            state: Set(new.state),
            browser: Set(new.browser),
            provider: Set(new.provider),
            return_to: Set(new.return_to),
            user: Set(new.user),
            until: Set(new.until),
        };
        let change = self.begin_write().await?;
        insert_row(&change, row).await?;
        Ok(change.commit().await?)
    }

    /// Takes the sign-in with this state, which works once; `None` if it is unknown, was taken or is
    /// too old.
    pub async fn take_sign_in(&self, state: &TokenHash, at: Timestamp) -> Result<Option<SignIn>> {
        let change = self.begin_write().await?;
        let found = sign_ins::Entity::find_by_id(state.as_str())
            .lock_exclusive()
            .one(&change)
            .await?;
        // Of two who come at the same time one deletes it.
        let taken = sign_ins::Entity::delete_by_id(state.as_str())
            .exec(&change)
            .await?;
        change.commit().await?;
        Ok(found.filter(|found| taken.rows_affected == 1 && at < found.until))
    }

    /// The account of an identity, whose use is noted; `None` if it has none.
    pub async fn user_of_identity(
        &self,
        issuer: &str,
        subject: &str,
        at: Timestamp,
    ) -> Result<Option<User>> {
        let change = self.begin_write().await?;
        let Some(own) = find_identity(&change, issuer, subject).await? else {
            return Ok(None);
        };
        let row = ActiveModel {
            id: Set(own.id),
            used: Set(at),
            ..Default::default()
        };
        row.update(&change).await?;
        let user = tables::users::Entity::find_by_id(own.user)
            .one(&change)
            .await?;
        change.commit().await?;
        Ok(user)
    }

    /// Remembers a person who has yet to choose a name, in place of an earlier one of this browser.
    pub async fn hold_newcomer(&self, new: Newcomer) -> Result<()> {
        let change = self.begin_write().await?;
        newcomers::Entity::delete_by_id(new.browser.clone())
            .exec(&change)
            .await?;
        let row = newcomers::ActiveModel {
            browser: Set(new.browser),
            provider: Set(new.provider),
            issuer: Set(new.issuer),
            subject: Set(new.subject),
            name: Set(new.name),
            return_to: Set(new.return_to),
            until: Set(new.until),
        };
        insert_row(&change, row).await?;
        Ok(change.commit().await?)
    }

    /// The person of this browser who has yet to choose a name.
    pub async fn newcomer(&self, browser: &TokenHash, at: Timestamp) -> Result<Option<Newcomer>> {
        let found = newcomers::Entity::find_by_id(browser.as_str())
            .one(&self.readers)
            .await?;
        Ok(found.filter(|found| at < found.until))
    }

    /// Opens an account without a password for a newcomer, once. `None` if there is no such newcomer
    /// or the time is over; [`StoreError::Taken`] if the name is in use (the newcomer may choose
    /// another) or the identity has an account by now.
    pub async fn admit_newcomer(
        &self,
        browser: &TokenHash,
        name: &str,
        at: Timestamp,
    ) -> Result<Option<User>> {
        let change = self.begin_write().await?;
        let own = newcomers::Entity::find_by_id(browser.as_str())
            .lock_exclusive()
            .one(&change)
            .await?;
        let Some(own) = own.filter(|own| at < own.until) else {
            return Ok(None);
        };
        newcomers::Entity::delete_by_id(browser.as_str())
            .exec(&change)
            .await?;
        let new = NewUser {
            name: name.to_owned(),
            password: tables::users::NO_PASSWORD.to_owned(),
            admin: false,
        };
        let user = insert_user(&change, new, false, (self.freed_for(), at)).await?;
        insert_identity(
            &change,
            user.id,
            &own.provider,
            &own.issuer,
            &own.subject,
            at,
        )
        .await?;
        log(&change, user.id, "user.register", &own.provider, at).await?;
        change.commit().await?;
        Ok(Some(user))
    }

    /// Links an identity to an account. [`StoreError::Taken`] if it opens another account;
    /// [`StoreError::Refused`] if there are too many.
    pub async fn link_identity(
        &self,
        user: UserId,
        provider: &str,
        issuer: &str,
        subject: &str,
        at: Timestamp,
    ) -> Result<()> {
        let change = self.begin_write().await?;
        match find_identity(&change, issuer, subject).await? {
            Some(known) if known.user == user => return Ok(()),
            Some(_) => {
                return Err(StoreError::Taken {
                    what: "identity",
                    value: provider.to_owned(),
                });
            }
            None => {}
        }
        let own = Entity::find().filter(Column::User.eq(user));
        if own.count(&change).await? >= MOST {
            return Err(StoreError::Refused(format!(
                "an account has at most {MOST} linked accounts; unlink one first"
            )));
        }
        insert_identity(&change, user, provider, issuer, subject, at).await?;
        log(&change, user, "user.link-identity", provider, at).await?;
        Ok(change.commit().await?)
    }

    /// The identities of an account, oldest first.
    pub async fn identities_of(&self, user: UserId) -> Result<Vec<Identity>> {
        let own = Entity::find()
            .filter(Column::User.eq(user))
            .order_by_asc(Column::Id);
        Ok(own.all(&self.readers).await?)
    }

    /// Unlinks an identity of an account. [`StoreError::Refused`] if nobody could log in to the
    /// account after that.
    pub async fn unlink_identity(&self, user: UserId, id: IdentityId, at: Timestamp) -> Result<()> {
        let change = self.begin_write().await?;
        // Two at the same time would leave none.
        let account = lock_row::<tables::users::Entity>(&change, user, "user").await?;
        let own = Entity::find()
            .filter(Column::User.eq(user))
            .all(&change)
            .await?;
        let found = own.iter().find(|own| own.id == id);
        let found = found.ok_or_else(|| StoreError::row_missing("linked account", id))?;
        if own.len() == 1 && !account.has_password() {
            return Err(StoreError::Refused(
                "this is the only way to log in to this account; set a password first".to_owned(),
            ));
        }
        Entity::delete_by_id(id).exec(&change).await?;
        log(&change, user, "user.unlink-identity", &found.provider, at).await?;
        Ok(change.commit().await?)
    }

    /// Removes sign-ins and newcomers that are too old; returns their number.
    pub async fn sweep_sign_ins(&self, at: Timestamp) -> Result<u64> {
        let change = self.begin_write().await?;
        let old = sign_ins::Entity::delete_many().filter(sign_ins::Column::Until.lt(at));
        let mut swept = old.exec(&change).await?.rows_affected;
        let old = newcomers::Entity::delete_many().filter(newcomers::Column::Until.lt(at));
        swept += old.exec(&change).await?.rows_affected;
        change.commit().await?;
        Ok(swept)
    }
}

/// Removes the identities of an account, and what it was about to link.
pub(crate) async fn forget(change: &Change, user: UserId) -> Result<()> {
    delete_rows::<sign_ins::Entity>(change, sign_ins::Column::User.eq(user)).await?;
    delete_rows::<Entity>(change, Column::User.eq(user)).await?;
    Ok(())
}

async fn find_identity(change: &Change, issuer: &str, subject: &str) -> Result<Option<Identity>> {
    let own = Entity::find()
        .filter(Column::Issuer.eq(issuer))
        .filter(Column::Subject.eq(subject));
    Ok(own.one(change).await?)
}

async fn insert_identity(
    change: &Change,
    user: UserId,
    provider: &str,
    issuer: &str,
    subject: &str,
    at: Timestamp,
) -> Result<()> {
    let row = ActiveModel {
        id: NotSet,
        user: Set(user),
        issuer: Set(issuer.to_owned()),
        subject: Set(subject.to_owned()),
        provider: Set(provider.to_owned()),
        created: Set(at),
        used: Set(at),
    };
    row.insert(change)
        .await
        .map_err(|error| StoreError::value_taken(error, "identity", provider))?;
    Ok(())
}

/// Neither subject nor address is logged: the log outlives the account.
async fn log(
    change: &Change,
    user: UserId,
    action: &str,
    provider: &str,
    at: Timestamp,
) -> Result<()> {
    let subject = format!("user {user}");
    let action = AuditedAction::new(Some(user), action, subject, json!({"provider": provider}));
    audit_log::write(change, action, at).await
}
