//! Tests of `date`.

use leitai_contest::date::*;

#[test]
fn local_times_follow_the_zone() {
    let check = |zone: &str, text: &str, expected: Option<&str>| {
        let zone = find_zone(zone).expect("a zone");
        let moment = parse_date(text, &zone)
            .ok()
            .map(|moment| moment.to_string());
        assert_eq!(moment.as_deref(), expected, "{text}");
    };
    check(
        "Asia/Shanghai",
        "2027-03-14T18:00:00",
        Some("2027-03-14T10:00:00Z"),
    );
    check(
        "Europe/Berlin",
        "2027-01-14T18:00:00",
        Some("2027-01-14T17:00:00Z"),
    );
    check(
        "Europe/Berlin",
        "2027-07-14T18:00:00",
        Some("2027-07-14T16:00:00Z"),
    );
    check("Europe/Berlin", "2027-07-14", Some("2027-07-13T22:00:00Z"));
    check(
        "Europe/Berlin",
        "2027-07-14T18:00:00+08:00",
        Some("2027-07-14T10:00:00Z"),
    );
    check("Europe/Berlin", "2027-03-28T02:30:00", None);
    check("Europe/Berlin", "2027-10-31T02:30:00", None);
    check("Europe/Berlin", "2027-02-30T02:30:00", None);
    check("Europe/Berlin", "tomorrow", None);
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
    for (second, zone, day, next) in [
        (moment, "UTC", "2027-01-15", moment + 16 * 3600),
        (moment, "Asia/Shanghai", "2027-01-15", moment + 8 * 3600),
        (
            moment + 8 * 3600 - 1,
            "Asia/Shanghai",
            "2027-01-15",
            moment + 8 * 3600,
        ),
        (
            moment + 8 * 3600,
            "Asia/Shanghai",
            "2027-01-16",
            moment + 32 * 3600,
        ),
        (
            moment - 8 * 3600,
            "America/Lima",
            "2027-01-14",
            moment - 3 * 3600,
        ),
        (moment, "nowhere", "2027-01-15", moment + 16 * 3600),
    ] {
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
