//! Routes: sign in by OpenID Connect, and the accounts at providers that open an account here.

use std::time::Duration;

use axum::extract::{Path, Query};
use axum::response::Redirect;
use axum_extra::extract::CookieJar;
use axum_extra::extract::cookie::Cookie;
use leitai_store::{IdentityId, Newcomer, SignIn, TokenHash, User};

use crate::accounts::{names, secret};
use crate::client_address::ClientAddress;
use crate::config::ServerOptions;
use crate::http::caller::{own_session, secret_cookie};
use crate::http::prelude::*;
use crate::http::routes::accounts::{Me, open_session};
use crate::http::routes::owner_proof::need_recent_login;
use crate::oidc::provider::Provider;
use crate::oidc::{Person, SignInProblem, SignInSecrets, make_state};

/// How long a person may take at the provider, and then to choose a name.
const LASTS: Duration = Duration::from_secs(20 * 60);
/// Bytes of the page to which a person returns.
pub const RETURN: usize = 500;
/// Bytes of a code of a provider.
const CODE: usize = 4096;
/// Numbers that are tried after a proposed name.
const NUMBERS: std::ops::RangeInclusive<u32> = 2..=99;

/// Routes of sign-ins.
pub fn sign_in_routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list_providers))
        .routes(routes!(begin_sign_in))
        .routes(routes!(finish_sign_in))
        .routes(routes!(show_newcomer, admit_newcomer))
        .routes(routes!(list_identities))
        .routes(routes!(unlink_identity))
}

/// A provider.
#[derive(Debug, Serialize, ToSchema)]
struct ProviderSummary {
    #[schema(example = "campus")]
    id: String,
    /// Its name.
    name: ProviderName,
}

/// The name of a provider in both languages.
#[derive(Debug, Serialize, ToSchema)]
struct ProviderName {
    #[schema(example = "Campus login")]
    en: String,
    zh: String,
}

/// What a person wants of a provider.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct SignInRequest {
    /// The page to which the person returns: a path of this arena.
    #[schema(example = "/account", max_length = 500)]
    return_to: Option<String>,
    /// Whether the account at the provider is linked to the account that is logged in; else the
    /// person logs in with it.
    #[serde(default)]
    link: bool,
}

/// Where the browser goes.
#[derive(Debug, Serialize, ToSchema)]
struct SignInAddress {
    /// The address at the provider.
    url: String,
}

/// What a provider sends back. Others send more.
#[derive(Deserialize)]
struct ProviderAnswer {
    code: Option<String>,
    state: Option<String>,
    error: Option<String>,
    iss: Option<String>,
}

/// A person who has signed in for the first time.
#[derive(Debug, Serialize, ToSchema)]
struct NewcomerSummary {
    provider: ProviderName,
    /// The name that is proposed: free and allowed. Empty if there is none.
    #[schema(example = "ada")]
    name: String,
    /// The page to which the person returns.
    #[schema(example = "/account")]
    return_to: String,
}

/// The name of a new account.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct ChosenName {
    #[schema(example = "ada", min_length = 2, max_length = 24)]
    name: String,
}

/// An account at a provider that opens this account.
#[derive(Debug, Serialize, ToSchema)]
struct IdentitySummary {
    id: i64,
    /// The provider; its id if it is no longer offered.
    provider: ProviderName,
    #[schema(value_type = String)]
    linked: Timestamp,
    /// When somebody last signed in with it.
    #[schema(value_type = String)]
    used: Timestamp,
}

fn provider_name(provider: &Provider) -> ProviderName {
    let config = provider.config();
    ProviderName {
        en: config.name.clone(),
        zh: config
            .name_zh
            .clone()
            .unwrap_or_else(|| config.name.clone()),
    }
}

fn name_of(app: &App, id: &str) -> ProviderName {
    match app.providers.find(id) {
        Some(provider) => provider_name(provider),
        None => ProviderName {
            en: id.to_owned(),
            zh: id.to_owned(),
        },
    }
}

