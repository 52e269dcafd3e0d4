//! Start and end of programs in every tier that this machine offers: reported exits, enforced
//! limits, and no leftovers, whichever process is killed at whatever moment.

mod kit;

use kit::{ChildOutput, LONG};
use leitai_sandbox::{
    ExceededLimit, ExitReason, KeptFile, OwnedFolder, Program, Sandbox, SandboxLimits,
    SandboxedChild, SpawnError, StdioKind, Tier,
};
use rustix::io::Errno;
use rustix::process::{Pid, Signal};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const MIB: u64 = 1 << 20;
const NONE: [String; 0] = [];

fn each_tier(check: impl Fn(&Sandbox)) {
    for sandbox in kit::sandboxes() {
        let _told = ToldTier(sandbox.tier());
        check(sandbox);
    }
}

/// Says at a failure in which tier it was.
struct ToldTier(Tier);

impl Drop for ToldTier {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("in tier {}", self.0);
        }
    }
}

fn sh(script: &str) -> Program {
    Program::new(["/bin/sh", "-c", script], "/usr").with_limits(SandboxLimits::BOT)
}

fn spawn(sandbox: &Sandbox, program: &Program) -> SandboxedChild {
    let child = sandbox.spawn_program(program, StdioKind::Separate);
    kit::note_helpers();
    child.unwrap_or_else(|error| panic!("{error}"))
}

fn run(sandbox: &Sandbox, program: &Program) -> (ExitReason, ChildOutput) {
    let (exit, heard, _child) = kit::finish(spawn(sandbox, program));
    (exit, heard)
}

/// A program ends so and has written this.
#[track_caller]
fn check_run(sandbox: &Sandbox, program: &Program, code: i32, out: &str) {
    let (exit, heard) = run(sandbox, program);
    let seen = (exit, &*heard.out);
    assert_eq!(seen, (ExitReason::Code(code), out), "{}", heard.err);
}

/// Waits until a program has written exactly this.
#[track_caller]
fn wait_to_hear(child: &mut SandboxedChild, expected: &str) -> ChildOutput {
    let mut heard = ChildOutput::default();
    let is_it = heard.listen(child, LONG, |out| out == expected);
    assert!(is_it, "{} {}", heard.out, heard.err);
    heard
}

/// Why a program is not started.
#[track_caller]
fn refuse(sandbox: &Sandbox, program: &Program) -> SpawnError {
    let child = sandbox.spawn_program(program, StdioKind::Separate);
    child.map(|_| ()).expect_err("it is not started")
}

// ---- The tests of tests/child.rs, with isolation.

#[test]
fn the_exit_of_a_program_is_reported() {
    each_tier(|sandbox| {
        let rows = [
            ("exit 0", ExitReason::Code(0)),
            ("exit 3", ExitReason::Code(3)),
            ("kill -SEGV $$", ExitReason::Signal(11)),
            ("kill -40 $$", ExitReason::Signal(40)),
            ("kill -TERM $$", ExitReason::Signal(15)),
        ];
        for (script, exit) in rows {
            let mut child = spawn(sandbox, &sh(script));
            let ended = child.wait_for(LONG).expect("our own child");
            // A second query returns the same, and a kill after the end changes nothing.
            let again = child.try_wait().expect("our own child");
            let killed = child.kill_all().expect("our own child");
            assert_eq!([ended, again, Some(killed)], [Some(exit); 3], "{script}");
            assert_eq!(child.exceeded_limit(), None, "{script}");
        }
    });
}

/// What a program does with the file that it keeps, and what it says; what is kept then of "old".
const KEEPERS: [(&str, &str, Option<&str>); 7] = [
    (
        "cat $LEITAI_KEPT; printf new > $LEITAI_KEPT",
        "old",
        Some("new"),
    ),
    ("true", "", Some("old")),
    ("head -c 1048577 /dev/zero > $LEITAI_KEPT", "", None),
    // A file with a hole is as long as it says, and bounded as every file is.
    (
        "dd if=/dev/null of=$LEITAI_KEPT bs=1M seek=8 2>&-",
        "",
        None,
    ),
    (
        "dd if=/dev/null of=$LEITAI_KEPT bs=1M seek=99999 2>&-",
        "",
        Some("old"),
    ),
    // It has no name and no folder: no link, device or further file takes its place.
    (
        "rm -f $LEITAI_KEPT; ln -sf /etc/passwd $LEITAI_KEPT; mkdir $LEITAI_KEPT/x",
        "",
        Some("old"),
    ),
    (
        "cp /bin/sh $LEITAI_KEPT; : > $LEITAI_KEPT; chmod +x $LEITAI_KEPT",
        "",
        Some(""),
    ),
];

