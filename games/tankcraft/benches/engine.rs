//! The engine's speed: `cargo bench -p leitai-benches --bench tankcraft`. Goals and report: docs/benchmarks.md.

mod workload;

use std::hint::black_box;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use leitai_game::{Bot, Perspective, Seat, Untimed};
use leitai_tankcraft::bots::assess::TankAssessor;
use leitai_tankcraft::bots::champion::Champion;
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

/// The champion's decision with 300 trials of 14 rounds, and the playouts of an assessment.
fn search(criterion: &mut Criterion) {
    let trace = trace(0);
    let mut position = trace.start;
    (trace.rounds.iter().take(10))
        .for_each(|orders| position.play_round(&trace.setup, orders, &mut ()));
    let view = View::new(&trace.setup, &position, Perspective::Seat(Seat::First));
    let mut group = criterion.benchmark_group("tankcraft champion");
    group.bench_function("a decision", |b| {
        b.iter_batched_ref(
            || Champion::new(1),
            |champion| black_box(champion.choose_action(&trace.setup, &view, &Untimed)),
            BatchSize::SmallInput,
        )
    });
    group.bench_function("an assessment: 24 playouts to the end", |b| {
        let assessor = TankAssessor::new(1);
        b.iter(|| black_box(assessor.forecast(&trace.setup, black_box(&position), Seat::First)))
    });
    group.finish();
}

criterion_group!(benches, engine, search);
criterion_main!(benches);
