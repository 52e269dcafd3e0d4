//! Timestamps.

use std::fmt;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use sea_orm::DeriveValueType;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

/// A point in time in milliseconds since 1970, UTC. It is RFC 3339 in JSON and for people.
///
/// ```
/// use leitai_store::Timestamp;
/// assert_eq!(Timestamp(1_000).to_string(), "1970-01-01T00:00:01Z");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, DeriveValueType)]
pub struct Timestamp(pub i64);

/// By how much the database's clock is ahead of this machine's, in milliseconds.
static AHEAD: AtomicI64 = AtomicI64::new(0);

impl Timestamp {
    /// The present time by the clock of the arena: where several servers share a database, the
    /// database's, so that all of them have the same.
    pub fn now() -> Timestamp {
        Timestamp(Timestamp::of_system().0 + AHEAD.load(Ordering::Relaxed))
    }

    /// The present time by the clock of this machine.
    pub(crate) fn of_system() -> Timestamp {
        Timestamp((OffsetDateTime::now_utc().unix_timestamp_nanos() / 1_000_000) as i64)
    }

    /// Sets [`Timestamp::now`] by what a common clock said between these times of this machine. As
    /// long as it agrees within that uncertainty, nothing changes.
    pub(crate) fn follow(said: Timestamp, asked: Timestamp, heard: Timestamp) {
        let before = AHEAD.load(Ordering::Relaxed);
        let now = follow_clock(before, said, asked, heard);
        AHEAD.store(now, Ordering::Relaxed);
        if (now - before).abs() > WORTH_SAYING {
            tracing::warn!(
                ahead_ms = -now,
                "the clock of this machine differs from the database's, which counts"
            );
        }
    }

    /// Adds a duration.
    pub fn after(self, duration: Duration) -> Timestamp {
        Timestamp(
            self.0
                .saturating_add(i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)),
        )
    }

    /// Subtracts a duration.
    pub fn before(self, duration: Duration) -> Timestamp {
        Timestamp(
            self.0
                .saturating_sub(i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)),
        )
    }

    /// The day in UTC, for people: `2026-01-31`.
    ///
    /// ```
    /// assert_eq!(leitai_store::Timestamp(1_000).day(), "1970-01-01");
    /// ```
    pub fn day(self) -> String {
        self.to_string().chars().take(10).collect()
    }

    /// The time since `earlier`; zero if that is in the future.
    pub fn since(self, earlier: Timestamp) -> Duration {
        Duration::from_millis(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }
}

/// A change of the clock that the log names, in milliseconds.
const WORTH_SAYING: i64 = 1_000;

/// By how much the common clock is ahead, so far `ahead`.
#[doc(hidden)] // For tests.
pub fn follow_clock(ahead: i64, said: Timestamp, asked: Timestamp, heard: Timestamp) -> i64 {
    let (least, most) = (said.0 - heard.0, said.0 - asked.0);
    // A clock that was set back while it was asked says nothing.
    if least > most {
        return ahead;
    }
    ahead.clamp(least, most)
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let moment = OffsetDateTime::from_unix_timestamp_nanos(i128::from(self.0) * 1_000_000);
        let text = moment.ok().and_then(|moment| moment.format(&Rfc3339).ok());
        // RFC 3339 ends with the year 9999.
        f.write_str(text.as_deref().unwrap_or("9999-12-31T23:59:59Z"))
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Timestamp, D::Error> {
        let text = String::deserialize(deserializer)?;
        let moment = OffsetDateTime::parse(&text, &Rfc3339).map_err(serde::de::Error::custom)?;
        Ok(Timestamp(
            (moment.unix_timestamp_nanos() / 1_000_000) as i64,
        ))
    }
}
