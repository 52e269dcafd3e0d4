//! Plays many matches of well-behaved programs while all cores are busy: no match may end with a
//! fault.
//!
//! cargo run --release -p leitai-judge --example endurance -- [MATCHES] [THREADS] [BURNERS]
//!
//! MATCHES (10,000) between two C programs in the best sandbox of this machine, THREADS (the cores)
//! at a time, beside BURNERS (the cores) threads that only burn processor time.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use leitai_game::{ByEntrant, Erased};
use leitai_judge::build::{BuildLimits, ProgramSource, build_source};
use leitai_judge::{
    MatchSpec, NoHumans, Player, PlayerKind, RefereeLimits, Sandbox, Tier, Transport, play_match,
};
use leitai_sandbox::Program;
use leitai_snakego::Position;
use serde_json::json;

static GAME: Erased<Position> = Erased::new();

/// The results of all matches together.
#[derive(Default)]
struct Tally {
    faults: BTreeMap<String, u64>,
    void: u64,
    reruns: u64,
    actions: u64,
    longest: Duration,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    leitai_sandbox::run_if_called();
    let cores = std::thread::available_parallelism()?.get() as u64;
    let mut numbers = std::env::args().skip(1).map(|word| word.parse::<u64>());
    let mut number = |default| numbers.next().unwrap_or(Ok(default));
    let (matches, threads, burners) = (number(10_000)?, number(cores)?, number(cores)?);
    let sandbox = Sandbox::open_tier(Path::new("/proc/self/exe"), Tier::C)?;
    let source = ProgramSource::detect_path(
        Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/ring.c")),
        &[],
    )?;
    let folder = leitai_sandbox::OwnedFolder::new()?;
    let program = build_source(
        &source,
        folder.folder_path(),
        &BuildLimits::default(),
        &[],
        &sandbox,
    )?
    .program;
    let (next, over, tally) = (
        AtomicU64::new(0),
        AtomicBool::new(false),
        Mutex::new(Tally::default()),
    );
    let begun = Instant::now();
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|_| {
                scope.spawn(|| {
                    while next.fetch_add(1, Ordering::Relaxed) < matches {
                        one(&program, &sandbox, &tally);
                    }
                })
            })
            .collect();
        (0..burners).for_each(|_| drop(scope.spawn(|| burn(&over))));
        workers
            .into_iter()
            .for_each(|worker| worker.join().expect("a match does not panic"));
        over.store(true, Ordering::Relaxed);
    });
    let (took, tally) = (begun.elapsed(), tally.into_inner()?);
    println!(
        "{matches} matches in tier {}, {threads} at a time, {burners} threads burning: {:.0} s, {} actions",
        sandbox.tier(),
        took.as_secs_f64(),
        tally.actions
    );
    println!(
        "longest turn {:?}; legs played again {}; void {}",
        tally.longest, tally.reruns, tally.void
    );
    println!("faults {:?}", tally.faults);
    std::process::exit(i32::from(!tally.faults.is_empty() || tally.void > 0));
}

fn burn(over: &AtomicBool) {
    let mut number = 1_u64;
    while !over.load(Ordering::Relaxed) {
        (0..100_000)
            .for_each(|_| number = black_box(number.wrapping_mul(6_364_136_223_846_793_005) + 1));
    }
}

fn one(program: &Program, sandbox: &Sandbox, tally: &Mutex<Tally>) {
    let config = json!({"max_round": 128, "items": []});
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
        legs: 2,
        limits: RefereeLimits::new(Duration::from_millis(200), 2048),
        sandbox: sandbox.clone(),
        ..MatchSpec::new(&GAME, config, 1, players).expect("the config is sound")
    };
    let played = play_match(&fixture, &mut NoHumans, &mut (), &AtomicBool::new(false))
        .expect("the match is played");
    let mut tally = tally.lock().expect("no match panics");
    tally.void += u64::from(played.void.is_some());
    for leg in &played.replay.legs {
        tally.reruns += leg.reruns.len() as u64;
        tally.actions += leg.times_us.len() as u64;
        for fault in &leg.faults {
            *tally
                .faults
                .entry(format!("{} {}", fault.code, fault.what))
                .or_default() += 1;
        }
    }
    for (_, slowest) in played.slowest.iter_pairs() {
        tally.longest = tally.longest.max(slowest.wall);
    }
}
