//! What is asked of an arena elsewhere.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};

use super::values::JsonArg;

#[derive(Args)]
#[command(after_help = "\
Examples:
  leitai login https://arena.example.org
  leitai login --token - < token.txt      with a token made on the account's page
  leitai login --scope read --days 7      with a token that only reads, for a week
Where there is no terminal, LEITAI_SERVER and LEITAI_TOKEN replace the login.")]
pub struct LoginArgs {
    /// The arena's address [default: http://localhost:8080].
    #[arg(value_hint = ValueHint::Url)]
    pub server: Option<String>,
    /// The account's name; you are prompted if it is not given.
    #[arg(long)]
    pub name: Option<String>,
    /// An API token instead of a password; `-` reads it from stdin.
    #[arg(long)]
    pub token: Option<String>,
    /// What the new token may do besides reading; may be repeated.
    #[arg(long = "scope", value_enum, default_values_t = [ScopeArg::Submit], conflicts_with = "token")]
    pub scopes: Vec<ScopeArg>,
    /// Days until the new token expires; 0: it does not expire.
    #[arg(long, value_name = "DAYS", default_value_t = 365, conflicts_with = "token",
        value_parser = clap::value_parser!(u16).range(..=3650))]
    pub days: u16,
    #[command(flatten)]
    pub form: JsonArg,
}

/// What a token may do besides reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ScopeArg {
    /// Nothing more.
    Read,
    /// Upload and change bots and versions.
    Submit,
    /// Play and request matches.
    Play,
    /// Manage the groups that you organise.
    Organise,
    /// Add and change games: for accounts with that right.
    Games,
    /// Administer the arena: for administrators.
    Admin,
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  leitai submit snakego ./mybot.py
  leitai submit snakego ./my_folder --bot hydra --notes 'splits later'

Exit status: 0 when the version is accepted, 1 when it is not.")]
pub struct SubmitArgs {
    /// The game's id (see `leitai games`).
    pub game: String,
    /// A source file, a zip, or a folder.
    #[arg(value_hint = ValueHint::AnyPath)]
    pub program: PathBuf,
    /// The bot's name; created if it does not exist [default: the program's name].
    #[arg(long)]
    pub bot: Option<String>,
    /// What is new in this version.
    #[arg(long, default_value = "")]
    pub notes: String,
    /// Make it the active version on the ladder as soon as it is accepted.
    #[arg(long)]
    pub activate: bool,
    /// Say on the bot's page and on ladders that an agent wrote it; `--by-agent=false` takes it back.
    #[arg(long, value_name = "true|false", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub by_agent: Option<bool>,
    /// Let others fetch the active version, as you upload it, to train against it; `--fetchable=false` takes
    /// it back.
    #[arg(long, value_name = "true|false", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub fetchable: Option<bool>,
    /// Do not wait for the build and the checks.
    #[arg(long)]
    pub no_wait: bool,
    /// Print the version as one JSON object, and nothing else on stdout.
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  leitai matches --bot hydra --game snakego --limit 50
  leitai matches --game kob --ladder small   those of the ladder `small`
  leitai matches --tag final                 those with the tag `final`")]
pub struct MatchesArgs {
    /// Only matches of this game.
    #[arg(long)]
    pub game: Option<String>,
    /// Only matches of this bot of yours, by name.
    #[arg(long)]
    pub bot: Option<String>,
    /// Only matches of your programs that play from home (`leitai connect`).
    #[arg(long, conflicts_with = "bot")]
    pub home: bool,
    /// Only matches that count on this ladder of the game; `standard` is the one that every game has.
    #[arg(long, requires = "game")]
    pub ladder: Option<String>,
    /// Only matches with this tag.
    #[arg(long)]
    pub tag: Option<String>,
    /// Number of matches, newest first.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub limit: u32,
    /// Print one JSON object per match.
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  leitai standing hydra
  leitai standing hydra --opt-out small   it leaves the ladder `small`
  leitai standing hydra --opt-in small    it is back

Every bot plays on the standard ladder of its game. Changes need a login with the scope `submit`, as
`leitai login` makes one.")]
pub struct StandingArgs {
    /// The bot's name.
    pub bot: String,
    /// The bot's game; needed if you have bots of this name in several games.
    #[arg(long)]
    pub game: Option<String>,
    /// Take the bot off this further ladder; may be repeated.
    #[arg(long, value_name = "LADDER")]
    pub opt_out: Vec<String>,
    /// Put the bot back on this further ladder, with the rating that it had; may be repeated.
    #[arg(long, value_name = "LADDER")]
    pub opt_in: Vec<String>,
    /// Print the bot as one JSON object, and nothing else on stdout.
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  leitai tags 1234                   the tags of match 1234
  leitai tags 1234 final late-game   it has these from now on
  leitai tags 1234 --clear           it has none any more

Who asked for a friendly match gives it tags, the organisers of a contest its matches, and
administrators all matches. Changes need a login with the scope `play`: leitai login --scope play.")]
pub struct TagsArgs {
    /// The match's number.
    #[arg(value_name = "MATCH")]
    pub number: u64,
    /// The tags that the match has from now on, in place of those before.
    #[arg(value_name = "TAG")]
    pub tags: Vec<String>,
    /// Take all tags away.
    #[arg(long, conflicts_with = "tags")]
    pub clear: bool,
    /// Print the tags as one JSON object, and nothing else on stdout.
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
#[command(after_help = "Example:\n  leitai logs 1234 --leg 2")]
pub struct LogsArgs {
    /// The match's number.
    #[arg(value_name = "MATCH")]
    pub number: u64,
    /// Only of this leg.
    #[arg(long, value_name = "N")]
    pub leg: Option<usize>,
    /// Print them as one JSON object, and nothing else on stdout.
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  leitai download 1234                    the replay of match 1234
  leitai download --source 56 -o bot.zip  the source of version 56 (see the page's address)")]
pub struct DownloadArgs {
    /// The match's number.
    #[arg(value_name = "MATCH", required_unless_present = "source")]
    pub number: Option<u64>,
    /// Download the source of this version instead of a replay.
    #[arg(long, value_name = "VERSION", conflicts_with = "number")]
    pub source: Option<u64>,
    /// Write here; `-` is stdout [default: match-NUMBER.json, or the file's own name].
    #[arg(long, short, value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub form: JsonArg,
}
