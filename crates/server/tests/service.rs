//! The web page, the OpenAPI document, health, metrics and response headers.

use crate::kit;

use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use kit::{Kit, Person};
use leitai_server::ConnectionLimits;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

fn committed() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/openapi.json")
}

/// The OpenAPI document as it is committed: with line breaks, so that diffs are readable.
fn document() -> String {
    let mut text = leitai_server::api_document()
        .to_pretty_json()
        .expect("plain data");
    text.push('\n');
    text
}

#[test]
fn the_committed_openapi_document_is_current() {
    let path = committed();
    if std::env::var_os("LEITAI_WRITE_OPENAPI").is_some() {
        std::fs::write(&path, document()).expect("the source tree can be written");
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    let command = "LEITAI_WRITE_OPENAPI=1 cargo test --workspace --test server service";
    assert!(
        kept == document(),
        "docs/openapi.json differs from the served document; write it with: {command}"
    );
}

#[tokio::test]
async fn the_document_is_served() {
    let kit = Kit::new().await;
    let served: Value = kit.guest().get("/api/openapi.json").await.ok();
    let committed: Value = serde_json::from_str(&document()).expect("JSON");
    assert_eq!(served, committed);
    assert!(
        served["openapi"]
            .as_str()
            .is_some_and(|version| version.starts_with("3."))
    );
}

#[test]
fn references_of_the_document_resolve() {
    let text = document();
    let whole: Value = serde_json::from_str(&text).expect("JSON");
    let referred = text
        .match_indices("\"#/")
        .map(|(at, _)| text[at + 2..].split('"').next().unwrap_or(""));
    let missing: Vec<&str> = referred
        .filter(|pointer| whole.pointer(pointer).is_none())
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn every_route_of_the_source_is_in_the_document() {
    let document: Value = serde_json::from_str(&document()).expect("JSON");
    let mut routes = 0;
    let mut open = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(
                std::fs::read_dir(&path)
                    .expect("it is there")
                    .flatten()
                    .map(|entry| entry.path()),
            );
            continue;
        }
        let source = std::fs::read_to_string(&path).expect("a source");
        let name = path.display();
        // A route that is added without `routes!` is missing in the document. Routes for our own
        // workers are no public interface and are not checked.
        let undescribed = path.ends_with("http/routes/worker.rs") || path.ends_with("tests.rs");
        assert!(
            undescribed || !source.contains(".route(\""),
            "{name}: add the route with `routes!` and `#[utoipa::path]`"
        );
        for part in source.split("#[utoipa::path(").skip(1) {
            let path = part
                .split("path = \"")
                .nth(1)
                .and_then(|rest| rest.split('"').next())
                .expect("it has a path");
            let method = part
                .trim_start()
                .split(',')
                .next()
                .unwrap_or_default()
                .trim();
            let operation = &document["paths"][path][method];
            assert!(
                operation.is_object(),
                "{name}: {method} {path} is not merged into the router"
            );
            assert!(
                operation["summary"].is_string(),
                "{name}: {method} {path} has no summary"
            );
            routes += 1;
        }
    }
    assert!(routes > 40, "{routes}");
}

#[test]
fn every_operation_has_an_id_of_its_own() {
    let document: Value = serde_json::from_str(&document()).expect("JSON");
    let mut seen = std::collections::BTreeMap::new();
    for (path, item) in document["paths"].as_object().expect("routes") {
        for (method, operation) in item.as_object().expect("operations") {
            let id = operation["operationId"]
                .as_str()
                .expect("every operation has an id")
                .to_owned();
            // Client generators turn the id into a method name: a verb alone is ambiguous among
            // fifty routes.
            assert!(
                id.contains('_'),
                "{method} {path}: the id `{id}` does not name what it is about"
            );
            let other = seen.insert(id.clone(), format!("{method} {path}"));
            assert_eq!(other, None, "{method} {path} has the id `{id}` too");
        }
    }
}

