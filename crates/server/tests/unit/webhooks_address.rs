//! Tests of `webhooks::address`.

use leitai_server::webhooks::address::*;

#[test]
fn private_addresses_are_known_however_they_are_written() {
    let private = [
        "http://127.0.0.1/x",
        "http://127.1/",
        "http://0x7f000001/",
        "http://2130706433/",
        "http://0.0.0.0/",
        "http://10.1.2.3/",
        "http://172.16.0.1/",
        "http://192.168.0.1:8080/",
        "http://169.254.169.254/latest",
        "http://100.64.0.1/",
        "http://198.18.0.1/",
        "http://224.0.0.1/",
        "http://255.255.255.255/",
        "http://[::1]/",
        "http://[::]/",
        "http://[::ffff:127.0.0.1]/",
        "http://[::ffff:a00:1]/",
        "http://[fe80::1]/",
        "http://[fd00::1]/",
        "http://[64:ff9b::a00:1]/",
        "http://[2002:a00:1::]/",
        "http://[2001:db8::1]/",
        "http://[ff02::1]/",
    ];
    for text in private {
        let read = parse_address(text, Reach::Public);
        assert_eq!(read, Err(AddressProblem::Private), "{text}");
        assert!(parse_address(text, Reach::Everywhere).is_ok(), "{text}");
    }
    let texts = "https://example.org/hook?x=1 http://93.184.215.14/ http://[2606:2800::1]/
        https://localhost/";
    for text in texts.split_whitespace() {
        assert!(parse_address(text, Reach::Public).is_ok(), "{text}");
    }
}

#[test]
fn other_addresses_are_refused() {
    use AddressProblem::{Credentials, Malformed};
    let long = format!("https://example.org/{}", "x".repeat(LONGEST));
    let rows = [
        ("", Malformed),
        ("example.org", Malformed),
        ("ftp://example.org/", Malformed),
        ("file:///etc/passwd", Malformed),
        ("http://", Malformed),
        (long.as_str(), Malformed),
        ("https://me:secret@example.org/", Credentials),
        ("https://me@127.0.0.1/", Credentials),
    ];
    for (text, problem) in rows {
        assert_eq!(parse_address(text, Reach::Public), Err(problem), "{text}");
    }
}
