//! A fixed amount of work for `cargo xtask instructions`. Prints the number of rounds.

#[path = "../../games/kob/benches/workload.rs"]
mod workload;

use std::hint::black_box;

fn main() {
    let traces: Vec<workload::Trace> = (1..=100).map(workload::trace).collect();
    let rounds: usize = traces.iter().map(|trace| trace.moves.len()).sum();
    traces.iter().for_each(|trace| {
        black_box(workload::replay(trace));
    });
    println!("replay {rounds}");
}
