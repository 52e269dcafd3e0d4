//! Proofs that the owner of an account is there, and not somebody before an open browser.

use std::time::Duration;

use axum::http::StatusCode;
use leitai_store::{SessionId, Timestamp, UserId};
use serde::Deserialize;
use utoipa::ToSchema;

use crate::accounts::second_factor::{GivenCode, find_step, read_code};
use crate::http::app::App;
use crate::http::caller::{CallerProof, SignedInUser, own_session};
use crate::http::error::{ApiError, Result};
use crate::http::routes::passkey_proof::take_passkey;

/// How long after a login the owner of an account counts as there.
const RECENT: Duration = Duration::from_secs(15 * 60);

/// Checks that the owner of an account is there, and not somebody before an open browser: by the
/// password, or for an account without one by a session that began just now. `refusal` is the field
/// of the password and what is said of a wrong one.
pub async fn confirm_owner(
    app: &App,
    user: &SignedInUser,
    password: String,
    refusal: (&'static str, &'static str),
) -> Result<()> {
    let session = own_session(user)?;
    app.limiter.allow_confirmation(session).await?;
    let account = app.store.find_user(user.id).await?;
    if account.has_password() {
        let is_right = app.passwords.is_right(password, Some(account.password));
        return match is_right.await? {
            true => Ok(()),
            false => {
                let (field, message) = refusal;
                Err(ApiError::invalid_field("wrong-password", field, message))
            }
        };
    }
    need_recent_login(app, user).await
}

/// Requires that the session began just now, by a password, a code or at a provider: for what opens
/// the account to others or keeps them in. API tokens pass, where they may come at all.
pub async fn need_recent_login(app: &App, user: &SignedInUser) -> Result<()> {
    let CallerProof::Session { id, .. } = user.by else {
        return Ok(());
    };
    let begun = app.store.session_start(id).await?;
    match begun.is_some_and(|begun| Timestamp::now() < begun.after(RECENT)) {
        true => Ok(()),
        false => Err(ApiError::forbidden(
            "sign-in-again",
            "this needs a session younger than 15 minutes, so that nobody does it who finds your browser open; log out, log in again, and repeat it",
        )),
    }
}

/// The password, which protects an account whose owner has left the browser open, and for an account
/// with a second factor a code of the app or a recovery code, or a passkey of the account.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct FactorProof {
    password: String,
    /// Left out or empty without a second factor, or with a passkey.
    #[serde(default)]
    #[schema(example = "287082", max_length = 64)]
    code: String,
    /// In place of a code, the browser's answer to what `/api/login/passkey` asked:
    /// `AuthenticationResponseJSON` of WebAuthn.
    #[schema(value_type = Option<Object>)]
    passkey: Option<serde_json::Value>,
}

/// Requires that the account has a password, without which its provider asks for what opens it.
pub fn need_password(user: &SignedInUser) -> Result<()> {
    let message =
        "this account has no password: its provider asks for what opens it; set a password first";
    match user.has_password {
        true => Ok(()),
        false => Err(ApiError::conflict("no-password", message)),
    }
}

/// Checks the code of somebody who logs in with the right password; accounts without a second factor
/// need none. The place is a browser that the account knows.
pub async fn check_factor(
    app: &App,
    user: UserId,
    place: Option<&str>,
    typed: Option<&str>,
) -> Result<()> {
    if !app.store.has_second_factor(user).await? {
        return Ok(());
    }
    let Some(typed) = typed.filter(|typed| !typed.trim().is_empty()) else {
        let has_passkeys = !app.store.passkeys_of(user).await?.is_empty();
        return Err(ask_for_factor(has_passkeys));
    };
    app.limiter.allow_factor_code(user, place).await?;
    take_code(app, user, typed).await
}

fn ask_for_factor(has_passkeys: bool) -> ApiError {
    let (field, message) = match has_passkeys {
        false => (
            "code",
            "this account has a second factor: send the code of its authenticator app, or a recovery code, as `code`",
        ),
        true => (
            "passkey",
            "this account has a second factor: log in in a browser with its passkey, or send a code of its \
             authenticator app or a recovery code as `code`",
        ),
    };
    ApiError {
        field: Some(field),
        ..ApiError::new(StatusCode::UNAUTHORIZED, "second-factor", message)
    }
}

/// Checks the password of an account's owner in a session, and its second factor if it has one: a
/// passkey, or a code. Whoever changes a factor gives one: the password alone may be known to others.
pub async fn prove_owner(app: &App, user: &SignedInUser, asked: FactorProof) -> Result<()> {
    let session = own_session(user)?;
    confirm_owner(app, user, asked.password, WRONG).await?;
    if !app.store.has_second_factor(user.id).await? {
        return Ok(());
    }
    if let Some(answer) = &asked.passkey {
        let account = app.store.find_user(user.id).await?;
        return take_passkey(app, &account, answer).await;
    }
    count_code(app, user, session).await?;
    take_code(app, user.id, &asked.code).await
}

/// Counts a code that somebody types in this session.
pub async fn count_code(app: &App, user: &SignedInUser, session: SessionId) -> Result<()> {
    let place = format!("session {session}");
    Ok(app.limiter.allow_factor_code(user.id, Some(&place)).await?)
}

/// Takes a code: each opens something once.
async fn take_code(app: &App, user: UserId, typed: &str) -> Result<()> {
    let now = Timestamp::now();
    let is_taken = match read_code(user, typed) {
        GivenCode::App(code) => {
            let own = app.store.second_factor(user).await?;
            let own = own.filter(|own| own.confirmed.is_some());
            match own.and_then(|own| find_step(&own.secret, &code, now)) {
                Some(step) => app.store.take_factor_step(user, step).await?,
                None => false,
            }
        }
        GivenCode::Recovery(hash) => app.store.take_recovery_code(user, &hash, now).await?,
    };
    match is_taken {
        true => Ok(()),
        false => {
            tracing::info!(user = user.0, "a wrong code of a second factor");
            Err(wrong_code())
        }
    }
}

/// What is said of a wrong password.
const WRONG: (&str, &str) = (
    "password",
    "that is not the password of this account; type it again",
);

/// The error for a code that opens nothing.
pub fn wrong_code() -> ApiError {
    let message = "the code is wrong, too old or was used already; wait for the next one of the app, and look whether \
                   the device's clock is right";
    ApiError::invalid_field("wrong-code", "code", message)
}
