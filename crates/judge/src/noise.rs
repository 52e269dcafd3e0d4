//! Noise: delays of a program that others cause: other work on its core, a late judge, a
//! hypervisor. It is measured by counters of the kernel; a system without them reports no noise.

use std::fs::File;
use std::ops::AddAssign;
use std::os::unix::fs::FileExt;
use std::time::{Duration, Instant};

use leitai_game::replay::NoiseTimes;

/// The least interval between readings of the whole machine's counters; the kernel updates them at
/// about this interval.
pub const REST: Duration = Duration::from_millis(10);
/// The unit of `/proc/stat`, the same on every supported Linux.
const TICK: Duration = Duration::from_millis(10);
/// The bytes of a counter file that are read.
const SHOWN: usize = 4096;

/// Four kinds of noise: the amount of each in a time span, or, as a reading of the counters, the
/// total so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Noise {
    /// The program was ready to run while its core ran something else.
    pub delay: Duration,
    /// The judge itself was late: ready to run and not running, or woken later than requested.
    pub late: Duration,
    /// The hypervisor ran other machines on the core.
    pub steal: Duration,
    /// Some process of the machine waited for a core (pressure stall information). Recorded; it
    /// influences no ruling.
    pub pressure: Duration,
}

impl Noise {
    /// The noise that can have kept the program from its answer.
    pub fn total_withheld(&self) -> Duration {
        self.delay + self.late + self.steal
    }

    /// The largest of the four kinds.
    pub fn largest_kind(&self) -> Duration {
        self.delay.max(self.late).max(self.steal).max(self.pressure)
    }

    /// The increase since an earlier reading, each kind limited to the time that has passed.
    pub fn difference_since(&self, earlier: &Noise, passed: Duration) -> Noise {
        let grown = |now: Duration, then: Duration| now.saturating_sub(then).min(passed);
        Noise {
            delay: grown(self.delay, earlier.delay),
            late: grown(self.late, earlier.late),
            steal: grown(self.steal, earlier.steal),
            pressure: grown(self.pressure, earlier.pressure),
        }
    }
}

impl AddAssign for Noise {
    fn add_assign(&mut self, more: Noise) {
        self.delay += more.delay;
        self.late += more.late;
        self.steal += more.steal;
        self.pressure += more.pressure;
    }
}

/// Converts from a replay's record.
impl From<NoiseTimes> for Noise {
    fn from(times: NoiseTimes) -> Noise {
        Noise {
            delay: Duration::from_micros(times.delay_us),
            late: Duration::from_micros(times.late_us),
            steal: Duration::from_micros(times.steal_us),
            pressure: Duration::from_micros(times.pressure_us),
        }
    }
}

/// Reads the counters for one program, on the thread that created the meter.
#[derive(Debug)]
pub struct NoiseMeter {
    own: Option<File>,
    stat: Option<File>,
    pressure: Option<File>,
    core: Option<usize>,
    /// The number of cores that the program may use.
    cores: u32,
    now: Noise,
    /// The time when the counters of the machine were read.
    read: Option<Instant>,
    /// How long these cores were idle then, and how long they have been busy between readings.
    idle: Option<Duration>,
    busy: Duration,
}

impl NoiseMeter {
    /// A meter for a program on this core, or on any.
    pub fn new(core: Option<usize>) -> NoiseMeter {
        let open = |path| File::open(path).ok();
        NoiseMeter {
            own: open("/proc/thread-self/schedstat"),
            stat: open("/proc/stat"),
            pressure: open("/proc/pressure/cpu"),
            core,
            cores: core.map_or_else(count_cores, |_| 1),
            now: Noise::default(),
            read: None,
            idle: None,
            busy: Duration::ZERO,
        }
    }

    /// Whether the last reading is too old as a start for the next measurement.
    pub fn is_stale(&self, now: Instant) -> bool {
        self.read
            .is_none_or(|read| now.saturating_duration_since(read) >= REST)
    }

    /// Reads again, the counters of the machine only if they are stale. `delay` is the program's
    /// own counter.
    pub fn read(&mut self, now: Instant, delay: Duration) -> Noise {
        self.now.delay = delay;
        self.now.late = read_account(&self.own, run_delay).unwrap_or(self.now.late);
        if self.is_stale(now) {
            let both = |text: &str| {
                let core = self.core;
                Some((parse_idle(text, core), parse_steal(text, core)))
            };
            let (idle, steal) = read_account(&self.stat, both).unwrap_or_default();
            if let (Some(read), Some(before), Some(idle)) = (self.read, self.idle, idle) {
                let passed = now.saturating_duration_since(read) * self.cores;
                self.busy += passed.saturating_sub(idle.saturating_sub(before));
            }
            self.idle = idle;
            self.read = Some(now);
            self.now.steal = steal.unwrap_or(self.now.steal);
            self.now.pressure =
                read_account(&self.pressure, parse_pressure).unwrap_or(self.now.pressure);
        }
        self.now
    }

