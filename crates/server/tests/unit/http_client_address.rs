//! Tests of `http::client_address`.

use axum::http::HeaderMap;
use leitai_server::http::client_address::*;

#[test]
fn the_last_forwarded_address_counts() {
    for (values, expected) in [
        (&["1.2.3.4"][..], Some("1.2.3.4")),
        (&["9.9.9.9, 1.2.3.4"], Some("1.2.3.4")),
        (&["9.9.9.9", "1.2.3.4"], Some("1.2.3.4")),
        (&["2001:db8::1"], Some("2001:db8::1")),
        (&["nonsense"], None),
        (&[], None),
    ] {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append("x-forwarded-for", value.parse().expect("a header"));
        }
        let expected = expected.map(|text| text.parse().expect("an address"));
        assert_eq!(forwarded_for(&headers), expected, "{values:?}");
    }
}
