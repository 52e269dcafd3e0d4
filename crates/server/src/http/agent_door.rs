//! `/mcp`: the door for coding agents (Model Context Protocol over streamable HTTP). Every tool is a
//! request to this server's own routes with the caller's token, so that scopes, quotas, rate limits and
//! what is hidden are those of everybody. Nothing is kept between requests.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{ConnectInfo, FromRequestParts, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, StatusCode, Uri, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use leitai_game::{Entrant, GameHandle, Replay};
use leitai_store::UserId;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::Value;
use tower::ServiceExt;

use crate::client_address::ClientAddress;
use crate::http::app::App;
use crate::http::caller::{Caller, CallerProof};
use crate::http::error::ApiError;
use crate::http::layers;
use crate::live::frame_service::FrameService;
use crate::mcp::PATH;
use crate::mcp::arena_tools::{
    ARENA_TOOLS, ArenaApi, ArenaMethod, ArenaRequest, CODE, SUBMIT, call_arena_tool,
};
use crate::mcp::handler::{AgentServer, Door, ToolCall};
use crate::mcp::match_report::explain_replay;
use crate::mcp::tool::Tool;

/// The most bytes of a request: a source as a JSON string, in which every byte may be escaped.
const BODY: usize = CODE * 2 + 10_000;
/// The most bytes of an answer of our own routes.
const ANSWER: usize = 64 << 20;

/// The longest time of an analysis.
const EXPLAINING: Duration = Duration::from_secs(20);

const INSTRUCTIONS: &str = "An arena for game-playing programs. Read games.md, then rules/GAME.md and \
    guides/GAME.md; begin with templates/GAME/main.py. submit uploads a bot, challenge plays an unrated match, \
    match_report says why a match was lost. What you do counts for the account of your token, within its quotas. \
    To check and play on your own machine before you submit, use `leitai mcp`.";

/// The arena with its door: requests to [`PATH`] are answered here, all others by `arena`.
pub fn add_door(arena: Router, app: &App) -> Router {
    let door = Arc::new(ServerDoor {
        app: app.clone(),
        arena: arena.clone(),
        analyses: FrameService::default(),
    });
    // Without sessions, and so without anything that one caller could take from another. Whose page may
    // ask is checked by `check_place`, with the arena's own address.
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_max_request_body_bytes(BODY)
        .disable_allowed_hosts();
    let sessions = Arc::<NeverSessionManager>::default();
    let make = move || Ok(AgentServer(door.clone()));
    let service = StreamableHttpService::new(make, sessions, config);
    let routes = Router::<App>::new()
        .route_service(PATH, service)
        .route_layer(from_fn_with_state(app.clone(), check_place));
    layers::add_layers(routes, app).fallback_service(arena)
}

/// Refuses requests from pages of other sites, and such as come by a name that is not the arena's: a
/// page whose name was pointed here (DNS rebinding) would else be taken for the arena's own.
async fn check_place(app: App, request: Request, next: Next) -> Response {
    let public = app.options.public_url.as_deref();
    match find_wrong_place(public, request.headers(), request.uri()) {
        None => next.run(request).await,
        Some(refusal) => refusal.into_response(),
    }
}

/// Why a request with this head is refused, if it is.
pub fn find_wrong_place(public: Option<&str>, headers: &HeaderMap, uri: &Uri) -> Option<ApiError> {
    let own = headers
        .get(header::HOST)
        .and_then(|host| host.to_str().ok());
    let host = own
        .or(uri.authority().map(|own| own.as_str()))
        .unwrap_or_default();
    let public = public.and_then(|url| url.parse::<Uri>().ok());
    let public_host = public
        .as_ref()
        .and_then(|url| url.authority())
        .map(|own| own.as_str());
    let is_public = public_host.is_some_and(|own| own.eq_ignore_ascii_case(host));
    if !is_public && !is_address(host) {
        let shown: String = host.chars().take(80).collect();
        return Some(ApiError::forbidden(
            "wrong-host",
            format!(
                "{shown:?} is not the name of this arena; its operator names it with --public-url"
            ),
        ));
    }
    let origin = headers.get(header::ORIGIN)?;
    let origin = origin
        .to_str()
        .ok()
        .and_then(|text| text.parse::<Uri>().ok());
    let from = origin.as_ref().and_then(|origin| origin.authority());
    if from.is_some_and(|from| from.as_str().eq_ignore_ascii_case(host)) {
        return None;
    }
    let message = "this comes from the page of another site; open the arena itself";
    Some(ApiError::forbidden("cross-site", message))
}

/// Whether a host is an IP address or this machine: no page of another site has it for its name.
fn is_address(host: &str) -> bool {
    let name = match host.strip_prefix('[') {
        Some(six) => six.split(']').next().unwrap_or_default(),
        None => host.rsplit_once(':').map_or(host, |(name, _)| name),
    };
    name.eq_ignore_ascii_case("localhost") || name.parse::<IpAddr>().is_ok()
}

/// The tools of this server.
struct ServerDoor {
    app: App,
    /// The server's own routes.
    arena: Router,
    /// Analyses, which do not keep those waiting who watch a replay.
    analyses: FrameService,
}