#[test]
fn a_program_keeps_one_bounded_file_and_nothing_else() {
    let open = [Sandbox::without_isolation()];
    for sandbox in kit::sandboxes().iter().chain(&open) {
        for (script, said, left) in KEEPERS {
            let kept = KeptFile::with_content(b"old").expect("memory");
            let program = Program {
                kept: Some(kept.clone()),
                ..sh(&format!("{{ {script}; }} 2>/dev/null"))
            };
            let (_, heard) = run(sandbox, &program);
            let context = format!("{script}: {}", heard.err);
            assert_eq!(heard.out, said, "{context}");
            let read = kept.read().expect("it can be read");
            let read = read.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
            assert_eq!(read.as_deref(), left, "{context}");
        }
        // Nobody else has it.
        check_run(sandbox, &sh("echo ${LEITAI_KEPT-nothing}"), 0, "nothing\n");
    }
}

/// As a package manager does with `/etc/ld.so.cache` while bots start. Tier C has no view of its own: it
/// allows the file that was there at the start.
#[test]
fn a_file_that_is_replaced_all_the_time_stops_no_start() {
    let folder = tempfile::tempdir().expect("a folder");
    let (file, fresh) = (folder.path().join("file"), folder.path().join("fresh"));
    fs::write(&file, "here\n").expect("our own");
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let begun = Instant::now();
            while !is_over.load(Ordering::Relaxed) && begun.elapsed() < LONG / 8 {
                fs::write(&fresh, "here\n").expect("our own");
                fs::rename(&fresh, &file).expect("our own");
            }
        });
        let with_view = |sandbox: &&Sandbox| sandbox.tier() != Tier::C;
        for sandbox in kit::sandboxes().iter().filter(with_view) {
            let program = Program {
                reads: vec![file.clone()],
                ..sh(&format!("cat {}", file.display()))
            };
            for _ in 0..20 {
                let (_, heard) = run(sandbox, &program);
                assert_eq!(heard.out, "here\n", "{}", heard.err);
            }
        }
        is_over.store(true, Ordering::Relaxed);
    });
}

#[test]
fn a_process_that_lives_on_does_not_reach_the_next_game() {
    let sandbox = Sandbox::without_isolation();
    let (before, after) = (
        KeptFile::with_content(b"old").expect("memory"),
        KeptFile::with_content(b"next").expect("memory"),
    );
    let with = |kept: &KeptFile, script: &str| Program {
        kept: Some(kept.clone()),
        ..sh(script)
    };
    // It still writes while the next program runs, into its own file.
    let script = "echo up; while :; do echo late >> $LEITAI_KEPT || exit; done";
    let mut late = spawn(&sandbox, &with(&before, script));
    let mut heard = ChildOutput::default();
    assert!(heard.listen(&mut late, LONG, |out| out.contains("up")));
    let (_, heard) = run(&sandbox, &with(&after, "cat $LEITAI_KEPT"));
    assert_eq!(heard.out, "next");
    assert_eq!(after.read().expect("readable"), Some(b"next".to_vec()));
    late.kill_all().expect("our own child");
}

#[test]
fn the_streams_are_three_pipes() {
    each_tier(|sandbox| {
        let script = "read line; echo \"got $line\"; echo oops >&2; echo named >/dev/stderr; cat";
        let mut child = spawn(sandbox, &sh(script));
        let stdin = child.stdin.take().expect("a pipe");
        let mut byte = [0_u8; 1];
        let stdout = child.stdout.as_ref().expect("a pipe");
        let read = rustix::io::read(stdout, &mut byte);
        assert_eq!(read, Err(Errno::AGAIN), "a read never blocks");
        assert_eq!(rustix::io::write(&stdin, b"hello\n"), Ok(6));
        let mut heard = wait_to_hear(&mut child, "got hello\n");
        drop(stdin);
        // Closing the input ends the program.
        assert!(heard.listen_to_the_end(&mut child));
        let said = (&*heard.out, &*heard.err);
        assert_eq!(said, ("got hello\n", "oops\nnamed\n"));
    });
}

#[test]
fn the_log_of_a_tool_is_one_pipe_in_the_order_of_writing() {
    each_tier(|sandbox| {
        let tool = sh("echo 1; echo 2 >&2; echo 3; cat");
        let child = sandbox.spawn_program(&tool, StdioKind::Merged);
        let child = child.expect("it starts");
        assert!(child.stdin.is_none() && child.stderr.is_none());
        let (exit, heard, _child) = kit::finish(child);
        assert_eq!((exit, &*heard.out), (ExitReason::Code(0), "1\n2\n3\n"));
    });
}

#[test]
fn a_write_to_a_closed_pipe_ends_the_program() {
    each_tier(|sandbox| {
        let mut child = spawn(sandbox, &sh("while :; do echo x || exit 9; done"));
        drop(child.stdout.take());
        let exit = child.wait_for(LONG).expect("our own child");
        assert_eq!(exit, Some(ExitReason::Signal(13)));
    });
}

