//! Periodic maintenance of a server.

use std::time::Duration;

use leitai_store::{Store, Timestamp};

use crate::config::ServerOptions;
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
            sweep_old(&app.store, &app.options).await;
        }
        if folds.is_multiple_of(TABLES) {
            match play::resume::void_abandoned(&app.play_context()).await {
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

/// Removes what nobody needs any more.
async fn sweep_old(store: &Store, options: &ServerOptions) {
    let now = Timestamp::now();
    let swept = [
        ("sessions", store.sweep_sessions(now).await),
        ("rates", store.sweep_rates(now).await),
        ("quotas", store.sweep_counted_actions(now).await),
        ("links", store.sweep_links(now).await),
        ("sign-ins", store.sweep_sign_ins(now).await),
        ("names", store.sweep_freed_names(now).await),
        ("browsers", store.sweep_browsers(now).await),
        ("notifications", store.sweep_notifications(now).await),
        ("events", store.sweep_events().await),
        ("partings", store.sweep_partings(now).await),
        ("openers", store.sweep_openers().await),
        (
            "analyses",
            store.sweep_analyses(options.analyses.into(), now).await,
        ),
        (
            "deliveries",
            store.sweep_deliveries(now.before(DELIVERIES)).await,
        ),
    ];
    for (what, swept) in swept {
        match swept {
            Ok(count) => tracing::debug!(what, count, "what is old was removed"),
            Err(error) => {
                tracing::warn!(what, %error, "what is old was not removed; tried again in an hour");
            }
        }
    }
}