/// The providers with which people sign in here; none in most arenas.
#[utoipa::path(get, operation_id = "list_sign_in_providers",
    path = "/api/sign-in", tag = "accounts", responses((status = 200, body = Vec<ProviderSummary>)))]
async fn list_providers(app: App) -> Json<Vec<ProviderSummary>> {
    let all = app.providers.list().map(|provider| ProviderSummary {
        id: provider.config().id.clone(),
        name: provider_name(provider),
    });
    Json(all.collect())
}

/// Begins to sign in with a provider: the browser gets a cookie and goes to the address. With
/// `link` the account there is linked to the account that is logged in, in a session younger than
/// 15 minutes.
#[utoipa::path(post, operation_id = "begin_sign_in",
    path = "/api/sign-in/{provider}", tag = "accounts", params(("provider" = String, Path)),
    security((), ("session" = [])), request_body = SignInRequest, responses((status = 200, body = SignInAddress),
    (status = 429, body = ErrorBody),
    (status = 502, description = "the provider does not answer as it should", body = ErrorBody)))]
async fn begin_sign_in(
    app: App,
    from: ClientAddress,
    Path(id): Path<String>,
    Caller(user): Caller,
    jar: CookieJar,
    Json(asked): Json<SignInRequest>,
) -> Result<(CookieJar, Json<SignInAddress>)> {
    let provider = find_provider(&app, &id)?;
    let return_to = asked.return_to.unwrap_or_else(|| "/account".to_owned());
    if !is_own_page(&return_to) {
        let message = "return_to is no page of this arena; write a path such as /account";
        return Err(ApiError::invalid_field("bad-return", "return_to", message));
    }
    let user = match (asked.link, user) {
        (false, _) => None,
        (true, None) => return Err(ApiError::needs_login()),
        (true, Some(user)) => {
            own_session(&user)?;
            need_recent_login(&app, &user).await?;
            Some(user.id)
        }
    };
    app.limiter.allow_sign_in(from).await?;
    let (state, now) = (make_state(), Timestamp::now());
    // One cookie for all tabs: the state tells the sign-ins apart.
    let browser = browser_secret(&app, &jar).unwrap_or_else(make_state);
    let secrets = SignInSecrets::derive(&browser, &state);
    let url = provider
        .begin_sign_in(&state, &secrets, now)
        .await
        .map_err(|problem| away_error(provider, problem))?;
    let new = SignIn {
        state: TokenHash::from_token(&state).as_str().to_owned(),
        browser: TokenHash::from_token(&browser),
        provider: id,
        return_to,
        user,
        until: now.after(LASTS),
    };
    app.store.start_sign_in(new).await?;
    let jar = jar.add(browser_cookie(&app.options, Some(browser)));
    Ok((jar, Json(SignInAddress { url })))
}

/// Where a provider sends people back: logs in, links the account, or lets a newcomer choose a
/// name; then the browser goes to that page.
#[utoipa::path(get, operation_id = "finish_sign_in",
    path = "/sign-in/{provider}", tag = "accounts", params(("provider" = String, Path),
    ("code" = Option<String>, Query), ("state" = Option<String>, Query),
    ("error" = Option<String>, Query), ("iss" = Option<String>, Query)),
    responses((status = 303, description = "to the page, or to one that says what went wrong")))]
async fn finish_sign_in(
    app: App,
    Path(id): Path<String>,
    Query(answer): Query<ProviderAnswer>,
    Caller(caller): Caller,
    jar: CookieJar,
) -> Result<(CookieJar, Redirect)> {
    let now = Timestamp::now();
    let Some((begun, state, browser)) = take_begun(&app, &id, &answer, &jar, now).await? else {
        // Some providers forget the state when somebody says no.
        let problem = match answer.error.as_deref() {
            Some("access_denied") => SignInProblem::Denied,
            _ => SignInProblem::Expired,
        };
        return Ok((jar, show_problem(&id, None, problem)));
    };
    let told = |problem| {
        tracing::info!(provider = id, ?problem, "somebody could not sign in");
        show_problem(&id, Some(&begun), problem)
    };
    let Some(provider) = app.providers.find(&id) else {
        return Ok((jar, told(SignInProblem::Expired)));
    };
    let person = match ask_provider(provider, &answer, &browser, &state, now).await {
        Ok(person) => person,
        Err(problem) => return Ok((jar, told(problem))),
    };
    let entered = match begun.user {
        Some(user) => {
            let is_same =
                caller.is_some_and(|caller| caller.id == user && own_session(&caller).is_ok());
            let linked = match is_same {
                true => link_person(&app, user, &id, &person, now).await?,
                false => Err(SignInProblem::Session),
            };
            linked.map(|()| (jar.clone(), Redirect::to(&begun.return_to)))
        }
        None => admit_person(&app, jar.clone(), provider, &begun, person, now).await?,
    };
    Ok(entered.unwrap_or_else(|problem| (jar, told(problem))))
}

