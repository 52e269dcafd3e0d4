//! `leitai serve`

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use leitai_sandbox::Sandbox;
use leitai_server::Arena;
use leitai_server::bus::NatsBus;
use leitai_server::config::{GameSave, SecondFactorRule};
use leitai_server::engine::{EngineOptions, MatchEngine};
use leitai_server::http::routes::health::{open_metrics, write_metrics};
use leitai_server::ladders::LadderOptions;
use leitai_server::ladders::file::read_ladders;
use leitai_server::mail::Mailer;
use leitai_server::oidc::Providers;
use leitai_server::oidc::config::read_providers;
use leitai_server::work::program_cache::ProgramCache;
use leitai_server::work::worker::{isolation_name, make_program_cache, sandbox_for_uploads};
use leitai_server::{
    App, ConnectionLimits, ServerOptions, build_router, connections, run_recount, run_upkeep,
    run_webhooks,
};
use leitai_store::values::secret::TokenHash;
use leitai_store::{BlobStore, Json, Store};
use leitai_telemetry::Telemetry;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::net::TcpListener;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::MissedTickBehavior;

use crate::arena::games::{Games, find_games};
use crate::arena::{DataDir, logs, machine};
use crate::arguments;
use crate::build_cache;
use crate::cli::{SecondFactorArg, ServeArgs};
use crate::cmd::limits;
use crate::isolation::{RequestedIsolation, THIS_BINARY};
use crate::prelude::*;

/// The time that open connections may last after everything else has ended.
const FAREWELL: Duration = Duration::from_secs(3);

/// How often the collector gets the metrics.
const METRICS: Duration = Duration::from_secs(15);

/// A game that its author plays while he writes it.
pub struct WrittenGame {
    /// It and the games of the house; each save puts a version into it.
    pub games: Games,
    pub id: String,
    pub saves: watch::Receiver<GameSave>,
}

/// Runs the arena until it is told to stop.
pub fn run(lang: Localizer, args: &ServeArgs) -> Result<ExitCode> {
    serve(lang, args, None)
}

/// Runs the arena until it is told to stop, perhaps for the author of one of its games.
pub fn serve(lang: Localizer, args: &ServeArgs, written: Option<WrittenGame>) -> Result<ExitCode> {
    let usual = match written {
        Some(_) => logs::GOES_WRONG,
        None => logs::HAPPENS,
    };
    let telemetry = logs::start_logging(&args.logs, usual, &machine::host_name())?;
    let place = DataDir::from_args(&args.place)?;
    let _lock = place.lock_folder()?;
    place.move_old_blobs()?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    let served = runtime.block_on(run_server(
        lang,
        args,
        &place,
        (telemetry.as_ref(), written.as_ref()),
    ));
    if let Some(telemetry) = telemetry {
        telemetry.stop();
    }
    served?;
    runtime.shutdown_timeout(FAREWELL);
    Ok(ExitCode::SUCCESS)
}

async fn run_server(
    lang: Localizer,
    args: &ServeArgs,
    place: &DataDir,
    (telemetry, written): (Option<&Telemetry>, Option<&WrittenGame>),
) -> Result<()> {
    check_public_url(args)?;
    let docs = args.docs.as_deref().map(find_documents).transpose()?;
    let games = games_of(args, written)?;
    warn_of_missing_page();
    let listener = bind_listener(lang, &args.listen, "--listen").await?;
    let metrics = bind_metrics(lang, args).await?;
    let (store, blobs) = (place.open_store().await?, place.open_blobs().await?);
    let mut note = |line: &str| anstream::eprintln!("{line}");
    let program_cache = make_program_cache(open_sandbox(lang, args.isolation)?)
        .with_build_cache(build_cache::open_cache(lang, &mut note).cloned());
    let address = address_of(&listener)?;
    let options = ServerOptions {
        data: Some(place.data.clone()),
        saves: written.map(|written| written.saves.clone()),
        open_port: address.ip().is_unspecified().then(|| address.port()),
        ..server_options(lang, args, &games, docs, &program_cache)?
    };
    let connections = ConnectionLimits::from_descriptors(
        raise_descriptors(),
        options.limits.address_connections,
        args.trust_proxy,
    );
    let app = make_app(args, &games, options, store.clone(), blobs)?;
    let options = engine_options(args, address);
    join_bus(&app, args, &options.name).await?;
    let engine = MatchEngine::start_engine(&app, program_cache, options).await?;
    let tasks = spawn_tasks(&app, telemetry);
    let first = offer_first_account(&app).await?;
    if let Err(error) = place.write_address(address) {
        tracing::warn!(%error, "`leitai admin health` will not find this server by its data folder");
    }
    // A client may send requests as soon as it has read the greeting.
    let asked = asked_to_stop();
    print_greeting(lang, args, (place, written), address, first)?;
    if let Some(metrics) = &metrics {
        tracing::info!("metrics are at http://{}/metrics", metrics.local_addr()?);
    }
    let mut listeners = Listeners::serve(&app, listener, metrics, connections);
    tokio::select! {
        failed = &mut listeners.server => failed.context("the server stopped unexpectedly")?,
        () = asked => {}
    }
    app.arena.human_matches.stop_matches();
    engine.stop_engine().await;
    tasks.iter().for_each(JoinHandle::abort);
    // Last, so that spectators see the end of their matches.
    listeners.close().await;
    close_store(store).await
}

