//! Tokens for programs: of authors (command line) and of workers on other machines.

use std::time::Duration;

use sea_orm::ActiveValue::{NotSet, Set};
use sea_orm::entity::prelude::*;
use sea_orm::sea_query::ExprTrait;
use sea_orm::{DeleteMany, QueryOrder, QuerySelect};
use serde::{Deserialize, Serialize};

use crate::page::MOST;
use crate::{Store, StoreError, Timestamp, TokenHash, TokenId, User, UserId, users};

/// What a token opens.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, EnumIter, DeriveActiveEnum,
)]
#[serde(rename_all = "lowercase")]
#[sea_orm(
    rs_type = "String",
    db_type = "String(StringLen::None)",
    rename_all = "lowercase"
)]
pub enum TokenKind {
    /// What its person may do, but for passwords and tokens.
    Author,
    /// The jobs.
    Worker,
}

/// What an author's token may do besides reading what its person may read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TokenScope {
    /// Send in bots and versions, and change them.
    Submit,
    /// Play, and ask for matches.
    Play,
    /// Administer the arena, if its person may.
    Admin,
}

impl TokenScope {
    /// As it is stored and sent.
    pub fn word(self) -> &'static str {
        match self {
            TokenScope::Submit => "submit",
            TokenScope::Play => "play",
            TokenScope::Admin => "admin",
        }
    }
}

/// What a token may do: words separated by spaces.
#[derive(Clone, Debug, Default, PartialEq, Eq, DeriveValueType)]
pub struct TokenScopes(String);

impl TokenScopes {
    /// These.
    pub fn of(scopes: &[TokenScope]) -> TokenScopes {
        let all = [TokenScope::Submit, TokenScope::Play, TokenScope::Admin];
        let chosen = all
            .into_iter()
            .filter(|scope| scopes.contains(scope))
            .map(TokenScope::word);
        TokenScopes(chosen.collect::<Vec<&str>>().join(" "))
    }

    /// Whether this is among them.
    pub fn has(&self, scope: TokenScope) -> bool {
        self.words().any(|word| word == scope.word())
    }

    /// Their words.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        self.0.split_whitespace()
    }
}

/// A token for programs.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "api_tokens")]
pub struct Model {
    /// The key.
    #[sea_orm(primary_key)]
    pub id: TokenId,
    /// Whose; nothing for a worker's that was made on the server's command line.
    pub user: Option<UserId>,
    /// What it opens.
    pub kind: TokenKind,
    /// What its person calls it.
    pub name: String,
    /// Of the token, which is shown once.
    pub hash: TokenHash,
    /// When it was made.
    pub created: Timestamp,
    /// When it was last used, to the minute.
    pub used: Option<Timestamp>,
    /// What it may do; nothing for a worker's, which may do what workers do.
    pub scopes: TokenScopes,
    /// When it ends by itself.
    pub until: Option<Timestamp>,
}

/// Which tables it is joined with.
#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {
    /// Whose.
    #[sea_orm(
        belongs_to = "users::Entity",
        from = "Column::User",
        to = "users::Column::Id"
    )]
    User,
}

impl Related<users::Entity> for Entity {
    fn to() -> RelationDef {
        Relation::User.def()
    }
}

impl ActiveModelBehavior for ActiveModel {}

pub use Model as ApiToken;

/// A token to be made.
#[derive(Clone, Debug)]
pub struct NewToken {
    /// Whose.
    pub user: Option<UserId>,
    /// What it opens.
    pub kind: TokenKind,
    /// What its person calls it.
    pub name: String,
    /// Of the token.
    pub hash: TokenHash,
    /// What it may do.
    pub scopes: TokenScopes,
    /// When it ends by itself.
    pub until: Option<Timestamp>,
}

impl Store {
    /// Makes a token.
    pub async fn create_token(&self, new: NewToken, at: Timestamp) -> Result<ApiToken, StoreError> {
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
        let made = token.insert(&change).await?;
        change.commit().await?;
        Ok(made)
    }

    /// The tokens of an author, newest first (at most 100).
    pub async fn tokens_of(&self, user: UserId) -> Result<Vec<ApiToken>, StoreError> {
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
    pub async fn worker_tokens(&self) -> Result<Vec<ApiToken>, StoreError> {
        let theirs = Entity::find().filter(Column::Kind.eq(TokenKind::Worker));
        Ok(theirs
            .order_by_desc(Column::Id)
            .limit(MOST)
            .all(&self.readers)
            .await?)
    }

    /// The token and its person; nothing if it is unknown, revoked, at its end, or its person is
    /// locked out. Notes when it was used.
    pub async fn find_token(
        &self,
        hash: &TokenHash,
        at: Timestamp,
    ) -> Result<Option<(ApiToken, Option<User>)>, StoreError> {
        let living = Column::Until.is_null().or(Column::Until.gt(at));
        let known = Entity::find()
            .filter(Column::Hash.eq(hash.clone()))
            .filter(living);
        let Some((token, user)) = known
            .find_also_related(users::Entity)
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
                ..<ActiveModel as ActiveModelTrait>::default()
            };
            let change = self.begin_write().await?;
            Entity::update_many()
                .set(now)
                .filter(Column::Id.eq(token.id))
                .exec(&change)
                .await?;
            change.commit().await?;
        }
        Ok(Some((token, user)))
    }

    /// Revokes an author's token; [`StoreError::Missing`] if it is not this author's.
    pub async fn revoke_token(&self, id: TokenId, user: UserId) -> Result<(), StoreError> {
        let mine = Entity::delete_many()
            .filter(Column::Id.eq(id))
            .filter(Column::User.eq(user));
        self.delete_token_row(mine.filter(Column::Kind.eq(TokenKind::Author)), id)
            .await
    }

    /// Revokes a worker's token.
    pub async fn revoke_worker_token(&self, id: TokenId) -> Result<(), StoreError> {
        let theirs = Entity::delete_many()
            .filter(Column::Id.eq(id))
            .filter(Column::Kind.eq(TokenKind::Worker));
        self.delete_token_row(theirs, id).await
    }

    async fn delete_token_row(
        &self,
        these: DeleteMany<Entity>,
        id: TokenId,
    ) -> Result<(), StoreError> {
        let change = self.begin_write().await?;
        let revoked = these.exec(&change).await?.rows_affected;
        change.commit().await?;
        check_revoked(revoked, id)
    }
}

fn check_revoked(rows: u64, id: TokenId) -> Result<(), StoreError> {
    if rows == 0 {
        Err(StoreError::row_missing("token", id))
    } else {
        Ok(())
    }
}