#[test]
fn kill_and_drop_end_the_grandchildren_too() {
    each_tier(|sandbox| {
        let mut child = spawn(sandbox, &sh("tail -f /dev/null & echo up; wait"));
        let mut heard = wait_to_hear(&mut child, "up\n");
        let exit = child.kill_all().expect("our own child");
        assert_eq!(exit, ExitReason::Signal(9));
        assert!(
            heard.listen_to_the_end(&mut child),
            "the grandchild would still hold the pipe"
        );
        let mut child = spawn(sandbox, &sh("tail -f /dev/null & echo up; wait"));
        let stdout = child.stdout.take().expect("a pipe");
        assert!(kit::ready(&[stdout.as_fd()], LONG));
        drop(child);
        let mut text = String::new();
        let mut stdout = Some(stdout);
        kit::read_what_is_there(&mut stdout, &mut text);
        assert!(stdout.is_none(), "a process still holds the pipe");
    });
}

#[test]
fn processes_are_killed_at_the_end_of_the_program() {
    each_tier(|sandbox| {
        check_run(sandbox, &sh("tail -f /dev/null & exit 5"), 5, "");
    });
}

#[test]
fn a_child_outlives_the_thread_that_spawned_it() {
    each_tier(|sandbox| {
        let mut child = std::thread::scope(|scope| {
            scope
                .spawn(|| spawn(sandbox, &sh("exec cat")))
                .join()
                .expect("it starts")
        });
        let stdin = child.stdin.take().expect("a pipe");
        assert_eq!(rustix::io::write(&stdin, b"hello\n"), Ok(6));
        wait_to_hear(&mut child, "hello\n");
        assert_eq!(
            child
                .wait_for(Duration::from_millis(1))
                .expect("our own child"),
            None,
            "the program waits for more input"
        );
        drop(stdin);
        assert_eq!(
            child.wait_for(LONG).expect("our own child"),
            Some(ExitReason::Code(0))
        );
    });
}

#[test]
fn the_environment_is_clean_and_the_programs_own_wins() {
    each_tier(|sandbox| {
        let program = sh("env")
            .with_env("LANG", "C")
            .with_env("BOT", "7")
            .with_env("BOT", "8");
        let (_, heard) = run(sandbox, &program);
        let mut names: Vec<_> = heard
            .out
            .lines()
            .filter_map(|line| line.split('=').next())
            .collect();
        names.retain(|name| !["_", "PWD", "OLDPWD", "SHLVL"].contains(name)); // set by the shell itself
        names.sort_unstable();
        assert_eq!(
            names,
            ["BOT", "HOME", "LANG", "PATH", "TMPDIR"],
            "{}",
            heard.out
        );
        assert!(
            heard.out.contains("LANG=C\n") && heard.out.contains("BOT=8\n"),
            "{}",
            heard.out
        );
        let home = sh("echo $HOME").with_env("HOME", "/usr");
        check_run(sandbox, &home, 0, "/usr\n");
    });
}

#[test]
fn a_program_runs_in_a_home_with_links_to_its_files() {
    each_tier(|sandbox| {
        let folder = kit::open_folder();
        fs::write(folder.path().join("data"), "mine\n").expect("written");
        let script = "cat data; echo x >new; cat new; [ \"$PWD\" = \"$HOME\" ] && echo home; echo t >$TMPDIR/t && echo temp; (echo y >data) 2>/dev/null || echo kept";
        let program = Program {
            dir: folder.path().to_owned(),
            ..sh(script)
        };
        let (exit, heard) = run(sandbox, &program);
        assert_eq!(heard.out, "mine\nx\nhome\ntemp\nkept\n", "{}", heard.err);
        assert_eq!(exit, ExitReason::Code(0));
        assert!(!folder.path().join("new").exists());
    });
}

