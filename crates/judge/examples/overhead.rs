//! Measures the cost of judging: the same two C programs play the same legs through the judge and
//! through a relay that only copies bytes, alternately, on one core.
//!
//! cargo run --release -p leitai-judge --example overhead
//! cargo run --release -p leitai-judge --example overhead -- A
//!
//! The second line judges the programs in isolation tier A; the relay starts them plain.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use leitai_game::{ByEntrant, Erased};
use leitai_judge::affinity::PinnedThread;
use leitai_judge::build::{BuildLimits, ProgramSource, build_source};
use leitai_judge::{MatchSpec, NoHumans, Player, PlayerKind, RefereeLimits, Transport, play_match};
use leitai_sandbox::{Program, Sandbox};
use leitai_snakego::Position;
use rustix::time::{ClockId, clock_gettime};
use serde_json::json;

static GAME: Erased<Position> = Erased::new();
const ROUNDS: usize = 512;
const TIMES: usize = 15;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    leitai_sandbox::run_if_called();
    let source = ProgramSource::detect_path(
        Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/ring.c")),
        &[],
    )?;
    let folder = tempfile::tempdir()?;
    let program = build_source(
        &source,
        folder.path(),
        &BuildLimits::default(),
        &[],
        &Sandbox::without_isolation(),
    )?
    .program;
    let sandbox = sandbox()?;
    let _pinned = PinnedThread::pin_thread();
    let (mut bare, mut judged, mut cpu) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..TIMES {
        bare.push(per_action(relay(&program)?));
        let (before, begun) = (own_cpu(), Instant::now());
        let charged = judge(&program, &sandbox)?;
        judged.push((per_action(begun.elapsed()), charged));
        cpu.push(per_action(own_cpu() - before));
    }
    let whole: Vec<f64> = judged.iter().map(|(wall, _)| *wall).collect();
    let charged: Vec<f64> = judged.iter().map(|(_, charged)| *charged).collect();
    println!(
        "{TIMES} legs of {} actions each, microseconds an action: best, median, worst",
        2 * ROUNDS
    );
    print("bare relay, wall", bare);
    print("judged, wall (start and end of the programs in it)", whole);
    print("judged, the judge's own CPU", cpu);
    print("judged, charged to the programs", charged);
    Ok(())
}

fn per_action(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6 / (2 * ROUNDS) as f64
}

fn print(what: &str, mut values: Vec<f64>) {
    values.sort_by(f64::total_cmp);
    println!(
        "  {what:<52}{:7.2}{:8.2}{:8.2}",
        values[0],
        values[values.len() / 2],
        values[values.len() - 1]
    );
}

fn own_cpu() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// The sandbox named by the argument, or none.
fn sandbox() -> Result<Sandbox, Box<dyn std::error::Error>> {
    match std::env::args().nth(1) {
        Some(tier) => Ok(Sandbox::of_tier(
            Path::new("/proc/self/exe"),
            tier.parse()?,
        )?),
        None => Ok(Sandbox::without_isolation()),
    }
}

/// One leg through the judge; returns the microseconds per action that were charged to the
/// programs.
fn judge(program: &Program, sandbox: &Sandbox) -> Result<f64, Box<dyn std::error::Error>> {
    let config = json!({"max_round": ROUNDS, "items": []});
    let player = |name: &str| Player {
        name: name.to_owned(),
        kind: PlayerKind::Program {
            program: program.clone(),
            protocol: "saiblo".to_owned(),
            connect: Transport::Stdio,
        },
    };
    let players = ByEntrant::new(player("a"), player("b"));
    let fixture = MatchSpec {
        legs: 1,
        limits: RefereeLimits::new(Duration::from_secs(3), 2048),
        sandbox: sandbox.clone(),
        ..MatchSpec::new(&GAME, config, 1, players)?
    };
    let played = play_match(&fixture, &mut NoHumans, &mut (), &AtomicBool::new(false))?;
    let leg = &played.replay.legs[0];
    assert!(leg.faults.is_empty(), "{:?}", leg.faults);
    Ok(leg.times_us.iter().sum::<u64>() as f64 / leg.times_us.len() as f64)
}

/// One leg through a relay that knows nothing but the seat to move.
fn relay(program: &Program) -> Result<Duration, Box<dyn std::error::Error>> {
    let start = || {
        let (name, words) = program.argv.split_first().expect("a program has a name");
        let mut command = Command::new(name);
        command
            .args(words)
            .current_dir(&program.dir)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
    };
    let begun = Instant::now();
    let mut bots = [start()?, start()?];
    for (player, bot) in bots.iter_mut().enumerate() {
        let input = bot.stdin.as_mut().expect("it was asked for");
        input.write_all(&[16, 16, 2, 0, player as u8, 0x10, 0, 0])?;
    }
    for action in 0..2 * ROUNDS {
        let mut answer = [0; 5];
        bots[action % 2]
            .stdout
            .as_mut()
            .expect("it was asked for")
            .read_exact(&mut answer)?;
        for bot in &mut bots {
            bot.stdin
                .as_mut()
                .expect("it was asked for")
                .write_all(&answer[4..])?;
        }
    }
    for bot in &mut bots {
        bot.stdin
            .as_mut()
            .expect("it was asked for")
            .write_all(&[0x11])?;
        bot.wait()?;
    }
    Ok(begun.elapsed())
}
