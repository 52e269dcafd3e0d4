//! Which core does what. In a turn-based match only one of judge and programs runs at a time, and a wake-up on the same
//! core costs a fifth of one across cores (`spec/performance.md`), so they share one and steal from nobody. Where both
//! programs run at once each has a core of its own, as long as there are cores.

use std::sync::atomic::{AtomicUsize, Ordering};

use leitai_game::Seat;
use rustix::thread::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};

/// The cores of a match.
pub struct Cores {
    programs: [Option<usize>; 2],
    _pinned: Option<Pinned>,
}

impl Cores {
    /// For a match with or without programs, in which they take turns or run at once.
    pub fn choose(programs: bool, turns: bool) -> Cores {
        let (programs, pinned) = match (programs, turns) {
            (false, _) => ([None; 2], None),
            (true, true) => shared(),
            (true, false) => (own(&allowed()), None),
        };
        Cores { programs, _pinned: pinned }
    }

    /// The core of the program on this seat; `None` is any.
    pub fn of(&self, seat: Seat) -> Option<usize> {
        self.programs[seat.index()]
    }
}

fn shared() -> ([Option<usize>; 2], Option<Pinned>) {
    let pinned = Pinned::here();
    let core = pinned.core();
    ([core, core], Some(pinned))
}

/// A core for each program. Matches that are played at the same time begin to count at different cores.
fn own(allowed: &[usize]) -> [Option<usize>; 2] {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    if allowed.len() < 2 {
        return [None; 2];
    }
    let from = NEXT.fetch_add(2, Ordering::Relaxed);
    [from, from.wrapping_add(1)].map(|at| Some(allowed[at % allowed.len()]))
}

/// The cores that this thread may run on.
fn allowed() -> Vec<usize> {
    let Ok(set) = sched_getaffinity(None) else { return Vec::new() };
    (0..CpuSet::MAX_CPU).filter(|core| set.is_set(*core)).collect()
}

/// Keeps this thread, and every program it starts meanwhile, on one core. The thread is free again when dropped.
pub struct Pinned(Option<(CpuSet, usize)>);

impl Pinned {
    /// On the core where the thread runs now. Where the system does not allow it, nothing changes: it is only
    /// slower.
    pub fn here() -> Pinned {
        let Ok(before) = sched_getaffinity(None) else { return Pinned(None) };
        let (core, mut one) = (sched_getcpu(), CpuSet::new());
        one.set(core);
        Pinned(sched_setaffinity(None, &one).is_ok().then_some((before, core)))
    }

    /// The core, if the thread is kept on one.
    pub fn core(&self) -> Option<usize> {
        self.0.as_ref().map(|(_, core)| *core)
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        if let Some((before, _)) = &self.0 {
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
        assert!(pinned.core().is_some());
        drop(pinned);
        assert_eq!(cores(), before);
    }

    #[test]
    fn programs_that_run_at_once_have_cores_of_their_own() {
        assert_eq!(own(&[3]), [None, None]);
        let [first, second] = own(&[2, 5]);
        assert!(first != second && first.is_some() && second.is_some());
        let alone = Cores::choose(false, false);
        assert_eq!(Seat::BOTH.map(|seat| alone.of(seat)), [None, None]);
    }

    #[test]
    fn programs_that_take_turns_share_one() {
        let cores = Cores::choose(true, true);
        assert!(cores.of(Seat::First) == cores.of(Seat::Second) && cores.of(Seat::First).is_some());
    }
}
