//! The middleware of all requests: request id, log line, metrics, limits and security headers.

use std::any::Any;
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::{DefaultBodyLimit, MatchedPath, Request};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use leitai_game::Lang;
use metrics::{counter, histogram};
use tower::ServiceBuilder;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{NotForContentType, Predicate, SizeAbove};
use tower_http::csrf::CsrfLayer;
use tower_http::request_id::{
    MakeRequestUuid, PropagateRequestIdLayer, RequestId, SetRequestIdLayer,
};
use tower_http::timeout::{RequestBodyTimeoutLayer, TimeoutLayer};
use tower_http::trace::{DefaultOnFailure, DefaultOnResponse, TraceLayer};
use tracing::{Level, Span, info_span};

use crate::http::app::App;
use crate::http::caller;
use crate::http::error::{ApiError, DATABASE_AWAY};
use crate::{messages, metrics_registry};

/// The longest body in bytes, where the route does not set another limit.
const BODY: usize = 256 << 10;
/// The longest time until a handler answers, including the time to read an upload over a slow line.
/// The streamed body of an answer may take longer.
const HANDLER: Duration = Duration::from_secs(180);
/// The longest pause within a body.
const IDLE: Duration = Duration::from_secs(30);

/// Adds the middleware to the routes.
pub fn add_layers(routes: Router<App>, app: &App) -> Router {
    let id = HeaderName::from_static("x-request-id");
    let trace = TraceLayer::new_for_http()
        .make_span_with(request_span)
        .on_request(())
        .on_response(DefaultOnResponse::new().level(Level::DEBUG))
        .on_failure(DefaultOnFailure::new().level(Level::WARN));
    let outside = ServiceBuilder::new()
        .layer(SetRequestIdLayer::new(id.clone(), MakeRequestUuid))
        .layer(trace)
        .layer(PropagateRequestIdLayer::new(id))
        .layer(from_fn_with_state(app.clone(), add_headers))
        .layer(
            CompressionLayer::new().compress_when(
                SizeAbove::new(512)
                    .and(NotForContentType::new("text/event-stream"))
                    .and(NotForContentType::const_new("image/png")),
            ),
        )
        .layer(from_fn_with_state(app.clone(), say_in_language))
        .layer(CatchPanicLayer::custom(panic_response))
        .layer(TimeoutLayer::with_status_code(
            StatusCode::SERVICE_UNAVAILABLE,
            HANDLER,
        ))
        .layer(RequestBodyTimeoutLayer::new(IDLE))
        .layer(csrf_layer(app));
    routes
        .route_layer(from_fn_with_state(app.clone(), serve_stale))
        .route_layer(from_fn(measure_request))
        .layer(DefaultBodyLimit::max(BODY))
        .layer(from_fn_with_state(app.clone(), caller::guard_request))
        .layer(outside)
        .with_state(app.clone())
}

/// Refuses requests from other sites' pages, by `Sec-Fetch-Site` and `Origin`.
fn csrf_layer(app: &App) -> CsrfLayer<fn(tower_http::csrf::ProtectionError) -> Response> {
    let mut layer = CsrfLayer::new();
    if let Some(url) = &app.options.public_url {
        layer = match layer.clone().add_trusted_origin(url) {
            Ok(layer) => layer,
            Err(error) => {
                tracing::warn!(%error, "the public URL is no origin");
                layer
            }
        };
    }
    layer.with_rejection_response(|_| {
        let message = "this comes from the page of another site; open the arena itself";
        ApiError::forbidden("cross-site", message).into_response()
    })
}

fn request_span<B>(request: &axum::http::Request<B>) -> Span {
    let id = request
        .extensions()
        .get::<RequestId>()
        .and_then(|id| id.header_value().to_str().ok());
    let path = request.uri().path();
    info_span!("request", method = %request.method(), path, id = id.unwrap_or_default())
}

