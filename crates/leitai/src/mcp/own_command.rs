//! Runs a command of this binary for an agent: the same work, limits and refusals as for a person, in a
//! process that can be stopped.

use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{JoinHandle, park_timeout, spawn};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

/// The longest time of a command.
const LONGEST: Duration = Duration::from_secs(600);
/// How long a command that is stopped has to end its match in order.
const GRACE: Duration = Duration::from_secs(5);
/// How often it is looked whether a command is over.
const LOOK: Duration = Duration::from_millis(20);
/// The most bytes that are kept of what a command says.
const MOST: u64 = 8 << 20;

/// What a command said.
pub struct Said {
    stdout: String,
    stderr: String,
    has_ended_well: bool,
}

impl Said {
    /// The JSON object that it printed.
    pub fn json(&self) -> Result<Value, String> {
        let said: Value = match serde_json::from_str(self.stdout.trim()) {
            Ok(said) => said,
            Err(_) => return Err(self.why()),
        };
        match said["error"].as_str() {
            Some(why) => Err(why.to_owned()),
            None => Ok(said),
        }
    }

    /// The lines that it printed, if it ended well.
    pub fn lines(&self) -> Result<Vec<&str>, String> {
        match self.has_ended_well {
            true => Ok(self.stdout.lines().collect()),
            false => Err(self.why()),
        }
    }

    fn why(&self) -> String {
        let last = self.stderr.lines().rfind(|line| !line.trim().is_empty());
        let last = last.unwrap_or("it said nothing").trim();
        last.trim_start_matches("leitai: ").to_owned()
    }
}

/// Runs `leitai` with these words until it ends, `cancelled` does, or its time is up.
pub async fn run_command(
    words: Vec<String>,
    cancelled: impl Future<Output = ()>,
) -> Result<Said, String> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = stop.clone();
    let running = tokio::task::spawn_blocking(move || run_until(&words, &flag));
    let mut running = running;
    let done = tokio::select! {
        done = &mut running => done,
        () = cancelled => {
            stop.store(true, Ordering::Relaxed);
            running.await
        }
    };
    done.map_err(|why| why.to_string())?
}

fn run_until(words: &[String], stop: &AtomicBool) -> Result<Said, String> {
    let binary = std::env::current_exe().map_err(|why| format!("leitai is not found: {why}"))?;
    let mut command = Command::new(binary);
    command.args(words).env("LEITAI_LANG", "en");
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command
        .spawn()
        .map_err(|why| format!("leitai does not start: {why}"))?;
    let (stdout, stderr) = (read_all(child.stdout.take()), read_all(child.stderr.take()));
    let waited = wait_until(&mut child, stop);
    let said = |reader: JoinHandle<String>| reader.join().unwrap_or_default();
    let said = Said {
        stdout: said(stdout),
        stderr: said(stderr),
        has_ended_well: waited?,
    };
    Ok(said)
}

fn read_all(pipe: Option<impl Read + Send + 'static>) -> JoinHandle<String> {
    spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            // What was read before an error is what it said; the rest is read so that it can go on.
            _ = pipe.by_ref().take(MOST).read_to_end(&mut bytes);
            _ = std::io::copy(&mut pipe, &mut std::io::sink());
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// Whether it ended with status 0.
fn wait_until(child: &mut Child, stop: &AtomicBool) -> Result<bool, String> {
    let begun = Instant::now();
    let mut stopped = None;
    loop {
        match child.try_wait() {
            Ok(Some(status)) if stopped.is_none() => return Ok(status.success()),
            Ok(Some(_)) => {
                let most = LONGEST.as_secs();
                return Err(format!(
                    "it was stopped, after {most} s at most; ask for less (fewer pairs, one leg)"
                ));
            }
            Ok(None) => {}
            Err(why) => return Err(format!("leitai cannot be waited for: {why}")),
        }
        let is_over = stop.load(Ordering::Relaxed) || begun.elapsed() >= LONGEST;
        match stopped {
            None if is_over => {
                // It may just have ended by itself.
                _ = kill_process(Pid::from_child(child), Signal::INT);
                stopped = Some(Instant::now());
            }
            Some(since) if Instant::now().duration_since(since) >= GRACE => _ = child.kill(),
            _ => {}
        }
        park_timeout(LOOK);
    }
}
