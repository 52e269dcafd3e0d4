//! Threads that help a search, where a bot was given more than one.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::Builder;

/// Runs `main` here and `help` beside it, on a thread for each of the states, until `main` is done:
/// then the flag that helpers get is raised, and they return. Gives what `main` found, and what the
/// helpers did, in the order of their states. A helper whose thread the system refuses does not
/// take part; without states no thread is started.
///
/// # Panics
/// If a helper panics, with its message, once all have returned.
pub fn search_beside<S: Send, T: Send, R>(
    states: &mut [S],
    help: impl Fn(usize, &mut S, &AtomicBool) -> T + Sync,
    main: impl FnOnce() -> R,
) -> (R, Vec<T>) {
    if states.is_empty() {
        return (main(), Vec::new());
    }
    let stop = AtomicBool::new(false);
    #[expect(
        clippy::disallowed_methods,
        reason = "only if whoever runs a bot gives it several threads; rules never do"
    )]
    std::thread::scope(|scope| {
        let start = |(number, state)| {
            let (help, stop) = (&help, &stop);
            let thread = Builder::new().name(format!("search {number}"));
            thread
                .spawn_scoped(scope, move || help(number, state, stop))
                .ok()
        };
        let helpers: Vec<_> = states.iter_mut().enumerate().filter_map(start).collect();
        let raised = RaiseAtEnd(&stop);
        let found = main();
        drop(raised);
        let join = |helper: std::thread::ScopedJoinHandle<'_, T>| {
            helper.join().unwrap_or_else(|panic| resume_unwind(panic))
        };
        (found, helpers.into_iter().map(join).collect())
    })
}

/// Raises a flag when it is dropped, also by a panic: else helpers would go on for ever.
struct RaiseAtEnd<'a>(&'a AtomicBool);

impl Drop for RaiseAtEnd<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts until the flag is raised.
    fn count(_: usize, count: &mut u64, stop: &AtomicBool) -> u64 {
        while !stop.load(Ordering::Relaxed) {
            *count += 1;
        }
        *count
    }

    #[test]
    fn helpers_work_until_the_main_search_is_done() {
        let mut states = [0, 10];
        let wait = || std::thread::sleep(std::time::Duration::from_millis(2));
        let ((), counts) = search_beside(&mut states, count, wait);
        assert_eq!(counts, states);
        assert_eq!(search_beside(&mut [], count, || 7), (7, vec![]));
    }

    #[test]
    fn a_panic_of_the_main_search_does_not_hang() {
        let mut states = [0];
        let search = std::panic::AssertUnwindSafe(|| {
            search_beside(&mut states, count, || panic!("on purpose"))
        });
        assert!(std::panic::catch_unwind(search).is_err());
    }

    #[test]
    fn a_panic_of_a_helper_is_told() {
        let search = std::panic::AssertUnwindSafe(|| {
            search_beside(&mut [()], |_, (), _| panic!("on purpose"), || 1)
        });
        assert!(std::panic::catch_unwind(search).is_err());
    }
}
