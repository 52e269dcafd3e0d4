//! Routes: passkeys of one's own account, and what a browser is asked when somebody logs in.

use std::time::Duration;

use axum_extra::extract::CookieJar;
use leitai_store::{
    AddedPasskey, ChallengeKind, NewPasskey, PASSKEYS, Passkey, PasskeyChallenge, PasskeyId,
};
use serde_json::Value;

use crate::accounts::passkey::{Asked, Refused, challenge_of_passkey};
use crate::accounts::second_factor::make_recovery_codes;
use crate::client_address::ClientAddress;
use crate::groups::routes::secret_answer;
use crate::http::caller::own_session;
use crate::http::prelude::*;
use crate::http::routes::accounts::check_password;
use crate::http::routes::owner_proof::{FactorProof, need_password, prove_owner};
use crate::http::routes::passkey_proof::{challenge_over, find_arena, wrong_passkey};
use crate::http::routes::tokens::check_label;

/// How long a challenge waits for its answer.
const WAITS: Duration = Duration::from_secs(300);

/// Routes of passkeys.
pub fn passkey_routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(begin_passkey))
        .routes(routes!(add_passkey))
        .routes(routes!(remove_passkey))
        .routes(routes!(begin_passkey_login))
}

/// A passkey.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Passkey)]
pub struct PasskeySummary {
    id: i64,
    #[schema(example = "laptop")]
    name: String,
    #[schema(value_type = String, format = DateTime)]
    created: Timestamp,
    /// When somebody last logged in with it.
    #[schema(value_type = Option<String>, format = DateTime)]
    used: Option<Timestamp>,
}

impl From<Passkey> for PasskeySummary {
    fn from(own: Passkey) -> PasskeySummary {
        PasskeySummary {
            id: own.id.0,
            name: own.name,
            created: own.created,
            used: own.used,
        }
    }
}

/// What a browser is asked.
#[derive(Debug, Serialize, ToSchema)]
struct PasskeyOptions {
    /// `PublicKeyCredentialCreationOptionsJSON` or `PublicKeyCredentialRequestOptionsJSON` of
    /// WebAuthn, which `PublicKeyCredential` of a browser parses.
    #[schema(value_type = Object)]
    options: Value,
}

/// A passkey that a browser has made.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct PasskeyMade {
    /// A name for it.
    #[schema(
        example = "laptop",
        min_length = 1,
        max_length = 60,
        pattern = r"^[^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f][^\x00-\x1f\x7f-\x9f]*$"
    )]
    name: String,
    /// The browser's answer: `RegistrationResponseJSON` of WebAuthn.
    #[schema(value_type = Object)]
    credential: Value,
}

/// What the account has gained. Recovery codes are made with the first second factor, and are shown
/// only in this answer; each works once.
#[derive(Debug, Serialize, ToSchema)]
struct PasskeyKept {
    #[schema(example = json!(["k7mw-qp3h-x2cd-9fzt"]))]
    recovery_codes: Vec<String>,
}

/// A name and a password.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct PasskeyLogin {
    #[schema(example = "ada", min_length = 2, max_length = 24)]
    name: String,
    #[schema(min_length = 8, max_length = 200)]
    password: String,
}

/// Asks the browser to make a passkey; its answer is awaited for five minutes. It needs the
/// password, and for an account with a second factor a code or another passkey.
#[utoipa::path(post, operation_id = "begin_passkey",
    path = "/api/me/passkeys/options", tag = "accounts", security(("session" = [])),
    request_body = FactorProof, responses((status = 200, body = PasskeyOptions),
    (status = 409, description = "the arena's address allows no passkeys, or the account has no password", body = ErrorBody),
    (status = 422, description = "the password or the code is wrong", body = ErrorBody),
    (status = 429, body = ErrorBody)))]
async fn begin_passkey(
    app: App,
    user: SignedInUser,
    Json(asked): Json<FactorProof>,
) -> Result<Response> {
    own_session(&user)?;
    let arena = find_arena(&app)?;
    need_password(&user)?;
    prove_owner(&app, &user, asked).await?;
    let own = app.store.passkeys_of(user.id).await?;
    let asked = arena.ask_to_register((user.id, &user.name), &own);
    keep_challenge(&app, user.id, ChallengeKind::Register, asked).await
}

/// Keeps a passkey that the browser has made. With the first second factor all other sessions end.
#[utoipa::path(post, operation_id = "add_passkey",
    path = "/api/me/passkeys", tag = "accounts", security(("session" = [])),
    request_body = PasskeyMade, responses((status = 200, body = PasskeyKept),
    (status = 409, description = "it is registered already, or there are too many", body = ErrorBody),
    (status = 422, description = "it answers another challenge, or another arena's", body = ErrorBody)))]