/// Logs in who has an account here, and lets a newcomer choose a name.
async fn admit_person(
    app: &App,
    jar: CookieJar,
    provider: &Provider,
    begun: &SignIn,
    person: Person,
    now: Timestamp,
) -> Result<Result<(CookieJar, Redirect), SignInProblem>> {
    let known = app
        .store
        .user_of_identity(&person.issuer, &person.subject, now);
    if let Some(user) = known.await? {
        if user.disabled {
            return Ok(Err(SignInProblem::Disabled));
        }
        let (jar, _) = open_session(app, jar, user).await?;
        return Ok(Ok((jar, Redirect::to(&begun.return_to))));
    }
    if let Err(problem) = may_register(app, provider).await? {
        return Ok(Err(problem));
    }
    let new = Newcomer {
        browser: begun.browser.as_str().to_owned(),
        provider: begun.provider.clone(),
        name: propose_free_name(app, person.wanted_name.as_deref()).await?,
        issuer: person.issuer,
        subject: person.subject,
        return_to: begun.return_to.clone(),
        until: now.after(LASTS),
    };
    app.store.hold_newcomer(new).await?;
    Ok(Ok((jar, Redirect::to("/choose-name"))))
}

/// The sign-in that this answer is for, with its state and the browser's secret; `None` if it is
/// none of this browser.
async fn take_begun(
    app: &App,
    provider: &str,
    answer: &ProviderAnswer,
    jar: &CookieJar,
    now: Timestamp,
) -> Result<Option<(SignIn, String, String)>> {
    let state = answer.state.clone().filter(|own| secret::is_plausible(own));
    let (Some(state), Some(browser)) = (state, browser_secret(app, jar)) else {
        return Ok(None);
    };
    let begun = app
        .store
        .take_sign_in(&TokenHash::from_token(&state), now)
        .await?;
    let own = TokenHash::from_token(&browser);
    let begun = begun.filter(|begun| begun.provider == provider && begun.browser == own);
    Ok(begun.map(|begun| (begun, state, browser)))
}

async fn ask_provider(
    provider: &Provider,
    answer: &ProviderAnswer,
    browser: &str,
    state: &str,
    now: Timestamp,
) -> Result<Person, SignInProblem> {
    // RFC 9207: an answer that another provider sent on.
    let is_own = |issuer: &String| *issuer == provider.config().issuer;
    if !answer.iss.as_ref().is_none_or(is_own) {
        return Err(SignInProblem::Issuer);
    }
    match answer.error.as_deref() {
        Some("access_denied" | "consent_required" | "login_required") => {
            return Err(SignInProblem::Denied);
        }
        Some("temporarily_unavailable" | "server_error") => {
            return Err(SignInProblem::Unreachable);
        }
        Some(_) => return Err(SignInProblem::Answer("error")),
        None => {}
    }
    let code = answer.code.as_deref().filter(|code| code.len() <= CODE);
    let code = code.ok_or(SignInProblem::Answer("no-code"))?;
    let secrets = SignInSecrets::derive(browser, state);
    provider.finish_sign_in(code, &secrets, now).await
}

