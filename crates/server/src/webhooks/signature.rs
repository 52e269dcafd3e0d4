//! How what a webhook is told is signed: HMAC-SHA256 over the time and the body.

use ring::hmac;

/// The prefix of the secrets, by which leaked ones are recognised.
pub const SECRET_PREFIX: &str = "leitai_hook_";

/// The value of the header `Leitai-Signature`: `v1=` and the HMAC-SHA256, in hexadecimal, of the
/// header `Leitai-Timestamp`, a full stop, and the body. The key is the secret as it is written.
pub fn sign_body(secret: &str, timestamp: i64, body: &[u8]) -> String {
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
    let mut signed = hmac::Context::with_key(&key);
    signed.update(format!("{timestamp}.").as_bytes());
    signed.update(body);
    format!("v1={}", hex::encode(signed.sign()))
}
