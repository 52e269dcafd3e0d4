//! Programs that attack the machine, the judge or their opponent (tests/hostile.c), in every tier
//! that this machine offers. Each attack is judged by its effects and not by its exit: after every
//! attack all canaries are unchanged, no port received a connection, the judge and a well-behaved
//! program beside it are unharmed, and nothing is left.

mod kit;

use kit::{ChildOutput, LONG};
use leitai_sandbox::{
    ExceededLimit, ExitReason, Program, Sandbox, SandboxLimits, SandboxedChild, StdioKind, Tier,
};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, RwLock};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The expected end of an attack; its effects are always checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// The program exits.
    Itself,
    /// The program prints "up" and goes on until the judge kills it.
    Killed,
    /// The program prints "count N", N being this at most, and may go on.
    Count(u64),
    /// The sandbox kills the program for this limit, or the program exits because a call was
    /// refused.
    Over(ExceededLimit),
    /// The same, or the program prints "count N" with N at most this.
    OverOrCount(ExceededLimit, u64),
    /// The program ticks, is stopped, and is silent then.
    Stopped,
}
use End::{Count, Itself, Killed, Stopped};

/// The tiers in which an attack must fail.
const ABC: &str = "ABC";
const MIB: u64 = 1 << 20;
/// Small limits, which are reached quickly.
const SMALL: SandboxLimits = SandboxLimits {
    memory: Some(64 * MIB),
    processes: Some(32),
    open_files: Some(64),
    file: Some(4 * MIB),
    disk: Some(16 * MIB),
    cpu_seconds: None,
};
/// `/dev/shm` is counted beside the disk.
const FILL: u64 = 32 * MIB;

/// The attack, the tiers in which it must fail, and its expected end.
const TABLE: &[(&str, &str, End)] = &[
    // Files.
    ("read", ABC, Itself),
    ("list", ABC, Itself),
    ("proc", ABC, Itself),
    ("proc-host", ABC, Itself),
    ("write", ABC, Itself),
    ("own-folder", ABC, Itself),
    ("handle", ABC, Itself),
    ("root", ABC, Itself),
    ("proc-sys", ABC, Itself),
    ("devices", ABC, Itself),
    ("inherited", ABC, Itself),
    ("lease", ABC, Itself),
    ("big-file", ABC, Count(4 * MIB)),
    ("many-files", "AB", Count(20_000)),
    ("fill", "AB", Count(FILL)),
    ("fill", "C", End::OverOrCount(ExceededLimit::Disk, FILL)),
    ("fill-unnamed", "AB", Count(FILL)),
    (
        "fill-unnamed",
        "C",
        End::OverOrCount(ExceededLimit::Disk, FILL),
    ),
    ("fill-leaderless", "AB", Count(FILL)),
    (
        "fill-leaderless",
        "C",
        End::OverOrCount(ExceededLimit::Disk, FILL),
    ),
    ("fill-deep", "AB", Count(FILL)),
    (
        "fill-deep",
        "C",
        End::OverOrCount(ExceededLimit::FileCount, FILL),
    ),
    ("locked-folders", ABC, Itself),
    ("descriptors", ABC, Count(64)),
    // Rights.
    ("mounts", ABC, Itself),
    ("namespaces", ABC, Itself),
    ("identity", ABC, Itself),
    ("set-user-id", ABC, Itself),
    ("suid-bit", ABC, Itself),
    ("priority", ABC, Itself),
    ("cores", ABC, Itself),
    ("kernel", ABC, Itself),
    ("x32", ABC, Itself),
    ("int80", ABC, Itself),
    ("ipc", ABC, Itself),
    ("memfd", ABC, Itself),
    ("core", ABC, Itself),
    ("helper-name", ABC, Itself),
    // Other processes.
    ("spy", ABC, Itself),
    ("judge-memory", ABC, Itself),
    ("signals", ABC, Itself),
    ("kill-parent", ABC, Killed),
    ("stop-parent", ABC, Itself),
    ("meddle", ABC, Itself),
    ("net", ABC, Itself),
    ("sockets", ABC, Itself),
    ("listen", ABC, Killed),
    ("unix", ABC, Itself),
    ("environment", ABC, Itself),
    ("connected-net", ABC, Itself),
    ("connected-listen", ABC, Killed),
    ("connected-unix", ABC, Itself),
    // Builds.
    ("build-suid-bit", ABC, Itself),
    ("build-fill", ABC, End::Over(ExceededLimit::Disk)),
    ("build-daemon", ABC, Itself),
    ("build-daemons", ABC, Itself),
    ("build-stubborn", ABC, Killed),
    ("build-signals", ABC, Itself),
    ("build-read", ABC, Itself),
    ("build-spy", ABC, Itself),
    // Memory.
    ("eat", ABC, End::Over(ExceededLimit::Memory)),
    ("eat-shared", ABC, End::Over(ExceededLimit::Memory)),
    ("eat-undumpable", ABC, End::Over(ExceededLimit::Memory)),
    ("eat-without-leader", ABC, End::Over(ExceededLimit::Memory)),
    ("eat-orphaned", ABC, End::Over(ExceededLimit::Memory)),
    ("eat-many", ABC, End::Over(ExceededLimit::Memory)),
    ("eat-locked", ABC, End::Over(ExceededLimit::Memory)),
    ("eat-stack", ABC, End::Over(ExceededLimit::Memory)),
    ("eat-tables", ABC, End::Over(ExceededLimit::Memory)),
    ("eat-tables-many", ABC, End::Over(ExceededLimit::Memory)),
    // Processes.
    ("bomb", ABC, Killed),
    ("vfork-bomb", ABC, Killed),
    ("processes", "AB", Count(32)),
    ("threads", "AB", Count(32)),
    // For an ordinary user the kernel counts all processes of the user, whose number varies.
    ("processes", "C", Count(32 + 64 + 192)),
    ("threads", "C", Count(32 + 64 + 192)),
    ("daemon", ABC, Itself),
    ("daemons", ABC, Itself),
    ("stubborn", ABC, Killed),
    ("stop-self", ABC, Killed),
    ("close-all", ABC, Killed),
    ("flood", ABC, Killed),
    // Computing while it is not the program's turn.
    ("tick", ABC, Stopped),
    ("wake-timer", ABC, Stopped),
    ("wake-input", ABC, Stopped),
    ("wake-exit", ABC, Stopped),
    ("wake-death", ABC, Stopped),
    ("wake-slow-exit", ABC, Stopped),
    ("leave-group", ABC, Stopped),
];