/// The schema names of the types of a source file.
fn schema_names(source: &str) -> Vec<String> {
    let derived = source.split("derive(").skip(1).filter(|part| {
        part.split_once(')')
            .is_some_and(|(list, _)| list.split(", ").any(|word| word == "ToSchema"))
    });
    let name = |part: &str| {
        let (attributes, item) = part
            .split_once("struct ")
            .into_iter()
            .chain(part.split_once("enum "))
            .min_by_key(|(before, _)| before.len())?;
        let renamed = attributes
            .split_once("#[schema(as = ")
            .map(|(_, rest)| rest);
        let word = renamed.unwrap_or(item);
        Some(word.chars().take_while(|c| c.is_alphanumeric()).collect())
    };
    derived.filter_map(name).collect()
}

#[test]
fn every_type_has_a_name_of_its_own_in_the_document() {
    let mut seen = std::collections::BTreeMap::new();
    for path in sources() {
        let source = std::fs::read_to_string(&path).expect("a source");
        for name in schema_names(&source) {
            let other = seen.insert(name.clone(), path.display().to_string());
            assert_eq!(
                other,
                None,
                "{}: another type is called `{name}`",
                path.display()
            );
        }
    }
    assert!(seen.len() > 50, "{seen:?}");
}

/// All source files of the server.
fn sources() -> Vec<std::path::PathBuf> {
    let mut open = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
    let mut sources = Vec::new();
    while let Some(path) = open.pop() {
        match std::fs::read_dir(&path) {
            Ok(folder) => open.extend(folder.flatten().map(|entry| entry.path())),
            Err(_) => sources.push(path),
        }
    }
    sources
}

/// A body for this route with one unknown field.
fn with_unknown(schema: &Value, schemas: &Value) -> Value {
    let schema = match schema["$ref"].as_str() {
        Some(name) => &schemas[name.rsplit('/').next().unwrap_or_default()],
        None => schema,
    };
    has!(schema, {"additionalProperties": false});
    json!({"frobnicate": 1})
}

#[tokio::test]
async fn unknown_fields_and_parameters_are_refused() {
    let kit = Kit::new().await;
    let root = kit.admin().await;
    let document: Value = serde_json::from_str(&document()).expect("JSON");
    let paths = document["paths"].as_object().expect("routes");
    let mut asked = 0;
    for (path, item) in paths.iter().filter(|(path, _)| path.starts_with("/api/")) {
        for (method, operation) in item.as_object().expect("operations") {
            let address = path
                .replace("{game}", "kob")
                .replace("{code}", "x")
                .replace("{number}", "1");
            let address = address.replace("{id}", "1");
            let name = format!("{method} {path}");
            let method = method.to_uppercase();
            let answer = root
                .send(&method, &format!("{address}?frobnicate=1"), None)
                .await;
            answer.refused(400, "unknown-parameter");
            let text = answer.text();
            assert!(text.contains("frobnicate"), "{name}: {text}");
            let known = operation["parameters"].as_array().into_iter().flatten();
            for known in known.filter(|known| known["in"] == "query") {
                let known = known["name"].as_str().expect("a name");
                assert!(
                    text.contains(&format!("`{known}`")),
                    "{name} does not list {known}: {text}"
                );
            }
            asked += 1;
            let json = &operation["requestBody"]["content"]["application/json"]["schema"];
            if method == "GET" || (operation["requestBody"].is_object() && json.is_null()) {
                continue;
            }
            let body = match json.is_null() {
                true => json!({"frobnicate": 1}),
                false => with_unknown(json, &document["components"]["schemas"]),
            };
            let answer = root.send(&method, &address, Some(body)).await;
            // The server may first answer that the object does not exist.
            if answer.status != 404 {
                answer.refused(422, "unknown-field");
                assert!(
                    answer.text().contains("frobnicate"),
                    "{name}: {}",
                    answer.text()
                );
            }
        }
    }
    assert!(asked > 40, "{asked}");
    // Known fields are accepted.
    root.get("/api/matches?limit=5&state=finished&game=kob")
        .await
        .ok();
    root.get("/api/games/kob/ladder?limit=5").await.ok();
    root.post("/api/logout", json!({})).await.ok();
}

