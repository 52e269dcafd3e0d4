//! A whole arena in a folder: store, blob store, router on a local port, and workers.

#![allow(dead_code, reason = "each test file uses a part of it")]

use crate::kit::new_bot;
pub use crate::kit::programs::FIRST_LEGAL;
use std::future::Future;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use leitai_game::replay::{Replay, verify_replay};
use leitai_game::{AnyGame, GameHandle, GameSet};
use leitai_judge::Sandbox;
use leitai_server::Arena;
use leitai_server::accounts::secret;
use leitai_server::schedule::{ScheduleOptions, Scheduler, new_match};
use leitai_server::work::http_source::HttpJobSource;
use leitai_server::work::leased_tasks::{LEASE, LeasedTasks};
use leitai_server::work::local_source::LocalJobSource;
use leitai_server::work::queue::JobQueue;
use leitai_server::work::source::{JobRequest, JobSource};
use leitai_server::work::worker::{Worker, WorkerOptions, make_program_cache, start_worker};
use leitai_server::{App, ServerOptions, build_router};
use leitai_store::{
    BlobKey, BlobStore, Bot, JobKind, Match, MatchId, MatchKind, MatchState, NewToken, NewUser,
    NewVersion, Store, Timestamp, TokenHash, TokenKind, Version, VersionState,
};
use tokio::runtime::Runtime;

/// The longest wait on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(400);

pub struct WorkerKit {
    pub runtime: Runtime,
    pub app: App,
    folder: Option<tempfile::TempDir>,
}

/// The game whose matches are short also without optimisation.
pub fn kob() -> &'static [&'static dyn AnyGame] {
    let is_kob = |game: &&'static dyn AnyGame| game.meta().id == "kob";
    let at = leitai_games::ALL.iter().position(is_kob);
    let at = at.expect("it is built in");
    &leitai_games::ALL[at..=at]
}

/// The job source of a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    Process,
    Http,
}

impl WorkerKit {
    pub fn new() -> WorkerKit {
        WorkerKit::leased_for(LEASE)
    }

    /// An arena with these games.
    pub fn of_games(games: impl Into<GameSet>) -> WorkerKit {
        let folder = tempfile::tempdir().expect("a folder");
        let worker_kit = WorkerKit::with_games(folder.path(), LEASE, games);
        WorkerKit {
            folder: Some(folder),
            ..worker_kit
        }
    }

    pub fn leased_for(lease: Duration) -> WorkerKit {
        let folder = tempfile::tempdir().expect("a folder");
        let worker_kit = WorkerKit::at(folder.path(), lease);
        WorkerKit {
            folder: Some(folder),
            ..worker_kit
        }
    }

    /// An arena in an existing folder.
    pub fn at(folder: &Path, lease: Duration) -> WorkerKit {
        WorkerKit::with_games(folder, lease, leitai_games::ALL)
    }

    fn with_games(folder: &Path, lease: Duration, games: impl Into<GameSet>) -> WorkerKit {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()
            .expect("a runtime");
        let (database, replays) = (
            crate::kit::place_database(folder),
            format!("file://{}/blobs", folder.display()),
        );
        let (store, blobs) = runtime.block_on(async {
            (
                ok!(Store::open_url(&database)),
                ok!(BlobStore::open_url(&replays)),
            )
        });
        let arena = Arena {
            tasks: LeasedTasks::leased_for(lease),
            ..Arena::default()
        };
        let app = App::new(games, store, blobs, arena, ServerOptions::default());
        let worker_kit = WorkerKit {
            runtime,
            app,
            folder: None,
        };
        let now = Timestamp::now();
        worker_kit.ok(worker_kit.scheduler().open_ladders(now));
        worker_kit
    }

    pub fn wait_for<T>(&self, future: impl Future<Output = T>) -> T {
        self.runtime.block_on(future)
    }

    /// What is asked, which is no error.
    #[track_caller]
    pub fn ok<T, E: std::fmt::Debug>(&self, asked: impl Future<Output = Result<T, E>>) -> T {
        self.wait_for(asked).expect("no error")
    }

    pub fn scheduler(&self) -> Scheduler {
        self.scheduler_of(&self.app.games)
    }

    /// A scheduler of [`kob`].
    pub fn quick_scheduler(&self) -> Scheduler {
        self.scheduler_of(kob())
    }

    fn scheduler_of(&self, games: impl Into<GameSet>) -> Scheduler {
        let options = ScheduleOptions {
            exhibitions: false,
            // Its ladders have something to play.
            known_ratings: false,
            ..ScheduleOptions::new("worker", 2)
        };
        Scheduler::new(games, self.app.store.clone(), options)
    }

    pub fn job_queue(&self) -> JobQueue {
        self.app.job_queue()
    }

    pub fn job_source(&self, by: By, name: &str) -> Arc<dyn JobSource> {
        match by {
            By::Process => Arc::new(LocalJobSource::new(
                self.job_queue(),
                name,
                self.runtime.handle().clone(),
            )),
            By::Http => {
                let (url, token) = (self.listen(), self.worker_token());
                Arc::new(HttpJobSource::new(
                    std::slice::from_ref(&url),
                    &token,
                    name,
                    leitai_games::ALL,
                ))
            }
        }
    }

    /// The router on a port of this machine.
    pub fn listen(&self) -> String {
        let app = build_router(self.app.clone());
        let listener = self.ok(tokio::net::TcpListener::bind("127.0.0.1:0"));
        let address = listener.local_addr().expect("it has one");
        let service = app.into_make_service_with_connect_info::<std::net::SocketAddr>();
        self.runtime
            .spawn(async move { axum::serve(listener, service).await });
        format!("http://{address}")
    }

