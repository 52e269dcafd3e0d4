//! `leitai worker`

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::ensure;
use leitai_server::arena::client::RemoteDesk;
use leitai_server::arena::worker::{Worker, WorkerOptions, workshop};

use crate::cli::WorkerArgs;
use crate::cmd::serve::{asked_to_stop, host_name, sandbox};
use crate::files::print;
use crate::house::logs;
use crate::lang::t;
use crate::remote::account::address;

/// How often it is looked whether the arena has refused this worker.
const LOOK: Duration = Duration::from_millis(500);

/// Plays matches for an arena elsewhere until it is told to stop.
pub fn run(args: &WorkerArgs) -> anyhow::Result<ExitCode> {
    logs::start(&args.logs)?;
    let server = address(&args.server)?;
    ensure!(!args.token.trim().is_empty(), "there is no token; `leitai admin worker-token NAME` makes one");
    let name = args.name.clone().unwrap_or_else(host_name);
    let options = WorkerOptions::new(&name);
    let options =
        WorkerOptions { slots: args.slots.unwrap_or(options.slots).max(1), remote: true, ..options };
    let desk = RemoteDesk::new(&server, args.token.trim(), &name, leitai_games::ALL);
    let slots = options.slots;
    let worker =
        Worker::start(Arc::new(desk), leitai_games::ALL, workshop(sandbox(args.isolation)?), options);
    print(&format!("{name} → {server}   {} {slots}\n", t("matches at once:", "同时进行的比赛：")))?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        tokio::select! {
            () = asked_to_stop() => {}
            () = refused(&worker) => {}
        }
    });
    worker.stop();
    worker.join().map_err(anyhow::Error::msg)?;
    Ok(ExitCode::SUCCESS)
}

/// Ends when the worker does not work any more.
async fn refused(worker: &Worker) {
    while worker.is_at_work() {
        tokio::time::sleep(LOOK).await;
    }
}
