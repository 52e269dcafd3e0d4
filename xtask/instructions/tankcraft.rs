//! A fixed amount of work for `cargo xtask instructions`. Prints the number of rounds of each part.

#[path = "../../games/tankcraft/benches/workload.rs"]
mod workload;

use std::hint::black_box;

fn main() {
    let traces: Vec<workload::Trace> = (0..10).map(workload::trace).collect();
    let rounds: usize = traces.iter().map(|trace| trace.rounds.len()).sum();
    traces.iter().for_each(|trace| {
        black_box(workload::replay(trace));
        black_box(workload::replay_fog(trace));
    });
    println!("replay {rounds}\nreplay_fog {rounds}");
}
