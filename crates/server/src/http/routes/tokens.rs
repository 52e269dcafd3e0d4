//! Routes: API tokens.

use leitai_store::{ApiToken, NewToken, TokenHash, TokenId, TokenKind, TokenScope, TokenScopes};

use crate::accounts::secret;
use crate::http::caller::{own_session, second_factor_required};
use crate::http::prelude::*;
use crate::http::routes::owner_proof::need_recent_login;

/// The longest name of a token, in characters.
const NAME: usize = 60;

/// Routes of API tokens.
pub fn token_routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list_tokens, create_token, revoke_all_tokens))
        .routes(routes!(revoke_token))
}

/// A token to be created.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TokenWanted {
    /// A name for the token.
    #[schema(
        example = "laptop",
        min_length = 1,
        max_length = 60,
        pattern = r"^[^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f][^\x00-\x1f\x7f-\x9f]*$"
    )]
    name: String,
    /// Rights besides reading what the account may read: `submit` bots and versions, `play`,
    /// `organise`, `games`, `admin`; default `submit`. Worker tokens have none.
    #[schema(value_type = Option<Vec<String>>, example = json!(["submit"]))]
    scopes: Option<Vec<TokenScope>>,
    /// The lifetime in days; absent: no expiry.
    #[schema(minimum = 1, maximum = 3650, example = 90)]
    days: Option<u16>,
}

/// The possible lifetimes in days.
const DAYS: std::ops::RangeInclusive<u16> = 1..=3650;

/// A token without its secret.
#[derive(Debug, Serialize, ToSchema)]
pub struct TokenSummary {
    id: i64,
    name: String,
    #[schema(value_type = String, format = DateTime)]
    created: Timestamp,
    /// When it was last used, to the minute.
    #[schema(value_type = Option<String>, format = DateTime)]
    used: Option<Timestamp>,
    /// Its rights besides reading.
    #[schema(example = json!(["submit"]))]
    scopes: Vec<String>,
    /// When it expires; null: never.
    #[schema(value_type = Option<String>, format = DateTime)]
    until: Option<Timestamp>,
}

/// A new token. It is shown only in this response.
#[derive(Debug, Serialize, ToSchema)]
pub struct NewTokenSecret {
    #[serde(flatten)]
    brief: TokenSummary,
    /// The value to send after `Authorization: Bearer`.
    token: String,
    /// Always true: the token is not shown again.
    once: bool,
}

impl From<ApiToken> for TokenSummary {
    fn from(token: ApiToken) -> TokenSummary {
        let scopes = token.scopes.words().map(str::to_owned).collect();
        let ApiToken {
            id,
            name,
            created,
            used,
            until,
            ..
        } = token;
        TokenSummary {
            id: id.0,
            name,
            created,
            used,
            scopes,
            until,
        }
    }
}

/// A list of tokens.
#[derive(Debug, Serialize, ToSchema)]
pub struct TokenList {
    items: Vec<TokenSummary>,
    /// Always null: the list has one page.
    next: Option<String>,
}

impl From<Vec<ApiToken>> for TokenList {
    fn from(tokens: Vec<ApiToken>) -> TokenList {
        TokenList {
            items: tokens.into_iter().map(TokenSummary::from).collect(),
            next: None,
        }
    }
}

/// Checks the name that the holder gives to a token or a passkey.
pub fn check_label(name: &str, what: &str) -> Result<String> {
    let name = name.trim();
    if name.is_empty() || name.chars().count() > NAME || name.chars().any(char::is_control) {
        let message = format!("give the {what} a name of 1 to {NAME} characters");
        return Err(ApiError::invalid_field("bad-name", "name", message));
    }
    Ok(name.to_owned())
}

