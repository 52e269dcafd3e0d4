//! The running program and its debugger. The program's stdin and stdout are pipes that carry the
//! protocol; the terminal belongs to the debugger.

use std::ffi::OsString;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{PipeReader, PipeWriter, Read, Write};
use std::net::TcpListener;
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::Context;
use leitai_sandbox::OwnedFolder;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use super::debugger::{Debugger, ProgramCommand};
use super::traced;

/// How long debuggers may take for what needs no thought.
const PATIENCE: Duration = Duration::from_secs(20);
/// The interval at which the end of the debugger is checked.
const LOOK: Duration = Duration::from_millis(100);
/// The most bytes that are written at once: a pipe that accepts any accepts as many.
const CHUNK: usize = 4096;
/// The end of jdb's prompt when a thread is chosen: `main[1] `.
const JDB_PROMPT: &[u8] = b"[1] ";

/// The program under its debugger, or on its own until one attaches.
pub struct DebuggedProcess {
    debugger: Debugger,
    stdin: Option<PipeWriter>,
    stdout: PipeReader,
    /// The other ends of the pipes, which gdb's shell opens by their paths.
    _kept: Vec<std::os::fd::OwnedFd>,
    /// The program, unless gdb started it.
    program: Option<Child>,
    /// The debugger, once it runs.
    front: Option<Child>,
    path: PathBuf,
    dir: PathBuf,
    port: u16,
    folder: OwnedFolder,
}

/// What came from the program.
pub enum DebuggedOutput {
    /// So many bytes.
    Bytes(usize),
    /// It closed its output.
    Closed,
    /// The developer left the debugger, or interrupted the run before it began.
    Left,
}

impl DebuggedProcess {
    /// Starts the program so that the debugger can take over at any moment. With `alone` no debugger
    /// is prepared: the developer attaches one.
    pub fn start(
        command: &ProgramCommand,
        debugger: Debugger,
        alone: bool,
    ) -> anyhow::Result<DebuggedProcess> {
        let (stdin, ours) = std::io::pipe().context("cannot make a pipe")?;
        let (theirs, stdout) = std::io::pipe().context("cannot make a pipe")?;
        let streams = ProgramStreams {
            stdin: Some(stdin),
            stdout,
        };
        let mut process = DebuggedProcess::new(command, debugger, theirs)?;
        process.stdin = Some(ours);
        match (debugger, alone) {
            (Debugger::Gdb, false) => process.start_gdb(command, streams, &["run"])?,
            (Debugger::Pdb, false) => process.start_pdb(command, streams, "run")?,
            _ => process.start_attachable(command, streams, false, !alone)?,
        }
        Ok(process)
    }

    /// Starts the program under the debugger, stopped at its beginning, without input.
    pub fn start_stopped(
        command: &ProgramCommand,
        debugger: Debugger,
    ) -> anyhow::Result<DebuggedProcess> {
        let (theirs, stdout) = std::io::pipe().context("cannot make a pipe")?;
        let streams = ProgramStreams {
            stdin: None,
            stdout,
        };
        let mut process = DebuggedProcess::new(command, debugger, theirs)?;
        match debugger {
            Debugger::Gdb => process.start_gdb(command, streams, &["tbreak main", "run"])?,
            Debugger::Pdb => process.start_pdb(command, streams, "stop")?,
            Debugger::Jdb | Debugger::Node => {
                process.start_attachable(command, streams, true, false)?;
                traced::wait_until(PATIENCE, || traced::is_listening(process.port));
                process.start_client("")?;
            }
        }
        Ok(process)
    }

    fn new(
        command: &ProgramCommand,
        debugger: Debugger,
        stdout: PipeReader,
    ) -> anyhow::Result<DebuggedProcess> {
        let path = command.program_path();
        Ok(DebuggedProcess {
            debugger,
            stdin: None,
            stdout,
            _kept: Vec::new(),
            program: None,
            front: None,
            path: path.canonicalize().unwrap_or(path),
            dir: command.dir.clone(),
            port: free_port()?,
            folder: OwnedFolder::new().context("cannot make a folder for the debugger")?,
        })
    }

