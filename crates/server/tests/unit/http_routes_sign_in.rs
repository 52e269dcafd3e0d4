//! Tests of `http::routes::sign_in`.

use leitai_server::http::routes::sign_in::*;

#[test]
fn only_pages_of_this_arena_are_returned_to() {
    for (path, is_own) in [
        ("/", true),
        ("/account?lang=zh#bots", true),
        ("", false),
        ("account", false),
        ("//evil.example", false),
        ("/\\evil.example", false),
        ("/\t/evil.example", false),
        ("https://evil.example", false),
        ("/a\r\nSet-Cookie: x=y", false),
        ("/é", false),
    ] {
        assert_eq!(is_own_page(path), is_own, "{path:?}");
    }
    assert!(!is_own_page(&format!("/{}", "a".repeat(RETURN))));
}
