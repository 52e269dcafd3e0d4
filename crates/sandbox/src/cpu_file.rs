//! A file that tells the processor time of a program.

use std::os::fd::OwnedFd;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The format of a file with processor time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CpuFile {
    /// `cpuacct.usage`: nanoseconds.
    Nanos,
    /// `cpu.stat`: a line `usage_usec N` first.
    Stat,
    /// A counter of the kernel's: eight bytes, nanoseconds.
    Counter,
}

impl CpuFile {
    /// Reads the present value from an open file.
    pub fn read(self, file: &OwnedFd) -> Option<Duration> {
        if self == CpuFile::Counter {
            let mut nanos = [0_u8; 8];
            let count = rustix::io::read(file, &mut nanos).ok()?;
            return (count == nanos.len()).then(|| Duration::from_nanos(u64::from_ne_bytes(nanos)));
        }
        let mut bytes = [0_u8; 64];
        let count = rustix::io::pread(file, &mut bytes[..], 0).ok()?;
        self.parse(std::str::from_utf8(&bytes[..count]).ok()?)
    }

    /// Parses the content of the file.
    pub fn parse(self, text: &str) -> Option<Duration> {
        match self {
            CpuFile::Counter => None,
            CpuFile::Nanos => text.trim().parse().ok().map(Duration::from_nanos),
            CpuFile::Stat => {
                let line = text
                    .lines()
                    .find_map(|line| line.strip_prefix("usage_usec "))?;
                line.parse().ok().map(Duration::from_micros)
            }
        }
    }
}