    /// Starts gdb, which starts the program with the pipes as its streams.
    fn start_gdb(
        &mut self,
        command: &ProgramCommand,
        streams: ProgramStreams,
        go: &[&str],
    ) -> anyhow::Result<()> {
        let us = std::process::id();
        let stdin = match &streams.stdin {
            Some(pipe) => format!("/proc/{us}/fd/{}", pipe.as_raw_fd()),
            None => "/dev/null".to_owned(),
        };
        let stdout = format!("/proc/{us}/fd/{}", streams.stdout.as_raw_fd());
        let arguments = command.words[1..]
            .iter()
            .map(|word| crate::rerun_command::quote_word(&word.to_string_lossy()));
        let arguments: Vec<String> = arguments.collect();
        let mut lines = vec![
            ["set", "confirm", "off"].join(" "),
            ["unset", "environment"].join(" "),
        ];
        lines.extend(command.env.iter().map(|(name, value)| {
            let (name, value) = (name.to_string_lossy(), value.to_string_lossy());
            format!("set environment {name}={value}")
        }));
        lines.push(["set", "confirm", "on"].join(" "));
        lines.push(format!(
            "set args {} < {stdin} > {stdout}",
            arguments.join(" ")
        ));
        lines.extend(go.iter().map(|line| (*line).to_owned()));
        let mut gdb = Command::new("gdb");
        gdb.args(["-q", "-iex", &["set", "pagination", "off"].join(" ")]);
        for line in &lines {
            gdb.args(["-ex", line]);
        }
        gdb.arg(&self.path)
            .current_dir(&command.dir)
            .env_remove("DEBUGINFOD_URLS");
        self.front = Some(gdb.spawn().context("cannot start gdb")?);
        self._kept.extend(streams.stdin.map(Into::into));
        self._kept.push(streams.stdout.into());
        Ok(())
    }

    /// Starts the program with pdb inside, which uses the terminal itself.
    fn start_pdb(
        &mut self,
        command: &ProgramCommand,
        streams: ProgramStreams,
        mode: &str,
    ) -> anyhow::Result<()> {
        let script = self.folder.folder_path().join("leitai_pdb.py");
        std::fs::write(&script, include_str!("pdb.py"))
            .context("cannot write the debugger's file")?;
        let words = self.debugger.interpreted_words(command);
        let (python, rest) = words.split_first().expect("a command has a word");
        let (options, rest) = split_options(rest);
        let words: Vec<OsString> = std::iter::once(python.clone())
            .chain(options.iter().cloned())
            .chain([script.into(), self.folder.folder_path().into(), mode.into()])
            .chain(rest.iter().cloned())
            .collect();
        let mut python = program_command(&words, command, streams);
        self.program = Some(
            python
                .spawn()
                .context("cannot start the program under pdb")?,
        );
        Ok(())
    }

    /// Starts the program so that a debugger can attach.
    fn start_attachable(
        &mut self,
        command: &ProgramCommand,
        streams: ProgramStreams,
        stopped: bool,
        pausable: bool,
    ) -> anyhow::Result<()> {
        let environment = self
            .debugger
            .attachable_environment(&command.words, self.port, stopped);
        let words = match Debugger::find(command) {
            Ok(_) if environment.is_some() => command.words.clone(),
            Ok(_) => self.debugger.attachable_words(
                &self.debugger.interpreted_words(command),
                self.port,
                stopped,
            ),
            Err(_) => command.words.clone(),
        };
        let preload = self.folder.folder_path().join("leitai_node.js");
        let mut words = words;
        if self.debugger == Debugger::Node && pausable {
            std::fs::write(&preload, include_str!("node.js"))
                .context("cannot write the debugger's file")?;
            words.splice(1..1, ["--require".into(), preload.into()]);
        }
        let mut program = program_command(&words, command, streams);
        program
            .env("LEITAI_DEBUG_FOLDER", self.folder.folder_path())
            .process_group(0);
        if let Some((name, value)) = environment {
            program.env(name, value);
        }
        if self.debugger != Debugger::Node || !pausable {
            program.env_remove("LEITAI_DEBUG_FOLDER");
        }
        self.program = Some(program.spawn().context("cannot start the program")?);
        Ok(())
    }

