//! What every handler may take, and the router made of all routes.

use std::sync::Arc;

use axum::Router;
use axum::extract::FromRef;
use leitai_game::AnyGame;
use leitai_store::{Store, Vault};
use utoipa::OpenApi;
use utoipa_axum::router::OpenApiRouter;

use crate::arena::Arena;
use crate::{api, arena, auth};

/// The arena behind the handlers.
#[derive(Clone)]
pub struct App {
    /// The games of the house.
    pub games: &'static [&'static dyn AnyGame],
    /// The database.
    pub store: Store,
    /// Sources and replays.
    pub vault: Vault,
    /// Matches that run now.
    pub arena: Arena,
    /// How the operator wants it.
    pub options: Arc<Options>,
}

/// How the operator wants it.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The address that people type, such as `https://arena.example.org`.
    pub public_url: Option<String>,
}

impl App {
    /// The game with this id.
    pub fn game(&self, id: &str) -> Option<&'static dyn AnyGame> {
        self.games.iter().copied().find(|game| game.meta().id == id)
    }
}

impl FromRef<App> for Store {
    fn from_ref(app: &App) -> Store {
        app.store.clone()
    }
}

#[derive(OpenApi)]
#[openapi(info(title = "Leitai", description = "An arena for game-playing programs."))]
struct Document;

/// All routes.
pub fn router(app: App) -> Router {
    let (router, _document) = OpenApiRouter::with_openapi(Document::openapi())
        .merge(api::routes())
        .merge(auth::routes())
        .merge(arena::routes::routes())
        .split_for_parts();
    router.with_state(app)
}
