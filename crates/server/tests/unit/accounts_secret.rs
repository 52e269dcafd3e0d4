//! Tests of `accounts::secret`.

use leitai_store::TokenHash;

use leitai_server::accounts::secret::*;

#[test]
fn tokens_are_long_different_and_plausible() {
    let (one, two) = (make_token(API_PREFIX), make_token(API_PREFIX));
    assert_ne!(one, two);
    assert_eq!(one.len(), API_PREFIX.len() + 64);
    for (token, plausible) in [
        (one.as_str(), true),
        ("", false),
        ("short", false),
        ("with spaces in its middle", false),
    ] {
        assert_eq!(is_plausible(token), plausible, "{token:?}");
    }
    assert!(!is_plausible(&"a".repeat(LONGEST + 1)));
}

#[test]
fn every_session_has_its_own_csrf_token() {
    assert_eq!(csrf_token("one"), csrf_token("one"));
    assert_ne!(csrf_token("one"), csrf_token("two"));
    assert_ne!(
        csrf_token("one"),
        TokenHash::from_token("one").as_str(),
        "what is stored does not give it away"
    );
}