/// The games that are played.
fn games_of(args: &ServeArgs, written: Option<&WrittenGame>) -> Result<Games> {
    match written {
        Some(written) => Ok(written.games.clone()),
        None => find_games(args.games.as_deref()).context("--games"),
    }
}

/// The arena, with the mail server and the providers of accounts that the arguments name.
fn make_app(
    args: &ServeArgs,
    games: &Games,
    options: ServerOptions,
    store: Store,
    blobs: BlobStore,
) -> Result<App> {
    let app = App::new(games, store, blobs, Arena::default(), options);
    let app = match open_mailer(args)? {
        Some(mailer) => app.with_mail(mailer),
        None => app,
    };
    Ok(app.with_providers(open_providers(args)?))
}

/// Joins the arena's other servers, if there is a bus.
async fn join_bus(app: &App, args: &ServeArgs, name: &str) -> Result<()> {
    if let Some(bus) = &args.bus {
        let bus = NatsBus::connect(bus, name).await.context("--bus")?;
        app.join_servers(Arc::new(bus), &app.store.arena_id().await?);
    }
    Ok(())
}

/// The secret with which the first account is opened, while there is no administrator.
async fn offer_first_account(app: &App) -> Result<Option<&str>> {
    if app.store.has_admin().await? {
        return Ok(None);
    }
    let secret = TokenHash::from_token(&app.first_secret);
    app.store.add_first_secret(&secret).await?;
    Ok(Some(&app.first_secret))
}

/// Starts what a server does beside answering and playing.
fn spawn_tasks(app: &App, telemetry: Option<&Telemetry>) -> Vec<JoinHandle<()>> {
    let mut tasks = vec![
        tokio::spawn(run_upkeep(app.clone())),
        tokio::spawn(run_webhooks(app.clone())),
        tokio::spawn(run_recount(app.storage())),
    ];
    tasks.extend(telemetry.map(|to| tokio::spawn(send_metrics(app.clone(), to.clone()))));
    let mail = app.mail.clone();
    tasks.extend(mail.map(|mailer| tokio::spawn(mailer.run(app.store.clone()))));
    tasks
}

/// Sends the metrics to the collector until the future is dropped.
async fn send_metrics(app: App, telemetry: Telemetry) {
    let mut ticks = tokio::time::interval(METRICS);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let (text, telemetry) = (write_metrics(&app).await, telemetry.clone());
        // Its errors are in the log.
        _ = tokio::task::spawn_blocking(move || telemetry.send_metrics(&text)).await;
    }
}

/// The mailer of the command line. Links in mails need the arena's address.
fn open_mailer(args: &ServeArgs) -> Result<Option<Mailer>> {
    let (Some(server), Some(from), Some(origin)) = (&args.mail, &args.mail_from, &args.public_url)
    else {
        return Ok(None);
    };
    let mailer = Mailer::new(server, from, origin).context("--mail");
    Ok(Some(mailer.map_err(UsageError::wrap)?))
}

/// The providers of sign-ins of the command line.
fn open_providers(args: &ServeArgs) -> Result<Providers> {
    let (Some(file), Some(origin)) = (&args.oidc, &args.public_url) else {
        return Ok(Providers::default());
    };
    let named = || format!("--oidc {}", file.display());
    let variable = |name: &str| std::env::var(name).ok();
    let providers = read_providers(file, variable).with_context(named);
    let providers = providers.map_err(UsageError::wrap)?;
    Providers::new(providers, origin).with_context(named)
}

/// The tasks that serve connections.
struct Listeners {
    server: JoinHandle<()>,
    metrics: Option<JoinHandle<()>>,
    stop: watch::Sender<bool>,
}

