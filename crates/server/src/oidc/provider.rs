//! Talks to one provider: its addresses, its keys, and the exchange of a code for a token.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::jwk::Jwk;
use leitai_store::Timestamp;
use reqwest::header::{ACCEPT, CONTENT_TYPE};
use reqwest::redirect::Policy;
use reqwest::{Client, RequestBuilder, StatusCode, Url};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use sha2::{Digest, Sha256};
use tokio::sync::Mutex;

use super::config::{ProviderConfig, is_protected};
use super::sign_in::{Person, SignInProblem, SignInSecrets};
use super::token::{Expected, PersonClaims, has_key, read_token};

/// The longest time that a provider may take for one answer.
const PATIENCE: Duration = Duration::from_secs(10);
/// Bytes of an answer.
const LONGEST: usize = 256 << 10;
/// How long a provider's addresses and keys are kept.
const FRESH: Duration = Duration::from_secs(3600);
/// The least time between two looks for a key that is not known.
const LOOK: Duration = Duration::from_secs(30);

/// A provider that people sign in with.
pub struct Provider {
    config: ProviderConfig,
    /// Where it sends people back.
    redirect: String,
    client: Client,
    known: Mutex<Option<Known>>,
}

/// What was learnt of a provider.
#[derive(Clone)]
struct Known {
    metadata: Metadata,
    keys: Vec<Jwk>,
    at: Timestamp,
    keys_at: Timestamp,
}

#[derive(Clone, Deserialize)]
struct Metadata {
    issuer: String,
    #[serde(deserialize_with = "read_url")]
    authorization_endpoint: Url,
    #[serde(deserialize_with = "read_url")]
    token_endpoint: Url,
    #[serde(deserialize_with = "read_url")]
    jwks_uri: Url,
    #[serde(default)]
    userinfo_endpoint: Option<String>,
    #[serde(default)]
    token_endpoint_auth_methods_supported: Vec<String>,
}

#[derive(Deserialize)]
struct KeySet {
    keys: Vec<Value>,
}

#[derive(Deserialize)]
struct Tokens {
    id_token: String,
    access_token: String,
}

fn read_url<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Url, D::Error> {
    let text = String::deserialize(from)?;
    Url::parse(&text).map_err(serde::de::Error::custom)
}

impl std::fmt::Debug for Provider {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.config.fmt(f)
    }
}

impl Provider {
    /// A provider that sends people back to this arena; nothing is asked of it yet.
    pub(super) fn new(config: ProviderConfig, origin: &str) -> reqwest::Result<Provider> {
        // It may be installed already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder()
            .user_agent(concat!("Leitai/", env!("CARGO_PKG_VERSION")))
            .redirect(Policy::none())
            .timeout(PATIENCE)
            .build()?;
        Ok(Provider {
            redirect: format!("{origin}/sign-in/{}", config.id),
            config,
            client,
            known: Mutex::default(),
        })
    }

    /// What the operator wrote.
    pub fn config(&self) -> &ProviderConfig {
        &self.config
    }