async fn add_passkey(
    app: App,
    user: SignedInUser,
    Json(asked): Json<PasskeyMade>,
) -> Result<Response> {
    let (session, now) = (own_session(&user)?, Timestamp::now());
    let name = check_label(&asked.name, "passkey")?;
    let arena = find_arena(&app)?;
    let hash = challenge_of_passkey(&asked.credential).map_err(wrong_passkey)?;
    let kind = (user.id, ChallengeKind::Register);
    let state = app.store.take_passkey_challenge(&hash, kind, now).await?;
    let state = state.ok_or_else(challenge_over)?;
    let made = arena.read_passkey(&state, &asked.credential);
    let made = made.map_err(wrong_passkey)?;
    let (recovery_codes, hashes) = make_recovery_codes(user.id);
    let new = NewPasskey {
        user: user.id,
        name,
        credential: made.credential,
        key: made.key,
        state: made.state,
    };
    let added = app.store.add_passkey(new, &hashes, (session, now)).await?;
    let recovery_codes = match added {
        AddedPasskey::First => recovery_codes,
        AddedPasskey::Another => Vec::new(),
        AddedPasskey::Taken => {
            let message = "this passkey is registered already; use another authenticator";
            return Err(ApiError::conflict("passkey-taken", message));
        }
        AddedPasskey::TooMany => {
            let message = format!("an account has at most {PASSKEYS} passkeys; remove one first");
            return Err(ApiError::conflict("too-many-passkeys", message));
        }
    };
    tracing::info!(user = user.id.0, "a passkey was added");
    Ok(secret_answer(PasskeyKept { recovery_codes }))
}

/// Removes a passkey. It needs the password, and a code or a passkey of the account.
#[utoipa::path(delete, operation_id = "remove_passkey",
    path = "/api/me/passkeys/{id}", tag = "accounts", security(("session" = [])),
    params(("id" = i64, Path)), request_body = FactorProof, responses((status = 204),
    (status = 422, description = "the password or the code is wrong", body = ErrorBody),
    (status = 429, body = ErrorBody)))]
async fn remove_passkey(
    app: App,
    user: SignedInUser,
    Path(id): Path<PasskeyId>,
    Json(asked): Json<FactorProof>,
) -> Result<StatusCode> {
    prove_owner(&app, &user, asked).await?;
    let removed = app.store.remove_passkey(user.id, id, Timestamp::now());
    if !removed.await? {
        return Err(ApiError::not_found(format!(
            "your account has no passkey {id}"
        )));
    }
    tracing::info!(user = user.id.0, "a passkey was removed");
    Ok(StatusCode::NO_CONTENT)
}

/// Asks the browser of somebody who logs in for a passkey of the account. Its answer is sent with
/// name and password to `/api/login` as `passkey`, within five minutes.
#[utoipa::path(post, operation_id = "begin_passkey_login",
    path = "/api/login/passkey", tag = "accounts", request_body = PasskeyLogin,
    responses((status = 200, body = PasskeyOptions),
    (status = 401, description = "no such name with this password", body = ErrorBody),
    (status = 403, description = "the account is locked", body = ErrorBody),
    (status = 409, description = "it has no passkey, or the arena's address allows none", body = ErrorBody),
    (status = 429, body = ErrorBody)))]
async fn begin_passkey_login(
    app: App,
    from: ClientAddress,
    jar: CookieJar,
    Json(asked): Json<PasskeyLogin>,
) -> Result<Response> {
    let (user, _) = check_password(&app, (from, &jar), &asked.name, asked.password).await?;
    let own = app.store.passkeys_of(user.id).await?;
    if own.is_empty() {
        let message = "this account has no passkey; give a code of its authenticator app";
        return Err(ApiError::conflict("no-passkey", message));
    }
    let asked = find_arena(&app)?.ask_to_log_in(&own);
    keep_challenge(&app, user.id, ChallengeKind::LogIn, asked).await
}

async fn keep_challenge(
    app: &App,
    user: UserId,
    kind: ChallengeKind,
    asked: Result<Asked, Refused>,
) -> Result<Response> {
    let asked = asked
        .map_err(|error| ApiError::internal_error("no challenge for a passkey was made", &error))?;
    let now = Timestamp::now();
    let new = PasskeyChallenge {
        hash: asked.hash,
        user,
        kind,
        state: asked.state,
        until: now.after(WAITS),
    };
    app.store.keep_passkey_challenge(new, now).await?;
    let options = asked.options;
    Ok(secret_answer(PasskeyOptions { options }).into_response())
}
