//! Reads ID tokens: who signed in, by whose word, for whom, and when.
//!
//! `jsonwebtoken` reads tokens and keys, ring checks the signatures. Time is an argument, so the
//! dates are compared here.

use std::sync::Once;

use jsonwebtoken::crypto::{CryptoProvider, JwtSigner, JwtVerifier, KeyUtils};
use jsonwebtoken::errors::{Error, ErrorKind};
use jsonwebtoken::jwk::{Jwk, PublicKeyUse};
use jsonwebtoken::signature::{self, Verifier};
use jsonwebtoken::{
    Algorithm, AlgorithmFamily, DecodingKey, DecodingKeyKind, EncodingKey, Validation, decode,
    decode_header,
};
use leitai_store::Timestamp;
use ring::signature as rings;
use serde::Deserialize;
use serde_json::Value;
use subtle::ConstantTimeEq;

use super::sign_in::SignInProblem;

/// Seconds by which two clocks may differ.
const SKEW: i64 = 60;
/// Seconds after which a token that is still valid is too old for a sign-in that has just ended.
const OLD: i64 = 3600;
/// Bytes of a subject; the specification allows 255.
const SUBJECT: usize = 255;

/// What a token must say.
#[derive(Clone, Debug)]
pub(super) struct Expected<'a> {
    pub issuer: &'a str,
    pub client: &'a str,
    pub nonce: &'a str,
    pub now: Timestamp,
}

/// What a provider says of a person.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq)]
pub(super) struct PersonClaims {
    #[serde(rename = "sub")]
    pub subject: String,
    #[serde(default, deserialize_with = "read_text")]
    pub preferred_username: Option<String>,
    #[serde(default, deserialize_with = "read_text")]
    pub email: Option<String>,
    /// Some providers write it as a text.
    #[serde(default, deserialize_with = "read_bool")]
    pub email_verified: bool,
}

#[derive(Clone, Deserialize)]
struct TokenClaims {
    #[serde(flatten)]
    person: PersonClaims,
    aud: Value,
    azp: Option<String>,
    nonce: Option<String>,
    exp: f64,
    iat: f64,
    nbf: Option<f64>,
}

fn read_text<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    Ok(Value::deserialize(from)?.as_str().map(str::to_owned))
}

fn read_bool<'de, D: serde::Deserializer<'de>>(from: D) -> Result<bool, D::Error> {
    let value = Value::deserialize(from)?;
    Ok(value == Value::Bool(true) || value == "true")
}

/// The keys of a provider, and whether none of them can have signed this token.
pub(super) fn has_key(keys: &[Jwk], token: &str) -> bool {
    decode_header(token).is_ok_and(|header| usable_keys(keys, &header).next().is_some())
}

fn usable_keys<'a>(
    keys: &'a [Jwk],
    header: &'a jsonwebtoken::Header,
) -> impl Iterator<Item = &'a Jwk> {
    keys.iter().filter(|key| {
        let common = &key.common;
        let signs = !matches!(common.public_key_use, Some(PublicKeyUse::Encryption));
        signs && (header.kid.is_none() || common.key_id == header.kid)
    })
}

/// Reads an ID token.
pub(super) fn read_token(
    token: &str,
    keys: &[Jwk],
    expected: &Expected<'_>,
) -> Result<PersonClaims, SignInProblem> {
    use_ring();
    let header = decode_header(token).map_err(|_| SignInProblem::Token("unreadable"))?;
    let family = header.alg.family();
    if family == AlgorithmFamily::Hmac {
        // Its key would be a secret, and a public key is none.
        return Err(SignInProblem::Token("algorithm"));
    }
    let mut validation = Validation::new(header.alg);
    validation.validate_exp = false;
    validation.required_spec_claims = ["exp", "iss", "aud", "sub"].map(str::to_owned).into();
    validation.set_issuer(&[expected.issuer]);
    validation.set_audience(&[expected.client]);
    let mut problem = SignInProblem::Signature;
    for key in usable_keys(keys, &header) {
        let Ok(key) = DecodingKey::from_jwk(key) else {
            continue;
        };
        if key.family() != family {
            continue;
        }
        match decode::<TokenClaims>(token, &key, &validation) {
            Ok(read) => return check_claims(read.claims, expected),
            Err(error) => match error.kind() {
                ErrorKind::InvalidSignature => {}
                ErrorKind::InvalidIssuer => problem = SignInProblem::Issuer,
                ErrorKind::InvalidAudience => problem = SignInProblem::Audience,
                _ => problem = SignInProblem::Token("claims"),
            },
        }
    }
    Err(problem)
}

