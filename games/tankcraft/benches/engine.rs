//! The engine's speed: `cargo bench -p leitai-tankcraft`. Goals and report: docs/benchmarks.md.

mod workload;

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use leitai_game::{Perspective, Seat};
use leitai_tankcraft::{Position, View};
use workload::{Trace, replay, replay_fog, trace};

fn engine(criterion: &mut Criterion) {
    let traces: Vec<Trace> = (0..40).map(trace).collect();
    let rounds: usize = traces.iter().map(|trace| trace.rounds.len()).sum();
    let mut group = criterion.benchmark_group("tankcraft");
    group.throughput(Throughput::Elements(rounds as u64));
    let mut over_all = |name: &str, play: fn(&Trace) -> Position| {
        group.bench_function(name, |b| {
            b.iter(|| {
                traces.iter().for_each(|trace| {
                    black_box(play(trace));
                })
            })
        });
    };
    over_all("replay traces (rounds)", replay);
    over_all(
        "replay traces with the enemies that both sides see (rounds)",
        replay_fog,
    );
    over_all(
        "replay traces with the whole views of both sides (rounds)",
        replay_views,
    );
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

fn replay_views(trace: &Trace) -> Position {
    let mut position = trace.start;
    for orders in &trace.rounds {
        Seat::BOTH.iter().for_each(|seat| {
            black_box(View::new(&trace.setup, &position, Perspective::Seat(*seat)));
        });
        position.play_round(&trace.setup, orders, &mut ());
    }
    position
}

criterion_group!(benches, engine);
criterion_main!(benches);
