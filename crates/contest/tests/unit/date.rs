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
