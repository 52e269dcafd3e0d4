//! Traces and metrics for a collector of OpenTelemetry, by OTLP over HTTP (protobuf).
//!
//! Spans of `tracing` are queued and sent by a thread of their own; when the queue is full, spans
//! are dropped. So a collector that is away delays nothing. It is reported once, and once more when
//! it is back.

#![cfg_attr(not(test), warn(clippy::too_many_lines))]

mod client;
mod context;
mod metrics;

use std::time::Duration;

use opentelemetry::KeyValue;
use opentelemetry::trace::TracerProvider;
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::SdkTracerProvider;
use thiserror::Error;
use tracing::{Level, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::registry::LookupSpan;

use crate::client::CollectorClient;

pub use context::{continue_trace, current_trace};

/// The time that the last spans have at the end.
const FAREWELL: Duration = Duration::from_secs(2);

/// Why there is no connection to a collector.
#[derive(Debug, Error)]
pub enum TelemetryError {
    /// The address is none.
    #[error("{0:?} is no address of a collector; it looks like http://collector:4318")]
    Address(String),
    /// OpenTelemetry refuses its settings.
    #[error("OpenTelemetry cannot be set up ({0}); look at the variables OTEL_…")]
    Setup(String),
}

/// The connection to a collector.
#[derive(Clone, Debug)]
pub struct Telemetry {
    client: CollectorClient,
    metrics_url: String,
    resource: Resource,
    tracers: SdkTracerProvider,
}

impl Telemetry {
    /// Sends to the collector at this address, under the name of this server or worker. Nothing is
    /// sent yet, so the collector may start later.
    pub fn connect(endpoint: &str, instance: &str) -> Result<Telemetry, TelemetryError> {
        let base = endpoint.trim().trim_end_matches('/');
        let host = ["http://", "https://"]
            .iter()
            .find_map(|scheme| base.strip_prefix(scheme));
        if host.is_none_or(str::is_empty) {
            return Err(TelemetryError::Address(endpoint.to_owned()));
        }
        let client = CollectorClient::new(base);
        let setup = |error: &dyn std::fmt::Display| TelemetryError::Setup(error.to_string());
        let exporter = SpanExporter::builder()
            .with_http()
            .with_http_client(client.clone())
            .with_protocol(Protocol::HttpBinary)
            .with_endpoint(format!("{base}/v1/traces"))
            .build()
            .map_err(|error| setup(&error))?;
        let resource = describe_process(instance);
        let tracers = SdkTracerProvider::builder()
            .with_batch_exporter(exporter)
            .with_resource(resource.clone())
            .build();
        Ok(Telemetry {
            client,
            metrics_url: format!("{base}/v1/metrics"),
            resource,
            tracers,
        })
    }

    /// A layer that sends Leitai's spans, with their warnings and errors.
    pub fn trace_layer<S>(&self) -> impl Layer<S> + use<S>
    where
        S: Subscriber + for<'span> LookupSpan<'span>,
    {
        let ours = filter_fn(|metadata| {
            let is_ours = metadata.target().starts_with("leitai");
            is_ours && (metadata.is_span() || *metadata.level() <= Level::WARN)
        });
        tracing_opentelemetry::layer()
            .with_tracer(self.tracers.tracer("leitai"))
            .with_location(false)
            .with_threads(false)
            .with_tracked_inactivity(false)
            .with_filter(ours)
    }

    /// Sends metrics that are in Prometheus' text format. Blocks for some seconds at most.
    pub fn send_metrics(&self, text: &str) {
        let message = metrics::encode_metrics(text, &self.resource);
        // The client has reported the error.
        _ = self.client.post(&self.metrics_url, &message);
    }

    /// Sends the spans that are waiting. Blocks for some seconds at most.
    pub fn flush(&self) {
        // Spans that are lost at the end are no reason to fail.
        _ = self.tracers.force_flush();
    }

    /// Sends the last spans and ends. Blocks for some seconds at most.
    pub fn stop(&self) {
        // The same.
        _ = self.tracers.shutdown_with_timeout(FAREWELL);
    }
}

/// What the collector is told of this process; OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES say
/// more.
fn describe_process(instance: &str) -> Resource {
    let named = std::env::var_os("OTEL_SERVICE_NAME").is_some();
    let resource = Resource::builder().with_attributes([
        KeyValue::new("service.instance.id", instance.to_owned()),
        KeyValue::new("service.version", env!("CARGO_PKG_VERSION")),
    ]);
    match named {
        true => resource.build(),
        false => resource.with_service_name("leitai").build(),
    }
}
