//! `leitai serve`

use std::net::SocketAddr;
use std::process::ExitCode;

use anyhow::Context;
use leitai_server::arena::Arena;
use leitai_server::{App, Options, router};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

use crate::cli::ServeArgs;
use crate::files::print;
use crate::house::{Place, logs};
use crate::lang::t;

/// Runs the arena until it is told to stop.
pub fn run(args: &ServeArgs) -> anyhow::Result<ExitCode> {
    logs::start(&args.logs)?;
    let place = Place::of(&args.place)?;
    let _lock = place.lock()?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(serve(args, &place))?;
    Ok(ExitCode::SUCCESS)
}

async fn serve(args: &ServeArgs, place: &Place) -> anyhow::Result<()> {
    let (store, vault) = (place.store().await?, place.vault().await?);
    let options = Options {
        public_url: args.public_url.as_deref().map(|url| url.trim_end_matches('/').to_owned()),
        trust_proxy: args.trust_proxy,
        registration: !args.closed,
        ..Options::default()
    };
    let app = App::new(leitai_games::ALL, store.clone(), vault, Arena::default(), options);
    let listener = TcpListener::bind(args.listen).await.with_context(|| {
        format!("cannot listen on {}; choose another address or port with --listen", args.listen)
    })?;
    let address = listener.local_addr().context("the listener has an address")?;
    greet(args, place, address)?;
    let service = router(app).into_make_service_with_connect_info::<SocketAddr>();
    axum::serve(listener, service)
        .with_graceful_shutdown(asked_to_stop())
        .await
        .context("the server failed")?;
    store.close().await?;
    Ok(())
}

/// Ctrl-C, or SIGTERM.
async fn asked_to_stop() {
    let mut terminate = signal(SignalKind::terminate()).expect("signals can be heard");
    tokio::select! {
        _ = tokio::signal::ctrl_c() => {}
        _ = terminate.recv() => {}
    }
    tracing::info!("stopping: running matches end or are handed back");
}

/// Says where it is, on stdout, for people and for scripts.
fn greet(args: &ServeArgs, place: &Place, address: SocketAddr) -> anyhow::Result<()> {
    let url = args.public_url.clone().unwrap_or_else(|| match address.ip().is_loopback() {
        true => format!("http://localhost:{}", address.port()),
        false => format!("http://{address}"),
    });
    print(&format!(
        "Leitai 擂台 {}   {url}\n{} {}   {} {}\n",
        t("is open:", "已开放："),
        t("data", "数据"),
        place.data.display(),
        t("database", "数据库"),
        place.shown(),
    ))
}
