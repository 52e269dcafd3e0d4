//! Seeking and playback in a leg. A moment is the number of steps that were played up to it.

use std::time::Duration;

/// A seek operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seek {
    /// One step forward.
    NextStep,
    /// One step back.
    PreviousStep,
    /// This number of rounds forward, or back if negative.
    Rounds(i32),
    /// Before the first step of this round.
    Round(u32),
    /// Before the first step.
    Start,
    /// After the last step.
    End,
}

/// The moment after a seek. `rounds` holds the round of every moment: never decreasing and never
/// empty.
pub fn seek_moment(rounds: &[u32], at: usize, seek: Seek) -> usize {
    let last = rounds.len().saturating_sub(1);
    let at = at.min(last);
    match seek {
        Seek::NextStep => last.min(at + 1),
        Seek::PreviousStep => at.saturating_sub(1),
        Seek::Rounds(count) => (0..count.unsigned_abs()).fold(at, |at, _| match count > 0 {
            true => last.min(first_of(rounds, rounds[at].saturating_add(1))),
            // From the middle of a round, go to its beginning first.
            false => first_of(rounds, rounds[at.saturating_sub(1)]),
        }),
        Seek::Round(round) => last.min(first_of(rounds, round)),
        Seek::Start => 0,
        Seek::End => last,
    }
}

fn first_of(rounds: &[u32], round: u32) -> usize {
    rounds.partition_point(|other| *other < round)
}

/// Steps per second at the speeds 1 to 5.
const SPEEDS: [u32; 5] = [2, 5, 15, 60, 240];

/// The playback of a leg.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlaybackSpeed {
    /// Whether it runs.
    pub playing: bool,
    speed: usize,
    /// The time since the last step.
    spent: Duration,
}

impl Default for PlaybackSpeed {
    fn default() -> PlaybackSpeed {
        PlaybackSpeed {
            playing: false,
            speed: 3,
            spent: Duration::ZERO,
        }
    }
}

impl PlaybackSpeed {
    /// 1 to 5.
    pub fn steps_per_second(&self) -> usize {
        self.speed
    }

    /// Sets the speed, clamped to 1 to 5.
    pub fn set_speed(&mut self, speed: usize) {
        self.speed = speed.clamp(1, SPEEDS.len());
    }

    /// Toggles playback.
    pub fn toggle_running(&mut self) {
        *self = PlaybackSpeed {
            playing: !self.playing,
            spent: Duration::ZERO,
            ..*self
        };
    }

    /// The steps that are due after this time.
    pub fn steps_due(&mut self, passed: Duration) -> usize {
        if !self.playing {
            return 0;
        }
        // After a long pause of the process only one second is caught up.
        self.spent = (self.spent + passed).min(Duration::from_secs(1));
        let step = Duration::from_secs(1) / SPEEDS[self.speed - 1];
        let steps = self.spent.as_nanos() / step.as_nanos();
        let steps = u32::try_from(steps).unwrap_or(u32::MAX);
        self.spent -= step * steps;
        steps as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rounds 1 (moments 0, 1, 2), 2 (3), 4 (4, 5): nobody was asked in round 3.
    const ROUNDS: [u32; 6] = [1, 1, 1, 2, 4, 4];

    #[test]
    fn seeking_reaches_its_target_and_stays_in_the_leg() {
        let check = |at: usize, how: Seek, expected: usize| {
            assert_eq!(seek_moment(&ROUNDS, at, how), expected, "{how:?} from {at}");
        };
        check(0, Seek::NextStep, 1);
        check(5, Seek::NextStep, 5);
        check(1, Seek::PreviousStep, 0);
        check(0, Seek::PreviousStep, 0);
        check(1, Seek::Rounds(1), 3);
        check(3, Seek::Rounds(1), 4);
        check(4, Seek::Rounds(1), 5);
        check(5, Seek::Rounds(1), 5);
        check(0, Seek::Rounds(2), 4);
        check(0, Seek::Rounds(99), 5);
        check(5, Seek::Rounds(-1), 4);
        check(4, Seek::Rounds(-1), 3);
        check(3, Seek::Rounds(-1), 0);
        check(2, Seek::Rounds(-1), 0);
        check(0, Seek::Rounds(-1), 0);
        check(5, Seek::Rounds(-99), 0);
        check(0, Seek::Round(2), 3);
        check(0, Seek::Round(3), 4);
        check(0, Seek::Round(99), 5);
        check(5, Seek::Round(0), 0);
        check(5, Seek::Start, 0);
        check(0, Seek::End, 5);
        check(99, Seek::NextStep, 5);
        assert_eq!(
            seek_moment(&[7], 0, Seek::Rounds(1)),
            0,
            "a leg without steps has one moment"
        );
    }

    #[test]
    fn steps_are_due_by_speed_and_time() {
        let check = |speed: usize, millis: u64, expected: usize| {
            let mut pace = PlaybackSpeed::default();
            pace.set_speed(speed);
            pace.toggle_running();
            assert_eq!(
                pace.steps_due(Duration::from_millis(millis)),
                expected,
                "speed {speed}, {millis} ms"
            );
        };
        check(1, 499, 0);
        check(1, 500, 1);
        check(2, 200, 1);
        check(5, 100, 24);
        check(5, 60_000, 240);
        check(0, 500, 1);
        check(9, 100, 24);
        assert_eq!(
            PlaybackSpeed::default().steps_due(Duration::from_secs(9)),
            0,
            "it stands at first"
        );
    }

    #[test]
    fn remaining_time_counts_for_the_next_step() {
        let mut pace = PlaybackSpeed::default();
        pace.set_speed(1);
        pace.toggle_running();
        let steps: Vec<usize> = (0..5)
            .map(|_| pace.steps_due(Duration::from_millis(300)))
            .collect();
        assert_eq!(steps, [0, 1, 0, 1, 1]);
    }
}
