//! Handlers of one type: axum and tower compile a stack of wrappers for each type of handler, and
//! finding out their types was a quarter of what the compilation of this crate cost.

use std::pin::Pin;
use std::sync::Arc;

use axum::extract::Request;
use axum::handler::Handler;
use axum::response::Response;

use crate::http::app::App;

type Responding = Pin<Box<dyn Future<Output = Response> + Send>>;

/// A handler whose function is known at run time alone.
#[derive(Clone)]
pub struct AnyHandler(Arc<dyn Fn(Request, App) -> Responding + Send + Sync>);

impl AnyHandler {
    /// Forgets the type of a handler.
    pub fn new<H, T>(handler: H) -> AnyHandler
    where
        H: Handler<T, App, Future = Responding>,
    {
        AnyHandler(Arc::new(move |request, app| {
            handler.clone().call(request, app)
        }))
    }
}

impl Handler<AnyHandler, App> for AnyHandler {
    type Future = Responding;

    fn call(self, request: Request, app: App) -> Responding {
        (self.0)(request, app)
    }
}

/// The routes of these handlers, each as its `#[utoipa::path]` says, as [`utoipa_axum::routes`]
/// gives them.
macro_rules! routes {
    ($($handler:path),+) => {{
        use utoipa_axum::PathItemExt as _;
        let mut schemas = Vec::new();
        let mut paths = utoipa::openapi::path::Paths::new();
        let mut router = axum::routing::MethodRouter::new();
        $({
            let handler = $crate::http::handler::AnyHandler::new($handler);
            let (path, operation, methods) = utoipa_axum::routes!(@resolve_types $handler : schemas);
            for method in &methods {
                router = router.on(method.to_method_filter(), handler.clone());
            }
            paths.add_path_operation(&path, methods, operation);
        })+
        (schemas, paths, router)
    }};
}
pub(crate) use routes;
