//! Tests of `accounts::names`.

use leitai_server::accounts::names::*;

#[test]
fn a_proposed_name_follows_the_rules() {
    for (wanted, proposed) in [
        ("ada", Some("ada")),
        ("ada.lovelace@example.org", Some("ada.lovelace")),
        ("Ada  Lovelace", Some("Ada-Lovelace")),
        ("张三", Some("张三")),
        ("a\u{202e}b<script>", Some("abscript")),
        (
            "an unusually long name of a person",
            Some("an-unusually-long-nam"),
        ),
        ("Ж", None),
        ("", None),
        ("@example.org", None),
        ("..--", None),
    ] {
        assert_eq!(propose_name(wanted).as_deref(), proposed, "{wanted:?}");
    }
}

#[test]
fn reserved_names_are_refused() {
    for (name, fine, fine_for_guest) in [
        ("ada", true, true),
        ("Admin", false, false),
        ("ad-min.", false, false),
        ("管理员", false, false),
        ("Guest", false, true),
        ("administratrix", true, true),
        // Names that look like one of them.
        ("ADM1N", false, false),
        ("adrnin", false, false),
        ("1eita-I", false, false),
        ("0ff.icial", false, false),
        ("Y0u", false, true),
        ("leveIl", false, true),
        ("rand0rn", false, true),
        ("randow", true, true),
    ] {
        let reserved = check_reserved(name, leitai_games::ALL);
        assert_eq!(reserved.is_ok(), fine, "{name}");
        assert_eq!(of_guest(name).is_ok(), fine_for_guest, "{name}");
    }
}

#[test]
fn names_are_checked() {
    for (name, expected) in [
        ("ada", Some("ada")),
        ("  ada ", Some("ada")),
        ("擂台", Some("擂台")),
        ("a-b_c.9", Some("a-b_c.9")),
        ("a", None),
        ("", None),
        ("--", None),
        ("a b", None),
        ("аda", None), // a Cyrillic letter
        ("a\u{202e}b", None),
        ("a\0b", None),
        ("../x", None),
        ("a234567890123456789012345", None),
    ] {
        assert_eq!(check_name(name).ok(), expected, "{name:?}");
    }
}
