//! Finished matches on disk: one line each, synced to the disk before the match is reported. A run
//! that is killed at any moment loses no finished match: the next run continues after the last
//! whole line.

use std::fs::{self, File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// The file in the folder.
const NAME: &str = "journal.jsonl";
/// The most bytes of a journal.
const MAX_BYTES: u64 = 4 << 30;

/// An open journal. No other process can open it meanwhile.
pub struct Journal {
    folder: PathBuf,
    file: File,
}

/// An existing journal: its first line and its entries.
pub struct FoundJournal<E> {
    /// The journal, to be continued.
    pub journal: Journal,
    /// The first line.
    pub header: Value,
    /// The further lines.
    pub entries: Vec<E>,
}

impl Journal {
    /// Opens the journal of a folder, or begins one with this header. A last line that was torn by
    /// a kill is cut off.
    pub fn open_folder<E: DeserializeOwned>(
        folder: &Path,
        header: &Value,
    ) -> anyhow::Result<FoundJournal<E>> {
        fs::create_dir_all(folder)
            .with_context(|| format!("cannot make the folder {}", folder.display()))?;
        let mut journal = Journal::lock_folder(folder)?;
        let mut lines = journal.read_lines()?;
        if lines.is_empty() {
            journal.append_entry(header)?;
            journal.sync_folder()?;
            lines.push(header.to_string());
        }
        check_format(folder, &lines[0], header)?;
        let name = journal.file_path();
        let line = |(index, line): (usize, &String)| {
            serde_json::from_str(line)
                .with_context(|| format!("{}, line {}", name.display(), index + 1))
        };
        let entries = lines
            .iter()
            .enumerate()
            .skip(1)
            .map(line)
            .collect::<anyhow::Result<Vec<E>>>()?;
        let header = serde_json::from_str(&lines[0])
            .with_context(|| format!("{}, line 1", name.display()))?;
        Ok(FoundJournal {
            journal,
            header,
            entries,
        })
    }

    /// The first line of a folder's journal; `None` where there is no journal.
    pub fn read_header(folder: &Path) -> anyhow::Result<Option<Value>> {
        let path = folder.join(NAME);
        if !path.is_file() {
            return Ok(None);
        }
        let mut start = String::new();
        let file = File::open(&path).with_context(|| format!("cannot read {}", path.display()))?;
        file.take(1 << 24)
            .read_to_string(&mut start)
            .with_context(|| format!("cannot read {}", path.display()))?;
        let line = start
            .split_inclusive('\n')
            .next()
            .filter(|line| line.ends_with('\n'));
        let read = |line| {
            serde_json::from_str(line).with_context(|| format!("{}, line 1", path.display()))
        };
        line.map(read).transpose()
    }

    /// Writes one line to the disk.
    pub fn append_entry(&mut self, entry: &impl Serialize) -> anyhow::Result<()> {
        let mut line = serde_json::to_string(entry).context("cannot write an entry as JSON")?;
        line.push('\n');
        let written = self
            .file
            .write_all(line.as_bytes())
            .and_then(|()| self.file.sync_data());
        written.with_context(|| format!("cannot write to {}", self.file_path().display()))
    }

    /// The folder.
    pub fn folder_path(&self) -> &Path {
        &self.folder
    }

    fn file_path(&self) -> PathBuf {
        self.folder.join(NAME)
    }

    fn lock_folder(folder: &Path) -> anyhow::Result<Journal> {
        let path = folder.join(NAME);
        let open = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path);
        let file = open.with_context(|| format!("cannot open {}", path.display()))?;
        match file.try_lock() {
            Ok(()) => Ok(Journal {
                folder: folder.to_owned(),
                file,
            }),
            Err(fs::TryLockError::WouldBlock) => bail!(
                "{} is in use: another leitai is playing in this folder; wait for it or choose another folder",
                folder.display()
            ),
            Err(fs::TryLockError::Error(error)) => {
                Err(error).with_context(|| format!("cannot lock {}", path.display()))
            }
        }
    }

    /// The whole lines; what stands behind the last of them is cut off.
    fn read_lines(&mut self) -> anyhow::Result<Vec<String>> {
        let name = self.file_path();
        let cannot = || format!("cannot read {}", name.display());
        let length = self.file.metadata().with_context(cannot)?.len();
        ensure!(
            length <= MAX_BYTES,
            "{} has {length} bytes; at most {MAX_BYTES} are read",
            name.display()
        );
        let mut bytes = Vec::new();
        self.file.read_to_end(&mut bytes).with_context(cannot)?;
        let whole = bytes
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(0, |end| end + 1);
        self.file.set_len(whole as u64).with_context(cannot)?;
        self.file.seek(SeekFrom::End(0)).with_context(cannot)?;
        bytes.truncate(whole);
        let text = String::from_utf8(bytes)
            .ok()
            .with_context(|| format!("{} is not UTF-8 text", name.display()))?;
        Ok(text.lines().map(str::to_owned).collect())
    }

    /// Syncs the folder: a new file is durable only with its folder.
    fn sync_folder(&self) -> anyhow::Result<()> {
        let synced = File::open(&self.folder).and_then(|folder| folder.sync_all());
        synced.with_context(|| format!("cannot write to {}", self.folder.display()))
    }
}

