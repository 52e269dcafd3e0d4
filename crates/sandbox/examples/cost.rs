//! Measures the cost of the sandbox in each tier: the start and the end of `/bin/cat` in a folder
//! with one file, and one byte there and back.
//!
//! cargo run --release -p leitai-sandbox --example cost [HELPER [TIER [TRIPS]]]
//!
//! HELPER is a binary that serves as helper, such as `leitai`; this one if none is named. With a
//! TIER, that one alone. With few TRIPS, `perf stat -e task-clock` tells the processor time of the
//! starts and ends alone.

use leitai_sandbox::{
    Program, Sandbox, SandboxLimits, SandboxedChild, StdioKind, Tier, run_if_called,
};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::thread::{CpuSet, sched_getcpu, sched_setaffinity};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const STARTS: usize = 100;
const TRIPS: usize = 20_000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    run_if_called();
    let mut one = CpuSet::new();
    one.set(sched_getcpu());
    sched_setaffinity(None, &one)?;
    println!("microseconds on one core: p10, median, p90");
    let helper = std::env::args_os().nth(1);
    let helper = helper.map_or("/proc/self/exe".into(), PathBuf::from);
    let asked: Option<Tier> = std::env::args()
        .nth(2)
        .map(|tier| tier.parse())
        .transpose()?;
    let trips = std::env::args().nth(3);
    let trips = trips
        .map(|trips| trips.parse())
        .transpose()?
        .unwrap_or(TRIPS);
    let folder = tempfile::tempdir()?;
    std::fs::write(folder.path().join("bot"), "a file of a program")?;
    let is_asked = |tier: &Tier| asked.as_ref().is_none_or(|asked| asked == tier);
    for tier in Tier::ALL.into_iter().rev().filter(is_asked) {
        match Sandbox::of_tier(&helper, tier) {
            Ok(sandbox) => measure(&sandbox, folder.path(), trips)?,
            Err(refused) => println!("{refused}"),
        }
    }
    Ok(())
}

fn measure(
    sandbox: &Sandbox,
    folder: &Path,
    trips: usize,
) -> Result<(), Box<dyn std::error::Error>> {
    let (mut starts, mut ends, mut times) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..STARTS {
        let begun = Instant::now();
        let mut child = start(sandbox, folder)?;
        trip(&child)?;
        starts.push(begun.elapsed());
        let begun = Instant::now();
        child.kill_all()?;
        ends.push(begun.elapsed());
    }
    let child = start(sandbox, folder)?;
    for _ in 0..trips {
        let begun = Instant::now();
        trip(&child)?;
        times.push(begun.elapsed());
    }
    let tier = sandbox.tier().to_string();
    print(&tier, "start, to its first answer", starts);
    print(&tier, "end, nothing left", ends);
    print(&tier, "one byte there and back", times);
    Ok(())
}

fn start(sandbox: &Sandbox, folder: &Path) -> Result<SandboxedChild, Box<dyn std::error::Error>> {
    let program = Program::new(["/bin/cat"], folder).with_limits(SandboxLimits::BOT);
    Ok(sandbox.spawn_program(&program, StdioKind::Separate)?)
}

/// Waits as the judge does.
fn trip(child: &SandboxedChild) -> Result<(), Box<dyn std::error::Error>> {
    let (stdin, stdout) = (
        child.stdin.as_ref().ok_or("a pipe")?,
        child.stdout.as_ref().ok_or("a pipe")?,
    );
    rustix::io::write(stdin, b"x")?;
    poll(&mut [PollFd::new(stdout, PollFlags::IN)], None)?;
    rustix::io::read(stdout, &mut [0_u8; 1])?;
    Ok(())
}

fn print(tier: &str, what: &str, mut times: Vec<Duration>) {
    times.sort_unstable();
    let at = |part: usize| times[times.len() * part / 100].as_secs_f64() * 1e6;
    println!(
        "  {tier:<5}{what:<28}{:9.1}{:9.1}{:9.1}",
        at(10),
        at(50),
        at(90)
    );
}