impl Door for ServerDoor {
    fn instructions(&self) -> &'static str {
        INSTRUCTIONS
    }

    fn games(&self) -> Arc<[GameHandle]> {
        self.app.games.list()
    }

    fn tools(&self) -> Vec<&'static Tool> {
        [&SUBMIT].into_iter().chain(ARENA_TOOLS).collect()
    }

    async fn call(&self, call: ToolCall) -> Result<Value, String> {
        let Some(head) = call.context.extensions.get::<Parts>() else {
            return Err("the request has no head; this is an error of the server".to_owned());
        };
        let caller = CallerApi { door: self, head };
        let done = call_arena_tool(&caller, call.tool.name, &call.arguments);
        tokio::select! {
            done = done => done,
            () = call.context.ct.cancelled() => Err("the call was cancelled".to_owned()),
        }
    }
}

/// This server's routes for one caller.
struct CallerApi<'a> {
    door: &'a ServerDoor,
    head: &'a Parts,
}

impl CallerApi<'_> {
    /// The account of the caller's token. What a cookie says does not count.
    fn find_token_holder(&self) -> Option<UserId> {
        let user = self.head.extensions.get::<Caller>()?.user()?;
        matches!(user.by, CallerProof::Token { .. }).then_some(user.id)
    }

    /// The request with what identifies the caller: the token, never a cookie, and the address.
    fn write_request(&self, request: ArenaRequest) -> Result<Request, String> {
        let query = form_urlencoded(&request.query);
        let mut made = Request::builder()
            .method(match request.method {
                ArenaMethod::Get => Method::GET,
                ArenaMethod::Post => Method::POST,
                ArenaMethod::Patch => Method::PATCH,
            })
            .uri(format!("{}{query}", request.path));
        for name in [header::AUTHORIZATION, header::ACCEPT_LANGUAGE, header::HOST] {
            if let Some(value) = self.head.headers.get(&name) {
                made = made.header(name, value);
            }
        }
        for value in self.head.headers.get_all("x-forwarded-for") {
            made = made.header("x-forwarded-for", value);
        }
        if let Some(from) = self.head.extensions.get::<ConnectInfo<SocketAddr>>() {
            made = made.extension(*from);
        }
        let body = match request.body {
            Some(body) => {
                made = made.header(header::CONTENT_TYPE, "application/json");
                Body::from(body.to_string())
            }
            None => Body::empty(),
        };
        made.body(body).map_err(|why| why.to_string())
    }
}

/// `?name=value&…`, or nothing.
fn form_urlencoded(query: &[(&str, String)]) -> String {
    let encode = |text: &str| {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        let signs = text.bytes().map(|byte| match plain(byte) {
            true => char::from(byte).to_string(),
            false => format!("%{byte:02X}"),
        });
        signs.collect::<String>()
    };
    let pairs: Vec<String> = query
        .iter()
        .map(|(name, value)| format!("{name}={}", encode(value)))
        .collect();
    match pairs.is_empty() {
        true => String::new(),
        false => format!("?{}", pairs.join("&")),
    }
}

impl ArenaApi for CallerApi<'_> {
    async fn ask(&self, request: ArenaRequest) -> Result<Value, String> {
        let request = self.write_request(request)?;
        let answer = match self.door.arena.clone().oneshot(request).await {
            Ok(answer) => answer,
            Err(never) => match never {},
        };
        let status = answer.status();
        let bytes = to_bytes(answer.into_body(), ANSWER).await;
        let bytes = bytes.map_err(|_| "the answer is too long; ask for less".to_owned())?;
        let said: Value = serde_json::from_slice(&bytes).unwrap_or_default();
        match status.is_success() {
            true => Ok(said),
            false => Err(read_refusal(status, &said)),
        }
    }

    async fn explain(
        &self,
        replay: Value,
        entrant: Option<Entrant>,
    ) -> Result<Vec<String>, String> {
        let app = &self.door.app;
        let user = self.find_token_holder();
        let user = user.ok_or("it costs the arena work; send an API token to get it")?;
        let from = ClientAddress::from_request_parts(&mut self.head.clone(), app).await;
        let from = match from {
            Ok(from) => from,
            Err(never) => match never {},
        };
        let allowed = app.limiter.allow_human_match(Some(user), from).await;
        allowed.map_err(|why| why.to_string())?;
        let replay = Replay::parse(&replay.to_string()).map_err(|why| why.to_string())?;
        let game = app
            .need_rules(&replay.game, &replay.rules)
            .map_err(|why| why.message)?;
        let work = move || explain_replay(&*game, &replay, entrant, EXPLAINING);
        let explained = self.door.analyses.run_when_free(work).await;
        explained.map_err(|why| why.to_string())?
    }
}

fn read_refusal(status: StatusCode, said: &Value) -> String {
    let error = &said["error"];
    match error["message"].as_str() {
        Some(message) => {
            let code = error["code"].as_str().unwrap_or_default();
            format!("{message} [{code}]")
        }
        None => format!("the arena answered {status}; try again in a moment"),
    }
}
