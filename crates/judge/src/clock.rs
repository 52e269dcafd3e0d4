//! The charged time of a seat and its limit: pure arithmetic. `docs/clocks.md` explains it for
//! users.

use std::ops::AddAssign;
use std::time::Duration;

use leitai_game::replay::{LegRecord, LimitsRecord, NoiseTimes};
use serde::{Deserialize, Serialize};

use crate::duration::show_duration;
use crate::noise::Noise;

/// The least difference between the wall time cap and the limit of a period.
const LEAST_SLACK: Duration = Duration::from_secs(1);
/// The multiple of a period's [cap] up to which noise excuses it; beyond it no ruling is possible.
const MOST_CAPS: u32 = 4;
/// A shorter wait in a step is not counted as waiting: pipes and wake-ups take some time, and what
/// the machine withholds is not known so exactly.
const LEAST_WAIT: Duration = Duration::from_millis(10);
/// Beyond its limit a program is checked at most this often.
const LEAST_LOOK: Duration = Duration::from_millis(1);

/// A time bank (Fischer's clock): a seat begins a leg with the time, every turn adds the increment, and
/// what a turn leaves of it stays in the bank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names say it")]
pub struct TimeBank {
    pub time: Duration,
    pub increment: Duration,
}

impl TimeBank {
    /// The bank of a recorded match.
    pub fn of_record(limits: &LimitsRecord) -> Option<TimeBank> {
        limits.bank_ms.map(|time| TimeBank {
            time: Duration::from_millis(time),
            increment: Duration::from_millis(limits.increment_ms),
        })
    }

    /// The limit of a turn where none is given: what the bank has in the first one.
    pub fn longest_turn(self) -> Duration {
        self.time.saturating_add(self.increment)
    }

    /// The bank and the increments of so many turns.
    pub fn after_turns(self, turns: u32) -> Duration {
        self.time
            .saturating_add(self.increment.saturating_mul(turns))
    }

    /// The thinking time of a built-in bot that has this much left: so it never runs dry.
    pub fn share_of(self, left: Duration) -> Duration {
        left.saturating_sub(self.increment) / 20 + self.increment / 2
    }
}

/// Soft time-outs: an answer that comes after the limit of a turn, but within the grace, counts and
/// costs a strike, so many times in a leg.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Grace {
    pub time: Duration,
    pub strikes: u32,
}

/// The time that a seat used while it was asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// Wall time.
    pub wall: Duration,
    /// CPU time of all its processes, including the time between its last answer and this question.
    /// `None` without such a clock: people, and systems that do not report it.
    pub cpu: Option<Duration>,
    /// The noise meanwhile.
    pub noise: Noise,
}

/// The ruling on the time that a seat has used so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeRuling {
    /// The seat may go on.
    Within,
    /// The seat exceeded its limit.
    Over(ExceededTime),
    /// The machine withheld the time for too long: an infrastructure error.
    Disturbed,
}

/// An exceeded time limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub struct ExceededTime {
    /// Whether it is a limit of CPU time; otherwise of wall time.
    pub cpu: bool,
    pub allowed: Duration,
    pub used: Duration,
}

/// The wall time that a program may take for a limit of CPU time, without noise: twice as long, and
/// at least a second more.
///
/// ```
/// use std::time::Duration;
/// let seconds = Duration::from_secs_f64;
/// assert_eq!(leitai_judge::clock::wall_cap(seconds(3.0)), seconds(6.0));
/// assert_eq!(leitai_judge::clock::wall_cap(seconds(0.2)), seconds(1.2));
/// ```
pub fn wall_cap(limit: Duration) -> Duration {
    limit
        .saturating_mul(2)
        .max(limit.saturating_add(LEAST_SLACK))
}

/// The wall time after which no ruling is possible about a seat that has not used up its CPU time.
pub fn longest_wait(limit: Duration) -> Duration {
    wall_cap(limit).saturating_mul(MOST_CAPS)
}

impl Spent {
    /// Wall time alone, as charged to people.
    pub fn from_wall(wall: Duration) -> Spent {
        Spent {
            wall,
            ..Spent::default()
        }
    }

    /// The recorded times of a reply, by its index in [`LegRecord::times_us`]; `None` if they were
    /// not recorded.
    pub fn of_reply(leg: &LegRecord, reply: usize) -> Option<Spent> {
        let wall = Duration::from_micros(*leg.times_us.get(reply)?);
        let cpu = leg
            .cpu_us
            .get(reply)
            .copied()
            .flatten()
            .map(Duration::from_micros);
        // Our own records are sorted; a foreign file may at worst lose the noise of a reply.
        let at = leg
            .noise
            .binary_search_by_key(&reply, |noise| noise.reply)
            .ok();
        let noise = at.map_or_else(Noise::default, |at| Noise::from(leg.noise[at].noise));
        Some(Spent { wall, cpu, noise })
    }

