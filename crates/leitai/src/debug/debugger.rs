//! The debugger of a program.

use leitai_sandbox::untrusted_folder::open_named_file;
use std::ffi::{OsStr, OsString};
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{anyhow, bail};
use leitai_judge::build::Tool;
use leitai_sandbox::Program;

/// The most bytes of a program that are read to recognise it.
const LOOKED_AT: u64 = 256;

/// A debugger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Debugger {
    /// Native programs.
    Gdb,
    /// Python.
    Pdb,
    /// Java.
    Jdb,
    /// JavaScript.
    Node,
}

/// The command of a program without the sandbox.
#[derive(Clone, Debug)]
pub struct ProgramCommand {
    /// The words, at least one.
    pub words: Vec<OsString>,
    /// The folder it runs in.
    pub dir: PathBuf,
    /// Its whole environment.
    pub env: Vec<(OsString, OsString)>,
}

impl ProgramCommand {
    /// The command of a built program.
    pub fn new(program: &Program) -> ProgramCommand {
        ProgramCommand {
            words: program.command_words(),
            dir: program.dir.clone(),
            env: program.environment_pairs(),
        }
    }

    /// The path of the file that is run; the first word is found in `PATH` if it has no slash.
    pub fn program_path(&self) -> PathBuf {
        let first = Path::new(&self.words[0]);
        if first.components().count() > 1 {
            return self.dir.join(first);
        }
        let path = std::env::var_os("PATH").unwrap_or_default();
        let found = std::env::split_paths(&path)
            .map(|dir| dir.join(first))
            .find(|file| file.is_file());
        found.unwrap_or_else(|| first.to_owned())
    }
}

impl Debugger {
    /// The debugger of a program: by the name of the interpreter that runs it, by its first line, or
    /// gdb for a native program.
    ///
    /// # Errors
    /// If there is none for its language.
    pub fn find(command: &ProgramCommand) -> anyhow::Result<Debugger> {
        if let Some(found) = Debugger::of_interpreter(Path::new(&command.words[0])) {
            return Ok(found);
        }
        if is_shell(&command.words[0]) {
            // A host of the game starts the interpreter from a shell.
            let mut words = command.words[1..].iter();
            if let Some(found) = words.find_map(|word| Debugger::of_interpreter(Path::new(word))) {
                return Ok(found);
            }
        }
        let path = command.program_path();
        let mut start = Vec::new();
        let read = open_named_file(&path)
            .and_then(|(file, _)| file.take(LOOKED_AT).read_to_end(&mut start));
        read.map_err(|why| anyhow!("cannot read {}: {why}", path.display()))?;
        // What gdb shows of C# is the inside of Mono.
        if start.starts_with(b"\x7fELF") && !path.ends_with("mono") {
            return Ok(Debugger::Gdb);
        }
        let line = String::from_utf8_lossy(&start);
        let line = line.strip_prefix("#!").and_then(|rest| rest.lines().next());
        let mut words = line.unwrap_or_default().split_whitespace();
        words
            .find_map(|word| Debugger::of_interpreter(Path::new(word)))
            .ok_or_else(|| {
                anyhow!(
                    "there is no debugger for {}: gdb is for native programs, pdb for Python, jdb \
                     for Java and node inspect for JavaScript; add --wait and attach your own",
                    path.display()
                )
            })
    }

