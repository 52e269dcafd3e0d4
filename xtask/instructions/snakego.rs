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
    black_box(workload::playout(
        &workload::playout_setup(),
        &mut leitai_game::Rng::new(7),
    ));
    let length = workload::PLAYOUT_ACTIONS;
    println!("replay {actions}\nreplay_keyed {actions}\nplayout {length}");
}
