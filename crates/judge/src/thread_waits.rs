//! Measures how long the threads of a program wait for a core. The kernel counts a wait for each
//! thread only when it is over; on a loaded machine a wait can last longer than a turn, so open
//! waits are measured as well.

use std::collections::HashMap;
use std::fs;
use std::time::{Duration, Instant};

/// The most threads of a program that are measured; by default no program may have more processes.
const MOST: usize = 256;

/// Shorter waits are no noise.
const LEAST: Duration = Duration::from_micros(10);

/// The threads of a program and of its descendants.
#[derive(Debug, Default)]
pub struct ProgramThreads {
    known: HashMap<u32, ThreadState>,
    /// The longest waits of threads that have ended.
    ended: LongestWaits,
    looked: Option<Instant>,
    /// The priority of the judge, from which programs start.
    usual: Option<ThreadPriority>,
}

/// How willingly a thread waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ThreadPriority {
    nice: i32,
    idle: bool,
}

impl ThreadPriority {
    /// Whether a thread of this priority lets threads of the other one go first. A program cannot
    /// undo that, and the waits of such threads are its own doing.
    fn is_below(self, usual: ThreadPriority) -> bool {
        self.nice > usual.nice || (self.idle && !usual.idle)
    }
}

/// The longest waits, the longest first. Threads of one program also wait for each other, and the
/// sum of all their waits would excuse a sleeping program that sometimes wakes many threads at
/// once. While one thread waits for another of its program, the program computes; so two threads
/// wait for their own program at most twice its CPU time: far less than what makes a leg impossible
/// to judge (`clock.rs`).
type LongestWaits = [Duration; 2];

/// Adds a wait if it is among the longest.
fn note_wait(longest: &mut LongestWaits, wait: Duration) {
    let [first, second] = longest;
    if wait > *first {
        *second = std::mem::replace(first, wait);
    } else {
        *second = wait.max(*second);
    }
}

/// The last reading of a thread.
#[derive(Clone, Copy, Debug, Default)]
struct ThreadState {
    account: SchedAccount,
    /// The time since which the counter has not changed although the thread is ready to run.
    waits_since: Option<Instant>,
    /// The part of that wait that is already counted.
    counted: Duration,
    /// The total wait since the last reset.
    waited: Duration,
}

/// The kernel's counters of a thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct SchedAccount {
    ran: Duration,
    waited: Duration,
}

impl ProgramThreads {
    /// The two longest total waits of threads of the program with this main process, since the last
    /// [reset](Self::forget_threads), added up. Open waits count from their first reading. The
    /// value never decreases; a thread that ends loses only its waits since the last reading.
    /// Threads that have lowered their priority do not count.
    pub fn longest_waits(&mut self, main: u32, now: Instant) -> Duration {
        self.looked = Some(now);
        if self.usual.is_none() {
            self.usual = read("/proc/thread-self", "stat").and_then(|text| parse_priority(&text));
        }
        let tasks = tasks_of(main);
        let gone = self
            .known
            .extract_if(|id, _| tasks.iter().all(|(_, task)| task != id));
        gone.for_each(|(_, task)| note_wait(&mut self.ended, task.waited));
        for (process, id) in tasks {
            let folder = format!("/proc/{process}/task/{id}");
            let Some(account) = read(&folder, "schedstat").and_then(|text| parse_account(&text))
            else {
                continue;
            };
            let is_ready = || read(&folder, "stat").is_some_and(|text| is_ready(&text));
            let task = self.known.entry(id).or_default();
            let more = task.look_at_thread(account, is_ready, now);
            let priority = || read(&folder, "stat").and_then(|text| parse_priority(&text));
            let gives_way = || {
                let both = priority().zip(self.usual);
                both.is_some_and(|(own, usual)| own.is_below(usual))
            };
            if more >= LEAST && !gives_way() {
                task.waited += more;
            }
        }
        let mut longest = self.ended;
        self.known
            .values()
            .for_each(|task| note_wait(&mut longest, task.waited));
        longest.iter().sum()
    }

    /// Resets all waits.
    pub fn forget_threads(&mut self) {
        self.ended = LongestWaits::default();
        self.known
            .values_mut()
            .for_each(|task| task.waited = Duration::ZERO);
    }

    /// The time of the last reading.
    pub fn last_look(&self) -> Option<Instant> {
        self.looked
    }
}

impl ThreadState {
    /// Reads a thread again; returns its wait that was not counted yet.
    fn look_at_thread(
        &mut self,
        account: SchedAccount,
        is_ready: impl FnOnce() -> bool,
        now: Instant,
    ) -> Duration {
        let before = std::mem::replace(&mut self.account, account);
        if account != before {
            let grown = account.waited.saturating_sub(before.waited);
            let counted = std::mem::take(&mut self.counted);
            self.waits_since = None;
            return grown.saturating_sub(counted);
        }
        if !is_ready() {
            self.waits_since = None;
            return Duration::ZERO;
        }
        let since = *self.waits_since.get_or_insert(now);
        let open = now.saturating_duration_since(since).max(self.counted);
        open - std::mem::replace(&mut self.counted, open)
    }
}

/// Process and thread ids of a program: its main process first, then its descendants.
fn tasks_of(main: u32) -> Vec<(u32, u32)> {
    let (mut processes, mut tasks) = (vec![main], Vec::new());
    let mut at = 0;
    while let (Some(process), true) = (processes.get(at).copied(), tasks.len() < MOST) {
        for id in threads_of(process) {
            tasks.push((process, id));
            let children =
                read(&format!("/proc/{process}/task/{id}"), "children").unwrap_or_default();
            processes.extend(
                children
                    .split_ascii_whitespace()
                    .filter_map(|id| id.parse::<u32>().ok()),
            );
        }
        at += 1;
    }
    tasks
}