#[tokio::test]
async fn health_and_metrics_answer() {
    let kit = Kit::new().await;
    assert_eq!(kit.guest().get("/healthz").await.text(), "ok\n");
    kit.guest().get("/api/games/kob").await.ok();
    refused!(kit.guest().get("/api/games/chess") => 404, "not-found");
    kit.guest().get("/metrics").await.refused(401, "login");
    refused!(kit.person("ada").await.get("/metrics") => 403, "not-admin");
    let text = kit.admin().await.get("/metrics").await.text();
    for part in [
        "leitai_jobs_queued{kind=\"match\"} 0",
        "leitai_jobs_set_aside{kind=\"version\"} 0",
        "leitai_recounts_open 0",
        "leitai_recount_matches_read 0",
        "# TYPE leitai_http_request_seconds histogram",
        "route=\"/api/games/{game}\"",
        "status=\"404\"",
    ] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
    assert!(!text.contains("chess"), "paths of people are no labels");
}

#[tokio::test]
async fn addresses_of_the_page_return_the_page() {
    let kit = Kit::new().await;
    let page = kit.guest().get("/").await;
    assert!(
        page.header("content-type").starts_with("text/html"),
        "{}",
        page.text()
    );
    for path in "/matches/7 /bots/1/versions/2 /embed/matches/7 /login".split_whitespace() {
        assert_eq!(kit.guest().get(path).await.bytes, page.bytes, "{path}");
    }
    let paths = "/api /api/ /api/nothing /api/games/kob/nothing /assets/nothing.js";
    for path in paths.split_whitespace() {
        kit.guest().get(path).await.refused(404, "not-found");
    }
    refused!(kit.guest().send("POST", "/games/kob", None) => 404, "not-found");
    refused!(kit.guest().delete("/api/games") => 405, "wrong-method");
}

/// Every pattern of the page's own list: with values of things that exist, and with others.
#[tokio::test]
async fn every_address_of_the_page_is_found() {
    let routes = include_str!("../../../web/src/routes.ts");
    let kit = Kit::new().await;
    let ada = kit.person("ada").await;
    kit.person("擂主").await;
    let [one, two] = kit.ready_bots([(&ada, "one"), (&ada, "two")]).await;
    let done = kit.ladder_match([&one, &two]).await;
    let (bot, done) = (one.id.0.to_string(), done.id.to_string());
    crate::contests::with_entrants(&kit).await;
    let status = async |path: &str| kit.guest().get(path).await.status.as_u16();
    let mut count = 0;
    for line in routes.lines().filter(|line| line.contains("() => import(")) {
        let Some((pattern, _)) = line.trim().trim_start_matches("[\"").split_once('"') else {
            continue; // The page for unknown addresses.
        };
        if !pattern.starts_with('/') {
            continue;
        }
        let id = match pattern {
            contest if contest.contains("contests") => "spring",
            of_match if of_match.contains("matches") => &done,
            _ => &bot,
        };
        let path = [
            (":game", "kob"),
            (":number", "1"),
            (":name", "%E6%93%82%E4%B8%BB"),
            (":code", "a-secret"),
            (":one", "1"),
            (":other", "2"),
            (":id", id),
        ]
        .iter()
        .fold(pattern.to_owned(), |path, (name, value)| {
            path.replace(name, value)
        });
        assert_eq!(status(&path).await, 200, "{pattern}: {path}");
        assert_eq!(status(&format!("{path}/")).await, 200, "{pattern}: {path}/");
        let wrong = pattern.split('/').map(|part| match part.strip_prefix(':') {
            Some(_) => "there-is-none",
            None => part,
        });
        let wrong = wrong.collect::<Vec<_>>().join("/");
        if wrong != pattern && !pattern.starts_with("/invite") {
            assert_eq!(status(&wrong).await, 404, "{pattern}: {wrong}");
        }
        count += 1;
    }
    assert!(count > 30, "{count} patterns were found in routes.ts");
    assert_eq!(status("/users/%E6%93%82%E4%B8").await, 404, "half a name");
}

