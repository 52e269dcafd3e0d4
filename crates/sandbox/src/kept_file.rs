//! A file that a program may keep for its next game: it lies in memory, has no name in any folder, and
//! nobody else can open it.

use rustix::fs::{MemfdFlags, Mode};
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::FileExt;
use std::sync::Arc;

/// The environment variable with the path of the file.
pub const KEPT_VARIABLE: &str = "LEITAI_KEPT";

/// A file of one program in one game. There are no folders, links or devices in it, and a program of a
/// game before that still lives has another one.
#[derive(Clone, Debug)]
pub struct KeptFile(Arc<OwnedFd>);

impl KeptFile {
    /// The most bytes that are kept.
    pub const MOST: usize = 1 << 20;

    /// A new file with these bytes.
    ///
    /// # Errors
    /// If the system is out of descriptors or memory.
    pub fn with_content(bytes: &[u8]) -> io::Result<KeptFile> {
        let flags = MemfdFlags::CLOEXEC | MemfdFlags::NOEXEC_SEAL;
        // Kernels before 6.3 do not know that it is never run.
        let made = rustix::fs::memfd_create("kept", flags)
            .or_else(|_| rustix::fs::memfd_create("kept", MemfdFlags::CLOEXEC))?;
        // The program may be another user.
        rustix::fs::fchmod(&made, Mode::from_raw_mode(0o666))?;
        let file = std::fs::File::from(made);
        file.write_all_at(bytes, 0)?;
        Ok(KeptFile(Arc::new(file.into())))
    }

    /// What the program left, once it has ended; `None` if it is more than may be kept.
    ///
    /// # Errors
    /// If the system cannot read it.
    pub fn read(&self) -> io::Result<Option<Vec<u8>>> {
        let file = std::fs::File::from(self.0.try_clone()?);
        // Whatever its length says, no more is read.
        let (mut bytes, mut length) = (vec![0; KeptFile::MOST + 1], 0);
        while length < bytes.len() {
            match file.read_at(&mut bytes[length..], length as u64) {
                Ok(0) => break,
                Ok(more) => length += more,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        bytes.truncate(length);
        Ok((length <= KeptFile::MOST).then_some(bytes))
    }
}

impl AsFd for KeptFile {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// The path under which a process finds a descriptor of its own.
pub(crate) fn path_of(fd: &impl AsRawFd) -> String {
    format!("/proc/self/fd/{}", fd.as_raw_fd())
}

/// Programs are equal by what they are; which file they are given is not a part of it.
impl PartialEq for KeptFile {
    fn eq(&self, other: &KeptFile) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for KeptFile {}
