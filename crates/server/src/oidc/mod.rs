//! Sign in by OpenID Connect: the authorization code flow with PKCE.
//!
//! | file | content |
//! |---|---|
//! | [`config`] | the operator's file of providers |
//! | [`provider`] | talks to one provider |
//! | `sign_in` | a person, the secrets of a sign-in, and why it failed |
//! | `token` | reads ID tokens |
//!
//! Nonce and PKCE verifier are derived from the state and from a secret that only the browser's
//! cookie has: whoever reads the database can finish nobody's sign-in.

pub mod config;
pub mod provider;
mod sign_in;
mod token;

use std::sync::Arc;

use config::ProviderConfig;
use provider::Provider;
pub use sign_in::{Person, SignInProblem, SignInSecrets, make_state};

/// The providers of an arena. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct Providers(Arc<Vec<Provider>>);

impl Providers {
    /// The providers of the operator's file; `origin` is the arena's public URL.
    pub fn new(configs: Vec<ProviderConfig>, origin: &str) -> reqwest::Result<Providers> {
        let origin = origin.trim_end_matches('/');
        let made = configs
            .into_iter()
            .map(|config| Provider::new(config, origin));
        Ok(Providers(Arc::new(made.collect::<Result<_, _>>()?)))
    }

    /// All of them, in the order of the file.
    pub fn list(&self) -> impl Iterator<Item = &Provider> {
        self.0.iter()
    }

    /// The provider with this id.
    pub fn find(&self, id: &str) -> Option<&Provider> {
        self.list().find(|own| own.config().id == id)
    }
}
