//! What files with routes use: the state, callers, parameters, answers and errors, and what describes them in the
//! OpenAPI document.

pub(crate) use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
pub(crate) use axum::response::{IntoResponse, Response};
pub(crate) use leitai_store::{StoreError, Timestamp, UserId};
pub(crate) use serde::{Deserialize, Serialize};
pub(crate) use utoipa::{IntoParams, ToSchema};
pub(crate) use utoipa_axum::router::OpenApiRouter;

pub(crate) use crate::http::app::App;
pub(crate) use crate::http::caller::{Caller, SignedInAdmin, SignedInUser};
pub(crate) use crate::http::error::{ApiError, ErrorBody, Result};
pub(crate) use crate::http::extract::{Answer, Json, Path, Query};
pub(crate) use crate::http::handler::routes;
pub(crate) use crate::http::list::{ListPage, PageParameters};
