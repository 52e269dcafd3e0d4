//! Measures how soon a free worker has a match, and how many matches workers play:
//! `cargo run --release -p leitai-server --example dispatch -- POSTGRES NATS`. Both are addresses; the
//! database must be empty, and NATS have JetStream. `deploy/cluster` starts such servers.
//!
//! The latency is the time from the commit of a match to the moment at which a worker that was idle
//! has its lease. The prototype of a JetStream queue has no outbox: a relay publishes each match as
//! soon as it is committed, so it is quicker than a real one.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use async_nats::jetstream::consumer::{AckPolicy, pull};
use async_nats::jetstream::stream::{Config, RetentionPolicy};
use futures_util::StreamExt;
use leitai_server::bus::{ArenaBus, NatsBus, share_changes};
use leitai_server::schedule::{ScheduleOptions, Scheduler, new_match};
use leitai_server::work::http_source::HttpJobSource;
use leitai_server::work::leased_tasks::LeasedTasks;
use leitai_server::work::local_source::LocalJobSource;
use leitai_server::work::queue::JobQueue;
use leitai_server::work::source::{JobRequest, JobSource};
use leitai_server::work::worker::{Worker, WorkerOptions, cache_without_programs, start_worker};
use leitai_server::{App, Arena, ServerOptions, build_router};
use leitai_store::{
    BlobStore, JobKind, MatchKind, NewToken, Store, Timestamp, TokenHash, TokenKind,
};
use tokio::runtime::Runtime;

type Failure = Box<dyn std::error::Error>;

/// Matches of each latency, unless a third argument says how many.
const SAMPLES: u32 = 200;
/// Matches of the latency of a worker that asks once a second.
const SLOW_SAMPLES: u32 = 20;
/// Matches of each throughput.
const PLAYED: u32 = 150;
/// The pause before each match, so that the worker is idle.
const IDLE: Duration = Duration::from_millis(15);
/// The longest wait for a lease.
const PATIENCE: Duration = Duration::from_secs(30);
/// Leases do not end while this measures.
const LEASE: Duration = Duration::from_secs(3600);
/// The game whose matches are short.
const GAME: &str = "kob";

/// Two servers of one arena, in one process.
struct Servers {
    runtime: Runtime,
    one: App,
    two: App,
    /// The address of the second one.
    url: String,
    token: String,
}

fn main() -> Result<(), Failure> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let (database, nats, samples) = match &words[..] {
        [database, nats] => (database, nats, SAMPLES),
        [database, nats, samples] => (database, nats, samples.parse()?),
        _ => return Err("usage: dispatch POSTGRES NATS [SAMPLES]".into()),
    };
    let servers = Servers::start(database, nats)?;
    println!("| dispatch | p50 | p99 | highest |\n|---|---|---|---|");
    let one = servers.one.job_queue();
    servers.measure("a slot of the same server", samples, local(&servers, one))?;
    let two = servers.two.job_queue();
    servers.measure(
        "a slot of another server, told over NATS",
        samples,
        local(&servers, two),
    )?;
    servers.measure(
        "a remote worker (HTTP) at another server, waiting there",
        samples,
        servers.remote("waiting"),
    )?;
    servers.measure(
        "JetStream, then the lease",
        samples,
        servers.jetstream(nats)?,
    )?;
    servers.measure(
        "a worker that asks once a second",
        samples.min(SLOW_SAMPLES),
        servers.asking_each_second(),
    )?;
    println!("\n| remote workers of one slot | matches a second |\n|---|---|");
    [1, 2, 4]
        .into_iter()
        .try_for_each(|workers| servers.play_with(workers))
}

/// A worker that leases one match after the other, and says when it has each.
type Leasing = Receiver<Instant>;

/// A slot in the process of a server.
fn local(servers: &Servers, queue: JobQueue) -> Leasing {
    let handle = servers.runtime.handle().clone();
    lease_from(Arc::new(LocalJobSource::new(queue, "local", handle)))
}

