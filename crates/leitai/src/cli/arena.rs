//! What is asked of an arena of one's own.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum, ValueHint};

use crate::isolation::Isolation;

#[derive(Args)]
#[command(after_help = "\
Examples:
  leitai serve                                  the whole arena at http://localhost:8080
  leitai serve --listen 0.0.0.0:8080 --public-url https://arena.example.org
  leitai serve --database postgres://leitai:…@db/leitai --slots 0      workers on other machines play

docs/operating.md says how to run it as a service, with workers, and how to back it up.")]
pub struct ServeArgs {
    /// Address and port; port 0 takes a free one.
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:8080", env = "LEITAI_LISTEN")]
    pub listen: SocketAddr,
    /// What people type, such as https://arena.example.org; with https cookies are sent over https alone.
    #[arg(long, value_name = "URL", env = "LEITAI_PUBLIC_URL", value_hint = ValueHint::Url)]
    pub public_url: Option<String>,
    #[command(flatten)]
    pub place: PlaceArgs,
    /// Matches played at once by this process; 0: it runs no uploaded program, workers do [default: cores - 1, at least 1].
    #[arg(long, value_name = "N", env = "LEITAI_SLOTS")]
    pub slots: Option<usize>,
    /// How people's programs are kept apart from this machine; without a tier for strangers they are not run.
    #[arg(long, value_enum, default_value_t = Isolation::Auto, env = "LEITAI_ISOLATION")]
    pub isolation: Isolation,
    /// Take people's addresses from X-Forwarded-For: only behind a proxy that sets it.
    #[arg(long, env = "LEITAI_TRUST_PROXY")]
    pub trust_proxy: bool,
    /// Nobody opens an account but the first; `leitai admin add-user` adds people.
    #[arg(long, env = "LEITAI_CLOSED")]
    pub closed: bool,
    /// What a ladder plays instead of the game's usual config, such as `tankcraft:fog=sdk`; may be given again.
    #[arg(
        long = "ladder-config",
        value_name = "GAME:KEY=VALUE",
        env = "LEITAI_LADDER_CONFIG",
        value_delimiter = ' '
    )]
    pub ladder_config: Vec<String>,
    /// Time between two matches of a settled ladder; above 8 bots as much less as there are more of them.
    #[arg(long, value_name = "TIME", default_value = "20s", value_parser = humantime::parse_duration, env = "LEITAI_LADDER_EVERY")]
    pub ladder_every: Duration,
    #[command(flatten)]
    pub logs: LogArgs,
}

/// Where everything is kept.
#[derive(Args)]
pub struct PlaceArgs {
    /// Database, sources and replays [default: ~/.local/share/leitai].
    #[arg(long, value_name = "FOLDER", env = "LEITAI_DATA", value_hint = ValueHint::DirPath)]
    pub data: Option<PathBuf>,
    /// `postgres://USER:PASSWORD@HOST/NAME` or `sqlite:FILE` [default: SQLite in the data folder].
    #[arg(long, value_name = "URL", env = "LEITAI_DATABASE", hide_env_values = true)]
    pub database: Option<String>,
    /// Where sources and replays lie: `file:///FOLDER`, or `s3://BUCKET/PREFIX` [default: the data folder].
    #[arg(long, value_name = "URL", env = "LEITAI_REPLAYS")]
    pub replays: Option<String>,
}

/// How it says what it does.
#[derive(Args)]
pub struct LogArgs {
    /// One line an event, for people or for machines; LEITAI_LOG_FILTER=debug says more.
    #[arg(long, value_enum, default_value_t = LogKind::Text, env = "LEITAI_LOG")]
    pub log: LogKind,
}

/// The form of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LogKind {
    /// For people.
    Text,
    /// One JSON object a line.
    Json,
}

#[derive(Args)]
#[command(after_help = "\
Example:
  LEITAI_WORKER_TOKEN=… leitai worker --server https://arena.example.org --slots 8

The token is made on the page Administration, or by `leitai admin worker-token NAME`.")]
pub struct WorkerArgs {
    /// The arena's address.
    #[arg(long, value_name = "URL", env = "LEITAI_SERVER", value_hint = ValueHint::Url)]
    pub server: String,
    /// The worker's token; better in the environment than on the command line, where others can read it.
    #[arg(long, value_name = "TOKEN", env = "LEITAI_WORKER_TOKEN", hide_env_values = true)]
    pub token: String,
    /// The name under which it is seen [default: the machine's].
    #[arg(long)]
    pub name: Option<String>,
    /// Matches played at once [default: cores - 1, at least 1].
    #[arg(long, value_name = "N", env = "LEITAI_SLOTS")]
    pub slots: Option<usize>,
    /// How people's programs are kept apart from this machine.
    #[arg(long, value_enum, default_value_t = Isolation::Auto, env = "LEITAI_ISOLATION")]
    pub isolation: Isolation,
    #[command(flatten)]
    pub logs: LogArgs,
}

#[derive(Args)]
pub struct AdminArgs {
    #[command(flatten)]
    pub place: PlaceArgs,
    #[command(subcommand)]
    pub command: AdminCommand,
}

/// A corrected result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CorrectedTo {
    /// The entrant named first won.
    A,
    /// The other won.
    B,
    /// Neither won.
    Draw,
    /// It counts for nobody.
    Void,
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
    /// Give an account a new password, print it, and end all its sessions.
    Password {
        /// Its name.
        name: String,
    },
    /// Make a token for a worker, and print it as a line for an environment file.
    WorkerToken {
        /// The worker's name.
        name: String,
    },
    /// Compute a game's ladder anew from its matches.
    RebuildRatings {
        /// The game's id.
        game: String,
    },
    /// Correct the result of a match that is over; the old one stays in its trace, and the ratings follow.
    CorrectMatch {
        /// The match's number.
        #[arg(value_name = "MATCH")]
        id: i64,
        /// Who won; `void` withdraws the result, so that the match can be played again for the ladder.
        #[arg(value_enum)]
        result: CorrectedTo,
        /// Why, for everybody to read on the match's page.
        #[arg(long)]
        why: String,
    },
    /// Play a match that is over once more; for the ladder only if its result was withdrawn or it was void.
    RerunMatch {
        /// The match's number.
        #[arg(value_name = "MATCH")]
        id: i64,
    },
    /// Write a copy of the SQLite database while the arena runs.
    Backup {
        /// The new file.
        #[arg(value_hint = ValueHint::FilePath)]
        file: PathBuf,
    },
    /// Ask a running arena whether it is well; the exit status says it.
    Health {
        /// Its address.
        #[arg(default_value = "http://localhost:8080")]
        server: String,
    },
}
