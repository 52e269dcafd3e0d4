//! Tokens that are shown once and stored as their SHA-256, so that a reader of the database cannot
//! use them.

use std::time::Duration;

use leitai_store::Timestamp;
use leitai_store::values::secret::random_token;
use sha2::{Digest, Sha256};

/// The prefix of API tokens, by which leaked ones are recognised.
pub const API_PREFIX: &str = "leitai_";
/// The prefix of the tokens of remote workers.
pub const WORKER_PREFIX: &str = "leitai_worker_";

/// The longest token that is hashed and looked up.
pub const LONGEST: usize = 200;

/// A new token: the prefix and 256 random bits in hexadecimal.
pub fn make_token(prefix: &str) -> String {
    format!("{prefix}{}", random_token())
}

/// Whether the text has the form of a token.
pub fn is_plausible(token: &str) -> bool {
    (16..=LONGEST).contains(&token.len())
        && token
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// The CSRF token that a page must send beside its cookie. It is derived from the session's token,
/// which no other site can read, and ends with the session.
pub fn csrf_token(session: &str) -> String {
    let digest = Sha256::new()
        .chain_update(b"leitai csrf\0")
        .chain_update(session.as_bytes())
        .finalize();
    hex::encode(digest)
}

/// The expiry of a token that lasts this many days.
pub fn token_expiry(from: Timestamp, days: u16) -> Timestamp {
    from.after(Duration::from_secs(u64::from(days) * 24 * 3600))
}
