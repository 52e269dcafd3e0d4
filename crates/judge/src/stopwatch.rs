//! Measures one seat while it owes an answer: wall time, CPU time and noise. A short move costs one
//! reading of the CPU clock and nothing else.

use std::time::{Duration, Instant};

use leitai_sandbox::SandboxedChild;
use rustix::time::{ClockId, clock_gettime};

use crate::affinity::is_pinned_to;
use crate::clock::Spent;
use crate::noise::{Noise, NoiseBound, NoiseMeter, REST};
use crate::thread_waits::ProgramThreads;

/// The noise of shorter moves is not measured: it would be too small to be recorded.
const LEAST: Duration = Duration::from_millis(1);

/// How often the accounts of all processes are looked at while a program is asked, where it may have
/// left the counter of its processor time. What is found later counts then.
const ACCOUNTS: Duration = Duration::from_millis(250);

/// A program that computes longer than this while it should be idle does not stay idle by itself.
const RESTLESS: Duration = Duration::from_micros(100);

/// Measures one seat.
#[derive(Debug, Default)]
pub struct SeatStopwatch {
    program: Option<ProgramAccounts>,
    since: Option<Instant>,
    /// The time that the judge may listen before the next ruling.
    budget: Duration,
}

/// The earlier readings of a program's counters.
#[derive(Debug)]
struct ProgramAccounts {
    meter: NoiseMeter,
    tasks: ProgramThreads,
    /// Whether [`SandboxedChild::cpu_time`] covers all processes of the program.
    tells_all: bool,
    /// Whether nothing that the program does can change that.
    certain: bool,
    /// Whether the program hides the usage of its processes.
    hides: bool,
    /// Time in which the program was asked since the accounts of all processes were looked at.
    unchecked: Duration,
    /// Whether the program should be idle between an answer and the next question, and whether it
    /// computed nevertheless.
    rests: bool,
    restless: bool,
    cpu: Option<Duration>,
    /// CPU time of the processes other than the main one, if it has to be added.
    others: Option<Duration>,
    noise: Noise,
    /// What of the noise in this period the machine can have caused.
    bound: NoiseBound,
    /// Whether the judge runs on the program's core and nowhere else.
    shared: bool,
    /// CPU time of the judge's thread at the last reading of the noise.
    judge: Duration,
    /// The delay with which the judge was woken.
    overslept: Duration,
}

impl SeatStopwatch {
    /// A stopwatch for a program on this core, or on any. A program that `rests` is frozen now, and
    /// its usage counts from now on.
    pub fn of_program(core: Option<usize>, child: &SandboxedChild, rests: bool) -> SeatStopwatch {
        let accounts = ProgramAccounts {
            meter: NoiseMeter::new(core),
            tasks: ProgramThreads::default(),
            tells_all: child.tells_all_cpu(),
            certain: child.tells_cpu_for_certain(),
            hides: false,
            unchecked: Duration::ZERO,
            rests,
            restless: false,
            cpu: child.cpu_time().filter(|_| rests),
            others: None,
            noise: Noise::default(),
            bound: NoiseBound::default(),
            shared: core.is_some_and(is_pinned_to),
            judge: Duration::ZERO,
            overslept: Duration::ZERO,
        };
        SeatStopwatch {
            program: Some(accounts),
            ..SeatStopwatch::default()
        }
    }

    /// Whether it measures.
    pub fn is_running(&self) -> bool {
        self.since.is_some()
    }

    /// Whether the program computes when it should be idle.
    pub fn is_restless(&self) -> bool {
        self.program
            .as_ref()
            .is_some_and(|accounts| accounts.restless)
    }

    /// The time left until the next ruling; `None` if the stopwatch does not run.
    pub fn time_left(&self) -> Option<Duration> {
        Some(self.budget.saturating_sub(self.since?.elapsed()))
    }

    /// Starts to measure a seat that has just been asked.
    pub fn start_period(&mut self, budget: Duration, child: Option<&SandboxedChild>) {
        if let (Some(accounts), Some(child)) = (&mut self.program, child) {
            accounts.begin_period(child);
        }
        self.budget = budget;
        self.since = Some(Instant::now());
    }

