//! Tests of `date`.

use leitai_contest::date::*;

use crate::table::table;

#[test]
fn local_times_follow_the_zone() {
    let rows = "
Asia/Shanghai | 2027-03-14T18:00:00 | 2027-03-14T10:00:00Z
Europe/Berlin | 2027-01-14T18:00:00 | 2027-01-14T17:00:00Z
Europe/Berlin | 2027-07-14T18:00:00 | 2027-07-14T16:00:00Z
Europe/Berlin | 2027-07-14 | 2027-07-13T22:00:00Z
Europe/Berlin | 2027-07-14T18:00:00+08:00 | 2027-07-14T10:00:00Z
// There is no such moment, or there are two.
Europe/Berlin | 2027-03-28T02:30:00 | -
Europe/Berlin | 2027-10-31T02:30:00 | -
Europe/Berlin | 2027-02-30T02:30:00 | -
Europe/Berlin | tomorrow | -
";
    for [zone, text, expected] in table(rows) {
        let moment = parse_date(text, &find_zone(zone).expect("a zone"));
        let moment = moment.map_or_else(|_| "-".to_owned(), |moment| moment.to_string());
        assert_eq!(moment, expected, "{text}");
    }
    assert!(find_zone("Asia/Shangai").is_none());
}

#[test]
fn dates_are_shown_in_the_zone() {
    assert_eq!(
        format_date(1_800_000_000, "Asia/Shanghai"),
        "2027-01-15 16:00 +08:00"
    );
}

#[test]
fn days_begin_in_their_zone() {
    // 2027-01-15 08:00 in UTC.
    let moment = 1_800_000_000;
    let hour = 3600;
    for (second, zone, day, next) in [
        (0, "UTC", "2027-01-15", 16 * hour),
        (0, "Asia/Shanghai", "2027-01-15", 8 * hour),
        (8 * hour - 1, "Asia/Shanghai", "2027-01-15", 8 * hour),
        (8 * hour, "Asia/Shanghai", "2027-01-16", 32 * hour),
        (-8 * hour, "America/Lima", "2027-01-14", -3 * hour),
        (0, "nowhere", "2027-01-15", 16 * hour),
    ] {
        let (second, next) = (moment + second, moment + next);
        assert_eq!(
            day_in_zone(second, zone),
            (day.to_owned(), next),
            "{second} {zone}"
        );
    }
    // Clocks are put on in that night.
    let (day, next) = day_in_zone(1_806_188_400, "Europe/Berlin");
    assert_eq!((&*day, next), ("2027-03-28", 1_806_188_400 + 23 * 3600));
}

#[test]
fn days_are_told_from_other_texts() {
    for (text, is) in [
        ("2027-03-28", true),
        ("2027-02-30", false),
        ("2027-3-28", false),
        ("20270328", false),
        ("2027-03-28T10:00", false),
        ("", false),
    ] {
        assert_eq!(is_day(text), is, "{text}");
    }
}