/// Creates a token, of which only the hash is stored.
pub async fn make_token(
    app: &App,
    user: &SignedInUser,
    kind: TokenKind,
    asked: TokenWanted,
) -> Result<(StatusCode, Json<NewTokenSecret>)> {
    let name = check_label(&asked.name, "token")?;
    if kind == TokenKind::Worker && name.contains('/') {
        let message = format!(
            "`{name}` has a `/` in it, which parts the name of a token from those of its workers; leave it out"
        );
        return Err(ApiError::invalid_field("bad-name", "name", message));
    }
    need_recent_login(app, user).await?;
    let scopes = parse_scopes(user, kind, asked.scopes)?;
    if let Some(days) = asked.days.filter(|days| !DAYS.contains(days)) {
        let (least, most) = (DAYS.start(), DAYS.end());
        let message = format!(
            "a token lasts {least} to {most} days, not {days}; leave the days out for no end"
        );
        return Err(ApiError::invalid_field("bad-days", "days", message));
    }
    let now = Timestamp::now();
    let prefix = if kind == TokenKind::Worker {
        secret::WORKER_PREFIX
    } else {
        secret::API_PREFIX
    };
    let token = secret::make_token(prefix);
    let (hash, until) = (
        TokenHash::from_token(&token),
        asked.days.map(|days| secret::token_expiry(now, days)),
    );
    let new = NewToken {
        user: Some(user.id),
        kind,
        name,
        hash,
        scopes,
        until,
    };
    let brief = match app.store.create_token(new, now).await {
        Err(StoreError::Refused(why)) => return Err(ApiError::conflict("too-many", why)),
        made => made?.into(),
    };
    Ok((
        StatusCode::CREATED,
        Json(NewTokenSecret {
            brief,
            token,
            once: true,
        }),
    ))
}

/// The scopes of a new token, or the reason why they are not allowed.
fn parse_scopes(
    user: &SignedInUser,
    kind: TokenKind,
    asked: Option<Vec<TokenScope>>,
) -> Result<TokenScopes> {
    match (kind, asked) {
        (TokenKind::Worker, None) => Ok(TokenScopes::default()),
        (TokenKind::Worker, Some(_)) => {
            let message =
                "the token of a worker has no scopes: it does what workers do; leave them out";
            Err(ApiError::invalid_field("bad-scopes", "scopes", message))
        }
        (TokenKind::Author, Some(asked))
            if asked.contains(&TokenScope::Admin) && user.withheld.admin =>
        {
            Err(second_factor_required())
        }
        (TokenKind::Author, Some(asked)) if asked.contains(&TokenScope::Admin) && !user.admin => {
            let message = "only administrators make tokens with the scope `admin`; leave it out";
            Err(ApiError::invalid_field("bad-scopes", "scopes", message))
        }
        (TokenKind::Author, asked) => Ok(TokenScopes::from_scopes(
            &asked.unwrap_or(vec![TokenScope::Submit]),
        )),
    }
}

/// The API tokens of the account.
#[utoipa::path(get, operation_id = "list_api_tokens",
    path = "/api/me/tokens", tag = "accounts", security(("session" = [])), responses((status = 200, body = TokenList),
    (status = 403, body = ErrorBody)))]
async fn list_tokens(app: App, user: SignedInUser) -> Answer<TokenList> {
    own_session(&user)?;
    Ok(Json(app.store.tokens_of(user.id).await?.into()))
}

/// Creates an API token, in a session younger than 15 minutes. It is shown only in this response.
#[utoipa::path(post, operation_id = "create_api_token",
    path = "/api/me/tokens", tag = "accounts", security(("session" = [])),
    request_body = TokenWanted, responses((status = 201, body = NewTokenSecret), (status = 409, body = ErrorBody)))]
async fn create_token(
    app: App,
    user: SignedInUser,
    Json(asked): Json<TokenWanted>,
) -> Result<(StatusCode, Json<NewTokenSecret>)> {
    own_session(&user)?;
    make_token(&app, &user, TokenKind::Author, asked).await
}

/// Revokes all API tokens of the account.
#[utoipa::path(delete, operation_id = "revoke_api_tokens",
    path = "/api/me/tokens", tag = "accounts", security(("session" = [])), responses((status = 204)))]
async fn revoke_all_tokens(app: App, user: SignedInUser) -> Result<StatusCode> {
    own_session(&user)?;
    app.store.revoke_tokens(user.id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Revokes an API token.
#[utoipa::path(delete, operation_id = "revoke_api_token",
    path = "/api/me/tokens/{id}", tag = "accounts", security(("session" = [])),
    params(("id" = i64, Path)), responses((status = 204)))]
async fn revoke_token(app: App, user: SignedInUser, Path(id): Path<TokenId>) -> Result<StatusCode> {
    own_session(&user)?;
    app.store.revoke_token(id, user.id).await?;
    Ok(StatusCode::NO_CONTENT)
}
