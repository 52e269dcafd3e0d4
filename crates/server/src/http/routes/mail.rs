//! Routes: the address of an account, and passwords that are set by mail.

use std::time::Duration;

use leitai_store::{MailAddress, Rate, TokenHash};

use crate::accounts::{password, secret};
use crate::client_address::ClientAddress;
use crate::http::caller::own_session;
use crate::http::layers::prefers_chinese;
use crate::http::prelude::*;
use crate::http::routes::owner_proof::{confirm_owner, need_recent_login};
use crate::mail::parse_address;

/// Mails to one address: three at once, then one in 20 minutes.
const RATE: Rate = Rate {
    burst: 3,
    each: Duration::from_secs(20 * 60),
};

/// Routes of mail.
pub fn mail_routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(show_address, set_address, remove_address))
        .routes(routes!(set_notices))
        .routes(routes!(confirm_address))
        .routes(routes!(ask_reset))
        .routes(routes!(reset_password))
}

/// Whether the arena sends mail, and where to.
#[derive(Debug, Serialize, ToSchema)]
struct MailSettings {
    /// Whether this arena sends mail at all.
    available: bool,
    /// The address of the account; null without one, and for guests.
    address: Option<String>,
    /// Whether its owner has confirmed it; before, nothing else is sent there.
    confirmed: bool,
    /// Whether the person is told of uploads that failed, once the address is confirmed.
    uploads: bool,
    /// Whether the person is told of contests that begin.
    contests: bool,
    /// Why the last mail was not sent: `refused`, `unreachable`, or `untrusted`: the certificate of the
    /// SMTP server; null if it was.
    problem: Option<String>,
}

/// An address.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct AddressRequest {
    #[schema(example = "ada@example.org", max_length = 254)]
    address: String,
    /// The password, because who has the address may set the password; empty for an account without
    /// one, whose session must be younger than 15 minutes.
    password: String,
}

/// What a person is told by mail.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct NoticesRequest {
    /// Uploads of the person's bots and teams that failed.
    uploads: bool,
    /// Contests that begin in which the person takes part.
    contests: bool,
}

/// The secret of a link.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct LinkRequest {
    #[schema(max_length = 200)]
    token: String,
}

/// An address whose owner has forgotten a password.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct ForgottenRequest {
    #[schema(example = "ada@example.org", max_length = 254)]
    address: String,
}

/// The secret of a link, and a new password.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct ResetRequest {
    #[schema(max_length = 200)]
    token: String,
    #[schema(min_length = 8, max_length = 200)]
    password: String,
}

fn settings(app: &App, own: Option<MailAddress>) -> MailSettings {
    MailSettings {
        available: app.mail.is_some(),
        confirmed: own.as_ref().is_some_and(|own| own.confirmed.is_some()),
        uploads: own.as_ref().is_some_and(|own| own.uploads),
        contests: own.as_ref().is_some_and(|own| own.contests),
        problem: own.as_ref().and_then(|own| own.problem.clone()),
        address: own.map(|own| own.address),
    }
}

/// Whether the arena sends mail, and the address of the account.
#[utoipa::path(get, operation_id = "get_mail_settings",
    path = "/api/me/mail", tag = "accounts", security((), ("session" = [])),
    responses((status = 200, body = MailSettings), (status = 403, body = ErrorBody)))]
async fn show_address(app: App, Caller(user): Caller) -> Answer<MailSettings> {
    let own = match user {
        Some(user) => {
            own_session(&user)?;
            app.store.mail_address(user.id).await?
        }
        None => None,
    };
    Ok(Json(settings(&app, own)))
}

/// Sets the address of the account, and sends a link there by which its owner confirms it. Mails
/// are in the language that `Accept-Language` asks for.
#[utoipa::path(put, operation_id = "set_mail_address",
    path = "/api/me/mail", tag = "accounts", security(("session" = [])), request_body = AddressRequest,
    responses((status = 200, body = MailSettings),
    (status = 409, description = "the arena sends no mail", body = ErrorBody), (status = 429, body = ErrorBody)))]
async fn set_address(
    app: App,
    user: SignedInUser,
    headers: HeaderMap,
    Json(asked): Json<AddressRequest>,
) -> Answer<MailSettings> {
    own_session(&user)?;
    need_mail(&app)?;
    let address = check_address(&asked.address)?;
    let wrong = "that is not the password of this account; type it again";
    confirm_owner(&app, &user, asked.password, ("password", wrong)).await?;
    let now = Timestamp::now();
    if let Err(wait) = count_mail(&app, &address, now).await? {
        return Err(ApiError::too_often(wait));
    }
    let lang = if prefers_chinese(&headers) {
        "zh"
    } else {
        "en"
    };
    let own = app.store.set_mail_address(user.id, &address, lang, now);
    Ok(Json(settings(&app, Some(own.await?))))
}

/// Sets what the account is told by mail.
#[utoipa::path(put, operation_id = "set_mail_notices",
    path = "/api/me/mail/notices", tag = "accounts", security(("session" = [])), request_body = NoticesRequest,
    responses((status = 204), (status = 404, description = "the account has no address", body = ErrorBody)))]
