//! One trace through servers and workers.

use std::sync::mpsc::Receiver;

use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message;

use crate::fleet::{Fleet, PATIENCE};
use crate::receiver::{start_collector, text_of};

/// The spans of a match, each the child of the one before.
const CHAIN: [&str; 4] = ["request", "dispatch", "match", "record"];

/// The attribute with the name of the process.
const PART: &str = "part";

/// A span, and the process that sent it.
type SentSpan = (String, Span);

/// The spans of a message.
fn read_spans(body: &[u8]) -> Vec<SentSpan> {
    let message = ExportTraceServiceRequest::decode(body).expect("OTLP");
    let mut sent = Vec::new();
    for part in message.resource_spans {
        let process = part.resource.expect("described").attributes;
        let process = text_of(&process, PART).expect("named");
        let spans = part.scope_spans.into_iter().flat_map(|scope| scope.spans);
        sent.extend(spans.map(|span| (process.to_owned(), span)));
    }
    sent
}

/// Waits until all spans of the trace of this request are there: the last of [`CHAIN`] first.
fn wait_for_chain(received: &Receiver<(String, Vec<u8>)>, path: &str) -> Vec<SentSpan> {
    let mut spans = Vec::new();
    loop {
        let message = received.recv_timeout(PATIENCE);
        let (to, body) = message.unwrap_or_else(|_| panic!("no such trace: {spans:#?}"));
        if to == "/v1/traces" {
            spans.extend(read_spans(&body));
        }
        let request = spans.iter().find(|(_, span)| {
            let is_post = text_of(&span.attributes, "method") == Some("POST");
            is_post && text_of(&span.attributes, "path") == Some(path)
        });
        let mut chain = Vec::from_iter(request.cloned());
        while let Some((_, last)) = chain.last() {
            let is_next = |(_, span): &&SentSpan| {
                span.parent_span_id == last.span_id && CHAIN.get(chain.len()) == Some(&&*span.name)
            };
            match spans.iter().find(is_next) {
                Some(next) => chain.push(next.clone()),
                None => break,
            }
        }
        if chain.len() == CHAIN.len() {
            return chain;
        }
    }
}

#[test]
fn a_request_and_what_became_of_its_match_are_one_trace() {
    let Some(mut fleet) = Fleet::start() else {
        return;
    };
    let (collector, received) = start_collector();
    fleet.set_variable("OTEL_EXPORTER_OTLP_ENDPOINT", &collector);
    fleet.set_variable("OTEL_BSP_SCHEDULE_DELAY", "100");
    let name_part = |fleet: &mut Fleet, name| {
        fleet.set_variable("OTEL_RESOURCE_ATTRIBUTES", &format!("{PART}={name}"))
    };
    name_part(&mut fleet, "one");
    let one = fleet.serve("one");
    name_part(&mut fleet, "two");
    let two = fleet.serve("two");
    name_part(&mut fleet, "worker");
    let _worker = fleet.work_for(&[&one], "worker");
    let ada = one.register_first();
    let [space, safe] = ["space", "safe"].map(|name| two.bot_named("kob", name));
    let wanted = serde_json::json!({"game": "kob", "a": {"bot": space}, "b": {"bot": safe}});
    two.post(&ada, "/api/matches", &wanted);
    let chain = wait_for_chain(&received, "/api/matches");
    let names: Vec<&str> = chain.iter().map(|(_, span)| &*span.name).collect();
    assert_eq!(names, CHAIN);
    let parts: Vec<&str> = chain.iter().map(|(part, _)| &**part).collect();
    assert_eq!(parts, ["two", "one", "worker", "one"]);
    assert!(
        chain
            .iter()
            .all(|(_, span)| span.trace_id == chain[0].1.trace_id)
    );
}
