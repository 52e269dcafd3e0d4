//! Hashes of secrets: enough to recognise a secret, not enough to use it.
use sea_orm::DeriveValueType;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The SHA-256 of a random token, in hexadecimal. A slow password hash is not needed, because
/// tokens have 256 random bits.
#[derive(Clone, Debug, PartialEq, Eq, Hash, DeriveValueType, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TokenHash(String);

impl TokenHash {
    /// Hashes a token.
    pub fn from_token(token: &str) -> TokenHash {
        TokenHash(hex::encode(Sha256::digest(token.as_bytes())))
    }

    /// 64 hexadecimal digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A random token of 256 bits: letters, digits, `-` and `_`.
pub fn random_token() -> String {
    let mut bytes = [0u8; 32];
    rand::fill(&mut bytes);
    hex::encode(bytes)
}
