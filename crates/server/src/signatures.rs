//! Signatures under replays: the arena says that it keeps this replay of that match; and, with the same
//! keys, under the results of benchmarks that it played ([`crate::experiments::benchmark_file`]).
//!
//! The rules prove what was played. Names, limits, isolation, times and the date are true only if
//! somebody vouches for them. A replay is signed when it is handed out, because everybody gets only
//! what he may read of it.

use leitai_game::Replay;
use leitai_game::replay::{SignatureRecord, signed_text};
use leitai_store::{MatchId, NewSigningKey, SigningKey, Store, StoreError, Timestamp};
use ring::rand::SystemRandom;
use ring::signature::{ED25519, Ed25519KeyPair, KeyPair, UnparsedPublicKey};
use serde_json::Value;

/// What signs in the arena's name.
pub struct Signer {
    keys: Ed25519KeyPair,
    arena: Option<String>,
}

/// Why a signature proves nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the signature does not fit: the replay was changed after it was signed")]
pub struct WrongSignature;

impl Signer {
    /// The arena's current key; one is made if there is none. The address is that of
    /// `--public-url`, if it is known.
    ///
    /// # Errors
    /// If the database fails, or the key in it is damaged.
    pub async fn load(store: &Store, arena: Option<&str>) -> Result<Signer, StoreError> {
        let now = Timestamp::now();
        let key = store.current_signing_key(make_key, arena, now).await?;
        read_key(&key).ok_or_else(|| StoreError::row_missing("private key of", &key.public))
    }

    /// Signs what the replay says, as that of this match.
    pub fn sign(&self, match_id: MatchId, replay: &mut Replay) {
        replay.signature = Some(SignatureRecord {
            arena: self.arena.clone(),
            match_id: match_id.0,
            key: self.public_key(),
            ed25519: String::new(),
        });
        let value = serde_json::to_value(&*replay).expect("a replay is plain data");
        let signature = self.sign_text(&signed_text(&value));
        if let Some(record) = &mut replay.signature {
            record.ed25519 = signature;
        }
    }

    /// The arena's address, if it is known.
    pub fn arena(&self) -> Option<&str> {
        self.arena.as_deref()
    }

    /// The public key: 64 hexadecimal digits.
    pub fn public_key(&self) -> String {
        hex::encode(self.keys.public_key())
    }

    /// The signature of a text, which begins with its purpose: 128 hexadecimal digits.
    pub fn sign_text(&self, text: &str) -> String {
        hex::encode(self.keys.sign(text.as_bytes()))
    }
}

/// A new pair of keys.
pub fn make_key() -> NewSigningKey {
    let secret = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new())
        .expect("the system gives random bytes");
    let pair = Ed25519KeyPair::from_pkcs8(secret.as_ref()).expect("it was made just now");
    NewSigningKey {
        public: hex::encode(pair.public_key()),
        secret: hex::encode(secret),
    }
}

fn read_key(key: &SigningKey) -> Option<Signer> {
    let keys = Ed25519KeyPair::from_pkcs8(&hex::decode(&key.secret).ok()?).ok()?;
    let arena = key.arena.clone();
    Some(Signer { keys, arena })
}

/// Who signed a replay, if anybody did. Whose key it is, is for the caller to find out.
///
/// # Errors
/// If the signature does not belong to what the replay says.
pub fn check_signature(replay: &Value) -> Result<Option<SignatureRecord>, WrongSignature> {
    let Some(signature) = replay.get("signature").filter(|value| !value.is_null()) else {
        return Ok(None);
    };
    let record: SignatureRecord =
        serde_json::from_value(signature.clone()).map_err(|_| WrongSignature)?;
    match fits(&record.key, &signed_text(replay), &record.ed25519) {
        true => Ok(Some(record)),
        false => Err(WrongSignature),
    }
}

/// Whether this is the signature of a text by this public key, both in hexadecimal digits.
pub fn fits(key: &str, text: &str, signature: &str) -> bool {
    let (Ok(key), Ok(signature)) = (hex::decode(key), hex::decode(signature)) else {
        return false;
    };
    UnparsedPublicKey::new(&ED25519, key)
        .verify(text.as_bytes(), &signature)
        .is_ok()
}
