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
use leitai_store::{BlobStore, Store};
use utoipa::openapi::security::{ApiKey, ApiKeyValue, Http, HttpAuthScheme, SecurityScheme};
use utoipa::{Modify, OpenApi};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::api::accepted::{AcceptedParameters, refuse_unknown};
use crate::api::hot::ResponseCache;
use crate::arena::Arena;
use crate::auth::RateLimiters;
use crate::auth::password::PasswordHasher;
use crate::config::ServerOptions;
use crate::error::ApiError;
use crate::health::WriteProbe;
use crate::{api, arena, auth, docs, health, layers, web};

/// The arena behind the handlers.
#[derive(Clone)]
pub struct App {
    /// The games of the house.
    pub games: &'static [&'static dyn AnyGame],
    /// The database.
    pub store: Store,
    /// Sources and replays.
    pub blobs: BlobStore,
    /// Matches that run now.
    pub arena: Arena,
    /// How the operator wants it.
    pub options: Arc<ServerOptions>,
    /// How often things may be done.
    pub limiter: RateLimiters,
    /// Works on passwords.
    pub passwords: PasswordHasher,
    /// Answers that many ask for.
    pub responses: ResponseCache,
    /// Held while the first account is opened, so that there is one first.
    pub opening: Arc<tokio::sync::Mutex<()>>,
    /// What whoever opens the first account must know; it is new at every start.
    pub first_secret: Arc<str>,
    /// When and how writing was tried last.
    pub write_probe: WriteProbe,
}

impl App {
    /// An arena on this database and this vault.
    pub fn new(
        games: &'static [&'static dyn AnyGame],
        store: Store,
        blobs: BlobStore,
        arena: Arena,
        options: ServerOptions,
    ) -> App {
        health::metrics_recorder();
        let limiter = RateLimiters::new(&options.rates);
        arena.human_matches.limit(options.limits);
        let (passwords, responses) = (
            PasswordHasher::default(),
            ResponseCache::new(options.keep_answers),
        );
        let (options, first_secret) = (Arc::new(options), random_token().into());
        let (opening, write_probe) = (Arc::default(), WriteProbe::default());
        App {
            games,
            store,
            blobs,
            arena,
            options,
            limiter,
            passwords,
            responses,
            opening,
            first_secret,
            write_probe,
        }
    }

    /// The game with this id.
    pub fn find_game(&self, id: &str) -> Option<&'static dyn AnyGame> {
        self.games.iter().copied().find(|game| game.meta().id == id)
    }

    /// The game with this id, or a refusal that names those there are.
    pub fn need_game(&self, id: &str) -> Result<&'static dyn AnyGame, ApiError> {
        self.find_game(id).ok_or_else(|| {
            let ids: Vec<&str> = self.games.iter().map(|game| game.meta().id).collect();
            let shown: String = id.chars().take(40).collect();
            ApiError::not_found(format!(
                "there is no game {shown:?}; there are {}",
                ids.join(", ")
            ))
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
    modifiers(&SecuritySchemes),
)]
struct ApiDocument;

struct SecuritySchemes;

impl Modify for SecuritySchemes {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        let components = document.components.get_or_insert_default();
        let token = SecurityScheme::Http(Http::new(HttpAuthScheme::Bearer));
        components.add_security_scheme("token", token);
        let cookie = SecurityScheme::ApiKey(ApiKey::Cookie(ApiKeyValue::new("leitai")));
        components.add_security_scheme("session", cookie);
    }
}

/// All routes, with their description.
fn all_routes() -> OpenApiRouter<App> {
    let mut routes = OpenApiRouter::with_openapi(ApiDocument::openapi())
        .merge(api::api_routes())
        .merge(auth::auth_routes())
        .merge(arena::routes::arena_routes())
        .merge(health::health_routes())
        .routes(routes!(serve_document));
    api::refusals::complete(routes.get_openapi_mut());
    api::refusals::close_choices(routes.get_openapi_mut());
    routes
}

/// The description of all routes: OpenAPI, as it is served at `/api/openapi.json`.
pub fn api_document() -> utoipa::openapi::OpenApi {
    all_routes().into_openapi()
}

/// This document.
#[utoipa::path(get, operation_id = "get_openapi_document",
    path = "/api/openapi.json", tag = "operating", responses((status = 200, body = Object)))]
async fn serve_document() -> impl IntoResponse {
    static TEXT: LazyLock<Bytes> = LazyLock::new(|| {
        api_document()
            .to_json()
            .expect("a document is plain data")
            .into()
    });
    ([(header::CONTENT_TYPE, "application/json")], TEXT.clone())
}

/// All routes, and the page for everything else.
pub fn build_router(app: App) -> Router {
    let (router, document) = all_routes().split_for_parts();
    let accepted = Arc::new(AcceptedParameters::of(&document));
    let router = router.route_layer(from_fn_with_state(accepted, refuse_unknown));
    let router = match &app.options.docs {
        Some(folder) => router.merge(docs::build_router(folder)),
        None => router,
    };
    let router = router
        .fallback(web::serve_page)
        .method_not_allowed_fallback(web::wrong_method);
    layers::add_layers(router, &app)
}
