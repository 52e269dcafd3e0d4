//! Traces and metrics arrive at an HTTP server that reads OTLP.

#[path = "../../store/tests/contract/ports.rs"]
mod ports;
mod receiver;

use std::io::Write;

use leitai_telemetry::{Telemetry, TelemetryError, continue_trace, current_trace};
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::metrics::v1::metric::Data;
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message;
use receiver::{metrics_of, spans_of, start_collector, text_of};
use tracing_subscriber::layer::SubscriberExt;

#[test]
fn spans_arrive_with_their_parents() {
    let (address, received) = start_collector();
    let telemetry = Telemetry::connect(&address, "one").expect("connected");
    let subscriber = tracing_subscriber::registry().with(telemetry.trace_layer());
    tracing::subscriber::with_default(subscriber, || {
        let request = tracing::info_span!(target: "leitai_server", "request", path = "/api/games");
        let _request = request.enter();
        let job = tracing::info_span!(target: "leitai::traces", "job", job = "7");
        let _job = job.enter();
        tracing::info_span!(target: "elsewhere", "foreign").in_scope(|| {});
    });
    telemetry.stop();
    let (path, body) = received.recv().expect("a message");
    assert_eq!(path, "/v1/traces");
    let message = ExportTraceServiceRequest::decode(&body[..]).expect("OTLP");
    let [resource] = &message.resource_spans[..] else {
        panic!("one resource: {message:?}");
    };
    let described = &resource.resource.as_ref().expect("described").attributes;
    assert_eq!(text_of(described, "service.instance.id"), Some("one"));
    let spans = spans_of(&body);
    let named = |name: &str| spans.iter().find(|span| span.name == name);
    let (request, job) = (named("request").expect("sent"), named("job").expect("sent"));
    assert!(named("foreign").is_none(), "only Leitai's own");
    assert_eq!(text_of(&request.attributes, "path"), Some("/api/games"));
    assert_eq!(text_of(&job.attributes, "job"), Some("7"));
    assert_eq!(job.trace_id, request.trace_id);
    assert_eq!(job.parent_span_id, request.span_id);
}

#[test]
fn a_trace_goes_on_in_another_process() {
    let (address, received) = start_collector();
    let telemetry = Telemetry::connect(&address, "one").expect("connected");
    let subscriber = tracing_subscriber::registry().with(telemetry.trace_layer());
    assert_eq!(current_trace(), None, "no trace is sent anywhere");
    tracing::subscriber::with_default(subscriber, || {
        assert_eq!(current_trace(), None, "there is no span");
        let request = tracing::info_span!(target: "leitai_server", "request");
        let told = request.in_scope(current_trace).expect("it is traced");
        assert!(told.starts_with("00-") && told.len() == 55, "{told}");
        for (name, trace) in [
            ("job", told.as_str()),
            ("alone", "00-strange-01"),
            ("none", ""),
        ] {
            let span = tracing::info_span!(target: "leitai::traces", "part", name);
            continue_trace(&span, Some(trace));
            span.in_scope(|| {});
        }
    });
    telemetry.stop();
    let (_, body) = received.recv().expect("a message");
    let spans = spans_of(&body);
    let request = spans.iter().find(|span| span.name == "request");
    let request = request.expect("sent");
    for (name, is_child) in [("job", true), ("alone", false), ("none", false)] {
        let named = |span: &&Span| text_of(&span.attributes, "name") == Some(name);
        let span = spans.iter().find(named).expect("sent");
        assert_eq!(span.trace_id == request.trace_id, is_child, "{name}");
        assert_eq!(span.parent_span_id == request.span_id, is_child, "{name}");
    }
}

const METRICS: &str = r#"# HELP leitai_http_requests_total requests by route, method and status
# TYPE leitai_http_requests_total counter
leitai_http_requests_total{route="/api/games/{game}",status="200"} 12

# TYPE leitai_spectators gauge
leitai_spectators 3.5

# TYPE leitai_http_request_seconds histogram
leitai_http_request_seconds_bucket{route="/x",le="0.5"} 2
leitai_http_request_seconds_bucket{route="/x",le="1"} 5
leitai_http_request_seconds_bucket{route="/x",le="+Inf"} 6
leitai_http_request_seconds_sum{route="/x"} 7.25
leitai_http_request_seconds_count{route="/x"} 6
"#;

#[test]
fn metrics_arrive_with_their_kinds() {
    let (address, received) = start_collector();
    let telemetry = Telemetry::connect(&address, "one").expect("connected");
    telemetry.send_metrics(METRICS);
    let (path, body) = received.recv().expect("a message");
    assert_eq!(path, "/v1/metrics");
    let metrics = metrics_of(&body);
    let named = |name: &str| {
        let found = metrics.iter().find(|metric| metric.name == name);
        found.and_then(|metric| metric.data.as_ref())
    };
    let Some(Data::Sum(sum)) = named("leitai_http_requests_total") else {
        panic!("a sum: {metrics:?}");
    };
    assert!(sum.is_monotonic);
    let attributes = &sum.data_points[0].attributes;
    assert_eq!(text_of(attributes, "route"), Some("/api/games/{game}"));
    let Some(Data::Gauge(_)) = named("leitai_spectators") else {
        panic!("a gauge: {metrics:?}");
    };
    let Some(Data::Histogram(times)) = named("leitai_http_request_seconds") else {
        panic!("a histogram: {metrics:?}");
    };
    let point = &times.data_points[0];
    assert_eq!(point.bucket_counts, [2, 3, 1]);
    assert_eq!(point.explicit_bounds, [0.5, 1.0]);
    assert_eq!((point.count, point.sum), (6, Some(7.25)));
    telemetry.stop();
}

/// A log in memory.
#[derive(Clone, Default)]
struct Log(std::sync::Arc<std::sync::Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("nobody panics").write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_collector_that_is_away_is_reported_once() {
    let address = format!("http://127.0.0.1:{}", ports::find_port());
    let telemetry = Telemetry::connect(&address, "one").expect("nothing is sent yet");
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_writer(move || writer.clone())
        .finish();
    tracing::subscriber::with_default(subscriber, || {
        for _ in 0..3 {
            telemetry.send_metrics(METRICS);
        }
    });
    let log = log.0.lock().expect("nobody panics").clone();
    let log = String::from_utf8(log).expect("text");
    assert_eq!(log.matches("the collector does not take").count(), 1);
}

#[test]
fn an_address_that_is_none_is_refused() {
    for address in ["", "collector:4318", "http://", "ftp://collector"] {
        let refused = Telemetry::connect(address, "one");
        assert!(matches!(refused, Err(TelemetryError::Address(_))));
    }
}
