//! Assignment of processor cores. In a turn-based match only one of judge and programs runs at a
//! time, and a wake-up on the same core costs a fifth of one across cores
//! (`docs/decisions/0004-clocks.md`), so they share one core. Where both programs run at the same
//! time each has its own core, as long as there are enough.

use std::sync::atomic::{AtomicUsize, Ordering};

use leitai_game::Seat;
use rustix::thread::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};

/// The cores of a match.
pub struct CoreAssignment {
    programs: [Option<usize>; 2],
    rest: bool,
    one_by_one: bool,
    _pinned: Option<PinnedThread>,
}

/// The facts of a match that decide about its cores.
#[derive(Clone, Copy, Debug)]
pub struct CorePlan {
    /// The number of programs that play.
    pub programs: usize,
    /// Whether the seats move in turns.
    pub turns: bool,
    /// Whether programs may run while they are not asked.
    pub pondering: bool,
    /// Whether a built-in bot may search on several threads, for which one core is too few.
    pub is_spread: bool,
}

impl CoreAssignment {
    /// Assigns cores for such a match. On a single core two programs cannot run at the same time
    /// without slowing each other down: then the program that is not asked is frozen, whether
    /// pondering is allowed or not.
    pub fn assign_cores(plan: CorePlan) -> CoreAssignment {
        let CorePlan {
            programs,
            turns,
            pondering,
            is_spread,
        } = plan;
        if programs == 0 {
            return CoreAssignment {
                programs: [None; 2],
                rest: false,
                one_by_one: false,
                _pinned: None,
            };
        }
        if turns && !pondering {
            let (programs, pinned) = if is_spread {
                ([None; 2], None)
            } else {
                share_core()
            };
            return CoreAssignment {
                programs,
                rest: true,
                one_by_one: false,
                _pinned: pinned,
            };
        }
        let cores = own_cores(&allowed_cores());
        let alone = cores[0] != cores[1];
        let one_by_one = !alone && !turns && programs == 2;
        CoreAssignment {
            programs: cores,
            rest: !alone || !pondering,
            one_by_one,
            _pinned: None,
        }
    }

    /// The core of the program on this seat; `None` is any core.
    pub fn core_of(&self, seat: Seat) -> Option<usize> {
        self.programs[seat.index()]
    }

    /// Whether programs are frozen while they are not asked.
    pub fn freezes_idle(&self) -> bool {
        self.rest
    }

    /// Whether programs that are asked at once answer one after the other, each with the whole
    /// core.
    pub fn one_by_one(&self) -> bool {
        self.one_by_one
    }
}

fn share_core() -> ([Option<usize>; 2], Option<PinnedThread>) {
    let pinned = PinnedThread::pin_thread();
    let core = pinned.pinned_core();
    ([core, core], Some(pinned))
}

/// A core for each program, or a common one if there is only one. Matches that are played at the
/// same time start the assignment at different cores.
fn own_cores(allowed: &[usize]) -> [Option<usize>; 2] {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    if allowed.len() < 2 {
        return [allowed.first().copied(); 2];
    }
    // Judges of their own processes, one for each of many legs, start at different cores, too.
    let process = std::process::id() as usize;
    let from = process.wrapping_add(NEXT.fetch_add(2, Ordering::Relaxed));
    [from, from.wrapping_add(1)].map(|at| Some(allowed[at % allowed.len()]))
}

/// The cores that this thread may run on.
fn allowed_cores() -> Vec<usize> {
    let Ok(set) = sched_getaffinity(None) else {
        return Vec::new();
    };
    (0..CpuSet::MAX_CPU)
        .filter(|core| set.is_set(*core))
        .collect()
}

/// Whether this thread runs on this core and nowhere else.
pub fn is_pinned_to(core: usize) -> bool {
    allowed_cores() == [core]
}

/// Keeps this thread, and every program that it starts meanwhile, on one core. Dropping the value
/// frees the thread.
pub struct PinnedThread(Option<(CpuSet, usize)>);

impl PinnedThread {
    /// Pins the thread to its current core. If the system refuses, nothing changes: the match is
    /// only slower.
    pub fn pin_thread() -> PinnedThread {
        let Ok(before) = sched_getaffinity(None) else {
            return PinnedThread(None);
        };
        let (core, mut one) = (sched_getcpu(), CpuSet::new());
        one.set(core);
        PinnedThread(
            sched_setaffinity(None, &one)
                .is_ok()
                .then_some((before, core)),
        )
    }

    /// The core of a pinned thread.
    pub fn pinned_core(&self) -> Option<usize> {
        self.0.as_ref().map(|(_, core)| *core)
    }
}

impl Drop for PinnedThread {
    fn drop(&mut self) {
        if let Some((before, _)) = &self.0 {
            // If this fails the thread stays on a core that it may use.
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
        let pinned = PinnedThread::pin_thread();
        assert_eq!(cores(), 1);
        assert!(pinned.pinned_core().is_some());
        drop(pinned);
        assert_eq!(cores(), before);
    }

    #[test]
    fn programs_that_run_at_once_have_different_cores() {
        assert_eq!((own_cores(&[3]), own_cores(&[])), ([Some(3); 2], [None; 2]));
        let [first, second] = own_cores(&[2, 5]);
        assert!(first != second && first.is_some() && second.is_some());
        let nobody = CoreAssignment::assign_cores(CorePlan {
            programs: 0,
            turns: false,
            pondering: false,
            is_spread: false,
        });
        assert_eq!(Seat::BOTH.map(|seat| nobody.core_of(seat)), [None, None]);
    }

    #[test]
    fn programs_that_take_turns_share_one() {
        let cores = CoreAssignment::assign_cores(CorePlan {
            programs: 2,
            turns: true,
            pondering: false,
            is_spread: false,
        });
        assert!(
            cores.core_of(Seat::First) == cores.core_of(Seat::Second)
                && cores.core_of(Seat::First).is_some()
        );
        assert!(cores.freezes_idle() && !cores.one_by_one());
    }

    #[test]
    fn on_one_core_the_program_that_is_not_asked_is_frozen() {
        // Rows: turns, pondering; whether programs are frozen, and whether they answer one after
        // the other.
        let check = |turns: bool, pondering: bool, one: [bool; 2], two: [bool; 2]| {
            let chosen = |workers: usize| {
                let choose = move || {
                    crate::core_sharing::take_share(0, workers);
                    let cores = CoreAssignment::assign_cores(CorePlan {
                        programs: 2,
                        turns,
                        pondering,
                        is_spread: false,
                    });
                    [cores.freezes_idle(), cores.one_by_one()]
                };
                std::thread::spawn(choose)
                    .join()
                    .expect("it does not panic")
            };
            assert_eq!(
                chosen(usize::MAX),
                one,
                "one core, turns {turns}, pondering {pondering}"
            );
            if allowed_cores().len() > 1 {
                assert_eq!(
                    chosen(1),
                    two,
                    "two cores, turns {turns}, pondering {pondering}"
                );
            }
        };
        check(true, false, [true, false], [true, false]);
        check(true, true, [true, false], [false, false]);
        check(false, false, [true, true], [true, false]);
        check(false, true, [true, true], [false, false]);
    }
}