/// Requests whose time is not this server's, by method and route: a worker waits for a job, a
/// version comes over somebody's line, a receiver or a provider is asked, a comparison is awaited, an agent waits for a check.
/// Streams of events and sockets are answered at once.
const LONG: [(&str, &str); 6] = [
    ("POST", "/mcp"),
    ("POST", "/api/worker/acquire"),
    ("POST", "/api/bots/{id}/versions"),
    ("POST", "/api/webhooks/{id}/test"),
    ("GET", "/api/contests/{id}/similar-sources"),
    ("POST", "/api/sign-in/{provider}"),
];

/// Counts requests by route and not by path, because the number of paths is unbounded. An error of
/// the server counts among all others, however long the request may take.
async fn measure_request(route: Option<MatchedPath>, request: Request, next: Next) -> Response {
    let route = route.map_or_else(|| "other".to_owned(), |route| route.as_str().to_owned());
    let method = request.method().as_str().to_owned();
    let begun = Instant::now();
    let response = next.run(request).await;
    let is_long = LONG.contains(&(&*method, &*route));
    if !is_long {
        histogram!(metrics_registry::SECONDS, "route" => route.clone())
            .record(begun.elapsed().as_secs_f64());
    }
    let name = match is_long && !response.status().is_server_error() {
        true => metrics_registry::LONG_REQUESTS,
        false => metrics_registry::REQUESTS,
    };
    let status = response.status().as_u16().to_string();
    counter!(name, "route" => route, "method" => method, "status" => status).increment(1);
    response
}

/// The content security policy: scripts and connections only from this origin; inline styles are
/// allowed because canvases and charts need them, WebAssembly for the engine in the page.
const POLICY: &str = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; \
    style-src 'self' 'unsafe-inline'; \
    img-src 'self' data: blob:; font-src 'self' data:; worker-src 'self' blob:; connect-src 'self'; \
    object-src 'none'; base-uri 'none'; form-action 'self'";

/// The same for answers that no browser shows as a page: scripts, of which a worker has the policy that
/// came with it, styles and data. A page asks for some thirty of them before its board is drawn.
const NO_PAGE_POLICY: &str = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; \
    worker-src 'self' blob:; frame-ancestors 'none'";
const NO_PAGES: [&str; 4] = [
    "text/javascript",
    "text/css",
    "application/json",
    "application/wasm",
];

/// The page in which the scripts of strangers' games run, `web/src/viewer/viewer-frame.html`: of an origin of
/// its own even if somebody opens it as a page, without connections, pictures, forms and frames. Browsers keep
/// it with these headers as long as its content is the same, so a change of the policy is a change there, too.
const STRANGERS: &str = "/assets/viewer-frame-";
const STRANGERS_POLICY: &str = "default-src 'none'; script-src 'unsafe-inline' blob:; worker-src blob:; \
    base-uri 'none'; form-action 'none'; sandbox allow-scripts; frame-ancestors *";

/// Strict-Transport-Security of one year.
const HTTPS_ONLY: &str = "max-age=31536000";

