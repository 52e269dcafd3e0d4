//! Detects changes of a program: a hash of a file, or of all files of a folder with their names.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use leitai_game::BotProgram;
use leitai_game::hash::Fnv;

/// The most files of a folder that are read.
const MAX_FILES: usize = 20_000;
/// The most bytes that are read.
const MAX_BYTES: u64 = 1 << 30;

/// Sixteen hexadecimal digits that change when the program does. Files of `git` do not count.
pub fn compute_fingerprint(path: &Path) -> anyhow::Result<String> {
    let mut files = Vec::new();
    list_files(path, &mut files)?;
    files.sort();
    let (mut hash, mut bytes) = (Fnv::default(), 0);
    for file in files {
        let content = fs::read(&file).with_context(|| format!("cannot read {}", file.display()))?;
        bytes += content.len() as u64;
        ensure!(
            bytes <= MAX_BYTES,
            "{} holds more than {MAX_BYTES} bytes",
            path.display()
        );
        let name = file.strip_prefix(path).unwrap_or(&file);
        hash.write(name.as_os_str().as_encoded_bytes());
        hash.write(&(content.len() as u64).to_le_bytes());
        hash.write(&content);
    }
    Ok(format!("{:016x}", hash.0))
}

/// The same of a program that came with a game.
pub fn of_packed(program: &BotProgram) -> String {
    let mut hash = Fnv::default();
    for file in &program.files {
        hash.write(file.path.as_bytes());
        hash.write(&(file.bytes.len() as u64).to_le_bytes());
        hash.write(&file.bytes);
    }
    format!("{:016x}", hash.0)
}

fn list_files(path: &Path, files: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    let name = path.display();
    ensure!(
        files.len() < MAX_FILES,
        "{name}: more than {MAX_FILES} files"
    );
    let about = fs::metadata(path).with_context(|| format!("cannot read {name}"))?;
    if about.is_file() {
        files.push(path.to_owned());
    }
    if about.is_dir() {
        for entry in fs::read_dir(path).with_context(|| format!("cannot read {name}"))? {
            let entry = entry.with_context(|| format!("cannot read {name}"))?;
            // A link may lead back to a parent folder; its target does not count.
            let link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
            if entry.file_name() != ".git" && !link {
                list_files(&entry.path(), files)?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fingerprint_changes_with_names_and_contents_only() {
        let place = tempfile::tempdir().expect("a temporary folder");
        let write = |name: &str, text: &str| {
            let path = place.path().join(name);
            fs::create_dir_all(path.parent().expect("it has one")).expect("own folder");
            fs::write(path, text).expect("own folder");
        };
        let now = || compute_fingerprint(place.path()).expect("it can be read");
        write("main.py", "1");
        let first = now();
        write(".git/HEAD", "x");
        assert_eq!(now(), first);
        write("main.py", "2");
        let second = now();
        assert_ne!(second, first);
        write("lib/a.py", "3");
        assert_ne!(now(), second);
        assert!(compute_fingerprint(Path::new("/no/such/file")).is_err());
    }
}
