//! Tests of `oidc::provider`.

use leitai_server::oidc::provider::*;

#[test]
fn forms_are_encoded() {
    for (pairs, text) in [
        (&[("a", "b c&d"), ("e", "ü")][..], "a=b+c%26d&e=%C3%BC"),
        (&[("", "s:e=c")], "=s%3Ae%3Dc"),
    ] {
        assert_eq!(encode_form(pairs), text);
    }
}
