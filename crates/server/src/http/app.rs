//! The shared state of the HTTP handlers.

use std::convert::Infallible;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{FromRef, FromRequestParts};
use axum::http::request::Parts;
use leitai_game::{GameHandle, GameSet};
use leitai_store::values::secret::random_token;
use leitai_store::{BlobStore, LadderId, MatchId, Store};

use crate::accounts::RateLimiters;
use crate::accounts::password::PasswordHasher;
use crate::analyses::AnalysisMaker;
use crate::bus::{ArenaBus, Bus, share_changes};
use crate::config::ServerOptions;
use crate::contests::forecast::ContestForecasts;
use crate::daily::DailyMaker;
use crate::game_files::ArenaGames;
use crate::http::error::{ApiError, Result};
use crate::http::response_cache::ResponseCache;
use crate::http::write_probes::WriteProbes;
use crate::ladders::LadderRules;
use crate::live::audience::Audience;
use crate::live::frame_service::FrameService;
use crate::live::spectators::SpectatorCounter;
use crate::live::{LiveMatches, MatchCheck};
use crate::mail::Mailer;
use crate::metrics_registry::metrics_recorder;
use crate::oidc::Providers;
use crate::play::{HumanMatches, PlayContext};
use crate::removal::Storage;
use crate::similar::SimilarSources;
use crate::webhooks::address::Reach;
use crate::webhooks::sender::WebhookSender;
use crate::work::leased_tasks::LeasedTasks;
use crate::work::queue::JobQueue;

/// Handles of all matches and jobs of this process.
#[derive(Clone, Debug)]
pub struct Arena {
    /// The running matches and their spectators.
    pub live: LiveMatches,
    /// The tasks that workers hold.
    pub tasks: LeasedTasks,
    /// The human matches.
    pub human_matches: HumanMatches,
    /// Computes leg frames.
    pub frames: FrameService,
    /// Counts spectators.
    pub spectators: SpectatorCounter,
    /// Whether anybody is there to watch exhibitions.
    pub audience: Audience,
}

impl Default for Arena {
    fn default() -> Arena {
        let spectators = SpectatorCounter::default();
        Arena {
            live: LiveMatches::default(),
            tasks: LeasedTasks::default(),
            human_matches: HumanMatches::default(),
            frames: FrameService::default(),
            audience: Audience::new(spectators.clone()),
            spectators,
        }
    }
}

/// The shared state of the HTTP handlers. Clones share it: each route holds one, and each request
/// takes several.
#[derive(Clone)]
pub struct App(Arc<AppParts>);

/// What [`App`] shares.
#[derive(Clone)]
pub struct AppParts {
    /// The games of this arena.
    pub games: GameSet,
    /// The database.
    pub store: Store,
    /// The blob store, for requests: it gives up sooner than that of what the server does by itself.
    pub blobs: BlobStore,
    /// Running matches and jobs.
    pub arena: Arena,
    /// The operator's options.
    pub options: Arc<ServerOptions>,
    /// Rate limiters.
    pub limiter: RateLimiters,
    /// Hashes passwords.
    pub passwords: PasswordHasher,
    /// Forecasts of running contests.
    pub forecasts: ContestForecasts,
    /// Cached responses.
    pub responses: ResponseCache,
    /// The secret that is needed to create the first account; new at every start.
    pub first_secret: Arc<str>,
    /// The last probes of what `/healthz` looks at.
    pub write_probes: WriteProbes,
    /// Sends events to webhooks.
    pub webhooks: WebhookSender,
    /// Sends mail, if the operator has set that up.
    pub mail: Option<Mailer>,
    /// Analyses of finished matches.
    pub analyses: AnalysisMaker,
    /// Comparisons of the sources in contests.
    pub similar: SimilarSources,
    /// The providers of sign-ins that the operator has set up.
    pub providers: Providers,
}

impl Deref for App {
    type Target = AppParts;

    fn deref(&self) -> &AppParts {
        &self.0
    }
}

/// Handlers take the state as it is.
impl FromRequestParts<App> for App {
    type Rejection = Infallible;

    async fn from_request_parts(_: &mut Parts, app: &App) -> Result<App, Infallible> {
        Ok(app.clone())
    }
}

/// A change is not seen by the clones of before.
impl DerefMut for App {
    fn deref_mut(&mut self) -> &mut AppParts {
        Arc::make_mut(&mut self.0)
    }
}