/// Refuses a journal whose first line names another version of the format: its other lines may
/// have another shape.
fn check_format(folder: &Path, first_line: &str, header: &Value) -> anyhow::Result<()> {
    let found: Option<Value> = serde_json::from_str(first_line).ok();
    let format = |header: &Value| header["format"].as_str().map(str::to_owned);
    if let (Some(found), Some(own)) = (found.as_ref().and_then(format), format(header)) {
        let (played, asked) = (command_of(&found), command_of(&own));
        ensure!(
            played == asked,
            "{} holds what `leitai {played}` played, and this is `leitai {asked}`; choose another folder",
            folder.display()
        );
        ensure!(
            found == own,
            "{} holds a journal in the format {found}; this version of Leitai reads {own}; choose \
             another folder, or go on with the version that wrote it",
            folder.display()
        );
    }
    Ok(())
}

/// The command that writes a format: `compare` of `leitai-compare/2`.
fn command_of(format: &str) -> &str {
    let name = format.split('/').next().unwrap_or_default();
    name.strip_prefix("leitai-").unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn open(folder: &Path) -> anyhow::Result<FoundJournal<u32>> {
        Journal::open_folder(folder, &json!({"series": 1}))
    }

    #[test]
    fn an_incomplete_last_line_is_removed() {
        let place = tempfile::tempdir().expect("a temporary folder");
        let file = place.path().join(NAME);
        let mut found = open(place.path()).expect("a new journal");
        found.journal.append_entry(&7).expect("own folder");
        found.journal.append_entry(&8).expect("own folder");
        drop(found);
        for torn in ["9", "{\"half", "\u{0}\u{0}"] {
            let mut text = fs::read_to_string(&file).expect("it is there");
            text.push_str(torn);
            fs::write(&file, &text).expect("own folder");
            let found = open(place.path()).expect("a torn line does no harm");
            assert_eq!(
                (found.entries.as_slice(), &found.header),
                ([7, 8].as_slice(), &json!({"series": 1}))
            );
        }
        let mut found = open(place.path()).expect("it was there");
        found.journal.append_entry(&9).expect("own folder");
        drop(found);
        assert_eq!(open(place.path()).expect("it was there").entries, [7, 8, 9]);
        assert_eq!(
            Journal::read_header(place.path()).expect("it is there"),
            Some(json!({"series": 1}))
        );
    }

    #[test]
    fn a_kill_during_the_first_line_starts_anew() {
        let place = tempfile::tempdir().expect("a temporary folder");
        fs::write(place.path().join(NAME), "{\"ser").expect("own folder");
        assert_eq!(
            Journal::read_header(place.path()).expect("it can be read"),
            None
        );
        assert_eq!(
            open(place.path()).expect("begun anew").header,
            json!({"series": 1})
        );
    }

    #[test]
    fn a_journal_has_one_writer_and_invalid_lines_are_named() {
        let place = tempfile::tempdir().expect("a temporary folder");
        let held = open(place.path()).expect("a new journal");
        let refused = open(place.path()).err().expect("it is held").to_string();
        assert!(refused.contains("in use"), "{refused}");
        drop(held);
        fs::write(place.path().join(NAME), "{}\nnonsense\n").expect("own folder");
        let refused = format!("{:#}", open(place.path()).err().expect("it is nonsense"));
        assert!(refused.contains("line 2"), "{refused}");
    }
}
