//! How a game runs programs that do not speak over stdin and stdout by themselves: a host does it
//! for them.
//!
//! A host is plain data. Whoever builds programs (the judge) copies its files, runs its commands
//! and starts its program in place of the bot's; nothing there knows what the game or the language
//! is.

use std::fmt;

use crate::text::Text;

/// A program around a program. There are two kinds:
///
/// - one that is recognised by the bot's source ([`accepts`](Host::accepts)) and brings its own way
///   to build it;
/// - one that is asked for by name, `NAME:PATH`, and wraps whatever the path is built into: its
///   [`run`](Host::run) has the word `{program}`.
///
/// In commands these stand for something: `{src}` the name of the bot's main source file, which
/// lies in the working directory; `{host}` the folder with the host's own files, also writable;
/// `{leitai}` Leitai's own binary; and, as a word by itself, `{program}` all words that start
/// the bot. A word that is the name of one of [`tools`](Host::tools) is looked up.
#[derive(Clone, Copy)]
pub struct Host {
    /// Stable name, for `NAME:PATH` and for messages.
    pub name: &'static str,
    /// What it runs, in one sentence.
    pub about: Text,
    /// Whether a source file, by its name and its text, is for this host. Must be quick and may
    /// guess: a wrong source is refused by the build.
    pub accepts: fn(file_name: &str, source: &str) -> bool,
    /// The host's own files: name and text.
    pub files: &'static [(&'static str, &'static str)],
    /// Commands run in order in the bot's folder; the first that fails ends the build, and its
    /// words are shown.
    pub build: &'static [&'static [&'static str]],
    /// The command that plays one leg. It may write into the bot's folder.
    pub run: &'static [&'static str],
    /// Commands that must be installed, each with the Debian package that has it.
    pub tools: &'static [(&'static str, &'static str)],
    /// The protocol it speaks, one of the game's.
    pub protocol: &'static str,
    /// Choices of the game's config that its programs were written for, key and value. With others
    /// they play, too, but may misread what they are told; whoever starts them is warned.
    pub config: &'static [(&'static str, &'static str)],
}

/// The word of [`Host::run`] that stands for the wrapped program.
pub const PROGRAM: &str = "{program}";

impl Host {
    /// Whether it wraps a program that was built without it.
    ///
    /// ```
    /// use leitai_game::{Host, Text};
    /// let host = Host {
    ///     name: "twice",
    ///     about: Text { en: "runs it", zh: "" },
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
