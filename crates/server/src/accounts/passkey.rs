//! Passkeys (WebAuthn): what a browser is asked for, and whether its answer is right.
//!
//! A passkey is a second factor after the password, so authenticators need not ask for a
//! fingerprint, and no attestation is wanted. What is stored is text: Base64 of what the library
//! writes.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use leitai_store::{Passkey, TokenHash, UserId};
use reqwest::Url;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;
use webauthn_rp::bin::{Decode, Encode};
use webauthn_rp::request::auth::{
    AllowedCredentials, AuthenticationVerificationOptions, NonDiscoverableCredentialRequestOptions,
};
use webauthn_rp::request::register::{
    PublicKeyCredentialUserEntity, RegistrationVerificationOptions, UserHandle, Username,
};
use webauthn_rp::request::{
    AsciiDomain, Credentials, DomainOrigin, PublicKeyCredentialDescriptor, RpId,
};
use webauthn_rp::response::auth::NonDiscoverableAuthentication;
use webauthn_rp::response::register::{CompressedPubKey, DynamicState, StaticState};
use webauthn_rp::response::{AuthTransports, CredentialId};
use webauthn_rp::{
    AuthenticatedCredential, NonDiscoverableAuthenticationServerState,
    PublicKeyCredentialCreationOptions, Registration, RegistrationServerState,
};

/// Bytes by which authenticators tell accounts apart: the account's number.
const HANDLE: usize = 8;

type PublicKey = CompressedPubKey<[u8; 32], [u8; 32], [u8; 48], Vec<u8>>;

/// Why an arena has no passkeys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NoPasskeys {
    /// It was started without `--public-url`.
    NoPublicUrl,
    /// Its address has no name, only numbers.
    IpAddress,
    /// Its address is not https.
    NotHttps,
}

/// Why an answer of a browser is not taken.
#[derive(Debug)]
pub struct Refused(String);

impl std::fmt::Display for Refused {
    fn fmt(&self, text: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(text)
    }
}

impl std::error::Error for Refused {}

fn refused(why: impl std::fmt::Debug) -> Refused {
    Refused(format!("{why:?}"))
}

/// What is sent to a browser, and what is kept to compare its answer with.
#[derive(Debug)]
pub struct Asked {
    /// The hash of the challenge.
    pub hash: TokenHash,
    /// What is kept.
    pub state: String,
    /// The JSON of WebAuthn that a browser parses.
    pub options: Value,
}

/// A passkey that a browser has made.
#[derive(Debug)]
pub struct MadePasskey {
    /// What the authenticator calls it.
    pub credential: String,
    /// The public key.
    pub key: String,
    /// What changes when it is used.
    pub state: String,
}

/// The arena as browsers and authenticators know it.
#[derive(Debug)]
pub struct RelyingParty {
    id: RpId,
    origin: String,
}

impl RelyingParty {
    /// The arena at its public address.
    ///
    /// # Errors
    /// Browsers make passkeys only for names, over https or on the same machine.
    pub fn at(public_url: Option<&str>) -> Result<RelyingParty, NoPasskeys> {
        let url = public_url.and_then(|url| Url::parse(url).ok());
        let url = url.ok_or(NoPasskeys::NoPublicUrl)?;
        let host = url.domain().ok_or(NoPasskeys::IpAddress)?;
        let is_local = host == "localhost" || host.ends_with(".localhost");
        if url.scheme() != "https" && !is_local {
            return Err(NoPasskeys::NotHttps);
        }
        let id = AsciiDomain::try_from(host.to_owned()).map_err(|_| NoPasskeys::IpAddress)?;
        Ok(RelyingParty {
            id: RpId::Domain(id),
            origin: url.origin().ascii_serialization(),
        })
    }

    /// Asks a browser to make a passkey, with an authenticator that has none of these.
    pub fn ask_to_register(
        &self,
        (user, name): (UserId, &str),
        own: &[Passkey],
    ) -> Result<Asked, Refused> {
        let handle = handle_of(user)?;
        let holder = PublicKeyCredentialUserEntity {
            name: Username::try_from(name).map_err(refused)?,
            id: &handle,
            display_name: None,
        };
        let own: Result<_, _> = own.iter().map(describe).collect();
        let wanted = PublicKeyCredentialCreationOptions::second_factor(&self.id, holder, own?);
        let hash = hash_challenge(wanted.challenge.as_data());
        let (server, client) = wanted.start_ceremony().map_err(refused)?;
        Ok(Asked {
            hash,
            state: write(&server.encode().map_err(refused)?),
            options: serde_json::to_value(&client).map_err(refused)?,
        })
    }

    /// The passkey that a browser has made for what it was asked.
    pub fn read_passkey(&self, state: &str, answer: &Value) -> Result<MadePasskey, Refused> {
        let state = read(state)?;
        let state = RegistrationServerState::<HANDLE>::decode(&state).map_err(refused)?;
        let answer = read_registration(answer)?;
        let origin = self.origin()?;
        let options = RegistrationVerificationOptions::<DomainOrigin<'_, '_>, &str> {
            allowed_origins: &[origin],
            error_on_unsolicited_extensions: false,
            ..RegistrationVerificationOptions::default()
        };
        let made = state.verify(&self.id, &answer, &options);
        let made = made.map_err(refused)?;
        let Ok(key) = made.static_state().encode();
        Ok(MadePasskey {
            credential: write(made.id().as_ref()),
            key: write(&key),
            state: write_state(made.transports(), made.dynamic_state()),
        })
    }

