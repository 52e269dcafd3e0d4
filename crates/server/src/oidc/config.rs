//! The operator's file of providers.

use std::collections::HashSet;
use std::net::IpAddr;
use std::path::{Path, PathBuf};

use reqwest::Url;
use serde::Deserialize;

use crate::operator_file::{OperatorFileError, read_operator_file};

/// Bytes of the file, and of a file with a secret.
const LONGEST: u64 = 64 << 10;
/// Characters of the id of a provider.
const ID: std::ops::RangeInclusive<usize> = 1..=32;
/// Characters of the name of a provider.
const NAME: std::ops::RangeInclusive<usize> = 1..=40;

/// A provider of the operator's file, checked.
#[derive(Clone)]
pub struct ProviderConfig {
    /// Its id, a part of the address to which it sends people back.
    pub id: String,
    /// Its name for people.
    pub name: String,
    /// Its Chinese name; `None` where it is the same.
    pub name_zh: Option<String>,
    /// The issuer, exactly as written: tokens name it so.
    pub issuer: String,
    /// What this arena is called there.
    pub client: String,
    /// The secret of this arena there; `None` for a public client.
    pub secret: Option<String>,
    /// What is asked for.
    pub scopes: Vec<String>,
    /// Whether people who have no account yet get one; `None`: as everybody else here.
    pub register: Option<bool>,
    /// Only people with a verified address in one of these domains; empty: everybody.
    pub domains: Vec<String>,
}

impl std::fmt::Debug for ProviderConfig {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let secret = self.secret.as_ref().map(|_| "…");
        f.debug_struct("ProviderConfig")
            .field("id", &self.id)
            .field("issuer", &self.issuer)
            .field("client", &self.client)
            .field("secret", &secret)
            .finish_non_exhaustive()
    }
}

