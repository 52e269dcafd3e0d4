//! What is around every message on the bus. Servers of two successive versions work beside each
//! other while an arena is upgraded: fields are only ever added, and a reader ignores those that it
//! does not know. Where that is not enough, [`VERSION`] grows, and a server goes on reading the
//! messages of the version before.

use axum::body::Bytes;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// The version of messages that this server writes.
pub const VERSION: u32 = 1;
/// The oldest version that this server reads.
pub const OLDEST: u32 = 1;

/// A message with its sender.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Envelope<T> {
    /// The version of the message.
    #[serde(rename = "v")]
    pub version: u32,
    /// The name of the server that sent it; new at every start.
    pub from: String,
    /// The message.
    pub body: T,
}

/// The part of an envelope that every version has.
#[derive(Deserialize)]
struct Outside {
    v: u32,
    #[serde(default)]
    from: String,
}

/// Why a message cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EnvelopeError {
    /// A version that this server does not read.
    #[error(
        "server {from} sends messages of version {version}, and this server reads those from {OLDEST} to {VERSION}: \
         bring both to the same version of Leitai, one after the other"
    )]
    Version {
        /// The version.
        version: u32,
        /// The sender.
        from: String,
    },
    /// Not a message of ours.
    #[error("not a message of Leitai: {0}")]
    Damaged(String),
}

/// A message as bytes.
pub fn seal<T: Serialize>(from: &str, body: &T) -> Bytes {
    #[derive(Serialize)]
    struct Sealed<'a, T> {
        v: u32,
        from: &'a str,
        body: &'a T,
    }
    let sealed = Sealed {
        v: VERSION,
        from,
        body,
    };
    serde_json::to_vec(&sealed)
        .expect("messages are plain data")
        .into()
}

/// Reads a message.
pub fn open<T: DeserializeOwned>(bytes: &[u8]) -> Result<Envelope<T>, EnvelopeError> {
    let damaged = |error: serde_json::Error| EnvelopeError::Damaged(error.to_string());
    let outside: Outside = serde_json::from_slice(bytes).map_err(damaged)?;
    if !(OLDEST..=VERSION).contains(&outside.v) {
        let from = outside.from.chars().take(40).collect();
        return Err(EnvelopeError::Version {
            version: outside.v,
            from,
        });
    }
    serde_json::from_slice(bytes).map_err(damaged)
}