    pub fn worker_token(&self) -> String {
        let token = secret::make_token(secret::WORKER_PREFIX);
        let new = NewToken {
            user: None,
            kind: TokenKind::Worker,
            name: "worker".to_owned(),
            hash: TokenHash::from_token(&token),
            scopes: Default::default(),
            until: None,
        };
        self.ok(self.app.store.create_token(new, Timestamp::now()));
        token
    }

    pub fn worker(&self, job_source: Arc<dyn JobSource>, options: WorkerOptions) -> Worker {
        start_worker(
            job_source,
            &self.app.games,
            make_program_cache(Some(Sandbox::without_isolation())),
            options,
        )
    }

    /// Runs a worker until the condition is true.
    pub fn work_until(&self, by: By, is_so: impl FnMut() -> bool) {
        let worker = self.worker(self.job_source(by, "worker"), options("worker"));
        self.until(is_so);
        worker.stop_worker();
        worker.join_threads().expect("it was not refused");
    }

    pub fn until(&self, mut is_so: impl FnMut() -> bool) {
        let begun = Instant::now();
        while !is_so() {
            assert!(
                begun.elapsed() < PATIENCE,
                "the condition is still false after {PATIENCE:?}"
            );
            std::thread::park_timeout(Duration::from_millis(20));
        }
    }

    pub fn game(&self, id: &str) -> GameHandle {
        self.app.find_game(id).expect("it is built in")
    }

    pub fn bot(&self, game: &str, name: &str) -> Bot {
        let found = self.ok(self.app.store.bot_by_name(game, name));
        found.unwrap_or_else(|| panic!("no bot is called {name}"))
    }

    pub fn make(&self, kind: MatchKind, game: &str, a: &str, b: &str) -> Match {
        let entrant = |name: &str| {
            let bot = self.bot(game, name);
            self.ok(self.app.store.bot_entrant(bot.id))
        };
        let new = new_match(&*self.game(game), kind, entrant(a), entrant(b));
        self.ok(self.app.store.create_match(new, Timestamp::now()))
    }

    pub fn read(&self, id: MatchId) -> Match {
        self.ok(self.app.store.match_by_id(id))
    }

    pub fn is_over(&self, id: MatchId) -> bool {
        !matches!(
            self.read(id).state,
            MatchState::Queued | MatchState::Running
        )
    }

    /// The replay of a finished match, which must verify.
    pub fn replay(&self, played: &Match) -> Replay {
        let key = played
            .replay
            .as_ref()
            .expect("a finished match has a replay");
        let bytes = self.ok(self
            .app
            .blobs
            .read_blob(&BlobKey::parse(key).expect("a key")));
        let replay =
            Replay::parse(&String::from_utf8(bytes).expect("text")).expect("a whole replay");
        let game = self.app.games.find_rules(&played.game, &replay.rules);
        let game = game.expect("its game is here");
        let verified = verify_replay(&*game, &replay).expect("the same rules");
        assert!(verified.expect("the replay verifies").complete);
        assert_eq!(replay.seed, Some(played.seed.get()));
        replay
    }

    /// A bot of a new author with one upload.
    pub fn upload(&self, game: &str, name: &str, file_name: &str, text: &str) -> (Bot, Version) {
        self.upload_bytes(game, name, file_name, text.as_bytes())
    }

    /// The same with an archive of one Makefile.
    pub fn upload_makefile(&self, name: &str, text: &str) -> (Bot, Version) {
        let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
        zip.start_file("Makefile", zip::write::SimpleFileOptions::default())
            .expect("it can be written");
        std::io::Write::write_all(&mut zip, text.as_bytes()).expect("it can be written");
        let bytes = zip.finish().expect("it can be written").into_inner();
        self.upload_bytes("kob", name, "bot.zip", &bytes)
    }

    pub fn upload_bytes(
        &self,
        game: &str,
        name: &str,
        file_name: &str,
        text: &[u8],
    ) -> (Bot, Version) {
        self.wait_for(async {
            let (store, now) = (&self.app.store, Timestamp::now());
            let new = NewUser {
                name: format!("author-of-{name}"),
                password: "x".to_owned(),
                admin: false,
            };
            let user = store.create_user(new, now).await.expect("a user");
            let new = new_bot(game, name, user.id);
            let bot = store.create_bot(new, now).await.expect("a bot");
            let version = self.add_version(&bot, file_name, text).await;
            (bot, version)
        })
    }

    /// Uploads the next version of a bot.
    pub fn upload_next(&self, bot: &Bot, file_name: &str, text: &str) -> Version {
        self.wait_for(self.add_version(bot, file_name, text.as_bytes()))
    }

    async fn add_version(&self, bot: &Bot, file_name: &str, text: &[u8]) -> Version {
        let (store, now) = (&self.app.store, Timestamp::now());
        let key = BlobKey::new_source();
        ok!(self.app.blobs.put_blob(&key, text.to_vec()));
        let new = NewVersion {
            bot: bot.id,
            source: key.as_str().to_owned(),
            file_name: file_name.to_owned(),
            bytes: text.len() as i64,
            notes: String::new(),
            activates: true,
        };
        store.create_version(new, now).await.expect("a version")
    }

    pub fn version(&self, version: &Version) -> Version {
        self.ok(self.app.store.find_version(version.id))
    }

    pub fn is_checked(&self, version: &Version) -> bool {
        matches!(
            self.version(version).state,
            VersionState::Ready | VersionState::Failed
        )
    }
}

pub fn options(name: &str) -> WorkerOptions {
    WorkerOptions {
        slots: 1,
        grace: Duration::ZERO,
        ..WorkerOptions::new(name)
    }
}

pub fn request(kind: JobKind) -> JobRequest {
    JobRequest {
        kinds: vec![kind],
        programs: true,
    }
}
