//! Hosts: programs of a game that run bots which do not speak over stdin and stdout.
//!
//! A host is plain data. The builder (in the judge) copies its files, runs its commands and starts
//! its program in place of the bot's; it knows neither the game nor the language.

use std::fmt;

use crate::text::Text;

/// A program that runs another program. There are two kinds:
///
/// - one that is recognised by the bot's source ([`accepts`](Host::accepts)) and defines how to
///   build it;
/// - one that is chosen by name, `NAME:PATH`, and wraps any built program: its [`run`](Host::run)
///   has the word `{program}`.
///
/// Placeholders in commands: `{src}` is the name of the bot's main source file, which lies in the
/// working directory; `{host}` the folder with the host's own files, also writable; `{leitai}` the
/// Leitai binary; and, as a word by itself, `{program}` all words of the command that starts the
/// bot. A word that is the name of one of [`tools`](Host::tools) is replaced by the tool's path.
#[derive(Clone, Copy)]
pub struct Host {
    /// The stable name, for `NAME:PATH` and for messages.
    pub name: &'static str,
    /// One sentence about the programs that it runs.
    pub about: Text,
    /// Whether a source file, by its name and its text, is for this host. Must be quick and may
    /// guess: the build refuses a wrong source.
    pub accepts: fn(file_name: &str, source: &str) -> bool,
    /// The names and texts of the host's own files.
    pub files: &'static [(&'static str, &'static str)],
    /// Commands that run in order in the bot's folder; the first that fails ends the build, and its
    /// output is shown.
    pub build: &'static [&'static [&'static str]],
    /// The command that plays one leg. It may write into the bot's folder.
    pub run: &'static [&'static str],
    /// The commands that must be installed, each with its Debian package.
    pub tools: &'static [(&'static str, &'static str)],
    /// The protocol that it speaks, one of the game's.
    pub protocol: &'static str,
    /// Choices of the game's config that its programs were written for, key and value. With others
    /// they play, too, but may misread the messages; then the user is warned.
    pub config: &'static [(&'static str, &'static str)],
}

/// The line by which a program of Botzone asks to stay, after its answer.
pub const KEEP_RUNNING: &[u8] = b">>>BOTZONE_REQUEST_KEEP_RUNNING<<<";

/// Programs that speak Botzone's JSON, for every game: the wrapper speaks JSON lines for them.
pub const BOTZONE: Host = Host {
    name: "botzone",
    about: Text::new(
        "a program that speaks Botzone's JSON: started anew every turn with all requests, or kept running if it asks for that",
        "使用 Botzone JSON 交互的程序：每回合重新启动并读取全部 requests，或按其请求长时运行",
    ),
    accepts: |_, _| false,
    files: &[],
    build: &[],
    run: &["{leitai}", "botzone", "--", PROGRAM],
    tools: &[],
    protocol: crate::protocol::JSON_LINES,
    config: &[],
};

/// The word of [`Host::run`] for the wrapped program.
pub const PROGRAM: &str = "{program}";

impl Host {
    /// Whether it wraps a program that was built without it.
    ///
    /// ```
    /// use leitai_game::{Host, Text};
    /// let host = Host {
    ///     name: "twice",
    ///     about: Text::new("runs it", ""),
    ///     accepts: |_, _| false,
    ///     files: &[],
    ///     build: &[],
    ///     run: &["nice", "{program}"],
    ///     tools: &[("nice", "coreutils")],
    ///     protocol: "line",
    ///     config: &[],
    /// };
    /// assert!(host.is_wrapper());
    /// ```
    pub fn is_wrapper(&self) -> bool {
        self.run.contains(&PROGRAM)
    }
}

/// Names are unique among the hosts of a game.
impl PartialEq for Host {
    fn eq(&self, other: &Host) -> bool {
        self.name == other.name
    }
}

impl Eq for Host {}

impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Host").field(&self.name).finish()
    }
}
