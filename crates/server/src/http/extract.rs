//! What handlers take and give: bodies, paths and queries whose errors are [`ApiError`]s, which
//! programs and the page understand, and answers in JSON.

use axum::extract::rejection::{JsonRejection, PathRejection, QueryRejection};
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::http::error::{ApiError, Result};

/// A JSON body, of a request or of an answer.
pub struct Json<T>(pub T);

/// What a handler answers in JSON.
pub type Answer<T> = Result<Json<T>>;

/// The parameters of the path.
pub struct Path<T>(pub T);

/// The parameters of the query string.
pub struct Query<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Json<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Json<T>> {
        match axum::Json::from_request(request, state).await {
            Ok(axum::Json(value)) => Ok(Json(value)),
            Err(rejection) => Err(bad_json(&rejection)),
        }
    }
}

impl<T: Serialize> IntoResponse for Json<T> {
    fn into_response(self) -> Response {
        axum::Json(self.0).into_response()
    }
}

fn bad_json(rejection: &JsonRejection) -> ApiError {
    let (status, text) = (rejection.status(), rejection.body_text());
    let code = match status {
        StatusCode::PAYLOAD_TOO_LARGE => "too-large",
        StatusCode::UNSUPPORTED_MEDIA_TYPE => "wrong-type",
        StatusCode::UNPROCESSABLE_ENTITY if text.contains("unknown field") => "unknown-field",
        StatusCode::UNPROCESSABLE_ENTITY => "bad-field",
        _ => "malformed",
    };
    ApiError::new(
        status,
        code,
        format!("{text}; /api/openapi.json says what is taken"),
    )
}

impl<S: Send + Sync, T: DeserializeOwned + Send> FromRequestParts<S> for Path<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Path<T>> {
        let path = axum::extract::Path::<T>::from_request_parts(parts, state).await;
        let refusal =
            |rejection: PathRejection| ApiError::not_found(format!("no such address: {rejection}"));
        path.map(|axum::extract::Path(value)| Path(value))
            .map_err(refusal)
    }
}

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Query<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Query<T>> {
        let query = axum::extract::Query::<T>::from_request_parts(parts, state).await;
        let refusal = |rejection: QueryRejection| {
            ApiError::new(
                StatusCode::BAD_REQUEST,
                "bad-query",
                format!("{}; fix the address", rejection.body_text()),
            )
        };
        query
            .map(|axum::extract::Query(value)| Query(value))
            .map_err(refusal)
    }
}
