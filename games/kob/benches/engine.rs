//! The engine's speed: `cargo bench -p leitai-kob`. Goals and report: docs/benchmarks.md.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use leitai_game::{Rng, Seat};
use leitai_kob::{Config, Direction, Position, Setup};

/// A recorded game and its map.
struct Trace {
    setup: Setup,
    moves: Vec<[Direction; 2]>,
}

/// A game of two players who take a random step that does not kill at once.
fn trace(seed: u64) -> Trace {
    let setup = Setup::deal(&Config::default(), seed).expect("the default config is sound");
    let mut rng = Rng::new(seed);
    let mut position = Position::start(&setup);
    let mut moves = Vec::new();
    while !position.is_over() {
        let pair = Seat::BOTH.map(|seat| step(position.safe_mask(&setup, seat), &mut rng));
        position.advance(&setup, pair);
        moves.push(pair);
    }
    Trace { setup, moves }
}

fn step(safe: u8, rng: &mut Rng) -> Direction {
    let choices: Vec<Direction> = Direction::ALL.into_iter().filter(|d| safe >> *d as u8 & 1 != 0).collect();
    choices.get(rng.below(choices.len())).copied().unwrap_or(Direction::ALL[0])
}

fn replay(trace: &Trace) -> Position {
    let mut position = Position::start(&trace.setup);
    trace.moves.iter().for_each(|pair| position.advance(&trace.setup, *pair));
    position
}

fn engine(criterion: &mut Criterion) {
    let traces: Vec<Trace> = (1..=100).map(trace).collect();
    let rounds: usize = traces.iter().map(|trace| trace.moves.len()).sum();
    let mut group = criterion.benchmark_group("kob");
    group.throughput(Throughput::Elements(rounds as u64));
    group.bench_function("replay traces (rounds)", |b| {
        b.iter(|| {
            traces.iter().for_each(|trace| {
                black_box(replay(trace));
            })
        })
    });
    let position = replay(&traces[0]);
    let mut slots = [position; 64];
    group.throughput(Throughput::Elements(64));
    group.bench_function("clone a position", |b| {
        b.iter(|| {
            slots.iter_mut().for_each(|slot| *slot = *black_box(&position));
            black_box(&slots);
        })
    });
    group.finish();
}

criterion_group!(benches, engine);
criterion_main!(benches);