impl Listeners {
    fn serve(
        app: &App,
        listener: TcpListener,
        metrics: Option<TcpListener>,
        connections: ConnectionLimits,
    ) -> Listeners {
        let (stop, stopped) = watch::channel(false);
        let metrics = metrics
            .map(|listener| serve_metrics(app.clone(), listener, connections, stopped.clone()));
        let server = tokio::spawn(connections::serve_connections(
            listener,
            build_router(app.clone()),
            connections,
            stopped,
        ));
        Listeners {
            server,
            metrics,
            stop,
        }
    }

    async fn close(mut self) {
        self.stop.send_replace(true);
        // The sockets of spectators stay open as long as their pages.
        if tokio::time::timeout(FAREWELL, &mut self.server)
            .await
            .is_err()
        {
            self.server.abort();
        }
        if let Some(metrics) = self.metrics {
            metrics.abort();
        }
    }
}

/// The server options of the command line.
fn server_options(
    lang: Localizer,
    args: &ServeArgs,
    games: &Games,
    docs: Option<PathBuf>,
    program_cache: &ProgramCache,
) -> Result<ServerOptions> {
    let public_url = args.public_url.as_deref();
    let mut options = ServerOptions {
        public_url: public_url.map(|url| url.trim_end_matches('/').to_owned()),
        trust_proxy: args.trust_proxy,
        registration: !args.closed,
        isolation: isolation_name(program_cache),
        ladders: ladder_options(args, games)?,
        home_ladders: home_ladders(&args.home_ladder, games)?,
        quota: args.storage.quota(),
        retention: args.storage.retention(),
        docs,
        private_webhooks: args.private_webhooks,
        second_factor: match args.second_factor {
            SecondFactorArg::Offered => SecondFactorRule::Offered,
            SecondFactorArg::Required => SecondFactorRule::Required,
        },
        exhibitions: !args.no_exhibitions,
        time_zone: args.time_zone.clone(),
        ..ServerOptions::default()
    };
    limits::apply_limits(lang, &mut options, &args.limits)?;
    Ok(options)
}

/// The options of the worker and the scheduler in this process.
fn engine_options(args: &ServeArgs, address: SocketAddr) -> EngineOptions {
    let usual = EngineOptions::new(own_name(address));
    EngineOptions {
        slots: args.slots.unwrap_or(usual.slots),
        ladder_every: args.ladder_every,
        exhibitions: !args.no_exhibitions,
        ..usual
    }
}

/// Serves the metrics at a separate address.
fn serve_metrics(
    app: App,
    listener: TcpListener,
    limits: ConnectionLimits,
    stopped: watch::Receiver<bool>,
) -> JoinHandle<()> {
    let few = ConnectionLimits { most: 64, ..limits };
    let routes = open_metrics(app);
    tokio::spawn(connections::serve_connections(
        listener, routes, few, stopped,
    ))
}

/// The arena lives at the root of its host: pages and cookies name addresses from there.
fn check_public_url(args: &ServeArgs) -> Result<()> {
    let Some(url) = &args.public_url else {
        return Ok(());
    };
    let rest = ["https://", "http://"]
        .iter()
        .find_map(|scheme| url.strip_prefix(scheme));
    let refuse = |why: String| Err(arguments::usage_error(format!("--public-url {url}: {why}")));
    let Some(rest) = rest else {
        return refuse(
            "it begins with https:// or http://, such as https://arena.example.org".to_owned(),
        );
    };
    let host = rest.trim_end_matches('/');
    match host.split_once(['/', '?', '#']) {
        Some((host, _)) => refuse(format!(
            "an arena cannot be below a path: give it a host name of its own, such as \
             https://arena.{host}, and let the proxy pass on all of that host"
        )),
        None if host.is_empty() || host.contains(['@', ' ']) => {
            refuse("it needs a host name, such as https://arena.example.org".to_owned())
        }
        None => Ok(()),
    }
}

/// The folder of the documents' site, as an absolute path.
fn find_documents(folder: &Path) -> Result<PathBuf> {
    let is_site = folder.join("index.html").is_file();
    if !is_site {
        return Err(arguments::usage_error(format!(
            "--docs {}: there is no index.html in it; ./dev docs builds the documents into target/docs",
            folder.display()
        )));
    }
    folder
        .canonicalize()
        .with_context(|| format!("--docs {}", folder.display()))
}

