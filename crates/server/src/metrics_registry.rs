//! The names of all metrics, and the process's one recorder.

use std::sync::OnceLock;

use metrics::{describe_counter, describe_gauge, describe_histogram};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};

/// Requests by route, method and status.
pub const REQUESTS: &str = "leitai_http_requests_total";
/// Durations of requests in seconds, by route.
pub const SECONDS: &str = "leitai_http_request_seconds";
/// Versions uploaded.
pub const UPLOADS: &str = "leitai_uploads_total";
/// Queued jobs.
pub const QUEUED: &str = "leitai_jobs_queued";
/// Jobs that wait for an operator.
pub const SET_ASIDE: &str = "leitai_jobs_set_aside";
/// Leased jobs.
pub const RUNNING: &str = "leitai_jobs_running";
/// Matches by state.
pub const MATCHES: &str = "leitai_matches";
/// Live matches.
pub const LIVE: &str = "leitai_live_matches";
/// Spectators.
pub const SPECTATORS: &str = "leitai_spectators";
/// Whether the bus is connected: 1 or 0.
pub const BUS_CONNECTED: &str = "leitai_bus_connected";
/// Messages that were lost because the bus was away or this server too slow.
pub const BUS_LOST: &str = "leitai_bus_lost_messages_total";

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
        handle
    })
}

fn describe_metrics() {
    describe_counter!(REQUESTS, "requests by route, method and status");
    describe_histogram!(SECONDS, "how long requests took, in seconds");
    describe_counter!(UPLOADS, "versions uploaded");
    describe_gauge!(QUEUED, "jobs that wait for a worker");
    describe_gauge!(RUNNING, "jobs that a worker holds");
    describe_gauge!(
        SET_ASIDE,
        "jobs that stopped their worker twice and wait for an operator"
    );
    describe_gauge!(MATCHES, "matches there are, by state");
    describe_gauge!(LIVE, "matches that are shown live");
    describe_gauge!(SPECTATORS, "people who watch");
    describe_gauge!(BUS_CONNECTED, "1 while the bus is connected");
    describe_counter!(BUS_LOST, "messages on the bus that were lost");
}
