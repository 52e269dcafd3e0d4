//! `leitai worker`

use std::sync::atomic::{AtomicBool, Ordering};

use leitai_batch::{BatchWorker, BatchWorkerOptions, show_addresses};
use leitai_series::run::MAX_WORKERS;
use leitai_server::engine::work_for;
use leitai_server::work::worker::{WorkerOptions, make_program_cache};
use tokio::runtime::Runtime;

use crate::arena::games::{find_games, open_judges};
use crate::arena::{logs, machine};
use crate::build_cache;
use crate::cli::WorkerArgs;
use crate::cmd::serve::{asked_to_stop, open_sandbox};
use crate::isolation::THIS_BINARY;
use crate::prelude::*;
use crate::remote::account::normalize_address;

static STOP: AtomicBool = AtomicBool::new(false);

/// Plays matches for an arena elsewhere until it is stopped.
pub fn run(lang: Localizer, args: &WorkerArgs) -> Result<ExitCode> {
    let (options, _) = usual_options(args);
    let telemetry = logs::start_logging(&args.logs, logs::HAPPENS, &options.name)?;
    let done = match &args.bus {
        Some(bus) => play_batches(lang, args, bus),
        None => play_for_arena(lang, args),
    };
    if let Some(telemetry) = telemetry {
        telemetry.stop();
    }
    done
}

/// Plays for the servers of an arena.
fn play_for_arena(lang: Localizer, args: &WorkerArgs) -> Result<ExitCode> {
    let servers: Vec<String> = args
        .server
        .iter()
        .map(|server| normalize_address(server))
        .collect::<Result<_>>()?;
    let token = args.token.as_deref().unwrap_or_default().trim();
    ensure!(
        !token.is_empty(),
        "there is no token; `leitai admin worker-token NAME` makes one"
    );
    let games = find_games(args.games.as_deref()).context("--games")?;
    let (usual, slots) = usual_options(args);
    let options = WorkerOptions { slots, ..usual };
    let mut note = |line: &str| anstream::eprintln!("{line}");
    let program_cache = make_program_cache(open_sandbox(lang, args.isolation)?)
        .with_build_cache(build_cache::open_cache(lang, &mut note).cloned());
    let at_once = lang.label("matches at once:");
    print_stdout(&format!(
        "{} → {}   {at_once} {slots}\n",
        options.name,
        servers.join(", ")
    ))?;
    let _runtime = start_runtime()?;
    work_for(&servers, token, &games, program_cache, options, &STOP).map_err(anyhow::Error::msg)?;
    Ok(ExitCode::SUCCESS)
}

/// The usual options of a worker of this machine, and its slots.
fn usual_options(args: &WorkerArgs) -> (WorkerOptions, usize) {
    let usual = WorkerOptions::new(args.name.clone().unwrap_or_else(machine::host_name));
    let slots = args.slots.unwrap_or(usual.slots).clamp(1, MAX_WORKERS);
    (usual, slots)
}

/// A runtime in which a signal sets the flag.
fn start_runtime() -> Result<Runtime> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()?;
    runtime.spawn(async {
        asked_to_stop().await;
        STOP.store(true, Ordering::Relaxed);
    });
    Ok(runtime)
}

/// Plays for batches over their bus.
fn play_batches(lang: Localizer, args: &WorkerArgs, bus: &str) -> Result<ExitCode> {
    let (usual, slots) = usual_options(args);
    let mut note = |line: &str| anstream::eprintln!("{line}");
    let options = BatchWorkerOptions {
        bus,
        name: usual.name.clone(),
        slots,
        most_memory: args.most_memory,
        sandbox: open_sandbox(lang, args.isolation)?,
        build_cache: build_cache::open_cache(lang, &mut note),
        leitai: THIS_BINARY.into(),
    };
    let games = find_games(args.games.as_deref()).context("--games")?;
    if let Some(sandbox) = &options.sandbox {
        open_judges(&games, sandbox);
    }
    let runtime = start_runtime()?;
    let worker = BatchWorker::connect(runtime.handle().clone(), games, options)?;
    let at_once = lang.label("matches at once:");
    print_stdout(&format!(
        "{} → {}   {at_once} {slots}\n",
        usual.name,
        show_addresses(bus)
    ))?;
    worker.play_until(&STOP)?;
    Ok(ExitCode::SUCCESS)
}
