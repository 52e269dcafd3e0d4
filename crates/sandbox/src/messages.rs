//! Messages between the judge and its helper: JSON over a sequenced-packet socket, with attached
//! descriptors.

use crate::cgroup::CgroupParent;
use crate::cpu_file::CpuFile;
use crate::setup_error::SetupError;
use crate::{ExceededLimit, ExitReason, Program, SandboxLimits, Tier};
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recv, recvmsg, sendmsg,
};
use rustix::process::Pid;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::ffi::OsString;
use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::path::{Component, Path, PathBuf};

/// Starts a program. The program's three standard streams are attached.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StartOrder {
    pub tier: Tier,
    pub argv: Vec<OsString>,
    pub env: Vec<(OsString, OsString)>,
    pub dir: PathBuf,
    pub reads: Vec<PathBuf>,
    pub writes: Vec<PathBuf>,
    pub connects: bool,
    /// The judge's port, where there is no network namespace.
    pub port: Option<u16>,
    pub cores: Vec<usize>,
    pub limits: SandboxLimits,
    /// Where to make its control group, in tier A.
    pub cgroups: Option<CgroupParent>,
    /// Bytes of the machine's memory that all programs together leave free.
    pub reserve: u64,
    /// A folder that it may write to and that is its home, where it has no view of its own.
    pub scratch: Option<PathBuf>,
    /// Whether its files are linked into that, where it then runs.
    pub linked: bool,
}

/// A later message of the judge; closing the socket means the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum HelperRequest {
    /// End the program.
    Kill,
}

/// A message that was received.
pub struct ReceivedMessage<M> {
    pub body: M,
    pub fds: Vec<OwnedFd>,
    /// The sender's pid, if the socket passes credentials.
    pub sender: Option<Pid>,
}

/// A report of the helper.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum HelperReport {
    /// The helper waits for its order. Attached is a descriptor that stands for its process.
    Ready {
        /// Its process id.
        pid: i32,
    },
    /// The program runs. The named files are attached in this order.
    Started {
        /// The process id as the judge sees it.
        pid: i32,
        /// The file that tells the processor time of everything: the control group's, or a counter.
        cpu: Option<CpuFile>,
        /// The socket that listens on the program's loopback.
        listener: bool,
    },
    /// The program does not run.
    Failed {
        /// The failed step.
        step: String,
        /// The errno.
        errno: i32,
        /// Whether the program could not be started, rather than the sandbox set up.
        program: bool,
    },
    /// The program has ended, and all that it started with it.
    Ended {
        /// How it ended.
        exit: ExitReason,
        /// Processor time of everything, in microseconds.
        cpu_us: u64,
        /// The most memory used at a time, in bytes, where it is known.
        memory: Option<u64>,
        /// The limit for which it was killed, if any.
        over: Option<ExceededLimit>,
    },
}

impl From<SetupError> for HelperReport {
    fn from(failed: SetupError) -> HelperReport {
        let SetupError {
            step,
            errno,
            program,
        } = failed;
        HelperReport::Failed {
            step,
            errno,
            program,
        }
    }
}

/// Bytes of a message at most.
const MOST: usize = 192 << 10;
/// Descriptors with a message at most.
const MOST_FDS: usize = 4;

impl StartOrder {
    /// The order that starts `program`.
    pub fn new(
        tier: Tier,
        program: &Program,
        cgroups: Option<CgroupParent>,
        reserve: u64,
    ) -> StartOrder {
        StartOrder {
            tier,
            cgroups,
            reserve,
            scratch: None,
            linked: false,
            argv: resolve_command(program.command_words()),
            env: program.sandboxed_environment(),
            dir: resolve_folder(&program.dir),
            reads: program.reads.clone(),
            writes: program.writes.clone(),
            connects: program.connects,
            port: None,
            cores: program.cores.clone(),
            limits: program.limits,
        }
    }

    /// Refuses a folder that would reveal more than intended, and a path that means different
    /// folders inside and outside the view.
    pub fn check_folders(&self) -> Result<(), SetupError> {
        let folders = [&self.dir]
            .into_iter()
            .chain(&self.reads)
            .chain(&self.writes);
        folders.map(PathBuf::as_path).try_for_each(check_folder)
    }

    /// Adds variables that the program's own environment overrides.
    pub fn prepend_env<const N: usize>(&mut self, pairs: [(&str, OsString); N]) {
        self.env.splice(
            0..0,
            pairs.map(|(name, value)| (OsString::from(name), value)),
        );
    }

