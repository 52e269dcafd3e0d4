//! Helpers of the sandbox tests: compiled programs, the output of a child, and the search for
//! leftovers.
#![allow(dead_code)] // each test binary uses a part of it

use leitai_sandbox::{ExitReason, Sandbox, SandboxedChild, Tier};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::collections::BTreeSet;
use std::fs;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Far longer than any test needs on a busy machine; reached only by a failure.
pub const LONG: Duration = Duration::from_secs(120);

/// How long something may be there that is left behind if it stays.
const PATIENCE: Duration = Duration::from_secs(20);

/// The path of the helper; tests that run again as another user get it from the environment.
pub fn helper() -> PathBuf {
    std::env::var_os("LEITAI_TEST_HELPER")
        .unwrap_or_else(|| env!("CARGO_BIN_EXE_leitai-sandbox-helper").into())
        .into()
}

/// A compiled C program in a folder that everybody may read; compiled once a process.
pub fn compiled(source: &str, arguments: &[&str]) -> (TempDir, PathBuf) {
    let folder = open_folder();
    let (file, program) = (
        folder.path().join("source.c"),
        folder.path().join("program"),
    );
    fs::write(&file, source).expect("writable");
    let cc = Command::new("cc")
        .args(["-O1", "-w", "-pthread", "-o"])
        .arg(&program)
        .arg(&file)
        .args(arguments)
        .output();
    let said = cc.expect("a C compiler is needed: apt-get install gcc");
    assert!(
        said.status.success(),
        "{}",
        String::from_utf8_lossy(&said.stderr)
    );
    (folder, program)
}

/// A temporary folder that everybody may read.
pub fn open_folder() -> TempDir {
    let builder = tempfile::Builder::new()
        .prefix("sandbox-test-")
        .permissions(fs::Permissions::from_mode(0o755))
        .tempdir();
    builder.expect("a folder")
}

/// The tiers that this machine offers to this user, each opened once; missing tiers are reported,
/// and for root none may be missing.
pub fn sandboxes() -> &'static [Sandbox] {
    static OPEN: OnceLock<Vec<Sandbox>> = OnceLock::new();
    OPEN.get_or_init(|| {
        let open = |tier| match Sandbox::of_tier(&helper(), tier) {
            Ok(sandbox) => Some(sandbox),
            Err(why) => {
                assert!(
                    !may_everything(),
                    "as root every tier is available, but {why}"
                );
                // What hangs here may be our own fault, which must not pass for a machine without it.
                assert!(!why.why.contains("does not end"), "{why}");
                eprintln!("skipped: {why}");
                None
            }
        };
        [Tier::A, Tier::B, Tier::C]
            .into_iter()
            .filter_map(open)
            .collect()
    })
}

/// Whether this process is root with all capabilities; root of a container may lack some.
pub fn may_everything() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let bits = status.lines().find_map(|line| line.strip_prefix("CapEff:"));
    bits.and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok())
        .is_some_and(|bits| bits & 0x1_ffff_ffff == 0x1_ffff_ffff)
}

pub fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// The output of a child so far.
#[derive(Default)]
pub struct ChildOutput {
    pub out: String,
    pub err: String,
}

impl ChildOutput {
    /// Reads until `enough` is true or both outputs are closed. `false` if neither happens in
    /// `time`.
    pub fn listen(
        &mut self,
        child: &mut SandboxedChild,
        time: Duration,
        enough: impl Fn(&str) -> bool,
    ) -> bool {
        let deadline = Instant::now() + time;
        while !enough(&self.out) {
            let streams =
                [&child.stdout, &child.stderr].map(|stream| stream.as_ref().map(AsFd::as_fd));
            if streams.iter().all(Option::is_none) {
                return true;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() || !ready(&streams.into_iter().flatten().collect::<Vec<_>>(), left) {
                return false;
            }
            read_what_is_there(&mut child.stdout, &mut self.out);
            read_what_is_there(&mut child.stderr, &mut self.err);
        }
        true
    }

    pub fn listen_to_the_end(&mut self, child: &mut SandboxedChild) -> bool {
        self.listen(child, LONG, |_| false)
    }
}

/// Whether a stream becomes readable in time.
pub fn ready(streams: &[BorrowedFd<'_>], time: Duration) -> bool {
    let mut fds: Vec<_> = streams
        .iter()
        .map(|fd| PollFd::from_borrowed_fd(*fd, PollFlags::IN))
        .collect();
    let time = Timespec::try_from(time).expect("short enough");
    poll(&mut fds, Some(&time)).expect("poll works") > 0
}

/// Reads the available output; drops the stream at its end.
pub fn read_what_is_there(stream: &mut Option<OwnedFd>, to: &mut String) {
    let mut bytes = [0_u8; 65536];
    while let Some(fd) = stream.as_ref() {
        match rustix::io::read(fd, &mut bytes) {
            Ok(0) => *stream = None,
            Ok(count) => to.push_str(&String::from_utf8_lossy(&bytes[..count])),
            Err(_) => return,
        }
    }
}

/// Reads to the end, waits, and returns the exit and the output.
pub fn finish(mut child: SandboxedChild) -> (ExitReason, ChildOutput, SandboxedChild) {
    let mut heard = ChildOutput::default();
    assert!(
        heard.listen_to_the_end(&mut child),
        "the child neither exits nor closes its outputs: {}",
        heard.out
    );
    let exit = child
        .wait_for(LONG)
        .expect("our own child")
        .expect("it ends");
    (exit, heard, child)
}

/// The processes whose command line contains a word, except this one.
pub fn processes_with(word: &str) -> Vec<String> {
    let entries = fs::read_dir("/proc").expect("there is a /proc").flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let found = pids
        .filter(|pid| *pid != std::process::id())
        .filter_map(|pid| {
            let line = fs::read(format!("/proc/{pid}/cmdline")).ok()?;
            let line = String::from_utf8_lossy(&line).replace('\0', " ");
            line.contains(word).then(|| format!("{pid}: {line}"))
        });
    found.collect()
}

/// The helpers of this process: the children of its spawners.
pub fn helpers() -> Vec<u32> {
    let is_helper = |pid: &u32| parent(*pid).is_some_and(is_spawner);
    family(std::process::id())
        .into_iter()
        .filter(is_helper)
        .collect()
}

/// Whether a process is a spawner.
pub fn is_spawner(pid: u32) -> bool {
    fs::read(format!("/proc/{pid}/comm")).is_ok_and(|name| name == b"leitai-spawner\n")
}

/// The parent of a process.
pub fn parent(pid: u32) -> Option<u32> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    text[text.rfind(')')? + 1..]
        .split_ascii_whitespace()
        .nth(1)?
        .parse()
        .ok()
}

/// All descendants of a process.
pub fn family(pid: u32) -> Vec<u32> {
    let mut all = vec![pid];
    let mut next = 0;
    while next < all.len() {
        for thread in fs::read_dir(format!("/proc/{}/task", all[next]))
            .into_iter()
            .flatten()
            .flatten()
        {
            let text = fs::read_to_string(thread.path().join("children")).unwrap_or_default();
            all.extend(
                text.split_ascii_whitespace()
                    .filter_map(|pid| pid.parse::<u32>().ok()),
            );
        }
        next += 1;
    }
    all
}

/// Helpers noted by [`note_helpers`], whose leftovers are distinguished from those of other
/// processes.
static SEEN: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());

