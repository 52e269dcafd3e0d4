//! What a folder remembers of its batch: the id, so that a run that was cut finds the results that
//! came meanwhile.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use crate::subjects::BatchId;

/// The file in the folder.
const NAME: &str = "batch.id";

/// The place of a batch. No other process can have it meanwhile.
pub struct BatchPlace {
    /// The batch's id.
    pub id: BatchId,
    /// Whether it was begun by an earlier run.
    pub is_resumed: bool,
    file: Option<(PathBuf, File)>,
}

impl BatchPlace {
    /// The batch of a folder, or a new one; without a folder always a new one.
    pub fn open(folder: Option<&Path>) -> anyhow::Result<BatchPlace> {
        let Some(folder) = folder else {
            let id = BatchId::random();
            return Ok(BatchPlace {
                id,
                is_resumed: false,
                file: None,
            });
        };
        fs::create_dir_all(folder)
            .with_context(|| format!("cannot make the folder {}", folder.display()))?;
        let path = folder.join(NAME);
        let opened = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path);
        let mut file = opened.with_context(|| format!("cannot open {}", path.display()))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => bail!(
                "{} is in use: another leitai is playing in this folder; wait for it or choose \
                 another folder",
                folder.display()
            ),
            Err(TryLockError::Error(error)) => {
                return Err(error).with_context(|| format!("cannot lock {}", path.display()));
            }
        }
        let mut text = String::new();
        let read = (&mut file).take(1024).read_to_string(&mut text);
        let found = read.ok().and_then(|_| BatchId::parse(text.trim()));
        let is_resumed = found.is_some();
        let id = match found {
            Some(id) => id,
            None => {
                let id = BatchId::random();
                file.set_len(0)
                    .and_then(|()| writeln!(file, "{id}"))
                    .and_then(|()| file.sync_all())
                    .with_context(|| format!("cannot write to {}", path.display()))?;
                id
            }
        };
        Ok(BatchPlace {
            id,
            is_resumed,
            file: Some((path, file)),
        })
    }

    /// Whether a later run can continue.
    pub fn can_continue(&self) -> bool {
        self.file.is_some()
    }

    /// Forgets the batch: it has ended.
    pub fn forget(&mut self) {
        if let Some((path, _)) = self.file.take() {
            // At worst the next run has the same id and finds nothing on the bus.
            let _ = fs::remove_file(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_keeps_its_batch_until_it_ends() {
        let folder = std::env::temp_dir().join(format!("leitai-place-{}", rand::random::<u64>()));
        let open = || BatchPlace::open(Some(&folder));
        let first = open().expect("own folder");
        let refused = open().err().expect("it is held").to_string();
        assert!(refused.contains("in use"), "{refused}");
        let id = first.id.clone();
        drop(first);
        let mut again = open().expect("own folder");
        assert_eq!((&again.id, again.is_resumed), (&id, true));
        again.forget();
        drop(again);
        fs::write(folder.join(NAME), "*.>").expect("own folder");
        let other = open().expect("nonsense is overwritten");
        assert!(other.id != id && !other.is_resumed);
        fs::remove_dir_all(&folder).expect("own folder");
    }
}
