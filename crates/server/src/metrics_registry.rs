//! The names of all metrics, and the process's one recorder.

use std::sync::OnceLock;

use metrics::{counter, describe_counter, describe_gauge, describe_histogram, gauge};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};

/// All metrics: kind, constant, name, and what it says of itself.
macro_rules! metrics {
    ($($(#[$doc:meta])* $kind:ident $constant:ident = $name:literal, $help:literal;)*) => {
        $($(#[$doc])* #[doc = $help] pub const $constant: &str = $name;)*

        fn describe_metrics() {
            $(metrics!(@describe $kind $constant $help);)*
        }
    };
    (@describe counter $constant:ident $help:literal) => { describe_counter!($constant, $help) };
    (@describe gauge $constant:ident $help:literal) => { describe_gauge!($constant, $help) };
    (@describe histogram $constant:ident $help:literal) => { describe_histogram!($constant, $help) };
}

metrics! {
    /// Connected workers, and whether they run uploaded programs: `yes` or `no`.
    gauge WORKERS = "leitai_workers", "connected workers";
    /// Whether this server schedules matches: 1 or 0.
    gauge LEADER = "leitai_leader", "1 while this server schedules matches";
    /// Whether the database answers: 1 or 0.
    gauge DATABASE_UP = "leitai_database_up", "1 while the database answers";
    /// Connections to the database, `used` or `idle`.
    gauge CONNECTIONS = "leitai_database_connections", "connections to the database";
    gauge CONNECTIONS_MOST = "leitai_database_connections_most", "the most connections to the database";
    gauge CONNECTIONS_WAITING = "leitai_database_waiting", "changes that wait for a connection";
    /// What waits to be sent: `webhooks` or `mail`.
    gauge TO_SEND = "leitai_to_send", "what waits to be sent";
    gauge TO_SEND_OVERDUE = "leitai_to_send_overdue_seconds", "for how long the first of it has been due, in seconds";
    gauge MEMORY = "leitai_memory_bytes", "the memory of this process, in bytes";
    gauge MEMORY_MOST = "leitai_memory_most_bytes", "the memory that it may use, in bytes";
    gauge OPEN_FILES = "leitai_open_files", "open files of this process";
    gauge OPEN_FILES_MOST = "leitai_open_files_most", "the most open files of this process";
    counter CPU = "leitai_cpu_seconds_total", "CPU seconds of this process";
    gauge DISK = "leitai_disk_bytes", "the size of the disk with the data, in bytes";
    gauge DISK_FREE = "leitai_disk_free_bytes", "what is free of it, in bytes";
    counter REQUESTS = "leitai_http_requests_total", "requests by route, method and status";
    histogram SECONDS = "leitai_http_request_seconds", "how long requests took, in seconds";
    /// Requests that wait for something else, such as a job or a slow line, by route, method and
    /// status. They have no duration that says anything about this server.
    counter LONG_REQUESTS = "leitai_http_long_requests_total", "requests that wait for something else, by route, method and status";
    counter UPLOADS = "leitai_uploads_total", "versions uploaded";
    gauge QUEUED = "leitai_jobs_queued", "jobs that wait for a worker";
    gauge RUNNING = "leitai_jobs_running", "jobs that a worker holds";
    gauge SET_ASIDE = "leitai_jobs_set_aside", "jobs that stopped their worker twice and wait for an operator";
    gauge RECOUNTS_OPEN = "leitai_recounts_open", "recounts of old matches that are not finished";
    /// Matches of theirs that were read.
    gauge RECOUNT_MATCHES_READ = "leitai_recount_matches_read", "matches of open recounts that were read";
    gauge MATCHES = "leitai_matches", "matches there are, by state";
    gauge LIVE = "leitai_live_matches", "matches that are shown live";
    gauge SPECTATORS = "leitai_spectators", "people who watch";
    /// Whether the bus is connected: 1 or 0.
    gauge BUS_CONNECTED = "leitai_bus_connected", "1 while the bus is connected";
    /// Whether people of this server meet those of the others: 1 or 0.
    gauge LOBBY_SHARED = "leitai_lobby_shared", "1 while people of this server meet those of the others in the lobby";
    /// Messages that were lost because the bus was away or this server too slow.
    counter BUS_LOST = "leitai_bus_lost_messages_total", "messages on the bus that were lost";
}

/// The target of spans that are for traces and not for the log.
pub const TRACES: &str = "leitai::traces";

/// The process's one recorder, which the macros of `metrics` write to.
pub fn metrics_recorder() -> &'static PrometheusHandle {
    static RECORDER: OnceLock<PrometheusHandle> = OnceLock::new();
    RECORDER.get_or_init(|| {
        let buckets = [
            0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0,
        ];
        let builder = PrometheusBuilder::new()
            .set_buckets_for_metric(Matcher::Full(SECONDS.to_owned()), &buckets)
            .expect("there are buckets");
        let recorder = builder.build_recorder();
        let handle = recorder.handle();
        if metrics::set_global_recorder(recorder).is_err() {
            tracing::warn!("somebody else has set a recorder of metrics; /metrics stays empty");
        }
        describe_metrics();
        begin_counters();
        handle
    })
}

/// Counters begin at 0, so that alerts see the first increase of each.
fn begin_counters() {
    for name in [UPLOADS, BUS_LOST] {
        counter!(name).absolute(0);
    }
    gauge!(LIVE).set(0.0);
    gauge!(SPECTATORS).set(0.0);
}
