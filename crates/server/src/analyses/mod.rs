//! Analyses of finished matches, made once for all readers: by the search of the game itself, one at
//! a time, with half of a core. What the page shows is what its own engine would find.

pub mod turns;

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use leitai_analysis::analysis::FORMAT;
use leitai_analysis::digest::write_with_digest;
use leitai_analysis::{AnalysisOptions, AnalysisProgress as Progress, analyze_replay};
use leitai_game::lang::Catalogue;
use leitai_game::{AnyGame, GameHandle, GameSet, Replay};
use leitai_store::values::secret::random_token;
use leitai_store::{
    AnalysisSource, BlobKey, BlobStore, BlobStoreError, Match, MatchId, Store, StoreError,
    Timestamp, UserId,
};
use serde_json::Value;

use crate::messages;
use crate::replay_privacy::{name_entrants, strip_private};
use crate::sync::lock;

pub use turns::TurnRefusal;
use turns::Turns;

/// How often a server tells how far it is.
const BEAT: Duration = Duration::from_secs(2);
/// The longest time that an analysis may compute.
const LONGEST: Duration = Duration::from_secs(10 * 60);
/// The most bytes of a result.
const MOST_BYTES: usize = 16 << 20;
/// A blob that no row refers to after this time is removed.
const UNUSED: Duration = Duration::from_secs(3600);