    /// The time used since the start or the last call. The measurement continues.
    pub fn read_spent(&mut self, child: Option<&SandboxedChild>) -> Spent {
        let Some(since) = self.since else {
            return Spent::default();
        };
        let now = Instant::now();
        self.since = Some(now);
        let wall = now.saturating_duration_since(since);
        match (&mut self.program, child) {
            (Some(accounts), Some(child)) => {
                accounts.read_spent(child, wall, now, wall >= self.budget)
            }
            _ => Spent::from_wall(wall),
        }
    }

    /// Sets the time that the judge may listen from now on, if the last input was no answer.
    pub fn go_on(&mut self, budget: Duration) {
        self.budget = budget;
    }

    /// Ends the measurement: the question is answered.
    pub fn stop_period(&mut self) {
        self.since = None;
        if let Some(accounts) = &mut self.program {
            accounts.others = None;
        }
    }

    /// To be called at intervals; `overslept` is the delay with which the judge was woken.
    pub fn look_at_clocks(&mut self, overslept: Duration, child: Option<&SandboxedChild>) {
        let Some(elapsed) = self.since.map(|since| since.elapsed()) else {
            return;
        };
        let Some(accounts) = &mut self.program else {
            return;
        };
        accounts.overslept += overslept;
        if let (Some(child), true) = (child, elapsed >= LEAST) {
            accounts.watch_waits(child);
        }
        // Finding all processes of a program takes milliseconds, so it is done only in a long move:
        // once after a quarter of it, and again at the limit.
        if let (false, None, Some(child)) = (accounts.tells_all, accounts.others, child)
            && elapsed >= self.budget / 4
            && elapsed >= LEAST
        {
            accounts.others = Some(cpu_of_others(child));
            accounts.hides |= child.hides_cpu_time();
        }
    }
}

impl ProgramAccounts {
    fn begin_period(&mut self, child: &SandboxedChild) {
        let now = Instant::now();
        if self.meter.is_stale(now) {
            let waited = self.tasks.longest_waits(child.process_id(), now);
            self.noise = self.meter.read(now, waited);
            self.judge = thread_cpu();
        }
        self.bound = NoiseBound::new(self.meter.busy_time(), self.shared);
        self.tasks.forget_threads();
        self.noise.delay = Duration::ZERO;
        self.overslept = Duration::ZERO;
        // An idle program is not measured again: what it still computes after an answer counts for
        // its next turn.
        self.cpu = self.cpu.filter(|_| self.rests).or_else(|| child.cpu_time());
    }

    fn read_spent(
        &mut self,
        child: &SandboxedChild,
        wall: Duration,
        now: Instant,
        all: bool,
    ) -> Spent {
        let before = self.cpu;
        self.unchecked += wall;
        if !self.certain && self.tells_all && (all || self.unchecked >= ACCOUNTS) {
            self.unchecked = Duration::ZERO;
            child.cpu_time_of_all();
            self.hides |= child.hides_cpu_time();
        }
        self.cpu = child.cpu_time();
        let grown =
            |now: Option<Duration>, then: Option<Duration>| Some(now?.saturating_sub(then?));
        let main = grown(self.cpu, before);
        let all = all || self.others.is_some();
        let others = if all && !self.tells_all {
            self.others_since(child)
        } else {
            Duration::ZERO
        };
        let used = main.unwrap_or_default().min(wall);
        let noise = if self.hides {
            Noise::default()
        } else if wall < LEAST {
            self.bound.bound_noise(Noise::default(), None, used)
        } else {
            let noise = self.noise_since(child, wall, now);
            self.bound.bound_noise(noise, self.meter.busy_time(), used)
        };
        // A program has one core: CPU time beyond the wall time was used before the question.
        self.restless |= self.rests && main.is_some_and(|main| main > wall + RESTLESS);
        Spent {
            wall,
            cpu: main.map(|main| self.charge_time(main, others, wall)),
            noise,
        }
    }

    /// The charged time of a program. The time of its other processes is not exact, so it counts up
    /// to the wall time; a program that hides their usage may have used all of it.
    fn charge_time(&self, main: Duration, others: Duration, wall: Duration) -> Duration {
        let most = if self.rests { wall.max(main) } else { wall };
        if self.hides {
            most
        } else {
            (main + others).min(most)
        }
    }