    /// The address at the provider to which a browser is sent.
    pub async fn begin_sign_in(
        &self,
        state: &str,
        secrets: &SignInSecrets,
        now: Timestamp,
    ) -> Result<String, SignInProblem> {
        let known = self.learn(now).await?;
        let mut url = known.metadata.authorization_endpoint;
        let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(secrets.verifier.as_bytes()));
        url.query_pairs_mut()
            .append_pair("response_type", "code")
            .append_pair("client_id", &self.config.client)
            .append_pair("redirect_uri", &self.redirect)
            .append_pair("scope", &self.config.scopes.join(" "))
            .append_pair("state", state)
            .append_pair("nonce", &secrets.nonce)
            .append_pair("code_challenge", &challenge)
            .append_pair("code_challenge_method", "S256");
        Ok(url.into())
    }

    /// Who came back with this code.
    pub async fn finish_sign_in(
        &self,
        code: &str,
        secrets: &SignInSecrets,
        now: Timestamp,
    ) -> Result<Person, SignInProblem> {
        let mut known = self.learn(now).await?;
        let tokens = self.exchange_code(&known.metadata, code, secrets).await?;
        if !has_key(&known.keys, &tokens.id_token) {
            known = self.learn_keys(now).await?;
        }
        let expected = Expected {
            issuer: &self.config.issuer,
            client: &self.config.client,
            nonce: &secrets.nonce,
            now,
        };
        let mut claims = read_token(&tokens.id_token, &known.keys, &expected)?;
        let lacks_address = !self.config.domains.is_empty() && claims.email.is_none();
        if claims.preferred_username.is_none() || lacks_address {
            self.complete_claims(&known.metadata, &tokens.access_token, &mut claims)
                .await;
        }
        if !self.admits(&claims) {
            return Err(SignInProblem::Domain);
        }
        Ok(Person {
            issuer: self.config.issuer.clone(),
            subject: claims.subject,
            wanted_name: claims.preferred_username.or(claims.email),
        })
    }

    /// Whether the operator's restriction to domains lets this person in.
    fn admits(&self, claims: &PersonClaims) -> bool {
        if self.config.domains.is_empty() {
            return true;
        }
        let domain = claims.email.as_deref().and_then(|own| own.rsplit_once('@'));
        domain.is_some_and(|(_, domain)| {
            claims.email_verified && self.config.domains.contains(&domain.to_lowercase())
        })
    }

    async fn exchange_code(
        &self,
        metadata: &Metadata,
        code: &str,
        secrets: &SignInSecrets,
    ) -> Result<Tokens, SignInProblem> {
        let mut form = vec![
            ("grant_type", "authorization_code"),
            ("code", code),
            ("redirect_uri", &self.redirect),
            ("code_verifier", &secrets.verifier),
        ];
        let methods = &metadata.token_endpoint_auth_methods_supported;
        let has = |method: &str| methods.iter().any(|own| own == method);
        let in_form = has("client_secret_post") && !has("client_secret_basic");
        let request = self.client.post(metadata.token_endpoint.clone());
        let request = match &self.config.secret {
            Some(secret) if in_form => {
                form.extend([
                    ("client_id", &*self.config.client),
                    ("client_secret", secret),
                ]);
                request
            }
            Some(secret) => {
                let encoded = [&self.config.client, secret].map(|text| encode_form(&[("", text)]));
                // Without the `=` before it.
                request.basic_auth(&encoded[0][1..], Some(&encoded[1][1..]))
            }
            None => {
                form.push(("client_id", &self.config.client));
                request
            }
        };
        let request = request
            .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(encode_form(&form));
        self.ask(request).await
    }

    /// Asks for the claims that the token lacks. Without an answer they are left out.
    async fn complete_claims(&self, metadata: &Metadata, access: &str, claims: &mut PersonClaims) {
        let endpoint = metadata.userinfo_endpoint.as_deref();
        let endpoint = endpoint.and_then(|endpoint| Url::parse(endpoint).ok());
        let Some(endpoint) = endpoint.filter(is_protected) else {
            return;
        };
        let request = self.client.get(endpoint).bearer_auth(access);
        let Ok(more) = self.ask::<PersonClaims>(request).await else {
            return;
        };
        // The answer to an access token that was swapped would be about somebody else.
        if more.subject == claims.subject {
            claims.preferred_username =
                claims.preferred_username.take().or(more.preferred_username);
            if claims.email.is_none() {
                (claims.email, claims.email_verified) = (more.email, more.email_verified);
            }
        }
    }

    /// The provider's addresses and keys, asked for once an hour.
    async fn learn(&self, now: Timestamp) -> Result<Known, SignInProblem> {
        let mut known = self.known.lock().await;
        if let Some(known) = &*known
            && now < known.at.after(FRESH)
        {
            return Ok(known.clone());
        }
        let base = self.config.issuer.trim_end_matches('/');
        let url = Url::parse(&format!("{base}/.well-known/openid-configuration"))
            .map_err(|_| SignInProblem::Unreachable)?;
        let metadata: Metadata = self.ask(self.client.get(url)).await?;
        if metadata.issuer != self.config.issuer {
            tracing::warn!(
                provider = self.config.id,
                "its configuration names the issuer {:?}; the file says {:?}: write it exactly so",
                metadata.issuer,
                self.config.issuer
            );
            return Err(SignInProblem::Issuer);
        }
        let addresses = [
            &metadata.authorization_endpoint,
            &metadata.token_endpoint,
            &metadata.jwks_uri,
        ];
        if !addresses.into_iter().all(is_protected) {
            tracing::warn!(provider = self.config.id, "an address of it is not https");
            return Err(SignInProblem::Answer("not-https"));
        }
        let fresh = Known {
            keys: self.ask_keys(&metadata).await?,
            metadata,
            at: now,
            keys_at: now,
        };
        Ok(known.insert(fresh).clone())
    }

    /// Asks for the keys again, unless that was done just now: a provider changes them at times.
    async fn learn_keys(&self, now: Timestamp) -> Result<Known, SignInProblem> {
        let mut known = self.known.lock().await;
        let Some(known) = &mut *known else {
            return Err(SignInProblem::Signature);
        };
        if now >= known.keys_at.after(LOOK) {
            known.keys = self.ask_keys(&known.metadata).await?;
            known.keys_at = now;
        }
        Ok(known.clone())
    }

    async fn ask_keys(&self, metadata: &Metadata) -> Result<Vec<Jwk>, SignInProblem> {
        let set: KeySet = self.ask(self.client.get(metadata.jwks_uri.clone())).await?;
        // Keys of kinds that are not known here are skipped.
        let keys = set
            .keys
            .into_iter()
            .filter_map(|key| serde_json::from_value(key).ok());
        Ok(keys.collect())
    }

    /// Sends a request and reads the answer, which is bounded.
    async fn ask<T: DeserializeOwned>(&self, request: RequestBuilder) -> Result<T, SignInProblem> {
        let unreachable = |error: reqwest::Error| {
            // Without the address: it may have secrets in it.
            let error = error.without_url();
            tracing::warn!(provider = self.config.id, %error, "the provider did not answer");
            SignInProblem::Unreachable
        };
        let request = request.header(ACCEPT, "application/json");
        let mut answer = request.send().await.map_err(unreachable)?;
        let status = answer.status();
        let mut bytes = Vec::new();
        while let Some(more) = answer.chunk().await.map_err(unreachable)? {
            bytes.extend_from_slice(&more);
            if bytes.len() > LONGEST {
                return Err(SignInProblem::Answer("too-long"));
            }
        }
        if status != StatusCode::OK {
            let error: Value = serde_json::from_slice(&bytes).unwrap_or_default();
            let word = error["error"].as_str().unwrap_or_default();
            let word: String = word
                .chars()
                .filter(|c| c.is_ascii_graphic())
                .take(60)
                .collect();
            tracing::warn!(provider = self.config.id, %status, word, "the provider refused");
            return Err(match status.is_server_error() {
                true => SignInProblem::Unreachable,
                false => SignInProblem::Answer("refused"),
            });
        }
        serde_json::from_slice(&bytes).map_err(|_| SignInProblem::Answer("unreadable"))
    }
}

/// A form as HTML sends it.
pub fn encode_form(pairs: &[(&str, &str)]) -> String {
    let mut url = Url::parse("http://form/").expect("an address");
    url.query_pairs_mut().extend_pairs(pairs);
    url.query().unwrap_or_default().to_owned()
}