/// Why no analysis was made.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error("{0}")]
    Store(#[from] StoreError),
    #[error("{0}")]
    Blobs(#[from] BlobStoreError),
    /// By this version of the analysis never.
    #[error("{0}")]
    Never(String),
}

/// Makes the analyses of this server. Clones share them.
#[derive(Clone)]
pub struct AnalysisMaker {
    games: GameSet,
    store: Store,
    blobs: BlobStore,
    turns: Arc<Mutex<Turns>>,
}

/// What the analysis of this match is made from; `None`: it has no replay.
pub fn source_of(own: &Match) -> Option<AnalysisSource> {
    Some(AnalysisSource {
        match_id: own.id,
        replay: own.replay.clone()?,
        version: format!("{FORMAT} {}", env!("CARGO_PKG_VERSION")),
    })
}

impl AnalysisMaker {
    /// The maker of an arena.
    pub fn new(games: &GameSet, store: Store, blobs: BlobStore) -> AnalysisMaker {
        AnalysisMaker {
            games: games.clone(),
            store,
            blobs,
            turns: Arc::default(),
        }
    }

    /// Lets the analysis of a match wait for its turn, in the name of this account.
    ///
    /// # Errors
    /// If too many wait.
    pub fn ask(&self, account: UserId, id: MatchId) -> Result<(), TurnRefusal> {
        let begins = lock(&self.turns).add(account, id)?;
        if begins {
            let maker = self.clone();
            tokio::spawn(async move { maker.make_all().await });
        }
        Ok(())
    }

    /// How many are made here before that of this match; `None`: it does not wait here.
    pub fn place_of(&self, id: MatchId) -> Option<usize> {
        lock(&self.turns).place_of(id)
    }

    async fn make_all(&self) {
        loop {
            let Some(id) = lock(&self.turns).take_next() else {
                return;
            };
            if let Err(error) = self.make(id).await {
                tracing::warn!(%id, %error, "the analysis of a match was not made; its readers' own pages make it");
            }
        }
    }

    async fn make(&self, id: MatchId) -> Result<(), Failure> {
        let own = self.store.match_by_id(id).await?;
        let Some(source) = source_of(&own) else {
            return Ok(());
        };
        let holder = random_token();
        let now = Timestamp::now;
        let claimed = self.store.claim_analysis(&source, &holder, now()).await?;
        if claimed.is_some() {
            return Ok(());
        }
        let stored = match self.compute(&own, &source, &holder).await {
            Ok(Some(text)) => self.keep(id, &holder, text).await,
            Ok(None) => Ok(()),
            Err(failure) => Err(failure),
        };
        if let Err(Failure::Never(_)) = &stored {
            self.store.fail_analysis(id, &holder, now()).await?;
        }
        stored
    }

    async fn keep(&self, id: MatchId, holder: &str, text: String) -> Result<(), Failure> {
        let (key, now) = (BlobKey::new_analysis(id), Timestamp::now());
        self.store.schedule_removal(&key, now.after(UNUSED)).await?;
        self.blobs.put_blob(&key, text.into_bytes()).await?;
        let now = Timestamp::now();
        self.store.finish_analysis(id, holder, &key, now).await?;
        Ok(())
    }

    /// The result as text; `None` if another server has taken it over.
    async fn compute(
        &self,
        own: &Match,
        source: &AnalysisSource,
        holder: &str,
    ) -> Result<Option<String>, Failure> {
        let never = |why: String| Failure::Never(why);
        let key = BlobKey::parse(&source.replay)?;
        let bytes = self.blobs.read_blob(&key).await?;
        let mut replay = Replay::parse(&String::from_utf8_lossy(&bytes))
            .map_err(|why| never(why.to_string()))?;
        name_entrants(&mut replay, own);
        // What only an author may read is in no result that everybody may read.
        strip_private(&mut replay, |_| false);
        let game = self.games.find_rules(&own.game, &replay.rules);
        let game =
            game.ok_or_else(|| never(format!("there is no game {} on this server", own.game)))?;
        let pace = Pace::default();
        let _stopper = Stopper(pace.clone());
        let worker = pace.clone();
        let mut work = tokio::task::spawn_blocking(move || analyze_legs(&game, &replay, &worker));
        loop {
            tokio::select! {
                made = &mut work => {
                    let made = made.map_err(|error| never(error.to_string()))?;
                    return made.map(Some).map_err(never);
                }
                () = tokio::time::sleep(BEAT) => {
                    let done = pace.done.load(Ordering::Relaxed);
                    let now = Timestamp::now();
                    if !self.store.note_analysis(own.id, holder, done, now).await? {
                        return Ok(None);
                    }
                }
            }
        }
    }
}

/// How far a computation is, and whether it is wanted any more.
#[derive(Clone, Debug, Default)]
struct Pace {
    /// Thousandths.
    done: Arc<AtomicU32>,
    is_stopped: Arc<AtomicBool>,
}

/// Stops the computation when nobody waits for it, as when the server ends.
struct Stopper(Pace);

impl Drop for Stopper {
    fn drop(&mut self) {
        self.0.is_stopped.store(true, Ordering::Relaxed);
    }
}

/// The analyses of all legs, each as the engine of the page gives it, in a JSON list.
fn analyze_legs(game: &GameHandle, replay: &Replay, pace: &Pace) -> Result<String, String> {
    let catalogue = messages::catalogue([&**game as &dyn AnyGame]).with(
        Catalogue::new([&leitai_analysis::messages::MESSAGES])
            .with_labels(&leitai_analysis::messages::LABELS),
    );
    let begun = Instant::now();
    let legs = replay.legs.len();
    let mut found: Vec<Value> = Vec::with_capacity(legs);
    for leg in 1..=legs {
        let mut worked = Instant::now();
        let options = AnalysisOptions {
            leg: Some(leg),
            ..AnalysisOptions::default()
        };
        let listener = &mut |progress: Progress<'_>| {
            let part = progress.done as f64 / progress.all.max(1) as f64;
            let done = (leg as f64 - 1.0 + part) / legs as f64 * 1000.0;
            pace.done.store(done as u32, Ordering::Relaxed);
            // As long as it has worked it rests, so that it takes half of a core.
            std::thread::sleep(worked.elapsed());
            worked = Instant::now();
            match pace.is_stopped.load(Ordering::Relaxed) || begun.elapsed() > LONGEST {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        };
        let analysis = analyze_replay(&**game, replay, options, listener);
        let analysis = analysis.map_err(|error| error.to_string())?;
        found.push(write_with_digest(&analysis, &catalogue));
    }
    let text = Value::Array(found).to_string();
    match text.len() > MOST_BYTES {
        true => Err(format!(
            "the result has {} bytes, more than {MOST_BYTES}",
            text.len()
        )),
        false => Ok(text),
    }
}
