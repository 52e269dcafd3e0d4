//! The limit for which a program was killed.

/// The limit for which a program was killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum ExceededLimit {
    /// It used more than [`SandboxLimits::memory`](crate::SandboxLimits::memory).
    Memory,
    /// It wrote more than [`SandboxLimits::disk`](crate::SandboxLimits::disk).
    Disk,
    /// It made more files and folders than [`MOST_FILES`](crate::MOST_FILES), or folders deeper than
    /// [`DEEPEST_FOLDER`](crate::DEEPEST_FOLDER).
    FileCount,
    /// Not one of its own: the machine ran short of memory, and it held the most of it
    /// ([`Sandbox::with_reserve`](crate::Sandbox::with_reserve)).
    MachineMemory,
}