/// Repeats a warning of the build script, which few people read.
fn warn_of_missing_page() {
    use leitai_server::http::page::{MISSING, WHOLE_PAGE, has_engine};
    if let Some(why) = MISSING {
        tracing::warn!(
            "this program was built without the arena's page ({why}): people see a note instead, the API answers; \
             to have the page, install Node.js 20.19 or newer with npm and build again"
        );
    } else if !has_engine() {
        tracing::warn!(
            "this program was built without the engine in the arena's page: people cannot analyse games there, play \
             on from a position or verify replays; to have it, build with {WHOLE_PAGE}"
        );
    }
}

/// The ladders of the command line.
fn ladder_options(args: &ServeArgs, games: &Games) -> Result<LadderOptions> {
    let further = match &args.ladders {
        Some(file) => read_ladders(file, games)
            .with_context(|| format!("--ladders {}", file.display()))
            .map_err(UsageError::wrap)?,
        None => Vec::new(),
    };
    Ok(LadderOptions {
        standard: ladder_configs(&args.ladder_config, games).map_err(UsageError::wrap)?,
        further,
    })
}

/// The games with a ladder of programs at home; one that somebody brings later may be among them.
fn home_ladders(words: &[String], games: &Games) -> Result<Vec<String>> {
    for id in words {
        if games.find(id).is_none() {
            arguments::find_arena_game(id).context("--home-ladder")?;
        }
    }
    Ok(words.to_vec())
}

/// The configs of standard ladders, from words such as `tankcraft:fog=sdk`.
fn ladder_configs(words: &[String], games: &Games) -> Result<BTreeMap<String, Json>> {
    let mut chosen: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for word in words
        .iter()
        .map(|word| word.trim())
        .filter(|word| !word.is_empty())
    {
        let parts = word
            .split_once(':')
            .filter(|(_, choice)| choice.contains('='));
        let (game, choice) = parts.with_context(|| {
            format!("--ladder-config {word}: write GAME:KEY=VALUE, such as tankcraft:fog=sdk")
        })?;
        chosen.entry(game).or_default().push(choice.to_owned());
    }
    let mut configs = BTreeMap::new();
    for (id, choices) in chosen {
        let own = games.find(id);
        let game = own.map_or_else(|| arguments::find_arena_game(id), Ok);
        let game = game.context("--ladder-config")?;
        let config = arguments::read_config(&*game, &choices)
            .with_context(|| format!("--ladder-config, game {id}"))?;
        // Only dealing a setup shows whether the choices are compatible.
        game.deal_setup(&config, 1)
            .with_context(|| format!("--ladder-config, game {id}"))?;
        configs.insert(game.meta().id.to_owned(), config);
    }
    Ok(configs)
}

async fn close_store(store: Store) -> Result<()> {
    store.close_store().await?;
    tracing::info!("stopped");
    Ok(())
}

async fn bind_metrics(lang: Localizer, args: &ServeArgs) -> Result<Option<TcpListener>> {
    match &args.metrics {
        Some(address) => Ok(Some(bind_listener(lang, address, "--metrics").await?)),
        None => Ok(None),
    }
}

fn address_of(listener: &TcpListener) -> Result<SocketAddr> {
    let address = listener.local_addr();
    address.context("the listener has an address")
}

/// Listens on an address, or on the first address of a name; IPv4 goes before IPv6.
async fn bind_listener(lang: Localizer, asked: &str, option: &str) -> Result<TcpListener> {
    let found = tokio::net::lookup_host(asked).await.with_context(|| {
        let how =
            lang.label("is not an address and port, nor a known host name; write for example");
        format!("{option} {asked}: {how} 127.0.0.1:8080, localhost:8080, [::]:8080")
    })?;
    let mut addresses: Vec<SocketAddr> = found.collect();
    addresses.sort_by_key(|address| address.is_ipv6());
    TcpListener::bind(&addresses[..]).await.with_context(|| {
        let how = lang.label("cannot listen on this address; choose another address or port");
        format!("{option} {asked}: {how}")
    })
}

/// Raises the limit of open files to its maximum; returns it. Each connection is an open file, and
/// many systems start with 1,024.
fn raise_descriptors() -> u64 {
    let limits = getrlimit(Resource::Nofile);
    let (current, most) = (
        limits.current.unwrap_or(u64::MAX),
        limits.maximum.unwrap_or(u64::MAX),
    );
    // More than a million is of no use, and some systems refuse an unlimited number.
    let wanted = most.min(1 << 20);
    if wanted <= current {
        return current;
    }
    match setrlimit(
        Resource::Nofile,
        Rlimit {
            current: Some(wanted),
            maximum: limits.maximum,
        },
    ) {
        Ok(()) => wanted,
        Err(error) => {
            tracing::warn!(%error, current, "the limit of open files was not raised");
            current
        }
    }
}

