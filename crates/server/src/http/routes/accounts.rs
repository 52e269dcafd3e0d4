//! Routes: registration, login, logout, the present account, password.

use axum_extra::extract::CookieJar;
use leitai_store::{NewUser, PasswordEnds, TokenHash};

use crate::accounts::{names, password, secret};
use crate::client_address::ClientAddress;
use crate::contests::routes::access::organises_anything;
use crate::http::caller::{self, CallerProof, SESSION, own_session};
use crate::http::known_browser::{KnownBrowser, note_browser, read_browser};
use crate::http::prelude::*;
use crate::http::routes::owner_proof::{check_factor, confirm_owner};
use crate::http::routes::passkey_proof::take_passkey;

/// Routes of accounts.
pub fn account_routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(register_account))
        .routes(routes!(log_in))
        .routes(routes!(log_out))
        .routes(routes!(show_caller))
        .routes(routes!(change_password))
}

/// A name, a password, and for an account with a second factor a code.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Credentials {
    #[schema(example = "ada", min_length = 2, max_length = 24)]
    name: String,
    #[schema(min_length = 8, max_length = 200)]
    password: String,
    /// The code of the authenticator app, or a recovery code: once 401 `second-factor` asks for it.
    #[schema(example = "287082", max_length = 64)]
    code: Option<String>,
    /// In place of a code, the browser's answer to what `/api/login/passkey` asked:
    /// `AuthenticationResponseJSON` of WebAuthn.
    #[schema(value_type = Option<Object>)]
    passkey: Option<serde_json::Value>,
}

/// An account to be created.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Registration {
    #[schema(
        example = "ada",
        min_length = 2,
        max_length = 24,
        pattern = r"^[-_.]*[A-Za-z0-9\u3400-\u4dbf\u4e00-\u9fff][-_.A-Za-z0-9\u3400-\u4dbf\u4e00-\u9fff]*$"
    )]
    name: String,
    #[schema(min_length = 8, max_length = 200)]
    password: String,
    /// Only for the first account, which administers the arena: the secret that `leitai serve`
    /// printed when it started.
    secret: Option<String>,
}

/// A new password.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct PasswordChange {
    /// The present password; empty for an account without one, whose session must be younger than
    /// 15 minutes.
    old: String,
    #[schema(min_length = 8, max_length = 200)]
    new: String,
    /// Whether the API tokens of the account are revoked, too.
    #[serde(default)]
    revoke_tokens: bool,
}

/// The caller.
#[derive(Debug, Serialize, ToSchema)]
pub struct Me {
    /// The account; null for guests.
    user: Option<MeUser>,
    /// The value of `X-Leitai-Csrf` that a page must send; null for guests and for programs, which
    /// need none.
    csrf: Option<String>,
}

/// The caller's account.
#[derive(Debug, Serialize, ToSchema)]
struct MeUser {
    id: i64,
    #[schema(example = "ada")]
    name: String,
    /// Whether it may administer the arena.
    admin: bool,
    /// Whether an administrator gave it the right to add games.
    adds_games: bool,
    /// Whether it has a one-time password, which must be changed before anything else.
    must_change_password: bool,
    /// Whether it has a password; without one it is opened at a provider.
    has_password: bool,
    /// Whether it is an administrator's or an organiser's and has no rights as such before it has a
    /// second factor, which this arena requires.
    must_set_second_factor: bool,
}

impl Me {
    /// What a guest is.
    fn guest() -> Me {
        Me {
            user: None,
            csrf: None,
        }
    }

    /// What this caller is.
    async fn describe(app: &App, user: SignedInUser) -> Result<Me, StoreError> {
        let adds_games = app.store.may_add_games(user.id).await?;
        let must_set_second_factor = match user.with_second_factor() {
            Some(user) => user.admin || adds_games || organises_anything(app, &user).await?,
            None => false,
        };
        let csrf = user.csrf_token();
        Ok(Me {
            user: Some(MeUser {
                id: user.id.0,
                name: user.name,
                admin: user.admin,
                adds_games: adds_games && !user.withheld.organiser,
                must_change_password: user.must_change_password,
                has_password: user.has_password,
                must_set_second_factor,
            }),
            csrf,
        })
    }
}

impl IntoResponse for Me {
    fn into_response(self) -> axum::response::Response {
        (
            [(header::CACHE_CONTROL, HeaderValue::from_static("no-store"))],
            Json(self),
        )
            .into_response()
    }
}

