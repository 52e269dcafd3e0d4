//! The routes of running matches: live, play, films, workers.

mod friendly;
pub mod live;
pub mod play;
pub mod socket;
mod worker;

use utoipa_axum::router::OpenApiRouter;

use crate::App;

/// The routes of this module.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().merge(worker::routes()).merge(friendly::routes())
}
