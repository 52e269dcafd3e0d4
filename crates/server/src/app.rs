//! What every handler may take, and the router made of all routes.

use std::sync::{Arc, LazyLock};

use axum::Router;
use axum::body::Bytes;
use axum::extract::FromRef;
use axum::http::header;
use axum::middleware::from_fn_with_state;
use axum::response::IntoResponse;
use leitai_game::AnyGame;
use leitai_store::secret::random_token;
use leitai_store::{Store, Vault};
use utoipa::openapi::security::{ApiKey, ApiKeyValue, Http, HttpAuthScheme, SecurityScheme};
use utoipa::{Modify, OpenApi};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::api::accepted::{Accepted, refuse_unknown};
use crate::api::hot::Hot;
use crate::arena::Arena;
use crate::auth::Limiter;
use crate::auth::password::Passwords;
use crate::config::Options;
use crate::error::ApiError;
use crate::health::Pulse;
use crate::{api, arena, auth, docs, health, layers, web};

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
    /// How often things may be done.
    pub limiter: Limiter,
    /// Works on passwords.
    pub passwords: Passwords,
    /// Answers that many ask for.
    pub hot: Hot,
    /// Held while the first account is opened, so that there is one first.
    pub opening: Arc<tokio::sync::Mutex<()>>,
    /// What whoever opens the first account must know; it is new at every start.
    pub first_secret: Arc<str>,
    /// When and how writing was tried last.
    pub pulse: Pulse,
}

impl App {
    /// An arena on this database and this vault.
    pub fn new(
        games: &'static [&'static dyn AnyGame],
        store: Store,
        vault: Vault,
        arena: Arena,
        options: Options,
    ) -> App {
        health::recorder();
        let limiter = Limiter::new(&options.rates);
        arena.tables.limit(options.limits);
        let (passwords, hot) = (Passwords::default(), Hot::new(options.keep_answers));
        let (options, first_secret) = (Arc::new(options), random_token().into());
        let (opening, pulse) = (Arc::default(), Pulse::default());
        App { games, store, vault, arena, options, limiter, passwords, hot, opening, first_secret, pulse }
    }

    /// The game with this id.
    pub fn game(&self, id: &str) -> Option<&'static dyn AnyGame> {
        self.games.iter().copied().find(|game| game.meta().id == id)
    }

    /// The game with this id, or a refusal that names those there are.
    pub fn need_game(&self, id: &str) -> Result<&'static dyn AnyGame, ApiError> {
        self.game(id).ok_or_else(|| {
            let ids: Vec<&str> = self.games.iter().map(|game| game.meta().id).collect();
            let shown: String = id.chars().take(40).collect();
            ApiError::not_found(format!("there is no game {shown:?}; there are {}", ids.join(", ")))
        })
    }
}

impl FromRef<App> for Store {
    fn from_ref(app: &App) -> Store {
        app.store.clone()
    }
}

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Leitai",
        description = "An arena for game-playing programs: games, bots and their versions, ladders, matches, replays.\n\n\
            Programs send `Authorization: Bearer TOKEN` with an API token of their account. Pages send the cookie of \
            their session and, with everything but GET, the header `X-Leitai-Csrf` with `csrf` of `GET /api/me`. \
            Lists are `{\"items\": [...], \"next\": cursor}`; the next page is asked for with `?before=cursor`. \
            What is refused is answered with `{\"error\": {code, message, field}}`.",
        license(name = "MIT OR Apache-2.0"),
    ),
    modifiers(&Schemes),
)]
struct Document;

struct Schemes;

impl Modify for Schemes {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        let components = document.components.get_or_insert_default();
        let token = SecurityScheme::Http(Http::new(HttpAuthScheme::Bearer));
        components.add_security_scheme("token", token);
        let cookie = SecurityScheme::ApiKey(ApiKey::Cookie(ApiKeyValue::new("leitai")));
        components.add_security_scheme("session", cookie);
    }
}

/// All routes, with their description.
fn routes() -> OpenApiRouter<App> {
    let mut routes = OpenApiRouter::with_openapi(Document::openapi())
        .merge(api::routes())
        .merge(auth::routes())
        .merge(arena::routes::routes())
        .merge(health::routes())
        .routes(routes!(openapi));
    api::refusals::complete(routes.get_openapi_mut());
    api::refusals::close_choices(routes.get_openapi_mut());
    routes
}

/// The description of all routes: OpenAPI, as it is served at `/api/openapi.json`.
pub fn document() -> utoipa::openapi::OpenApi {
    routes().into_openapi()
}

/// This document.
#[utoipa::path(get, operation_id = "get_openapi_document",
    path = "/api/openapi.json", tag = "operating", responses((status = 200, body = Object)))]
async fn openapi() -> impl IntoResponse {
    static TEXT: LazyLock<Bytes> =
        LazyLock::new(|| document().to_json().expect("a document is plain data").into());
    ([(header::CONTENT_TYPE, "application/json")], TEXT.clone())
}

/// All routes, and the page for everything else.
pub fn router(app: App) -> Router {
    let (router, document) = routes().split_for_parts();
    let accepted = Arc::new(Accepted::of(&document));
    let router = router.route_layer(from_fn_with_state(accepted, refuse_unknown));
    let router = match &app.options.docs {
        Some(folder) => router.merge(docs::router(folder)),
        None => router,
    };
    let router = router.fallback(web::serve).method_not_allowed_fallback(web::wrong_method);
    layers::around(router, &app)
}
