//! Routes: API tokens.

use axum::extract::State;
use axum::http::StatusCode;
use leitai_store::{ApiToken, NewToken, Timestamp, TokenHash, TokenId, TokenKind};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::api::extract::{Json, Path};
use crate::app::App;
use crate::auth::accounts::own_session;
use crate::auth::caller::User;
use crate::auth::secret;
use crate::error::{ApiError, ErrorBody};

/// Tokens an account may have.
const MOST: usize = 50;
/// Characters in the name of a token.
const NAME: usize = 60;

/// Routes of API tokens.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(list, create)).routes(routes!(revoke))
}

/// What its person calls a token.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TokenName {
    #[schema(
        example = "laptop",
        min_length = 1,
        max_length = 60,
        pattern = r"^[^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f][^\x00-\x1f\x7f-\x9f]*$"
    )]
    name: String,
}

/// A token, without what it is.
#[derive(Debug, Serialize, ToSchema)]
pub struct TokenBrief {
    id: i64,
    name: String,
    #[schema(value_type = String, format = DateTime)]
    created: Timestamp,
    /// When it was last used, to the minute.
    #[schema(value_type = Option<String>, format = DateTime)]
    used: Option<Timestamp>,
}

/// A fresh token. It is shown this once.
#[derive(Debug, Serialize, ToSchema)]
pub struct FreshToken {
    #[serde(flatten)]
    brief: TokenBrief,
    /// What is sent after `Authorization: Bearer`.
    token: String,
    /// Always true: it is not shown again.
    once: bool,
}

impl From<ApiToken> for TokenBrief {
    fn from(token: ApiToken) -> TokenBrief {
        TokenBrief { id: token.id.0, name: token.name, created: token.created, used: token.used }
    }
}

/// All tokens of a list.
#[derive(Debug, Serialize, ToSchema)]
pub struct Tokens {
    items: Vec<TokenBrief>,
    /// Always null: all of them fit.
    next: Option<String>,
}

impl From<Vec<ApiToken>> for Tokens {
    fn from(tokens: Vec<ApiToken>) -> Tokens {
        Tokens { items: tokens.into_iter().map(TokenBrief::from).collect(), next: None }
    }
}

/// A fresh token of this kind, which is kept as its hash only.
pub async fn make(
    app: &App,
    user: &User,
    kind: TokenKind,
    asked: TokenName,
) -> Result<(StatusCode, axum::Json<FreshToken>), ApiError> {
    let name = asked.name.trim().to_owned();
    if name.is_empty() || name.chars().count() > NAME || name.chars().any(char::is_control) {
        return Err(ApiError::field(
            "bad-name",
            "name",
            format!("give the token a name of 1 to {NAME} characters"),
        ));
    }
    let prefix = if kind == TokenKind::Worker { secret::WORKER_PREFIX } else { secret::API_PREFIX };
    let token = secret::fresh(prefix);
    let new = NewToken { user: Some(user.id), kind, name, hash: TokenHash::of(&token) };
    let brief = app.store.create_token(new, Timestamp::now()).await?.into();
    Ok((StatusCode::CREATED, axum::Json(FreshToken { brief, token, once: true })))
}

/// The API tokens of the account.
#[utoipa::path(get, operation_id = "list_api_tokens",
    path = "/api/me/tokens", tag = "accounts", security(("session" = [])), responses(
    (status = 200, body = Tokens), (status = 401, body = ErrorBody), (status = 403, body = ErrorBody),
))]
async fn list(State(app): State<App>, user: User) -> Result<axum::Json<Tokens>, ApiError> {
    own_session(&user)?;
    Ok(axum::Json(app.store.tokens_of(user.id).await?.into()))
}

/// Makes an API token. It is shown this once.
#[utoipa::path(post, operation_id = "create_api_token",
    path = "/api/me/tokens", tag = "accounts", security(("session" = [])),
    request_body = TokenName, responses(
    (status = 201, body = FreshToken), (status = 401, body = ErrorBody), (status = 409, body = ErrorBody),
))]
async fn create(
    State(app): State<App>,
    user: User,
    Json(asked): Json<TokenName>,
) -> Result<(StatusCode, axum::Json<FreshToken>), ApiError> {
    own_session(&user)?;
    if app.store.tokens_of(user.id).await?.len() >= MOST {
        return Err(ApiError::conflict(
            "too-many",
            format!("there are {MOST} tokens already; revoke one first"),
        ));
    }
    make(&app, &user, TokenKind::Author, asked).await
}

/// Revokes an API token.
#[utoipa::path(delete, operation_id = "revoke_api_token",
    path = "/api/me/tokens/{id}", tag = "accounts", security(("session" = [])),
    params(("id" = i64, Path)), responses(
    (status = 204), (status = 401, body = ErrorBody), (status = 404, body = ErrorBody),
))]
async fn revoke(State(app): State<App>, user: User, Path(id): Path<TokenId>) -> Result<StatusCode, ApiError> {
    own_session(&user)?;
    app.store.revoke_token(id, user.id).await?;
    Ok(StatusCode::NO_CONTENT)
}
