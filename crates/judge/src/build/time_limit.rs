//! The time limits of a build: limits, usage, and the cause of an overrun.
//!
//! As with moves, CPU time counts: on a busy machine a build takes longer, which is not its fault.
//! Wall time has a generous cap, which is extended by the time that the machine withheld.

use super::program::BuildLimits;
use crate::noise::{Noise, NoiseMeter};
use crate::thread_waits::ProgramThreads;
use leitai_sandbox::SandboxedChild;
use std::time::{Duration, Instant};

/// A build ends after this multiple of the wall time cap, even if the machine withheld the time.
const MOST_CAPS: u32 = 4;
/// The interval at which a running build is checked.
pub const LOOK: Duration = Duration::from_millis(100);

/// The usage of a build so far, over all its tools.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BuildUsage {
    /// Wall time.
    pub wall: Duration,
    /// CPU time of all processes.
    pub cpu: Duration,
    /// The noise meanwhile.
    pub noise: Noise,
}

/// The ruling on a build's time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BuildTimeRuling {
    /// The build may go on.
    Within,
    /// The build used too much CPU time.
    Computed,
    /// The build used too much wall time without computing.
    Slept,
    /// The machine withheld the time for too long: an infrastructure error.
    Disturbed,
    /// The judge is to stop.
    Interrupted,
}

impl BuildUsage {
    /// The ruling under these limits. Time stolen by a hypervisor is not charged; wall time is
    /// excused as far as the build did not compute and the machine kept it from computing.
    pub fn judge_limits(&self, limits: &BuildLimits) -> BuildTimeRuling {
        if self.cpu.saturating_sub(self.noise.steal) > limits.cpu {
            return BuildTimeRuling::Computed;
        }
        let idle = self.wall.saturating_sub(self.cpu);
        if self.wall
            > limits
                .wall
                .saturating_add(idle.min(self.noise.total_withheld()))
        {
            return BuildTimeRuling::Slept;
        }
        let most = limits.wall.saturating_mul(MOST_CAPS);
        if self.wall >= most {
            BuildTimeRuling::Disturbed
        } else {
            BuildTimeRuling::Within
        }
    }
}

/// Measures a build whose tools run one after another.
#[derive(Debug)]
pub struct BuildStopwatch {
    meter: NoiseMeter,
    tasks: ProgramThreads,
    start: Instant,
    /// The time and the values of the last measurement.
    looked: Instant,
    read: Noise,
    noise: Noise,
    /// CPU time of ended tools.
    ended: Duration,
}

impl BuildStopwatch {
    /// Starts to measure a build.
    pub fn start_build() -> BuildStopwatch {
        let (start, mut meter) = (Instant::now(), NoiseMeter::new(None));
        let read = meter.read(start, Duration::ZERO);
        let (tasks, noise) = (ProgramThreads::default(), Noise::default());
        BuildStopwatch {
            meter,
            tasks,
            start,
            looked: start,
            read,
            noise,
            ended: Duration::ZERO,
        }
    }

    /// The usage so far, while this tool runs.
    pub fn read_usage(&mut self, child: &SandboxedChild) -> BuildUsage {
        let now = Instant::now();
        let passed = now.saturating_duration_since(self.looked);
        let read = self
            .meter
            .read(now, self.tasks.longest_waits(child.process_id(), now));
        self.noise += read.difference_since(&self.read, passed);
        (self.looked, self.read) = (now, read);
        let cpu = self.ended + child.cpu_time_of_all().unwrap_or_default();
        BuildUsage {
            wall: now.saturating_duration_since(self.start),
            cpu,
            noise: self.noise,
        }
    }

    /// Adds the usage of an ended tool.
    pub fn add_ended_child(&mut self, child: &SandboxedChild) {
        self.ended += child.cpu_time_of_all().unwrap_or_default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cause_of_a_long_build_is_found() {
        let limits = BuildLimits::of_cpu_time(Duration::from_secs(30));
        assert_eq!(limits.wall, Duration::from_secs(120));
        // Wall, CPU, delay in the run queue, steal, all in seconds.
        let check = |[wall, cpu, delay, steal]: [u64; 4], expected: BuildTimeRuling| {
            let seconds = Duration::from_secs;
            let noise = Noise {
                delay: seconds(delay),
                steal: seconds(steal),
                ..Noise::default()
            };
            let used = BuildUsage {
                wall: seconds(wall),
                cpu: seconds(cpu),
                noise,
            };
            assert_eq!(used.judge_limits(&limits), expected, "{used:?}");
        };
        check([0, 0, 0, 0], BuildTimeRuling::Within);
        check([8, 30, 0, 0], BuildTimeRuling::Within);
        check([8, 31, 0, 0], BuildTimeRuling::Computed);
        check([31, 31, 0, 1], BuildTimeRuling::Within);
        check([120, 1, 0, 0], BuildTimeRuling::Within);
        check([121, 1, 0, 0], BuildTimeRuling::Slept);
        // On a busy machine the withheld time extends the cap, up to four caps.
        check([400, 20, 380, 0], BuildTimeRuling::Within);
        check([400, 20, 200, 0], BuildTimeRuling::Slept);
        check([480, 20, 460, 0], BuildTimeRuling::Disturbed);
        // Waiting times between threads of the build are no excuse, because the build computed
        // meanwhile.
        check([60, 31, 900, 0], BuildTimeRuling::Computed);
    }
}