fn lease_from(source: Arc<dyn JobSource>) -> Leasing {
    let (sender, leased) = channel();
    std::thread::spawn(move || {
        let request = request();
        loop {
            match source.lease_job(&request) {
                Ok(Some(_)) if sender.send(Instant::now()).is_err() => return,
                Ok(_) => {}
                Err(error) => panic!("{error}"),
            }
        }
    });
    leased
}

fn request() -> JobRequest {
    JobRequest {
        kinds: vec![JobKind::Match],
        programs: false,
    }
}

impl Servers {
    fn start(database: &str, nats: &str) -> Result<Servers, Failure> {
        let runtime = Runtime::new()?;
        let [one, two] = ["one", "two"].map(|name| {
            runtime.block_on(async {
                let store = Store::open_url(database).await?;
                let bus = NatsBus::connect(nats, name).await?;
                let bus = ArenaBus::new(Arc::new(bus), "measured");
                tokio::spawn(share_changes(bus, store.clone()));
                let folder = std::env::temp_dir().join("leitai-dispatch");
                let blobs = BlobStore::open_url(&format!("file://{}", folder.display())).await?;
                let arena = Arena {
                    tasks: LeasedTasks::leased_for(LEASE),
                    ..Arena::default()
                };
                let options = ServerOptions::default();
                Ok::<App, Failure>(App::new(leitai_games::ALL, store, blobs, arena, options))
            })
        });
        let (one, two) = (one?, two?);
        let schedule = ScheduleOptions {
            exhibitions: false,
            ..ScheduleOptions::new("measured", 2)
        };
        let scheduler = Scheduler::new(leitai_games::ALL, one.store.clone(), schedule);
        runtime.block_on(scheduler.open_ladders(Timestamp::now()))?;
        let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0"))?;
        let url = format!("http://{}", listener.local_addr()?);
        let service = build_router(two.clone()).into_make_service_with_connect_info::<SocketAddr>();
        runtime.spawn(async move { axum::serve(listener, service).await });
        let token = format!("leitai_worker_{:064x}", Timestamp::now().0);
        let new = NewToken {
            user: None,
            kind: TokenKind::Worker,
            name: "measured".to_owned(),
            hash: TokenHash::from_token(&token),
            scopes: Default::default(),
            until: None,
        };
        runtime.block_on(one.store.create_token(new, Timestamp::now()))?;
        Ok(Servers {
            runtime,
            one,
            two,
            url,
            token,
        })
    }

    fn remote_source(&self, name: &str) -> Arc<dyn JobSource> {
        let servers = std::slice::from_ref(&self.url);
        Arc::new(HttpJobSource::new(
            servers,
            &self.token,
            name,
            leitai_games::ALL,
        ))
    }

    fn remote(&self, name: &str) -> Leasing {
        lease_from(self.remote_source(name))
    }

    /// How remote workers asked before they waited at the server, without HTTP.
    fn asking_each_second(&self) -> Leasing {
        let (sender, leased) = channel();
        let (queue, handle) = (self.two.job_queue(), self.runtime.handle().clone());
        std::thread::spawn(move || {
            loop {
                match handle.block_on(queue.lease_job("asking", &request())) {
                    Ok(Some(_)) if sender.send(Instant::now()).is_err() => return,
                    Ok(Some(_)) => {}
                    Ok(None) => std::thread::sleep(Duration::from_secs(1)),
                    Err(error) => panic!("{error}"),
                }
            }
        });
        leased
    }

