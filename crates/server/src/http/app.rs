//! The state of all handlers.

use std::sync::Arc;

use axum::extract::FromRef;
use leitai_game::AnyGame;
use leitai_store::secret::random_token;
use leitai_store::{BlobStore, Store};

use crate::accounts::RateLimiters;
use crate::accounts::password::PasswordHasher;
use crate::config::ServerOptions;
use crate::http::error::ApiError;
use crate::http::response_cache::ResponseCache;
use crate::http::routes::health::WriteProbe;
use crate::live::LiveMatches;
use crate::live::frame_service::FrameService;
use crate::live::spectators::SpectatorCounter;
use crate::metrics_registry::metrics_recorder;
use crate::play::{HumanMatches, PlayContext};
use crate::removal::Storage;
use crate::work::queue::{JobQueue, LeasedTasks};

/// Handles of all matches and jobs that this process runs.
#[derive(Clone, Debug, Default)]
pub struct Arena {
    /// The matches that are played now, for whoever watches.
    pub live: LiveMatches,
    /// The tasks that workers have.
    pub tasks: LeasedTasks,
    /// The matches in which people play.
    pub human_matches: HumanMatches,
    /// Computes leg frames.
    pub frames: FrameService,
    /// How many watch.
    pub spectators: SpectatorCounter,
}

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
    /// An arena on this database and this blob store.
    pub fn new(
        games: &'static [&'static dyn AnyGame],
        store: Store,
        blobs: BlobStore,
        arena: Arena,
        options: ServerOptions,
    ) -> App {
        metrics_recorder();
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

impl App {
    /// What playing a match with people needs.
    pub fn play_context(&self) -> PlayContext {
        PlayContext {
            games: self.games,
            store: self.store.clone(),
            blobs: self.blobs.clone(),
            live: self.arena.live.clone(),
            human_matches: self.arena.human_matches.clone(),
        }
    }

    /// The queue of this arena's jobs.
    pub fn job_queue(&self) -> JobQueue {
        JobQueue::new(
            self.games,
            self.store.clone(),
            self.blobs.clone(),
            self.arena.live.clone(),
            self.arena.tasks.clone(),
        )
    }

    /// The database and the blob store.
    pub fn storage(&self) -> Storage {
        Storage {
            store: self.store.clone(),
            blobs: self.blobs.clone(),
        }
    }
}

impl FromRef<App> for Store {
    fn from_ref(app: &App) -> Store {
        app.store.clone()
    }
}
