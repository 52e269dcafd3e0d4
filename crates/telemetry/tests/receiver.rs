//! A collector of OpenTelemetry for tests: an HTTP server that reads OTLP.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc;

use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::KeyValue;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::metrics::v1::Metric;
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message;

/// Reads a request; answers 200.
fn read_request(stream: &mut TcpStream) -> Option<(String, Vec<u8>)> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut first = String::new();
    reader.read_line(&mut first).ok()?;
    let path = first.split(' ').nth(1)?.to_owned();
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let line = line.trim_end().to_ascii_lowercase();
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
        if let Some(kind) = line.strip_prefix("content-type:") {
            assert_eq!(kind.trim(), "application/x-protobuf");
        }
        if line.is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    stream
        .write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
        .ok()?;
    Some((path, body))
}

/// Starts a collector: its address, and the paths and bodies of what it receives.
pub fn start_collector() -> (String, mpsc::Receiver<(String, Vec<u8>)>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = format!("http://{}/", listener.local_addr().expect("it is bound"));
    let (told, received) = mpsc::channel();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.expect("a connection");
            if let Some(request) = read_request(&mut stream)
                && told.send(request).is_err()
            {
                return;
            }
        }
    });
    (address, received)
}

/// The text of an attribute.
pub fn text_of<'a>(attributes: &'a [KeyValue], key: &str) -> Option<&'a str> {
    let found = attributes.iter().find(|attribute| attribute.key == key)?;
    match found.value.as_ref()?.value.as_ref()? {
        Value::StringValue(text) => Some(text),
        _ => None,
    }
}

/// The spans of a message.
pub fn spans_of(body: &[u8]) -> Vec<Span> {
    let message = ExportTraceServiceRequest::decode(body).expect("OTLP");
    let scopes = message.resource_spans.into_iter();
    let scopes = scopes.flat_map(|resource| resource.scope_spans);
    scopes.flat_map(|scope| scope.spans).collect()
}

/// The metrics of a message.
pub fn metrics_of(body: &[u8]) -> Vec<Metric> {
    let message = ExportMetricsServiceRequest::decode(body).expect("OTLP");
    let scopes = message.resource_metrics.into_iter();
    let scopes = scopes.flat_map(|resource| resource.scope_metrics);
    scopes.flat_map(|scope| scope.metrics).collect()
}