#[test]
fn every_attack_fails() {
    let attacks: Vec<_> = kit::sandboxes()
        .iter()
        .flat_map(|sandbox| TABLE.iter().map(move |row| (sandbox, row)))
        .filter(|(sandbox, (_, tiers, _))| tiers.contains(&sandbox.tier().to_string()))
        // An environment variable selects a single attack.
        .filter(|(_, (word, ..))| std::env::var("ATTACK").map_or(true, |only| only == *word))
        .collect();
    let (source, program) = kit::compiled(include_str!("hostile.c"), &["-lrt"]);
    let (next, faults) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        let mut bystanders = BTreeMap::new();
        while let Some((sandbox, (word, _, end))) =
            attacks.get(next.fetch_add(1, Ordering::Relaxed))
        {
            let is_crowd = CROWDS.contains(word);
            let _alone = is_crowd.then(|| CROWD.write().expect("nobody panicked"));
            let _without_crowd = (!is_crowd && sandbox.tier() == Tier::C)
                .then(|| CROWD.read().expect("nobody panicked"));
            let bystander = bystanders
                .entry(sandbox.tier())
                .or_insert_with(|| Bystander::new(sandbox));
            let begun = Instant::now();
            let found = attack(sandbox, word, *end, &program, bystander);
            let mut faults = faults.lock().expect("nobody panicked");
            faults.extend(
                found
                    .into_iter()
                    .map(|fault| format!("{} {word}: {fault}", sandbox.tier())),
            );
            if std::env::var_os("ATTACK_TIMES").is_some() {
                eprintln!("{} {word}: {:?}", sandbox.tier(), begun.elapsed());
            }
        }
        drop(bystanders);
    };
    std::thread::scope(|scope| (0..6).for_each(|_| drop(scope.spawn(work))));
    drop(source);
    let mut faults = faults.into_inner().expect("nobody panicked");
    faults.extend(
        kit::leftovers()
            .into_iter()
            .map(|left| format!("left behind: {left}")),
    );
    // The same attacks may run at the same time in a child that is an ordinary user.
    let of_sandbox = |pid: &u32| {
        let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        line.is_empty() || line.starts_with(b"leitai-sandbox")
    };
    faults.extend(
        kit::helpers()
            .into_iter()
            .filter(of_sandbox)
            .map(|pid| format!("not reaped: {pid}")),
    );
    assert!(
        faults.is_empty(),
        "{} attacks, {} faults:\n{}",
        attacks.len(),
        faults.len(),
        faults.join("\n")
    );
    eprintln!("{} attacks failed, as they should", attacks.len());
}