fn threads_of(process: u32) -> Vec<u32> {
    let entries = fs::read_dir(format!("/proc/{process}/task"))
        .into_iter()
        .flatten()
        .flatten();
    entries
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .take(MOST)
        .collect()
}

fn read(folder: &str, name: &str) -> Option<String> {
    leitai_sandbox::read_kernel_file(format!("{folder}/{name}")).ok()
}

/// `schedstat`: nanoseconds on a core, nanoseconds ready but not running.
fn parse_account(text: &str) -> Option<SchedAccount> {
    let mut numbers = text
        .split_ascii_whitespace()
        .map_while(|word| word.parse().ok().map(Duration::from_nanos));
    Some(SchedAccount {
        ran: numbers.next()?,
        waited: numbers.next()?,
    })
}

/// Whether a `stat` has the state R. The name in parentheses may contain anything.
fn is_ready(text: &str) -> bool {
    text.rfind(')')
        .is_some_and(|end| text[end + 1..].trim_start().starts_with('R'))
}

/// The priority in a `stat`: the fields of proc(5) after the name.
fn parse_priority(text: &str) -> Option<ThreadPriority> {
    const NICE: usize = 16;
    const POLICY: usize = 38;
    const SCHED_IDLE: u32 = 5;
    let fields: Vec<&str> = text[text.rfind(')')? + 1..]
        .split_ascii_whitespace()
        .collect();
    Some(ThreadPriority {
        nice: fields.get(NICE)?.parse().ok()?,
        idle: fields.get(POLICY)?.parse::<u32>().ok()? == SCHED_IDLE,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_and_states_are_read() {
        let account = |ran, waited| SchedAccount {
            ran: Duration::from_nanos(ran),
            waited: Duration::from_nanos(waited),
        };
        assert_eq!(
            parse_account("564649 66559 1\n"),
            Some(account(564_649, 66_559))
        );
        assert_eq!(parse_account("564649"), None);
        assert_eq!(parse_account("1 x 3"), None);
        assert!(is_ready("42 (a) S (b)) R 1 77"));
        assert!(!is_ready("42 (R) S 1 77") && !is_ready(""));
    }

    #[test]
    fn waits_of_threads_that_give_way_do_not_count() {
        let stat = |nice: i32, policy: u32| {
            let text = format!(
                "7 (a) R{} {nice}{} {policy} 0",
                " 0".repeat(15),
                " 0".repeat(21)
            );
            parse_priority(&text).expect("a stat line")
        };
        let check = |own: (i32, u32), usual: (i32, u32), below: bool| {
            let is_below = stat(own.0, own.1).is_below(stat(usual.0, usual.1));
            assert_eq!(is_below, below, "{own:?} {usual:?}");
        };
        check((0, 0), (0, 0), false);
        check((5, 0), (5, 0), false);
        check((19, 0), (0, 0), true);
        check((0, 5), (0, 0), true);
        check((0, 5), (0, 5), false);
        check((0, 3), (0, 0), false);
        assert_eq!(parse_priority("7 (a) R 1"), None);
        let own = read("/proc/thread-self", "stat").and_then(|text| parse_priority(&text));
        assert!(own.is_some(), "the kernel's own line");
    }

    #[test]
    fn closed_and_open_waits_are_counted_once() {
        let (begin, ms) = (Instant::now(), Duration::from_millis);
        let mut task = ThreadState::default();
        // Rows: time, counters, whether the thread is ready; the newly counted wait, in
        // milliseconds.
        let mut check = |at: u64, ran: u64, waited: u64, ready: bool, expected: u64| {
            let account = SchedAccount {
                ran: ms(ran),
                waited: ms(waited),
            };
            assert_eq!(
                task.look_at_thread(account, || ready, begin + ms(at)),
                ms(expected),
                "at {at}"
            );
        };
        check(0, 5, 20, true, 20);
        check(100, 5, 20, true, 0); // the first reading of this wait
        check(200, 5, 20, true, 100);
        check(300, 5, 20, true, 100);
        check(400, 6, 380, true, 160); // 360 ms in total
        check(500, 6, 380, false, 0);
        check(600, 6, 380, true, 0);
        check(700, 6, 380, true, 100);
        check(800, 9, 380, true, 0); // a counter without this wait
        check(900, 9, 380, false, 0);
        check(1000, 9, 381, false, 1);
    }

    #[test]
    fn the_two_longest_waits_count() {
        let ms = Duration::from_millis;
        let check = |waits: &[u64], expected: [u64; 2]| {
            let mut longest = LongestWaits::default();
            waits
                .iter()
                .for_each(|wait| note_wait(&mut longest, ms(*wait)));
            assert_eq!(longest, expected.map(ms), "{waits:?}");
        };
        check(&[], [0, 0]);
        check(&[5], [5, 0]);
        check(&[1, 5, 3], [5, 3]);
        check(&[7; 60], [7, 7]);
    }

    #[test]
    fn the_threads_of_this_process_are_found() {
        let (held, hold) = std::sync::mpsc::channel::<()>();
        let thread = std::thread::spawn(move || hold.recv());
        let me = std::process::id();
        assert!(tasks_of(me).len() >= 2 && tasks_of(me).contains(&(me, me)));
        let mut tasks = ProgramThreads::default();
        let first = tasks.longest_waits(me, Instant::now());
        assert!(tasks.longest_waits(me, Instant::now()) >= first && tasks.last_look().is_some());
        drop(held);
        assert!(thread.join().expect("it does not panic").is_err());
    }
}
