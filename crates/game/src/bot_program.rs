//! Programs that come with a game: built-in bots that a judge runs as it runs any bot, in the sandbox.

/// The program of a built-in bot that is no code of this house.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BotProgram {
    /// The path of what is run: one file, or the folder of all of them.
    pub path: String,
    /// The files, by paths that begin with `path`. Each is relative, with `/` between plain names.
    pub files: Vec<BotFile>,
}

/// A file of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub struct BotFile {
    pub path: String,
    pub bytes: Vec<u8>,
}