    /// How long the cores of the program have been busy, with whatever, up to the last reading;
    /// `None` if the system does not tell.
    pub fn busy_time(&self) -> Option<Duration> {
        self.idle.map(|_| self.busy)
    }
}

/// Bounds the noise of one period by what the machine can have withheld: a core that was idle, or
/// that ran the program, has kept nobody from it.
#[derive(Debug, Default)]
pub struct NoiseBound {
    /// How long the cores had been busy at the start of the period.
    start: Option<Duration>,
    /// Whether the judge runs on the program's core.
    shared: bool,
    /// The program's CPU time in the period.
    cpu: Duration,
    /// The judge's lateness in the period, and what of it has been granted.
    late: Duration,
    granted_late: Duration,
    /// What of the delay has been granted.
    granted_delay: Duration,
}

impl NoiseBound {
    /// At the start of a period, with [`NoiseMeter::busy_time`].
    pub fn new(busy: Option<Duration>, shared: bool) -> NoiseBound {
        NoiseBound {
            start: busy,
            shared,
            ..NoiseBound::default()
        }
    }

    /// The part of this noise that the machine can have caused; all since the last call.
    pub fn bound_noise(&mut self, noise: Noise, busy: Option<Duration>, cpu: Duration) -> Noise {
        self.cpu += cpu;
        // What the program computes delays a judge on its core.
        self.late += noise.late;
        let by_itself = if self.shared {
            self.cpu
        } else {
            Duration::ZERO
        };
        let late = self
            .late
            .saturating_sub(by_itself)
            .saturating_sub(self.granted_late)
            .min(noise.late);
        self.granted_late += late;
        let delay = match (self.start, busy) {
            (Some(start), Some(busy)) => {
                // The counters are up to a reading and a tick old.
                let most = busy.saturating_sub(start) + REST + TICK;
                let left = most.saturating_sub(self.cpu);
                noise.delay.min(left.saturating_sub(self.granted_delay))
            }
            _ => noise.delay,
        };
        self.granted_delay += delay;
        Noise {
            delay,
            late,
            ..noise
        }
    }
}

/// The cores of this machine.
fn count_cores() -> u32 {
    let text = std::fs::read_to_string("/proc/stat").unwrap_or_default();
    let cores = text.lines().filter(|line| {
        line.strip_prefix("cpu")
            .is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_digit()))
    });
    u32::try_from(cores.count()).map_or(1, |count| count.max(1))
}

fn read_account<T>(file: &Option<File>, parse: impl Fn(&str) -> Option<T>) -> Option<T> {
    let mut bytes = [0; SHOWN];
    let count = file.as_ref()?.read_at(&mut bytes, 0).ok()?;
    parse(&String::from_utf8_lossy(&bytes[..count]))
}

/// The second number of a `schedstat`: nanoseconds in which a task was ready but not running.
fn run_delay(text: &str) -> Option<Duration> {
    text.split_ascii_whitespace()
        .nth(1)?
        .parse()
        .ok()
        .map(Duration::from_nanos)
}

/// The eighth number after `cpu` or `cpuN` in `/proc/stat`.
fn parse_steal(text: &str, core: Option<usize>) -> Option<Duration> {
    parse_ticks(line_of_core(text, core)?, 8)
}

/// The fourth and the fifth: idle, and idle while something waits for a disk.
fn parse_idle(text: &str, core: Option<usize>) -> Option<Duration> {
    let line = line_of_core(text, core)?;
    Some(parse_ticks(line, 4)? + parse_ticks(line, 5)?)
}

fn line_of_core(text: &str, core: Option<usize>) -> Option<&str> {
    let name = core.map_or("cpu".to_owned(), |core| format!("cpu{core}"));
    text.lines()
        .find(|line| line.split_ascii_whitespace().next() == Some(&name))
}

fn parse_ticks(line: &str, at: usize) -> Option<Duration> {
    let ticks: u32 = line.split_ascii_whitespace().nth(at)?.parse().ok()?;
    Some(TICK * ticks)
}

/// `some … total=MICROSECONDS` of `/proc/pressure/cpu`.
fn parse_pressure(text: &str) -> Option<Duration> {
    let line = text.lines().find(|line| line.starts_with("some "))?;
    line.split("total=")
        .nth(1)?
        .trim()
        .parse()
        .ok()
        .map(Duration::from_micros)
}

#[cfg(test)]
mod tests {
    use super::*;

    const STAT: &str = "cpu  104800 2572 20085 152686 1648 0 135 151 0 0\n\
                        cpu0 45856 704 7756 86199 432 0 23 70 0 0\n\
                        cpu1 58943 1867 12329 66487 1215 0 111 81 0 0\nintr 1 2 3\n";
    const PRESSURE: &str = "some avg10=0.14 avg60=0.28 avg300=2.41 total=60113834\n\
                            full avg10=0.00 avg60=0.00 avg300=0.00 total=7\n";

