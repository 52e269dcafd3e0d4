//! Password hashing with argon2id and the crate's parameters (19 MiB, two passes). A few passwords
//! are hashed at a time, in reused memory, because each needs memory and a core.

use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;

use argon2::password_hash::phc::{Output, ParamsString, PasswordHash, Salt};
use argon2::{Algorithm, Argon2, Block, Params, Version};
use subtle::ConstantTimeEq;
use tokio::sync::Semaphore;

use super::AccountError;
use crate::sync::lock;

/// Characters in a password.
const LENGTH: std::ops::RangeInclusive<usize> = 8..=200;
/// Hashes that are computed at the same time.
const AT_ONCE: usize = 2;
/// Requests that run or wait; further ones are refused.
const WAITING: usize = 256;
/// The suggested wait after a refusal.
const AGAIN: Duration = Duration::from_secs(5);
/// Bytes of a fresh salt.
const SALT: usize = 16;

/// The most common leaked passwords, sorted; lines that begin with `#` describe the list.
pub static COMMON: LazyLock<Vec<&str>> = LazyLock::new(|| {
    include_str!("common_passwords.txt")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .collect()
});

/// The working memory of one hash.
pub type Memory = Vec<Block>;

/// Hashes passwords, a few at a time.
#[derive(Clone, Debug)]
pub struct PasswordHasher {
    /// What new hashes cost.
    params: Params,
    queue: Arc<Semaphore>,
    work: Arc<Semaphore>,
    /// Unused memory blocks. They are kept here because an allocator would keep some for each
    /// thread that has ever hashed.
    spare: Arc<Mutex<Vec<Memory>>>,
}

impl Default for PasswordHasher {
    fn default() -> PasswordHasher {
        let (queue, work) = (
            Arc::new(Semaphore::new(WAITING)),
            Arc::new(Semaphore::new(AT_ONCE)),
        );
        PasswordHasher {
            params: Params::DEFAULT,
            queue,
            work,
            spare: Arc::default(),
        }
    }
}

impl PasswordHasher {
    /// For tests that are about other things: hashes that are found out in no time.
    #[must_use]
    pub fn worthless() -> PasswordHasher {
        PasswordHasher {
            params: worthless_params(),
            ..PasswordHasher::default()
        }
    }

    /// Hashes a password for storage.
    pub async fn hash(&self, password: String) -> Result<String, AccountError> {
        let params = self.params.clone();
        self.run(move |memory| hash_in(&password, params, memory))
            .await?
            .map_err(|error| AccountError::hashing_error("the password was not hashed", &error))
    }

    /// Verifies a password. Without a stored hash (unknown name) it takes as long and returns
    /// false, so that the time does not reveal whether a name exists.
    pub async fn is_right(
        &self,
        password: String,
        stored: Option<String>,
    ) -> Result<bool, AccountError> {
        self.run(move |memory| {
            let known = stored.is_some();
            let stored = stored.unwrap_or_else(|| NOBODY.clone());
            verify_password(&password, &stored, memory) && known
        })
        .await
    }

    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Memory) -> T + Send + 'static,
    ) -> Result<T, AccountError> {
        let busy = |_| AccountError::Busy(AGAIN);
        let _waiting = self.queue.try_acquire().map_err(busy)?;
        let permit = self
            .work
            .clone()
            .acquire_owned()
            .await
            .expect("nobody closes it");
        let spare = self.spare.clone();
        let work = move || {
            let _permit = permit; // Held by the work itself, which goes on if the caller leaves.
            let mut memory = lock(&spare).pop().unwrap_or_default();
            let done = work(&mut memory);
            lock(&spare).push(memory);
            done
        };
        tokio::task::spawn_blocking(work)
            .await
            .map_err(|error| AccountError::hashing_error("the password was not checked", &error))
    }
}

/// Checks that a new password is acceptable for this account.
pub fn check_password(password: &str, name: &str, field: &'static str) -> Result<(), AccountError> {
    let length = password.chars().count();
    if !LENGTH.contains(&length) {
        let (least, most) = (LENGTH.start(), LENGTH.end());
        let message =
            format!("the password has {length} characters; it must have {least} to {most}");
        return Err(AccountError::invalid_field("bad-password", field, message));
    }
    let folded = password.to_lowercase();
    if folded == name.to_lowercase() {
        let message = "the password equals the name; choose one that is hard to guess";
        return Err(AccountError::invalid_field(
            "password-is-name",
            field,
            message,
        ));
    }
    if COMMON.binary_search(&folded.as_str()).is_ok() {
        let message = "the password is one of the 10,000 that are tried first; choose another, such as three words";
        return Err(AccountError::invalid_field(
            "common-password",
            field,
            message,
        ));
    }
    Ok(())
}

fn worthless_params() -> Params {
    Params::new(
        Params::MIN_M_COST,
        Params::MIN_T_COST,
        Params::MIN_P_COST,
        None,
    )
    .expect("the least of each is allowed")
}

/// Hashes a password for storage, for commands that run without a server.
///
/// # Errors
/// If argon2 rejects its parameters, which it does not.
pub fn hash(password: &str) -> Result<String, argon2::password_hash::Error> {
    hash_in(password, Params::DEFAULT, &mut Memory::new())
}

fn hash_in(
    password: &str,
    params: Params,
    memory: &mut Memory,
) -> Result<String, argon2::password_hash::Error> {
    let mut salt = [0; SALT];
    rand::fill(&mut salt);
    let argon = Argon2::new(Algorithm::default(), Version::default(), params);
    let mut output = [0; Params::DEFAULT_OUTPUT_LEN];
    compute(&argon, password, &salt, &mut output, memory)?;
    let hash = PasswordHash {
        algorithm: Algorithm::default().ident(),
        version: Some(Version::default().into()),
        params: ParamsString::try_from(argon.params())?,
        salt: Some(Salt::new(&salt)?),
        hash: Some(Output::new(&output)?),
    };
    Ok(hash.to_string())
}

fn compute(
    argon: &Argon2<'_>,
    password: &str,
    salt: &[u8],
    output: &mut [u8],
    memory: &mut Memory,
) -> argon2::Result<()> {
    let blocks = argon.params().block_count();
    if memory.len() < blocks {
        memory.resize(blocks, Block::new());
    }
    argon.hash_password_into_with_memory(password.as_bytes(), salt, output, &mut memory[..blocks])
}

/// Whether this is the password whose hash is stored.
pub fn verify_password(password: &str, stored: &str, memory: &mut Memory) -> bool {
    matches_hash(password, stored, memory).unwrap_or(false)
}

/// Verifies a password against a stored hash; false if the stored text is not a hash.
fn matches_hash(password: &str, stored: &str, memory: &mut Memory) -> Option<bool> {
    let stored = PasswordHash::new(stored).ok()?;
    let algorithm = Algorithm::try_from(stored.algorithm.as_str()).ok()?;
    let version = stored
        .version
        .map(Version::try_from)
        .transpose()
        .ok()?
        .unwrap_or_default();
    let params = Params::try_from(&stored).ok()?;
    let (salt, expected) = (stored.salt?, stored.hash?);
    let mut output = vec![0; expected.len()];
    compute(
        &Argon2::new(algorithm, version, params),
        password,
        &salt,
        &mut output,
        memory,
    )
    .ok()?;
    Some(output.ct_eq(expected.as_ref()).into())
}

/// The hash of a random password, for unknown names.
static NOBODY: LazyLock<String> = LazyLock::new(|| {
    hash(&crate::accounts::secret::make_token("")).expect("the system gives random bytes")
});