/// The command line of a program, which everybody can read, contains its folder.
#[test]
fn no_other_user_or_program_can_read_the_folder_of_a_running_program() {
    each_tier(|sandbox| {
        let outer = OwnedFolder::new().expect("a folder");
        let room = OwnedFolder::make_inside(outer.folder_path(), "bot-").expect("a folder");
        let dir = room.folder_path().join("files");
        fs::create_dir(&dir).expect("made");
        fs::write(dir.join("source"), "secret").expect("written");
        for place in [outer.folder_path(), &dir] {
            fs::write(place.join("run"), "#!/bin/sh\ncat source; read line\n").expect("written");
            fs::set_permissions(place.join("run"), fs::Permissions::from_mode(0o755))
                .expect("our own");
        }
        let program = Program::new([dir.join("run")], &dir).with_limits(SandboxLimits::BOT);
        let mut child = spawn(sandbox, &program);
        wait_to_hear(&mut child, "secret");
        for place in [outer.folder_path(), room.folder_path()] {
            assert_eq!(
                fs::metadata(place).expect("it is there").mode() & 0o067,
                0,
                "{}",
                place.display()
            );
        }
        let script = format!(
            "cat {0}/source; ls {0} {1}; cat {2}/run",
            dir.display(),
            room.folder_path().display(),
            outer.folder_path().display()
        );
        for beside in ["beside", "elsewhere"] {
            // Another program of the judge, in its own folder.
            let other = OwnedFolder::make_inside(outer.folder_path(), beside).expect("a folder");
            let looks = Program::new(["/bin/sh", "-c", &script], other.folder_path())
                .with_limits(SandboxLimits::BOT);
            let (_, heard) = run(sandbox, &looks);
            assert_eq!(heard.out, "");
        }
        if kit::is_root() {
            let mut stranger = Command::new("/bin/sh");
            let said = stranger
                .args(["-c", &script])
                .uid(65534)
                .gid(65534)
                .output()
                .expect("it starts");
            assert_eq!(String::from_utf8_lossy(&said.stdout), "", "another user");
        }
    });
}

#[test]
fn a_path_with_dots_means_the_folder_that_it_leads_to() {
    each_tier(|sandbox| {
        let folder = kit::open_folder();
        for name in ["bot", "other"] {
            fs::create_dir(folder.path().join(name)).expect("made");
        }
        let file = folder.path().join("bot/run");
        fs::write(&file, "#!/bin/sh\ncat data\n").expect("written");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).expect("our own");
        fs::write(folder.path().join("bot/data"), "hello").expect("written");
        let dir = folder.path().join("other/../bot");
        let program = Program::new([dir.join("run")], &dir).with_limits(SandboxLimits::BOT);
        check_run(sandbox, &program, 0, "hello");
    });
}

#[test]
fn a_program_with_more_files_than_are_linked_runs_among_them() {
    each_tier(|sandbox| {
        let folder = kit::open_folder();
        for number in 0..600 {
            fs::write(folder.path().join(format!("file-{number}")), "").expect("written");
        }
        let program = Program {
            dir: folder.path().to_owned(),
            ..sh("ls | wc -l")
        };
        let (exit, heard) = run(sandbox, &program);
        assert_eq!((heard.out.trim(), exit), ("600", ExitReason::Code(0)));
    });
}

// ---- Failing starts.

#[test]
fn a_program_that_cannot_be_started_says_why() {
    each_tier(|sandbox| {
        let folder = kit::open_folder();
        let make = |name: &str, text: &[u8], mode: u32| {
            fs::write(folder.path().join(name), text).expect("written");
            let mode = fs::Permissions::from_mode(mode);
            fs::set_permissions(folder.path().join(name), mode).expect("our own");
        };
        make("text", b"hello", 0o644);
        make("no-format", b"hello", 0o755);
        make("no-interpreter", b"#!/no/such/thing\n", 0o755);
        make("half", b"\x7fELF\x02\x01\x01", 0o755);
        // A valid header for another processor.
        let (start, kind) = (b"\x7fELF\x02\x01\x01", [2, 0, 243_u8.wrapping_add(9), 0]);
        let foreign = [&start[..], &[0; 9], &kind, &[0; 44]].concat();
        make("foreign", &foreign, 0o755);
        fs::create_dir(folder.path().join("folder")).expect("made");
        let (missing, wrong) = (
            "check that the file exists",
            "not a program for this machine",
        );
        let rows = [
            ("no-such-program", libc::ENOENT, missing),
            ("./no-such-program", libc::ENOENT, missing),
            ("./no-interpreter", libc::ENOENT, "interpreter"),
            ("./text", libc::EACCES, "chmod +x"),
            ("./folder", libc::EACCES, "chmod +x"),
            ("./no-format", libc::ENOEXEC, wrong),
            ("./half", libc::ENOEXEC, wrong),
            ("./foreign", libc::ENOEXEC, wrong),
        ];
        for (word, errno, advice) in rows {
            let program = Program::new([word], folder.path()).with_limits(SandboxLimits::BOT);
            let error = refuse(sandbox, &program);
            assert!(error.to_string().contains(advice), "{word}: {error}");
            let SpawnError::Refused { source, .. } = error else {
                panic!("{word}: {error:?}")
            };
            assert_eq!(source.raw_os_error(), Some(errno), "{word}");
        }
        let none = refuse(sandbox, &Program::new([""; 0], "/usr"));
        assert!(matches!(none, SpawnError::NoCommand), "{none}");
        let nowhere = refuse(sandbox, &Program::new(["/bin/true"], "/no/such/folder"));
        assert!(matches!(nowhere, SpawnError::NoFolder { .. }), "{nowhere}");
        let refused = |program: Program, why: &str| {
            // No program is shown what belongs to others.
            let said = refuse(sandbox, &program).to_string();
            assert!(said.contains(why), "{said}");
        };
        refused(Program::new(["/bin/true"], "/"), "which is everything");
        let everything = Program::new(["/bin/true"], "/usr/..");
        refused(everything, "which is everything");
        refused(Program::new(["/bin/true"], "/tmp"), "belongs to others");
        for (read, why) in [
            ("/usr/..", "without `..`"),
            ("/etc", "belongs to others"),
            ("/proc/self/root", "belongs to others"),
        ] {
            let mut program = Program::new(["/bin/true"], "/usr");
            program.reads.push(read.into());
            refused(program, why);
        }
        assert_eq!(kit::leftovers(), NONE);
    });
}

