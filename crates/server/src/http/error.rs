//! Error responses.

use std::time::Duration;

use axum::Json;
use axum::http::{HeaderValue, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use leitai_store::{BlobStoreError, OverQuota, StoreError, Timestamp};
use serde::Serialize;
use utoipa::ToSchema;

use crate::accounts::AccountError;
use crate::accounts::member_list::LineProblem;
use crate::http::archive::ExportError;
use crate::live::frame_service::FrameServiceError;

/// The code of an answer that the database keeps from being given.
pub const DATABASE_AWAY: &str = "database-away";
/// When to ask again while the database is away.
const AWAY: Duration = Duration::from_secs(3);

/// What handlers and what they call give.
pub type Result<T, E = ApiError> = std::result::Result<T, E>;

/// An error response: status, a stable code for programs, and what to do next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiError {
    /// The HTTP status.
    pub status: StatusCode,
    /// A stable code, for programs and for the page's translations: `not-found`, `taken`.
    pub code: &'static str,
    /// What happened, with the value, and what to do next; English.
    pub message: String,
    /// The field of the request that is wrong.
    pub field: Option<&'static str>,
    /// The time to wait before another attempt.
    pub retry_after: Option<Duration>,
    /// The wrong lines of a list.
    pub problems: Vec<LineProblem>,
}

/// An error response.
#[derive(Debug, Serialize, ToSchema)]
pub struct ErrorBody {
    /// The error.
    error: ErrorDetail,
}

/// The error.
#[derive(Debug, Serialize, ToSchema)]
struct ErrorDetail {
    /// A stable code for programs.
    #[schema(example = "not-found")]
    code: &'static str,
    /// What happened, with the value, and what to do next.
    #[schema(example = "there is no bot 7; look for it on its game's ladder")]
    message: String,
    /// The field of the request that is wrong.
    field: Option<&'static str>,
    /// The wrong lines of a list, in both languages.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    problems: Vec<LineProblem>,
}

impl ApiError {
    /// An error without a field.
    pub fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> ApiError {
        ApiError {
            status,
            code,
            message: message.into(),
            field: None,
            retry_after: None,
            problems: Vec::new(),
        }
    }

    /// A field of the request is wrong.
    pub fn invalid_field(
        code: &'static str,
        field: &'static str,
        message: impl Into<String>,
    ) -> ApiError {
        ApiError {
            field: Some(field),
            ..ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, code, message)
        }
    }

    /// Lines of a list are wrong; nothing of it was taken.
    pub fn wrong_lines(field: &'static str, problems: Vec<LineProblem>) -> ApiError {
        let mut lines: Vec<usize> = problems.iter().map(|problem| problem.line).collect();
        lines.dedup();
        let lines: Vec<String> = lines.iter().map(ToString::to_string).collect();
        let message = format!(
            "nothing was imported, because of lines {}; `problems` says what is wrong with each",
            lines.join(", ")
        );
        ApiError {
            problems,
            ..ApiError::invalid_field("wrong-lines", field, message)
        }
    }

    /// The object does not exist or is hidden from the caller.
    pub fn not_found(what: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::NOT_FOUND, "not-found", what)
    }

    /// The caller may not do this.
    pub fn forbidden(code: &'static str, why: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::FORBIDDEN, code, why)
    }

    /// The request needs an account.
    pub fn needs_login() -> ApiError {
        ApiError::new(
            StatusCode::UNAUTHORIZED,
            "login",
            "this needs an account; log in, or send an API token",
        )
    }

    /// The request conflicts with the present state.
    pub fn conflict(code: &'static str, why: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::CONFLICT, code, why)
    }

    /// A rate limit was exceeded.
    pub fn too_often(wait: Duration) -> ApiError {
        let seconds = wait.as_secs_f64().ceil().max(1.0);
        let message = format!("too many requests; try again in {seconds} s");
        let refusal = ApiError::new(StatusCode::TOO_MANY_REQUESTS, "too-often", message);
        ApiError {
            retry_after: Some(wait),
            ..refusal
        }
    }

    /// The body is too large.
    pub fn too_large(message: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, "too-large", message)
    }

    /// An internal error. The cause is logged and not sent.
    pub fn internal_error(what: &str, error: &dyn std::fmt::Display) -> ApiError {
        tracing::error!(%error, "{what}");
        let message = format!("{what}; this is an error of the server, try again in a moment");
        ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", message)
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let error = ErrorDetail {
            code: self.code,
            message: self.message.clone(),
            field: self.field,
            problems: self.problems.clone(),
        };
        let mut response = (self.status, Json(ErrorBody { error })).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if let Some(wait) = self.retry_after {
            let seconds = wait.as_secs_f64().ceil().max(1.0) as u64;
            headers.insert(header::RETRY_AFTER, seconds.into());
        }
        response.extensions_mut().insert(self);
        response
    }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> ApiError {
        let message = error.to_string();
        match error {
            StoreError::Taken { what, .. } => ApiError {
                field: Some(what),
                ..ApiError::conflict("taken", message)
            },
            StoreError::Alike { what, .. } => ApiError {
                field: Some(what),
                ..ApiError::conflict("name-alike", message)
            },
            StoreError::Freed { what, .. } | StoreError::FreedAlike { what, .. } => ApiError {
                field: Some(what),
                ..ApiError::conflict("name-freed", message)
            },
            StoreError::Missing { .. } => ApiError::not_found(message),
            StoreError::Deleted { .. } => ApiError::new(StatusCode::NOT_FOUND, "deleted", message),
            StoreError::Quota(over) => ApiError {
                retry_after: next_chance(&over),
                ..ApiError::conflict(quota_code(&over), message)
            },
            StoreError::Refused(_) | StoreError::TooManyOpen { .. } => {
                ApiError::conflict("refused", message)
            }
            StoreError::Cursor(_) => ApiError {
                field: Some("before"),
                ..ApiError::new(StatusCode::BAD_REQUEST, "bad-cursor", message)
            },
            StoreError::Away(_) => ApiError {
                retry_after: Some(AWAY),
                ..ApiError::new(StatusCode::SERVICE_UNAVAILABLE, DATABASE_AWAY, message)
            },
            _ => ApiError::internal_error("the database did not answer", &message),
        }
    }
}

