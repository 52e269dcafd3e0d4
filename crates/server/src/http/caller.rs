//! Authentication: a caller is anonymous, or an account identified by a session cookie or an API
//! token.

use std::time::Duration;

use axum::extract::{FromRequestParts, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use axum_extra::extract::CookieJar;
use axum_extra::extract::cookie::{Cookie, SameSite};
use leitai_store::{
    GameActor, SessionId, StoreError, Timestamp, TokenHash, TokenKind, TokenScope, TokenScopes,
    User, UserId,
};
use subtle::ConstantTimeEq;

use crate::accounts::secret;
use crate::config::{SecondFactorRule, ServerOptions};
use crate::http::app::App;
use crate::http::error::{ApiError, Result, wrong_method};
use crate::mcp;

/// The header of the CSRF token (see [`csrf_token`](SignedInUser::csrf_token)).
pub const CSRF_HEADER: &str = "x-leitai-csrf";
/// The lifetime of a session.
pub const SESSION: Duration = Duration::from_secs(30 * 24 * 3600);

/// The caller's account, if there is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller(pub Option<SignedInUser>);

/// A signed-in caller. As an extractor it refuses all others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedInUser {
    /// The account.
    pub id: UserId,
    /// Its name.
    pub name: String,
    /// Whether it may administer the arena; with a token, only if the token has that scope.
    pub admin: bool,
    /// What the arena's rule of second factors keeps from it.
    pub withheld: WithheldRights,
    /// Whether somebody else chose its password: it must be changed before anything else.
    pub must_change_password: bool,
    /// Whether it has a password; without one it is opened at a provider.
    pub has_password: bool,
    /// The proof of identity.
    pub by: CallerProof,
}

/// What an account may not do before it has a second factor, where the operator requires one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WithheldRights {
    /// Administer the arena, which it could otherwise.
    pub admin: bool,
    /// Organise groups and contests, if it is an organiser.
    pub organiser: bool,
}

impl WithheldRights {
    /// What is kept from this account; with a token, `admin` says whether it would administer.
    async fn find(app: &App, user: &User, admin: bool) -> Result<WithheldRights, StoreError> {
        // An account without a password is opened at a provider, which asks for what it wants.
        let is_required = app.options.second_factor == SecondFactorRule::Required;
        if !is_required || !user.has_password() || app.store.has_second_factor(user.id).await? {
            return Ok(WithheldRights::default());
        }
        Ok(WithheldRights {
            admin,
            organiser: true,
        })
    }
}

/// The proof of a caller's identity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallerProof {
    /// A session cookie.
    Session {
        /// The session.
        id: SessionId,
        /// The value of the cookie.
        token: String,
    },
    /// An API token.
    Token {
        /// Its rights besides reading.
        scopes: TokenScopes,
    },
}

/// An administrator. As an extractor it refuses all others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedInAdmin(pub SignedInUser);

/// Who may add and change games: an administrator all of them, whom one gave the right those of one's
/// own. As an extractor it refuses all others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameKeeper {
    /// The caller.
    pub user: SignedInUser,
    /// What the caller may change.
    pub actor: GameActor,
}

impl Caller {
    /// The account, if there is one.
    pub fn user_id(&self) -> Option<UserId> {
        self.0.as_ref().map(|user| user.id)
    }

    /// The signed-in caller, if it is one.
    pub fn user(&self) -> Option<&SignedInUser> {
        self.0.as_ref()
    }

    /// Whether the caller is an administrator.
    pub fn is_admin(&self) -> bool {
        self.0.as_ref().is_some_and(|user| user.admin)
    }
}

impl SignedInUser {
    /// The caller in a session of this account.
    pub async fn in_session(
        app: &App,
        user: User,
        session: SessionId,
        token: String,
    ) -> Result<SignedInUser, StoreError> {
        let by = CallerProof::Session { id: session, token };
        SignedInUser::with_all_rights(app, user, by).await
    }

