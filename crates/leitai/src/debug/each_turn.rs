//! A program that is started anew every turn: the turn in question is played under the debugger.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, bail};
use leitai_sandbox::UntrustedFolder;

use super::debugger::{Debugger, ProgramCommand};
use super::process::DebuggedProcess;

/// Runs a turn's program under a debugger and returns what it wrote.
type DebugTurn<'a> = dyn FnMut(&TurnProgram) -> anyhow::Result<Vec<u8>> + 'a;

/// A program that is started anew every turn.
pub struct TurnProgram {
    /// The program without its wrapper.
    pub command: ProgramCommand,
    /// The file in which it finds the question.
    pub input: PathBuf,
    unread: Vec<u8>,
    answers: Vec<u8>,
}

impl TurnProgram {
    /// The wrapped program of a command `leitai each-turn --input FILE -- PROGRAM…`; `None` if it is
    /// another command.
    pub fn unwrap_command(command: &ProgramCommand) -> Option<TurnProgram> {
        let words = &command.words;
        let position = |word: &str| words.iter().position(|other| other == word);
        if words.get(1).is_none_or(|word| word != "each-turn") {
            return None;
        }
        let input = words.get(position("--input")? + 1)?;
        let words: Vec<OsString> = words[position("--")? + 1..].to_vec();
        let command = ProgramCommand {
            words,
            ..command.clone()
        };
        Some(TurnProgram {
            input: command.dir.join(input),
            command,
            unread: Vec::new(),
            answers: Vec::new(),
        })
    }

    /// Adds bytes of the judge; plays a turn for every whole line. `debugger` plays it instead.
    pub fn write_bytes(
        &mut self,
        bytes: &[u8],
        mut debugger: Option<&mut DebugTurn<'_>>,
    ) -> anyhow::Result<()> {
        self.unread.extend_from_slice(bytes);
        while let Some(end) = self.unread.iter().position(|byte| *byte == b'\n') {
            let question: Vec<u8> = self.unread.drain(..=end).collect();
            let dir = &self.command.dir;
            let name = self.input.strip_prefix(dir).unwrap_or(&self.input);
            UntrustedFolder::open(dir)
                .and_then(|folder| folder.replace_file(name, &question))
                .with_context(|| format!("cannot write {}", self.input.display()))?;
            let output = match debugger.take() {
                Some(play) => play(self)?,
                None => self.play_turn()?,
            };
            self.keep_answer(&output)?;
        }
        Ok(())
    }

    /// Starts the program as the wrapper does.
    pub fn play_turn(&self) -> anyhow::Result<Vec<u8>> {
        let mut program = Command::new(&self.command.words[0]);
        program
            .args(&self.command.words[1..])
            .current_dir(&self.command.dir)
            .env_clear()
            .envs(self.command.env.iter().cloned())
            .stdin(Stdio::null())
            .stderr(Stdio::inherit());
        let output = program.output().context("cannot start the program")?;
        Ok(output.stdout)
    }

    /// Plays the turn under the debugger.
    pub fn debug_turn(&self, debugger: Debugger) -> anyhow::Result<Vec<u8>> {
        Ok(DebuggedProcess::start_stopped(&self.command, debugger)?.finish_turn())
    }

    /// The first line is the answer; the rest is the log.
    fn keep_answer(&mut self, output: &[u8]) -> anyhow::Result<()> {
        let end = output.iter().position(|byte| *byte == b'\n');
        let (answer, log) = output.split_at(end.unwrap_or(output.len()));
        if answer.is_empty() {
            bail!("the program printed nothing; its first line is the move");
        }
        self.answers.extend_from_slice(answer);
        self.answers.push(b'\n');
        crate::files::print_stderr(String::from_utf8_lossy(log).trim_end());
        Ok(())
    }

    /// The answers that were not read yet.
    pub fn take_answers(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.answers)
    }
}
