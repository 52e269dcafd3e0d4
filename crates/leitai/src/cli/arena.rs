//! What is asked of an arena of one's own.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum, ValueHint};
use leitai_server::schedule::NO_LADDER;

use crate::cli::storage::StorageArgs;
use crate::cli::values::{parse_size, parse_zone};
use crate::isolation::RequestedIsolation;

#[derive(Args)]
#[command(after_help = "\
Examples:
  leitai serve                                  the whole arena at http://localhost:8080
  leitai serve --listen 0.0.0.0:8080 --public-url https://arena.example.org
  leitai serve --database postgres://leitai:…@db/leitai --slots 0   other machines play

docs/operating.md says how to run it as a service, with workers, and how to back it up.")]
pub struct ServeArgs {
    /// Address or host name, and port; port 0 picks a free one.
    #[arg(
        long,
        value_name = "ADDRESS:PORT",
        default_value = "127.0.0.1:8080",
        env = "LEITAI_LISTEN"
    )]
    pub listen: String,
    /// The address that users open, such as `https://arena.example.org`; with https, cookies are
    /// sent over https only.
    #[arg(long, value_name = "URL", env = "LEITAI_PUBLIC_URL", value_hint = ValueHint::Url)]
    pub public_url: Option<String>,
    #[command(flatten)]
    pub place: DataDirArgs,
    /// What several servers of one arena use to show each other's matches:
    /// `nats://USER:PASSWORD@HOST:PORT`, several separated by commas [default: none, for one
    /// server].
    #[arg(long, value_name = "URL", env = "LEITAI_BUS", hide_env_values = true)]
    pub bus: Option<String>,
    /// Matches played at a time by this process; 0: uploaded programs run on workers only [default:
    /// cores - 1, at least 1].
    #[arg(long, value_name = "N", env = "LEITAI_SLOTS")]
    pub slots: Option<usize>,
    /// How uploaded programs are isolated from this machine; without a tier for strangers'
    /// programs they are not run.
    #[arg(long, value_enum, default_value_t = RequestedIsolation::Auto, env = "LEITAI_ISOLATION")]
    pub isolation: RequestedIsolation,
    /// Take clients' addresses from X-Forwarded-For; only behind a proxy that sets it.
    #[arg(long, env = "LEITAI_TRUST_PROXY")]
    pub trust_proxy: bool,
    /// The SMTP server for mail, such as `smtps://USER:PASSWORD@HOST`; needs --mail-from and
    /// --public-url [default: none, no mail is sent].
    #[arg(
        long,
        value_name = "URL",
        env = "LEITAI_MAIL",
        hide_env_values = true,
        requires_all = ["mail_from", "public_url"]
    )]
    pub mail: Option<String>,
    /// The sender of mail, such as `Leitai <arena@example.org>`.
    #[arg(long, value_name = "ADDRESS", env = "LEITAI_MAIL_FROM")]
    pub mail_from: Option<String>,
    /// The file of OpenID Connect providers that people sign in with; needs --public-url [default:
    /// none, people have passwords].
    #[arg(
        long,
        value_name = "FILE",
        env = "LEITAI_OIDC",
        value_hint = ValueHint::FilePath,
        requires = "public_url"
    )]
    pub oidc: Option<PathBuf>,
    /// Let webhooks point to private addresses too, such as machines of this network.
    #[arg(long, env = "LEITAI_PRIVATE_WEBHOOKS")]
    pub private_webhooks: bool,
    /// Serve the documents at /docs, from the folder that `./dev docs` builds.
    #[arg(long, value_name = "FOLDER", env = "LEITAI_DOCS", value_hint = ValueHint::DirPath)]
    pub docs: Option<PathBuf>,
    /// A folder of game files, whose games this arena has beside those of Leitai; docs/game-files.md.
    #[arg(long, value_name = "FOLDER", env = "LEITAI_GAMES", value_hint = ValueHint::DirPath)]
    pub games: Option<PathBuf>,
    /// A separate address for /metrics, without a login; otherwise only administrators' tokens
    /// may read it.
    #[arg(long, value_name = "ADDRESS:PORT", env = "LEITAI_METRICS")]
    pub metrics: Option<String>,
    /// Change a limit, such as `registrations=500/1h` or `tables=1000`; may be repeated.
    /// docs/operating.md lists all limits.
    #[arg(
        long = "limit",
        value_name = "NAME=VALUE",
        env = "LEITAI_LIMITS",
        value_delimiter = ' '
    )]
    pub limits: Vec<String>,
    /// Closed: only the first account can be opened; `leitai admin add-user` adds others.
    #[arg(long, env = "LEITAI_CLOSED")]
    pub closed: bool,
    /// Of whom a second factor is required. `required`: of administrators and organisers, who have no
    /// rights as such before they set one up.
    #[arg(long, value_enum, default_value_t, env = "LEITAI_SECOND_FACTOR")]
    pub second_factor: SecondFactorArg,
    /// The time zone in which a day of the arena begins, such as `Asia/Shanghai`: each has its
    /// challenge.
    #[arg(
        long,
        value_name = "ZONE",
        default_value = "UTC",
        env = "LEITAI_TIME_ZONE",
        value_parser = parse_zone
    )]
    pub time_zone: String,
    /// A config that a standard ladder plays instead of the game's default, such as `tankcraft:fog=sdk`;
    /// may be repeated.
    #[arg(
        long = "ladder-config",
        value_name = "GAME:KEY=VALUE",
        env = "LEITAI_LADDER_CONFIG",
        value_delimiter = ' '
    )]
    pub ladder_config: Vec<String>,
    /// The file of further ladders, each with its own config, maps and ratings [default: none,
    /// every game has its standard ladder].
    #[arg(
        long,
        value_name = "FILE",
        env = "LEITAI_LADDERS",
        value_hint = ValueHint::FilePath
    )]
    pub ladders: Option<PathBuf>,
    /// A game with a ladder of programs that stay at home (`leitai connect --rated`); may be repeated.
    #[arg(
        long,
        value_name = "GAME",
        value_delimiter = ',',
        env = "LEITAI_HOME_LADDERS"
    )]
    pub home_ladder: Vec<String>,
    /// Time between two matches of a settled ladder; with more than 8 bots it shrinks in
    /// proportion. `never`: ladders rest, and slots are free for checks, contests and the matches
    /// that people ask for.
    #[arg(long, value_name = "TIME", default_value = "20s", value_parser = parse_ladder_every, env = "LEITAI_LADDER_EVERY")]
    pub ladder_every: Duration,
    /// No exhibitions. Otherwise built-in and uploaded bots play one of every game, slowly, while
    /// somebody watches.
    #[arg(long, env = "LEITAI_NO_EXHIBITIONS")]
    pub no_exhibitions: bool,
    #[command(flatten)]
    pub logs: LogArgs,
    #[command(flatten)]
    pub storage: StorageArgs,
}