#[test]
fn every_attack_fails_for_an_ordinary_user() {
    kit::again_as_nobody(&["every_attack_fails"]);
}

/// Attacks that start as many processes as they can. For an ordinary user the kernel counts all
/// processes of the user together: two such attacks at once would limit each other, and in tier C,
/// where this is the only limit, any other attack could not start or would not get its children.
const CROWDS: &[&str] = &[
    "bomb",
    "vfork-bomb",
    "processes",
    "threads",
    "daemons",
    "build-daemons",
    "eat-many",
    "eat-tables-many",
];
/// What the sandbox may take to see that a limit was exceeded. Some leave a process behind that does nothing.
const WATCH: Duration = Duration::from_secs(5);
static CROWD: RwLock<()> = RwLock::new(());

/// Runs one attack and returns the failures.
fn attack(
    sandbox: &Sandbox,
    word: &str,
    end: End,
    binary: &Path,
    bystander: &mut Bystander,
) -> Vec<String> {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let mark = format!(
        "mark-{}-{}",
        std::process::id(),
        COUNT.fetch_add(1, Ordering::Relaxed)
    );
    let kit = HostileTest::set(binary, word);
    let program = kit.program(word, &mark, bystander);
    let before = kit.look();
    let mut child = match sandbox.spawn_program(&program, StdioKind::Separate) {
        Ok(child) => child,
        Err(error) => return vec![format!("does not start: {error}")],
    };
    kit::note_helpers();
    let mut heard = ChildOutput::default();
    let mut faults = bring_to_end(&mut child, end, &mut heard);
    if let Err(error) = child.kill_all() {
        faults.push(format!("cannot be killed: {error}"));
    }
    if !heard.listen_to_the_end(&mut child) {
        faults.push("somebody still holds its outputs".into());
    }
    drop(child);
    faults.extend(kit.what_was_said(&heard));
    faults.extend(differences(&before, &kit.look()));
    faults.extend(kit.connections());
    faults.extend(
        kit::processes_with(&mark)
            .into_iter()
            .map(|process| format!("still runs: {process}")),
    );
    faults.extend(bystander.check());
    faults
}

/// Which of these ports of the program are open on the machine itself. Another program may have one of
/// the same number open: then it stays open after the end of this one.
fn opened_here(child: &mut SandboxedChild, ports: impl Iterator<Item = u16>) -> Vec<String> {
    let mut open: Vec<u16> = ports.filter(|port| is_open(*port)).collect();
    if !open.is_empty() {
        child.kill_all().expect("our own child");
        open.retain(|port| !is_open(*port));
    }
    let tell = |port| format!("it listens on port {port}");
    open.into_iter().map(tell).collect()
}

/// Whether somebody waits for connections at this port of the machine. Nobody is connected to: it may be
/// another test's.
fn is_open(port: u16) -> bool {
    let end = format!(":{port:04X}");
    ["tcp", "tcp6"].iter().any(|file| {
        let text = fs::read_to_string(format!("/proc/net/{file}")).unwrap_or_default();
        text.lines().skip(1).any(|line| {
            let mut words = line.split_ascii_whitespace().skip(1);
            let own = words.next().is_some_and(|own| own.ends_with(&end));
            // 0A: it listens.
            own && words.nth(1) == Some("0A")
        })
    })
}

