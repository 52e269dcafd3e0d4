//! The engine's speed: `cargo bench -p leitai-benches --bench snakego`. Goals and report: docs/benchmarks.md.

mod workload;

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use leitai_game::Rng;
use leitai_search::{Assessor, SearchBudget};
use leitai_snakego::board::enclosed_by;
use leitai_snakego::bots::champion::{Champion, ChampionStyle};
use leitai_snakego::bots::playout::Playout;
use leitai_snakego::{Board, Cell, Position};
use workload::{Trace, playout, replay, traces};

fn engine(criterion: &mut Criterion) {
    let traces = traces();
    let actions: usize = traces.iter().map(|trace| trace.actions.len()).sum();
    let mut group = criterion.benchmark_group("snakego");
    group.throughput(Throughput::Elements(actions as u64));
    group.bench_function("replay traces (actions)", |b| {
        b.iter(|| {
            traces.iter().for_each(|t| {
                black_box(replay(t));
            })
        })
    });
    group.bench_function("replay traces, keeping the key (actions)", |b| {
        b.iter(|| {
            traces.iter().for_each(|t| {
                black_box(workload::replay_keyed(t));
            })
        })
    });
    let (setup, mut rng) = (workload::playout_setup(), Rng::new(7));
    group.throughput(Throughput::Elements(workload::PLAYOUT_ACTIONS));
    group.bench_function("random playouts with legal mask and key (actions)", |b| {
        b.iter(|| black_box(playout(&setup, &mut rng)))
    });
    let position = middle(&traces[0]);
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
    group.throughput(Throughput::Elements(1));
    group.bench_function("enclose an area", |b| {
        let ring = ring();
        b.iter(|| black_box(enclosed_by(black_box(ring))))
    });
    group.finish();
}

/// The champion's search, and what it spends on values.
fn search(criterion: &mut Criterion) {
    let trace = &traces()[0];
    let position = middle(trace);
    let style = ChampionStyle::champion();
    let mut group = criterion.benchmark_group("snakego champion");
    group.throughput(Throughput::Elements(PLAYOUTS));
    group.bench_function("search (playouts)", |b| {
        let mut champion = Champion::new(style, 1);
        let budget = SearchBudget::nodes(PLAYOUTS);
        b.iter(|| {
            black_box(champion.assess(&trace.setup, &position, position.seat(), budget));
        })
    });
    let mut playout = Playout::new(&trace.setup, &style.playout, &position, 1);
    group.throughput(Throughput::Elements(1));
    group.bench_function("a playout with its value", |b| {
        b.iter(|| black_box(playout.play_out(black_box(&position))))
    });
    group.bench_function("the value of a position", |b| {
        b.iter(|| black_box(playout.value_of(black_box(&position))))
    });
    group.finish();
}

/// Playouts of a measured search.
const PLAYOUTS: u64 = 1000;

/// The position in the middle of a trace.
fn middle(trace: &Trace) -> Position {
    let mut position = Position::start(&trace.setup, &mut ());
    trace.actions[..trace.actions.len() / 2]
        .iter()
        .for_each(|action| position.play_action(&trace.setup, *action, &mut ()));
    position
}

/// A loop of 20 cells with a dent.
fn ring() -> Board {
    let bottom = (3..9).map(|x| Cell::new(x, 4));
    let sides = (5..8).flat_map(|y| [Cell::new(3, y), Cell::new(8, y)]);
    let top = [
        (3, 8),
        (4, 8),
        (5, 8),
        (5, 7),
        (6, 7),
        (7, 7),
        (7, 8),
        (8, 8),
    ]
    .map(|(x, y)| Cell::new(x, y));
    Board::from_cells(bottom.chain(sides).chain(top))
}

criterion_group!(benches, engine, search);
criterion_main!(benches);
