//! Periodic maintenance of a server.

use std::time::Duration;

use leitai_store::Timestamp;

use crate::http::app::App;
use crate::metrics_registry;
use crate::play;
use crate::removal;

/// The interval at which request measurements are folded into their histograms, which would
/// otherwise grow without limit.
const FOLD: Duration = Duration::from_secs(5);
/// Expired sessions are deleted after this number of folds: once an hour.
const SWEEP: u32 = 720;

/// Abandoned human matches are ended, and deleted or expired data is removed, after this number of
/// folds: once a minute.
const TABLES: u32 = 12;

/// How long deliveries of webhooks are shown.
const DELIVERIES: Duration = Duration::from_secs(14 * 24 * 3600);

/// Runs the maintenance until the future is dropped.
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
        if folds.is_multiple_of(SWEEP)
            && let Err(error) = app.store.sweep_rates(Timestamp::now()).await
        {
            tracing::warn!(%error, "old counts of rate limits were not removed; tried again in an hour");
        }
        if folds.is_multiple_of(SWEEP)
            && let Err(error) = app.store.sweep_counted_actions(Timestamp::now()).await
        {
            tracing::warn!(%error, "old counts of quotas were not removed; tried again in an hour");
        }
        if folds.is_multiple_of(SWEEP)
            && let Err(error) = app.store.sweep_links(Timestamp::now()).await
        {
            tracing::warn!(%error, "old links of mails were not removed; tried again in an hour");
        }
        if folds.is_multiple_of(SWEEP)
            && let Err(error) = app.store.sweep_sign_ins(Timestamp::now()).await
        {
            tracing::warn!(%error, "old sign-ins were not removed; tried again in an hour");
        }
        if folds.is_multiple_of(SWEEP)
            && let Err(error) = app.store.sweep_freed_names(Timestamp::now()).await
        {
            tracing::warn!(%error, "names that are free again were not forgotten; tried again in an hour");
        }
        if folds.is_multiple_of(SWEEP)
            && let Err(error) = app.store.sweep_browsers(Timestamp::now()).await
        {
            tracing::warn!(%error, "old browsers were not forgotten; tried again in an hour");
        }
        if folds.is_multiple_of(SWEEP)
            && let Err(error) = app.store.sweep_notifications(Timestamp::now()).await
        {
            tracing::warn!(%error, "old notifications were not removed; tried again in an hour");
        }
        if folds.is_multiple_of(SWEEP) {
            let old = Timestamp::now().before(DELIVERIES);
            if let Err(error) = app.store.sweep_deliveries(old).await {
                tracing::warn!(%error, "old deliveries of webhooks were not removed; tried again in an hour");
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
