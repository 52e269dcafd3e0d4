//! The table `api_tokens`.

use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};

use crate::{Timestamp, TokenHash, TokenId, UserId};

/// The kind of a token.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, EnumIter, DeriveActiveEnum,
)]
#[serde(rename_all = "lowercase")]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "lowercase")]
pub enum TokenKind {
    /// For an author: everything the user may do, except for passwords and tokens.
    Author,
    /// For a worker: the job API.
    Worker,
}

/// The rights of an author's token beyond reading what the user may read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TokenScope {
    /// Upload and change bots and versions.
    Submit,
    /// Play and create matches.
    Play,
    /// Manage the groups that the user organises.
    Organise,
    /// Add and change games, if the user may.
    Games,
    /// Administer the arena, if the user may.
    Admin,
}

impl TokenScope {
    /// The name in the database and in the API.
    pub fn as_str(self) -> &'static str {
        match self {
            TokenScope::Submit => "submit",
            TokenScope::Play => "play",
            TokenScope::Organise => "organise",
            TokenScope::Games => "games",
            TokenScope::Admin => "admin",
        }
    }
}

/// The scopes of a token: names separated by spaces.
#[derive(Clone, Debug, Default, PartialEq, Eq, DeriveValueType)]
pub struct TokenScopes(String);

impl TokenScopes {
    /// Joins scopes.
    pub fn from_scopes(scopes: &[TokenScope]) -> TokenScopes {
        let all = [
            TokenScope::Submit,
            TokenScope::Play,
            TokenScope::Organise,
            TokenScope::Games,
            TokenScope::Admin,
        ];
        let chosen = all
            .into_iter()
            .filter(|scope| scopes.contains(scope))
            .map(TokenScope::as_str);
        TokenScopes(chosen.collect::<Vec<&str>>().join(" "))
    }

    /// Whether it contains this scope.
    pub fn has(&self, scope: TokenScope) -> bool {
        self.words().any(|word| word == scope.as_str())
    }

    /// The names of the scopes.
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
    /// The user; `None` for a worker token that was created on the server's command line.
    pub user: Option<UserId>,
    /// The kind.
    pub kind: TokenKind,
    /// The name that the user gave it.
    pub name: String,
    /// The hash of the token. The token itself is shown once.
    pub hash: TokenHash,
    /// When it was created.
    pub created: Timestamp,
    /// When it was last used, to the minute.
    pub used: Option<Timestamp>,
    /// The scopes; empty for a worker token.
    pub scopes: TokenScopes,
    /// When it expires.
    pub until: Option<Timestamp>,
}

relations!(related User: User = users.Id);

pub use Model as ApiToken;
