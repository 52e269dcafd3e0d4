//! Tests of `http::replay_page`.

use leitai_server::http::page::MISSING;
use leitai_server::http::replay_page::*;

/// As web/src/single/parts.test.ts reads them.
#[test]
fn bytes_are_written_in_digits_of_base_85() {
    let known = ["", "Hj", "HvG", "HvKZ", "HvK[z", "HvK[zG6", "HvK[zGC0"];
    for (length, expected) in known.into_iter().enumerate() {
        assert_eq!(write_digits(&b"foobar"[..length]), expected);
    }
}

#[test]
fn a_build_without_the_page_says_so() {
    if MISSING.is_some() {
        let error =
            write_replay_page("{}", "x", ShownBy::Engine).expect_err("there is no template");
        assert!(error.to_string().contains("without the page"), "{error}");
    }
}

/// A game that the engine does not know is shown by its frames, which stand in place of the engine.
#[test]
fn a_page_has_frames_in_place_of_an_engine() {
    let template = "<title><!--title--></title><!--replay-->\n<!--engine-->\n<!--frames-->";
    let page = fill_replay_page(template, "{}", "a < b", ShownBy::Frames("[]"));
    let page = page.expect("no engine is needed");
    let parts: Vec<&str> = page.split('\n').collect();
    assert!(
        parts[0].starts_with("<title>a &lt; b</title>23eJ0"),
        "{page}"
    );
    assert_eq!(parts[1], "");
    assert!(parts[2].starts_with("23eJ0"), "{page}");
}
