//! The keys with which the arena signs replays. They lie in the database, because all servers sign
//! with the same one, and a backup of the database is a backup of them.

use std::fmt;

use serde_json::json;

use crate::AuditedAction;
use crate::database::audit_log;
use crate::database::prelude::*;
use crate::tables::signing_keys::{ActiveModel, Column, Entity, SigningKey};

/// A pair of keys to be added.
#[derive(Clone)]
pub struct NewSigningKey {
    /// The public key: 64 hexadecimal digits.
    pub public: String,
    /// The private key.
    pub secret: String,
}

impl fmt::Debug for SigningKey {
    /// Without the private key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SigningKey")
            .field("public", &self.public)
            .field("retired", &self.retired)
            .field("revoked", &self.revoked)
            .finish_non_exhaustive()
    }
}

impl SigningKey {
    /// Whether the arena signs with it.
    fn is_active(&self) -> bool {
        self.retired.is_none() && self.revoked.is_none()
    }
}

impl Store {
    /// All keys, newest first.
    pub async fn signing_keys(&self) -> Result<Vec<SigningKey>> {
        let all = Entity::find().order_by_desc(Column::Id);
        Ok(all.all(&self.readers).await?)
    }

    /// The key with which the arena signs now. If there is none, `make` gives one. An address that
    /// is given is kept as the arena's.
    pub async fn current_signing_key(
        &self,
        make: impl FnOnce() -> NewSigningKey,
        arena: Option<&str>,
        at: Timestamp,
    ) -> Result<SigningKey> {
        let all = self.signing_keys().await?;
        let current = all.into_iter().find(SigningKey::is_active);
        let is_known = |key: &SigningKey| arena.is_none() || key.arena.as_deref() == arena;
        if let Some(key) = current.filter(is_known) {
            return Ok(key);
        }
        let change = self.begin_write().await?;
        let newest = Entity::find()
            .order_by_desc(Column::Id)
            .all(&change)
            .await?;
        let known = newest.into_iter().find(SigningKey::is_active);
        let mut key = match known {
            Some(key) => key,
            None => insert_key(&change, make(), at).await?,
        };
        if let Some(arena) = arena {
            let update = Entity::update_many()
                .col_expr(Column::Arena, Expr::value(arena))
                .filter(Column::Id.eq(key.id));
            update.exec(&change).await?;
            key.arena = Some(arena.to_owned());
        }
        change.commit().await?;
        Ok(key)
    }

    /// Signs with a new key from now on. What the earlier ones signed stays valid.
    pub async fn rotate_signing_key(
        &self,
        new: NewSigningKey,
        at: Timestamp,
    ) -> Result<SigningKey> {
        let change = self.begin_write().await?;
        let retire = Entity::update_many()
            .col_expr(Column::Retired, Expr::value(at))
            .filter(Column::Retired.is_null());
        retire.exec(&change).await?;
        let key = insert_key(&change, new, at).await?;
        change.commit().await?;
        Ok(key)
    }

    /// Nobody is to trust what this key signed, at whatever time. The next signature is by another
    /// key.
    ///
    /// # Errors
    /// If there is no such key, or the database fails.
    pub async fn revoke_signing_key(&self, public: &str, why: &str, at: Timestamp) -> Result<()> {
        let change = self.begin_write().await?;
        let revoke = Entity::update_many()
            .col_expr(Column::Revoked, Expr::value(at))
            .col_expr(Column::Why, Expr::value(why))
            .filter(Column::Public.eq(public));
        if revoke.exec(&change).await?.rows_affected == 0 {
            return Err(StoreError::row_missing("signing key", public));
        }
        audit(&change, "signing-key.revoke", public, at).await?;
        Ok(change.commit().await?)
    }
}

async fn insert_key(change: &Change, new: NewSigningKey, at: Timestamp) -> Result<SigningKey> {
    let row = ActiveModel {
        id: NotSet,
        public: Set(new.public),
        secret: Set(new.secret),
        arena: Set(None),
        created: Set(at),
        retired: Set(None),
        revoked: Set(None),
        why: Set(None),
    };
    let key = row.insert(change).await?;
    audit(change, "signing-key.create", &key.public, at).await?;
    Ok(key)
}

async fn audit(change: &Change, action: &str, public: &str, at: Timestamp) -> Result<()> {
    let subject = format!("signing key {public}");
    let action = AuditedAction::new(None, action, subject, json!({}));
    audit_log::write(change, action, at).await
}
