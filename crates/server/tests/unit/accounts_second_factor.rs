//! Tests of `accounts::second_factor`.

use leitai_server::accounts::second_factor::*;
use leitai_store::{Timestamp, UserId};

/// The secret of the test vectors of RFC 6238, `12345678901234567890`.
const SECRET: &str = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";

#[test]
fn codes_are_those_of_the_standard_with_one_step_of_drift() {
    // The last six of the eight digits in appendix B.
    for (seconds, code) in [
        (59, "287082"),
        (1_111_111_109, "081804"),
        (1_234_567_890, "005924"),
        (20_000_000_000, "353130"),
    ] {
        let step = seconds / 30;
        for (drift, found) in [
            (-60, None),
            (-30, Some(step)),
            (0, Some(step)),
            (30, Some(step)),
            (60, None),
        ] {
            let at = seconds + drift;
            if at >= 0 {
                let step_found = find_step(SECRET, code, Timestamp(at * 1000));
                assert_eq!(step_found, found, "{code} {drift}");
            }
        }
    }
    for wrong in ["", "28708", "2870820", "28708a", "+28708"] {
        assert_eq!(find_step(SECRET, wrong, Timestamp(59_000)), None, "{wrong}");
    }
}

#[test]
fn codes_are_read_as_people_type_them() {
    let ann = UserId(7);
    for app in ["287082", " 287 082 ", "287-082"] {
        assert_eq!(read_code(ann, app), GivenCode::App("287082".into()));
    }
    let (codes, hashes) = make_recovery_codes(ann);
    assert_eq!(codes.len(), RECOVERY_CODES);
    let right = GivenCode::Recovery(hashes[0].clone());
    for typed in [codes[0].to_uppercase(), codes[0].replace('-', " ")] {
        assert_eq!(read_code(ann, &typed), right, "{typed}");
    }
    assert_ne!(read_code(UserId(8), &codes[0]), right, "another's");
    assert_ne!(read_code(ann, &codes[1]), right);
}

#[test]
fn links_name_the_arena_and_the_account() {
    let link = write_link(SECRET, Some("https://arena.example.org"), "小明");
    assert_eq!(
        link,
        format!(
            "otpauth://totp/arena.example.org:%E5%B0%8F%E6%98%8E?secret={SECRET}&issuer=arena.example.org"
        )
    );
    let picture = draw_link(&link).expect("it is short");
    assert!(picture.contains("<svg") && !picture.contains(SECRET));
    assert!(write_link(SECRET, None, "ann").contains("Leitai:ann"));
    assert_ne!(make_secret(), make_secret());
    assert_eq!(make_secret().len(), 32);
}
