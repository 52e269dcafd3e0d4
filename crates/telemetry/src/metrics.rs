//! Metrics from Prometheus' text format, as this process writes it, to OTLP's messages.

use std::collections::BTreeMap;
use std::sync::OnceLock;
use std::time::{SystemTime, UNIX_EPOCH};

use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::common::v1::{AnyValue, InstrumentationScope, KeyValue};
use opentelemetry_proto::tonic::metrics::v1::metric::Data;
use opentelemetry_proto::tonic::metrics::v1::{
    AggregationTemporality, Gauge, Histogram, HistogramDataPoint, Metric, NumberDataPoint,
    ResourceMetrics, ScopeMetrics, Sum, number_data_point,
};
use opentelemetry_proto::tonic::resource::v1::Resource as ResourceMessage;
use opentelemetry_sdk::Resource;
use prost::Message;

/// The labels of a sample, without `le`.
type Labels = Vec<(String, String)>;

/// A metric while it is read.
#[derive(Default)]
struct ParsedMetric {
    kind: String,
    help: String,
    numbers: Vec<(Labels, f64)>,
    histograms: BTreeMap<Labels, ParsedHistogram>,
}

/// A histogram with cumulative counts.
#[derive(Default)]
struct ParsedHistogram {
    buckets: Vec<(f64, u64)>,
    sum: f64,
    count: u64,
}

/// Start and time of samples, in nanoseconds since 1970.
#[derive(Clone, Copy)]
struct SampleTimes {
    start: u64,
    now: u64,
}

/// The message of all metrics in a text.
pub fn encode_metrics(text: &str, resource: &Resource) -> Vec<u8> {
    static START: OnceLock<u64> = OnceLock::new();
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.map_or(0, |since| since.as_nanos() as u64);
    let times = SampleTimes {
        start: *START.get_or_init(|| now),
        now,
    };
    let metrics = parse_text(text)
        .into_iter()
        .map(|(name, parsed)| parsed.into_message(name, times));
    let scope = InstrumentationScope {
        name: "leitai".to_owned(),
        ..Default::default()
    };
    let attributes = resource
        .iter()
        .map(|(key, value)| to_key_value(key.as_str(), &value.as_str()));
    let message = ExportMetricsServiceRequest {
        resource_metrics: vec![ResourceMetrics {
            resource: Some(ResourceMessage {
                attributes: attributes.collect(),
                ..Default::default()
            }),
            scope_metrics: vec![ScopeMetrics {
                scope: Some(scope),
                metrics: metrics.collect(),
                ..Default::default()
            }],
            ..Default::default()
        }],
    };
    message.encode_to_vec()
}

fn to_key_value(key: &str, value: &str) -> KeyValue {
    KeyValue {
        key: key.to_owned(),
        value: Some(AnyValue {
            value: Some(Value::StringValue(value.to_owned())),
        }),
        ..Default::default()
    }
}

fn to_attributes(labels: &Labels) -> Vec<KeyValue> {
    labels
        .iter()
        .map(|(key, value)| to_key_value(key, value))
        .collect()
}

impl ParsedMetric {
    fn into_message(self, name: String, times: SampleTimes) -> Metric {
        let cumulative = AggregationTemporality::Cumulative.into();
        let points = self.numbers.iter().map(|(labels, value)| NumberDataPoint {
            attributes: to_attributes(labels),
            start_time_unix_nano: times.start,
            time_unix_nano: times.now,
            value: Some(number_data_point::Value::AsDouble(*value)),
            ..Default::default()
        });
        let data = match self.kind.as_str() {
            "counter" => Data::Sum(Sum {
                data_points: points.collect(),
                aggregation_temporality: cumulative,
                is_monotonic: true,
            }),
            "histogram" => Data::Histogram(Histogram {
                data_points: self
                    .histograms
                    .into_iter()
                    .map(|(labels, histogram)| histogram.into_point(&labels, times))
                    .collect(),
                aggregation_temporality: cumulative,
            }),
            _ => Data::Gauge(Gauge {
                data_points: points.collect(),
            }),
        };
        Metric {
            name,
            description: self.help,
            data: Some(data),
            ..Default::default()
        }
    }
}