#[tokio::test]
async fn unknown_addresses_are_not_found() {
    let kit = Kit::new().await;
    let ada = kit.person("ada").await;
    let [one, two] = kit.ready_bots([(&ada, "one"), (&ada, "two")]).await;
    let done = kit.ladder_match([&one, &two]).await;
    let status = async |path: &str| kit.guest().get(path).await.status.as_u16();
    let bot = one.id.0;
    let found = [
        "/".to_owned(),
        "/matches".to_owned(),
        "/games/kob/ladder".to_owned(),
        "/play/snakego".to_owned(),
        "/favicon.ico".to_owned(),
        "/robots.txt".to_owned(),
        format!("/matches/{}", done.id),
        format!("/embed/matches/{}", done.id),
        format!("/bots/{bot}"),
        format!("/bots/{bot}/versions/1"),
    ];
    // A build without the page has no files.
    let has_page = status("/icon.svg").await == 200;
    for path in found.iter().filter(|path| has_page || !path.contains('.')) {
        assert_eq!(status(path).await, 200, "{path}");
    }
    let missing =
        "/nothing /matches/999999 /matches/x /games/chess /bots/999999 /embed/matches/9999
        /games/kob/nothing";
    for path in missing.split_whitespace() {
        let answer = kit.guest().get(path).await;
        assert_eq!(answer.status.as_u16(), 404, "{path}");
        assert!(
            answer.header("content-type").starts_with("text/html"),
            "{path}: the page says that it is not found"
        );
    }
}

#[tokio::test]
async fn a_file_that_a_browser_has_cached_is_not_sent_again() {
    let kit = Kit::new().await;
    for path in ["/", "/api/games"] {
        let first = kit.guest().get(path).await;
        let etag = first.header("etag").to_owned();
        assert!(!etag.is_empty(), "{path}");
        let request = axum::http::Request::get(path)
            .header("if-none-match", etag)
            .body(axum::body::Body::empty());
        let again = kit.guest().request(request.expect("a request")).await;
        assert_eq!(
            (again.status.as_u16(), again.bytes.len()),
            (304, 0),
            "{path}"
        );
    }
}

#[tokio::test]
async fn responses_are_compressed_if_the_client_accepts_it() {
    let kit = Kit::new().await;
    for path in ["/api/games", "/api/openapi.json", "/"] {
        let request = axum::http::Request::get(path)
            .header("accept-encoding", "gzip")
            .body(axum::body::Body::empty());
        let answer = kit.guest().request(request.expect("a request")).await;
        assert_eq!(answer.header("content-encoding"), "gzip", "{path}");
        assert_eq!(&answer.bytes[..2], b"\x1f\x8b", "{path}");
        assert_eq!(
            kit.guest().get(path).await.header("content-encoding"),
            "",
            "{path}"
        );
    }
}

/// Programs of the page by Brotli, where the browser takes it.
#[tokio::test]
async fn files_of_the_page_have_the_coding_that_the_browser_takes() {
    let kit = Kit::new().await;
    let page = kit.guest().get("/").await.bytes;
    let page = String::from_utf8(page.to_vec()).expect("text");
    let (_, name) = page.split_once("src=\"/assets/").expect("a module");
    let path = format!("/assets/{}", name.split('"').next().expect("its end"));
    let mut lengths = Vec::new();
    for (accepted, coding) in [
        ("", ""),
        ("identity", ""),
        ("gzip, deflate", "gzip"),
        ("br;q=0, gzip", "gzip"),
        ("gzip, deflate, br, zstd", "br"),
        ("gzip;q=0.8, br;q=0.9", "br"),
    ] {
        let request = axum::http::Request::get(&path).header("accept-encoding", accepted);
        let request = request.body(axum::body::Body::empty());
        let answer = kit.guest().request(request.expect("a request")).await;
        assert_eq!(answer.header("content-encoding"), coding, "{accepted}");
        assert_eq!(answer.header("vary"), "accept-encoding", "{accepted}");
        lengths.push(answer.bytes.len());
    }
    assert!(lengths.is_sorted_by(|a, b| a >= b), "{lengths:?}");
    assert!(
        lengths[5] < lengths[3] && lengths[3] < lengths[0],
        "{lengths:?}"
    );
}

