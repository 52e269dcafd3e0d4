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
pub fn arena_routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .merge(worker::worker_routes())
        .merge(friendly::friendly_routes())
        .merge(films::frame_routes())
        .merge(live::live_routes())
        .merge(play::play_routes())
        .merge(tables::human_match_routes())
}