fn check_claims(
    claims: TokenClaims,
    expected: &Expected<'_>,
) -> Result<PersonClaims, SignInProblem> {
    let several = claims.aud.as_array().is_some_and(|all| all.len() > 1);
    let is_for_us = match &claims.azp {
        Some(party) => party == expected.client,
        None => !several,
    };
    if !is_for_us {
        return Err(SignInProblem::Audience);
    }
    let nonce = claims.nonce.unwrap_or_default();
    if !bool::from(nonce.as_bytes().ct_eq(expected.nonce.as_bytes())) {
        return Err(SignInProblem::Nonce);
    }
    let now = (expected.now.0.div_euclid(1000)) as f64;
    let (skew, old) = (SKEW as f64, OLD as f64);
    let begins = claims.nbf.unwrap_or(claims.iat).max(claims.iat);
    let is_now = claims.exp + skew > now && begins - skew < now && claims.iat + old > now;
    if !is_now {
        return Err(SignInProblem::Clock);
    }
    let subject = &claims.person.subject;
    if subject.is_empty() || subject.len() > SUBJECT {
        return Err(SignInProblem::Token("subject"));
    }
    Ok(claims.person)
}

/// Lets ring check the signatures of `jsonwebtoken`.
fn use_ring() {
    static ONCE: Once = Once::new();
    static RING: CryptoProvider = CryptoProvider {
        signer_factory: |_: &Algorithm, _: &EncodingKey| -> Result<Box<dyn JwtSigner>, Error> {
            Err(ErrorKind::UnsupportedAlgorithm.into())
        },
        verifier_factory: |algorithm, key| {
            let verifier = RingVerifier {
                algorithm: *algorithm,
                key: key.clone(),
            };
            Ok(Box::new(verifier))
        },
        key_utils: KeyUtils::new_unimplemented(),
    };
    ONCE.call_once(|| {
        let installed = RING.install_default();
        debug_assert!(installed.is_ok(), "nothing else here checks tokens");
    });
}

struct RingVerifier {
    algorithm: Algorithm,
    key: DecodingKey,
}

impl JwtVerifier for RingVerifier {
    fn algorithm(&self) -> Algorithm {
        self.algorithm
    }
}

impl Verifier<Vec<u8>> for RingVerifier {
    fn verify(&self, message: &[u8], signature: &Vec<u8>) -> Result<(), signature::Error> {
        let checked = match self.key.kind() {
            DecodingKeyKind::RsaModulusExponent { n, e } => {
                let key = rings::RsaPublicKeyComponents { n, e };
                let parameters =
                    rsa_parameters(self.algorithm).ok_or_else(signature::Error::new)?;
                key.verify(parameters, message, signature)
            }
            DecodingKeyKind::SecretOrDer(bytes) => {
                let algorithm: &dyn rings::VerificationAlgorithm = match self.algorithm {
                    Algorithm::ES256 => &rings::ECDSA_P256_SHA256_FIXED,
                    Algorithm::ES384 => &rings::ECDSA_P384_SHA384_FIXED,
                    Algorithm::EdDSA => &rings::ED25519,
                    _ => return Err(signature::Error::new()),
                };
                rings::UnparsedPublicKey::new(algorithm, bytes).verify(message, signature)
            }
        };
        checked.map_err(|_| signature::Error::new())
    }
}

fn rsa_parameters(algorithm: Algorithm) -> Option<&'static rings::RsaParameters> {
    Some(match algorithm {
        Algorithm::RS256 => &rings::RSA_PKCS1_2048_8192_SHA256,
        Algorithm::RS384 => &rings::RSA_PKCS1_2048_8192_SHA384,
        Algorithm::RS512 => &rings::RSA_PKCS1_2048_8192_SHA512,
        Algorithm::PS256 => &rings::RSA_PSS_2048_8192_SHA256,
        Algorithm::PS384 => &rings::RSA_PSS_2048_8192_SHA384,
        Algorithm::PS512 => &rings::RSA_PSS_2048_8192_SHA512,
        _ => return None,
    })
}