#[tokio::test]
async fn every_response_has_the_security_headers() {
    let kit = Kit::new().await;
    // Data and scripts are no pages; a folder's page, text and pictures may be shown as one.
    for (path, is_page, frames) in [
        ("/", true, "'none'"),
        ("/api/games", false, "'none'"),
        ("/api/nothing", false, "'none'"),
        ("/theme.js", false, "'none'"),
        ("/icon.svg", true, "'none'"),
        ("/healthz", true, "'none'"),
        ("/embed/matches/1", true, "*"),
    ] {
        let answer = kit.guest().get(path).await;
        let policy = answer.header("content-security-policy");
        assert!(
            policy.starts_with("default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; ")
                && policy.ends_with(&format!("frame-ancestors {frames}")),
            "{path}: {policy}"
        );
        assert_eq!(policy.contains("object-src 'none'"), is_page, "{path}");
        assert_eq!(answer.header("x-content-type-options"), "nosniff", "{path}");
        let shown =
            ["x-frame-options", "cross-origin-opener-policy"].map(|name| answer.header(name));
        let expected = match (is_page, frames) {
            (false, _) => ["", ""],
            (true, "*") => ["", "same-origin"],
            (true, _) => ["DENY", "same-origin"],
        };
        assert_eq!(shown, expected, "{path}");
        assert!(!answer.header("x-request-id").is_empty(), "{path}");
    }
}

#[tokio::test]
async fn behind_https_responses_have_strict_transport_security() {
    let kit = Kit::new().await;
    assert_eq!(
        kit.guest()
            .get("/")
            .await
            .header("strict-transport-security"),
        ""
    );
    let public_url = Some("https://arena.test".to_owned());
    let kit = Kit::changed(|to| to.public_url = public_url).await;
    for path in ["/", "/api/games", "/api/nothing", "/healthz"] {
        assert_eq!(
            kit.guest()
                .get(path)
                .await
                .header("strict-transport-security"),
            "max-age=31536000"
        );
    }
}

/// A server on a local port.
struct Listening {
    address: SocketAddr,
    stop: watch::Sender<bool>,
    server: JoinHandle<()>,
    _kit: Kit,
}

impl Listening {
    async fn with(limits: ConnectionLimits) -> Listening {
        let kit = Kit::new().await;
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("it is bound");
        let (stop, stopped) = watch::channel(false);
        let router = leitai_server::build_router(kit.app.clone());
        let server = tokio::spawn(leitai_server::http::connections::serve_connections(
            listener, router, limits, stopped,
        ));
        Listening {
            address,
            stop,
            server,
            _kit: kit,
        }
    }

    /// A connection from this address of the machine.
    async fn connect(&self, from: [u8; 4]) -> TcpStream {
        let socket = TcpSocket::new_v4().expect("a socket");
        socket.bind((from, 0).into()).expect("a loopback address");
        socket.connect(self.address).await.expect("it listens")
    }

    /// Sends a raw request on a new connection and returns the response.
    async fn ask(&self, from: [u8; 4], request: &[u8]) -> String {
        let mut stream = self.connect(from).await;
        // A connection that the server ended meanwhile gives no response.
        _ = stream.write_all(request).await;
        read(&mut stream).await
    }
}

async fn read(stream: &mut TcpStream) -> String {
    let mut answer = Vec::new();
    // What came before a reset counts.
    _ = stream.read_to_end(&mut answer).await;
    String::from_utf8_lossy(&answer).into_owned()
}

const HERE: [u8; 4] = [127, 0, 0, 1];
const ELSEWHERE: [u8; 4] = [127, 0, 0, 2];
const HEALTH: &[u8] = b"GET /healthz HTTP/1.1\r\nhost: arena.test\r\nconnection: close\r\n\r\n";
const LIMITS: ConnectionLimits = ConnectionLimits {
    most: 100,
    most_from_one: 0,
    head: Duration::from_secs(60),
};