async fn link_person(
    app: &App,
    user: UserId,
    provider: &str,
    person: &Person,
    now: Timestamp,
) -> Result<Result<(), SignInProblem>> {
    let linked = app
        .store
        .link_identity(user, provider, &person.issuer, &person.subject, now);
    match linked.await {
        Ok(()) => Ok(Ok(())),
        Err(StoreError::Taken { .. }) => Ok(Err(SignInProblem::Taken)),
        Err(StoreError::Refused(_)) => Ok(Err(SignInProblem::TooMany)),
        Err(error) => Err(error.into()),
    }
}

/// Whether a newcomer of this provider gets an account.
async fn may_register(app: &App, provider: &Provider) -> Result<Result<(), SignInProblem>> {
    let is_open = provider.config().register;
    if !is_open.unwrap_or(app.options.registration) {
        return Ok(Err(SignInProblem::Closed));
    }
    Ok(match app.store.has_admin().await? {
        true => Ok(()),
        false => Err(SignInProblem::FirstAccount),
    })
}

/// A free name near the wanted one; empty if there is none.
async fn propose_free_name(app: &App, wanted: Option<&str>) -> Result<String> {
    let Some(name) = wanted.and_then(names::propose_name) else {
        return Ok(String::new());
    };
    let numbered = NUMBERS.map(|number| format!("{name}-{number}"));
    for name in std::iter::once(name.clone()).chain(numbered) {
        let is_free = app.store.user_by_name(&name).await?.is_none();
        let was_freed = app.store.check_account_name(&name, Timestamp::now()).await;
        if is_free && was_freed.is_ok() && names::check_reserved(&name, &app.games).is_ok() {
            return Ok(name);
        }
    }
    Ok(String::new())
}

/// The person of this browser who has signed in for the first time and has yet to choose a name.
#[utoipa::path(get, operation_id = "get_newcomer",
    path = "/api/newcomer", tag = "accounts",
    responses((status = 200, body = NewcomerSummary), (status = 404, body = ErrorBody)))]
async fn show_newcomer(app: App, jar: CookieJar) -> Answer<NewcomerSummary> {
    let (_, newcomer) = need_newcomer(&app, &jar).await?;
    Ok(Json(NewcomerSummary {
        provider: name_of(&app, &newcomer.provider),
        name: newcomer.name,
        return_to: newcomer.return_to,
    }))
}

/// Opens an account with this name for a person who has signed in for the first time, and logs in.
/// The account has no password.
#[utoipa::path(post, operation_id = "admit_newcomer",
    path = "/api/newcomer", tag = "accounts", request_body = ChosenName, responses((status = 200, body = Me),
    (status = 403, description = "no accounts are opened", body = ErrorBody), (status = 404, body = ErrorBody),
    (status = 409, description = "the name is taken", body = ErrorBody), (status = 429, body = ErrorBody)))]
async fn admit_newcomer(
    app: App,
    from: ClientAddress,
    jar: CookieJar,
    Json(asked): Json<ChosenName>,
) -> Result<(CookieJar, Me)> {
    let (browser, newcomer) = need_newcomer(&app, &jar).await?;
    let name = names::check_name(&asked.name)?;
    names::check_reserved(name, &app.games)?;
    app.limiter.allow_register(from).await?;
    let provider = find_provider(&app, &newcomer.provider)?;
    if may_register(&app, provider).await?.is_err() {
        let why = "registration is closed here; ask the administrator of this arena";
        return Err(ApiError::forbidden("closed", why));
    }
    let admitted = app
        .store
        .admit_newcomer(&browser, name, Timestamp::now())
        .await?;
    let user: User = admitted.ok_or_else(gone_newcomer)?;
    tracing::info!(
        user = user.id.0,
        provider = newcomer.provider,
        "an account was opened"
    );
    open_session(&app, jar, user).await
}

/// The accounts at providers that open the account.
#[utoipa::path(get, operation_id = "list_identities",
    path = "/api/me/identities", tag = "accounts", security(("session" = [])),
    responses((status = 200, body = Vec<IdentitySummary>), (status = 403, body = ErrorBody)))]
async fn list_identities(app: App, user: SignedInUser) -> Answer<Vec<IdentitySummary>> {
    own_session(&user)?;
    let own = app.store.identities_of(user.id).await?;
    let shown = own.into_iter().map(|own| IdentitySummary {
        id: own.id.0,
        provider: name_of(&app, &own.provider),
        linked: own.created,
        used: own.used,
    });
    Ok(Json(shown.collect()))
}

