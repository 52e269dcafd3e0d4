//! The engine's speed: `cargo bench -p leitai-kob`. Goals and report: docs/benchmarks.md.

mod workload;

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use workload::{Trace, replay, trace};

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
            slots
                .iter_mut()
                .for_each(|slot| *slot = *black_box(&position));
            black_box(&slots);
        })
    });
    group.finish();
}

criterion_group!(benches, engine);
criterion_main!(benches);
