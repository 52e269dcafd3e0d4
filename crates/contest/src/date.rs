//! Dates in a named time zone.

use jiff::Timestamp;
use jiff::civil;
use jiff::tz::{AmbiguousOffset, TimeZone};
use leitai_game::text::LocalizedText;

use crate::problem::both;
use crate::table::Section;

/// The time zone of this IANA name, such as `Asia/Shanghai`.
pub fn find_zone(name: &str) -> Option<TimeZone> {
    // The library also takes POSIX rules and lower case; names of people's lists are these.
    TimeZone::get(name).ok()
}

/// A date of a contest's file: local in the contest's zone, or with an offset. The error says what
/// to write.
#[doc(hidden)] // For tests.
pub fn parse_date(text: &str, zone: &TimeZone) -> Result<Timestamp, LocalizedText> {
    if let Ok(moment) = text.parse::<Timestamp>() {
        return Ok(moment);
    }
    let local: civil::DateTime = text.parse().map_err(|_| {
        both(
            "write a date that exists, such as 2027-03-14T18:00:00",
            "请写存在的日期，例如 2027-03-14T18:00:00",
        )
    })?;
    let in_zone = zone.to_ambiguous_timestamp(local);
    match in_zone.offset() {
        AmbiguousOffset::Unambiguous { .. } => in_zone.compatible().map_err(|_| {
            both(
                "write a year from 1970 to 9998",
                "请写 1970 到 9998 年之间的日期",
            )
        }),
        AmbiguousOffset::Gap { .. } => Err(both(
            "clocks skip this hour there; write another, or add the offset, such as +08:00",
            "当地时钟跳过了这一小时；请改用其他时刻，或加上时差，例如 +08:00",
        )),
        AmbiguousOffset::Fold { .. } => Err(both(
            "clocks show this hour twice there; add the offset, such as +08:00",
            "当地时钟会两次经过这一小时；请加上时差，例如 +08:00",
        )),
    }
}

/// A moment as people in a zone write it: `2027-03-14 18:00 +08:00`. An unknown zone is UTC.
pub fn format_date(second: i64, zone: &str) -> String {
    let zone = find_zone(zone).unwrap_or(TimeZone::UTC);
    let moment = Timestamp::from_second(second).unwrap_or(Timestamp::UNIX_EPOCH);
    moment
        .to_zoned(zone)
        .strftime("%Y-%m-%d %H:%M %:z")
        .to_string()
}

/// The day in a zone at this moment, as `2027-03-14`, and the second at which the next one begins
/// there. An unknown zone is UTC.
pub fn day_in_zone(second: i64, zone: &str) -> (String, i64) {
    let zone = find_zone(zone).unwrap_or(TimeZone::UTC);
    let moment = Timestamp::from_second(second).unwrap_or(Timestamp::UNIX_EPOCH);
    let local = moment.to_zoned(zone);
    let next = local.tomorrow().and_then(|day| day.start_of_day());
    // The last day of the calendar has no next one.
    let next = next.map_or(i64::MAX, |day| day.timestamp().as_second());
    (local.date().to_string(), next)
}

/// Whether the text is a day, as [`day_in_zone`] writes it.
pub fn is_day(text: &str) -> bool {
    text.len() == 10 && text.parse::<civil::Date>().is_ok()
}

/// The second of a date at this key.
pub(crate) fn read_date(
    section: &Section<'_, '_>,
    key: &'static str,
    zone: Option<&TimeZone>,
) -> Option<i64> {
    let item = section.get(key)?;
    let value = item.get_ref();
    let text = match (value.as_datetime(), value.as_str()) {
        (Some(date), _) => date.to_string(),
        (_, Some(text)) => text.to_owned(),
        _ => String::new(),
    };
    match parse_date(&text, zone?) {
        Ok(moment) if moment.as_second() >= 0 => Some(moment.as_second()),
        Ok(_) => {
            section.refuse(
                key,
                item,
                "write a date after 1970",
                "请写 1970 年以后的日期",
            );
            None
        }
        Err(cure) => {
            section.refuse(key, item, &cure.en, &cure.zh);
            None
        }
    }
}