fn bring_to_end(child: &mut SandboxedChild, end: End, heard: &mut ChildOutput) -> Vec<String> {
    let said = |word: &'static str| move |out: &str| out.lines().any(|line| line == word);
    let counted = |out: &str| {
        out.lines()
            .find_map(|line| line.strip_prefix("count ")?.parse::<u64>().ok())
    };
    let ended = |child: &mut SandboxedChild, time| child.wait_for(time).expect("our own child");
    let mut faults = Vec::new();
    match end {
        Itself => {
            heard.listen_to_the_end(child);
            if ended(child, LONG).is_none() {
                faults.push("does not end".into());
            }
        }
        Killed => {
            if !heard.listen(child, LONG, |out| said("up")(out) || out.len() > 1 << 20) {
                faults.push("never got up".into());
            }
            let ports = heard
                .out
                .lines()
                .filter_map(|line| line.strip_prefix("port ")?.parse::<u16>().ok());
            faults.extend(opened_here(child, ports));
        }
        Count(most) => {
            heard.listen(child, LONG, |out| counted(out).is_some());
            match counted(&heard.out) {
                Some(count) if count <= most => {}
                other => faults.push(format!("counted {other:?}, at most {most} is allowed")),
            }
        }
        End::Over(over) => {
            heard.listen(child, LONG, said("up"));
            let got_it = said("up")(&heard.out);
            let _ = ended(child, WATCH);
            let exit = child.kill_all().expect("our own child");
            if child.exceeded_limit() != Some(over) && (got_it || exit == ExitReason::Code(0)) {
                faults.push(format!(
                    "{exit}, over {:?}, said {:?}",
                    child.exceeded_limit(),
                    heard.out
                ));
            }
        }
        End::OverOrCount(over, most) => {
            heard.listen(child, LONG, |out| counted(out).is_some());
            if counted(&heard.out).is_none_or(|count| count > most) {
                let _ = ended(child, WATCH);
            }
            let exit = child.kill_all().expect("our own child");
            if child.exceeded_limit() != Some(over)
                && counted(&heard.out).is_none_or(|count| count > most)
            {
                faults.push(format!(
                    "{exit}, over {:?}, said {:?}",
                    child.exceeded_limit(),
                    heard.out
                ));
            }
        }
        Stopped => {
            heard.listen(child, LONG, |out| out.len() > 20);
            child.freeze_group();
            if let Some(stdin) = &child.stdin {
                let _ = rustix::io::write(stdin, b"your turn\n");
            }
            if !falls_silent(child, heard) {
                faults.push("goes on while it is stopped".into());
            }
            child.thaw_group();
            let so_far = heard.out.len();
            heard.listen(child, LONG, |out| out.len() > so_far);
        }
    }
    faults
}

/// Whether the program becomes silent.
fn falls_silent(child: &mut SandboxedChild, heard: &mut ChildOutput) -> bool {
    let deadline = Instant::now() + LONG;
    while Instant::now() < deadline {
        let stdout = child.stdout.as_ref();
        if stdout.is_none_or(|stdout| {
            !kit::ready(
                &[std::os::fd::AsFd::as_fd(stdout)],
                Duration::from_millis(150),
            )
        }) {
            return true;
        }
        kit::read_what_is_there(&mut child.stdout, &mut heard.out);
    }
    false
}

/// A well-behaved program in a sandbox of its own beside the attack.
struct Bystander {
    child: SandboxedChild,
    helper: u32,
    name: String,
}

impl Bystander {
    fn new(sandbox: &Sandbox) -> Bystander {
        let program = Program::new(["/bin/cat"], "/usr").with_limits(SMALL);
        let child = sandbox
            .spawn_program(&program, StdioKind::Separate)
            .expect("it starts");
        kit::note_helpers();
        let helper = kit::parent(child.process_id())
            .and_then(kit::parent)
            .expect("it runs");
        Bystander {
            child,
            helper,
            name: format!("the bystander in tier {}", sandbox.tier()),
        }
    }

    fn check(&mut self) -> Option<String> {
        let stdin = self.child.stdin.as_ref().expect("a pipe");
        let _ = rustix::io::write(stdin, b"are you well?\n");
        let mut heard = ChildOutput::default();
        let well = heard.listen(&mut self.child, LONG, |out| out.ends_with('\n'))
            && heard.out == "are you well?\n";
        (!well).then(|| format!("{} says {:?}", self.name, heard.out))
    }
}

/// The targets of an attack.
struct HostileTest {
    folder: TempDir,
    others: Vec<TempDir>,
    secret: String,
    tcp: TcpListener,
    udp: UdpSocket,
    stream: UnixListener,
    datagram: UnixDatagram,
    hidden: [String; 2],
    abstract_stream: UnixListener,
    abstract_datagram: UnixDatagram,
}