#[test]
fn long_commands_and_environments_arrive_whole_or_are_refused() {
    each_tier(|sandbox| {
        let long = "x".repeat(20_000);
        let sizes = ["/bin/sh", "-c", "echo ${#1} ${#LONG}", "sh", &long];
        let sizes = Program::new(sizes, "/usr").with_env("LONG", &long);
        check_run(sandbox, &sizes, 0, "20000 20000\n");
        let words = ["/bin/sh", "-c", "echo $#", "sh"].map(str::to_owned);
        let many = (0..2000).map(|number| format!("word{number}"));
        let many = Program::new(words.into_iter().chain(many), "/usr");
        check_run(sandbox, &many, 0, "2000\n");
        let endless = Program::new(["/bin/echo".to_owned(), "x".repeat(4 << 20)], "/usr");
        let said = refuse(sandbox, &endless).to_string();
        assert!(said.contains("bytes"), "{said}");
        let zero = refuse(sandbox, &Program::new(["/bin/echo", "a\0b"], "/usr"));
        assert!(matches!(zero, SpawnError::Refused { .. }), "{zero}");
    });
}

// ---- Limits.

#[test]
fn limits_are_enforced_in_every_tier() {
    each_tier(|sandbox| {
        let limits = SandboxLimits {
            open_files: Some(50),
            file: Some(1 << 20),
            ..SandboxLimits::BOT
        };
        let tell = sh("ulimit -n; ulimit -c").with_limits(limits);
        check_run(sandbox, &tell, 0, "50\n0\n");
        let write = sh("exec head -c 5000000 /dev/zero > big").with_limits(limits);
        let (exit, _) = run(sandbox, &write);
        assert_eq!(exit, ExitReason::Signal(25), "SIGXFSZ");
        let limits = SandboxLimits {
            cpu_seconds: Some(1),
            ..SandboxLimits::BOT
        };
        let (exit, _) = run(sandbox, &sh("while :; do :; done").with_limits(limits));
        assert_eq!(exit, ExitReason::Signal(24), "SIGXCPU");
        let limits = SandboxLimits {
            memory: Some(48 * MIB),
            ..SandboxLimits::BOT
        };
        let eat = sh("exec tail -n 1 /dev/zero").with_limits(limits);
        let (exit, heard, child) = kit::finish(spawn(sandbox, &eat));
        let refused = heard.err.contains("memory exhausted") && exit == ExitReason::Code(1);
        assert!(
            child.exceeded_limit() == Some(ExceededLimit::Memory)
                || (refused && sandbox.tier() != Tier::A),
            "{exit} {:?} {}",
            child.exceeded_limit(),
            heard.err
        );
        let mut program = sh("grep Cpus_allowed_list /proc/self/status || nproc");
        program.cores = vec![0];
        let (_, heard) = run(sandbox, &program);
        let expected = if sandbox.tier() == Tier::C {
            "1\n"
        } else {
            "Cpus_allowed_list:\t0\n"
        };
        assert_eq!(heard.out, expected);
    });
}

// ---- Connections.

#[test]
fn a_program_that_connects_reaches_the_judge() {
    each_tier(|sandbox| {
        let python = "import socket, sys; s = socket.create_connection((sys.argv[1], int(sys.argv[2]))); s.sendall(b'hello'); print(s.recv(9))";
        let mut program = Program::new(["/usr/bin/python3", "-c", python], "/usr")
            .with_limits(SandboxLimits::BOT);
        if !Path::new("/usr/bin/python3").exists() {
            eprintln!("skipped: a program that connects needs /usr/bin/python3");
            return;
        }
        program.connects = true;
        let mut child = spawn(sandbox, &program);
        let listener = child.listener.take().expect("it was asked for");
        assert!(kit::ready(&[listener.as_fd()], LONG), "no program connects");
        let (mut connection, _) = std::net::TcpListener::from(listener)
            .accept()
            .expect("somebody is there");
        connection.set_nonblocking(false).expect("a socket");
        let mut bytes = [0; 5];
        connection.read_exact(&mut bytes).expect("it says hello");
        connection.write_all(b"well").expect("it listens");
        let (exit, heard, _child) = kit::finish(child);
        assert_eq!(
            (exit, heard.out.as_str()),
            (ExitReason::Code(0), "b'well'\n"),
            "{}",
            heard.err
        );
    });
}