    /// Asks a browser for one of these passkeys, of which there is at least one.
    pub fn ask_to_log_in(&self, own: &[Passkey]) -> Result<Asked, Refused> {
        let mut allowed = AllowedCredentials::with_capacity(own.len());
        for passkey in own {
            allowed.push(describe(passkey)?.into());
        }
        let wanted = NonDiscoverableCredentialRequestOptions::second_factor(&self.id, allowed);
        let mut wanted = wanted.map_err(refused)?;
        let hash = hash_challenge(wanted.options().challenge.as_data());
        let (server, client) = wanted.start_ceremony().map_err(refused)?;
        Ok(Asked {
            hash,
            state: write(&server.encode().map_err(refused)?),
            options: serde_json::to_value(&client).map_err(refused)?,
        })
    }

    /// The passkey that has answered, with its state from now on.
    pub fn check_login<'own>(
        &self,
        state: &str,
        answer: &Value,
        own: &'own [Passkey],
    ) -> Result<(&'own Passkey, String), Refused> {
        let state = read(state)?;
        let state = NonDiscoverableAuthenticationServerState::decode(&state).map_err(refused)?;
        let answer = read_answer(answer)?;
        let credential = write(answer.raw_id().as_ref());
        let own = own.iter().find(|own| own.credential == credential);
        let own = own.ok_or_else(|| refused("another account"))?;
        let (id, handle) = (read(&own.credential)?, handle_of(own.user)?);
        let (transports, changing) = read_state(&own.state)?;
        let key = StaticState::<PublicKey>::decode(&read(&own.key)?).map_err(refused)?;
        let id = CredentialId::<&[u8]>::decode(&id).map_err(refused)?;
        let known = AuthenticatedCredential::new(id, &handle, key, changing);
        let mut known = known.map_err(refused)?;
        let origin = self.origin()?;
        let options = AuthenticationVerificationOptions::<DomainOrigin<'_, '_>, &str> {
            allowed_origins: &[origin],
            error_on_unsolicited_extensions: false,
            ..AuthenticationVerificationOptions::default()
        };
        let verified = state.verify(&self.id, &answer, &mut known, &options);
        verified.map_err(refused)?;
        Ok((own, write_state(transports, known.dynamic_state())))
    }

    fn origin(&self) -> Result<DomainOrigin<'_, '_>, Refused> {
        DomainOrigin::try_from(&*self.origin).map_err(refused)
    }
}

/// The hash of the challenge that a browser says it has answered by making a passkey.
pub fn challenge_of_passkey(answer: &Value) -> Result<TokenHash, Refused> {
    let challenge = read_registration(answer)?.challenge_relaxed();
    Ok(hash_challenge(challenge.map_err(refused)?.0))
}

/// The hash of the challenge that a browser says it has answered with a passkey.
pub fn challenge_of_login(answer: &Value) -> Result<TokenHash, Refused> {
    let challenge = read_answer(answer)?.challenge_relaxed();
    Ok(hash_challenge(challenge.map_err(refused)?.0))
}

fn hash_challenge(challenge: u128) -> TokenHash {
    TokenHash::from_token(&format!("passkey-challenge {challenge:032x}"))
}

fn read_registration(answer: &Value) -> Result<Registration, Refused> {
    Registration::from_json_relaxed(answer.to_string().as_bytes()).map_err(refused)
}

fn read_answer(answer: &Value) -> Result<NonDiscoverableAuthentication<HANDLE>, Refused> {
    let answer = answer.to_string();
    NonDiscoverableAuthentication::from_json_relaxed(answer.as_bytes()).map_err(refused)
}

fn handle_of(user: UserId) -> Result<UserHandle<HANDLE>, Refused> {
    UserHandle::decode(user.0.to_be_bytes()).map_err(refused)
}

fn describe(own: &Passkey) -> Result<PublicKeyCredentialDescriptor<Vec<u8>>, Refused> {
    Ok(PublicKeyCredentialDescriptor {
        id: CredentialId::<Vec<u8>>::decode(read(&own.credential)?).map_err(refused)?,
        transports: read_state(&own.state)?.0,
    })
}

/// How the browser reaches the authenticator, then what changes.
fn write_state(transports: AuthTransports, changing: DynamicState) -> String {
    let Ok(transports) = transports.encode();
    let Ok(changing) = changing.encode();
    write(&[&[transports], &changing[..]].concat())
}

fn read_state(text: &str) -> Result<(AuthTransports, DynamicState), Refused> {
    let bytes = read(text)?;
    let (transports, changing) = bytes.split_first().ok_or_else(|| refused("empty"))?;
    let changing = <[u8; 7]>::try_from(changing).map_err(refused)?;
    Ok((
        AuthTransports::decode(*transports).map_err(refused)?,
        DynamicState::decode(changing).map_err(refused)?,
    ))
}

fn write(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

fn read(text: &str) -> Result<Vec<u8>, Refused> {
    URL_SAFE_NO_PAD.decode(text).map_err(refused)
}
