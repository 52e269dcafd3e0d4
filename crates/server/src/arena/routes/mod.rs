//! The routes of running matches: live, play, films, workers.

pub mod films;
mod friendly;
pub mod live;
pub mod play;
pub mod socket;
mod tables;
mod worker;

use utoipa_axum::router::OpenApiRouter;

use crate::App;

/// The routes of this module.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .merge(worker::routes())
        .merge(friendly::routes())
        .merge(films::routes())
        .merge(live::routes())
        .merge(play::routes())
        .merge(tables::routes())
}
