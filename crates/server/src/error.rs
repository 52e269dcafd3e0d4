//! What a request gets that cannot be answered.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::json;

/// A refusal: its status, a stable code for programs, and what people do next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiError {
    /// The HTTP status.
    pub status: StatusCode,
    /// Stable, for programs and for the page's translations: `not-found`, `taken`.
    pub code: &'static str,
    /// What happened, with the value, and what to do next; English.
    pub message: String,
    /// The field of the request that it is about.
    pub field: Option<&'static str>,
}

impl ApiError {
    /// A refusal that is about no field.
    pub fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> ApiError {
        ApiError { status, code, message: message.into(), field: None }
    }

    /// The request is wrong in this field.
    pub fn field(code: &'static str, field: &'static str, message: impl Into<String>) -> ApiError {
        ApiError { field: Some(field), ..ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, code, message) }
    }

    /// There is no such thing.
    pub fn not_found(what: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::NOT_FOUND, "not-found", what)
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let body = json!({"error": {"code": self.code, "message": self.message, "field": self.field}});
        (self.status, Json(body)).into_response()
    }
}

impl From<leitai_store::StoreError> for ApiError {
    fn from(error: leitai_store::StoreError) -> ApiError {
        tracing::error!(%error, "the store failed");
        let message = "the database did not answer; try again in a moment";
        ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "ours", message)
    }
}