async fn add_headers(app: App, request: Request, next: Next) -> Response {
    let is_for_strangers = request.uri().path().starts_with(STRANGERS);
    // Boards lie in the frames of other sites, and so does the frame inside them.
    let may_be_framed = is_for_strangers || request.uri().path().starts_with("/embed/");
    let is_api = request.uri().path().starts_with("/api/");
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    set_header(headers, header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    set_header(headers, header::REFERRER_POLICY, "same-origin");
    if is_for_strangers {
        set_header(headers, header::CONTENT_SECURITY_POLICY, STRANGERS_POLICY);
    }
    if is_no_page(headers) {
        set_header(headers, header::CONTENT_SECURITY_POLICY, NO_PAGE_POLICY);
    } else {
        add_page_headers(headers, may_be_framed);
    }
    if is_api {
        // Responses are cacheable only if the handler says so: others may contain secrets.
        set_header(headers, header::CACHE_CONTROL, "no-store");
    }
    if app.options.is_secure() {
        set_header(headers, header::STRICT_TRANSPORT_SECURITY, HTTPS_ONLY);
    }
    response
}

/// Whether the answer says to be a kind that no browser shows as a page: `nosniff` holds it to that.
fn is_no_page(headers: &HeaderMap) -> bool {
    let kind = headers
        .get(header::CONTENT_TYPE)
        .and_then(|kind| kind.to_str().ok());
    let kind = kind.and_then(|kind| kind.split(';').next());
    kind.is_some_and(|kind| NO_PAGES.contains(&kind))
}

fn add_page_headers(headers: &mut HeaderMap, may_be_framed: bool) {
    let frames = if may_be_framed { "*" } else { "'none'" };
    let policy = format!("{POLICY}; frame-ancestors {frames}");
    set_header(headers, header::CONTENT_SECURITY_POLICY, &policy);
    for (name, value) in [
        ("cross-origin-opener-policy", "same-origin"),
        (
            "permissions-policy",
            "camera=(), microphone=(), geolocation=()",
        ),
    ] {
        set_header(headers, HeaderName::from_static(name), value);
    }
    if !may_be_framed {
        set_header(headers, header::X_FRAME_OPTIONS, "DENY");
    }
}

/// Sets a header unless the handler has set it.
fn set_header(headers: &mut HeaderMap, name: HeaderName, value: &str) {
    let value = HeaderValue::from_str(value).expect("the values above are plain text");
    headers.entry(name).or_insert(value);
}

/// Translates error messages into Chinese for clients that prefer it (`Accept-Language`); English
/// is the default.
async fn say_in_language(app: App, request: Request, next: Next) -> Response {
    let wants_chinese = prefers_chinese(request.headers());
    let response = next.run(request).await;
    let refusal = response
        .extensions()
        .get::<ApiError>()
        .filter(|_| wants_chinese)
        .cloned();
    let Some(refusal) = refusal else {
        return response;
    };
    let catalogue = messages::catalogue(app.games.list().iter().map(|game| &**game));
    let message = catalogue.say(Lang::Zh, &refusal.message).into_owned();
    let mut said = ApiError { message, ..refusal }.into_response();
    for (name, value) in response.headers() {
        if ![header::CONTENT_LENGTH, header::CONTENT_TYPE].contains(name) {
            said.headers_mut().insert(name, value.clone());
        }
    }
    said.headers_mut()
        .insert(header::CONTENT_LANGUAGE, HeaderValue::from_static("zh-CN"));
    said
}

/// Whether Chinese is the first language of `Accept-Language`.
pub fn prefers_chinese(headers: &HeaderMap) -> bool {
    let asked = headers
        .get(header::ACCEPT_LANGUAGE)
        .and_then(|value| value.to_str().ok());
    let first = asked
        .and_then(|asked| asked.split(',').next())
        .unwrap_or_default()
        .trim();
    first
        .get(..2)
        .is_some_and(|language| language.eq_ignore_ascii_case("zh"))
}

fn panic_response(_: Box<dyn Any + Send + 'static>) -> Response {
    ApiError::internal_error("the request could not be answered", &"a handler panicked")
        .into_response()
}

/// Middleware: answers with what was sent before where the database keeps a new answer from being
/// given.
pub async fn serve_stale(app: App, request: Request, next: Next) -> Response {
    if request.method() != Method::GET {
        return next.run(request).await;
    }
    let (address, headers) = (request.uri().to_string(), request.headers().clone());
    let response = next.run(request).await;
    let refusal = response.extensions().get::<ApiError>();
    if refusal.is_some_and(|refusal| refusal.code == DATABASE_AWAY) {
        let stale = app.responses.stale_response(&address, &headers);
        return stale.unwrap_or(response);
    }
    app.responses.note_answer(address, &response);
    response
}