/// What the operator wrote cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum OidcConfigError {
    /// The file, or one with a secret, cannot be read.
    #[error(transparent)]
    File(#[from] OperatorFileError),
    /// The file is not one of providers.
    #[error("{0}")]
    Syntax(String),
    /// A provider is wrong.
    #[error("provider {provider}: {problem}")]
    Provider {
        /// Its id as it was written.
        provider: String,
        /// What is wrong, and what to do.
        problem: String,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileText {
    #[serde(default, rename = "provider")]
    providers: Vec<ProviderText>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ProviderText {
    id: String,
    name: String,
    name_zh: Option<String>,
    issuer: String,
    client_id: String,
    client_secret_file: Option<PathBuf>,
    client_secret_env: Option<String>,
    scopes: Option<Vec<String>>,
    register: Option<bool>,
    #[serde(default)]
    email_domains: Vec<String>,
}

/// Reads the operator's file and the secrets that it names; `variable` looks in the environment.
pub fn read_providers(
    file: &Path,
    variable: impl Fn(&str) -> Option<String>,
) -> Result<Vec<ProviderConfig>, OidcConfigError> {
    let text = read_operator_file(file, LONGEST)?;
    let parsed: FileText =
        toml::from_str(&text).map_err(|error| OidcConfigError::Syntax(error.to_string()))?;
    if parsed.providers.is_empty() {
        return Err(OidcConfigError::Syntax(
            "there is no [[provider]] in it; write one, or leave --oidc out".to_owned(),
        ));
    }
    let folder = file.parent().unwrap_or(Path::new("."));
    let mut known = HashSet::new();
    let mut providers = Vec::new();
    for text in parsed.providers {
        let shown = text.id.clone();
        let refuse = |problem: String| OidcConfigError::Provider {
            provider: shown.clone(),
            problem,
        };
        if !known.insert(text.id.clone()) {
            return Err(refuse(
                "there are two with this id; give each its own".to_owned(),
            ));
        }
        let secret = read_secret(&text, folder, &variable)?;
        providers.push(check_provider(text, secret).map_err(refuse)?);
    }
    Ok(providers)
}

fn check_provider(text: ProviderText, secret: Option<String>) -> Result<ProviderConfig, String> {
    let is_id = ID.contains(&text.id.len())
        && text
            .id
            .bytes()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'-');
    if !is_id {
        return Err("the id needs 1 to 32 of a-z, 0-9 and -".to_owned());
    }
    for name in [Some(&text.name), text.name_zh.as_ref()]
        .into_iter()
        .flatten()
    {
        if !NAME.contains(&name.chars().count()) || name.chars().any(char::is_control) {
            return Err(format!("name {name:?}: write 1 to 40 characters"));
        }
    }
    check_issuer(&text.issuer)?;
    if text.client_id.trim().is_empty() {
        return Err("client_id is empty; write what the provider gave you".to_owned());
    }
    let scopes = text
        .scopes
        .unwrap_or_else(|| ["openid", "profile", "email"].map(str::to_owned).to_vec());
    let is_scope =
        |scope: &String| !scope.is_empty() && scope.bytes().all(|c| c.is_ascii_graphic());
    if !scopes.iter().all(is_scope) || !scopes.iter().any(|scope| scope == "openid") {
        return Err("scopes needs \"openid\", and words without spaces".to_owned());
    }
    let is_domain = |domain: &String| {
        domain.contains('.') && !domain.contains(['@', '*', ' ', '/']) && !domain.starts_with('.')
    };
    if let Some(bad) = text.email_domains.iter().find(|domain| !is_domain(domain)) {
        return Err(format!(
            "email_domains has {bad:?}; write domains such as \"example.org\", each with its own entry"
        ));
    }
    Ok(ProviderConfig {
        id: text.id,
        name: text.name,
        name_zh: text.name_zh,
        issuer: text.issuer,
        client: text.client_id.trim().to_owned(),
        secret,
        scopes,
        register: text.register,
        domains: text
            .email_domains
            .iter()
            .map(|domain| domain.to_lowercase())
            .collect(),
    })
}

/// Checks an issuer: https, or http on this machine.
fn check_issuer(issuer: &str) -> Result<(), String> {
    let url = Url::parse(issuer).map_err(|_| {
        format!("issuer {issuer:?} is no address; write for example https://login.example.org")
    })?;
    if url.query().is_some() || url.fragment().is_some() || !url.username().is_empty() {
        return Err(format!(
            "issuer {issuer:?} has more than an address in it; write it without ?, # and names"
        ));
    }
    match is_protected(&url) {
        true => Ok(()),
        false => Err(format!(
            "issuer {issuer:?} must begin with https://, so that nobody on the way signs in as somebody else"
        )),
    }
}

/// Whether what is sent to this address cannot be read on the way: https, or http within this
/// machine.
pub(super) fn is_protected(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    let is_own = host == "localhost" || bare.parse().is_ok_and(|ip: IpAddr| ip.is_loopback());
    url.scheme() == "https" || (url.scheme() == "http" && is_own)
}

fn read_secret(
    text: &ProviderText,
    folder: &Path,
    variable: impl Fn(&str) -> Option<String>,
) -> Result<Option<String>, OidcConfigError> {
    let refuse = |problem: String| OidcConfigError::Provider {
        provider: text.id.clone(),
        problem,
    };
    let secret = match (&text.client_secret_file, &text.client_secret_env) {
        (Some(_), Some(_)) => {
            let why = "there are client_secret_file and client_secret_env; write one of them";
            return Err(refuse(why.to_owned()));
        }
        (Some(file), None) => read_operator_file(&folder.join(file), LONGEST)?,
        (None, Some(name)) => variable(name).ok_or_else(|| {
            refuse(format!(
                "the environment has no variable {name}; set it to the secret"
            ))
        })?,
        (None, None) => return Ok(None),
    };
    let secret = secret.trim();
    match secret.is_empty() {
        true => Err(refuse(
            "the secret is empty; copy it from the provider, or leave it out for a public client"
                .to_owned(),
        )),
        false => Ok(Some(secret.to_owned())),
    }
}