    /// A relay that publishes each match, and a consumer that leases it in the database.
    fn jetstream(&self, nats: &str) -> Result<Leasing, Failure> {
        let (sender, leased) = channel();
        let queue = self.two.job_queue();
        let mut committed = self.one.store.job_arrivals();
        self.runtime.block_on(async {
            let client = async_nats::connect(nats).await?;
            let context = async_nats::jetstream::new(client);
            let config = Config {
                name: "measured".to_owned(),
                subjects: vec!["measured.jobs".to_owned()],
                retention: RetentionPolicy::WorkQueue,
                ..Config::default()
            };
            let stream = context.get_or_create_stream(config).await?;
            let config = pull::Config {
                durable_name: Some("worker".to_owned()),
                ack_policy: AckPolicy::Explicit,
                ..pull::Config::default()
            };
            let consumer = stream.get_or_create_consumer("worker", config).await?;
            let mut jobs = consumer.messages().await?;
            tokio::spawn(async move {
                while committed.changed().await.is_ok() {
                    let published = context.publish("measured.jobs", "job".into()).await;
                    published
                        .expect("JetStream is there")
                        .await
                        .expect("it is stored");
                }
            });
            tokio::spawn(async move {
                while let Some(next) = jobs.next().await {
                    // A missed heartbeat of a busy machine is an error, too.
                    let Ok(job) = next else { continue };
                    let task = queue.lease_job("consumer", &request()).await;
                    if task.expect("the database answers").is_some()
                        && sender.send(Instant::now()).is_err()
                    {
                        return;
                    }
                    job.ack().await.expect("it is acknowledged");
                }
            });
            Ok(leased)
        })
    }

    fn create_matches(&self, count: u32) -> Result<(), Failure> {
        let store = &self.one.store;
        let game = self.one.find_game(GAME).expect("it is built in");
        self.runtime.block_on(async {
            let bot = store.bot_by_name(GAME, "random").await?.ok_or("no bot")?;
            let other = store.bot_by_name(GAME, "safe").await?.ok_or("no bot")?;
            for _ in 0..count {
                let (a, b) = (
                    store.bot_entrant(bot.id).await?,
                    store.bot_entrant(other.id).await?,
                );
                let new = new_match(&*game, MatchKind::Ladder, a, b);
                store.create_match(new, Timestamp::now()).await?;
            }
            Ok(())
        })
    }

    fn measure(&self, what: &str, samples: u32, leased: Leasing) -> Result<(), Failure> {
        let mut took = Vec::new();
        for sample in 0..samples {
            // Those that ask once a second are asked at any moment of it.
            std::thread::sleep(IDLE + Duration::from_millis(u64::from(sample * 37 % 100)));
            self.create_matches(1)?;
            let committed = Instant::now();
            let leased = leased.recv_timeout(PATIENCE)?;
            took.push(leased.saturating_duration_since(committed));
        }
        // The worker ends with its next match, which nobody waits for.
        drop(leased);
        self.create_matches(1)?;
        std::thread::sleep(Duration::from_millis(1100));
        took.sort_unstable();
        let at = |share: f64| took[((took.len() - 1) as f64 * share) as usize].as_secs_f64() * 1e3;
        let (p50, p99, highest) = (at(0.5), at(0.99), at(1.0));
        println!("| {what} | {p50:.1} ms | {p99:.1} ms | {highest:.1} ms |");
        Ok(())
    }

    fn count_finished(&self) -> Result<u64, Failure> {
        let counts = self.runtime.block_on(self.one.store.count_all())?;
        Ok(counts.matches.get("finished").copied().unwrap_or(0))
    }

    fn play_with(&self, workers: usize) -> Result<(), Failure> {
        let before = self.count_finished()?;
        self.create_matches(PLAYED)?;
        let begun = Instant::now();
        let workers: Vec<Worker> = (0..workers)
            .map(|index| {
                let name = format!("worker-{index}");
                let options = WorkerOptions {
                    slots: 1,
                    ..WorkerOptions::new(name.clone())
                };
                let source = self.remote_source(&name);
                let programs = cache_without_programs();
                start_worker(source, leitai_games::ALL, programs, options)
            })
            .collect();
        while self.count_finished()? < before + u64::from(PLAYED) {
            std::thread::sleep(Duration::from_millis(50));
        }
        let rate = f64::from(PLAYED) / begun.elapsed().as_secs_f64();
        println!("| {} | {rate:.0} |", workers.len());
        workers.iter().for_each(Worker::stop_worker);
        for worker in workers {
            worker.join_threads()?;
        }
        Ok(())
    }
}
