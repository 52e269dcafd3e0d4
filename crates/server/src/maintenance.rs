//! What a server does now and then while it runs.

use std::time::Duration;

use leitai_store::Timestamp;

use crate::http::app::App;
use crate::metrics_registry;
use crate::play;
use crate::removal;

/// How often the measurements of requests are folded into their histograms, which would grow
/// without end otherwise.
const FOLD: Duration = Duration::from_secs(5);
/// After so many folds, sessions that have ended are forgotten: once an hour.
const SWEEP: u32 = 720;

/// After so many folds, matches with people that nobody plays any more are ended, and what is
/// deleted or old is removed: once a minute.
const TABLES: u32 = 12;

/// Does it until it is dropped; whoever serves spawns it.
pub async fn run_upkeep(app: App) {
    let mut folds = 0_u32;
    loop {
        metrics_registry::metrics_recorder().run_upkeep();
        if folds.is_multiple_of(SWEEP) {
            match app.store.sweep_sessions(Timestamp::now()).await {
                Ok(count) => tracing::debug!(count, "ended sessions were forgotten"),
                Err(error) => {
                    tracing::warn!(%error, "ended sessions were not forgotten; tried again in an hour")
                }
            }
        }
        if folds.is_multiple_of(TABLES) {
            match play::run::void_abandoned(&app.play_context()).await {
                Ok(0) => {}
                Ok(count) => {
                    tracing::info!(
                        count,
                        "matches with people that nobody plays any more were ended"
                    )
                }
                Err(error) => {
                    tracing::warn!(%error, "old tables were not cleared; tried again in a minute")
                }
            }
            if let Err(error) =
                removal::remove_due(&app.storage(), &app.options.retention, Timestamp::now()).await
            {
                tracing::warn!(%error, "what is deleted or old was not removed; tried again in a minute");
            }
        }
        folds = folds.wrapping_add(1);
        tokio::time::sleep(FOLD).await;
    }
}