/// The sandbox of uploads: by default one for untrusted programs, or none.
pub fn open_sandbox(lang: Localizer, asked: RequestedIsolation) -> Result<Option<Sandbox>> {
    let helper = Path::new(THIS_BINARY);
    match asked {
        RequestedIsolation::Auto => {
            let sandbox = sandbox_for_uploads(helper, false);
            if sandbox.is_none() {
                tracing::warn!(
                    "this machine offers no sandbox for strangers' programs: uploads are not run here; `leitai doctor` shows how to fix it"
                );
            }
            Ok(sandbox)
        }
        RequestedIsolation::None => {
            tracing::warn!(
                "uploads run without isolation, as this user: only for people whom you trust"
            );
            Ok(sandbox_for_uploads(helper, true))
        }
        RequestedIsolation::A | RequestedIsolation::B | RequestedIsolation::C => {
            crate::isolation::open_sandbox(lang, asked, &mut |note| tracing::warn!("{note}"))
                .map(Some)
        }
    }
}

/// The name among servers that share a database: the machine's, with the port if it is not the
/// default.
fn own_name(listen: SocketAddr) -> String {
    match listen.port() {
        8080 => machine::host_name(),
        port => format!("{}:{port}", machine::host_name()),
    }
}

/// Waits for Ctrl-C or SIGTERM. A second one ends the process at once.
pub fn asked_to_stop() -> impl Future<Output = ()> {
    let terminate = signal(SignalKind::terminate()).expect("signals can be heard");
    let interrupt = signal(SignalKind::interrupt()).expect("signals can be heard");
    stop_asked(terminate, interrupt)
}

async fn stop_asked(mut terminate: Signal, mut interrupt: Signal) {
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
    tracing::info!(
        "stopping: running matches end or are handed back; a second signal does not wait"
    );
    tokio::spawn(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        std::process::exit(130);
    });
}

fn url_of(address: SocketAddr) -> String {
    match address.ip().is_loopback() {
        true => format!("http://localhost:{}", address.port()),
        false => format!("http://{address}"),
    }
}

/// Prints where the game is played.
fn print_page_of(lang: Localizer, written: &WrittenGame, address: SocketAddr) -> Result<()> {
    let (url, id) = (url_of(address), &written.id);
    let words = lang.label("open it in a browser; each save is played at once, Ctrl-C ends");
    print_stdout(&format!("{url}/play?game={id}\n{words}\n"))
}

/// Prints the address on stdout, for people and for scripts.
fn print_greeting(
    lang: Localizer,
    args: &ServeArgs,
    (place, written): (&DataDir, Option<&WrittenGame>),
    address: SocketAddr,
    first: Option<&str>,
) -> Result<()> {
    if let Some(written) = written {
        return print_page_of(lang, written, address);
    }
    let url = args.public_url.clone().unwrap_or_else(|| url_of(address));
    let url = url.trim_end_matches('/');
    // After the #, so that no log of a proxy contains it.
    let first = first.map(|secret| {
        let says = lang.label("the first account becomes the administrator; create it here:");
        format!("{says} {url}/register#secret={secret}\n")
    });
    print_stdout(&format!(
        "Leitai 擂台   {url}\n{} {}   {} {}   {}\n{}",
        lang.label("data"),
        place.data.display(),
        lang.label("database"),
        place.show_address(),
        lang.label("Ctrl-C stops it"),
        first.unwrap_or_default(),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ladder_configs_are_read() {
        let words = |words: &[&str]| {
            words
                .iter()
                .map(|word| (*word).to_owned())
                .collect::<Vec<_>>()
        };
        let read = ladder_configs(
            &words(&[
                "tankcraft:fog=sdk",
                "tankcraft:map=keep",
                "snakego:max_round=64",
            ]),
            &leitai_games::ALL.into(),
        );
        let read = read.expect("they are sound");
        assert_eq!(
            (&read["tankcraft"]["fog"], &read["tankcraft"]["map"]),
            (&"sdk".into(), &"keep".into())
        );
        assert_eq!(read["snakego"]["max_round"], 64);
        let refused = |word: &str, part: &str| {
            let error = format!(
                "{:#}",
                ladder_configs(&words(&[word]), &leitai_games::ALL.into()).expect_err(word)
            );
            assert!(error.contains(part), "{error}");
        };
        refused("tankcraft", "GAME:KEY=VALUE");
        refused("tankcraft:fog", "GAME:KEY=VALUE");
        refused("chess:fog=sdk", "chess");
        refused("tankcraft:frog=sdk", "frog");
        refused("snakego:max_round=9999", "max_round");
    }
}
