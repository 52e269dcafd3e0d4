//! What an account may miss (tests/uncounted.c), in every tier that this machine offers: processor
//! time, against the sum that the test knows, and memory of the kernel's, against the bound that
//! docs/sandbox.md states.

mod kit;

use kit::{ChildOutput, LONG};
use leitai_sandbox::{
    ExceededLimit, ExitReason, Program, Sandbox, SandboxLimits, SandboxedChild, StdioKind, Tier,
};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use tempfile::TempDir;

/// What every `burn-…` uses, in milliseconds.
const BURN: u64 = 40;
/// Ticks of dead processes are rounded down, twice for each parent.
const ROUNDED: u64 = 20;

/// Ways in which processor time may escape, and the tiers in which it must not (`n` is none).
const EVASIONS: &[(&str, &str)] = &[
    ("burn-plain", "ABCn"),
    ("burn-waited", "ABCn"),
    ("burn-unwaited", "ABC"),
    ("burn-ignored", "ABC"),
    ("burn-forgotten", "ABC"),
    ("burn-silent", "ABC"),
    ("burn-sibling", "ABC"),
    ("burn-orphaned", "ABC"),
    ("burn-threads", "ABCn"),
    ("burn-leaderless", "ABCn"),
    ("burn-switched-off", "ABCn"),
    ("burn-undumpable", "ABCn"),
    ("burn-unreadable", "ABCn"),
    ("burn-given", "ABC"),
];

