//! A fixed amount of work for `valgrind --tool=callgrind`, so that a slow-down is seen on a noisy machine:
//! `cargo xtask instructions` runs it. Prints how many actions each part played.

#[path = "../benches/workload.rs"]
mod workload;

use std::hint::black_box;

fn main() {
    let traces = workload::traces();
    let actions: usize = traces.iter().map(|trace| trace.actions.len()).sum();
    traces.iter().for_each(|trace| {
        black_box(workload::replay(trace));
        black_box(workload::replay_keyed(trace));
    });
    let (setup, length) = workload::playout_length();
    black_box(workload::playout(&setup));
    println!("replay {actions}\nreplay_keyed {actions}\nplayout {}", 2 * length);
}
