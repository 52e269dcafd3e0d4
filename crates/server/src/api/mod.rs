//! Games, bots, versions, ladders, matches, administration.
//!
//! | module | noun |
//! |---|---|
//! | [`accepted`] | refuses query parameters and body fields that a route does not know |
//! | [`refusals`] | the refusals that every route shares, in the document |
//! | [`extract`] | bodies, paths and queries whose refusals are ours |
//! | [`list`] | lists a page at a time |
//! | [`brief`] | what lists say of bots, entrants and matches |
//! | [`hot`] | answers that many ask for, kept for a moment |
//! | [`games`] | routes: status, games, ladders, templates |
//! | [`bots`] | routes: bots and what they have done |
//! | [`versions`], [`upload`] | routes: versions; taking a source in |
//! | [`mod@matches`] | routes: matches, replays, logs |
//! | [`account`] | routes: what an account keeps, and its end |
//! | [`admin`] | routes: administration |

pub mod accepted;
pub mod account;
pub mod admin;
pub mod bots;
pub mod brief;
pub mod extract;
pub mod games;
pub mod hot;
pub mod list;
pub mod matches;
pub mod refusals;
pub mod upload;
pub mod versions;

use utoipa_axum::router::OpenApiRouter;

use crate::app::App;

/// Routes for programs and for the page.
pub fn api_routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .merge(games::game_routes())
        .merge(bots::bot_routes())
        .merge(versions::version_routes())
        .merge(matches::match_routes())
        .merge(account::routes())
        .merge(admin::admin_routes())
}
