//! Tests of `webhooks::address`.

use leitai_server::webhooks::address::*;

#[test]
fn private_addresses_are_known_however_they_are_written() {
    let private = "127.0.0.1/x 127.1/ 0x7f000001/ 2130706433/ 0.0.0.0/ 10.1.2.3/ 172.16.0.1/
        192.168.0.1:8080/ 169.254.169.254/latest 100.64.0.1/ 198.18.0.1/ 224.0.0.1/
        255.255.255.255/ [::1]/ [::]/ [::ffff:127.0.0.1]/ [::ffff:a00:1]/ [fe80::1]/ [fd00::1]/
        [64:ff9b::a00:1]/ [2002:a00:1::]/ [2001:db8::1]/ [ff02::1]/";
    for text in private.split_whitespace() {
        let text = &format!("http://{text}");
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
