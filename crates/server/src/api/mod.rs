//! Games, bots, versions, ladders, matches, administration.
//!
//! | module | noun |
//! |---|---|
//! | [`extract`] | bodies, paths and queries whose refusals are ours |

pub mod extract;

use utoipa_axum::router::OpenApiRouter;

use crate::app::App;

/// Routes for programs and for the page.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
}