    /// The holder of this account, who is not here: what the account may do at this moment.
    pub async fn in_absence(app: &App, user: User) -> Result<SignedInUser, StoreError> {
        let scopes = TokenScopes::default();
        SignedInUser::with_all_rights(app, user, CallerProof::Token { scopes }).await
    }

    async fn with_all_rights(
        app: &App,
        user: User,
        by: CallerProof,
    ) -> Result<SignedInUser, StoreError> {
        let withheld = WithheldRights::find(app, &user, user.admin).await?;
        Ok(SignedInUser {
            id: user.id,
            has_password: user.has_password(),
            name: user.name,
            admin: user.admin && !withheld.admin,
            withheld,
            must_change_password: user.password_temporary,
            by,
        })
    }

    /// The same caller as if it had a second factor: whether that is what is missing.
    pub fn with_second_factor(&self) -> Option<SignedInUser> {
        let withheld = (self.withheld != WithheldRights::default()).then_some(self.withheld)?;
        Some(SignedInUser {
            admin: self.admin || withheld.admin,
            withheld: WithheldRights::default(),
            ..self.clone()
        })
    }

    /// Refuses a token that lacks this scope; a session may all that the account may.
    pub fn need_scope(&self, needed: TokenScope) -> Result<()> {
        match &self.by {
            CallerProof::Token { scopes } if !scopes.has(needed) => {
                let message = format!(
                    "this API token lacks the scope `{}`; make one that has it on the page of your account",
                    needed.as_str()
                );
                Err(ApiError::forbidden("scope", message))
            }
            _ => Ok(()),
        }
    }

    /// The CSRF token that a page sends beside its cookie; requests with an API token need none.
    pub fn csrf_token(&self) -> Option<String> {
        match &self.by {
            CallerProof::Session { token, .. } => Some(secret::csrf_token(token)),
            CallerProof::Token { .. } => None,
        }
    }
}

impl FromRequestParts<App> for Caller {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Caller> {
        if let Some(known) = parts.extensions.get::<Caller>() {
            return Ok(known.clone());
        }
        let caller = identify_caller(app, &parts.headers).await?;
        parts.extensions.insert(caller.clone());
        Ok(caller)
    }
}

impl FromRequestParts<App> for SignedInUser {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<SignedInUser> {
        let user = Caller::from_request_parts(parts, app).await?.0;
        let user = user.ok_or_else(ApiError::needs_login)?;
        check_password_changed(&user, parts.uri.path())?;
        Ok(user)
    }
}

impl FromRequestParts<App> for SignedInAdmin {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<SignedInAdmin> {
        let user = SignedInUser::from_request_parts(parts, app).await?;
        if user.admin {
            return Ok(SignedInAdmin(user));
        }
        if user.withheld.admin {
            return Err(second_factor_required());
        }
        let message =
            "only administrators may do this, and API tokens with the scope `admin` of theirs";
        Err(ApiError::forbidden("not-admin", message))
    }
}

impl FromRequestParts<App> for GameKeeper {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<GameKeeper> {
        let user = SignedInUser::from_request_parts(parts, app).await?;
        if user.admin {
            let actor = GameActor::Admin(user.id);
            return Ok(GameKeeper { user, actor });
        }
        let may = app.store.may_add_games(user.id).await?;
        if user.withheld.admin || (may && user.withheld.organiser) {
            return Err(second_factor_required());
        }
        if !may {
            let message = "only administrators may do this, and accounts to which one gave the right to add games";
            return Err(ApiError::forbidden("not-admin", message));
        }
        let actor = GameActor::Holder(user.id, app.options.games.into());
        Ok(GameKeeper { user, actor })
    }
}