    /// The charged CPU time: without the time that a hypervisor stole while the program seemed to
    /// run.
    pub fn charged_time(&self) -> Option<Duration> {
        Some(self.cpu?.saturating_sub(self.noise.steal))
    }

    /// Wall time that noise excuses. Time in which the program computed needs no excuse: a program
    /// that computes all the time gains nothing, and one that sleeps gains the time that was really
    /// withheld.
    pub fn excused_time(&self) -> Duration {
        let idle = self.wall.saturating_sub(self.cpu.unwrap_or(self.wall));
        idle.min(self.noise.total_withheld())
    }

    /// Wall time in which the program neither computed nor was kept from it, such as by sleeping. In
    /// doubt it is the machine's: what was withheld counts twice, and short waits not at all.
    pub fn waited_time(&self) -> Duration {
        let idle = self.wall.saturating_sub(self.cpu.unwrap_or(self.wall));
        let waited = idle.saturating_sub(self.noise.total_withheld().saturating_mul(2));
        if waited < LEAST_WAIT {
            Duration::ZERO
        } else {
            waited
        }
    }

    /// CPU time from before the question: a program has one core, so CPU time beyond the wall time
    /// was used while the seat was not asked.
    pub fn unasked_time(&self) -> Duration {
        self.cpu.unwrap_or_default().saturating_sub(self.wall)
    }

    /// The ruling under this limit.
    pub fn judge_limit(&self, limit: Duration) -> TimeRuling {
        let cpu = self.charged_time();
        if let Some(used) = cpu.filter(|cpu| *cpu > limit) {
            return TimeRuling::Over(ExceededTime {
                cpu: true,
                allowed: limit,
                used,
            });
        }
        if self.wall <= limit {
            return TimeRuling::Within;
        }
        if cpu.is_none() {
            return TimeRuling::Over(ExceededTime {
                cpu: false,
                allowed: limit,
                used: self.wall,
            });
        }
        let cap = wall_cap(limit);
        if self.wall > cap.saturating_add(self.excused_time()) {
            return TimeRuling::Over(ExceededTime {
                cpu: false,
                allowed: cap,
                used: self.wall,
            });
        }
        if self.wall >= longest_wait(limit) {
            TimeRuling::Disturbed
        } else {
            TimeRuling::Within
        }
    }

    /// How much of this limit is used, by the clock that is nearer to its end: CPU time, or the wall
    /// time under the cap.
    pub fn used_of(&self, limit: Duration) -> Duration {
        let Some(cpu) = self.charged_time() else {
            return self.wall;
        };
        let wall = self.wall.saturating_sub(self.excused_time());
        let part = wall.as_secs_f64() / wall_cap(limit).as_secs_f64();
        cpu.max(limit.mul_f64(part.min(1.0)))
    }

    /// The time until the ruling under this limit can change.
    pub fn next_look(&self, limit: Duration) -> Duration {
        let Some(cpu) = self.charged_time().filter(|_| self.wall >= limit) else {
            return limit.saturating_sub(self.wall.max(self.charged_time().unwrap_or_default()));
        };
        let cap = wall_cap(limit);
        let slept = cap
            .saturating_add(self.excused_time())
            .saturating_sub(self.wall);
        let ended = longest_wait(limit).saturating_sub(self.wall);
        limit
            .saturating_sub(cpu)
            .min(slept)
            .min(ended)
            .max(LEAST_LOOK)
    }

    /// The larger value of each clock.
    pub fn slower_of(&self, other: &Spent) -> Spent {
        Spent {
            wall: self.wall.max(other.wall),
            cpu: self.cpu.max(other.cpu),
            noise: Noise::default(),
        }
    }

    /// `1.2 s`, or `1.2 s (CPU 800 ms)`.
    pub fn describe_times(&self) -> String {
        match self.cpu {
            None => show_duration(self.wall),
            Some(cpu) => format!("{} (CPU {})", show_duration(self.wall), show_duration(cpu)),
        }
    }
}

/// If only one part has CPU time, the wall time of the other is added to it.
impl AddAssign for Spent {
    fn add_assign(&mut self, more: Spent) {
        if self.cpu.is_some() || more.cpu.is_some() {
            self.cpu = Some(self.cpu.unwrap_or(self.wall) + more.cpu.unwrap_or(more.wall));
        }
        self.wall += more.wall;
        self.noise += more.noise;
    }
}

/// Microseconds, the unit of replays.
pub fn to_micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

