//! Tests of `http::replay_page`.

use leitai_server::http::page::MISSING;
use leitai_server::http::replay_page::*;

#[test]
fn base64_is_that_of_the_rfc() {
    let known = [
        "", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy",
    ];
    for (length, expected) in known.into_iter().enumerate() {
        assert_eq!(write_base64(&b"foobar"[..length]), expected);
    }
}

#[test]
fn a_build_without_the_page_says_so() {
    if MISSING.is_some() {
        let error = write_replay_page("{}", "x").expect_err("there is no template");
        assert!(error.to_string().contains("without the page"), "{error}");
    }
}