    /// Starts jdb or `node inspect` for the running program.
    fn start_client(&mut self, commands: &str) -> anyhow::Result<()> {
        let address = format!("127.0.0.1:{}", self.port);
        if self.debugger == Debugger::Node {
            let mut node = Command::new("node");
            node.args(["inspect", &address]);
            self.front = Some(node.spawn().context("cannot start node inspect")?);
            return Ok(());
        }
        // jdb reads its first commands from a file in the folder it is started in.
        std::fs::write(self.folder.folder_path().join(".jdbrc"), commands)
            .context("cannot write the debugger's file")?;
        let mut jdb = Command::new("jdb");
        jdb.arg("-sourcepath").arg(&self.dir);
        jdb.args(["-attach", &address])
            .current_dir(self.folder.folder_path())
            .stdout(Stdio::piped());
        let mut jdb = jdb.spawn().context("cannot start jdb")?;
        let prompt = Arc::new(AtomicBool::new(commands.is_empty()));
        if let Some(output) = jdb.stdout.take() {
            let seen = prompt.clone();
            std::thread::spawn(move || copy_output(output, &seen));
        }
        traced::wait_until(PATIENCE, || {
            prompt.load(Ordering::Relaxed) || has_ended(&mut jdb)
        });
        self.front = Some(jdb);
        Ok(())
    }

    /// Stops the program and gives the terminal to the debugger. The next bytes that the program
    /// reads are written afterwards.
    pub fn hand_over(&mut self) -> anyhow::Result<()> {
        match self.debugger {
            Debugger::Gdb => self.stop_in_gdb(),
            Debugger::Pdb => {
                self.await_sign("started");
                // It may still be about to return from writing its last answer.
                traced::await_idle(self.program.as_ref().map_or(0, Child::id));
                if let Some(pid) = self.program_pid() {
                    // A program that is gone is seen by its closed output.
                    let _ = kill_process(pid, Signal::USR1);
                }
                self.await_sign("armed");
            }
            Debugger::Jdb => {
                let port = self.port;
                self.await_program(|| traced::is_listening(port));
                self.start_client("suspend\nthread 1\nwhere\n")?;
            }
            Debugger::Node => {
                self.await_sign("started");
                std::fs::write(self.folder.folder_path().join("pause"), "")
                    .context("cannot write the debugger's file")?;
                self.await_sign("armed");
            }
        }
        Ok(())
    }

    /// Starts the debugger that takes over only when the program has read its question.
    pub fn follow_question(&mut self) -> anyhow::Result<()> {
        if self.debugger != Debugger::Node || self.front.is_some() {
            return Ok(());
        }
        self.await_sign("paused");
        self.start_client("")
    }

    fn stop_in_gdb(&mut self) {
        let Some(gdb) = &self.front else { return };
        let Some(pid) = traced::find_waiting(gdb.id(), &self.path, PATIENCE) else {
            return;
        };
        if let Some(process) = Pid::from_raw(pid) {
            let _ = kill_process(process, Signal::INT);
        }
        traced::wait_until(PATIENCE, || traced::is_stopped(pid));
    }

    fn await_sign(&mut self, name: &str) {
        let sign = self.folder.folder_path().join(name);
        self.await_program(|| sign.exists());
    }

    /// Waits until something holds, the program ends or the patience does.
    fn await_program(&mut self, mut holds: impl FnMut() -> bool) {
        let program = &mut self.program;
        traced::wait_until(PATIENCE, || {
            holds() || program.as_mut().is_some_and(has_ended)
        });
    }

    fn program_pid(&self) -> Option<Pid> {
        self.program.as_ref().map(Pid::from_child)
    }

    /// How one attaches a debugger of one's own.
    pub fn attach_hint(&self) -> String {
        let pid = self.program.as_ref().map_or(0, Child::id);
        self.debugger.attach_hint(pid, self.port)
    }

    /// Writes to the program; `false` if it does not read any more or the debugger was left.
    pub fn write_bytes(&mut self, mut bytes: &[u8], interrupted: &dyn Fn() -> bool) -> bool {
        while !bytes.is_empty() {
            if self.was_left() || interrupted() {
                return false;
            }
            let Some(pipe) = &mut self.stdin else {
                return false;
            };
            if !is_ready(pipe.as_fd(), PollFlags::OUT) {
                continue;
            }
            match pipe.write(&bytes[..bytes.len().min(CHUNK)]) {
                Ok(count) => bytes = &bytes[count..],
                Err(_) => return false,
            }
        }
        true
    }

    /// Waits for output without a time limit.
    pub fn read_output(
        &mut self,
        buffer: &mut [u8],
        interrupted: &dyn Fn() -> bool,
    ) -> DebuggedOutput {
        loop {
            if is_ready(self.stdout.as_fd(), PollFlags::IN) {
                return match self.stdout.read(buffer) {
                    Ok(0) | Err(_) => DebuggedOutput::Closed,
                    Ok(count) => DebuggedOutput::Bytes(count),
                };
            }
            if self.was_left() || interrupted() {
                return DebuggedOutput::Left;
            }
        }
    }

