//! Who asks: accounts, sessions, API tokens, and how often they may.
//!
//! | module | noun |
//! |---|---|
//! | [`caller`] | who asks, from a session's cookie or a bearer token: the extractors [`Caller`], [`SignedInUser`], [`SignedInAdmin`] |
//! | [`secret`] | tokens that are sent once and stored as their SHA-256 |
//! | [`password`] | argon2id, a few at a time |
//! | [`names`] | which names accounts and bots may have |
//! | [`limiter`] | how often |
//! | [`accounts`] | routes: register, log in, log out, who am I, password |
//! | [`tokens`] | routes: API tokens |

pub mod accounts;
pub mod caller;
pub mod limiter;
pub mod names;
pub mod password;
pub mod secret;
pub mod tokens;

use utoipa_axum::router::OpenApiRouter;

use crate::app::App;

pub use caller::{Caller, SignedInAdmin, SignedInUser};
pub use limiter::{ClientAddress, RateLimiters};

/// Routes of accounts and API tokens.
pub fn auth_routes() -> OpenApiRouter<App> {
    accounts::account_routes().merge(tokens::token_routes())
}
