//! Routes: the second factor of one's own account, and the step of the login that asks for it.

use std::time::Duration;

use crate::http::handler::routes;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use leitai_store::{SecondFactor, SessionId, Timestamp, UserId};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;

use crate::accounts::passkey::NoPasskeys;
use crate::accounts::second_factor::{
    GivenCode, draw_link, find_step, make_recovery_codes, make_secret, read_code, write_link,
};
use crate::config::SecondFactorRule;
use crate::http::app::App;
use crate::http::caller::SignedInUser;
use crate::http::error::{ApiError, ErrorBody};
use crate::http::extract::Json;
use crate::http::routes::accounts::{confirm_owner, own_session};
use crate::http::routes::groups::secret_answer;
use crate::http::routes::passkeys::{PasskeySummary, take_passkey, why_no_passkeys};

/// How long a secret waits for the code that confirms it.
const WAITS: Duration = Duration::from_secs(3600);

/// Routes of the caller's second factor.
pub fn second_factor_routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(show_factor, begin_factor, remove_factor))
        .routes(routes!(confirm_factor))
        .routes(routes!(replace_codes))
}

/// The second factor of an account.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SecondFactor)]
struct FactorSummary {
    /// Whether logging in with the password asks for a code or a passkey.
    enabled: bool,
    /// Since when it asks for a code of an authenticator app; null: there is none.
    #[schema(value_type = Option<String>, format = DateTime)]
    since: Option<Timestamp>,
    /// How many recovery codes are left.
    #[schema(example = 10)]
    recovery_codes: u64,
    /// The passkeys, oldest first.
    passkeys: Vec<PasskeySummary>,
    /// Why no passkey can be registered; null: one can.
    no_passkeys: Option<NoPasskeys>,
    /// Whether this arena requires it of administrators and organisers.
    required: bool,
}

/// What an authenticator app needs. It is shown only in this answer.
#[derive(Debug, Serialize, ToSchema)]
struct FactorSecret {
    /// The secret in Base32, to be typed.
    #[schema(example = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ")]
    secret: String,
    /// A link with it, which apps open.
    link: String,
    /// The link as a QR code: an SVG.
    qr: String,
}

/// A code of the authenticator app.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct FactorCode {
    #[schema(example = "287082", max_length = 64)]
    code: String,
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

/// Recovery codes. Each works once, in place of a code of the app; they are shown only in this answer.
#[derive(Debug, Serialize, ToSchema)]
struct RecoveryCodes {
    #[schema(example = json!(["k7mw-qp3h-x2cd-9fzt"]))]
    recovery_codes: Vec<String>,
}

/// Whether the account has a second factor, and how many recovery codes are left.
#[utoipa::path(get, operation_id = "get_second_factor",
    path = "/api/me/second-factor", tag = "accounts", security(("session" = [])),
    responses((status = 200, body = FactorSummary), (status = 401, body = ErrorBody),
    (status = 403, body = ErrorBody)))]
async fn show_factor(
    State(app): State<App>,
    user: SignedInUser,
) -> Result<axum::Json<FactorSummary>, ApiError> {
    own_session(&user)?;
    let since = app.store.second_factor(user.id).await?;
    let since = since.and_then(|own| own.confirmed);
    let passkeys = app.store.passkeys_of(user.id).await?;
    Ok(axum::Json(FactorSummary {
        enabled: since.is_some() || !passkeys.is_empty(),
        passkeys: passkeys.into_iter().map(PasskeySummary::from).collect(),
        no_passkeys: why_no_passkeys(&app),
        since,
        recovery_codes: app.store.count_recovery_codes(user.id).await?,
        required: app.options.second_factor == SecondFactorRule::Required,
    }))
}

/// Makes a secret for an authenticator app. It counts once a code confirms it, within an hour. An
/// account with passkeys needs one of them, or a recovery code.
#[utoipa::path(post, operation_id = "begin_second_factor",
    path = "/api/me/second-factor", tag = "accounts", security(("session" = [])),
    request_body = FactorProof, responses((status = 200, body = FactorSecret),
    (status = 401, body = ErrorBody), (status = 403, body = ErrorBody),
    (status = 409, description = "there is one, or the account has no password", body = ErrorBody),
    (status = 422, description = "the password or the code is wrong", body = ErrorBody), (status = 429, body = ErrorBody)))]
async fn begin_factor(
    State(app): State<App>,
    user: SignedInUser,
    Json(asked): Json<FactorProof>,
) -> Result<Response, ApiError> {
    own_session(&user)?;
    need_password(&user)?;
    let own = app.store.second_factor(user.id).await?;
    if own.is_some_and(|own| own.confirmed.is_some()) {
        return Err(app_is_there());
    }
    prove_owner(&app, &user, asked).await?;
    let secret = make_secret();
    let begun = app
        .store
        .begin_second_factor(user.id, &secret, Timestamp::now());
    if !begun.await? {
        return Err(app_is_there());
    }
    let link = write_link(&secret, app.options.public_url.as_deref(), &user.name);
    let drawn = draw_link(&link);
    let qr =
        drawn.map_err(|error| ApiError::internal_error("the QR code was not drawn", &error))?;
    Ok(secret_answer(FactorSecret { secret, link, qr }))
}