    /// Whether the developer left the debugger.
    fn was_left(&mut self) -> bool {
        self.front.as_mut().is_some_and(has_ended)
    }

    /// Whether a debugger runs beside the program.
    pub fn has_front(&self) -> bool {
        self.front.is_some()
    }

    /// Closes the program's input and waits until the developer leaves the debugger.
    pub fn finish(&mut self) {
        self.stdin = None;
        match (&mut self.front, &mut self.program) {
            (Some(front), _) => drop(front.wait()),
            (None, Some(program)) => drop(program.wait()),
            (None, None) => {}
        }
    }

    /// Waits for the end of a program that was started stopped; returns its output.
    pub fn finish_turn(mut self) -> Vec<u8> {
        let Ok(mut output) = self.stdout.try_clone() else {
            return Vec::new();
        };
        let reader = std::thread::spawn(move || {
            let mut bytes = Vec::new();
            // A program that was killed has said what it has said.
            let _ = output.read_to_end(&mut bytes);
            bytes
        });
        self.finish();
        drop(self);
        reader.join().unwrap_or_default()
    }
}

impl Drop for DebuggedProcess {
    fn drop(&mut self) {
        // What has ended already needs no signal.
        if let Some(front) = &mut self.front {
            if self.debugger == Debugger::Gdb && !has_ended(front) {
                let _ = kill_process(Pid::from_child(front), Signal::TERM);
            } else {
                let _ = front.kill();
            }
            let _ = front.wait();
        }
        if let Some(program) = &mut self.program {
            if !has_ended(program) {
                if matches!(self.debugger, Debugger::Jdb | Debugger::Node) {
                    let _ = kill_process_group(Pid::from_child(program), Signal::KILL);
                }
                let _ = program.kill();
            }
            let _ = program.wait();
        }
    }
}

/// The program's ends of its streams; without stdin it reads nothing.
struct ProgramStreams {
    stdin: Option<PipeReader>,
    stdout: PipeWriter,
}

fn program_command(
    words: &[OsString],
    command: &ProgramCommand,
    streams: ProgramStreams,
) -> Command {
    let mut program = Command::new(&words[0]);
    program
        .args(&words[1..])
        .current_dir(&command.dir)
        .env_clear()
        .envs(command.env.iter().cloned())
        .stdin(streams.stdin.map_or_else(Stdio::null, Stdio::from))
        .stdout(streams.stdout);
    program
}

/// The options of an interpreter, and the rest from its script on.
fn split_options(words: &[OsString]) -> (&[OsString], &[OsString]) {
    let is_option = |word: &OsString| word.to_str().is_some_and(|word| word.starts_with('-'));
    let count = words.iter().take_while(|word| is_option(word)).count();
    words.split_at(count)
}

/// A port at which nobody listens. It is none of those that the system gives to sockets (on Linux
/// from 32768 on), one of which another program could have before the debugger listens.
fn free_port() -> anyhow::Result<u16> {
    const FIRST: u16 = 10_240;
    const COUNT: u64 = 22_000;
    let any = || RandomState::new().build_hasher().finish() % COUNT;
    let ports = (0..100).map(|_| FIRST + u16::try_from(any()).expect("it is small"));
    let mut free = ports.filter(|port| TcpListener::bind(("127.0.0.1", *port)).is_ok());
    free.next().context("cannot find a free port")
}

fn is_ready(fd: std::os::fd::BorrowedFd<'_>, flags: PollFlags) -> bool {
    let time = Timespec::try_from(LOOK).ok();
    let mut fds = [PollFd::from_borrowed_fd(fd, flags)];
    poll(&mut fds, time.as_ref()).is_ok_and(|count| count > 0)
}

fn has_ended(child: &mut Child) -> bool {
    !matches!(child.try_wait(), Ok(None))
}

/// Copies the output of jdb to the terminal and notes its prompt.
fn copy_output(mut output: impl Read, prompt: &AtomicBool) {
    let mut buffer = [0; 4096];
    while let Ok(count @ 1..) = output.read(&mut buffer) {
        let bytes = &buffer[..count];
        let mut terminal = std::io::stdout().lock();
        if terminal
            .write_all(bytes)
            .and_then(|()| terminal.flush())
            .is_err()
        {
            return;
        }
        if bytes
            .windows(JDB_PROMPT.len())
            .any(|window| window == JDB_PROMPT)
        {
            prompt.store(true, Ordering::Relaxed);
        }
    }
}
