//! `leitai botzone -- PROGRAM…`, for internal use: plays a program that speaks Botzone's JSON in the
//! place of one that speaks JSON lines.
//!
//! In each turn the program is started and reads one line, `{"requests":[…],"responses":[…]}`, with
//! everything so far; it answers one line, `{"response":…}`, and ends. A program that prints
//! [`KEEP_RUNNING`] after its answer stays, and reads the new request alone, one line a turn. What it
//! stores in `data` and `globaldata` it gets back when it is started anew. docs/protocols.md has the
//! whole of it.

use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use leitai_game::host::KEEP_RUNNING;
use serde_json::Map;

use crate::cli::BotzoneArgs;
use crate::prelude::*;

/// The most bytes of a line of the program, with all that it stores. The judge bounds the response alone.
const ANSWER: u64 = 64 << 10;
/// The most bytes of all requests of a turn. Above it the oldest ones but the first become `{}`.
const HISTORY: usize = 1 << 20;
/// The most bytes of `debug` that the log gets.
const DEBUG: usize = 1 << 10;

/// Plays turns until the judge says the end.
pub fn run(args: &BotzoneArgs) -> Result<ExitCode> {
    let mut leg = Leg::default();
    let mut staying = None;
    for line in io::stdin().lock().lines() {
        let line = line.context("cannot read the judge's line")?;
        let mut message: Map<String, Value> =
            serde_json::from_str(&line).context("the judge's line is no JSON object")?;
        match message.remove("type").as_ref().and_then(Value::as_str) {
            Some("start") => leg.start = message,
            Some("turn") => {
                let request = leg.take_request(message);
                let mut program = match staying.take() {
                    Some(program) => program,
                    None => RunningProgram::start(&args.program)?,
                };
                program.tell(&match program.is_new {
                    true => leg.write_history(),
                    false => request.to_string(),
                });
                let answer = program.read_answer()?;
                if answer.stays {
                    program.is_new = false;
                    staying = Some(program);
                } else {
                    program.wait()?;
                }
                pass_on(&leg.note_answer(&answer.line))?;
            }
            _ => break,
        }
    }
    // Its input ends, and with it the program.
    if let Some(program) = staying {
        program.wait()?;
    }
    Ok(ExitCode::SUCCESS)
}

fn pass_on(line: &[u8]) -> Result<()> {
    let mut stdout = io::stdout().lock();
    let written = stdout
        .write_all(line)
        .and_then(|()| stdout.write_all(b"\n"));
    written
        .and_then(|()| stdout.flush())
        .context("cannot pass on the answer")
}

/// What was asked and answered in this leg so far.
#[derive(Default)]
struct Leg {
    /// What is known before the first turn; it goes into the first request.
    start: Map<String, Value>,
    requests: Vec<Value>,
    /// The bytes of all requests.
    size: usize,
    /// The requests before this one, but the first, are empty.
    emptied: usize,
    responses: Vec<Value>,
    /// `data` and `globaldata`, as the program stored them last.
    stored: Map<String, Value>,
}

impl Leg {
    /// The request of a turn: what a judge program of Botzone asks, else the whole turn; the first
    /// then says all that is known before, too.
    fn take_request(&mut self, mut turn: Map<String, Value>) -> Value {
        let request = turn.remove("request").unwrap_or_else(|| {
            let mut request = std::mem::take(&mut self.start);
            request.extend(turn);
            Value::Object(request)
        });
        self.size += request.to_string().len();
        self.requests.push(request.clone());
        self.emptied = self.emptied.max(1);
        while self.size > HISTORY && self.emptied + 1 < self.requests.len() {
            let old = std::mem::replace(&mut self.requests[self.emptied], json!({}));
            self.size -= old.to_string().len();
            self.emptied += 1;
        }
        request
    }

    /// The line for a program that was just started.
    fn write_history(&self) -> String {
        let mut all = self.stored.clone();
        all.insert("requests".into(), json!(self.requests));
        all.insert("responses".into(), json!(self.responses));
        Value::Object(all).to_string()
    }

    /// Keeps the response and what the program stored; returns the line for the judge: the response
    /// alone, or, if it is no JSON object, what the program wrote.
    fn note_answer(&mut self, line: &[u8]) -> Vec<u8> {
        let Ok(mut answer) = serde_json::from_slice::<Map<String, Value>>(line) else {
            self.responses.push(Value::Null);
            return line.to_vec();
        };
        for name in ["data", "globaldata"] {
            if let Some(value) = answer.remove(name) {
                self.stored.insert(name.into(), value);
            }
        }
        if let Some(said) = answer.get("debug").filter(|said| !said.is_null()) {
            let said = said
                .as_str()
                .map_or_else(|| said.to_string(), str::to_owned);
            let end = (0..=DEBUG.min(said.len()))
                .rev()
                .find(|end| said.is_char_boundary(*end));
            eprintln!("{}", &said[..end.unwrap_or(0)]);
        }
        let response = answer.remove("response").unwrap_or(Value::Null);
        let line = json!({"response": response}).to_string().into_bytes();
        self.responses.push(response);
        line
    }
}

