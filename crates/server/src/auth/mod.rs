//! Who asks: accounts, sessions, API tokens, CSRF, rate limits.

use utoipa_axum::router::OpenApiRouter;

use crate::App;

/// The routes of this module.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
}
