//! Reads and writes files: bounded reads, atomic writes.

use std::fs;
use std::io::{IsTerminal, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use leitai_game::clean_text::{Breaks, clean_text};

use leitai_series::files::{parent_folder, write_whole, write_whole_from};
use leitai_series::invalid_request as usage_error;

pub use leitai_series::files::read_text as read;

/// Whether this names stdout: `-`, or one of its names in `/dev` and `/proc`.
pub fn is_stdout(path: &Path) -> bool {
    const NAMES: [&str; 4] = ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"];
    path.to_str().is_some_and(|path| NAMES.contains(&path))
}

/// Writes a file completely or not at all; folders are created, links are followed. `-` is stdout,
/// and a target that is no file (a device, a pipe) is written directly.
pub fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    write_bytes(path, text.as_bytes())
}

/// [`write()`] for bytes.
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

/// Creates a file that is written line by line, so that it has everything when the command hangs.
pub fn create_log(path: &Path) -> anyhow::Result<Box<dyn Write + Send>> {
    if is_stdout(path) {
        return Err(usage_error(
            "--log-traffic needs a file: stdout is for the result",
        ));
    }
    let made = || -> anyhow::Result<fs::File> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        Ok(fs::File::create(path)?)
    };
    let file = made().with_context(|| format!("cannot write {}", path.display()))?;
    Ok(Box::new(file))
}

/// [`write()`] for what a reader gives, as it comes; returns the number of bytes.
pub fn write_from(path: &Path, reader: &mut dyn Read) -> anyhow::Result<u64> {
    let name = path.display();
    let copied = if is_stdout(path) {
        std::io::copy(reader, &mut std::io::stdout().lock()).map_err(Into::into)
    } else {
        match OutputTarget::from_path(path).with_context(|| format!("cannot write {name}"))? {
            OutputTarget::File(file) => write_whole_from(&file, reader),
            // If it is a file after all, other processes write to it, too.
            OutputTarget::Stream => fs::OpenOptions::new()
                .append(true)
                .open(path)
                .and_then(|mut file| std::io::copy(reader, &mut file))
                .map_err(Into::into),
        }
    };
    copied.with_context(|| format!("cannot write {name}"))
}

/// Fails where [`write()`] would, as far as that can be known without writing: called before a
/// match is played.
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

/// The target of a path.
enum OutputTarget {
    /// A file that exists or can be created; all links are followed.
    File(PathBuf),
    /// A target that only accepts bytes.
    Stream,
}

impl OutputTarget {
    fn from_path(path: &Path) -> anyhow::Result<OutputTarget> {
        match fs::metadata(path) {
            Ok(about) if about.is_dir() => Err(usage_error("it is a folder; name a file in it")),
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

/// Whether the name is that of a process's open file: another file in its place would not be the
/// same.
fn is_open_file(path: &Path) -> bool {
    path.starts_with("/proc") || path.starts_with("/dev/fd") || path == Path::new("/dev/stderr")
}

/// The target of the links that begin here; the file does not exist yet.
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
    // If it is a file after all, other processes write to it, too.
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

/// Prints text for people. It may contain foreign text, so it is cleaned of everything that
/// controls a terminal.
pub fn print_stdout(text: &str) -> anyhow::Result<()> {
    write_stdout(clean_text(text, Breaks::Kept).as_bytes())
}

/// Prints a line for people on stderr, as [`print_stdout`].
pub fn print_stderr(line: &str) {
    anstream::eprintln!("{}", clean_text(line, Breaks::Kept));
}

/// Prints the content of a file: byte for byte, but into a terminal as cleaned text for people.
fn print_data(bytes: &[u8]) -> anyhow::Result<()> {
    match std::io::stdout().is_terminal() {
        true => print_stdout(&String::from_utf8_lossy(bytes)),
        false => write_stdout(bytes),
    }
}

/// Ends quietly if the reader has closed the pipe.
fn write_stdout(bytes: &[u8]) -> anyhow::Result<()> {
    let mut stdout = std::io::stdout();
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        done => done.context("cannot write to stdout"),
    }
}

/// `matches/DATE-GAME-SEED.json`, or with a number if that is taken.
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
