//! Tests of `http::routes::share`.

use leitai_server::http::routes::share::*;
use leitai_store::MatchId;

#[test]
fn only_addresses_of_own_matches_are_known() {
    let origin = "https://arena.example";
    for (url, expected) in [
        ("https://arena.example/matches/7", Some(7)),
        ("https://arena.example/matches/7/?leg=2#x", Some(7)),
        ("https://arena.example/embed/matches/7", Some(7)),
        ("https://arena.example.evil/matches/7", None),
        ("https://evil.example/matches/7", None),
        ("https://arena.example/matches/", None),
        ("https://arena.example/bots/7", None),
        ("", None),
    ] {
        assert_eq!(
            match_of_address(url, origin),
            expected.map(MatchId),
            "{url}"
        );
    }
}
