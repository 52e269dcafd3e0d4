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
    now: Noise,
    /// The time when the counters of the machine were read.
    read: Option<Instant>,
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
            now: Noise::default(),
            read: None,
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
            self.read = Some(now);
            self.now.steal = read_account(&self.stat, |text| parse_steal(text, self.core))
                .unwrap_or(self.now.steal);
            self.now.pressure =
                read_account(&self.pressure, parse_pressure).unwrap_or(self.now.pressure);
        }
        self.now
    }
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
    let name = core.map_or("cpu".to_owned(), |core| format!("cpu{core}"));
    let line = text
        .lines()
        .find(|line| line.split_ascii_whitespace().next() == Some(&name))?;
    line.split_ascii_whitespace()
        .nth(8)?
        .parse()
        .ok()
        .map(|ticks: u32| TICK * ticks)
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
