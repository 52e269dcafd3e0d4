//! Reading and writing files: bounded, and never half written.

use std::fs;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail};
use leitai_game::clean_text::{Breaks, clean_text};
use leitai_game::replay::ReplayFormat;
use leitai_game::{AnyGame, Replay};

use leitai_series::files::{parent_folder, write_whole};

use crate::lang::Localizer;

pub use leitai_series::files::read_text as read;

/// A replay and its game.
pub fn read_replay(path: &Path) -> anyhow::Result<(Replay, &'static dyn AnyGame)> {
    let replay = Replay::parse(&read(path)?).with_context(|| path.display().to_string())?;
    let game = game_of(&replay, path)?;
    Ok((replay, game))
}

fn game_of(replay: &Replay, path: &Path) -> anyhow::Result<&'static dyn AnyGame> {
    crate::arguments::find_game(&replay.game).map_err(|why| anyhow!("{}: {why}", path.display()))
}

/// A replay and its game, also from a file in another site's format, which is imported.
pub fn replay_or_import(
    lang: Localizer,
    path: &Path,
) -> anyhow::Result<(Replay, &'static dyn AnyGame)> {
    let text = read(path)?;
    let own = match Replay::parse(&text) {
        Ok(replay) => {
            let game = game_of(&replay, path)?;
            return Ok((replay, game));
        }
        Err(why) => why,
    };
    if is_own(&text) {
        return Err(own).with_context(|| path.display().to_string());
    }
    let mut refused = String::new();
    for (game, format) in foreign_formats() {
        match (format.import)(&text) {
            Ok(replay) => return Ok((replay, game)),
            Err(why) => {
                refused.push_str(&format!("\n  {} ({}): {why}", format.name, game.meta().id))
            }
        }
    }
    let own = lang.say(&own.to_string());
    bail!(
        "{}: {own}{}{refused}",
        path.display(),
        lang.label(". Nor is it in another format:")
    )
}

/// Whether the text says of itself that it is a replay of ours, of whatever version.
fn is_own(text: &str) -> bool {
    let value: Option<serde_json::Value> = serde_json::from_str(text).ok();
    value.is_some_and(|value| {
        value["format"]
            .as_str()
            .is_some_and(|name| name.starts_with("leitai-"))
    })
}

/// All formats of other sites, with the game each is of.
pub fn foreign_formats() -> impl Iterator<Item = (&'static dyn AnyGame, &'static ReplayFormat)> {
    leitai_games::ALL.iter().flat_map(|game| {
        game.replay_formats()
            .iter()
            .map(move |format| (*game, format))
    })
}

/// Whether this stands for stdout: `-`, or one of its names in `/dev` and `/proc`.
pub fn is_stdout(path: &Path) -> bool {
    const NAMES: [&str; 4] = ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"];
    path.to_str().is_some_and(|path| NAMES.contains(&path))
}

/// Writes a file as a whole or not at all; folders on the way are made, links are followed. `-` is
/// stdout, and what is no file (a device, a pipe) is written to as it is.
pub fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    write_bytes(path, text.as_bytes())
}

/// [`write()`] for what may be no text.
pub fn write_bytes(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    if is_stdout(path) {
        return print_data(bytes);
    }
    let name = path.display();
    match OutputTarget::from_path(path).with_context(|| format!("cannot write {name}"))? {
        OutputTarget::File(file) => write_whole(&file, bytes),
        OutputTarget::Stream => write_into(path, bytes),
    }
    .with_context(|| format!("cannot write {name}"))
}