/// Creates an account and logs in. The first account of an arena without an administrator becomes
/// its administrator and needs the one-time secret that the server printed when it started.
#[utoipa::path(post, operation_id = "register_account",
    path = "/api/register", tag = "accounts", request_body = Registration, responses((status = 200, body = Me),
    (status = 403, description = "closed, or the first account without its secret", body = ErrorBody),
    (status = 409, description = "the name is taken", body = ErrorBody), (status = 429, body = ErrorBody)))]
async fn register_account(
    app: App,
    from: ClientAddress,
    jar: CookieJar,
    Json(asked): Json<Registration>,
) -> Result<(CookieJar, KnownBrowser, Me)> {
    let name = names::check_name(&asked.name)?.to_owned();
    password::check_password(&asked.password, &name, "password")?;
    app.limiter.allow_register(from).await?;
    // Checked early, because the hash takes a tenth of a second of a core.
    if app.store.user_by_name(&name).await?.is_some() {
        let taken = ApiError::conflict(
            "taken",
            format!("the name `{name}` is taken; choose another"),
        );
        return Err(ApiError {
            field: Some("name"),
            ..taken
        });
    }
    app.store
        .check_account_name(&name, Timestamp::now())
        .await?;
    if !may_open(&app, asked.secret.as_deref()).await? {
        names::check_reserved(&name, &app.games)?;
    }
    let hash = app.passwords.hash(asked.password).await?;
    let user = open_account(&app, name, hash, asked.secret.as_deref()).await?;
    tracing::info!(
        user = user.id.0,
        admin = user.admin,
        "an account was opened"
    );
    let known = note_browser(&app, &jar, user.id).await?;
    let (jar, me) = open_session(&app, jar, user).await?;
    Ok((jar, known, me))
}

/// Checks that an account may be created, and whether it becomes an administrator's.
async fn may_open(app: &App, secret: Option<&str>) -> Result<bool> {
    let admin = !app.store.has_admin().await?;
    if !admin && !app.options.registration {
        let why = "registration is closed here; ask the administrator of this arena";
        return Err(ApiError::forbidden("closed", why));
    }
    if admin && !knows_first_secret(app, secret).await? {
        let why = "the first account administers the arena: open the link that `leitai serve` printed when it started, \
                   or give the secret in it";
        return Err(ApiError {
            field: Some("secret"),
            ..ApiError::forbidden("first-account", why)
        });
    }
    Ok(admin)
}

/// Whether somebody knows the secret that this server printed, or another one of the arena.
async fn knows_first_secret(app: &App, secret: Option<&str>) -> Result<bool> {
    let Some(secret) = secret else {
        return Ok(false);
    };
    // The hashes are compared, so that the time reveals nothing about the secret.
    let secret = TokenHash::from_token(secret.trim());
    let is_own = secret == TokenHash::from_token(&app.first_secret);
    Ok(is_own || app.store.is_first_secret(&secret).await?)
}

/// Creates the account. Of several people who know a secret and come at the same time, at whichever
/// servers, the first one administers the arena.
async fn open_account(
    app: &App,
    name: String,
    password: String,
    secret: Option<&str>,
) -> Result<leitai_store::User> {
    let admin = may_open(app, secret).await?;
    let new = NewUser {
        name,
        password,
        admin: false,
    };
    let now = Timestamp::now();
    if admin {
        if let Some(first) = app.store.create_first_admin(new.clone(), now).await? {
            return Ok(first);
        }
        may_open(app, secret).await?;
        names::check_reserved(&new.name, &app.games)?;
    }
    Ok(app.store.create_user(new, now).await?)
}

/// Logs in. An account with a second factor needs a code, too: 401 `second-factor` says that the
/// password is right and a code is missing; then the same request is sent again with `code`. If it has
/// passkeys, `field` is `passkey`: then one of them does, too.
#[utoipa::path(post, operation_id = "log_in",
    path = "/api/login", tag = "accounts", request_body = Credentials, responses(
    (status = 200, body = Me),
    (status = 401, description = "no such name with this password, or the code is missing", body = ErrorBody),
    (status = 403, description = "the account is locked", body = ErrorBody),
    (status = 422, description = "the code is wrong, too old or was used", body = ErrorBody),
    (status = 429, body = ErrorBody),
))]
async fn log_in(
    app: App,
    from: ClientAddress,
    jar: CookieJar,
    Json(asked): Json<Credentials>,
) -> Result<(CookieJar, KnownBrowser, Me)> {
    let (user, browser) = check_password(&app, (from, &jar), &asked.name, asked.password).await?;
    match &asked.passkey {
        Some(answer) => take_passkey(&app, &user, answer).await?,
        None => {
            let place = browser.as_ref().map(TokenHash::as_str);
            check_factor(&app, user.id, place, asked.code.as_deref()).await?;
        }
    }
    let known = note_browser(&app, &jar, user.id).await?;
    let (jar, me) = open_session(&app, jar, user).await?;
    Ok((jar, known, me))
}

