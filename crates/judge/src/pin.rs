//! One core for a turn-based match. Only one of judge and programs runs at a time, and a wake-up on the same core
//! costs a fifth of one across cores (`spec/performance.md`), so sharing a core steals from nobody.

use rustix::thread::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};

/// Keeps this thread, and every program it starts meanwhile, on one core. The thread is free again when dropped.
pub struct Pinned(Option<CpuSet>);

impl Pinned {
    /// On the core where the thread runs now. Where the system does not allow it, nothing changes: it is only
    /// slower.
    pub fn here() -> Pinned {
        let Ok(before) = sched_getaffinity(None) else { return Pinned(None) };
        let mut one = CpuSet::new();
        one.set(sched_getcpu());
        Pinned(sched_setaffinity(None, &one).is_ok().then_some(before))
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        if let Some(before) = &self.0 {
            // Failing leaves the thread on a core that it was allowed to use all along.
            let _ = sched_setaffinity(None, before);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_is_pinned_and_freed() {
        let cores = || sched_getaffinity(None).expect("Linux tells").count();
        let before = cores();
        let pinned = Pinned::here();
        assert_eq!(cores(), 1);
        drop(pinned);
        assert_eq!(cores(), before);
    }
}