impl HostileTest {
    fn set(binary: &Path, word: &str) -> HostileTest {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = format!(
            "{}-{}",
            std::process::id(),
            COUNT.fetch_add(1, Ordering::Relaxed)
        );
        let secret =
            format!("SECRET-{number}-{:?}", Instant::now()).replace([' ', '{', '}', ':'], "");
        let folder = kit::open_folder();
        let places = [
            std::env::var_os("HOME").map(PathBuf::from),
            Some("/var/tmp".into()),
        ];
        let make = |place: PathBuf| {
            tempfile::Builder::new()
                .prefix("sandbox-test-")
                .tempdir_in(place)
                .ok()
        };
        let others: Vec<TempDir> = places.into_iter().flatten().filter_map(make).collect();
        for place in [folder.path()]
            .into_iter()
            .chain(others.iter().map(TempDir::path))
        {
            fs::write(place.join("canary"), &secret).expect("written");
            fs::write(place.join(&secret), "").expect("written");
            fs::set_permissions(place.join("canary"), fs::Permissions::from_mode(0o666))
                .expect("our own");
        }
        let hidden = [format!("leitai-{number}-s"), format!("leitai-{number}-d")];
        let abstract_name =
            |name: &str| SocketAddr::from_abstract_name(name).expect("a short name");
        let kit = HostileTest {
            tcp: TcpListener::bind("[::]:0")
                .or_else(|_| TcpListener::bind("0.0.0.0:0"))
                .expect("a port"),
            udp: UdpSocket::bind("[::]:0")
                .or_else(|_| UdpSocket::bind("0.0.0.0:0"))
                .expect("a port"),
            stream: UnixListener::bind(folder.path().join("stream")).expect("a socket"),
            datagram: UnixDatagram::bind(folder.path().join("datagram")).expect("a socket"),
            abstract_stream: UnixListener::bind_addr(&abstract_name(&hidden[0])).expect("a socket"),
            abstract_datagram: UnixDatagram::bind_addr(&abstract_name(&hidden[1]))
                .expect("a socket"),
            hidden,
            folder,
            others,
            secret,
        };
        for name in ["stream", "datagram"] {
            let open = fs::Permissions::from_mode(0o777);
            fs::set_permissions(kit.folder.path().join(name), open).expect("our own");
        }
        kit.tcp.set_nonblocking(true).expect("a socket");
        kit.udp.set_nonblocking(true).expect("a socket");
        for listener in [&kit.stream, &kit.abstract_stream] {
            listener.set_nonblocking(true).expect("a socket");
        }
        for socket in [&kit.datagram, &kit.abstract_datagram] {
            socket.set_nonblocking(true).expect("a socket");
        }
        kit.fill_bot(binary, word);
        kit
    }

    fn bot(&self) -> PathBuf {
        self.folder.path().join("bot")
    }

    /// Fills the program's own folder, whose content everybody may change as far as the system
    /// allows.
    fn fill_bot(&self, binary: &Path, word: &str) {
        let bot = self.bot();
        fs::create_dir_all(bot.join("sub")).expect("made");
        fs::hard_link(binary, bot.join("hostile"))
            .or_else(|_| fs::copy(binary, bot.join("hostile")).map(drop))
            .expect("copied");
        fs::copy(binary, bot.join("suid")).expect("copied");
        fs::set_permissions(bot.join("suid"), fs::Permissions::from_mode(0o4755)).expect("our own");
        // Some megabytes.
        if word == "helper-name" {
            fs::copy(kit::helper(), bot.join("helper")).expect("copied");
        }
        for name in ["data", "sub/inner"] {
            fs::write(bot.join(name), "data").expect("written");
            fs::set_permissions(bot.join(name), fs::Permissions::from_mode(0o666))
                .expect("our own");
        }
        for name in ["", "sub"] {
            fs::set_permissions(bot.join(name), fs::Permissions::from_mode(0o777))
                .expect("our own");
        }
    }