impl App {
    /// An arena on this database and blob store.
    pub fn new(
        games: impl Into<GameSet>,
        store: Store,
        blobs: BlobStore,
        arena: Arena,
        options: ServerOptions,
    ) -> App {
        metrics_recorder();
        let limiter = RateLimiters::new(&options.rates).counted_in(&store);
        store.set_rest_after(options.rest_after);
        store.set_division_size(options.division_size);
        store.set_freed_for(Duration::from_secs(
            u64::from(options.freed_name_days) * 24 * 3600,
        ));
        arena.human_matches.set_limits(options.limits);
        let (passwords, responses) = (
            PasswordHasher::default(),
            ResponseCache::new(options.keep_answers),
        );
        let webhooks = WebhookSender::new(match options.private_webhooks {
            true => Reach::Everywhere,
            false => Reach::Public,
        });
        let (options, first_secret) = (Arc::new(options), random_token().into());
        let write_probes = WriteProbes::default();
        let games: GameSet = games.into();
        games.bound_search(u64::from(options.game_search) * 1_000_000);
        App(Arc::new(AppParts {
            analyses: AnalysisMaker::new(&games, store.clone(), blobs.patient()),
            games,
            store,
            blobs: blobs.for_requests(),
            arena,
            options,
            limiter,
            passwords,
            forecasts: ContestForecasts::default(),
            responses,
            first_secret,
            write_probes,
            webhooks,
            mail: None,
            similar: SimilarSources::default(),
            providers: Providers::default(),
        }))
    }

    /// The same arena, which sends mail.
    pub fn with_mail(mut self, mailer: Mailer) -> App {
        self.mail = Some(mailer);
        self
    }

    /// The same arena, to which people sign in with these providers.
    pub fn with_providers(mut self, providers: Providers) -> App {
        self.providers = providers;
        self
    }

    /// The game with this id.
    pub fn find_game(&self, id: &str) -> Option<GameHandle> {
        self.games.find(id)
    }

    /// The ladder of a game with this name, `None`: the standard one; otherwise an error that lists
    /// the ladders of the game.
    pub fn need_ladder(&self, game: &str, name: Option<&str>) -> Result<LadderRules> {
        let ladders = self.options.ladders.of_game(&*self.need_game(game)?);
        let name = name.unwrap_or(LadderId::STANDARD);
        let names: Vec<&str> = ladders.iter().map(|ladder| ladder.id.name()).collect();
        let found = ladders.iter().find(|ladder| ladder.id.name() == name);
        found.cloned().ok_or_else(|| {
            let shown: String = name.chars().take(40).collect();
            ApiError::not_found(format!(
                "{game} has no ladder {shown:?}; there are {}",
                names.join(", ")
            ))
        })
    }

    /// The version of a game whose rules a replay names; see [`App::need_game`].
    pub fn need_rules(&self, id: &str, rules: &str) -> Result<GameHandle> {
        let found = self.games.find_rules(id, rules);
        found.map_or_else(|| self.need_game(id), Ok)
    }

    /// The game with this id; otherwise an error that lists the games.
    pub fn need_game(&self, id: &str) -> Result<GameHandle> {
        self.find_game(id).ok_or_else(|| {
            let listed = self.games.list();
            let ids: Vec<&str> = listed.iter().map(|game| game.meta().id).collect();
            let shown: String = id.chars().take(40).collect();
            ApiError::not_found(format!(
                "there is no game {shown:?}; there are {}",
                ids.join(", ")
            ))
        })
    }
}

impl App {
    /// Shows running matches on the other servers of this bus, and theirs here, and tells each other
    /// what changed in the database. `arena_id` is [`Store::arena_id`]. Must be called in a runtime,
    /// before the first match begins.
    pub fn join_servers(&self, bus: Arc<dyn Bus>, arena_id: &str) {
        let store = self.store.clone();
        let is_over: MatchCheck = Arc::new(move |id| {
            let store = store.clone();
            Box::pin(async move {
                let own = store.match_by_id(MatchId(id)).await;
                own.is_ok_and(|own| own.finished.is_some())
            })
        });
        let bus = ArenaBus::new(bus, arena_id);
        tokio::spawn(share_changes(bus.clone(), self.store.clone()));
        HumanMatches::share_seats(self.play_context(), bus.clone());
        self.arena.live.share_matches(bus, &self.games, is_over);
    }

    /// The context of human matches.
    pub fn play_context(&self) -> PlayContext {
        PlayContext {
            games: self.games.clone(),
            store: self.store.clone(),
            blobs: self.blobs.patient(),
            live: self.arena.live.clone(),
            human_matches: self.arena.human_matches.clone(),
        }
    }

    /// The job queue of this arena.
    pub fn job_queue(&self) -> JobQueue {
        JobQueue::new(
            &self.games,
            self.store.clone(),
            self.blobs.patient(),
            self.arena.live.clone(),
            self.arena.tasks.clone(),
        )
        .with_waiting(self.options.waiting)
    }

    /// Makes the challenge of each day.
    pub fn daily_maker(&self) -> DailyMaker {
        let zone = &self.options.time_zone;
        DailyMaker::new(&self.games, self.store.clone(), self.blobs.patient(), zone)
    }

    /// The games with their files.
    pub fn arena_games(&self) -> ArenaGames {
        ArenaGames {
            games: self.games.clone(),
            store: self.store.clone(),
            blobs: self.blobs.patient(),
        }
    }

    /// The database and the blob store.
    pub fn storage(&self) -> Storage {
        Storage {
            store: self.store.clone(),
            blobs: self.blobs.patient(),
        }
    }
}

impl FromRef<App> for Store {
    fn from_ref(app: &App) -> Store {
        app.store.clone()
    }
}