/// The account with this name and password, if it is open, and the browser if the account knows it.
pub async fn check_password(
    app: &App,
    (from, jar): (ClientAddress, &CookieJar),
    name: &str,
    password: String,
) -> Result<(leitai_store::User, Option<TokenHash>)> {
    let user = app.store.user_by_name(name.trim()).await?;
    let browser = count_login(app, from, jar, name, user.as_ref()).await?;
    let stored = user.as_ref().map(|user| user.password.clone());
    let is_right = app.passwords.is_right(password, stored).await?;
    let Some(user) = user.filter(|_| is_right) else {
        let message = "the name or the password is wrong; passwords are case-sensitive";
        return Err(ApiError::new(
            axum::http::StatusCode::UNAUTHORIZED,
            "bad-login",
            message,
        ));
    };
    if user.disabled {
        return Err(ApiError::forbidden(
            "disabled",
            "this account is locked; ask the administrator of this arena",
        ));
    }
    Ok((user, browser))
}

/// Counts an attempt to log in: one with a browser in which somebody has logged in to the account
/// before apart from those of strangers, who would keep the holder out otherwise. Returns that
/// browser.
async fn count_login(
    app: &App,
    from: ClientAddress,
    jar: &CookieJar,
    name: &str,
    user: Option<&leitai_store::User>,
) -> Result<Option<TokenHash>> {
    if let (Some(browser), Some(user)) = (read_browser(app, jar), user) {
        let (browser, now) = (TokenHash::from_token(&browser), Timestamp::now());
        if app.store.knows_browser(&browser, user.id, now).await? {
            app.limiter.allow_known_login(&browser, user.id).await?;
            return Ok(Some(browser));
        }
    }
    app.limiter.allow_login(from, name).await?;
    Ok(None)
}

/// Logs this browser in.
pub async fn open_session(
    app: &App,
    jar: CookieJar,
    user: leitai_store::User,
) -> Result<(CookieJar, Me)> {
    let (token, now) = (secret::make_token(""), Timestamp::now());
    let session = app
        .store
        .create_session(
            user.id,
            TokenHash::from_token(&token),
            now,
            now.after(SESSION),
        )
        .await?;
    let jar = jar.add(caller::session_cookie(&app.options, Some(token.clone())));
    let user = SignedInUser::in_session(app, user, session.id, token).await?;
    Ok((jar, Me::describe(app, user).await?))
}

/// Logs out: ends the session with its cookie and its `csrf`.
#[utoipa::path(post, operation_id = "log_out",
    path = "/api/logout", tag = "accounts",
    security((), ("token" = []), ("session" = [])), responses((status = 200, body = Me)))]
async fn log_out(app: App, Caller(user): Caller, jar: CookieJar) -> Result<(CookieJar, Me)> {
    if let Some(SignedInUser {
        by: CallerProof::Session { id, .. },
        ..
    }) = user
    {
        app.store.end_session(id).await?;
    }
    Ok((
        jar.add(caller::session_cookie(&app.options, None)),
        Me::guest(),
    ))
}

/// The caller's account and CSRF token.
#[utoipa::path(get, operation_id = "get_own_account",
    path = "/api/me", tag = "accounts",
    security((), ("token" = []), ("session" = [])), responses((status = 200, body = Me)))]
async fn show_caller(app: App, Caller(user): Caller) -> Result<Me> {
    Ok(match user {
        Some(user) => Me::describe(&app, user).await?,
        None => Me::guest(),
    })
}

/// Changes the password. All other sessions end, on request API tokens, too.
#[utoipa::path(post, operation_id = "change_password",
    path = "/api/me/password", tag = "accounts",
    security(("session" = [])), request_body = PasswordChange, responses((status = 204)))]
async fn change_password(
    app: App,
    user: SignedInUser,
    Json(asked): Json<PasswordChange>,
) -> Result<axum::http::StatusCode> {
    let keep = own_session(&user)?;
    password::check_password(&asked.new, &user.name, "new")?;
    let wrong = "the current password is wrong; type it again";
    confirm_owner(&app, &user, asked.old, ("old", wrong)).await?;
    let hash = app.passwords.hash(asked.new).await?;
    let ends = PasswordEnds::Others {
        keep,
        tokens: asked.revoke_tokens,
    };
    app.store.set_password(user.id, &hash, ends).await?;
    Ok(axum::http::StatusCode::NO_CONTENT)
}
