//! Second factors: the secrets of authenticator apps, and recovery codes. Passkeys are in
//! [`crate::accounts::passkeys`]; an account has a second factor if it has an app or a passkey.
//!
//! A secret counts from when its holder has confirmed it by a code. The secret is stored as it is,
//! because codes are computed from it; nothing but [`Store::second_factor`] reads it. A code is taken
//! once: the row has the time step of the last one, and only later ones are taken.

use serde_json::json;

use crate::accounts::{known_browsers, passkey_rows, sessions};
use crate::database::audit_log;
use crate::database::prelude::*;
use crate::events::kinds::{self as events, FactorChange, SecondFactorChanged};
use crate::tables::second_factors::{ActiveModel, Column, Entity, Model, SecondFactor, codes};
use crate::{AuditedAction, SessionId, TokenHash, UserId};

/// Without the secret, so that no log has it.
impl std::fmt::Debug for Model {
    fn fmt(&self, text: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        text.debug_struct("SecondFactor")
            .field("user", &self.user)
            .field("confirmed", &self.confirmed)
            .field("step", &self.step)
            .finish_non_exhaustive()
    }
}

impl Store {
    /// The authenticator app of an account, confirmed or not.
    pub async fn second_factor(&self, user: UserId) -> Result<Option<SecondFactor>> {
        Ok(Entity::find_by_id(user).one(&self.readers).await?)
    }

    /// Whether an account has a second factor that counts.
    pub async fn has_second_factor(&self, user: UserId) -> Result<bool> {
        has_any(&self.readers, user).await
    }

    /// How many recovery codes of an account are left.
    pub async fn count_recovery_codes(&self, user: UserId) -> Result<u64> {
        let own = codes::Entity::find().filter(codes::Column::User.eq(user));
        Ok(own.count(&self.readers).await?)
    }

    /// Keeps a secret that is to be confirmed, in place of an earlier one. False if the account has
    /// one that counts.
    pub async fn begin_second_factor(
        &self,
        user: UserId,
        secret: &str,
        at: Timestamp,
    ) -> Result<bool> {
        let change = self.begin_write().await?;
        let own = Entity::find_by_id(user).lock_exclusive();
        if own
            .one(&change)
            .await?
            .is_some_and(|own| own.confirmed.is_some())
        {
            return Ok(false);
        }
        let row = ActiveModel {
            user: Set(user),
            secret: Set(secret.to_owned()),
            created: Set(at),
            confirmed: Set(None),
            step: Set(0),
        };
        let latest = OnConflict::column(Column::User)
            .update_columns([Column::Secret, Column::Created])
            .action_and_where(Column::Confirmed.is_null())
            .to_owned();
        insert_or(&change, row, latest).await?;
        change.commit().await?;
        Ok(true)
    }

    /// Switches a second factor on whose code of this time step its holder gave in the session `keep`;
    /// all other sessions end. False if it is another one by now, or counts already.
    pub async fn confirm_second_factor(
        &self,
        seen: &SecondFactor,
        step: i64,
        codes: &[TokenHash],
        (keep, at): (SessionId, Timestamp),
    ) -> Result<bool> {
        let change = self.begin_write().await?;
        let confirmed = Entity::update_many()
            .col_expr(Column::Confirmed, Expr::value(Some(at)))
            .col_expr(Column::Step, Expr::value(step))
            .filter(Column::User.eq(seen.user))
            .filter(Column::Secret.eq(&*seen.secret))
            .filter(Column::Confirmed.is_null())
            .exec(&change)
            .await?;
        if confirmed.rows_affected == 0 {
            return Ok(false);
        }
        passkey_rows::forget_waiting(&change, seen.user).await?;
        replace_codes(&change, seen.user, codes).await?;
        sessions::end_sessions(&change, seen.user, Some(keep)).await?;
        note_change(&change, seen.user, FactorChange::On, at).await?;
        change.commit().await?;
        Ok(true)
    }

    /// Takes the code of a time step; false if this one or a later one was taken before.
    pub async fn take_factor_step(&self, user: UserId, step: i64) -> Result<bool> {
        let change = self.begin_write().await?;
        let taken = Entity::update_many()
            .col_expr(Column::Step, Expr::value(step))
            .filter(Column::User.eq(user))
            .filter(Column::Confirmed.is_not_null())
            .filter(Column::Step.lt(step))
            .exec(&change)
            .await?;
        change.commit().await?;
        Ok(taken.rows_affected > 0)
    }

