//! Programs of other people: each is built at most once while it is kept, in a fresh folder.

use std::collections::VecDeque;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use leitai_judge::OwnedFolder;

use crate::leases::lock_mutex;

/// Built programs of type `P`, each under a key that says all that its build depends on.
pub struct BuiltPrograms<K, P> {
    most: usize,
    /// In order of use; the last used one is at the end.
    kept: Mutex<VecDeque<(K, BuildPlace<P>)>>,
}

/// Locked during the build, so that it is built once.
type BuildPlace<P> = Arc<Mutex<Option<Arc<P>>>>;

impl<K: PartialEq, P> BuiltPrograms<K, P> {
    /// Keeps at most this many programs, and none yet.
    pub fn new(most: usize) -> BuiltPrograms<K, P> {
        let kept = Mutex::default();
        BuiltPrograms { most, kept }
    }

    /// What has this key, built by the first who asks. An error is not kept.
    pub fn build_once<E>(&self, key: K, build: impl FnOnce() -> Result<P, E>) -> Result<Arc<P>, E> {
        let place = self.place_of(key);
        let mut place = lock_mutex(&place);
        if let Some(built) = &*place {
            return Ok(built.clone());
        }
        let built = Arc::new(build()?);
        *place = Some(built.clone());
        Ok(built)
    }

    /// The place of this key. The least recently used one is given up, and what belongs to its
    /// program removed once nobody plays it.
    fn place_of(&self, key: K) -> BuildPlace<P> {
        let mut kept = lock_mutex(&self.kept);
        let known = kept.iter().position(|(other, _)| *other == key);
        let (key, place) = known
            .and_then(|at| kept.remove(at))
            .unwrap_or_else(|| (key, Arc::default()));
        kept.push_back((key, place.clone()));
        let too_many = kept.len().saturating_sub(self.most);
        let forgotten: Vec<_> = kept.drain(..too_many).collect();
        // Folders are removed without the lock, because that takes time.
        drop(kept);
        drop(forgotten);
        place
    }
}

/// Writes a program into a fresh folder under this name, which must be that of a file. Its path, and
/// the folder, which is removed with the value.
///
/// # Errors
/// If there is no room.
pub fn unpack_program(file_name: &str, bytes: &[u8]) -> io::Result<(OwnedFolder, PathBuf)> {
    let folder = OwnedFolder::new()?;
    let path = folder.folder_path().join(file_name);
    std::fs::write(&path, bytes)?;
    Ok((folder, path))
}