    fn of_interpreter(path: &Path) -> Option<Debugger> {
        let name = path.file_name().and_then(OsStr::to_str)?;
        match name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.') {
            "python" | "pypy" => Some(Debugger::Pdb),
            "java" => Some(Debugger::Jdb),
            "node" | "nodejs" => Some(Debugger::Node),
            _ => None,
        }
    }

    /// The words of the command, beginning with the interpreter also where the program is a script
    /// that names it in its first line.
    pub fn interpreted_words(self, command: &ProgramCommand) -> Vec<OsString> {
        let interpreter = match self {
            Debugger::Pdb => "python3",
            Debugger::Node => "node",
            Debugger::Gdb | Debugger::Jdb => return command.words.clone(),
        };
        if Debugger::of_interpreter(Path::new(&command.words[0])).is_some() {
            return command.words.clone();
        }
        let mut words = vec![interpreter.into(), command.program_path().into()];
        words.extend_from_slice(&command.words[1..]);
        words
    }

    /// The name for people.
    pub fn name(self) -> &'static str {
        match self {
            Debugger::Gdb => "gdb",
            Debugger::Pdb => "pdb",
            Debugger::Jdb => "jdb",
            Debugger::Node => "node inspect",
        }
    }

    /// What to do first, in the debugger's own words.
    pub fn first_steps(self) -> &'static str {
        match self {
            Debugger::Gdb => {
                "`bt` shows where it waits, `break FUNCTION` and `continue` go on, `quit` leaves"
            }
            Debugger::Pdb => {
                "`w` shows where it is, `n` goes a line further, `c` goes on, `q` leaves"
            }
            Debugger::Jdb => {
                "`where` shows where it waits, `stop in CLASS.METHOD` and `resume` go on, `quit` leaves"
            }
            Debugger::Node => {
                "`bt` shows where it is, `n` goes a line further, `c` goes on, `.exit` leaves"
            }
        }
    }

    /// Refuses if the debugger is not installed.
    ///
    /// # Errors
    /// The message names its Debian package.
    pub fn check_installed(self) -> anyhow::Result<()> {
        let tool = match self {
            Debugger::Gdb => Tool {
                name: "gdb",
                package: "gdb",
            },
            Debugger::Jdb => Tool {
                name: "jdb",
                package: "default-jdk-headless",
            },
            // They come with the interpreter, which runs the program, too.
            Debugger::Pdb | Debugger::Node => return Ok(()),
        };
        if tool.find_command().is_err() {
            bail!(
                "{} is not installed: on Debian and Ubuntu it is in the package {} (sudo apt install \
                 {}); or add --wait and attach your own debugger",
                tool.name,
                tool.package,
                tool.package
            );
        }
        Ok(())
    }

    /// The environment under which a debugger can attach to a program that a shell starts.
    pub fn attachable_environment(
        self,
        words: &[OsString],
        port: u16,
        stopped: bool,
    ) -> Option<(&'static str, OsString)> {
        let name = match self {
            Debugger::Jdb => "JAVA_TOOL_OPTIONS",
            Debugger::Node => "NODE_OPTIONS",
            Debugger::Gdb | Debugger::Pdb => return None,
        };
        let first = words.first().filter(|word| is_shell(word))?.clone();
        let options = self.attachable_words(&[first, "java".into()], port, stopped);
        Some((name, options[1].clone()))
    }

    /// The words with the options under which a debugger can attach.
    pub fn attachable_words(self, words: &[OsString], port: u16, stopped: bool) -> Vec<OsString> {
        let option = match self {
            Debugger::Gdb | Debugger::Pdb => return words.to_vec(),
            Debugger::Jdb => {
                let suspend = if stopped { "y" } else { "n" };
                format!(
                    "-agentlib:jdwp=transport=dt_socket,server=y,quiet=y,suspend={suspend},\
                     address=127.0.0.1:{port}"
                )
            }
            Debugger::Node if stopped => format!("--inspect-brk=127.0.0.1:{port}"),
            Debugger::Node => format!("--inspect=127.0.0.1:{port}"),
        };
        let (first, rest) = words.split_first().expect("a command has a word");
        let mut all = vec![first.clone(), option.into()];
        if self == Debugger::Node {
            // Its address would be printed between the messages.
            all.push("--inspect-publish-uid=http".into());
        }
        all.extend_from_slice(rest);
        all
    }

    /// How one attaches a debugger of one's own.
    pub fn attach_hint(self, pid: u32, port: u16) -> String {
        match self {
            Debugger::Gdb => format!("gdb -p {pid}"),
            Debugger::Pdb => format!(
                "python3 -m pdb -p {pid} (Python 3.14), or python3 -m debugpy --listen 5678 --pid {pid}"
            ),
            Debugger::Jdb => format!("jdb -attach 127.0.0.1:{port}"),
            Debugger::Node => format!("node inspect 127.0.0.1:{port}, or chrome://inspect"),
        }
    }
}

fn is_shell(word: &OsString) -> bool {
    let name = Path::new(word).file_name();
    name.is_some_and(|name| ["sh", "dash", "bash"].iter().any(|shell| name == *shell))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_debugger_is_found_by_the_program() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let check = |file: &str, text: &[u8], words: &[&str], expected: Option<Debugger>| {
            std::fs::write(folder.path().join(file), text).expect("own folder");
            let command = ProgramCommand {
                words: words.iter().map(OsString::from).collect(),
                dir: folder.path().to_owned(),
                env: Vec::new(),
            };
            assert_eq!(Debugger::find(&command).ok(), expected, "{words:?}");
        };
        check("a", b"\x7fELF", &["./a"], Some(Debugger::Gdb));
        check(
            "b.py",
            b"",
            &["/usr/bin/python3.11", "b.py"],
            Some(Debugger::Pdb),
        );
        check(
            "c",
            b"#!/usr/bin/env python3\n",
            &["./c"],
            Some(Debugger::Pdb),
        );
        check("d", b"", &["java", "-cp", ".", "Main"], Some(Debugger::Jdb));
        check("e", b"#!/usr/bin/node\n", &["./e"], Some(Debugger::Node));
        check("f", b"#!/bin/sh\n", &["./f"], None);
        check("g", b"", &["./missing"], None);
    }
}
