//! The log of the arena.

use std::io::{IsTerminal, Write};

use anyhow::Context;
use leitai_game::clean_text::{Breaks, clean_line, clean_text};
use leitai_telemetry::Telemetry;
use tracing::field::Field;
use tracing_subscriber::field::MakeExt;
use tracing_subscriber::fmt;
use tracing_subscriber::fmt::FormatFields;
use tracing_subscriber::fmt::format::{Writer, debug_fn};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer};

use crate::cli::{LogArgs, LogKind};

/// What is logged where LEITAI_LOG_FILTER says nothing: what happens, or what goes wrong.
pub const HAPPENS: &str = "info,sqlx=warn,sea_orm=warn,async_nats=off,leitai::traces=off";
/// What goes wrong.
pub const GOES_WRONG: &str = "warn,async_nats=off,leitai::traces=off";

/// Writes events to stderr from now on, `usual` ones if nobody chose, and sends traces to the collector, if there is one; metrics
/// are the caller's to send.
pub fn start_logging(
    args: &LogArgs,
    usual: &str,
    instance: &str,
) -> anyhow::Result<Option<Telemetry>> {
    let chosen = std::env::var("LEITAI_LOG_FILTER").unwrap_or_default();
    let filter = match chosen.trim() {
        "" => EnvFilter::new(usual),
        filter => EnvFilter::try_new(filter).with_context(|| {
            format!("LEITAI_LOG_FILTER is {filter:?}; it looks like \"info\" or \"leitai_server=debug,warn\"")
        })?,
    };
    let colour = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let lines = fmt::layer().with_ansi(colour);
    let lines = match args.log {
        LogKind::Text => lines
            .with_writer(std::io::stderr)
            .with_target(false)
            .compact()
            .fmt_fields(format_fields())
            .boxed(),
        LogKind::Json => lines
            .with_writer(|| CleanJsonWriter(std::io::stderr()))
            .json()
            .flatten_event(true)
            .boxed(),
    };
    let collector = args.otlp.as_deref().filter(|url| !url.is_empty());
    let telemetry = collector.map(|url| Telemetry::connect(url, instance));
    let telemetry = telemetry.transpose().context("--otlp")?;
    tracing_subscriber::registry()
        .with(lines.with_filter(filter))
        .with(telemetry.as_ref().map(Telemetry::trace_layer))
        .init();
    Ok(telemetry)
}

/// Fields as `name=value`; values are cleaned, so that none controls a terminal or starts a new
/// line.
fn format_fields() -> impl for<'writer> FormatFields<'writer> + 'static {
    let field = |writer: &mut Writer<'_>, field: &Field, value: &dyn std::fmt::Debug| {
        let value = format!("{value:?}");
        match field.name() {
            "message" => write!(writer, "{}", clean_line(&value)),
            name => write!(writer, "{name}={}", clean_line(&value)),
        }
    };
    debug_fn(field).delimited(" ")
}

/// Writes JSON; cleaned characters are JSON escapes, so values stay the same.
struct CleanJsonWriter<W>(W);

impl<W: Write> Write for CleanJsonWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match std::str::from_utf8(bytes) {
            Ok(text) => self
                .0
                .write_all(clean_text(text, Breaks::Kept).as_bytes())?,
            Err(_) => self.0.write_all(bytes)?,
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.0.flush()
    }
}
