//! What the arena says while it runs.

use std::io::IsTerminal;

use anyhow::Context;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt;

use crate::cli::{LogArgs, LogKind};

/// From now on events are written to stderr.
pub fn start(args: &LogArgs) -> anyhow::Result<()> {
    let chosen = std::env::var("LEITAI_LOG_FILTER").unwrap_or_default();
    let filter = match chosen.trim() {
        "" => EnvFilter::new("info,sqlx=warn,sea_orm=warn,sea_orm_migration=warn"),
        filter => EnvFilter::try_new(filter).with_context(|| {
            format!("LEITAI_LOG_FILTER is {filter:?}; it looks like \"info\" or \"leitai_server=debug,warn\"")
        })?,
    };
    let colour = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let builder = fmt().with_env_filter(filter).with_ansi(colour).with_writer(std::io::stderr);
    match args.log {
        LogKind::Text => builder.with_target(false).compact().init(),
        LogKind::Json => builder.json().flatten_event(true).init(),
    }
    Ok(())
}
