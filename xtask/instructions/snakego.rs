//! A fixed amount of work for `valgrind --tool=callgrind`, which finds a slow-down also on a noisy
//! machine: `cargo xtask instructions` runs it. Prints the number of actions of each part.

#[path = "../../games/snakego/benches/workload.rs"]
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
    // `playout_length` has played them once.
    black_box(setup);
    println!("replay {actions}\nreplay_keyed {actions}\nplayout {length}");
}