    fn program(&self, word: &str, mark: &str, bystander: &Bystander) -> Program {
        let join = |list: Vec<PathBuf>| {
            list.iter()
                .map(|path| path.to_str().expect("ASCII").to_owned())
                .collect::<Vec<_>>()
                .join(":")
        };
        let mut canaries: Vec<PathBuf> = self
            .others
            .iter()
            .map(|place| place.path().join("canary"))
            .collect();
        canaries.push(self.folder.path().join("canary"));
        canaries.extend(["/etc/shadow", "/etc/hostname", "/root/.bashrc"].map(PathBuf::from));
        let at = |name: &str| {
            self.folder
                .path()
                .join(name)
                .to_str()
                .expect("ASCII")
                .to_owned()
        };
        let mut program = Program::new(
            [&format!("{}/hostile", self.bot().display()), word, mark],
            self.bot(),
        );
        program.limits = SMALL;
        program.cores = vec![first_core()];
        program.connects = word.starts_with("connected-");
        if word.starts_with("build-") {
            let out = self.folder.path().join("out");
            fs::create_dir(&out).expect("made");
            program = program.with_env("T_WRITES", &out);
            program.writes = vec![out];
        }
        program
            .with_env("T_FILES", join(canaries))
            .with_env("T_DIR", self.bot())
            .with_env("T_MARK", mark)
            .with_env("T_MIB", "256")
            .with_env("T_JUDGE", std::process::id().to_string())
            .with_env("T_SIBLING", bystander.child.process_id().to_string())
            .with_env("T_PARENT", bystander.helper.to_string())
            .with_env(
                "T_TCP",
                self.tcp.local_addr().expect("bound").port().to_string(),
            )
            .with_env(
                "T_UDP",
                self.udp.local_addr().expect("bound").port().to_string(),
            )
            .with_env("T_HOST", host_address())
            .with_env("T_STREAM", at("stream"))
            .with_env("T_DGRAM", at("datagram"))
            .with_env("T_ABSTRACT", format!("@{}", self.hidden[0]))
            .with_env("T_ABSTRACT_DGRAM", format!("@{}", self.hidden[1]))
    }

    /// The state of everything whose change means that an attack succeeded.
    fn look(&self) -> BTreeMap<String, String> {
        let mut seen = BTreeMap::new();
        for place in [self.folder.path()]
            .into_iter()
            .chain(self.others.iter().map(TempDir::path))
        {
            look_at(place, &mut seen);
        }
        let mut note = |name: &str, value: String| seen.insert(name.to_owned(), value);
        for file in ["limits", "oom_score_adj", "cgroup"] {
            note(
                file,
                fs::read_to_string(format!("/proc/self/{file}")).expect("there is a /proc"),
            );
        }
        let stat = fs::read_to_string(format!("/proc/{}/stat", std::process::id()))
            .expect("there is a /proc");
        let fields: Vec<&str> = stat[stat.rfind(')').expect("a name") + 1..]
            .split_ascii_whitespace()
            .collect();
        note(
            "priority, nice and policy",
            format!("{} {} {}", fields[15], fields[16], fields[38]),
        );
        note(
            "host",
            fs::read_to_string("/proc/sys/kernel/hostname").expect("there is a /proc"),
        );
        seen
    }

    /// Secrets in the output of the program, and the effects that it reports.
    fn what_was_said(&self, heard: &ChildOutput) -> Vec<String> {
        let all = format!("{}\n{}", heard.out, heard.err);
        let mut faults: Vec<String> = all
            .lines()
            .filter(|line| line.starts_with("BREACH"))
            .map(str::to_owned)
            .collect();
        if all.contains(&self.secret) {
            faults.push("it has read a secret".into());
        }
        if all.contains("LEITAI_TEST") || all.contains("CARGO") {
            faults.push("it has seen the judge's environment".into());
        }
        if heard.err.contains("no such attack") {
            faults.push(heard.err.clone());
        }
        faults
    }

    /// Connections to the sockets.
    fn connections(&self) -> Vec<String> {
        let mut byte = [0_u8; 1];
        let none = |result: io::Result<()>| {
            result.is_err_and(|error| error.kind() == io::ErrorKind::WouldBlock)
        };
        let sockets = [
            ("TCP", none(self.tcp.accept().map(drop))),
            ("UDP", none(self.udp.recv(&mut byte).map(drop))),
            ("stream", none(self.stream.accept().map(drop))),
            ("datagram", none(self.datagram.recv(&mut byte).map(drop))),
            (
                "abstract stream",
                none(self.abstract_stream.accept().map(drop)),
            ),
            (
                "abstract datagram",
                none(self.abstract_datagram.recv(&mut byte).map(drop)),
            ),
        ];
        sockets
            .into_iter()
            .filter(|(_, none)| !none)
            .map(|(name, _)| format!("it came to the socket {name}"))
            .collect()
    }
}