/// Middleware: refuses every modifying request with a session cookie but without its CSRF token,
/// and every request that the token's scopes do not allow. It runs before all handlers, so that
/// none can forget it. Methods that no route takes are refused here, so that none bypasses scopes.
pub async fn guard_request(app: App, mut request: Request, next: Next) -> Response {
    match *request.method() {
        Method::GET | Method::HEAD | Method::OPTIONS => return next.run(request).await,
        Method::POST | Method::PUT | Method::PATCH | Method::DELETE => {}
        _ => {
            let (method, uri) = (request.method().clone(), request.uri().clone());
            return wrong_method(method, uri).await.into_response();
        }
    }
    let checked = match identify_caller(&app, request.headers()).await {
        Ok(caller) => check_csrf(&caller, request.headers())
            .and_then(|()| check_scope(&caller, request.uri().path()))
            .and_then(|()| match &caller.0 {
                Some(user) => check_password_changed(user, request.uri().path()),
                None => Ok(()),
            })
            .map(|()| caller),
        Err(refusal) => Err(refusal),
    };
    match checked {
        Ok(caller) => {
            request.extensions_mut().insert(caller);
            next.run(request).await
        }
        Err(refusal) => refusal.into_response(),
    }
}

/// Refuses everything but a new password, and the end of the session, to an account whose password
/// somebody else chose.
fn check_password_changed(user: &SignedInUser, path: &str) -> Result<()> {
    if !user.must_change_password || matches!(path, "/api/me/password" | "/api/logout") {
        return Ok(());
    }
    let message = "this is a one-time password; choose a password of your own first, on the page of your account";
    Err(ApiError::forbidden("change-password", message))
}

fn check_csrf(caller: &Caller, headers: &HeaderMap) -> Result<()> {
    let Some(expected) = caller.0.as_ref().and_then(SignedInUser::csrf_token) else {
        return Ok(());
    };
    let sent = headers
        .get(CSRF_HEADER)
        .map_or(&b""[..], |value| value.as_bytes());
    if bool::from(sent.ct_eq(expected.as_bytes())) {
        return Ok(());
    }
    let message = "the header X-Leitai-Csrf is not the one of this session; load the page again";
    Err(ApiError::forbidden("csrf", message))
}

/// Whether a token's scopes allow this request. Paths that are not listed need an administrator's
/// token.
fn check_scope(caller: &Caller, path: &str) -> Result<()> {
    let Some(user) = &caller.0 else {
        return Ok(());
    };
    let CallerProof::Token { scopes } = &user.by else {
        return Ok(());
    };
    // Its tools are requests of their own, each with its scope.
    if path == mcp::PATH {
        return Ok(());
    }
    let mut sections = path.trim_start_matches("/api/").split('/');
    let section = sections.next().unwrap_or_default();
    let part = sections.next().unwrap_or_default();
    let needed = match section {
        "teams" if path.ends_with("/webhooks") => TokenScope::Admin,
        "bots" | "versions" | "teams" | "experiments" | "benchmarks" => TokenScope::Submit,
        "groups" => TokenScope::Organise,
        "contests" if path.ends_with("/join") || path.ends_with("/leave") => TokenScope::Submit,
        // Administrators' tokens as before, and those of organisers.
        "contests" | "contest-checks" if scopes.has(TokenScope::Admin) => return Ok(()),
        "contests" | "contest-checks" => TokenScope::Organise,
        "matches" | "human-matches" | "home-bots" | "invites" => TokenScope::Play,
        // Administrators' tokens as before, and those of whom one gave the right.
        "admin" if matches!(part, "games" | "game-versions") && !scopes.has(TokenScope::Admin) => {
            TokenScope::Games
        }
        // Open to everybody.
        "replays" | "login" | "logout" | "register" | "mail" | "password-reset" => return Ok(()),
        "me" | "sign-in" | "newcomer" => return Err(session_only()),
        _ => TokenScope::Admin,
    };
    user.need_scope(needed)
}

/// The error for actions of administrators and organisers without the second factor that the arena
/// requires of them.
pub fn second_factor_required() -> ApiError {
    ApiError::forbidden(
        "second-factor-required",
        "this arena requires a second factor of administrators and organisers; set one up on the page of your account \
         first",
    )
}

