//! What every route of the API takes, by its own document: anything else is refused instead of
//! ignored, so that a misspelt word is not taken for its default. Fields of bodies are refused by
//! `deny_unknown_fields` of their types.

use std::collections::HashMap;
use std::sync::Arc;

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{MatchedPath, Request, State};
use axum::http::{Method, StatusCode, Uri};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use utoipa::openapi::RefOr;
use utoipa::openapi::path::{Operation, ParameterIn, PathItem};

use crate::http::error::{ApiError, Result};

/// Bytes that are read of the body of a request whose route takes none.
const NOTHING: usize = 1024;
/// Characters of a stranger's word that a refusal repeats.
const SHOWN: usize = 40;

/// What every route takes.
#[derive(Debug, Default)]
pub struct AcceptedParameters {
    routes: HashMap<(String, Method), RouteParameters>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct RouteParameters {
    /// Names of query parameters, in order.
    query: Vec<String>,
    body: bool,
}

impl AcceptedParameters {
    /// Reads the accepted parameters from an OpenAPI document.
    pub fn from_document(document: &utoipa::openapi::OpenApi) -> AcceptedParameters {
        let mut routes = HashMap::new();
        for (path, item) in document
            .paths
            .paths
            .iter()
            .filter(|(path, _)| path.starts_with("/api/"))
        {
            for (method, operation) in list_operations(item) {
                routes.insert((path.clone(), method), read_parameters(operation));
            }
        }
        AcceptedParameters { routes }
    }

    fn find_route(&self, route: &str, method: &Method) -> Option<&RouteParameters> {
        // Routes that accept GET also accept HEAD.
        let method = if method == Method::HEAD {
            Method::GET
        } else {
            method.clone()
        };
        self.routes.get(&(route.to_owned(), method))
    }
}

fn list_operations(item: &PathItem) -> impl Iterator<Item = (Method, &Operation)> {
    let all = [
        (Method::GET, &item.get),
        (Method::POST, &item.post),
        (Method::PUT, &item.put),
        (Method::PATCH, &item.patch),
        (Method::DELETE, &item.delete),
    ];
    all.into_iter()
        .filter_map(|(method, operation)| Some((method, operation.as_ref()?)))
}

fn read_parameters(operation: &Operation) -> RouteParameters {
    let parameters = operation.parameters.iter().flatten();
    let query = parameters.filter_map(|parameter| match parameter {
        RefOr::T(parameter) if matches!(parameter.parameter_in, ParameterIn::Query) => {
            Some(&parameter.name)
        }
        _ => None,
    });
    let mut query: Vec<String> = query.cloned().collect();
    query.sort_unstable();
    RouteParameters {
        query,
        body: operation.request_body.is_some(),
    }
}

/// Refuses requests with parameters that their route does not accept.
pub async fn refuse_unknown(
    State(accepted): State<Arc<AcceptedParameters>>,
    route: Option<MatchedPath>,
    request: Request,
    next: Next,
) -> Response {
    let takes = route
        .as_ref()
        .and_then(|route| accepted.find_route(route.as_str(), request.method()));
    let Some(takes) = takes else {
        return next.run(request).await;
    };
    if let Err(refusal) = check_query(takes, request.uri()) {
        return refusal.into_response();
    }
    if takes.body || matches!(*request.method(), Method::GET | Method::HEAD) {
        return next.run(request).await;
    }
    let (parts, body) = request.into_parts();
    match check_nothing(body).await {
        Ok(bytes) => {
            next.run(Request::from_parts(parts, Body::from(bytes)))
                .await
        }
        Err(refusal) => refusal.into_response(),
    }
}

fn check_query(takes: &RouteParameters, uri: &Uri) -> Result<()> {
    let asked = axum::extract::Query::<Vec<(String, String)>>::try_from_uri(uri);
    let Ok(axum::extract::Query(asked)) = asked else {
        return Ok(());
    }; // The route itself says what is wrong.
    let known = |name: &String| takes.query.contains(name);
    let Some((unknown, _)) = asked.iter().find(|(name, _)| !known(name)) else {
        return Ok(());
    };
    let unknown: String = unknown.chars().take(SHOWN).collect();
    let list = match takes.query.is_empty() {
        true => "none".to_owned(),
        false => takes
            .query
            .iter()
            .map(|name| format!("`{name}`"))
            .collect::<Vec<_>>()
            .join(", "),
    };
    let message = format!("unknown query parameter {unknown:?}; this address takes {list}");
    Err(ApiError::new(
        StatusCode::BAD_REQUEST,
        "unknown-parameter",
        message,
    ))
}

/// Requires an empty body: no bytes, or an object without fields.
async fn check_nothing(body: Body) -> Result<Bytes> {
    let refused =
        |message| ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, "unknown-field", message);
    let bytes = to_bytes(body, NOTHING).await;
    let bytes = bytes.map_err(|_| refused("this address takes no body; send none".to_owned()))?;
    if bytes.trim_ascii().is_empty() {
        return Ok(bytes);
    }
    let fields: Result<serde_json::Map<String, serde_json::Value>, _> =
        serde_json::from_slice(&bytes);
    match fields.map(|fields| fields.keys().next().cloned()) {
        Ok(None) => Ok(bytes),
        Ok(Some(unknown)) => {
            let unknown: String = unknown.chars().take(SHOWN).collect();
            Err(refused(format!(
                "unknown field {unknown:?}; this address takes no fields"
            )))
        }
        Err(_) => Err(refused(
            "the body is no JSON object; this address takes no body".to_owned(),
        )),
    }
}