/// Converts to microseconds, the unit of replays.
impl From<Noise> for NoiseTimes {
    fn from(noise: Noise) -> NoiseTimes {
        NoiseTimes {
            delay_us: to_micros(noise.delay),
            late_us: to_micros(noise.late),
            steal_us: to_micros(noise.steal),
            pressure_us: to_micros(noise.pressure),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Duration = Duration::from_millis(3000);

    /// Wall, CPU, run-queue delay and steal, all in milliseconds.
    fn spent([wall, cpu, delay, steal]: [u64; 4]) -> Spent {
        let ms = Duration::from_millis;
        let noise = Noise {
            delay: ms(delay),
            steal: ms(steal),
            ..Noise::default()
        };
        Spent {
            wall: ms(wall),
            cpu: Some(ms(cpu)),
            noise,
        }
    }

    #[track_caller]
    fn check(times: [u64; 4], expected: &str, look_ms: u64) {
        let spent = spent(times);
        let said = match spent.judge_limit(LIMIT) {
            TimeRuling::Within => "within".to_owned(),
            TimeRuling::Disturbed => "disturbed".to_owned(),
            TimeRuling::Over(over) => {
                format!(
                    "{} {}/{}",
                    if over.cpu { "cpu" } else { "wall" },
                    show_duration(over.used),
                    show_duration(over.allowed)
                )
            }
        };
        assert_eq!(said, expected, "{times:?}");
        assert_eq!(
            spent.next_look(LIMIT),
            Duration::from_millis(look_ms),
            "{times:?}"
        );
    }

    #[test]
    fn rulings_and_the_times_of_the_next_check() {
        check([0, 0, 0, 0], "within", 3000);
        check([1000, 1000, 0, 0], "within", 2000);
        check([3000, 3000, 0, 0], "within", 1);
        check([3001, 3001, 0, 0], "cpu 3.001 s/3 s", 1);
        // CPU time from before the question counts, too, and needs no wall time.
        check([1, 3000, 0, 0], "within", 0);
        check([1, 3001, 0, 0], "cpu 3.001 s/3 s", 0);
        // Beyond the limit the next check comes when the rest of the CPU time could be used up, or
        // at the cap.
        check([3001, 1000, 0, 0], "within", 2000);
        check([5000, 1000, 0, 0], "within", 1000);
        check([6000, 0, 0, 0], "within", 1);
        check([6001, 0, 0, 0], "wall 6.001 s/6 s", 1);
        // Noise extends the cap by the time really withheld, up to four caps.
        check([6001, 100, 500, 0], "within", 499);
        check([7000, 100, 500, 0], "wall 7 s/6 s", 1);
        check([23_000, 2500, 20_000, 0], "within", 500);
        check([24_000, 2500, 20_000, 0], "disturbed", 1);
        check([24_000, 2500, 10_000, 0], "wall 24 s/6 s", 1);
        // A program that computes has not waited, whatever its own threads did to the run queue.
        check([6001, 3500, 90_000, 0], "cpu 3.50 s/3 s", 1);
        check([24_001, 3000, 90_000, 0], "disturbed", 1);
        // Time stolen by the hypervisor is not charged.
        check([3300, 3250, 0, 250], "within", 1);
        check([3300, 3260, 0, 250], "cpu 3.01 s/3 s", 1);
    }

    #[test]
    fn without_a_cpu_clock_wall_time_alone_counts() {
        let check = |wall_ms: u64, over: bool| {
            let ruling = Spent::from_wall(Duration::from_millis(wall_ms)).judge_limit(LIMIT);
            assert_eq!(
                matches!(ruling, TimeRuling::Over(ExceededTime { cpu: false, .. })),
                over,
                "{wall_ms}"
            );
        };
        check(3000, false);
        check(3001, true);
    }

    #[test]
    fn waiting_is_neither_computing_nor_being_kept_from_it() {
        let check = |times: [u64; 4], expected: u64| {
            let waited = spent(times).waited_time();
            assert_eq!(waited, Duration::from_millis(expected), "{times:?}");
        };
        check([9000, 10, 0, 0], 8990);
        check([9000, 9000, 0, 0], 0);
        check([1, 9000, 0, 0], 0);
        // Noise is nobody's, and in doubt there was more of it than was seen.
        check([9000, 3000, 2000, 500], 1000);
        check([9000, 3000, 3000, 0], 0);
        // Pipes and wake-ups are no waiting.
        check([14, 5, 0, 0], 0);
        check([15, 5, 0, 0], 10);
        let person = Spent::from_wall(LIMIT);
        assert_eq!(
            person.waited_time(),
            Duration::ZERO,
            "nobody knows what was computed"
        );
    }

    #[test]
    fn the_parts_of_a_turn_add_up() {
        let mut sum = Spent::default();
        sum += spent([10, 4, 3, 2]);
        sum += Spent::from_wall(Duration::from_millis(5));
        sum += spent([1, 1, 1, 1]);
        assert_eq!(sum, spent([16, 10, 4, 3]));
        let mut person = Spent::default();
        person += Spent::from_wall(LIMIT);
        assert_eq!(person, Spent::from_wall(LIMIT));
    }
}