    /// The environment in which every name occurs once: of several, the last counts.
    pub fn final_env(&self) -> impl Iterator<Item = &(OsString, OsString)> {
        let is_last = |(at, (name, _)): &(usize, &(OsString, OsString))| {
            self.env[at + 1..].iter().all(|(later, _)| later != name)
        };
        self.env
            .iter()
            .enumerate()
            .filter(is_last)
            .map(|(_, pair)| pair)
    }
}

/// System folders that are never shown as a whole.
const SHARED: [&str; 18] = [
    "/boot", "/dev", "/dev/shm", "/etc", "/home", "/media", "/mnt", "/opt", "/proc", "/root",
    "/run", "/srv", "/sys", "/tmp", "/var", "/var/lib", "/var/run", "/var/tmp",
];

fn check_folder(path: &Path) -> Result<(), SetupError> {
    let refused = |why: &str| {
        Err(SetupError::new(
            format!("showing it {}, which {why}", path.display()),
            libc::EINVAL,
        ))
    };
    if !path
        .components()
        .any(|part| matches!(part, Component::Normal(_)))
    {
        return refused("is everything");
    }
    if !path.is_absolute() || has_parent_dir(path) {
        return refused("is no absolute path without `..`");
    }
    let real = path.canonicalize();
    let real = real.as_deref().unwrap_or(path);
    if real == Path::new("/")
        || SHARED
            .iter()
            .any(|shared| [path, real].contains(&Path::new(shared)))
    {
        return refused("holds what belongs to others");
    }
    Ok(())
}

fn has_parent_dir(path: &Path) -> bool {
    path.components().any(|part| part == Component::ParentDir)
}

/// The folder that a path with `..` means: a program's view has only the folders that its path
/// names.
fn resolve_folder(folder: &Path) -> PathBuf {
    if !has_parent_dir(folder) {
        return folder.to_owned();
    }
    folder.canonicalize().unwrap_or_else(|_| folder.to_owned())
}

/// The words of a command whose first is an absolute path without `..`. The file itself may be a
/// link.
fn resolve_command(mut words: Vec<OsString>) -> Vec<OsString> {
    let Some(first) = words.first_mut() else {
        return words;
    };
    let path = Path::new(first);
    if let (true, Some(folder), Some(name)) = (path.is_absolute(), path.parent(), path.file_name())
    {
        *first = resolve_folder(folder).join(name).into_os_string();
    }
    words
}

/// Sends a message with descriptors.
///
/// # Errors
/// If it is too long, or the other side is gone.
pub fn send_message(
    socket: BorrowedFd<'_>,
    message: &impl Serialize,
    fds: &[BorrowedFd<'_>],
) -> io::Result<()> {
    let bytes = serde_json::to_vec(message)?;
    if bytes.len() > MOST {
        let why = format!(
            "its command line and environment take {} bytes; {MOST} are allowed",
            bytes.len()
        );
        return Err(io::Error::other(why));
    }
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST_FDS))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    if !fds.is_empty() {
        assert!(
            control.push(SendAncillaryMessage::ScmRights(fds)),
            "there is room for {MOST_FDS} descriptors"
        );
    }
    rustix::io::retry_on_intr(|| {
        sendmsg(
            socket,
            &[IoSlice::new(&bytes)],
            &mut control,
            SendFlags::NOSIGNAL,
        )
    })?;
    Ok(())
}

/// Receives a message; `None` at the end.
///
/// # Errors
/// If it is no message of this kind, or with a non-blocking socket if there is none yet.
pub fn receive_message<M: DeserializeOwned>(
    socket: BorrowedFd<'_>,
) -> io::Result<Option<ReceivedMessage<M>>> {
    // Its length is asked for first: room for the longest would be cleared for each of the short ones.
    let ask = RecvFlags::PEEK | RecvFlags::TRUNC;
    let (_, length) = rustix::io::retry_on_intr(|| recv(socket, &mut [0_u8; 0][..], ask))?;
    let mut bytes = vec![0_u8; length];
    let mut space =
        [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST_FDS), ScmCredentials(1))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let got = rustix::io::retry_on_intr(|| {
        recvmsg(
            socket,
            &mut [IoSliceMut::new(&mut bytes)],
            &mut control,
            RecvFlags::CMSG_CLOEXEC,
        )
    })?;
    if got.bytes == 0 {
        return Ok(None);
    }
    let (mut fds, mut sender) = (Vec::new(), None);
    for message in control.drain() {
        match message {
            RecvAncillaryMessage::ScmRights(rights) => fds.extend(rights),
            RecvAncillaryMessage::ScmCredentials(who) => sender = Some(who.pid),
            _ => {}
        }
    }
    Ok(Some(ReceivedMessage {
        body: serde_json::from_slice(&bytes[..got.bytes])?,
        fds,
        sender,
    }))
}