/// The error for actions that need a session instead of a token.
pub fn session_only() -> ApiError {
    ApiError::forbidden(
        "session-only",
        "an API token may not do this; log in on the page",
    )
}

/// Identifies the caller. A bearer token takes precedence over a cookie. The cookie of an ended
/// session is ignored.
async fn identify_caller(app: &App, headers: &HeaderMap) -> Result<Caller> {
    if let Some(token) = bearer_token(headers) {
        // Workers have no accounts; their routes check the token themselves.
        let is_worker = token.starts_with(secret::WORKER_PREFIX);
        return if is_worker {
            Ok(Caller(None))
        } else {
            by_token(app, token).await
        };
    }
    let jar = CookieJar::from_headers(headers);
    match jar.get(cookie_name(&app.options)).map(Cookie::value) {
        Some(token) if secret::is_plausible(token) => by_session(app, token).await,
        _ => Ok(Caller(None)),
    }
}

async fn by_session(app: &App, token: &str) -> Result<Caller> {
    let found = app
        .store
        .find_session(&TokenHash::from_token(token), Timestamp::now())
        .await?;
    Ok(Caller(match found {
        Some((session, user)) => {
            Some(SignedInUser::in_session(app, user, session.id, token.to_owned()).await?)
        }
        None => None,
    }))
}

/// Identifies the caller by an API token. A wrong token is an error and not an anonymous request:
/// its sender expects to be known.
async fn by_token(app: &App, token: &str) -> Result<Caller> {
    let refusal = || {
        let message = "the API token is unknown, revoked, expired or of a locked account; create another on the page of your account";
        ApiError::new(StatusCode::UNAUTHORIZED, "token", message)
    };
    if !secret::is_plausible(token) {
        return Err(refusal());
    }
    let found = app
        .store
        .find_token(&TokenHash::from_token(token), Timestamp::now())
        .await?;
    let author = found.filter(|(token, _)| token.kind == TokenKind::Author);
    let (scopes, user) = author
        .and_then(|(token, user)| Some((token.scopes, user?)))
        .ok_or_else(refusal)?;
    let admin = user.admin && scopes.has(TokenScope::Admin);
    let withheld = WithheldRights::find(app, &user, admin).await?;
    Ok(Caller(Some(SignedInUser {
        id: user.id,
        has_password: user.has_password(),
        name: user.name,
        admin: admin && !withheld.admin,
        withheld,
        // A token was made by the owner.
        must_change_password: false,
        by: CallerProof::Token { scopes },
    })))
}

/// The token after `Authorization: Bearer`.
pub fn bearer_token(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// The name of the session cookie. Browsers accept the prefix only over https.
pub fn cookie_name(options: &ServerOptions) -> &'static str {
    if options.is_secure() {
        "__Host-leitai"
    } else {
        "leitai"
    }
}

/// The `Set-Cookie` value of a session; without a token, one that removes the cookie.
pub fn session_cookie(options: &ServerOptions, token: Option<String>) -> Cookie<'static> {
    let age = if token.is_some() {
        SESSION
    } else {
        Duration::ZERO
    };
    let token = token.unwrap_or_default();
    secret_cookie(options, cookie_name(options), token, age)
}

/// A cookie that no script reads and no other site's request brings.
pub fn secret_cookie(
    options: &ServerOptions,
    name: &'static str,
    token: String,
    age: Duration,
) -> Cookie<'static> {
    Cookie::build((name, token))
        .path("/")
        .http_only(true)
        .same_site(SameSite::Lax)
        .secure(options.is_secure())
        .max_age(age.try_into().expect("it is short"))
        .build()
}

/// Requires a session: an API token may neither change the password nor create other tokens.
pub fn own_session(user: &SignedInUser) -> Result<SessionId> {
    match user.by {
        CallerProof::Session { id, .. } => Ok(id),
        CallerProof::Token { .. } => Err(session_only()),
    }
}