    #[test]
    fn counters_are_read() {
        let check = |seen: Option<Duration>, millis: Option<u64>| {
            assert_eq!(seen.map(|time| time.as_millis() as u64), millis);
        };
        check(run_delay("564649 66559000 1\n"), Some(66));
        check(parse_steal(STAT, None), Some(1510));
        check(parse_steal(STAT, Some(1)), Some(810));
        check(parse_idle(STAT, None), Some(1_543_340));
        check(parse_idle(STAT, Some(1)), Some(677_020));
        check(parse_idle(STAT, Some(2)), None);
        check(parse_idle("cpu  1 2 3 4", None), None);
        check(parse_pressure(PRESSURE), Some(60_113));
        // Missing and malformed values are not reported.
        check(run_delay(""), None);
        check(run_delay("1 x 3"), None);
        check(parse_steal(STAT, Some(2)), None);
        check(parse_steal("cpu  1 2 3", None), None);
        check(
            parse_steal("cpu 1 2 3 4 5 6 7 99999999999999999999", None),
            None,
        );
        check(parse_pressure("full total=7"), None);
        check(parse_pressure("some avg10=0.14"), None);
    }

    #[test]
    fn noise_is_the_increase_limited_to_the_time_that_passed() {
        let ms = Duration::from_millis;
        let noise = |delay, late| Noise {
            delay: ms(delay),
            late: ms(late),
            ..Noise::default()
        };
        assert_eq!(
            noise(25, 9).difference_since(&noise(20, 2), ms(6)),
            noise(5, 6)
        );
        assert_eq!(
            noise(1, 1).difference_since(&noise(20, 2), ms(6)),
            noise(0, 0),
            "a counter that restarted"
        );
    }

    /// Per reading: the time that the core was busy so far, the program's CPU time, delay and
    /// lateness since the last one; in milliseconds. Expected are the delay and lateness that count
    /// in all.
    #[test]
    fn only_what_the_machine_can_have_withheld_is_noise() {
        let check = |shared: bool, readings: &[[u64; 4]], expected: [u64; 2]| {
            let ms = Duration::from_millis;
            let mut bound = NoiseBound::new(Some(ms(700)), shared);
            let mut sum = Noise::default();
            for [busy, cpu, delay, late] in readings {
                let noise = Noise {
                    delay: ms(*delay),
                    late: ms(*late),
                    ..Noise::default()
                };
                sum += bound.bound_noise(noise, Some(ms(700 + busy)), ms(*cpu));
            }
            assert_eq!([sum.delay, sum.late], expected.map(ms), "{readings:?}");
        };
        // The core was busy with others, or with the program itself, or idle.
        check(false, &[[1000, 300, 700, 0]], [700, 0]);
        check(false, &[[1000, 1000, 700, 0]], [20, 0]);
        check(false, &[[0, 0, 700, 0]], [20, 0]);
        // Threads of one program wait for each other: both waits are no more than what others ran.
        check(false, &[[1000, 300, 1400, 0]], [720, 0]);
        // Many readings allow no more than one.
        check(false, &[[0, 0, 10, 0]; 90], [20, 0]);
        check(
            false,
            &[[100, 0, 90, 0], [200, 0, 110, 0], [210, 200, 90, 0]],
            [200, 0],
        );
        // A judge on the same core is late when the program computes, and only then by its doing.
        check(false, &[[1000, 1000, 0, 900]], [0, 900]);
        check(true, &[[1000, 1000, 0, 900]], [0, 0]);
        check(true, &[[500, 300, 0, 100], [1000, 100, 0, 900]], [0, 600]);
        let mut unknown = NoiseBound::new(None, false);
        let noise = Noise {
            delay: LONG,
            ..Noise::default()
        };
        assert_eq!(unknown.bound_noise(noise, None, LONG).delay, LONG);
    }

    const LONG: Duration = Duration::from_secs(9);

    #[test]
    fn the_busy_time_of_cores_is_measured() {
        let begin = Instant::now();
        let mut meter = NoiseMeter::new(None);
        meter.read(begin, Duration::ZERO);
        let Some(before) = meter.busy_time() else {
            return eprintln!("skipped: the system does not tell how idle it is");
        };
        while begin.elapsed() < REST * 4 {}
        meter.read(Instant::now(), Duration::ZERO);
        let busy = meter.busy_time().expect("told before") - before;
        let likely = REST..=begin.elapsed() * count_cores();
        assert!(likely.contains(&busy), "{busy:?}");
    }

    #[test]
    fn the_counters_of_the_machine_are_read_at_intervals() {
        let mut meter = NoiseMeter::new(None);
        let now = Instant::now();
        assert!(meter.is_stale(now));
        meter.read(now, Duration::from_millis(3));
        assert!(
            !meter.is_stale(now) && !meter.is_stale(now + REST / 2) && meter.is_stale(now + REST)
        );
        assert_eq!(
            meter.read(now, Duration::from_millis(4)).delay,
            Duration::from_millis(4)
        );
    }
}