// ---- Many programs.

#[test]
fn a_hundred_programs_in_a_row_leave_nothing() {
    each_tier(|sandbox| {
        for number in 0..100 {
            let code = number % 7;
            let mut child = spawn(sandbox, &sh(&format!("tail -f /dev/null & exit {code}")));
            match number % 3 {
                0 => {
                    let exit = child.wait_for(LONG).expect("our own child");
                    assert_eq!(exit, Some(ExitReason::Code(code)));
                }
                1 => drop(child.kill_all()),
                _ => drop(child),
            }
        }
    });
    assert_eq!(kit::leftovers(), NONE);
}

#[test]
fn two_programs_do_not_see_each_other() {
    each_tier(|sandbox| {
        let mut one = spawn(sandbox, &sh("exec cat"));
        let script = format!(
            "kill -9 {} 2>/dev/null; kill -9 -{} 2>/dev/null; ls /proc 2>/dev/null | grep -c '^[0-9]'; echo done",
            one.process_id(),
            one.process_id()
        );
        let (_, heard) = run(sandbox, &sh(&script));
        // The init, the shell, ls and grep of the sandbox.
        let seen: u32 = heard
            .out
            .lines()
            .next()
            .and_then(|line| line.parse().ok())
            .expect("a number");
        assert!(seen <= 4, "{seen} processes are seen");
        assert_eq!(
            one.try_wait().expect("our own child"),
            None,
            "the program was killed"
        );
    });
}

#[test]
fn many_programs_start_at_once() {
    each_tier(|sandbox| {
        std::thread::scope(|scope| {
            for thread in 0..6 {
                scope.spawn(move || {
                    for number in 0..5 {
                        let word = format!("{thread}.{number}");
                        let (exit, heard) = run(sandbox, &sh(&format!("echo {word}")));
                        assert_eq!(
                            (exit, heard.out),
                            (ExitReason::Code(0), format!("{word}\n"))
                        );
                    }
                });
            }
        });
    });
}

// ---- SIGKILL.

fn process_id(pid: u32) -> Pid {
    Pid::from_raw(i32::try_from(pid).expect("a number")).expect("not 0")
}

fn signal(pid: u32, kind: Signal) -> rustix::io::Result<()> {
    rustix::process::kill_process(process_id(pid), kind)
}

#[test]
fn killing_the_helper_ends_the_program() {
    each_tier(|sandbox| {
        let mark = format!("helper-mark-{}-{}", std::process::id(), sandbox.tier());
        let mut child = spawn(
            sandbox,
            &Program::new(
                [
                    "/bin/sh",
                    "-c",
                    "(trap '' TERM; tail -f /dev/null) & echo up; cat; wait",
                    &mark,
                ],
                "/usr",
            )
            .with_limits(SandboxLimits::BOT),
        );
        let mut heard = wait_to_hear(&mut child, "up\n");
        let helper = kit::parent(child.process_id()).and_then(kit::parent);
        signal(helper.expect("it runs"), Signal::KILL).expect("our own child");
        assert_eq!(
            child.wait_for(LONG).expect("our own child"),
            Some(ExitReason::Signal(9))
        );
        assert!(
            heard.listen_to_the_end(&mut child),
            "a process still holds the pipe"
        );
        drop(child);
        assert_eq!(kit::processes_with(&mark), NONE);
        assert_eq!(kit::leftovers(), NONE);
    });
}

/// Who is killed is forgotten: programs that run go on, and the next one gets a new spawner.
#[test]
fn killing_the_spawner_harms_no_program() {
    each_tier(|sandbox| {
        // A spawner of its own, which no other test uses.
        let folder = tempfile::tempdir().expect("a folder");
        let binary = folder.path().join("helper");
        fs::copy(kit::helper(), &binary).expect("copied");
        let sandbox = Sandbox::of_tier(&binary, sandbox.tier()).expect("it was offered");
        let cat = Program::new(["/bin/cat"], "/usr").with_limits(SandboxLimits::BOT);
        let mut before = spawn(&sandbox, &cat);
        let helper = kit::parent(before.process_id()).and_then(kit::parent);
        let helper = helper.expect("it runs");
        let spawner = kit::parent(helper).expect("it runs");
        assert!(kit::is_spawner(spawner));
        signal(spawner, Signal::KILL).expect("our own child");
        let mut after = spawn(&sandbox, &cat);
        for child in [&mut before, &mut after] {
            let mut heard = ChildOutput::default();
            rustix::io::write(child.stdin.as_ref().expect("a pipe"), b"up\n").expect("it reads");
            assert!(heard.listen(child, LONG, |out| out == "up\n"));
            child.kill_all().expect("our own child");
        }
        let helper = format!("/proc/{helper}");
        assert!(
            within(LONG, || !Path::new(&helper).exists()),
            "its helper ended with the program"
        );
    });
}

