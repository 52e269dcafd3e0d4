//! Reading and writing files: bounded, and never half written.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use leitai_game::replay::MAX_BYTES;
use leitai_game::{AnyGame, Replay};

/// The text of a regular file of at most 64 MiB.
pub fn read(path: &Path) -> anyhow::Result<String> {
    let name = path.display();
    let file = File::open(path).with_context(|| format!("cannot read {name}"))?;
    let about = file.metadata().with_context(|| format!("cannot read {name}"))?;
    ensure!(about.is_file(), "{name} is not a regular file");
    ensure!(
        about.len() <= MAX_BYTES as u64,
        "{name} has {} bytes; at most {MAX_BYTES} are read",
        about.len()
    );
    let mut bytes = Vec::new();
    file.take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes).with_context(|| format!("cannot read {name}"))?;
    ensure!(bytes.len() <= MAX_BYTES, "{name} grew beyond {MAX_BYTES} bytes while it was read");
    String::from_utf8(bytes).ok().with_context(|| format!("{name} is not UTF-8 text"))
}

/// A replay and its game.
pub fn replay(path: &Path) -> anyhow::Result<(Replay, &'static dyn AnyGame)> {
    let replay = Replay::parse(&read(path)?).with_context(|| path.display().to_string())?;
    let game = crate::ask::game(&replay.game).with_context(|| path.display().to_string())?;
    Ok((replay, game))
}

/// Writes a file as a whole or not at all; folders on the way are made.
pub fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    let name = path.display();
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
    let mut file = tempfile::NamedTempFile::new_in(folder).with_context(|| format!("cannot write {name}"))?;
    file.write_all(text.as_bytes()).with_context(|| format!("cannot write {name}"))?;
    let file = file.persist(path).with_context(|| format!("cannot write {name}"))?;
    make_readable(&file).with_context(|| format!("cannot write {name}"))
}

/// A temporary file is private; what the user asked for is an ordinary file.
fn make_readable(file: &File) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(fs::Permissions::from_mode(0o644))
}

/// Writes to a file, or to stdout when there is none.
pub fn write_or_print(path: Option<&PathBuf>, text: &str) -> anyhow::Result<()> {
    match path {
        Some(path) => write(path, text),
        None => print(text),
    }
}

/// Prints, and takes a closed pipe for the reader's wish to stop.
pub fn print(text: &str) -> anyhow::Result<()> {
    match std::io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        done => done.context("cannot write to stdout"),
    }
}

/// `matches/DATE-GAME-SEED.json`, or with a number behind it if that is taken.
pub fn free_replay_path(date: &str, game: &str, seed: u64) -> anyhow::Result<PathBuf> {
    for number in 1..10_000 {
        let end = if number == 1 { String::new() } else { format!("-{number}") };
        let path = PathBuf::from(format!("matches/{date}-{game}-{seed}{end}.json"));
        if !path.exists() {
            return Ok(path);
        }
    }
    bail!(
        "matches/ already has 9,999 replays of {game} with seed {seed} from today; name one with --replay FILE"
    )
}