impl ParsedHistogram {
    fn into_point(mut self, labels: &Labels, times: SampleTimes) -> HistogramDataPoint {
        self.buckets.sort_by(|one, two| one.0.total_cmp(&two.0));
        let mut before = 0;
        let counts = self.buckets.iter().map(|(_, count)| {
            let own = count.saturating_sub(before);
            before = *count;
            own
        });
        let bounds = self.buckets.iter().map(|(bound, _)| *bound);
        HistogramDataPoint {
            attributes: to_attributes(labels),
            start_time_unix_nano: times.start,
            time_unix_nano: times.now,
            count: self.count,
            sum: Some(self.sum),
            bucket_counts: counts.collect(),
            // The last bucket has no bound.
            explicit_bounds: bounds.filter(|bound| bound.is_finite()).collect(),
            ..Default::default()
        }
    }
}

/// Reads the text; lines that it does not understand are left out.
fn parse_text(text: &str) -> BTreeMap<String, ParsedMetric> {
    let mut metrics: BTreeMap<String, ParsedMetric> = BTreeMap::new();
    for line in text.lines() {
        if let Some(comment) = line.strip_prefix("# ") {
            let mut words = comment.splitn(3, ' ');
            if let (Some(word), Some(name), Some(rest)) = (words.next(), words.next(), words.next())
            {
                let metric = metrics.entry(name.to_owned()).or_default();
                match word {
                    "TYPE" => rest.clone_into(&mut metric.kind),
                    "HELP" => rest.clone_into(&mut metric.help),
                    _ => {}
                }
            }
        } else if let Some((name, labels, value)) = parse_sample(line) {
            add_sample(&mut metrics, name, labels, value);
        }
    }
    // Metrics are described before they have a value.
    metrics.retain(|_, metric| !metric.numbers.is_empty() || !metric.histograms.is_empty());
    metrics
}

fn add_sample(
    metrics: &mut BTreeMap<String, ParsedMetric>,
    name: &str,
    mut labels: Labels,
    value: f64,
) {
    let part = ["_bucket", "_sum", "_count"]
        .into_iter()
        .find_map(|part| Some((name.strip_suffix(part)?, part)));
    let histogram = part.and_then(|(base, part)| {
        let metric = metrics.get_mut(base)?;
        (metric.kind == "histogram").then_some((metric, part))
    });
    let Some((metric, part)) = histogram else {
        let metric = metrics.entry(name.to_owned()).or_default();
        return metric.numbers.push((labels, value));
    };
    let bound = labels.iter().position(|(key, _)| key == "le");
    let bound = bound.and_then(|index| labels.remove(index).1.parse().ok());
    let known = metric.histograms.entry(labels).or_default();
    match (part, bound) {
        ("_bucket", Some(bound)) => known.buckets.push((bound, value as u64)),
        ("_sum", _) => known.sum = value,
        ("_count", _) => known.count = value as u64,
        _ => {}
    }
}

/// Reads `name{label="value",…} number`.
fn parse_sample(line: &str) -> Option<(&str, Labels, f64)> {
    let (head, value) = line.rsplit_once(' ')?;
    let value = value.parse().ok()?;
    let Some((name, rest)) = head.split_once('{') else {
        return Some((head, Labels::new(), value));
    };
    let mut rest = rest.strip_suffix('}')?;
    let mut labels = Labels::new();
    while let Some((key, after)) = rest.split_once("=\"") {
        let (text, after) = parse_value(after)?;
        labels.push((key.to_owned(), text));
        rest = after.strip_prefix(',').unwrap_or(after);
    }
    Some((name, labels, value))
}

/// The value of a label up to its closing quote, and what follows.
fn parse_value(text: &str) -> Option<(String, &str)> {
    let (mut value, mut letters) = (String::new(), text.char_indices());
    while let Some((index, letter)) = letters.next() {
        match letter {
            '"' => return Some((value, &text[index + 1..])),
            '\\' => match letters.next()?.1 {
                'n' => value.push('\n'),
                other => value.push(other),
            },
            other => value.push(other),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_read_with_any_labels() {
        let line = r#"a_total{route="/x/{id}",what="say \"a\\b\", \n"} 4"#;
        let (name, labels, value) = parse_sample(line).expect("a sample");
        assert_eq!((name, value), ("a_total", 4.0));
        let values: Vec<&str> = labels.iter().map(|(_, value)| value.as_str()).collect();
        assert_eq!(values, ["/x/{id}", "say \"a\\b\", \n"]);
        assert_eq!(parse_sample("b 1.5"), Some(("b", Labels::new(), 1.5)));
        for line in ["", "b", "b x", "b{a=\"} 1", "b{ 1"] {
            assert!(parse_sample(line).is_none(), "{line}");
        }
    }
}
