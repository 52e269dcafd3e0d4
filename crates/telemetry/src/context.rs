//! The place of a span in its trace, for work that goes on elsewhere: W3C's `traceparent`.

use std::collections::HashMap;

use opentelemetry::propagation::TextMapPropagator;
use opentelemetry::trace::TraceContextExt;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt;

/// The name of the one field.
const FIELD: &str = "traceparent";

/// The current span as `traceparent`; `None` unless its trace is sent to a collector.
pub fn current_trace() -> Option<String> {
    let mut fields = HashMap::new();
    TraceContextPropagator::new().inject_context(&Span::current().context(), &mut fields);
    fields.remove(FIELD)
}

/// Makes a span, which has not been entered yet, the child of another one, perhaps in another
/// process. A text that is no `traceparent` changes nothing.
pub fn continue_trace(span: &Span, trace: Option<&str>) {
    let Some(trace) = trace else { return };
    let fields = HashMap::from([(FIELD.to_owned(), trace.to_owned())]);
    let context = TraceContextPropagator::new().extract(&fields);
    if context.span().span_context().is_remote() {
        // Without a collector there is nothing to continue.
        _ = span.set_parent(context);
    }
}