/// A program runs on the cores of the thread that started it, whichever thread started the spawner.
#[test]
fn programs_get_the_cores_of_their_judges_thread() {
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
    let all = sched_getaffinity(None).expect("Linux tells");
    let cores = (0..CpuSet::MAX_CPU).filter(|core| all.is_set(*core));
    each_tier(|sandbox| {
        for core in cores.clone() {
            let mut one = CpuSet::new();
            one.set(core);
            sched_setaffinity(None, &one).expect("one of its cores");
            let child = spawn(
                sandbox,
                &Program::new(["/bin/cat"], "/usr").with_limits(SandboxLimits::BOT),
            );
            let its = sched_getaffinity(Some(process_id(child.process_id())));
            let its = its.expect("it runs");
            assert_eq!((its.count(), its.is_set(core)), (1, true), "core {core}");
        }
        sched_setaffinity(None, &all).expect("as before");
    });
}

/// A judge that starts bots until it is killed; part of the next test.
#[test]
fn a_judge_to_be_killed() {
    let Ok(tier) = std::env::var("LEITAI_TEST_JUDGE") else {
        return;
    };
    let mark = std::env::var("LEITAI_TEST_MARK").expect("given with it");
    let sandbox =
        Sandbox::of_tier(&kit::helper(), tier.parse().expect("a tier")).expect("it was offered");
    let program = Program::new(
        [
            "/bin/sh",
            "-c",
            "tail -f /dev/null & tail -f /dev/null & echo up; cat; wait",
            &mark,
        ],
        "/usr",
    )
    .with_limits(SandboxLimits::BOT);
    let mut before: Option<SandboxedChild> = None;
    println!("begun");
    loop {
        let mut child = sandbox
            .spawn_program(&program, StdioKind::Separate)
            .expect("it starts");
        println!("event start");
        wait_to_hear(&mut child, "up\n");
        println!("event up");
        // At most two bots at a time; the older one ends.
        drop(before.replace(child));
        println!("event end");
    }
}

#[test]
fn killing_the_judge_at_any_moment_leaves_nothing() {
    const MOMENTS: u32 = 36;
    each_tier(|sandbox| {
        let mark = &format!("judge-mark-{}-{}", std::process::id(), sandbox.tier());
        let kill = |first: u32| {
            let moments = (first..MOMENTS).step_by(4);
            let killed = moments.map(|moment| kill_a_judge(sandbox.tier(), mark, moment));
            killed.collect::<Vec<Vec<u32>>>()
        };
        let judges = std::thread::scope(|scope| {
            let threads = [0, 1, 2, 3].map(|first| scope.spawn(move || kill(first)));
            threads.map(|thread| thread.join().expect("judges are killed"))
        });
        let judges = judges.concat();
        // Helpers notice the judge's end by themselves.
        assert!(
            within(LONG, || kit::processes_with(mark).is_empty()),
            "{:?}",
            kit::processes_with(mark)
        );
        assert!(
            within(LONG, || left_by(&judges).is_empty()),
            "{:?}",
            left_by(&judges)
        );
    });
}

/// A judge that starts bots, and what it says.
fn start_judge(tier: Tier, mark: &str) -> (Child, impl Iterator<Item = String>) {
    let mut command = Command::new(std::env::current_exe().expect("known"));
    command.args(["a_judge_to_be_killed", "--exact", "--nocapture"]);
    command.env("LEITAI_TEST_JUDGE", tier.to_string());
    command
        .env("LEITAI_TEST_MARK", mark)
        .env("LEITAI_TEST_HELPER", kit::helper());
    let judge = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
    let mut judge = judge.expect("it starts");
    let lines = BufReader::new(judge.stdout.take().expect("a pipe")).lines();
    (judge, lines.map_while(Result::ok))
}

/// Starts a judge, kills it at some moment after an event, and returns the helpers that it had.
fn kill_a_judge(tier: Tier, mark: &str, moment: u32) -> Vec<u32> {
    let (mut judge, lines) = start_judge(tier, mark);
    let mut events = lines.filter(|line| line.starts_with("event") || line == "begun");
    for _ in 0..=moment % 7 {
        events.next().expect("it goes on");
    }
    // Varies the moment within a start by a number of clock reads.
    for _ in 0..(moment / 7) * 400 {
        std::hint::black_box(std::time::Instant::now());
    }
    let below = kit::family(judge.id());
    judge.kill().expect("our own child");
    judge.wait().expect("our own child");
    below
}