/// Of whom a second factor is required.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum SecondFactorArg {
    /// Of nobody; everybody may have one.
    #[default]
    Offered,
    /// Of administrators and organisers.
    Required,
}

/// A time such as `20s`, or `never`.
fn parse_ladder_every(text: &str) -> Result<Duration, humantime::DurationError> {
    match text {
        "never" => Ok(NO_LADDER),
        _ => humantime::parse_duration(text),
    }
}

/// Where everything is kept. The options stand before or after a subcommand.
#[derive(Args)]
pub struct DataDirArgs {
    /// Database, sources and replays [default: ~/.local/share/leitai].
    #[arg(long, global = true, value_name = "FOLDER", env = "LEITAI_DATA", value_hint = ValueHint::DirPath)]
    pub data: Option<PathBuf>,
    /// `postgres://USER:PASSWORD@HOST/NAME` or `sqlite:FILE` [default: SQLite in the data folder].
    #[arg(
        long,
        global = true,
        value_name = "URL",
        env = "LEITAI_DATABASE",
        hide_env_values = true
    )]
    pub database: Option<String>,
    /// Where sources and replays are stored: `file:///FOLDER`, or `s3://BUCKET/PREFIX` [default:
    /// the data folder].
    #[arg(long, global = true, value_name = "URL", env = "LEITAI_REPLAYS")]
    pub replays: Option<String>,
}