/// Fails where [`write()`] would, as far as that can be known without writing: asked before a match
/// is played.
pub fn check_writable(path: &Path) -> anyhow::Result<()> {
    if is_stdout(path) {
        return Ok(());
    }
    let name = path.display();
    match OutputTarget::from_path(path).with_context(|| format!("cannot write {name}"))? {
        OutputTarget::File(file) => {
            let made = |folder: &&Path| folder.as_os_str().is_empty() || folder.exists();
            let folder = file
                .ancestors()
                .skip(1)
                .find(made)
                .filter(|folder| !folder.as_os_str().is_empty());
            let trial = tempfile::NamedTempFile::new_in(folder.unwrap_or(Path::new(".")));
            trial
                .map(drop)
                .with_context(|| format!("cannot write {name}"))
        }
        // Opening a pipe may wait for its reader.
        OutputTarget::Stream => Ok(()),
    }
}

/// What a path leads to.
enum OutputTarget {
    /// A file that is there or may come to be there; all links are followed.
    File(PathBuf),
    /// Something that only takes bytes.
    Stream,
}

impl OutputTarget {
    fn from_path(path: &Path) -> anyhow::Result<OutputTarget> {
        match fs::metadata(path) {
            Ok(about) if about.is_dir() => bail!("it is a folder; name a file in it"),
            Ok(_) if is_open_file(path) => Ok(OutputTarget::Stream),
            Ok(about) if about.is_file() => Ok(OutputTarget::File(path.canonicalize()?)),
            Ok(_) => Ok(OutputTarget::Stream),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                Ok(OutputTarget::File(link_end(path)?))
            }
            Err(error) => Err(error.into()),
        }
    }
}

/// Whether the name is that of a process's open file: another file in its place would not be it.
fn is_open_file(path: &Path) -> bool {
    path.starts_with("/proc") || path.starts_with("/dev/fd") || path == Path::new("/dev/stderr")
}

/// Where the links end that begin here; there is no file yet.
fn link_end(path: &Path) -> anyhow::Result<PathBuf> {
    const MOST: usize = 40;
    let mut end = path.to_owned();
    for _ in 0..MOST {
        let Ok(next) = fs::read_link(&end) else {
            return Ok(end);
        };
        end = parent_folder(&end).join(next);
    }
    bail!("more than {MOST} links lead on from it")
}

fn write_into(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    // Where it is a file after all, others write to it, too.
    let mut stream = fs::OpenOptions::new().append(true).open(path)?;
    match stream.write_all(bytes) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        done => Ok(done?),
    }
}

/// Writes to a file, or to stdout when there is none.
pub fn write_or_print(path: Option<&PathBuf>, text: &str) -> anyhow::Result<()> {
    write(path.map_or(Path::new("-"), PathBuf::as_path), text)
}

/// Prints text for people. What did not come from us may be part of it: nothing in it moves a
/// terminal.
pub fn print_stdout(text: &str) -> anyhow::Result<()> {
    write_stdout(clean_text(text, Breaks::Kept).as_bytes())
}

/// A line on stderr for people, as [`print_stdout`].
pub fn print_stderr(line: &str) {
    anstream::eprintln!("{}", clean_text(line, Breaks::Kept));
}

/// Prints the content of a file: byte for byte, but not into a terminal, where it is text for
/// people.
fn print_data(bytes: &[u8]) -> anyhow::Result<()> {
    match std::io::stdout().is_terminal() {
        true => print_stdout(&String::from_utf8_lossy(bytes)),
        false => write_stdout(bytes),
    }
}

/// A reader that closes the pipe wants no more.
fn write_stdout(bytes: &[u8]) -> anyhow::Result<()> {
    let mut stdout = std::io::stdout();
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        done => done.context("cannot write to stdout"),
    }
}

/// `matches/DATE-GAME-SEED.json`, or with a number behind it if that is taken.
pub fn free_replay_path(date: &str, game: &str, seed: u64) -> anyhow::Result<PathBuf> {
    for number in 1..10_000 {
        let end = if number == 1 {
            String::new()
        } else {
            format!("-{number}")
        };
        let path = PathBuf::from(format!("matches/{date}-{game}-{seed}{end}.json"));
        if !path.exists() {
            return Ok(path);
        }
    }
    bail!(
        "matches/ already has 9,999 replays of {game} with seed {seed} from today; name one with --replay FILE"
    )
}
