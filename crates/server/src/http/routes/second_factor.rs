//! Routes: the second factor of one's own account, and the step of the login that asks for it.

use std::time::Duration;

use leitai_store::SecondFactor;

use crate::accounts::passkey::NoPasskeys;
use crate::accounts::second_factor::{
    GivenCode, draw_link, find_step, make_recovery_codes, make_secret, read_code, write_link,
};
use crate::config::SecondFactorRule;
use crate::groups::routes::secret_answer;
use crate::http::caller::own_session;
use crate::http::prelude::*;
use crate::http::routes::owner_proof::{
    FactorProof, count_code, need_password, prove_owner, wrong_code,
};
use crate::http::routes::passkey_proof::why_no_passkeys;
use crate::http::routes::passkeys::PasskeySummary;

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

/// Recovery codes. Each works once, in place of a code of the app; they are shown only in this answer.
#[derive(Debug, Serialize, ToSchema)]
struct RecoveryCodes {
    #[schema(example = json!(["k7mw-qp3h-x2cd-9fzt"]))]
    recovery_codes: Vec<String>,
}

/// Whether the account has a second factor, and how many recovery codes are left.
#[utoipa::path(get, operation_id = "get_second_factor",
    path = "/api/me/second-factor", tag = "accounts", security(("session" = [])),
    responses((status = 200, body = FactorSummary), (status = 403, body = ErrorBody)))]
async fn show_factor(app: App, user: SignedInUser) -> Answer<FactorSummary> {
    own_session(&user)?;
    let since = app.store.second_factor(user.id).await?;
    let since = since.and_then(|own| own.confirmed);
    let passkeys = app.store.passkeys_of(user.id).await?;
    Ok(Json(FactorSummary {
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
    (status = 409, description = "there is one, or the account has no password", body = ErrorBody),
    (status = 422, description = "the password or the code is wrong", body = ErrorBody),
    (status = 429, body = ErrorBody)))]
async fn begin_factor(
    app: App,
    user: SignedInUser,
    Json(asked): Json<FactorProof>,
) -> Result<Response> {
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
    (status = 409, description = "no secret waits for a code", body = ErrorBody),
    (status = 422, description = "the code is wrong or too old", body = ErrorBody),
    (status = 429, body = ErrorBody)))]
async fn confirm_factor(
    app: App,
    user: SignedInUser,
    Json(asked): Json<FactorCode>,
) -> Result<Response> {
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
    (status = 409, description = "there is no second factor", body = ErrorBody),
    (status = 422, description = "the password or the code is wrong", body = ErrorBody),
    (status = 429, body = ErrorBody)))]
async fn replace_codes(
    app: App,
    user: SignedInUser,
    Json(asked): Json<FactorProof>,
) -> Result<Response> {
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
    request_body = FactorProof, responses((status = 204),
    (status = 409, description = "there is no second factor", body = ErrorBody),
    (status = 422, description = "the password or the code is wrong", body = ErrorBody),
    (status = 429, body = ErrorBody)))]
async fn remove_factor(
    app: App,
    user: SignedInUser,
    Json(asked): Json<FactorProof>,
) -> Result<StatusCode> {
    prove_owner(&app, &user, asked).await?;
    let removed = app.store.remove_second_factor(user.id, Timestamp::now());
    if !removed.await? {
        return Err(no_factor());
    }
    tracing::info!(user = user.id.0, "a second factor was switched off");
    Ok(StatusCode::NO_CONTENT)
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