/// How long somebody has to wait until the quota has room again, if that is known.
fn next_chance(over: &OverQuota) -> Option<Duration> {
    let next = match over {
        OverQuota::HourlyUploads { next, .. }
        | OverQuota::DailyFriendlies { next, .. }
        | OverQuota::DailyCpu { next, .. }
        | OverQuota::DailyGameChecks { next, .. } => *next,
        OverQuota::DailyVersions { next, .. } => Some(*next),
        _ => None,
    };
    next.map(|next| next.since(Timestamp::now()))
}

fn quota_code(over: &OverQuota) -> &'static str {
    match over {
        OverQuota::Bytes { .. } => "quota-bytes",
        OverQuota::Bots { .. } => "quota-bots",
        OverQuota::Versions { .. } => "quota-versions",
        OverQuota::DailyVersions { .. } => "quota-daily-versions",
        OverQuota::HourlyUploads { .. } => "quota-uploads",
        OverQuota::DailyFriendlies { .. } => "quota-friendlies",
        OverQuota::DailyCpu { .. } => "quota-cpu",
        OverQuota::RunningGameCheck { .. } => "quota-running-check",
        OverQuota::DailyGameChecks { .. } => "quota-game-checks",
        OverQuota::Games { .. } => "quota-games",
        OverQuota::GameVersions { .. } => "quota-game-versions",
        OverQuota::GameBytes { .. } => "quota-game-bytes",
        OverQuota::SourceSize { .. } => "quota-source-size",
        OverQuota::Language { .. } => "quota-language",
    }
}

impl From<BlobStoreError> for ApiError {
    fn from(error: BlobStoreError) -> ApiError {
        match error {
            BlobStoreError::TooLong { .. } => ApiError::too_large(error.to_string()),
            _ => ApiError::internal_error("the file could not be read or written", &error),
        }
    }
}

impl From<ExportError> for ApiError {
    fn from(error: ExportError) -> ApiError {
        match error {
            ExportError::Store(error) => error.into(),
            ExportError::Blobs(error) => error.into(),
            ExportError::Archive(_) => {
                ApiError::internal_error("the archive was not written", &error)
            }
        }
    }
}

impl From<AccountError> for ApiError {
    fn from(error: AccountError) -> ApiError {
        let message = error.to_string();
        match error {
            AccountError::InvalidField { code, field, .. } => {
                ApiError::invalid_field(code, field, message)
            }
            AccountError::TooOften(wait) => ApiError::too_often(wait),
            AccountError::Busy(wait) => ApiError {
                retry_after: Some(wait),
                ..ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "busy", message)
            },
            AccountError::Hashing { what, error } => ApiError::internal_error(what, &error),
            AccountError::Store(error) => error.into(),
        }
    }
}

impl From<FrameServiceError> for ApiError {
    fn from(error: FrameServiceError) -> ApiError {
        match error {
            FrameServiceError::Busy => {
                ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "busy", error.to_string())
            }
            FrameServiceError::Failed(why) => {
                ApiError::internal_error("the frames were not computed", &why)
            }
        }
    }
}

/// The answer to an unsupported method on a known path.
pub async fn wrong_method(method: Method, uri: Uri) -> ApiError {
    let path: String = uri.path().chars().take(100).collect();
    let message = format!("{path} takes no {method}; /api/openapi.json lists what it takes");
    ApiError::new(StatusCode::METHOD_NOT_ALLOWED, "wrong-method", message)
}
