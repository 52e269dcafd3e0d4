//! Accounts, bots, versions, ladders, matches: what can be asked without holding a socket open.

use utoipa_axum::router::OpenApiRouter;

use crate::App;

/// The routes of this module.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
}