/// Notes the running helpers.
pub fn note_helpers() {
    SEEN.lock().expect("nobody panicked").extend(helpers());
}

/// The control groups and folders that noted helpers leave behind, and our mounts. Empty if all is well.
/// A test beside this one may just have killed its helper, whose judge removes what it had in a moment.
pub fn leftovers() -> Vec<String> {
    let start = Instant::now();
    loop {
        let left = look_for_leftovers();
        if left.is_empty() || start.elapsed() > PATIENCE {
            return left;
        }
        std::thread::park_timeout(Duration::from_millis(20));
    }
}

fn look_for_leftovers() -> Vec<String> {
    let seen = SEEN.lock().expect("nobody panicked").clone();
    let alive = helpers();
    let ours = |name: &str| {
        let pid = name
            .strip_prefix("leitai-")
            .and_then(|rest| rest.split('-').nth(1)?.parse().ok());
        pid.is_some_and(|pid: u32| seen.contains(&pid) && !alive.contains(&pid))
    };
    let mut left = Vec::new();
    for place in control_groups()
        .into_iter()
        .chain(["/tmp", "/var/tmp"].map(PathBuf::from))
        .chain([std::env::temp_dir()])
    {
        for entry in fs::read_dir(&place).into_iter().flatten().flatten() {
            if ours(&entry.file_name().to_string_lossy()) {
                left.push(entry.path().display().to_string());
            }
        }
    }
    let mounts = fs::read_to_string("/proc/self/mountinfo").expect("there is a /proc");
    left.extend(
        mounts
            .lines()
            .filter(|line| line.contains("leitai-") || line.contains("sandbox-test-"))
            .map(str::to_owned),
    );
    left
}

/// All folders that may contain our control groups.
pub fn control_groups() -> Vec<PathBuf> {
    let own = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let mut found = Vec::new();
    for line in own.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(names), Some(path)) = (parts.next(), parts.next()) else {
            continue;
        };
        let root = Path::new("/sys/fs/cgroup");
        let trees = names
            .split(',')
            .map(|name| root.join(name))
            .chain([root.join("unified"), root.to_owned()]);
        for tree in trees {
            found.extend(
                tree.join(path.trim_start_matches('/'))
                    .ancestors()
                    .filter(|at| at.starts_with(root))
                    .flat_map(|at| [at.to_owned(), at.join("leitai-programs")]),
            );
        }
    }
    found.sort();
    found.dedup();
    found
}

/// Runs tests of this binary again as an ordinary user; for root only. It is a user of this process
/// alone: without namespaces the kernel counts all processes of a user, those of other binaries too.
pub fn again_as_nobody(tests: &[&str]) {
    use std::os::unix::process::CommandExt;
    let nobody = 65_000 + std::process::id() % 500;
    if !is_root() {
        eprintln!("skipped: {tests:?} as an ordinary user: this is one");
        return;
    }
    let folder = open_folder();
    let copy = |from: &Path, name: &str| {
        let to = folder.path().join(name);
        fs::copy(from, &to).expect("copied");
        fs::set_permissions(&to, fs::Permissions::from_mode(0o755)).expect("our own file");
        to
    };
    let own = copy(&std::env::current_exe().expect("known"), "test");
    let helper = copy(&helper(), "helper");
    let home = folder.path().join("home");
    fs::create_dir(&home).expect("made");
    std::os::unix::fs::chown(&home, Some(nobody), Some(nobody)).expect("root may");
    let mut command = Command::new(own);
    command
        .args(tests)
        .args(["--exact", "--nocapture"])
        .uid(nobody)
        .gid(nobody)
        .current_dir(&home);
    command.env("LEITAI_TEST_HELPER", helper).env("HOME", &home);
    let said = command.output().expect("it starts");
    let words = format!(
        "{}{}",
        String::from_utf8_lossy(&said.stdout),
        String::from_utf8_lossy(&said.stderr)
    );
    eprintln!("as an ordinary user: {words}");
    let passed = format!("{} passed", tests.len());
    assert!(said.status.success() && words.contains(&passed), "{words}");
}
