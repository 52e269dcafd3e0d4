//! The engine's speed: `cargo bench -p leitai-benches --bench kob`. Goals and report: docs/benchmarks.md.

mod workload;

use std::hint::black_box;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use leitai_game::Seat;
use leitai_kob::Position;
use leitai_kob::bots::ChampionAssessor;
use leitai_kob::bots::evaluation::{WEIGHTS, evaluate_position};
use leitai_search::{Assessor, SearchBudget};
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

/// The champion's search, and what it spends on values.
fn search(criterion: &mut Criterion) {
    let trace = trace(1);
    let mut position = Position::start(&trace.setup);
    (trace.moves.iter().take(4)).for_each(|pair| position.play_round(&trace.setup, *pair));
    let mut group = criterion.benchmark_group("kob champion");
    group.throughput(Throughput::Elements(HALF_MOVES));
    group.bench_function("search (half-moves)", |b| {
        let budget = SearchBudget::nodes(HALF_MOVES);
        // A new one each time: a table that knows the position ends the search early.
        b.iter_batched_ref(
            ChampionAssessor::default,
            |assessor| black_box(assessor.assess(&trace.setup, &position, Seat::First, budget)),
            BatchSize::SmallInput,
        )
    });
    group.throughput(Throughput::Elements(1));
    group.bench_function("the value of a position", |b| {
        b.iter(|| {
            black_box(evaluate_position(
                &trace.setup,
                black_box(&position),
                &WEIGHTS,
            ))
        })
    });
    group.finish();
}

/// Half-moves of a measured search.
const HALF_MOVES: u64 = 20_000;

criterion_group!(benches, engine, search);
criterion_main!(benches);
