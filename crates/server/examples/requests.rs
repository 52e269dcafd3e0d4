//! Measures the cost of a request: `cargo run --release -p leitai-server --example requests
//! [REQUESTS] [BOTS]`.
//!
//! A separate server with so many bots (default 300) and some hundred matches gets requests over one connection from a
//! second process. Prints the server's CPU time per request, beside that of a handler that only
//! says hello, without any layer.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::Command;
use std::time::Duration;

use axum::Router;
use axum::routing::get;
use leitai_server::Arena;
use leitai_server::{App, ServerOptions};
use leitai_store::{
    BlobStore, JobKind, MatchEntrant, MatchEntrantKind, MatchKind, MatchResult, MatchWinner,
    NewMatch, PageQuery, PerSide, Store, Timestamp, WorkerOffer,
};
use serde_json::json;

/// Bots on the ladder, unless the command says how many; so many play matches.
const BOTS: usize = 300;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments
        .iter()
        .map(String::as_str)
        .collect::<Vec<_>>()
        .as_slice()
    {
        ["ask", address, path, count] => ask(address, path, count.parse().expect("a number")),
        rest => {
            let number = |index: usize, default| {
                let word = rest.get(index);
                word.map_or(default, |word| word.parse().expect("a number"))
            };
            let (count, bots) = (number(0, 20_000), number(1, BOTS));
            tokio::runtime::Runtime::new()
                .expect("threads")
                .block_on(measure(count, bots));
        }
    }
}

async fn measure(count: usize, bots: usize) {
    let folder = tempfile::tempdir().expect("there is room");
    let at = folder.path().display();
    let store = Store::open_url(&format!("sqlite://{at}/leitai.db"))
        .await
        .expect("a fresh database opens");
    let blobs = BlobStore::open_url(&format!("file://{at}/blobs"))
        .await
        .expect("a fresh blob store opens");
    let id = fill(&store, bots).await;
    let app = |keep| {
        let options = ServerOptions {
            keep_answers: keep,
            ..ServerOptions::default()
        };
        leitai_server::build_router(App::new(
            leitai_games::ALL,
            store.clone(),
            blobs.clone(),
            Arena::default(),
            options,
        ))
    };
    let hello = serve(Router::new().route("/", get(|| async { "hello" }))).await;
    let (kept, fresh) = (
        serve(app(Duration::from_secs(1))).await,
        serve(app(Duration::ZERO)).await,
    );
    let first = PageQuery::first_page(100);
    let first = store
        .list_ladder(&leitai_store::LadderId::standard("kob"), &first)
        .await
        .expect("a page");
    let cursor = first.next.unwrap_or_default();
    let paths = [
        "/healthz",
        "/api/games/kob/ladder?limit=50",
        &format!("/api/games/kob/ladder?limit=20&before={cursor}"),
        &format!("/api/games/kob/ladder?limit=50&before={cursor}"),
        "/api/matches?limit=20",
        &format!("/api/matches/{id}"),
    ];
    let base = cost(hello, "/", count).await;
    println!("{:>8.1} µs  1.0x  hello", base);
    for (name, server) in [("kept for 1 s", kept), ("made anew", fresh)] {
        for path in paths {
            let micros = cost(server, path, count).await;
            println!("{micros:>8.1} µs {:>4.1}x  {path}, {name}", micros / base);
        }
    }
}

/// Starts a server.
async fn serve(router: Router) -> SocketAddr {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0")
        .await
        .expect("a free port");
    let address = listener.local_addr().expect("it is bound");
    let service = router.into_make_service_with_connect_info::<SocketAddr>();
    tokio::spawn(async move { axum::serve(listener, service).await });
    address
}

/// The least CPU time of this process per request in three rounds, in microseconds.
async fn cost(server: SocketAddr, path: &str, count: usize) -> f64 {
    let mut least = f64::INFINITY;
    for _ in 0..3 {
        let own = std::env::current_exe().expect("it runs");
        let mut asker = Command::new(own);
        asker.args(["ask", &server.to_string(), path, &count.to_string()]);
        let before = cpu_nanos();
        let done = tokio::task::spawn_blocking(move || asker.status())
            .await
            .expect("it runs")
            .expect("it starts");
        assert!(done.success(), "the asker failed");
        least = least.min((cpu_nanos() - before) as f64 / 1000.0 / count as f64);
    }
    least
}

/// The CPU time of all threads of this process.
fn cpu_nanos() -> u64 {
    let tasks = std::fs::read_dir("/proc/self/task")
        .expect("Linux")
        .flatten();
    let used = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("schedstat")).ok());
    used.filter_map(|text| {
        text.split(' ')
            .next()
            .and_then(|nanos| nanos.parse::<u64>().ok())
    })
    .sum()
}

/// Sends requests one after the other over one connection.
fn ask(address: &str, path: &str, count: usize) {
    let mut stream = TcpStream::connect(address).expect("the server listens");
    let mut reader = BufReader::new(stream.try_clone().expect("a socket"));
    let request = format!("GET {path} HTTP/1.1\r\nHost: arena\r\nAccept-Encoding: gzip\r\n\r\n");
    for _ in 0..count {
        stream
            .write_all(request.as_bytes())
            .expect("the server listens");
        let mut length = 0;
        for line in reader.by_ref().lines() {
            let line = line.expect("text").to_ascii_lowercase();
            if let Some(value) = line.strip_prefix("content-length: ") {
                length = value.parse().expect("a length");
            }
            assert!(
                !line.starts_with("http/") || line.contains(" 200 "),
                "{line}"
            );
            if line.is_empty() {
                break;
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).expect("the whole body comes");
    }
}

/// Makes bots that have played one match each; returns the last match's id.
async fn fill(store: &Store, bots: usize) -> i64 {
    let now = Timestamp::now();
    let mut entrants = Vec::new();
    for number in 0..bots.max(2) {
        let (bot, version) = store
            .ensure_built_in("kob", &format!("bot{number}"), "", now)
            .await
            .expect("a bot");
        entrants.push(MatchEntrant {
            kind: MatchEntrantKind::Bot,
            name: bot.name.clone(),
            bot: Some(bot.id),
            version: Some(version.id),
            number: Some(version.number),
            user: None,
            user_name: None,
            built_in: true,
            home: None,
            home_bot: None,
            latency_us: None,
            settings: None,
        });
    }
    let mut last = 0;
    for pair in entrants.windows(2).take(BOTS) {
        let pair = [pair[0].clone(), pair[1].clone()].map(Some);
        let new = NewMatch::new("kob", MatchKind::Ladder, pair.into(), 7.into(), 2);
        last = store.create_match(new, now).await.expect("a match").id.0;
        finish(store).await;
    }
    last
}

async fn finish(store: &Store) {
    let offer =
        json!({"worker": "example", "kinds": [JobKind::Match], "games": [], "programs": true});
    let offer: WorkerOffer = serde_json::from_value(offer).expect("an offer");
    let now = Timestamp::now();
    let taken = store
        .lease_job(&offer, now, Duration::from_secs(60))
        .await
        .expect("it answers")
        .expect("a job");
    let result = MatchResult {
        record: None,
        winner: MatchWinner::A,
        reason: json!({"id": "leg-wins", "en": "by games won", "zh": "胜局数"}),
        scores: json!([[1, 0], [1, 0]]),
        leg_outcomes: json!([]),
        faults: json!([]),
        fault_counts: PerSide::default(),
        longest_us: PerSide::default(),
        cpu_us: 0,
        replay: None,
        games: Vec::new(),
    };
    store
        .finish_match(&taken.lease, result, now)
        .await
        .expect("the lease lives");
}