    /// Measures open waits, which are known only after more than one reading.
    fn watch_waits(&mut self, child: &SandboxedChild) {
        let now = Instant::now();
        if self
            .tasks
            .last_look()
            .is_none_or(|looked| now.saturating_duration_since(looked) >= REST)
        {
            self.tasks.longest_waits(child.process_id(), now);
        }
    }

    fn others_since(&mut self, child: &SandboxedChild) -> Duration {
        self.hides |= child.hides_cpu_time();
        let now = cpu_of_others(child);
        now.saturating_sub(self.others.replace(now).unwrap_or(now))
    }

    fn noise_since(&mut self, child: &SandboxedChild, wall: Duration, now: Instant) -> Noise {
        let before = self.noise;
        self.noise = self
            .meter
            .read(now, self.tasks.longest_waits(child.process_id(), now));
        let noise = self.noise.difference_since(&before, wall);
        let overslept = std::mem::take(&mut self.overslept).min(wall);
        // The judge works for the program on the same core: two threads that wait for the judge are
        // not disturbed.
        let judge = std::mem::replace(&mut self.judge, thread_cpu());
        let delay = noise
            .delay
            .saturating_sub(self.judge.saturating_sub(judge) * 2);
        Noise {
            delay,
            late: noise.late.max(overslept),
            ..noise
        }
    }
}

/// CPU time of this thread.
pub fn thread_cpu() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap_or_default()
}

fn cpu_of_others(child: &SandboxedChild) -> Duration {
    let all = child.cpu_time_of_all().unwrap_or_default();
    all.saturating_sub(child.cpu_time().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use leitai_sandbox::{Program, Sandbox, StdioKind};

    #[test]
    fn a_seat_without_a_program_has_wall_time_only() {
        let mut watch = SeatStopwatch::default();
        assert_eq!(
            (watch.read_spent(None), watch.time_left()),
            (Spent::default(), None)
        );
        watch.start_period(Duration::from_secs(60), None);
        assert!(watch.is_running() && watch.time_left() > Some(Duration::from_secs(30)));
        let spent = watch.read_spent(None);
        assert!(spent.cpu.is_none() && watch.is_running());
        watch.stop_period();
        assert_eq!(watch.read_spent(None), Spent::default());
    }

    #[test]
    fn cpu_time_of_a_program_and_of_its_children_is_measured() {
        let check = |script: &str, rests: bool| {
            let program = Program::new(["/bin/sh", "-c", script], "/");
            let child = Sandbox::without_isolation()
                .spawn_program(&program, StdioKind::Separate)
                .expect("a shell");
            let mut watch = SeatStopwatch::of_program(None, &child, rests);
            watch.start_period(Duration::ZERO, Some(&child));
            let mut sum = Spent::default();
            // The test waits for the CPU clock of the system.
            while sum.cpu.is_some_and(|cpu| cpu < Duration::from_millis(30)) || sum.cpu.is_none() {
                watch.look_at_clocks(Duration::ZERO, Some(&child));
                sum += watch.read_spent(Some(&child));
                assert!(sum.wall < Duration::from_secs(60), "{script}: {sum:?}");
            }
            // Usage between the start of the program and the question counts, too.
            assert!(rests || sum.cpu <= Some(sum.wall), "{script}: {sum:?}");
        };
        check("while :; do :; done", true);
        check("while :; do :; done", false);
        check("sh -c 'while :; do :; done' & wait", false);
    }

    #[test]
    fn a_program_that_computes_while_it_should_be_idle_is_detected() {
        let check = |rests: bool| {
            let program = Program::new(["/bin/sh", "-c", "while :; do :; done"], "/");
            let child = Sandbox::without_isolation()
                .spawn_program(&program, StdioKind::Separate)
                .expect("a shell");
            let mut watch = SeatStopwatch::of_program(None, &child, rests);
            watch.start_period(Duration::ZERO, Some(&child));
            let before = child.cpu_time();
            watch.read_spent(Some(&child));
            watch.stop_period();
            while child.cpu_time() < before.map(|cpu| cpu + Duration::from_millis(20)) {
                std::thread::yield_now();
            }
            watch.start_period(Duration::ZERO, Some(&child));
            let spent = watch.read_spent(Some(&child));
            assert_eq!(
                spent.unasked_time() > Duration::ZERO,
                rests,
                "the time is charged: {spent:?}"
            );
            assert_eq!(watch.is_restless(), rests);
        };
        check(true);
        check(false);
    }
}
