//! All routes, and their OpenAPI document.

pub mod accounts;
mod achievements;
pub mod admin;
mod analyses;
mod author_home;
mod daily;
mod feeds;
pub mod follows;
pub mod frames;
mod friendly;
mod game_download;
mod game_files;
mod game_reports;
pub mod games;
pub mod health;
mod home_bots;
mod home_matches;
mod human_match_routes;
mod human_matches;
mod libraries;
pub mod live;
mod lobby;
mod mail;
pub mod match_access;
pub mod match_tags;
pub mod matches;
pub mod own_account;
mod own_sessions;
pub mod owner_proof;
pub mod passkey_proof;
pub mod passkeys;
pub mod payoffs;
mod people;
pub mod play;
mod rematch;
mod saves;
mod search;
pub mod second_factor;
pub mod share;
pub mod sign_in;
mod signing_keys;
pub mod tokens;
mod worker;

use std::sync::{Arc, LazyLock};

use axum::Router;
use axum::body::Bytes;
use axum::middleware::from_fn_with_state;
use utoipa::openapi::security::{ApiKey, ApiKeyValue, Http, HttpAuthScheme, SecurityScheme};
use utoipa::{Modify, OpenApi};

use crate::http::accepted_parameters::{AcceptedParameters, refuse_unknown};
use crate::http::error::wrong_method;
use crate::http::prelude::*;
use crate::http::{agent_door, docs, documents, error_responses, layers, page};

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

/// All routes with their OpenAPI description.
fn all_routes() -> OpenApiRouter<App> {
    let mut routes = OpenApiRouter::with_openapi(ApiDocument::openapi())
        .merge(games::game_routes())
        .merge(saves::save_routes())
        .merge(crate::bots::routes::bot_routes())
        .merge(crate::bots::routes::versions::version_routes())
        .merge(crate::bots::routes::fetchable::fetchable_routes())
        .merge(matches::match_routes())
        .merge(analyses::analysis_routes())
        .merge(crate::experiments::routes::experiment_routes())
        .merge(crate::experiments::benchmark_routes::benchmark_routes())
        .merge(crate::experiments::lane_routes::lane_routes())
        .merge(match_tags::match_tag_routes())
        .merge(crate::contests::routes::contest_routes())
        .merge(own_account::routes())
        .merge(payoffs::payoff_routes())
        .merge(people::people_routes())
        .merge(author_home::author_home_routes())
        .merge(achievements::achievement_routes())
        .merge(daily::daily_routes())
        .merge(admin::admin_routes())
        .merge(game_files::game_file_routes())
        .merge(game_download::game_download_routes())
        .merge(libraries::library_routes())
        .merge(game_reports::game_report_routes())
        .merge(crate::groups::routes::group_routes())
        .merge(crate::groups::routes::ladders::group_ladder_routes())
        .merge(crate::groups::routes::quotas::group_quota_routes())
        .merge(crate::groups::routes::invitations::invitation_routes())
        .merge(crate::groups::routes::teams::team_routes())
        .merge(accounts::account_routes())
        .merge(signing_keys::signing_key_routes())
        .merge(crate::similar::routes::similar_routes())
        .merge(sign_in::sign_in_routes())
        .merge(tokens::token_routes())
        .merge(own_sessions::session_routes())
        .merge(second_factor::second_factor_routes())
        .merge(passkeys::passkey_routes())
        .merge(mail::mail_routes())
        .merge(follows::follow_routes())
        .merge(crate::webhooks::routes::webhook_routes())
        .merge(worker::worker_routes())
        .merge(friendly::friendly_routes())
        .merge(frames::frame_routes())
        .merge(feeds::feed_routes())
        .merge(share::share_routes())
        .merge(search::search_routes())
        .merge(live::live_routes())
        .merge(play::play_routes())
        .merge(human_match_routes::human_match_routes())
        .merge(lobby::lobby_routes())
        .merge(home_bots::home_bot_routes())
        .merge(rematch::rematch_routes())
        .merge(health::health_routes())
        .routes(routes!(serve_document));
    error_responses::add_shared_refusals(routes.get_openapi_mut());
    error_responses::close_choices(routes.get_openapi_mut());
    routes
}

/// The OpenAPI document of all routes, as it is served at `/api/openapi.json`.
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

/// All routes, which refuse what they do not know. Made once: tests start hundreds of servers.
static ROUTES: LazyLock<Router<App>> = LazyLock::new(|| {
    let (router, document) = all_routes().split_for_parts();
    let accepted = Arc::new(AcceptedParameters::from_document(&document));
    router.route_layer(from_fn_with_state(accepted, refuse_unknown))
});

/// The router: all routes, and the page for every other path.
pub fn build_router(app: App) -> Router {
    let router = ROUTES.clone();
    let router = match &app.options.docs {
        Some(folder) => router.merge(docs::build_router(folder)),
        None => router,
    };
    let router = router
        .fallback(page::serve_page)
        .method_not_allowed_fallback(wrong_method);
    let router = router.merge(documents::build_router());
    agent_door::add_door(layers::add_layers(router, &app), &app)
}