async fn set_notices(
    app: App,
    user: SignedInUser,
    Json(asked): Json<NoticesRequest>,
) -> Result<StatusCode> {
    own_session(&user)?;
    let set = app
        .store
        .set_mail_notices(user.id, asked.uploads, asked.contests);
    match set.await? {
        true => Ok(StatusCode::NO_CONTENT),
        false => Err(ApiError::not_found(
            "this account has no address for mail; set one first",
        )),
    }
}

/// Removes the address of the account, in a session younger than 15 minutes: nothing is sent there
/// any more.
#[utoipa::path(delete, operation_id = "remove_mail_address",
    path = "/api/me/mail", tag = "accounts", security(("session" = [])), responses((status = 204)))]
async fn remove_address(app: App, user: SignedInUser) -> Result<StatusCode> {
    own_session(&user)?;
    need_recent_login(&app, &user).await?;
    app.store.remove_mail_address(user.id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Confirms an address by the link that was sent there. It works once, for a day.
#[utoipa::path(post, operation_id = "confirm_mail_address",
    path = "/api/mail/confirm", tag = "accounts", request_body = LinkRequest, responses((status = 204),
    (status = 404, description = "the link is unknown, used or too old", body = ErrorBody)))]
async fn confirm_address(app: App, Json(asked): Json<LinkRequest>) -> Result<StatusCode> {
    let hash = link_hash(&asked.token)?;
    let found = app.store.confirm_mail_address(&hash, Timestamp::now());
    match found.await? {
        Some(_) => Ok(StatusCode::NO_CONTENT),
        None => Err(dead_link()),
    }
}

/// Sends a link by which a password is set to an address, if an account has confirmed it. The answer
/// does not tell whether one has.
#[utoipa::path(post, operation_id = "ask_password_reset",
    path = "/api/password-reset", tag = "accounts", request_body = ForgottenRequest, responses((status = 202),
    (status = 409, description = "the arena sends no mail", body = ErrorBody), (status = 429, body = ErrorBody)))]
async fn ask_reset(
    app: App,
    from: ClientAddress,
    Json(asked): Json<ForgottenRequest>,
) -> Result<StatusCode> {
    need_mail(&app)?;
    let address = check_address(&asked.address)?;
    app.limiter.allow_register(from).await?;
    let now = Timestamp::now();
    // Nobody is flooded with mail, and nobody learns that somebody was.
    if count_mail(&app, &address, now).await?.is_ok() {
        app.store.queue_resets(&address, now).await?;
    }
    Ok(StatusCode::ACCEPTED)
}

/// Sets a password by the link that was sent. It works once, for an hour; all sessions end, and API
/// tokens are revoked.
#[utoipa::path(post, operation_id = "reset_password",
    path = "/api/password-reset/confirm", tag = "accounts", request_body = ResetRequest, responses((status = 204),
    (status = 404, description = "the link is unknown, used or too old", body = ErrorBody),
    (status = 429, body = ErrorBody)))]
async fn reset_password(
    app: App,
    from: ClientAddress,
    Json(asked): Json<ResetRequest>,
) -> Result<StatusCode> {
    app.limiter.allow_register(from).await?;
    let hash = link_hash(&asked.token)?;
    let user = app.store.user_of_reset(&hash, Timestamp::now()).await?;
    let user = user.ok_or_else(dead_link)?;
    password::check_password(&asked.password, &user.name, "password")?;
    let password = app.passwords.hash(asked.password).await?;
    let done = app
        .store
        .reset_password(&hash, &password, Timestamp::now())
        .await?;
    match done {
        true => {
            tracing::info!(user = user.id.0, "a password was set by mail");
            Ok(StatusCode::NO_CONTENT)
        }
        false => Err(dead_link()),
    }
}

fn need_mail(app: &App) -> Result<()> {
    match app.mail {
        Some(_) => Ok(()),
        None => Err(ApiError::conflict(
            "no-mail",
            "this arena sends no mail; ask its administrator for a new password",
        )),
    }
}

fn check_address(text: &str) -> Result<String> {
    let refusal = || {
        let shown: String = text.chars().take(60).collect();
        let message =
            format!("{shown:?} is not an address for mail; write one such as ada@example.org");
        ApiError::invalid_field("bad-address", "address", message)
    };
    let address = parse_address(text).ok_or_else(refusal)?;
    Ok(address.to_string())
}

async fn count_mail(app: &App, address: &str, now: Timestamp) -> Result<Result<(), Duration>> {
    let key = format!("mail {}", address.to_lowercase());
    Ok(app.store.count_action(&key, RATE, now).await?)
}

fn link_hash(token: &str) -> Result<TokenHash> {
    match secret::is_plausible(token) {
        true => Ok(TokenHash::from_token(token)),
        false => Err(dead_link()),
    }
}

fn dead_link() -> ApiError {
    let message = "this link was used already or is too old; ask for another";
    ApiError {
        code: "dead-link",
        ..ApiError::not_found(message)
    }
}
