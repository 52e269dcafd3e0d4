//! Tests of `mail`.

use leitai_server::mail::*;

#[test]
fn addresses_are_checked_and_passwords_not_shown() {
    for good in ["ann@example.org", " a.b+c@sub.example.org "] {
        assert!(parse_address(good).is_some(), "{good}");
    }
    let long = format!("{}@example.org", "x".repeat(300));
    for bad in [
        "",
        "ann",
        "@example.org",
        "a@b\r\nBcc: c@d.org",
        "a@b,c@d",
        &long,
    ] {
        assert!(parse_address(bad).is_none(), "{bad}");
    }
    let wrong = Mailer::new("http://ann:secret@mail", "a@b.org", "").expect_err("no SMTP");
    assert!(!wrong.to_string().contains("secret"), "{wrong}");
    assert!(Mailer::new("smtp://127.0.0.1:25", "nobody", "").is_err());
}