/// A line of the program, and whether it asked to stay.
struct ProgramAnswer {
    line: Vec<u8>,
    stays: bool,
}

struct RunningProgram {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    /// Whether it has read nothing yet.
    is_new: bool,
}

impl RunningProgram {
    fn start(words: &[OsString]) -> Result<RunningProgram> {
        let (name, arguments) = words
            .split_first()
            .context("the command line asks for at least one word")?;
        let mut child = Command::new(name)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {}", name.display()))?;
        let stdin = child.stdin.take().context("its input is a pipe")?;
        let stdout = child.stdout.take().context("its output is a pipe")?;
        Ok(RunningProgram {
            child,
            stdin,
            stdout: BufReader::new(stdout),
            is_new: true,
        })
    }

    /// Writes one line. A program that does not read it is seen by its answer.
    fn tell(&mut self, line: &str) {
        let written = self.stdin.write_all(line.as_bytes());
        let _ = written.and_then(|()| self.stdin.write_all(b"\n"));
    }

    /// The first line that is not empty, once the program asked to stay or ended its output. Further
    /// lines go to the log.
    fn read_answer(&mut self) -> Result<ProgramAnswer> {
        let mut answer: Option<Vec<u8>> = None;
        loop {
            let mut line = Vec::new();
            let mut bounded = (&mut self.stdout).take(ANSWER + 1);
            let count = bounded.read_until(b'\n', &mut line);
            let count = count.context("cannot read the program's answer")?;
            let text = line.trim_ascii();
            let stays = text == KEEP_RUNNING;
            match answer {
                Some(line) if stays || count == 0 => return Ok(ProgramAnswer { line, stays }),
                None if stays => bail!(
                    "the program asked to keep running before it answered; print {{\"response\":…}} first, then that line"
                ),
                None if count == 0 => {
                    let status = self.child.wait().context("cannot wait for the program")?;
                    bail!(
                        "the program printed nothing ({status}); print {{\"response\":…}} on one line"
                    );
                }
                None if !text.is_empty() => {
                    ensure!(
                        line.len() as u64 <= ANSWER,
                        "the program's answer, with debug, data and globaldata, has more than {ANSWER} bytes on its line"
                    );
                    answer = Some(text.to_vec());
                }
                Some(_) => io::stderr()
                    .write_all(&line)
                    .context("cannot write the log")?,
                None => {}
            }
        }
    }

    /// Closes its input and waits until it ended.
    fn wait(self) -> Result<()> {
        let RunningProgram {
            mut child,
            stdin,
            stdout,
            ..
        } = self;
        drop((stdin, stdout));
        child.wait().context("cannot wait for the program")?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(value: Value) -> Map<String, Value> {
        value.as_object().cloned().expect("it is an object")
    }

    #[test]
    fn the_history_has_every_turn_and_is_bounded() {
        let mut leg = Leg {
            start: object(json!({"seat": "first"})),
            ..Leg::default()
        };
        for turn in 0..100 {
            leg.take_request(object(
                json!({"turn": turn, "view": "x".repeat(HISTORY / 50)}),
            ));
            leg.note_answer(br#"{"response":"1","data":[7]}"#);
        }
        let text = leg.write_history();
        assert!(text.len() < HISTORY + 10_000, "{}", text.len());
        let line: Value = serde_json::from_str(&text).expect("it is JSON");
        let requests = line["requests"].as_array().expect("there are requests");
        assert_eq!(requests.len(), 100);
        assert_eq!(line["responses"].as_array().map(Vec::len), Some(100));
        assert_eq!(
            (&requests[0]["seat"], &requests[0]["turn"]),
            (&json!("first"), &json!(0))
        );
        assert_eq!(
            (&requests[1], &requests[99]["turn"]),
            (&json!({}), &json!(99))
        );
        assert_eq!(line["data"], json!([7]));
    }

    #[test]
    fn the_judge_gets_the_response_alone() {
        let check = |line: &str, expected: &str| {
            let said = Leg::default().note_answer(line.as_bytes());
            assert_eq!(String::from_utf8_lossy(&said), expected);
        };
        check(
            r#"{"response":"1","debug":"why","data":{"a":1}}"#,
            r#"{"response":"1"}"#,
        );
        check(
            r#"{"response":{"direction":2}}"#,
            r#"{"response":{"direction":2}}"#,
        );
        check(r#"{"answer":1}"#, r#"{"response":null}"#);
        check("up", "up");
        let deep = "[".repeat(10_000);
        check(&deep, &deep);
    }
}