#[test]
fn no_processor_time_escapes() {
    let test = Uncounted::new();
    let none = Sandbox::without_isolation();
    let mut faults = Vec::new();
    for sandbox in kit::sandboxes().iter().chain([&none]) {
        let letter = sandbox.tier().to_string().replace("none", "n");
        for (word, _) in EVASIONS
            .iter()
            .filter(|(_, in_tiers)| in_tiers.contains(&letter))
        {
            let mut child = test.spawn(sandbox, word, SandboxLimits::BOT);
            // Only a control group or a counter sees children whose end nobody hears of.
            let unheard = ["burn-ignored", "burn-forgotten"].contains(word);
            if unheard && !child.tells_all_cpu() {
                eprintln!("skipped: {word} in tier {letter}, where the kernel lets nobody count");
                continue;
            }
            let mut heard = ChildOutput::default();
            let up = heard.listen(&mut child, LONG, |out| out == "up\n");
            let looked = child.cpu_time_of_all().unwrap_or_default();
            let quick = child.cpu_time().unwrap_or_default();
            let hides = child.hides_cpu_time();
            let lacks = *word == "burn-plain"
                && (child.run_delay().is_none() || child.memory_peak() < Some(64 * KIB));
            child.kill_all().expect("our own child");
            let ended = child.cpu_time().unwrap_or_default();
            let least = Duration::from_millis(BURN - ROUNDED);
            let right = |time: Duration| time >= least && time < Duration::from_secs(5);
            let known = right(looked) && right(ended);
            if !up || !known || lacks || (child.tells_all_cpu() && quick < looked) {
                faults.push(format!(
                    "{letter} {word}: looked {looked:?}, quick {quick:?}, ended {ended:?}; {}",
                    heard.err
                ));
            }
            // Root's programs may not read what only root may; then the counter was left.
            let left = *word == "burn-given" && child.tells_all_cpu() && letter != "A";
            if hides != left && !unheard {
                faults.push(format!("{letter} {word}: hides {hides}; {}", heard.err));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// What becomes of a program that takes memory of the kernel's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Held {
    /// It gets none.
    Refused,
    /// It counts as memory, and the program is ended at its limit.
    Counted,
    /// The same, but it may not get so far: no more than this, in bytes.
    CountedOr(u64),
    /// Each mapping counts as so many bytes.
    PerMapping(u64),
    /// Each descriptor beyond twice the open files of a process counts as a full socket. Until then
    /// it may hold so many bytes.
    PerDescriptor(u64),
    /// No more than this, in bytes.
    AtMost(u64),
    /// No more than this, in objects.
    Objects(u64),
    /// No more than full sockets for twice the open files of a process.
    Sockets,
    /// Bounded by processor time: no more than this in the first 100 ms, in bytes.
    InTime(u64),
}
use Held::{
    AtMost, Counted, CountedOr, InTime, Objects, PerDescriptor, PerMapping, Refused, Sockets,
};

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;
/// Bytes in a socket with the buffers that Linux has by default, with a last piece.
const SOCKET: u64 = 212_992 + 64 * KIB;
/// The limit is reached quickly, and a fault takes little from the machine.
const SMALL: SandboxLimits = SandboxLimits {
    memory: Some(32 * MIB),
    processes: Some(16),
    open_files: Some(64),
    file: Some(4 * MIB),
    disk: Some(16 * MIB),
    cpu_seconds: None,
};

impl Held {
    /// What docs/sandbox.md and its Chinese sister say of it.
    fn cells(self) -> [String; 2] {
        let words = |english: &str, chinese: &str| [english.to_owned(), chinese.to_owned()];
        let show = |bytes: u64| match bytes % MIB {
            0 => format!("{} MiB", bytes / MIB),
            _ => format!("{} KiB", bytes / KIB),
        };
        match self {
            Refused => words("refused", "拒绝"),
            Counted | CountedOr(_) => words("counted", "计入"),
            PerMapping(bytes) => [
                format!("charged {bytes} bytes each"),
                format!("每个折算 {bytes} 字节"),
            ],
            PerDescriptor(_) => words("charged by descriptors", "按描述符折算"),
            AtMost(bytes) => [
                format!("at most {}", show(bytes)),
                format!("至多 {}", show(bytes)),
            ],
            Objects(count) => [format!("at most {count}"), format!("至多 {count} 个")],
            Sockets => [
                format!("at most {} for each of twice the open files", show(SOCKET)),
                format!("至多可打开文件数的两倍，每个 {}", show(SOCKET)),
            ],
            InTime(bytes) => [
                format!(
                    "at most {} in the first 100 ms of processor time",
                    show(bytes)
                ),
                format!("处理器时间的前 100 毫秒内至多 {}", show(bytes)),
            ],
        }
    }

    /// Whether a program under the [small](SMALL) limits ended so: what it said to hold, and whether
    /// it was ended for its memory.
    fn agrees(self, count: Option<u64>, over: bool) -> bool {
        let within = |most: u64| count.is_some_and(|count| count <= most);
        let files = u64::from(SMALL.open_files.unwrap_or_default());
        match self {
            Refused => !over && within(0),
            Counted | PerMapping(_) => over,
            CountedOr(most) | PerDescriptor(most) => over || within(most),
            AtMost(most) | Objects(most) => !over && within(most),
            Sockets => !over && within(2 * files * SOCKET),
            InTime(most) => over || within(most),
        }
    }
}

/// An object of the kernel's: the word of the program that holds it, its name in both languages, and
/// what becomes of it in tiers A, B and C.
type KernelObject = (&'static str, [&'static str; 2], [Held; 3]);

/// Objects, one a row.
macro_rules! objects {
    ($($word:literal $en:literal $zh:literal $held:expr;)+) => {
        &[$(($word, [$en, $zh], $held)),+]
    };
}

const OBJECTS: &[KernelObject] = objects! {
    "hold-pages" "pages of memory" "内存页" [Counted; 3];
    "hold-netlink" "sockets to the kernel" "通向内核的套接字" [Refused; 3];
    "hold-protocols" "other families and protocols: packets, vsock, crypto, SCTP, MPTCP, raw"
        "其他协议族与协议：packet、vsock、crypto、SCTP、MPTCP、raw" [Refused; 3];
    "hold-aio" "events of `io_setup`, of which the machine has 65,536"
        "`io_setup` 的事件（整台机器共 65,536 个）" [Refused; 3];
    "hold-filters" "system-call filters, filters of sockets, rules of Landlock"
        "系统调用过滤器、套接字过滤器、Landlock 规则" [Refused; 3];
    "hold-facilities" "memory files, keys, queues, `io_uring`, `bpf`, `perf`, `userfaultfd`, user namespaces, `inotify`, POSIX timers"
        "内存文件、密钥、队列、`io_uring`、`bpf`、`perf`、`userfaultfd`、用户命名空间、`inotify`、POSIX 定时器" [Refused; 3];
    "hold-spliced" "pages given to a pipe (`vmsplice`)" "交给管道的内存页（`vmsplice`）" [Refused; 3];
    "hold-sent-files" "pages of files in sockets and pipes (`sendfile`, `splice`, `tee`)"
        "套接字与管道中的文件页（`sendfile`、`splice`、`tee`）" [Refused; 3];
    "hold-futexes" "a table of futexes of any size (`PR_FUTEX_HASH`)"
        "任意大小的 futex 表（`PR_FUTEX_HASH`）" [Refused; 3];
    "hold-locked" "locked pages (`mlock`)" "锁定的内存页（`mlock`）" [Refused; 3];
    "hold-attributes" "attributes of files" "文件扩展属性" [Refused; 3];
    "hold-thread-files" "descriptors that only a thread has" "线程独有的描述符" [Refused; 3];
    "hold-buffer" "what lies in one socket, whatever size was asked for"
        "一个套接字中的数据，无论要求多大" [AtMost(SOCKET); 3];
    "hold-sockets" "all sockets together" "所有套接字" [Counted, PerDescriptor(0), PerDescriptor(0)];
    "hold-leaderless-sockets" "sockets of processes whose first thread has ended"
        "首个线程已结束的进程的套接字" [Counted, PerDescriptor(0), PerDescriptor(0)];
    "hold-in-flight" "sockets that only an unread message holds"
        "只由未读消息持有的套接字" [CountedOr(128 * SOCKET), Sockets, Sockets];
    "hold-pipes" "pipes" "管道" [CountedOr(64 * MIB), PerDescriptor(64 * MIB), PerDescriptor(64 * MIB)];
    "hold-backlog" "connections that nobody takes, a listener"
        "无人接受的连接（每个监听者）" [Counted, AtMost(SOCKET), Refused];
    "hold-datagrams" "datagrams that nobody reads, a socket"
        "无人读取的数据报（每个套接字）" [CountedOr(12 * SOCKET), AtMost(SOCKET), Refused];
    "hold-watches" "watches of `epoll`"
        "`epoll` 监视" [CountedOr(2 * MIB), PerDescriptor(2 * MIB), PerDescriptor(2 * MIB)];
    "hold-mappings" "mappings" "映射" [Counted, PerMapping(512), PerMapping(512)];
    "hold-leaderless-mappings" "mappings of processes whose first thread has ended"
        "首个线程已结束的进程的映射" [Counted, PerMapping(512), PerMapping(512)];
    "hold-shared-dropped" "shared memory without page tables" "没有页表的共享内存" [Counted; 3];
    "hold-signals" "queued signals, of all processes" "排队的信号（所有进程合计）" [Objects(4096); 3];
    "hold-locks" "file locks" "文件锁" [CountedOr(32 * MIB), InTime(32 * MIB), InTime(32 * MIB)];
};
/// Only root may ask what is in memory that is not mapped.
const OBJECTS_AS_ROOT: &[KernelObject] = objects! {
    "hold-shared-unmapped" "shared memory of which only a page is mapped, if the judge is root"
        "只剩一页映射的共享内存（裁判是 root 时）" [Counted; 3];
};

/// The tables of the documents are made of the rows that are tested here.
#[test]
fn the_documents_say_what_becomes_of_every_object() {
    const COMMAND: &str =
        "LEITAI_WRITE_OBJECTS=1 cargo test --workspace --test uncounted documents";
    for (language, name) in ["sandbox.md", "sandbox.zh.md"].into_iter().enumerate() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../docs")
            .join(name);
        let text = fs::read_to_string(&path).expect("the document is there");
        let (begin, end) = (
            "<!-- objects, by uncounted.rs -->\n",
            "<!-- end of objects -->",
        );
        let from = text.find(begin).expect("the table begins") + begin.len();
        let to = text.find(end).expect("the table ends");
        let table = table_of_objects(language);
        if std::env::var_os("LEITAI_WRITE_OBJECTS").is_some() {
            fs::write(&path, format!("{}{table}{}", &text[..from], &text[to..])).expect("writable");
        } else {
            assert_eq!(text[from..to], table, "{name} is out of date: {COMMAND}");
        }
    }
}

fn table_of_objects(language: usize) -> String {
    let row = |(word, names, held): &KernelObject| {
        let cells = held.map(|held| held.cells()[language].clone()).join(" | ");
        let [open, close] = [[" (", ")"], ["（", "）"]][language];
        format!("| {}{open}`{word}`{close} | {cells} |\n", names[language])
    };
    let rows = OBJECTS.iter().chain(OBJECTS_AS_ROOT).map(row);
    format!(
        "| | A | B | C |\n|---|---|---|---|\n{}",
        rows.collect::<String>()
    )
}

/// What this machine and user can try, in the column of a tier.
fn rows_of(tier: Tier) -> impl Iterator<Item = (&'static str, Held)> {
    let own = if kit::is_root() { OBJECTS_AS_ROOT } else { &[] };
    let at = Tier::ALL
        .iter()
        .position(|one| *one == tier)
        .expect("one of A, B and C");
    OBJECTS
        .iter()
        .chain(own)
        .map(move |(word, _, held)| (*word, held[at]))
}

#[test]
fn memory_of_the_kernel_is_refused_counted_or_bounded() {
    let test = Uncounted::new();
    let mut faults = Vec::new();
    for sandbox in kit::sandboxes() {
        for (word, held) in rows_of(sandbox.tier()) {
            let (mut child, heard) = test.hold(sandbox, word, SMALL);
            let count = heard
                .out
                .trim()
                .strip_prefix("count ")
                .and_then(|n| n.parse::<u64>().ok());
            // It holds more than it may: the watch ends it when it looks again.
            if count.is_some() && !held.agrees(count, false) && held.agrees(count, true) {
                let _ = child.wait_for(LONG);
            }
            let exit = child.kill_all().expect("our own child");
            let over = child.exceeded_limit();
            if !held.agrees(count, over == Some(ExceededLimit::Memory)) {
                let tier = sandbox.tier();
                faults.push(format!(
                    "{tier} {word}: {count:?}, {exit}, over {over:?}, {held:?}; {:?} {}",
                    heard.out, heard.err
                ));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn a_machine_short_of_memory_ends_the_program_that_holds_most() {
    let test = Uncounted::new();
    for sandbox in kit::sandboxes().iter().filter(|one| one.tier() != Tier::A) {
        // Any machine is short of that.
        let sandbox = sandbox
            .clone()
            .with_reserve(u64::MAX)
            .expect("there is no group to bound");
        let (mut child, heard) = test.hold(&sandbox, "hold-pages", SandboxLimits::BOT);
        let exit = child.wait_for(LONG).expect("our own child");
        let over = child.exceeded_limit();
        let expected = (
            Some(ExitReason::Signal(9)),
            Some(ExceededLimit::MachineMemory),
        );
        assert_eq!(
            (exit, over),
            expected,
            "{}: {}{}",
            sandbox.tier(),
            heard.out,
            heard.err
        );
    }
}

/// Runs in a control group of its own, below which that of all programs then is.
#[test]
fn one_control_group_bounds_all_programs_together() {
    const INSIDE: &str = "LEITAI_TEST_CEILING";
    let Some(own) = own_memory_group().filter(|_| kit::is_root()) else {
        return eprintln!("skipped: only root, and with control groups of version 1");
    };
    if std::env::var_os(INSIDE).is_some() {
        return programs_stay_below_the_ceiling();
    }
    let group = own.join(format!("sandbox-test-{}", std::process::id()));
    fs::create_dir(&group).expect("root may");
    let enter = "echo $$ >\"$0/cgroup.procs\" && exec \"$@\"";
    let said = Command::new("/bin/sh")
        .args(["-c", enter])
        .arg(&group)
        .arg(std::env::current_exe().expect("known"))
        .args([
            "one_control_group_bounds_all_programs_together",
            "--exact",
            "--nocapture",
        ])
        .env(INSIDE, "1")
        .output();
    for folder in [group.join("leitai-programs"), group] {
        // It is freed a moment after its last process ended.
        while fs::remove_dir(&folder).is_err_and(|error| error.raw_os_error() == Some(16)) {}
    }
    let said = said.expect("it starts");
    let words = String::from_utf8_lossy(&said.stderr);
    assert!(
        said.status.success(),
        "{}{words}",
        String::from_utf8_lossy(&said.stdout)
    );
}

fn programs_stay_below_the_ceiling() {
    let text = fs::read_to_string("/proc/meminfo").expect("there is a /proc");
    let all = text
        .split_ascii_whitespace()
        .nth(1)
        .and_then(|kib| kib.parse::<u64>().ok());
    let reserve = all.expect("the first line is MemTotal") * KIB - 128 * MIB;
    let sandbox = Sandbox::of_tier(&kit::helper(), Tier::A).expect("root");
    let sandbox = sandbox.with_reserve(reserve).expect("root");
    let test = Uncounted::new();
    for (limits, over) in [
        (SandboxLimits::BOT, ExceededLimit::MachineMemory),
        (SMALL, ExceededLimit::Memory),
    ] {
        let (mut child, _) = test.hold(&sandbox, "hold-pages", limits);
        let exit = child.wait_for(LONG).expect("our own child");
        assert_eq!(
            (exit, child.exceeded_limit()),
            (Some(ExitReason::Signal(9)), Some(over))
        );
    }
}

/// The memory control group of this process, of version 1.
fn own_memory_group() -> Option<PathBuf> {
    let own = fs::read_to_string("/proc/self/cgroup").ok()?;
    let path = own.lines().find_map(|line| line.split_once(":memory:"))?.1;
    let folder = Path::new("/sys/fs/cgroup/memory").join(path.trim_start_matches('/'));
    folder.join("cgroup.procs").exists().then_some(folder)
}

/// The same objects under the limits of a bot, in a hundred processes, against the machine's own
/// account. Wants a machine that does nothing else.
mod long {
    use super::*;

    /// A bot's memory, what is not charged, and what else happens on the machine meanwhile.
    const MOST_TAKEN: u64 = 1536 * MIB;

    #[test]
    #[ignore = "takes gigabytes from the machine where it fails"]
    fn no_object_takes_much_more_than_the_limit() {
        let test = Uncounted::new();
        for sandbox in kit::sandboxes() {
            for (word, held) in rows_of(sandbox.tier()) {
                let before = available();
                let (mut child, heard) = test.hold(sandbox, word, SandboxLimits::BOT);
                let _ = child.wait_for(Duration::from_secs(1));
                // A hundred processes with so many that they exceed the limit three times.
                if (word, held) == ("hold-mappings", PerMapping(512)) {
                    let over = child.wait_for(LONG).map(|_| child.exceeded_limit());
                    assert_eq!(over.ok().flatten(), Some(ExceededLimit::Memory), "{word}");
                }
                let taken = before.saturating_sub(available());
                child.kill_all().expect("our own child");
                let tier = sandbox.tier();
                eprintln!("{tier} {word}: {} MiB, {}", taken / MIB, heard.out.trim());
                assert!(
                    taken <= MOST_TAKEN,
                    "{tier} {word}: {taken} bytes; {}",
                    heard.out
                );
            }
        }
    }

    fn available() -> u64 {
        let text = fs::read_to_string("/proc/meminfo").expect("there is a /proc");
        let line = text
            .lines()
            .find_map(|line| line.strip_prefix("MemAvailable:"));
        let kib = line.and_then(|rest| rest.split_ascii_whitespace().next()?.parse::<u64>().ok());
        kib.expect("Linux tells") * KIB
    }
}

#[test]
fn accounts_for_an_ordinary_user() {
    kit::again_as_nobody(&[
        "no_processor_time_escapes",
        "memory_of_the_kernel_is_refused_counted_or_bounded",
        "a_machine_short_of_memory_ends_the_program_that_holds_most",
    ]);
}

/// The compiled program, and a copy that may be executed and not read.
struct Uncounted {
    folder: TempDir,
    binary: PathBuf,
}

impl Uncounted {
    fn new() -> Uncounted {
        let (folder, binary) = kit::compiled(include_str!("uncounted.c"), &["-lrt"]);
        let given = folder.path().join("given");
        fs::copy(&binary, &given).expect("copied");
        fs::set_permissions(&given, fs::Permissions::from_mode(0o111)).expect("our own");
        Uncounted { folder, binary }
    }

    /// Starts one, and listens until it has said what it holds, or ended.
    fn hold(
        &self,
        sandbox: &Sandbox,
        word: &str,
        limits: SandboxLimits,
    ) -> (SandboxedChild, ChildOutput) {
        let mut child = self.spawn(sandbox, word, limits);
        let mut heard = ChildOutput::default();
        heard.listen(&mut child, LONG, |out| out.ends_with('\n'));
        (child, heard)
    }

    fn spawn(&self, sandbox: &Sandbox, word: &str, limits: SandboxLimits) -> SandboxedChild {
        let at = |path: &Path| path.to_str().expect("ASCII").to_owned();
        let words = [at(&self.binary), word.to_owned()];
        let processes = limits
            .processes
            .map_or(8, |most| most.saturating_sub(8).min(100));
        let program = Program::new(words, self.folder.path())
            .with_limits(limits)
            .with_env("SELF", at(&self.binary))
            .with_env("PROCESSES", processes.to_string())
            .with_env("GIVEN", at(&self.folder.path().join("given")));
        let child = sandbox.spawn_program(&program, StdioKind::Separate);
        kit::note_helpers();
        child.expect("it starts")
    }
}
