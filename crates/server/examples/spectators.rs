//! Measures the cost of showing one match to thousands: `cargo run --release -p leitai-server
//! --example spectators -- 5000 20` (spectators, seconds). Server and spectators run in this
//! process over real sockets, on separate threads; the server's CPU time is that of its threads.
//! The lag is the time from the judge's report of a step to the moment at which a spectator has
//! read it.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::{State, WebSocketUpgrade};
use axum::response::Response;
use axum::routing::get;
use futures_util::StreamExt;
use leitai_game::conformance::random_leg_tokens;
use leitai_game::{AnySetup, ByEntrant};
use leitai_server::http::routes::live::serve_live;
use leitai_server::http::socket::{BoundedSocket, bound_upgrade};
use leitai_server::live::{LiveMatchStart, LiveMatches};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Runtime};
use tokio_tungstenite::tungstenite::Message;

/// Steps per second.
const STEPS: u32 = 4;
/// Names of the server's threads.
const SERVER: &str = "server";

/// The times of the judge's reports.
type Told = Arc<Mutex<Vec<Instant>>>;

fn main() {
    let mut arguments = std::env::args()
        .skip(1)
        .filter_map(|word| word.parse::<usize>().ok());
    let (wanted, seconds) = (
        arguments.next().unwrap_or(5000),
        arguments.next().unwrap_or(20),
    );
    let spectators = wanted.min(allowed_files().saturating_sub(200) / 2);
    let (server, clients) = (runtime(SERVER), runtime("clients"));
    let live = LiveMatches::default();
    let address = server.block_on(serve(live.clone()));
    let tokens = begin(&live);
    let reported = Told::default();
    let watching = clients.block_on(watch(address, spectators, &reported));
    println!("{} of {wanted} spectators are here", watching.len());
    std::thread::sleep(Duration::from_secs(2));
    let (begun, cpu) = (Instant::now(), cpu_of(SERVER));
    for token in tokens.iter().take(seconds * STEPS as usize) {
        reported
            .lock()
            .expect("nobody panics with it")
            .push(Instant::now());
        live.append_steps(1, 0, token, &[1000]);
        std::thread::sleep(Duration::from_secs(1) / STEPS);
    }
    let (cpu, wall) = (cpu_of(SERVER) - cpu, begun.elapsed());
    live.end_match(1);
    let mut lags: Vec<Duration> = Vec::new();
    for watching in watching {
        lags.extend(
            clients
                .block_on(watching)
                .expect("a spectator never panics"),
        );
    }
    report(&mut lags, cpu, wall, spectators);
}

fn report(lags: &mut [Duration], cpu: Duration, wall: Duration, spectators: usize) {
    lags.sort_unstable();
    let at = |share: f64| {
        lags.get(((lags.len() as f64 * share) as usize).min(lags.len().saturating_sub(1)))
    };
    let share = 100.0 * cpu.as_secs_f64() / wall.as_secs_f64();
    let each = cpu.as_secs_f64() * 1e6 / lags.len().max(1) as f64;
    println!(
        "{spectators} spectators, {} messages in {wall:.1?}",
        lags.len()
    );
    println!("server: {cpu:.2?} of CPU time, {share:.1} % of a core, {each:.1} µs a message");
    println!(
        "lag: median {:.1?}, p99 {:.1?}, longest {:.1?}",
        at(0.5),
        at(0.99),
        lags.last()
    );
    println!("memory of the whole process: {}", memory());
}

/// Raises the limit of open files.
fn allowed_files() -> usize {
    let most = getrlimit(Resource::Nofile).maximum;
    setrlimit(
        Resource::Nofile,
        Rlimit {
            current: most,
            maximum: most,
        },
    )
    .expect("up to its maximum a limit may be raised");
    most.map_or(usize::MAX, |most| {
        usize::try_from(most).unwrap_or(usize::MAX)
    })
}

fn runtime(name: &str) -> Runtime {
    Builder::new_multi_thread()
        .worker_threads(1)
        .thread_name(name)
        .enable_all()
        .build()
        .expect("threads")
}

async fn serve(live: LiveMatches) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("it is bound");
    let routes = Router::new()
        .route("/live", get(live_socket))
        .with_state(live);
    tokio::spawn(async move { axum::serve(listener, routes).await });
    address
}

async fn live_socket(State(live): State<LiveMatches>, upgrade: WebSocketUpgrade) -> Response {
    bound_upgrade(upgrade).on_upgrade(move |socket| async move {
        let watch = live.watch_when_begun(1).await;
        serve_live(BoundedSocket::new(socket), watch, async { "{}".to_owned() }).await;
    })
}

/// Starts a match of SnakeGo, and returns the tokens of a random leg.
fn begin(live: &LiveMatches) -> Vec<String> {
    let game = leitai_games::find_game("snakego").expect("a game of the house");
    let setup = game
        .deal_setup(&serde_json::Value::Null, 1)
        .expect("the default config");
    let tokens = random_leg(&*setup);
    let entrants = ByEntrant::new("one".to_owned(), "two".to_owned());
    live.begin_match(LiveMatchStart {
        id: 1,
        game: game.into(),
        setup,
        legs: 1,
        entrants,
        has_people: false,
    });
    live.begin_leg(1, 0);
    tokens
}

/// The longest of several random legs.
fn random_leg(setup: &dyn AnySetup) -> Vec<String> {
    let legs = (0..200).map(|seed| random_leg_tokens(setup, seed).expect("the game is sound"));
    legs.max_by_key(Vec::len).expect("there are some")
}

type Watching = Vec<tokio::task::JoinHandle<Vec<Duration>>>;

async fn watch(address: SocketAddr, spectators: usize, reported: &Told) -> Watching {
    let mut watching = Vec::new();
    for _ in 0..spectators {
        let Ok((socket, _)) =
            tokio_tungstenite::connect_async(format!("ws://{address}/live")).await
        else {
            break;
        };
        let reported = reported.clone();
        watching.push(tokio::spawn(async move {
            let (mut socket, mut lags) = (socket, Vec::new());
            while let Some(Ok(message)) = socket.next().await {
                let now = Instant::now();
                if let Message::Text(text) = message
                    && let Some(step) = last_step(&text)
                    && let Some(reported) = reported
                        .lock()
                        .expect("nobody panics with it")
                        .get(step - 1)
                {
                    lags.push(now - *reported);
                }
            }
            lags
        }));
    }
    watching
}

/// The last step in a message with frames.
fn last_step(text: &str) -> Option<usize> {
    let rest = text
        .starts_with(r#"{"type":"frames""#)
        .then(|| text.rsplit_once(r#""step":"#))??
        .1;
    rest.split(|c: char| !c.is_ascii_digit())
        .next()?
        .parse()
        .ok()
}

/// CPU time of all threads of this name.
fn cpu_of(name: &str) -> Duration {
    let tasks = std::fs::read_dir("/proc/self/task")
        .expect("Linux")
        .flatten();
    let ticks = tasks.filter_map(|task| {
        let stat = std::fs::read_to_string(task.path().join("stat")).ok()?;
        let (head, rest) = stat.rsplit_once(") ")?;
        let own = head.split_once('(')?.1 == name;
        let fields: Vec<&str> = rest.split(' ').collect();
        let ticks = fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?;
        own.then_some(ticks)
    });
    let each_second = rustix::param::clock_ticks_per_second();
    Duration::from_secs_f64(ticks.sum::<u64>() as f64 / each_second as f64)
}

fn memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.map_or("unknown".to_owned(), |line| line.trim().to_owned())
}
