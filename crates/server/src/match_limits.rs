//! What a match is played with beside the game's own limits, as the database keeps it.

use std::time::Duration;

use leitai_judge::{Grace, TimeBank};
use leitai_store::Json;
use serde::{Deserialize, Serialize};

/// The possible values of `period_ms`, `increment_ms`, `grace_ms` and, times six, `bank_ms`.
pub const PERIODS: std::ops::RangeInclusive<u64> = 10..=600_000;
/// The possible numbers of strikes.
pub const STRIKES: std::ops::RangeInclusive<u32> = 1..=1000;

/// The limits that are not the game's own; times in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MatchLimits {
    /// The limit of a turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub period_ms: Option<u64>,
    /// The time bank of a leg.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bank_ms: Option<u64>,
    /// What every turn adds to the bank.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub increment_ms: Option<u64>,
    /// How much later than its limit an answer still counts, for a strike.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grace_ms: Option<u64>,
    /// The strikes of a program in a leg.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strikes: Option<u32>,
    /// Whether programs keep a file between the legs.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub keeps: bool,
}

impl MatchLimits {
    /// Reads the limits of a match; what is out of bounds counts as absent.
    pub fn read(asked: &Json) -> MatchLimits {
        let MatchLimits {
            period_ms,
            bank_ms,
            increment_ms,
            grace_ms,
            strikes,
            keeps,
        } = MatchLimits::deserialize(asked).unwrap_or_default();
        let within = |time: Option<u64>, times: u64| {
            time.filter(|time| (*PERIODS.start()..=times * PERIODS.end()).contains(time))
        };
        MatchLimits {
            period_ms: within(period_ms, 1),
            bank_ms: within(bank_ms, 6),
            increment_ms: within(increment_ms, 1),
            grace_ms: within(grace_ms, 1),
            strikes,
            keeps,
        }
    }

    /// The same as the database keeps it; null where all is the game's own.
    pub fn to_json(self) -> Json {
        match self == MatchLimits::default() {
            true => Json::Null,
            false => serde_json::to_value(self).expect("limits are plain data"),
        }
    }

    /// The limit of a turn.
    pub fn period(&self) -> Option<Duration> {
        self.period_ms.map(Duration::from_millis)
    }

    /// The time bank.
    pub fn bank(&self) -> Option<TimeBank> {
        self.bank_ms.map(|time| TimeBank {
            time: Duration::from_millis(time),
            increment: Duration::from_millis(self.increment_ms.unwrap_or_default()),
        })
    }

    /// The soft time-outs.
    pub fn grace(&self) -> Option<Grace> {
        Some(Grace {
            time: Duration::from_millis(self.grace_ms?),
            strikes: self.strikes?,
        })
    }
}