/// How it says what it does.
#[derive(Args)]
pub struct LogArgs {
    /// Format of the log, one line per event; LEITAI_LOG_FILTER=debug logs more.
    #[arg(long, value_enum, default_value_t = LogKind::Text, env = "LEITAI_LOG")]
    pub log: LogKind,
    /// Send traces and metrics to this collector of OpenTelemetry (OTLP over HTTP).
    #[arg(long, value_name = "URL", env = "OTEL_EXPORTER_OTLP_ENDPOINT", value_hint = ValueHint::Url)]
    pub otlp: Option<String>,
}

/// The form of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LogKind {
    /// For people.
    Text,
    /// One JSON object per line.
    Json,
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  LEITAI_WORKER_TOKEN=… leitai worker --server https://arena.example.org --slots 8
  leitai worker --bus nats://bus.internal:4222      for leitai compare … --on nats://bus.internal:4222

Create the token on the page Administration, or with `leitai admin worker-token NAME`.")]
pub struct WorkerArgs {
    /// The arena's address; of an arena with several servers those of all, separated by commas: when
    /// one does not answer, the worker goes on with its matches at the next.
    #[arg(
        long,
        value_name = "URL",
        env = "LEITAI_SERVER",
        value_hint = ValueHint::Url,
        value_delimiter = ',',
        required_unless_present = "bus"
    )]
    pub server: Vec<String>,
    /// Play for `leitai compare`, `rate`, `tournament` and `ladder` with --on instead of for an
    /// arena: the address of their bus, nats://HOST:PORT, with USER:PASSWORD@ before the host if it
    /// asks for them.
    #[arg(
        long,
        value_name = "BUS",
        env = "LEITAI_BATCH_BUS",
        hide_env_values = true,
        value_hint = ValueHint::Url
    )]
    pub bus: Option<String>,
    /// The most memory that somebody who plays over --bus may give to a program.
    #[arg(long, value_name = "SIZE", value_parser = parse_size, default_value = "4GiB")]
    pub most_memory: u64,
    /// The worker's token; set it in the environment rather than on the command line, where
    /// others can read it.
    #[arg(
        long,
        value_name = "TOKEN",
        env = "LEITAI_WORKER_TOKEN",
        hide_env_values = true,
        required_unless_present = "bus"
    )]
    pub token: Option<String>,
    /// The name that the arena shows for it [default: the machine's].
    #[arg(long)]
    pub name: Option<String>,
    /// Matches played at a time [default: cores - 1, at least 1].
    #[arg(long, value_name = "N", env = "LEITAI_SLOTS")]
    pub slots: Option<usize>,
    /// A folder of game files, whose games this worker plays, too: the same files as the servers'.
    #[arg(long, value_name = "FOLDER", env = "LEITAI_GAMES", value_hint = ValueHint::DirPath)]
    pub games: Option<PathBuf>,
    /// How uploaded programs are isolated from this machine.
    #[arg(long, value_enum, default_value_t = RequestedIsolation::Auto, env = "LEITAI_ISOLATION")]
    pub isolation: RequestedIsolation,
    #[command(flatten)]
    pub logs: LogArgs,
}

