//! Passkeys: the public keys that an account's holder has registered, and the challenges that wait
//! for their answers.
//!
//! What a key or a state contains, only the server knows: it is text here. A challenge is taken
//! once, whether its answer is right or wrong, and by any server of the arena.

use crate::accounts::passkey_rows::forget_waiting;
use crate::accounts::{second_factors, sessions};
use crate::database::prelude::*;
use crate::events::kinds::FactorChange;
use crate::tables::passkeys::{ActiveModel, ChallengeKind, Column, Entity, Passkey, challenges};
use crate::{PasskeyId, SessionId, TokenHash, UserId, tables};

/// Passkeys of an account, at most.
pub const PASSKEYS: u64 = 20;

/// A challenge that waits for an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PasskeyChallenge {
    /// The hash of the challenge.
    pub hash: TokenHash,
    /// Whose passkey is to answer.
    pub user: UserId,
    /// What it is for.
    pub kind: ChallengeKind,
    /// What the server compares the answer with.
    pub state: String,
    /// Until when.
    pub until: Timestamp,
}

/// A passkey to be kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewPasskey {
    /// The account.
    pub user: UserId,
    /// What its holder calls it.
    pub name: String,
    /// What the authenticator calls it.
    pub credential: String,
    /// The public key.
    pub key: String,
    /// What changes when it is used.
    pub state: String,
}

/// What became of a passkey to be kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddedPasskey {
    /// It is the account's first second factor: recovery codes were kept, other sessions have ended.
    First,
    /// It is kept beside others.
    Another,
    /// Somebody has registered this credential already.
    Taken,
    /// The account has as many as it may have.
    TooMany,
}

impl Store {
    /// The passkeys of an account, oldest first.
    pub async fn passkeys_of(&self, user: UserId) -> Result<Vec<Passkey>> {
        let own = Entity::find().filter(Column::User.eq(user));
        Ok(own.order_by_asc(Column::Id).all(&self.readers).await?)
    }

    /// Keeps a challenge, and forgets those whose time is over.
    pub async fn keep_passkey_challenge(&self, new: PasskeyChallenge, at: Timestamp) -> Result<()> {
        let change = self.begin_write().await?;
        delete_rows::<challenges::Entity>(&change, challenges::Column::Until.lte(at)).await?;
        let row = challenges::ActiveModel {
            hash: Set(new.hash.as_str().to_owned()),
            user: Set(new.user),
            kind: Set(new.kind),
            state: Set(new.state),
            until: Set(new.until),
        };
        insert_row(&change, row).await?;
        Ok(change.commit().await?)
    }

    /// Takes a challenge of this account and kind, once: what the server compares the answer with.
    /// `None` if there is none, its time is over or somebody took it.
    pub async fn take_passkey_challenge(
        &self,
        hash: &TokenHash,
        (user, kind): (UserId, ChallengeKind),
        at: Timestamp,
    ) -> Result<Option<String>> {
        let change = self.begin_write().await?;
        let key = hash.as_str().to_owned();
        let waiting = challenges::Entity::find_by_id(key)
            .filter(challenges::Column::User.eq(user))
            .filter(challenges::Column::Kind.eq(kind))
            .filter(challenges::Column::Until.gt(at))
            .lock_exclusive();
        let Some(waiting) = waiting.one(&change).await? else {
            return Ok(None);
        };
        let taken = challenges::Entity::delete_by_id(waiting.hash);
        let taken = taken.exec(&change).await?;
        change.commit().await?;
        Ok((taken.rows_affected > 0).then_some(waiting.state))
    }

    /// Keeps a passkey that its holder has registered in the session `keep`. If it is the account's
    /// first second factor, these recovery codes count and all other sessions end.
    pub async fn add_passkey(
        &self,
        new: NewPasskey,
        codes: &[TokenHash],
        (keep, at): (SessionId, Timestamp),
    ) -> Result<AddedPasskey> {
        let change = self.begin_write().await?;
        let user = new.user;
        // One at a time, so that two cannot both be the first.
        let holder = tables::users::Entity::find_by_id(user).lock_exclusive();
        holder.one(&change).await?;
        let same = Entity::find().filter(Column::Credential.eq(&*new.credential));
        if same.one(&change).await?.is_some() {
            return Ok(AddedPasskey::Taken);
        }
        let own = Entity::find().filter(Column::User.eq(user));
        if own.count(&change).await? >= PASSKEYS {
            return Ok(AddedPasskey::TooMany);
        }
        let is_first = !second_factors::has_any(&change, user).await?;
        insert(&change, new, at).await?;
        if is_first {
            second_factors::forget_waiting(&change, user).await?;
            forget_waiting(&change, user).await?;
            second_factors::replace_codes(&change, user, codes).await?;
            sessions::end_sessions(&change, user, Some(keep)).await?;
        }
        second_factors::note_change(&change, user, FactorChange::PasskeyAdded, at).await?;
        change.commit().await?;
        Ok(match is_first {
            true => AddedPasskey::First,
            false => AddedPasskey::Another,
        })
    }

    /// Notes that somebody logged in with a passkey. False if its state is another one by now: two
    /// answers with the same count of signatures cannot both be right.
    pub async fn use_passkey(&self, seen: &Passkey, state: &str, at: Timestamp) -> Result<bool> {
        let change = self.begin_write().await?;
        let used = Entity::update_many()
            .col_expr(Column::State, Expr::value(state))
            .col_expr(Column::Used, Expr::value(Some(at)))
            .filter(Column::Id.eq(seen.id))
            .filter(Column::State.eq(&*seen.state))
            .exec(&change)
            .await?;
        change.commit().await?;
        Ok(used.rows_affected > 0)
    }

    /// Removes a passkey of an account, for its holder; with the last second factor its recovery
    /// codes go, too. False if it has no such passkey.
    pub async fn remove_passkey(&self, user: UserId, id: PasskeyId, at: Timestamp) -> Result<bool> {
        let change = self.begin_write().await?;
        let own = Condition::all().add(Column::Id.eq(id));
        if delete_rows::<Entity>(&change, own.add(Column::User.eq(user))).await? == 0 {
            return Ok(false);
        }
        second_factors::end_without_any(&change, user).await?;
        second_factors::note_change(&change, user, FactorChange::PasskeyRemoved, at).await?;
        change.commit().await?;
        Ok(true)
    }
}

async fn insert(change: &Change, new: NewPasskey, at: Timestamp) -> Result<()> {
    let row = ActiveModel {
        id: NotSet,
        user: Set(new.user),
        name: Set(new.name),
        credential: Set(new.credential),
        key: Set(new.key),
        state: Set(new.state),
        created: Set(at),
        used: Set(None),
    };
    insert_row(change, row).await
}
