//! Runs a command in the sandbox and prints how it ended: `jail TIER FOLDER COMMAND…`.

use leitai_sandbox::{Program, Sandbox, SandboxLimits, StdioKind, run_if_called};
use std::io::Read;
use std::path::Path;
use std::time::{Duration, Instant};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    run_if_called();
    let mut words = std::env::args().skip(1);
    let tier = words.next().ok_or("a tier, please")?.parse()?;
    let dir = words.next().ok_or("a folder, please")?;
    let sandbox = Sandbox::of_tier(Path::new("/proc/self/exe"), tier)?;
    let program = Program::new(words, dir).with_limits(SandboxLimits::BOT);
    let begun = Instant::now();
    let mut child = sandbox.spawn_program(&program, StdioKind::Merged)?;
    eprintln!("started in {:?}", begun.elapsed());
    let end = child.wait_for(Duration::from_secs(20))?;
    let end = match end {
        Some(exit) => exit.to_string(),
        None => format!("stopped after 20 s ({})", child.kill_all()?),
    };
    let mut said = Vec::new();
    if let Some(stdout) = child.stdout.take() {
        // Non-blocking: all output has arrived by now.
        let _ = std::fs::File::from(stdout).read_to_end(&mut said);
    }
    print!("{}", String::from_utf8_lossy(&said));
    eprintln!(
        "{end}; {:?} {:?} {:?}",
        child.cpu_time(),
        child.memory_peak(),
        child.exceeded_limit()
    );
    drop(child);
    eprintln!("gone after {:?}", begun.elapsed());
    Ok(())
}