#[derive(Args)]
pub struct AdminArgs {
    #[command(flatten)]
    pub place: DataDirArgs,
    /// Print one JSON object, and nothing else on stdout.
    #[arg(long, global = true)]
    pub json: bool,
    #[command(subcommand)]
    pub command: AdminCommand,
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  leitai dataset /srv/datasets                  the days that are missing, for example every night
  leitai dataset /srv/datasets --today          also what was played today
  leitai dataset kob-data --game kob --json     one game alone; prints the index

Each archive has one line for each match (matches.jsonl) and the replays; `leitai.dataset` reads it in
Python. Matches with people are left out, and those of contests whose file does not say
visibility.dataset = \"end\". docs/operating.md says how to run it every night.")]
pub struct DatasetArgs {
    #[command(flatten)]
    pub place: DataDirArgs,
    /// Where the archives are; it is created. Days that are there are not written again.
    #[arg(value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub folder: PathBuf,
    /// Only this game; the same for all runs on one folder.
    #[arg(long)]
    pub game: Option<String>,
    /// The folder of game files that the arena was started with, if it was.
    #[arg(long, value_name = "FOLDER", env = "LEITAI_GAMES", value_hint = ValueHint::DirPath)]
    pub games: Option<PathBuf>,
    /// Write every day again, for example after an account was deleted.
    #[arg(long)]
    pub again: bool,
    /// Also write the present day (UTC); the next run writes it again.
    #[arg(long)]
    pub today: bool,
    /// Print the index of all days as JSON.
    #[arg(long)]
    pub json: bool,
}

/// A corrected result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CorrectedResultArg {
    /// The entrant named first won.
    A,
    /// The other won.
    B,
    /// Neither won.
    Draw,
    /// The match counts for nobody.
    Void,
}

/// Whether something is to be deleted, or only what would be lost is to be said.
#[derive(Args)]
pub struct Sure {
    /// Delete it; without this option, only list what would be lost.
    #[arg(long)]
    pub yes: bool,
}

/// Which part of an arena moves.
#[derive(Args)]
pub struct PartArgs {
    /// A bot with all its versions and their sources, such as ada/hydra or kob/hydra; may be repeated.
    #[arg(long = "bot", value_name = "OWNER/NAME")]
    pub bots: Vec<String>,
    /// Also the matches of these bots that are over, with their replays.
    #[arg(long, requires = "bots")]
    pub with_matches: bool,
    /// A contest with its entries, matches, replays and results, by its id; may be repeated.
    #[arg(long = "contest", value_name = "ID")]
    pub contests: Vec<String>,
    /// A ladder with its bots, ratings and matches, such as kob or kob/small; may be repeated.
    #[arg(long = "ladder", value_name = "LADDER")]
    pub ladders: Vec<String>,
    /// A match that is over with its replay, by its number; may be repeated.
    #[arg(long = "match", value_name = "MATCH")]
    pub matches: Vec<i64>,
}

/// How a part of another arena comes in.
#[derive(Args)]
pub struct ArrivalArgs {
    /// An account of the part, and the one here that gets what it has; may be repeated. Each other
    /// becomes a closed account.
    #[arg(long = "account", value_name = "THERE=HERE", value_parser = parse_account)]
    pub accounts: Vec<(String, String)>,
    /// Say what would come, and how it would be called; change nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// The folder of `leitai serve --games`.
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath, env = "LEITAI_GAMES")]
    pub games: Option<PathBuf>,
}

fn parse_account(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((there, here)) if !there.is_empty() && !here.is_empty() => {
            Ok((there.to_owned(), here.to_owned()))
        }
        _ => Err("write THERE=HERE, such as ada=ada2".to_owned()),
    }
}

