//! A comparison of two bots on workers of batches, on the bus of an arena.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::fleet::{Fleet, Process, wait_until};

/// The exit status of a comparison that has played all its pairs without a decision.
const UNDECIDED: i32 = 4;

/// A running comparison.
pub struct Experiment {
    asker: Process,
    /// The second one is killed before the end.
    workers: [Process; 2],
    journal: PathBuf,
    /// The pairs of matches that it plays.
    pairs: usize,
}

impl Experiment {
    /// Begins a comparison of so many pairs of matches, with this name for its folder.
    pub fn begin(fleet: &Fleet, name: &str, count: usize) -> Experiment {
        let bus = fleet
            .nats
            .lock()
            .expect("it is there")
            .url_of("batch:se%3Acret");
        let workers = ["a", "b"].map(|which| {
            let name = format!("{name}-{which}");
            let words = ["worker", "--bus", &bus, "--name", &name, "--slots", "1"];
            fleet.run_beside(&words, &name)
        });
        let pairs = count.to_string();
        let bots = ["compare", "kob", "level8", "level7", "--seed", "3"];
        // It is never decided before the end.
        let terms = ["--max", &pairs, "--alpha", "1e-9", "--beta", "1e-9"];
        let place = ["--elo0=-1", "--elo1", "1", "--folder", name, "--on", &bus];
        let words = [&bots[..], &terms, &place].concat();
        Experiment {
            asker: fleet.run_beside(&words, &format!("{name}-asker")),
            workers,
            journal: fleet.path(name).join("journal.jsonl"),
            pairs: count,
        }
    }

    /// Waits until some pairs are played; on a quick machine not all.
    pub fn wait_until_under_way(&self) {
        wait_until("the experiment is under way", || self.played().len() > 1);
    }

    /// Kills a worker.
    pub fn kill_worker(&mut self) {
        self.workers[1].end();
    }

    /// Waits for the end, and asserts that every pair counts once.
    pub fn assert_complete(mut self) {
        assert_eq!(self.asker.wait(), Some(UNDECIDED), "{}", self.asker.log());
        let mut numbers = self.played();
        numbers.sort_unstable();
        let all: Vec<u64> = (0..self.pairs as u64).collect();
        assert_eq!(numbers, all, "every pair once");
    }

    /// The numbers of the pairs in its journal.
    fn played(&self) -> Vec<u64> {
        let text = fs::read_to_string(&self.journal).unwrap_or_default();
        // The last line may not be whole yet.
        let lines = text.lines().skip(1);
        let lines = lines.filter_map(|line| serde_json::from_str::<Value>(line).ok());
        lines
            .map(|line| line["number"].as_u64().expect("a number"))
            .collect()
    }
}
