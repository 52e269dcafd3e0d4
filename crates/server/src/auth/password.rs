//! Passwords: argon2id with the crate's parameters (19 MiB, two passes), a few at a time, because each takes memory and
//! a core.

use std::sync::{Arc, LazyLock};

use argon2::Argon2;
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use axum::http::StatusCode;
use tokio::sync::Semaphore;

use crate::error::ApiError;

/// Characters in a password.
const LENGTH: std::ops::RangeInclusive<usize> = 8..=200;
/// How many are worked on at once.
const AT_ONCE: usize = 2;
/// How many may be worked on or wait; more are refused.
const WAITING: usize = 64;

/// Works on a few passwords at a time.
#[derive(Clone, Debug)]
pub struct Passwords {
    queue: Arc<Semaphore>,
    work: Arc<Semaphore>,
}

impl Default for Passwords {
    fn default() -> Passwords {
        Passwords { queue: Arc::new(Semaphore::new(WAITING)), work: Arc::new(Semaphore::new(AT_ONCE)) }
    }
}

impl Passwords {
    /// What is stored in place of a password.
    pub async fn hash(&self, password: String) -> Result<String, ApiError> {
        self.run(move || hash(&password))
            .await?
            .map_err(|error| ApiError::ours("the password was not hashed", &error))
    }

    /// Whether it is the password that was hashed. Without a hash (nobody has this name) it takes as long, and is not.
    pub async fn is_right(&self, password: String, stored: Option<String>) -> Result<bool, ApiError> {
        self.run(move || {
            let known = stored.is_some();
            let stored = stored.unwrap_or_else(|| NOBODY.clone());
            verify(&password, &stored) && known
        })
        .await
    }

    async fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<T, ApiError> {
        let busy = |_| {
            let message = "too many people log in just now; try again in a moment";
            ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "busy", message)
        };
        let _waiting = self.queue.try_acquire().map_err(busy)?;
        let permit = self.work.clone().acquire_owned().await.expect("nobody closes it");
        let work = move || {
            let _permit = permit; // Held by the work itself, which goes on if the caller leaves.
            work()
        };
        tokio::task::spawn_blocking(work)
            .await
            .map_err(|error| ApiError::ours("the password was not checked", &error))
    }
}

/// A password that may be chosen.
pub fn checked(password: &str, field: &'static str) -> Result<(), ApiError> {
    let length = password.chars().count();
    if LENGTH.contains(&length) {
        return Ok(());
    }
    let (least, most) = (LENGTH.start(), LENGTH.end());
    let message = format!("the password has {length} characters; it must have {least} to {most}");
    Err(ApiError::field("bad-password", field, message))
}

/// What is stored in place of a password, for commands that run without a server.
///
/// # Errors
/// If the system gives no random salt.
pub fn hash(password: &str) -> Result<String, argon2::password_hash::Error> {
    let hash: PasswordHash = Argon2::default().hash_password(password.as_bytes())?;
    Ok(hash.to_string())
}

fn verify(password: &str, stored: &str) -> bool {
    PasswordHash::new(stored)
        .is_ok_and(|hash| Argon2::default().verify_password(password.as_bytes(), &hash).is_ok())
}

/// The hash of a password that nobody knows.
static NOBODY: LazyLock<String> =
    LazyLock::new(|| hash(&crate::auth::secret::fresh("")).expect("the system gives random bytes"));

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn passwords_are_told_apart() {
        let passwords = Passwords::default();
        let stored = passwords.hash("correct horse".into()).await.expect("it is hashed");
        assert!(stored.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{stored}");
        for (password, stored, expected) in [
            ("correct horse", Some(stored.clone()), true),
            ("wrong horse", Some(stored), false),
            ("correct horse", None, false),
            ("correct horse", Some("no hash".to_owned()), false),
        ] {
            assert_eq!(passwords.is_right(password.into(), stored).await, Ok(expected));
        }
    }

    #[test]
    fn short_and_endless_passwords_are_refused() {
        for (password, fine) in [("1234567", false), ("12345678", true), ("四个汉字两遍四个", true)] {
            assert_eq!(checked(password, "password").is_ok(), fine, "{password}");
        }
        assert!(checked(&"a".repeat(201), "password").is_err());
    }
}