/// What an operator does on the machine itself.
#[derive(Subcommand)]
pub enum AdminCommand {
    /// Add an account, and print its first password.
    AddUser {
        /// Its name.
        name: String,
    },
    /// Make an account an administrator's.
    Promote {
        /// Its name.
        name: String,
    },
    /// Give an account the right to add games, or take it away.
    GameRight {
        /// Its name.
        name: String,
        /// Take it away.
        #[arg(long)]
        withdraw: bool,
    },
    /// Give an account a new password, print it, and end all its sessions.
    Password {
        /// Its name.
        name: String,
    },
    /// Remove the second factor of an account whose holder has lost it, with its recovery codes, and
    /// end all its sessions.
    ResetSecondFactor {
        /// Its name.
        name: String,
    },
    /// Delete an account with all its bots, sessions and tokens, for good; its matches stay,
    /// without its name.
    DeleteUser {
        /// Its name.
        name: String,
        #[command(flatten)]
        sure: Sure,
    },
    /// Delete a bot with all its versions, for good; its matches stay, without its name.
    DeleteBot {
        /// The game's id.
        game: String,
        /// Its name.
        name: String,
        #[command(flatten)]
        sure: Sure,
    },
    /// Delete a version of a bot: its source, log and report. The version that plays cannot be
    /// deleted.
    DeleteVersion {
        /// The game's id.
        game: String,
        /// The bot's name.
        name: String,
        /// The version's number.
        number: i32,
        #[command(flatten)]
        sure: Sure,
    },
    /// Make a token for a worker, and print it as a line for an environment file.
    WorkerToken {
        /// The worker's name.
        name: String,
        /// Days until it expires [default: it does not expire].
        #[arg(long, value_name = "DAYS", value_parser = clap::value_parser!(u16).range(1..=3650))]
        days: Option<u16>,
    },
    /// Recompute a game's ladders from their matches.
    RebuildRatings {
        /// The game's id.
        game: String,
    },
    /// Show how far the recount of old matches without copies of games is.
    Recount {
        /// Do the rest now, as fast as this machine can, beside a running server or without one.
        #[arg(long)]
        now: bool,
    },
    /// Correct the result of a finished match; the old result stays on record, and the ratings
    /// are recomputed.
    CorrectMatch {
        /// The match's number.
        #[arg(value_name = "MATCH")]
        id: i64,
        /// Who won; `void` withdraws the result, so that the match can be played again for the
        /// ladder.
        #[arg(value_enum)]
        result: CorrectedResultArg,
        /// The reason, shown to everybody on the match's page.
        #[arg(long)]
        why: String,
    },
    /// Play a finished match again; it counts for the ladder only if its result was withdrawn or
    /// it was void.
    RerunMatch {
        /// The match's number.
        #[arg(value_name = "MATCH")]
        id: i64,
    },
    /// List the jobs that are set aside because they stopped their worker again and again.
    SetAside,
    /// Queue a job again that is set aside.
    RetryJob {
        /// The job's number.
        #[arg(value_name = "JOB")]
        id: i64,
    },
    /// List the keys with which the arena signs replays, newest first.
    SigningKeys,
    /// Sign replays with a new key from now on; what is signed stays valid.
    RotateSigningKey,
    /// Withdraw a key that somebody else may have: nothing that it signed is trusted any more. The
    /// next replay is signed with a new one.
    RevokeSigningKey {
        /// The public key, as `signing-keys` prints it.
        key: String,
        /// The reason, shown to everybody who verifies.
        #[arg(long)]
        why: String,
    },
    /// Write a copy of the SQLite database while the arena runs.
    Backup {
        /// The new file.
        #[arg(value_hint = ValueHint::FilePath)]
        file: PathBuf,
    },
    /// Write everything of an arena into a folder, to move it: its database of either kind, sources,
    /// replays; or, with --bot, --contest, --ladder or --match, a part of it for another arena. Run again,
    /// it goes on.
    Export {
        /// The folder.
        #[arg(value_hint = ValueHint::DirPath)]
        folder: PathBuf,
        #[command(flatten)]
        part: PartArgs,
    },
    /// Fill an empty arena from a folder that `admin export` wrote: one of another machine, database or
    /// place of replays. A part comes into an arena that is in use. Run again, it goes on.
    Import {
        /// The folder.
        #[arg(value_hint = ValueHint::DirPath)]
        folder: PathBuf,
        #[command(flatten)]
        arrival: ArrivalArgs,
    },
    /// Check the health of a running arena; the exit status is 0 if it is healthy.
    Health {
        /// Its address [default: where the server of the data folder listens, else the port of
        /// LEITAI_LISTEN, else http://localhost:8080].
        server: Option<String>,
    },
}
