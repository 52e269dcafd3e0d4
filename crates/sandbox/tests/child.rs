//! A child of /bin/sh from its start to its end. Nothing sleeps: the tests wait for the closing of
//! a pipe.

use leitai_sandbox::{
    ExitReason, Program, Sandbox, SandboxLimits, SandboxedChild, SpawnError, StdioKind,
};
use rustix::event::{PollFd, PollFlags, Timespec};
use std::fs;
use std::os::fd::{AsFd, OwnedFd};
use std::time::Duration;

/// Far longer than any test needs on a busy machine; reached only by a failure.
const LONG: Duration = Duration::from_secs(120);

#[test]
fn the_exit_of_a_child_is_reported_as_value_and_text() {
    check_exit("exit 0", ExitReason::Code(0), "exit code 0");
    check_exit("exit 3", ExitReason::Code(3), "exit code 3");
    check_exit(
        "kill -SEGV $$",
        ExitReason::Signal(11),
        "signal 11 (SIGSEGV)",
    );
    check_exit("kill -40 $$", ExitReason::Signal(40), "signal 40");
}

fn check_exit(script: &str, exit: ExitReason, words: &str) {
    let mut child = shell(script);
    assert_eq!(
        child.wait_for(LONG).expect("our own child"),
        Some(exit),
        "{script}"
    );
    assert_eq!(
        child.try_wait().expect("our own child"),
        Some(exit),
        "a second query returns the same: {script}"
    );
    assert_eq!(
        child.kill_all().expect("our own child"),
        exit,
        "a kill after the end changes nothing: {script}"
    );
    assert_eq!(exit.to_string(), words);
}

/// However long the system takes to end a program whose output has ended, its exit is told; one that
/// goes on without output is not waited for.
#[test]
fn the_end_of_the_output_is_told_from_the_end_of_the_program() {
    for (script, exit) in [
        ("exit 3", Some(ExitReason::Code(3))),
        ("kill -SEGV $$", Some(ExitReason::Signal(11))),
        ("exec >&-; read line", None),
    ] {
        let mut child = shell(script);
        assert_eq!(read_all(child.stdout.take()), "");
        let ended = child.wait_after_output(Duration::ZERO);
        assert_eq!(ended.expect("our own child"), exit, "{script}");
        child.kill_all().expect("our own child");
    }
}

#[test]
fn the_streams_are_three_pipes() {
    let mut child = shell("read line; echo \"got $line\"; echo oops >&2");
    let stdin = child.stdin.take().expect("a pipe");
    assert_eq!(rustix::io::write(&stdin, b"hello\n"), Ok(6));
    assert_eq!(read_all(child.stdout.take()), "got hello\n");
    assert_eq!(read_all(child.stderr.take()), "oops\n");
}

#[test]
fn the_log_of_a_tool_is_one_pipe_in_the_order_of_writing() {
    let mut child = spawn(
        Program::new(sh("echo 1; echo 2 >&2; echo 3; cat"), "/"),
        StdioKind::Merged,
    );
    assert!(child.stdin.is_none() && child.stderr.is_none());
    assert_eq!(read_all(child.stdout.take()), "1\n2\n3\n");
}

#[test]
fn a_program_that_another_thread_has_just_written_starts() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("program");
    fs::write(&path, fs::read("/bin/true").expect("a program")).expect("written");
    let held = fs::OpenOptions::new()
        .append(true)
        .open(&path)
        .expect("our own");
    fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755))
        .expect("our own");
    std::thread::scope(|scope| {
        scope.spawn(move || {
            (0..1000).for_each(|_| std::thread::yield_now());
            drop(held);
        });
        let mut child = spawn(Program::new([path.clone()], "/"), StdioKind::Separate);
        assert_eq!(
            child.wait_for(LONG).expect("our own child"),
            Some(ExitReason::Code(0))
        );
    });
}

#[test]
fn reading_never_blocks() {
    let child = shell("cat");
    let mut byte = [0_u8; 1];
    let stdout = child.stdout.as_ref().expect("a pipe");
    assert_eq!(
        rustix::io::read(stdout, &mut byte),
        Err(rustix::io::Errno::AGAIN)
    );
}

#[test]
fn kill_ends_the_grandchildren_too() {
    let mut child = shell("tail -f /dev/null & echo up; wait");
    let stdout = child.stdout.take();
    assert_eq!(read_some(stdout.as_ref()), "up\n");
    assert_eq!(
        child.kill_all().expect("our own child"),
        ExitReason::Signal(9)
    );
    assert_eq!(
        read_all(stdout),
        "",
        "the grandchild would still hold the pipe"
    );
}

#[test]
fn processes_of_the_group_are_killed_at_the_end_of_the_program() {
    let mut child = shell("tail -f /dev/null & exit 5");
    let stdout = child.stdout.take();
    assert_eq!(
        child.wait_for(LONG).expect("our own child"),
        Some(ExitReason::Code(5))
    );
    assert_eq!(read_all(stdout), "");
}

#[test]
fn dropping_a_child_kills_it() {
    let mut child = shell("echo up; exec cat");
    let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
    assert_eq!(read_some(stdout.as_ref()), "up\n");
    drop(child);
    assert_eq!(read_all(stdout), "");
    drop(stdin);
}

#[test]
fn a_child_dies_with_the_thread_that_spawned_it() {
    let mut child = std::thread::spawn(|| shell("exec cat"))
        .join()
        .expect("spawning does not panic");
    assert_eq!(
        child.wait_for(LONG).expect("our own child"),
        Some(ExitReason::Signal(9))
    );
}