#[tokio::test]
async fn an_unfinished_request_head_ends_the_connection() {
    let server = Listening::with(ConnectionLimits {
        head: Duration::from_millis(50),
        ..LIMITS
    })
    .await;
    for half in [&b""[..], b"GET /healthz HTTP/1.1\r\nhost: arena"] {
        assert_eq!(
            server.ask(HERE, half).await,
            "",
            "the connection ends without a response"
        );
    }
    // On a slow machine a whole one may also come too late.
    while !server.ask(HERE, HEALTH).await.ends_with("ok\n") {}
}

#[tokio::test]
async fn one_address_cannot_hold_all_connections() {
    let server = Listening::with(ConnectionLimits {
        most: 5,
        most_from_one: 3,
        ..LIMITS
    })
    .await;
    let mut held = Vec::new();
    for _ in 0..3 {
        held.push(server.connect(HERE).await);
    }
    let refused = read(&mut server.connect(HERE).await).await;
    assert!(
        refused.starts_with("HTTP/1.1 503 ") && refused.contains("retry-after: 5"),
        "{refused}"
    );
    assert!(server.ask(ELSEWHERE, HEALTH).await.ends_with("ok\n"));
    drop(held);
    // The server notices the end of a connection a moment later.
    while !server.ask(HERE, HEALTH).await.ends_with("ok\n") {}
}

#[tokio::test]
async fn a_refusal_sent_before_the_body_was_read_arrives_complete() {
    let server = Listening::with(LIMITS).await;
    for (path, length, status) in [
        ("/api/bots/1/versions", 24 << 20, 401),
        ("/api/register", 8 << 20, 413),
        ("/api/nothing", 8 << 20, 404),
    ] {
        let head = format!(
            "POST {path} HTTP/1.1\r\nhost: arena.test\r\ncontent-type: application/json\r\n\
             content-length: {length}\r\n\r\n"
        );
        let request = [head.into_bytes(), vec![b' '; length]].concat();
        let answer = server.ask(HERE, &request).await;
        assert!(
            answer.starts_with(&format!("HTTP/1.1 {status} ")),
            "{path}: {answer}"
        );
        assert!(answer.ends_with('}'), "{path}: {answer}");
    }
}

#[tokio::test]
async fn a_server_that_is_told_to_stop_ends_idle_connections() {
    let server = Listening::with(LIMITS).await;
    let mut idle = server.connect(HERE).await;
    ok!(idle.write_all(b"GET /healthz HTTP/1.1\r\nhost: arena.test\r\n\r\n"));
    let mut first = [0; 12];
    idle.read_exact(&mut first).await.expect("it answers");
    server.stop.send_replace(true);
    assert!(
        read(&mut idle).await.ends_with("ok\n"),
        "the response is complete"
    );
    server.server.await.expect("it ends");
}

#[tokio::test]
async fn a_personal_response_is_not_served_to_others() {
    let kit = Kit::changed(|to| to.keep_answers = std::time::Duration::from_secs(3600)).await;
    let ada: Person = kit.person("ada").await;
    let [one, two] = kit.ready_bots([(&ada, "one"), (&ada, "two")]).await;
    let done = kit.ladder_match([&one, &two]).await;
    let path = format!("/api/matches/{}", done.id);
    assert_eq!(ada.get(&path).await.ok()["your"], "a");
    assert_eq!(kit.guest().get(&path).await.ok()["your"], Value::Null);
    assert_eq!(ada.get(&path).await.ok()["your"], "a");
}

/// An error message in the requested language.
async fn refused_in(kit: &Kit, language: &str, path: &str) -> kit::Answer {
    let request = axum::http::Request::get(path).header("accept-language", language);
    kit.guest()
        .request(
            request
                .body(axum::body::Body::empty())
                .expect("a sound request"),
        )
        .await
}

