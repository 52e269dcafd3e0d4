//! What is kept of a secret: enough to know it again, not enough to use it.

use std::fmt::Write;

use sea_orm::DeriveValueType;
use sha2::{Digest, Sha256};

/// The SHA-256 of a random token, in hexadecimal. Tokens are random enough that a slow hash would
/// protect nothing.
#[derive(Clone, Debug, PartialEq, Eq, Hash, DeriveValueType)]
pub struct TokenHash(String);

impl TokenHash {
    /// Of a token as its holder shows it.
    pub fn of(token: &str) -> TokenHash {
        let digest = Sha256::digest(token.as_bytes());
        TokenHash(
            digest
                .iter()
                .fold(String::with_capacity(64), |mut text, byte| {
                    write!(text, "{byte:02x}").expect("a string takes what is written");
                    text
                }),
        )
    }

    /// 64 hexadecimal digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A random text of 256 bits, for whoever may hold it: letters, digits, `-` and `_`.
pub fn random_token() -> String {
    let mut bytes = [0u8; 32];
    rand::fill(&mut bytes);
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