fn look_at(path: &Path, seen: &mut BTreeMap<String, String>) {
    let Ok(meta) = fs::symlink_metadata(path) else {
        return;
    };
    if path.ends_with("out") {
        // A build may write in this folder.
        return;
    }
    let text = if meta.is_file() {
        fs::read(path).unwrap_or_default().len().to_string()
    } else {
        String::new()
    };
    let facts = format!(
        "mode {:o} owner {} {} size {} {text} changed {} {} modified {} {}",
        meta.mode(),
        meta.uid(),
        meta.gid(),
        meta.size(),
        meta.ctime(),
        meta.ctime_nsec(),
        meta.mtime(),
        meta.mtime_nsec()
    );
    // The program itself is one file with many names, whose number varies.
    if !path.ends_with("hostile") {
        seen.insert(path.display().to_string(), facts);
    } else {
        seen.insert(
            path.display().to_string(),
            format!("{} {} {}", meta.mode(), meta.size(), meta.mtime()),
        );
    }
    if meta.is_dir() {
        for entry in fs::read_dir(path).into_iter().flatten().flatten() {
            look_at(&entry.path(), seen);
        }
    }
}

fn differences(before: &BTreeMap<String, String>, after: &BTreeMap<String, String>) -> Vec<String> {
    let names = before
        .keys()
        .chain(after.keys().filter(|name| !before.contains_key(*name)));
    let changed = names.filter(|name| before.get(*name) != after.get(*name));
    changed
        .map(|name| {
            format!(
                "{name} was {:?} and is {:?}",
                before.get(name),
                after.get(name)
            )
        })
        .collect()
}

fn first_core() -> usize {
    let status = fs::read_to_string("/proc/self/status").expect("there is a /proc");
    let list = status
        .lines()
        .find_map(|line| line.strip_prefix("Cpus_allowed_list:"))
        .expect("it says so")
        .trim();
    list.split([',', '-'])
        .next()
        .and_then(|core| core.parse().ok())
        .expect("there is a core")
}

/// A non-loopback address of this machine, if it has one.
fn host_address() -> String {
    let known = UdpSocket::bind("0.0.0.0:0").and_then(|socket| {
        socket.connect("192.0.2.1:9")?;
        socket.local_addr()
    });
    known
        .map(|address| address.ip().to_string())
        .unwrap_or_default()
}

/// Helpers do not read the output of a program.
#[test]
fn a_flood_does_not_fill_the_helper() {
    let (_source, binary) = kit::compiled(include_str!("hostile.c"), &["-lrt"]);
    for sandbox in kit::sandboxes() {
        let program = Program::new(
            [binary.to_str().expect("ASCII"), "flood"],
            binary.parent().expect("a folder"),
        )
        .with_limits(SMALL);
        let mut child = sandbox
            .spawn_program(&program, StdioKind::Separate)
            .expect("it starts");
        kit::note_helpers();
        let mut bytes = 0;
        while bytes < 32 << 20 {
            let mut heard = ChildOutput::default();
            assert!(heard.listen(&mut child, LONG, |out| out.len() > 1 << 20));
            bytes += heard.out.len() + heard.err.len();
        }
        let helper = kit::parent(child.process_id())
            .and_then(kit::parent)
            .expect("it runs");
        let status = fs::read_to_string(format!("/proc/{helper}/status")).expect("it runs");
        let peak = status
            .lines()
            .find_map(|line| line.strip_prefix("VmHWM:"))
            .expect("it says so");
        let kib: u64 = peak
            .trim()
            .trim_end_matches(" kB")
            .parse()
            .expect("a number");
        assert!(
            kib < 20_000,
            "tier {}: the helper holds {kib} KiB",
            sandbox.tier()
        );
        assert_eq!(
            child.kill_all().expect("our own child"),
            ExitReason::Signal(9)
        );
    }
}
