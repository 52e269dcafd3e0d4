//! The names of all metrics, and the process's one recorder.

use std::sync::OnceLock;

use metrics::{counter, describe_counter, describe_gauge, describe_histogram, gauge};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};

/// Requests by route, method and status.
pub const REQUESTS: &str = "leitai_http_requests_total";
/// Durations of requests in seconds, by route.
pub const SECONDS: &str = "leitai_http_request_seconds";
/// Requests that wait for something else, such as a job or a slow line, by route, method and
/// status. They have no duration that says anything about this server.
pub const LONG_REQUESTS: &str = "leitai_http_long_requests_total";
/// Versions uploaded.
pub const UPLOADS: &str = "leitai_uploads_total";
/// Queued jobs.
pub const QUEUED: &str = "leitai_jobs_queued";
/// Jobs that wait for an operator.
pub const SET_ASIDE: &str = "leitai_jobs_set_aside";
/// Leased jobs.
pub const RUNNING: &str = "leitai_jobs_running";
/// Recounts of old matches that are not finished.
pub const RECOUNTS_OPEN: &str = "leitai_recounts_open";
/// Matches of theirs that were read.
pub const RECOUNT_MATCHES_READ: &str = "leitai_recount_matches_read";
/// Matches by state.
pub const MATCHES: &str = "leitai_matches";
/// Live matches.
pub const LIVE: &str = "leitai_live_matches";
/// Spectators.
pub const SPECTATORS: &str = "leitai_spectators";
/// Whether the bus is connected: 1 or 0.
pub const BUS_CONNECTED: &str = "leitai_bus_connected";
/// Whether people of this server meet those of the others: 1 or 0.
pub const LOBBY_SHARED: &str = "leitai_lobby_shared";
/// Messages that were lost because the bus was away or this server too slow.
pub const BUS_LOST: &str = "leitai_bus_lost_messages_total";

/// Connected workers, and whether they run uploaded programs: `yes` or `no`.
pub const WORKERS: &str = "leitai_workers";
/// Whether this server schedules matches: 1 or 0.
pub const LEADER: &str = "leitai_leader";
/// Whether the database answers: 1 or 0.
pub const DATABASE_UP: &str = "leitai_database_up";
/// Connections to the database, `used` or `idle`.
pub const CONNECTIONS: &str = "leitai_database_connections";
/// The most connections to the database.
pub const CONNECTIONS_MOST: &str = "leitai_database_connections_most";
/// Changes that wait for a connection to the database.
pub const CONNECTIONS_WAITING: &str = "leitai_database_waiting";
/// What waits to be sent: `webhooks` or `mail`.
pub const TO_SEND: &str = "leitai_to_send";
/// For how long the first of it has been due, in seconds.
pub const TO_SEND_OVERDUE: &str = "leitai_to_send_overdue_seconds";
/// The memory of this process, in bytes.
pub const MEMORY: &str = "leitai_memory_bytes";
/// The memory that this process may use, in bytes.
pub const MEMORY_MOST: &str = "leitai_memory_most_bytes";
/// Open files of this process.
pub const OPEN_FILES: &str = "leitai_open_files";
/// The most open files of this process.
pub const OPEN_FILES_MOST: &str = "leitai_open_files_most";
/// CPU seconds of this process.
pub const CPU: &str = "leitai_cpu_seconds_total";
/// The size of the disk with the data, in bytes.
pub const DISK: &str = "leitai_disk_bytes";
/// What is free of it, in bytes.
pub const DISK_FREE: &str = "leitai_disk_free_bytes";

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

fn describe_operating() {
    describe_gauge!(WORKERS, "connected workers");
    describe_gauge!(LEADER, "1 while this server schedules matches");
    describe_gauge!(DATABASE_UP, "1 while the database answers");
    describe_gauge!(CONNECTIONS, "connections to the database");
    describe_gauge!(CONNECTIONS_MOST, "the most connections to the database");
    describe_gauge!(CONNECTIONS_WAITING, "changes that wait for a connection");
    describe_gauge!(TO_SEND, "what waits to be sent");
    describe_gauge!(
        TO_SEND_OVERDUE,
        "for how long the first of it has been due, in seconds"
    );
    describe_gauge!(MEMORY, "the memory of this process, in bytes");
    describe_gauge!(MEMORY_MOST, "the memory that it may use, in bytes");
    describe_gauge!(OPEN_FILES, "open files of this process");
    describe_gauge!(OPEN_FILES_MOST, "the most open files of this process");
    describe_counter!(CPU, "CPU seconds of this process");
    describe_gauge!(DISK, "the size of the disk with the data, in bytes");
    describe_gauge!(DISK_FREE, "what is free of it, in bytes");
}

/// Counters begin at 0, so that alerts see the first increase of each.
fn begin_counters() {
    for name in [UPLOADS, BUS_LOST] {
        counter!(name).absolute(0);
    }
    gauge!(LIVE).set(0.0);
    gauge!(SPECTATORS).set(0.0);
}

fn describe_metrics() {
    describe_operating();
    describe_counter!(REQUESTS, "requests by route, method and status");
    describe_histogram!(SECONDS, "how long requests took, in seconds");
    describe_counter!(
        LONG_REQUESTS,
        "requests that wait for something else, by route, method and status"
    );
    describe_counter!(UPLOADS, "versions uploaded");
    describe_gauge!(QUEUED, "jobs that wait for a worker");
    describe_gauge!(RUNNING, "jobs that a worker holds");
    describe_gauge!(
        SET_ASIDE,
        "jobs that stopped their worker twice and wait for an operator"
    );
    describe_gauge!(
        RECOUNTS_OPEN,
        "recounts of old matches that are not finished"
    );
    describe_gauge!(
        RECOUNT_MATCHES_READ,
        "matches of open recounts that were read"
    );
    describe_gauge!(MATCHES, "matches there are, by state");
    describe_gauge!(LIVE, "matches that are shown live");
    describe_gauge!(SPECTATORS, "people who watch");
    describe_gauge!(BUS_CONNECTED, "1 while the bus is connected");
    describe_gauge!(
        LOBBY_SHARED,
        "1 while people of this server meet those of the others in the lobby"
    );
    describe_counter!(BUS_LOST, "messages on the bus that were lost");
}
