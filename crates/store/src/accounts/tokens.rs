//! API tokens: of authors (command line) and of workers on other machines.

use std::time::Duration;

use sea_orm::DeleteMany;
use sea_orm::sea_query::ExprTrait;

use crate::database::prelude::*;
use crate::tables::tokens::{ActiveModel, ApiToken, Column, Entity, TokenKind, TokenScopes};
use crate::values::page::MOST;
use crate::{TokenHash, TokenId, User, UserId, tables};

/// The most API tokens of a user.
const MOST_TOKENS: u64 = 50;

/// A token to be created.
#[derive(Clone, Debug)]
pub struct NewToken {
    /// The user.
    pub user: Option<UserId>,
    /// The kind.
    pub kind: TokenKind,
    /// The name that the user gave it.
    pub name: String,
    /// The hash of the token.
    pub hash: TokenHash,
    /// The scopes.
    pub scopes: TokenScopes,
    /// When it expires.
    pub until: Option<Timestamp>,
}

impl Store {
    /// Creates a token. [`StoreError::Refused`] if it is an author's who has 50 already.
    pub async fn create_token(&self, new: NewToken, at: Timestamp) -> Result<ApiToken> {
        let token = ActiveModel {
            id: NotSet,
            user: Set(new.user),
            kind: Set(new.kind),
            name: Set(new.name),
            hash: Set(new.hash),
            created: Set(at),
            used: Set(None),
            scopes: Set(new.scopes),
            until: Set(new.until),
        };
        let change = self.begin_write().await?;
        if let (TokenKind::Author, Some(user)) = (new.kind, new.user) {
            check_room(&change, user).await?;
        }
        let made = token.insert(&change).await?;
        change.commit().await?;
        Ok(made)
    }

    /// The tokens of a user, newest first (at most 100).
    pub async fn tokens_of(&self, user: UserId) -> Result<Vec<ApiToken>> {
        let mine = Entity::find()
            .filter(Column::User.eq(user))
            .filter(Column::Kind.eq(TokenKind::Author));
        Ok(mine
            .order_by_desc(Column::Id)
            .limit(MOST)
            .all(&self.readers)
            .await?)
    }

    /// The tokens of workers, newest first (at most 100).
    pub async fn worker_tokens(&self) -> Result<Vec<ApiToken>> {
        let theirs = Entity::find().filter(Column::Kind.eq(TokenKind::Worker));
        Ok(theirs
            .order_by_desc(Column::Id)
            .limit(MOST)
            .all(&self.readers)
            .await?)
    }

    /// The token and its user; `None` if it is unknown, revoked or expired, or if the user is
    /// locked out. Records the time of use.
    pub async fn find_token(
        &self,
        hash: &TokenHash,
        at: Timestamp,
    ) -> Result<Option<(ApiToken, Option<User>)>> {
        let living = Column::Until.is_null().or(Column::Until.gt(at));
        let known = Entity::find()
            .filter(Column::Hash.eq(hash.clone()))
            .filter(living);
        let Some((token, user)) = known
            .find_also_related(tables::users::Entity)
            .one(&self.readers)
            .await?
        else {
            return Ok(None);
        };
        if user.as_ref().is_some_and(|user| user.disabled) {
            return Ok(None);
        }
        if token
            .used
            .is_none_or(|used| at.since(used) >= Duration::from_secs(60))
        {
            let now = ActiveModel {
                used: Set(Some(at)),
                ..Default::default()
            };
            let change = self.begin_write().await?;
            update_rows(&change, Column::Id.eq(token.id), now).await?;
            change.commit().await?;
        }
        Ok(Some((token, user)))
    }

    /// Revokes a user's token; [`StoreError::Missing`] if it is not this user's.
    pub async fn revoke_token(&self, id: TokenId, user: UserId) -> Result<()> {
        let mine = Entity::delete_many()
            .filter(Column::Id.eq(id))
            .filter(Column::User.eq(user));
        self.delete_token_row(mine.filter(Column::Kind.eq(TokenKind::Author)), id)
            .await
    }

    /// Revokes all API tokens of a user; returns their number. Tokens of workers stay.
    pub async fn revoke_tokens(&self, user: UserId) -> Result<u64> {
        let change = self.begin_write().await?;
        let revoked = revoke_all(&change, user).await?;
        change.commit().await?;
        Ok(revoked)
    }

    /// Revokes a worker's token.
    pub async fn revoke_worker_token(&self, id: TokenId) -> Result<()> {
        let theirs = Entity::delete_many()
            .filter(Column::Id.eq(id))
            .filter(Column::Kind.eq(TokenKind::Worker));
        self.delete_token_row(theirs, id).await
    }

    async fn delete_token_row(&self, these: DeleteMany<Entity>, id: TokenId) -> Result<()> {
        let change = self.begin_write().await?;
        let revoked = these.exec(&change).await?.rows_affected;
        change.commit().await?;
        check_revoked(revoked, id)
    }
}

/// Refuses another token to who has as many as one may have; two at the same time wait for each other.
async fn check_room(change: &Change, user: UserId) -> Result<()> {
    let own = tables::users::Entity::find_by_id(user);
    if own.lock_exclusive().one(change).await?.is_none() {
        return Err(StoreError::row_missing("user", user));
    }
    let mine = Entity::find()
        .filter(Column::User.eq(user))
        .filter(Column::Kind.eq(TokenKind::Author));
    match mine.count(change).await? < MOST_TOKENS {
        true => Ok(()),
        false => Err(StoreError::Refused(format!(
            "there are {MOST_TOKENS} tokens already; revoke one first"
        ))),
    }
}

/// Revokes all API tokens of a user. Tokens of workers stay: they are the arena's.
pub(crate) async fn revoke_all(change: &Change, user: UserId) -> Result<u64> {
    let mine = Entity::delete_many()
        .filter(Column::User.eq(user))
        .filter(Column::Kind.eq(TokenKind::Author));
    Ok(mine.exec(change).await?.rows_affected)
}

fn check_revoked(rows: u64, id: TokenId) -> Result<()> {
    if rows == 0 {
        Err(StoreError::row_missing("token", id))
    } else {
        Ok(())
    }
}
