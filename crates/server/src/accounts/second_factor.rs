//! Codes of authenticator apps (RFC 6238) and recovery codes.
//!
//! Codes are what every app makes: six digits, a new one every 30 seconds, HMAC-SHA-1. One step of
//! drift is allowed either way.

use leitai_store::{Timestamp, TokenHash, UserId};
use qrcode::QrCode;
use qrcode::render::svg;
use qrcode::types::QrError;
use reqwest::Url;
use totp_rs::{Builder, Secret};

use super::one_time::make_one_time_code;

/// Recovery codes of an account.
pub const RECOVERY_CODES: usize = 10;
/// Signs of a recovery code: 79 random bits.
const RECOVERY_SIGNS: usize = 16;
/// Digits of a code of an app.
const DIGITS: usize = 6;
/// Pixels of a QR code, at least.
const PIXELS: u32 = 240;

/// What a person gives as the second step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GivenCode {
    /// The digits that an app shows.
    App(String),
    /// The hash of a recovery code.
    Recovery(TokenHash),
}

/// A new secret of 160 random bits in Base32.
pub fn make_secret() -> String {
    let mut bytes = [0u8; 20];
    rand::fill(&mut bytes);
    Secret::new_stack(bytes).to_base32()
}

/// The code of an account as a person typed it: spaces, hyphens and case do not matter.
pub fn read_code(user: UserId, typed: &str) -> GivenCode {
    let signs = typed.chars().filter(|sign| sign.is_ascii_alphanumeric());
    let code: String = signs
        .take(64)
        .map(|sign| sign.to_ascii_lowercase())
        .collect();
    match code.len() == DIGITS && code.bytes().all(|sign| sign.is_ascii_digit()) {
        true => GivenCode::App(code),
        false => GivenCode::Recovery(hash_recovery_code(user, &code)),
    }
}

/// The time step of a code that the app with this secret shows now, or shows one step earlier or
/// later.
pub fn find_step(secret: &str, code: &str, at: Timestamp) -> Option<i64> {
    let secret = Secret::try_from_base32(secret).ok()?;
    let app = Builder::new().with_secret(secret).build().ok()?;
    let seconds = u64::try_from(at.0 / 1000).ok()?;
    i64::try_from(app.check(code, seconds)?).ok()
}

/// New recovery codes, with the hashes that are stored.
pub fn make_recovery_codes(user: UserId) -> (Vec<String>, Vec<TokenHash>) {
    let codes = (0..RECOVERY_CODES).map(|_| make_one_time_code(RECOVERY_SIGNS));
    let codes: Vec<String> = codes.collect();
    let hashes = codes
        .iter()
        .map(|code| hash_recovery_code(user, &code.replace('-', "")));
    let hashes = hashes.collect();
    (codes, hashes)
}

fn hash_recovery_code(user: UserId, code: &str) -> TokenHash {
    TokenHash::from_token(&format!("recovery-code {user} {code}"))
}

/// The link that an app reads: it names the arena at this address and the account.
pub fn write_link(secret: &str, arena: Option<&str>, name: &str) -> String {
    let host = arena.and_then(|url| Url::parse(url).ok());
    let host = host.as_ref().and_then(Url::host_str).unwrap_or("Leitai");
    let mut link = Url::parse("otpauth://totp/").expect("it is a link");
    link.path_segments_mut()
        .expect("it has a path")
        .pop_if_empty()
        .push(&format!("{host}:{name}"));
    link.query_pairs_mut()
        .append_pair("secret", secret)
        .append_pair("issuer", host);
    link.into()
}

/// The QR code of a link as SVG.
///
/// # Errors
/// If the link is longer than a QR code holds.
pub fn draw_link(link: &str) -> Result<String, QrError> {
    let code = QrCode::new(link)?;
    let mut image = code.render::<svg::Color<'_>>();
    Ok(image.min_dimensions(PIXELS, PIXELS).build())
}