#[tokio::test]
async fn error_messages_are_in_the_language_of_the_reader() {
    let kit = Kit::new().await;
    let message = |answer: &kit::Answer| {
        answer.json()["error"]["message"]
            .as_str()
            .unwrap_or("")
            .to_owned()
    };
    for (path, part) in [
        ("/api/matches/99", "没有 比赛 99"),
        ("/api/matches?limit=5000", "limit 是 5000；应为 1 到"),
        ("/api/matches?stat=1", "未知的查询参数 \"stat\"；此地址接受"),
        ("/api/games/chess", "没有游戏 \"chess\"；可用的有"),
        ("/api/nothing", "可用地址见 /api/openapi.json"),
        ("/api/admin/users", "需要账户；请登录"),
    ] {
        let (english, chinese) = (
            refused_in(&kit, "en", path).await,
            refused_in(&kit, "zh-CN,en;q=0.5", path).await,
        );
        assert!(
            message(&chinese).contains(part),
            "{path}: {}",
            message(&chinese)
        );
        assert!(
            message(&english).is_ascii(),
            "{path}: {}",
            message(&english)
        );
        assert_eq!(
            (english.status, english.code()),
            (chinese.status, chinese.code()),
            "{path}"
        );
        assert_eq!(chinese.header("content-language"), "zh-CN");
        assert_eq!(chinese.header("cache-control"), "no-store");
        assert_eq!(
            chinese.header("x-content-type-options"),
            english.header("x-content-type-options")
        );
    }
}

#[tokio::test]
async fn only_documents_are_served_below_docs() {
    let outside = tempfile::tempdir().expect("there is room");
    let site = outside.path().join("site");
    std::fs::create_dir_all(site.join("en")).expect("there is room");
    let write = |name: &str, text: &str| {
        std::fs::write(outside.path().join(name), text).expect("there is room")
    };
    write("site/index.html", "the first page");
    write("site/en/index.html", "<script>1</script>a book");
    write("secret.txt", "not for readers");
    std::os::unix::fs::symlink(outside.path().join("site"), outside.path().join("link"))
        .expect("a link");
    let kit = Kit::changed(|to| to.docs = Some(site)).await;
    let guest = kit.guest();

    assert!(String::from_utf8_lossy(&guest.get("/docs/").await.bytes).contains("the first page"));
    let page = guest.get("/docs/en/").await;
    assert_eq!(page.status, 200);
    assert!(String::from_utf8_lossy(&page.bytes).contains("a book"));
    let policy = page.headers["content-security-policy"]
        .to_str()
        .expect("text");
    assert!(
        policy.contains("script-src 'self' 'unsafe-inline'"),
        "mdBook's pages have scripts: {policy}"
    );
    let moved = |path: &'static str, to: &'static str| {
        let guest = guest.clone();
        async move {
            let answer = guest.get(path).await;
            assert!(answer.status.is_redirection(), "{path}: {}", answer.status);
            assert_eq!(answer.headers["location"], to, "{path}");
        }
    };
    moved("/docs", "/docs/").await;
    moved("/docs/en", "/docs/en/").await;
    let paths = "/docs/../secret.txt /docs/%2e%2e/secret.txt /docs/..%2fsecret.txt
        /docs/en/..%2f..%2fsecret.txt /docs/%5c..%5csecret.txt /docs//etc/passwd
        /docs/%2fetc%2fpasswd /docs/en/%00 /docs/none.html";
    for path in paths.split_whitespace() {
        let answer = guest.get(path).await;
        assert!(answer.status.is_client_error(), "{path}: {}", answer.status);
        assert!(
            !String::from_utf8_lossy(&answer.bytes).contains("not for readers"),
            "{path}"
        );
    }
    assert!(
        guest.get("/").await.headers["content-security-policy"] != policy,
        "the arena's own pages have another policy"
    );
    let status: Value = guest.get("/api/status").await.ok();
    assert_eq!(status["docs"], true);
}

#[tokio::test]
async fn without_documents_the_docs_address_is_not_found() {
    let kit = Kit::new().await;
    let guest = kit.guest();
    assert_eq!(guest.get("/docs/").await.status, 404);
    let status: Value = guest.get("/api/status").await.ok();
    assert_eq!(status["docs"], false);
}