/// Switches the second factor on by a code of the app. All other sessions end.
#[utoipa::path(post, operation_id = "confirm_second_factor",
    path = "/api/me/second-factor/confirm", tag = "accounts", security(("session" = [])),
    request_body = FactorCode, responses((status = 200, body = RecoveryCodes),
    (status = 401, body = ErrorBody), (status = 403, body = ErrorBody),
    (status = 409, description = "no secret waits for a code", body = ErrorBody),
    (status = 422, description = "the code is wrong or too old", body = ErrorBody), (status = 429, body = ErrorBody)))]
async fn confirm_factor(
    State(app): State<App>,
    user: SignedInUser,
    Json(asked): Json<FactorCode>,
) -> Result<Response, ApiError> {
    let (session, now) = (own_session(&user)?, Timestamp::now());
    count_code(&app, &user, session).await?;
    let waits = |own: &SecondFactor| own.confirmed.is_none() && now < own.created.after(WAITS);
    let own = app.store.second_factor(user.id).await?.filter(waits);
    let own = own.ok_or_else(nothing_waits)?;
    let step = match read_code(user.id, &asked.code) {
        GivenCode::App(code) => find_step(&own.secret, &code, now),
        GivenCode::Recovery(_) => None,
    };
    let step = step.ok_or_else(wrong_code)?;
    let (recovery_codes, hashes) = make_recovery_codes(user.id);
    let confirmed = app
        .store
        .confirm_second_factor(&own, step, &hashes, (session, now));
    if !confirmed.await? {
        return Err(nothing_waits());
    }
    tracing::info!(user = user.id.0, "a second factor was switched on");
    Ok(secret_answer(RecoveryCodes { recovery_codes }))
}

/// Makes ten new recovery codes; those before work no more.
#[utoipa::path(post, operation_id = "replace_recovery_codes",
    path = "/api/me/second-factor/recovery-codes", tag = "accounts", security(("session" = [])),
    request_body = FactorProof, responses((status = 200, body = RecoveryCodes),
    (status = 401, body = ErrorBody), (status = 403, body = ErrorBody),
    (status = 409, description = "there is no second factor", body = ErrorBody),
    (status = 422, description = "the password or the code is wrong", body = ErrorBody), (status = 429, body = ErrorBody)))]
async fn replace_codes(
    State(app): State<App>,
    user: SignedInUser,
    Json(asked): Json<FactorProof>,
) -> Result<Response, ApiError> {
    prove_owner(&app, &user, asked).await?;
    let (recovery_codes, hashes) = make_recovery_codes(user.id);
    let replaced = app
        .store
        .replace_recovery_codes(user.id, &hashes, Timestamp::now());
    if !replaced.await? {
        return Err(no_factor());
    }
    tracing::info!(user = user.id.0, "recovery codes were made anew");
    Ok(secret_answer(RecoveryCodes { recovery_codes }))
}

/// Switches the authenticator app off; passkeys stay.
#[utoipa::path(delete, operation_id = "remove_second_factor",
    path = "/api/me/second-factor", tag = "accounts", security(("session" = [])),
    request_body = FactorProof, responses((status = 204), (status = 401, body = ErrorBody),
    (status = 403, body = ErrorBody), (status = 409, description = "there is no second factor", body = ErrorBody),
    (status = 422, description = "the password or the code is wrong", body = ErrorBody), (status = 429, body = ErrorBody)))]
async fn remove_factor(
    State(app): State<App>,
    user: SignedInUser,
    Json(asked): Json<FactorProof>,
) -> Result<StatusCode, ApiError> {
    prove_owner(&app, &user, asked).await?;
    let removed = app.store.remove_second_factor(user.id, Timestamp::now());
    if !removed.await? {
        return Err(no_factor());
    }
    tracing::info!(user = user.id.0, "a second factor was switched off");
    Ok(StatusCode::NO_CONTENT)
}

/// Requires that the account has a password, without which its provider asks for what opens it.
pub fn need_password(user: &SignedInUser) -> Result<(), ApiError> {
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
) -> Result<(), ApiError> {
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
pub async fn prove_owner(
    app: &App,
    user: &SignedInUser,
    asked: FactorProof,
) -> Result<(), ApiError> {
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

async fn count_code(app: &App, user: &SignedInUser, session: SessionId) -> Result<(), ApiError> {
    let place = format!("session {session}");
    Ok(app.limiter.allow_factor_code(user.id, Some(&place)).await?)
}

/// Takes a code: each opens something once.
async fn take_code(app: &App, user: UserId, typed: &str) -> Result<(), ApiError> {
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

fn wrong_code() -> ApiError {
    let message = "the code is wrong, too old or was used already; wait for the next one of the app, and look whether \
                   the device's clock is right";
    ApiError::invalid_field("wrong-code", "code", message)
}

fn app_is_there() -> ApiError {
    let message = "this account has an authenticator app; switch it off first to use another one";
    ApiError::conflict("second-factor-on", message)
}

fn nothing_waits() -> ApiError {
    let message = "no secret waits for a code; begin to set up the second factor again";
    ApiError::conflict("second-factor-over", message)
}

fn no_factor() -> ApiError {
    let message = "this account has no second factor; set one up first";
    ApiError::conflict("no-second-factor", message)
}
