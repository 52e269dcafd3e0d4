//! `leitai each-turn --input FILE -- PROGRAM…`, for internal use: a running program for one that is
//! started each turn.
//!
//! Each line of stdin is a turn: it is written to the file, the program is started with it as its
//! last argument and on its stdin, and the first line of its output is the answer. The rest of its output goes to stderr, as its log.

use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};

use crate::cli::EachTurnArgs;
use crate::prelude::*;

/// The most bytes of an answer. The judge has its own limit; this one bounds our memory.
const ANSWER: u64 = 64 << 10;

/// Plays turns until stdin ends.
pub fn run(args: &EachTurnArgs) -> Result<ExitCode> {
    if args.input.is_symlink() {
        // If a file of that name was copied with the program, it is a read-only link in the
        // sandbox.
        fs::remove_file(&args.input)
            .with_context(|| format!("cannot replace {}", args.input.display()))?;
    }
    for question in io::stdin().lock().lines() {
        let question = question.context("cannot read the question")?;
        fs::write(&args.input, format!("{question}\n"))
            .with_context(|| format!("cannot write {}", args.input.display()))?;
        let answer = run_turn(args, &question)?;
        let mut stdout = io::stdout().lock();
        stdout
            .write_all(&answer)
            .and_then(|()| stdout.flush())
            .context("cannot pass on the answer")?;
    }
    Ok(ExitCode::SUCCESS)
}

/// One run of the program; returns its first line, with the line end. It finds the question where
/// programs of the known sites look for it: in the file, in its last argument and on its stdin.
fn run_turn(args: &EachTurnArgs, question: &str) -> Result<Vec<u8>> {
    let input = fs::File::open(&args.input)
        .with_context(|| format!("cannot read {}", args.input.display()))?;
    let (name, arguments) = args
        .program
        .split_first()
        .expect("the command line asks for at least one word");
    let mut command = Command::new(name);
    command
        .args(arguments)
        .arg(question)
        .stdin(input)
        .stdout(Stdio::piped());
    let mut child = command
        .spawn()
        .with_context(|| format!("cannot start {}", name.display()))?;
    let answer = first_line(&mut child);
    let status = child.wait().context("cannot wait for the program")?;
    let mut answer = answer.context("cannot read the program's answer")?;
    if answer.is_empty() {
        bail!("the program printed nothing ({status}); its first line is the move");
    }
    ensure!(
        answer.len() as u64 <= ANSWER,
        "the program's first line has more than {ANSWER} bytes"
    );
    if answer.last() != Some(&b'\n') {
        answer.push(b'\n');
    }
    Ok(answer)
}

/// Reads to the end, so that the program never waits for us. Bytes without a line end are kept up
/// to one over the limit.
fn first_line(child: &mut Child) -> io::Result<Vec<u8>> {
    let mut output = BufReader::new(child.stdout.take().expect("it is a pipe"));
    let mut line = Vec::new();
    output
        .by_ref()
        .take(ANSWER + 1)
        .read_until(b'\n', &mut line)?;
    io::copy(&mut output, &mut io::stderr())?;
    Ok(line)
}
