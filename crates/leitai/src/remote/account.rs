//! The login: an account and its arena, from a file of the user or from the environment.

use std::fs;
use std::io::Write;
use std::net::IpAddr;
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;

use anyhow::{Context, ensure};
use serde::{Deserialize, Serialize};

use crate::lang::Localizer;

/// The arena on this machine, which is the default.
pub const HERE: &str = "http://localhost:8080";

/// A login.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedLogin {
    /// The arena's address.
    pub server: String,
    /// The account's name.
    pub name: String,
    /// An API token of the account.
    pub token: String,
}

/// The reader of an arena: an account, or a guest at this address.
pub enum ReadingLogin {
    /// An account.
    Account(SavedLogin),
    /// A guest.
    Guest(String),
}

impl SavedLogin {
    /// The login to use: `LEITAI_TOKEN` with `LEITAI_SERVER`, or the one that `leitai login`
    /// stored.
    pub fn current_login(lang: Localizer) -> anyhow::Result<SavedLogin> {
        let of = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
        if let Some(token) = of("LEITAI_TOKEN") {
            let server = asked_server().unwrap_or_else(|| HERE.to_owned());
            return Ok(SavedLogin {
                server: normalize_address(&server)?,
                name: String::new(),
                token,
            });
        }
        let account = SavedLogin::read_saved()?
            .with_context(|| lang.label("you are not logged in; run `leitai login`"))?;
        if let Some(server) = of("LEITAI_SERVER") {
            ensure!(
                normalize_address(&server)? == account.server,
                lang.fill(
                    "you are logged in at {}, but LEITAI_SERVER is {}; run `leitai login {}`, or set LEITAI_TOKEN too",
                    &[&account.server, &server, &server],
                )
            );
        }
        Ok(account)
    }

    /// The login for reading public data: none if only `LEITAI_SERVER` is given.
    pub fn for_reading(lang: Localizer) -> anyhow::Result<ReadingLogin> {
        let of = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
        match (asked_server(), of("LEITAI_TOKEN")) {
            (Some(server), None) if SavedLogin::read_saved()?.is_none() => {
                Ok(ReadingLogin::Guest(normalize_address(&server)?))
            }
            _ => Ok(ReadingLogin::Account(SavedLogin::current_login(lang)?)),
        }
    }

    /// The stored login, if there is one.
    fn read_saved() -> anyhow::Result<Option<SavedLogin>> {
        let path = login_file()?;
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => {
                return Err(error).with_context(|| format!("cannot read {}", path.display()));
            }
        };
        let account = serde_json::from_str(&text).with_context(|| {
            format!(
                "{} is not a login; remove it and run `leitai login`",
                path.display()
            )
        })?;
        Ok(Some(account))
    }

    /// Stores the login for later commands, readable by this user alone. Returns the file.
    pub fn save_login(&self) -> anyhow::Result<PathBuf> {
        let path = login_file()?;
        let folder = path.parent().context("the login lies in a folder")?;
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        // A new file, so that an older file's permissions do not remain.
        let fresh = path.with_extension("new");
        let _ = fs::remove_file(&fresh);
        let mut file = fs::OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&fresh)
            .with_context(|| format!("cannot write {}", fresh.display()))?;
        let text = serde_json::to_string_pretty(self).expect("a login is plain data");
        file.write_all(text.as_bytes())
            .with_context(|| format!("cannot write {}", fresh.display()))?;
        fs::rename(&fresh, &path).with_context(|| format!("cannot write {}", path.display()))?;
        Ok(path)
    }
}

/// The arena that is named outside the command line: by LEITAI_SERVER, else by the user's configuration.
pub fn asked_server() -> Option<String> {
    let named = std::env::var("LEITAI_SERVER").ok();
    let named = named.filter(|server| !server.is_empty());
    named.or_else(|| Some(crate::config::find("server")?.value.clone()))
}

/// The file of the login.
fn login_file() -> anyhow::Result<PathBuf> {
    Ok(crate::config::config_folder()?.join("login.json"))
}

/// A normalised address: with a scheme, without a final slash.
pub fn normalize_address(server: &str) -> anyhow::Result<String> {
    let server = server.trim().trim_end_matches('/');
    let whole = if server.contains("://") {
        server.to_owned()
    } else {
        format!("https://{server}")
    };
    ensure!(
        whole.starts_with("http://") || whole.starts_with("https://"),
        "{server:?} is not an address of an arena; write for example https://arena.example.org"
    );
    Ok(whole)
}

/// Whether what is sent to a normalised address can be read on the way: it has no https, and does not
/// stay on this machine.
pub fn is_readable_underway(server: &str) -> bool {
    let Some(rest) = server.strip_prefix("http://") else {
        return false;
    };
    let place = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let place = place.rsplit('@').next().unwrap_or_default();
    let host = match place.strip_prefix('[') {
        Some(six) => six.split(']').next().unwrap_or_default(),
        None => place.split(':').next().unwrap_or_default(),
    };
    let is_here = match host.parse::<IpAddr>() {
        Ok(address) => address.to_canonical().is_loopback(),
        Err(_) => host.eq_ignore_ascii_case("localhost"),
    };
    !is_here
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_normalised() {
        let check = |typed: &str, kept: &str| {
            assert_eq!(normalize_address(typed).expect("an address"), kept)
        };
        check("arena.example.org", "https://arena.example.org");
        check("http://localhost:8080/", "http://localhost:8080");
        check(" https://a.b/leitai/ ", "https://a.b/leitai");
        assert!(normalize_address("ftp://a.b").is_err());
    }

    #[test]
    fn only_this_machine_needs_no_https() {
        for (server, expected) in [
            ("http://localhost:8080", false),
            ("http://LOCALHOST", false),
            ("http://127.0.0.2:1/x", false),
            ("http://[::1]:8080", false),
            ("https://arena.example.org", false),
            ("http://arena.example.org", true),
            ("http://10.0.0.7:8080", true),
            ("http://[2001:db8::1]", true),
            ("http://localhost.evil.example", true),
            ("http://127.0.0.1.evil.example", true),
            ("http://localhost@evil.example:80/", true),
            ("http://evil.example#@localhost", true),
            ("http://evil.example/@localhost", true),
        ] {
            assert_eq!(is_readable_underway(server), expected, "{server}");
        }
    }
}