#[test]
fn waiting_gives_up_after_the_given_time() {
    let mut child = shell("exec cat");
    assert_eq!(
        child
            .wait_for(Duration::from_millis(1))
            .expect("our own child"),
        None
    );
    assert!(child.end_event().is_some() && child.process_id() > 1);
}

#[test]
fn the_environment_is_clean() {
    let program = Program::new(sh("env"), "/usr")
        .with_env("LANG", "C")
        .with_env("BOT", "7");
    let mut child = spawn(program, StdioKind::Separate);
    let seen = read_all(child.stdout.take());
    let mut names: Vec<_> = seen
        .lines()
        .filter_map(|line| line.split('=').next())
        .collect();
    names.retain(|name| !["_", "PWD", "OLDPWD", "SHLVL"].contains(name)); // set by the shell itself
    names.sort_unstable();
    assert_eq!(names, ["BOT", "HOME", "LANG", "PATH", "TMPDIR"]);
    assert!(
        seen.contains("LANG=C\n") && seen.contains("HOME=/usr\n") && seen.contains("PWD=/usr\n")
    );
}

#[test]
fn descriptors_of_the_judge_are_not_inherited() {
    // This pipe has no close-on-exec flag, as one that the judge inherited from its shell.
    let (read, write) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::NONBLOCK).expect("a pipe");
    let _child = shell("exec cat");
    drop(write);
    assert_eq!(
        read_all(Some(read)),
        "",
        "the child would hold the other end"
    );
}

#[test]
fn limits_are_enforced() {
    let limits = SandboxLimits {
        file: Some(1000),
        ..SandboxLimits::default()
    };
    check_limit(
        "head -c 5000 /dev/zero > big",
        limits,
        "signal 25 (SIGXFSZ)",
    );
    let limits = SandboxLimits {
        cpu_seconds: Some(1),
        ..SandboxLimits::default()
    };
    check_limit("while :; do :; done", limits, "signal 24 (SIGXCPU)");
    // The limit is twice the usage, plus the stack of a thread.
    let limits = SandboxLimits {
        memory: Some(20 << 20),
        processes: Some(1),
        ..SandboxLimits::default()
    };
    check_limit(
        "head -c 300000000 /dev/zero | tail -n 1 > big",
        limits,
        "exit code 1",
    );
}

fn check_limit(script: &str, limits: SandboxLimits, expected: &str) {
    let dir = tempfile::tempdir().expect("a folder");
    let words = [
        "/bin/sh".into(),
        "-c".into(),
        format!("{script}; s=$?; [ $s -le 128 ] || kill -$((s-128)) $$; exit $s"),
    ];
    let mut child = spawn(
        Program {
            limits,
            ..Program::new(words, dir.path())
        },
        StdioKind::Separate,
    );
    let exit = child
        .wait_for(LONG)
        .expect("our own child")
        .expect("it ends");
    assert_eq!(exit.to_string(), expected, "{script}");
}

#[test]
fn processor_time_is_measured() {
    let mut child = shell("i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done");
    assert!(child.cpu_time().is_some());
    child.wait_for(LONG).expect("our own child");
    assert!(child.cpu_time() > Some(Duration::ZERO));
}

#[test]
fn a_command_that_cannot_be_started_says_what_to_do() {
    let dir = tempfile::tempdir().expect("a folder");
    std::fs::write(dir.path().join("text"), "hello").expect("writable");
    let check = |argv: &[&str], folder: &str, words: &str| {
        let said = Sandbox::without_isolation()
            .spawn_program(
                &Program::new(argv.iter().copied(), folder),
                StdioKind::Separate,
            )
            .map(|_| ())
            .map_err(|error: SpawnError| error.to_string());
        assert!(
            said.as_ref().is_err_and(|said| said.contains(words)),
            "{argv:?}: {said:?}"
        );
    };
    let here = dir.path().to_str().expect("ASCII");
    check(&[], here, "give at least the name");
    check(&["/bin/true"], "/no/such/folder", "does not exist any more");
    check(&["no-such-program"], here, "check that the file exists");
    check(&["./text"], here, "chmod +x");
}

fn shell(script: &str) -> SandboxedChild {
    spawn(Program::new(sh(script), "/"), StdioKind::Separate)
}

fn sh(script: &str) -> [&str; 3] {
    ["/bin/sh", "-c", script]
}

fn spawn(program: Program, stdio: StdioKind) -> SandboxedChild {
    Sandbox::without_isolation()
        .spawn_program(&program, stdio)
        .expect("/bin/sh starts")
}

/// Reads until all writers have closed the pipe.
fn read_all(pipe: Option<OwnedFd>) -> String {
    let mut text = String::new();
    loop {
        let more = read_some(pipe.as_ref());
        if more.is_empty() {
            return text;
        }
        text += &more;
    }
}

/// Reads the next bytes, or nothing if all writers have closed the pipe.
fn read_some(pipe: Option<&OwnedFd>) -> String {
    let pipe = pipe.expect("a pipe").as_fd();
    let timeout = Timespec::try_from(LONG).expect("short enough");
    let ready = rustix::event::poll(&mut [PollFd::new(&pipe, PollFlags::IN)], Some(&timeout))
        .expect("poll works");
    assert_eq!(ready, 1, "nothing was written and the pipe stayed open");
    let mut bytes = [0_u8; 4096];
    let count = rustix::io::read(pipe, &mut bytes).expect("it is ready");
    String::from_utf8_lossy(&bytes[..count]).into_owned()
}