/// Unlinks an account at a provider, in a session younger than 15 minutes. The last one of an
/// account without a password stays.
#[utoipa::path(delete, operation_id = "unlink_identity",
    path = "/api/me/identities/{id}", tag = "accounts", params(("id" = i64, Path)),
    security(("session" = [])), responses((status = 204),
    (status = 409, description = "nobody could log in after that", body = ErrorBody)))]
async fn unlink_identity(app: App, user: SignedInUser, Path(id): Path<i64>) -> Result<StatusCode> {
    own_session(&user)?;
    need_recent_login(&app, &user).await?;
    app.store
        .unlink_identity(user.id, IdentityId(id), Timestamp::now())
        .await?;
    Ok(StatusCode::NO_CONTENT)
}

fn find_provider<'a>(app: &'a App, id: &str) -> Result<&'a Provider> {
    app.providers.find(id).ok_or_else(|| {
        let shown: String = id.chars().take(40).collect();
        ApiError::not_found(format!(
            "nobody signs in with {shown:?} here; the page for logging in shows what is offered"
        ))
    })
}

async fn need_newcomer(app: &App, jar: &CookieJar) -> Result<(TokenHash, Newcomer)> {
    let browser = browser_secret(app, jar).ok_or_else(gone_newcomer)?;
    let browser = TokenHash::from_token(&browser);
    let newcomer = app.store.newcomer(&browser, Timestamp::now()).await?;
    Ok((browser, newcomer.ok_or_else(gone_newcomer)?))
}

fn gone_newcomer() -> ApiError {
    let message = "this sign-in is over or took too long; sign in again";
    ApiError {
        code: "sign-in-over",
        ..ApiError::not_found(message)
    }
}

/// The provider cannot be used now.
fn away_error(provider: &Provider, problem: SignInProblem) -> ApiError {
    let name = &provider.config().name;
    let message = match problem {
        SignInProblem::Unreachable => {
            format!("{name} does not answer; try again in a moment, or log in with a password")
        }
        _ => format!(
            "{name} does not answer as it should; tell the administrator of this arena, whose log says more"
        ),
    };
    ApiError::new(StatusCode::BAD_GATEWAY, "provider-away", message)
}

/// Where the page says what went wrong. Nothing that a provider or a stranger wrote is in the
/// address.
fn show_problem(id: &str, begun: Option<&SignIn>, problem: SignInProblem) -> Redirect {
    let page = match begun {
        Some(begun) if begun.user.is_some() => "/account",
        _ => "/login",
    };
    // Only an id of the operator's file has passed as one.
    let is_id = id.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'-');
    let id = if is_id { id } else { "" };
    Redirect::to(&format!("{page}?problem={}&provider={id}", problem.code()))
}

/// Whether this is the path of a page of this arena: browsers leave out tabs and read `\` as `/`, so
/// that more than one way leads to another site.
pub fn is_own_page(path: &str) -> bool {
    let mut bytes = path.bytes();
    let is_rooted = bytes.next() == Some(b'/') && bytes.next() != Some(b'/');
    is_rooted && path.len() <= RETURN && path.bytes().all(|c| c.is_ascii_graphic() && c != b'\\')
}

/// The name of the cookie that a sign-in is bound to.
fn cookie_name(options: &ServerOptions) -> &'static str {
    match options.is_secure() {
        true => "__Host-leitai-sign-in",
        false => "leitai-sign-in",
    }
}

fn browser_secret(app: &App, jar: &CookieJar) -> Option<String> {
    let own = jar.get(cookie_name(&app.options)).map(Cookie::value)?;
    secret::is_plausible(own).then(|| own.to_owned())
}

fn browser_cookie(options: &ServerOptions, token: Option<String>) -> Cookie<'static> {
    let age = if token.is_some() {
        LASTS * 2
    } else {
        Duration::ZERO
    };
    let token = token.unwrap_or_default();
    secret_cookie(options, cookie_name(options), token, age)
}
