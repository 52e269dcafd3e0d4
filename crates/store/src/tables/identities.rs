//! The tables `identities`, `sign_ins` and `newcomers`.

use sea_orm::entity::prelude::*;

use crate::{IdentityId, Timestamp, UserId};

/// A person's account at a provider, and the account here that it opens.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "identities")]
pub struct Model {
    /// The key.
    #[sea_orm(primary_key)]
    pub id: IdentityId,
    /// The account.
    pub user: UserId,
    /// The provider's issuer, exactly as its tokens name it.
    pub issuer: String,
    /// The person, in the provider's terms.
    pub subject: String,
    /// The id of the provider in the operator's file when the identity was linked.
    pub provider: String,
    /// When it was linked.
    pub created: Timestamp,
    /// When somebody last signed in with it.
    pub used: Timestamp,
}

relations!();

pub use Model as Identity;

/// Table of sign-ins that are under way.
pub(crate) mod sign_ins {
    use sea_orm::entity::prelude::*;

    use crate::{Timestamp, TokenHash, UserId};

    /// A browser that was sent to a provider and is expected back.
    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "sign_ins")]
    pub struct Model {
        /// The hash of the state, which the provider hands back.
        #[sea_orm(primary_key, auto_increment = false)]
        pub state: String,
        /// The hash of the browser's cookie.
        pub browser: TokenHash,
        /// The id of the provider.
        pub provider: String,
        /// The page to which the person returns.
        pub return_to: String,
        /// The account that is to be linked; `None` to sign in.
        pub user: Option<UserId>,
        /// Until when it may come back.
        pub until: Timestamp,
    }

    relations!();
}

pub use sign_ins::Model as SignIn;

/// Table of people who have signed in for the first time and have no account yet.
pub(crate) mod newcomers {
    use sea_orm::entity::prelude::*;

    use crate::Timestamp;

    /// A person who has signed in for the first time and has yet to choose a name.
    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "newcomers")]
    pub struct Model {
        /// The hash of the browser's cookie.
        #[sea_orm(primary_key, auto_increment = false)]
        pub browser: String,
        /// The id of the provider.
        pub provider: String,
        /// The provider's issuer.
        pub issuer: String,
        /// The person, in the provider's terms.
        pub subject: String,
        /// The name that is proposed; empty for none.
        pub name: String,
        /// The page to which the person returns.
        pub return_to: String,
        /// Until when a name may be chosen.
        pub until: Timestamp,
    }

    relations!();
}

pub use newcomers::Model as Newcomer;