    /// Takes a recovery code; false if the account has none with this hash.
    pub async fn take_recovery_code(
        &self,
        user: UserId,
        hash: &TokenHash,
        at: Timestamp,
    ) -> Result<bool> {
        let change = self.begin_write().await?;
        let key = (user, hash.as_str().to_owned());
        let taken = codes::Entity::delete_by_id(key).exec(&change).await?;
        if taken.rows_affected == 0 {
            return Ok(false);
        }
        note_change(&change, user, FactorChange::CodeUsed, at).await?;
        change.commit().await?;
        Ok(true)
    }

    /// Gives an account other recovery codes; those before end. False if it has no second factor.
    pub async fn replace_recovery_codes(
        &self,
        user: UserId,
        codes: &[TokenHash],
        at: Timestamp,
    ) -> Result<bool> {
        let change = self.begin_write().await?;
        if !has_any(&change, user).await? {
            return Ok(false);
        }
        replace_codes(&change, user, codes).await?;
        note_change(&change, user, FactorChange::NewCodes, at).await?;
        change.commit().await?;
        Ok(true)
    }

    /// Removes the authenticator app of an account, for its holder; false if it has none. With the
    /// last second factor its recovery codes go, too.
    pub async fn remove_second_factor(&self, user: UserId, at: Timestamp) -> Result<bool> {
        let change = self.begin_write().await?;
        let own = Entity::delete_many()
            .filter(Column::User.eq(user))
            .filter(Column::Confirmed.is_not_null());
        if own.exec(&change).await?.rows_affected == 0 {
            return Ok(false);
        }
        end_without_any(&change, user).await?;
        note_change(&change, user, FactorChange::Off, at).await?;
        change.commit().await?;
        Ok(true)
    }

    /// Removes the second factors of an account whose holder has lost them, for the operator; all
    /// sessions end. False if it has none.
    pub async fn reset_second_factor(&self, user: UserId, at: Timestamp) -> Result<bool> {
        let change = self.begin_write().await?;
        if !forget(&change, user).await? {
            return Ok(false);
        }
        sessions::end_sessions(&change, user, None).await?;
        known_browsers::forget_person(&change, user).await?;
        note_change(&change, user, FactorChange::Reset, at).await?;
        change.commit().await?;
        Ok(true)
    }
}

/// Whether an account has an app that was confirmed, or a passkey.
pub(crate) async fn has_any(place: &impl ConnectionTrait, user: UserId) -> Result<bool> {
    let own = Entity::find_by_id(user).one(place).await?;
    Ok(
        own.is_some_and(|own| own.confirmed.is_some())
            || passkey_rows::has_one(place, user).await?,
    )
}

/// Forgets a secret that nobody has confirmed, which was made before the account had a factor that had
/// to be given.
pub(crate) async fn forget_waiting(change: &Change, user: UserId) -> Result<()> {
    let waiting = Entity::delete_many().filter(Column::User.eq(user));
    let waiting = waiting.filter(Column::Confirmed.is_null());
    waiting.exec(change).await?;
    Ok(())
}

/// Removes the second factors of an account with its codes; whether one counted.
pub(crate) async fn forget(change: &Change, user: UserId) -> Result<bool> {
    let own = Entity::find_by_id(user).lock_exclusive();
    let own = own.one(change).await?;
    Entity::delete_by_id(user).exec(change).await?;
    replace_codes(change, user, &[]).await?;
    let had_passkeys = passkey_rows::forget(change, user).await?;
    Ok(had_passkeys || own.is_some_and(|own| own.confirmed.is_some()))
}

/// Removes the recovery codes of an account that has no second factor any more.
pub(crate) async fn end_without_any(change: &Change, user: UserId) -> Result<()> {
    match has_any(change, user).await? {
        true => Ok(()),
        false => replace_codes(change, user, &[]).await,
    }
}

pub(crate) async fn replace_codes(change: &Change, user: UserId, new: &[TokenHash]) -> Result<()> {
    delete_rows::<codes::Entity>(change, codes::Column::User.eq(user)).await?;
    let rows = new.iter().map(|hash| codes::ActiveModel {
        user: Set(user),
        hash: Set(hash.as_str().to_owned()),
    });
    insert_rows(change, &rows.collect::<Vec<_>>()).await
}

/// Writes the audit log and tells the holder, in the page and by mail.
pub(crate) async fn note_change(
    change: &Change,
    user: UserId,
    what: FactorChange,
    at: Timestamp,
) -> Result<()> {
    let subject = format!("user {user}");
    let action = AuditedAction::new(
        (what != FactorChange::Reset).then_some(user),
        format!("user.second-factor.{}", what.as_str()),
        subject,
        json!({}),
    );
    audit_log::write(change, action, at).await?;
    events::write(change, SecondFactorChanged { user, what }, at);
    Ok(())
}