fn left_by(judges: &[Vec<u32>]) -> Vec<String> {
    let ours = |name: &str| {
        name.strip_prefix("leitai-")
            .and_then(|rest| rest.split('-').nth(1)?.parse().ok())
            .is_some_and(|pid: u32| judges.iter().flatten().any(|helper| *helper == pid))
    };
    let places = kit::control_groups()
        .into_iter()
        .chain(["/tmp".into(), "/var/tmp".into()]);
    let entries = places
        .filter_map(|place| fs::read_dir(place).ok())
        .flatten()
        .flatten();
    entries
        .filter(|entry| ours(&entry.file_name().to_string_lossy()))
        .map(|entry| entry.path().display().to_string())
        .collect()
}

/// Polls until the condition is true or the time is over, because no event reports it.
fn within(time: Duration, true_yet: impl Fn() -> bool) -> bool {
    let start = std::time::Instant::now();
    loop {
        if true_yet() {
            return true;
        }
        if start.elapsed() > time {
            return false;
        }
        std::thread::park_timeout(Duration::from_millis(5));
    }
}

/// The helper and the judge are killed at the same moment, as by `pkill -9 leitai`; the next
/// sandbox removes the leftovers.
#[test]
fn the_next_sandbox_removes_the_leftovers_of_a_kill_of_everything() {
    each_tier(|sandbox| {
        let mark = format!("both-mark-{}-{}", std::process::id(), sandbox.tier());
        let mut seen = Vec::new();
        for moment in 2..6 {
            let (mut judge, lines) = start_judge(sandbox.tier(), &mark);
            let mut events = lines.filter(|line| line.starts_with("event"));
            for _ in 0..moment {
                events.next().expect("it goes on");
            }
            // All are stopped first, so that none can clean up; then all are killed.
            let below = kit::family(judge.id());
            let helpers: Vec<u32> = below
                .iter()
                .copied()
                .filter(|pid| {
                    let parent = kit::parent(*pid);
                    parent == Some(judge.id()) || parent.is_some_and(kit::is_spawner)
                })
                .collect();
            for kind in [Signal::STOP, Signal::KILL] {
                for pid in [judge.id()].into_iter().chain(helpers.iter().copied()) {
                    let _ = signal(pid, kind);
                }
            }
            judge.wait().expect("our own child");
            seen.push(helpers);
        }
        let gone = |pid: &u32| {
            !Path::new(&format!("/proc/{pid}")).exists()
                || fs::read(format!("/proc/{pid}/cmdline")).is_ok_and(|line| line.is_empty())
        };
        assert!(
            within(LONG, || seen.iter().flatten().all(gone)),
            "the helpers end"
        );
        Sandbox::of_tier(&kit::helper(), sandbox.tier()).expect("it was offered");
        assert!(
            within(LONG, || kit::processes_with(&mark).is_empty()),
            "{:?}",
            kit::processes_with(&mark)
        );
        assert_eq!(left_by(&seen), NONE);
    });
}

/// Both have the user id of a program whose helper is dead, counted in this process id namespace; the one in a container has a
/// helper there, which is none of ours.
#[test]
fn leftovers_are_ended_and_programs_in_containers_are_not() {
    if !kit::may_everything() {
        return eprintln!("skipped: only root may start programs as other users");
    }
    const USER: &str = "1904194303";
    let mut started = [&["unshare", "--pid", "--fork"][..], &["env"]].map(|around| {
        let mut process = Command::new(around[0])
            .args(&around[1..])
            .args([
                "setpriv",
                "--reuid",
                USER,
                "--regid",
                USER,
                "--clear-groups",
            ])
            .args(["sh", "-c", "echo here; read line; echo alive"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("util-linux is there");
        let lines = BufReader::new(process.stdout.take().expect("a pipe")).lines();
        (process, lines)
    });
    for (_, lines) in &mut started {
        // The sandbox of another test may have ended the leftover already.
        lines.next();
    }
    Sandbox::of_tier(&kit::helper(), Tier::C).expect("root has every tier");
    let alive = started.map(|(mut process, mut lines)| {
        drop(process.stdin.take());
        let said = lines.next().is_some();
        process.wait().expect("our own child");
        said
    });
    assert_eq!(alive, [true, false]);
}

#[test]
fn the_lifecycle_for_an_ordinary_user() {
    kit::again_as_nobody(&[
        "the_exit_of_a_program_is_reported",
        "the_streams_are_three_pipes",
        "the_environment_is_clean_and_the_programs_own_wins",
        "a_program_runs_in_a_home_with_links_to_its_files",
        "a_path_with_dots_means_the_folder_that_it_leads_to",
        "no_other_user_or_program_can_read_the_folder_of_a_running_program",
        "limits_are_enforced_in_every_tier",
        "a_program_that_connects_reaches_the_judge",
        "killing_the_helper_ends_the_program",
        "killing_the_judge_at_any_moment_leaves_nothing",
        "the_next_sandbox_removes_the_leftovers_of_a_kill_of_everything",
    ]);
}
