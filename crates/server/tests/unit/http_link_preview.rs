//! Tests of `http::link_preview`.

use crate::kit::{says, says_but_not};
use leitai_server::http::link_preview::*;
use leitai_store::MatchId;

#[test]
fn names_of_strangers_stay_text() {
    let preview = LinkPreview {
        title: "\"><script>alert(1)</script> – b".to_owned(),
        description: "it's <b>".to_owned(),
        picture: Some(PreviewPicture::Match(MatchId(7))),
        embeds: Some(MatchId(7)),
    };
    let page = format!("<head>{DEFAULT_TITLE}<title>x</title></head><body></body>");
    let page = preview.write_into(&page, Some("https://arena.example"), "matches/7");
    says_but_not(&page, &[], &["<script>", "<b>"]);
    assert!(page.contains("&quot;&gt;&lt;script&gt;"), "{page}");
    says(
        &page,
        &["content=\"https://arena.example/api/matches/7/picture\""],
    );
    assert_eq!(page.matches("og:title").count(), 1, "{page}");
    assert!(page.contains("application/json+oembed"), "{page}");
}

#[test]
fn without_an_origin_there_is_no_picture() {
    let preview = LinkPreview {
        title: "t".to_owned(),
        description: "d".to_owned(),
        picture: Some(PreviewPicture::Match(MatchId(7))),
        embeds: Some(MatchId(7)),
    };
    let page = preview.write_into("<head></head>", None, "matches/7");
    assert!(page.contains("og:title") && !page.contains("picture") && !page.contains("oembed"));
}

#[test]
fn whoever_is_invited_gets_an_address_of_another_machine() {
    let network = Some("192.168.1.7:8080".parse().expect("an address"));
    let check = |origin: &str, network, link: Option<&str>| {
        assert_eq!(
            origin_for_others(origin, network).as_deref(),
            link,
            "{origin}"
        );
    };
    for own in ["localhost", "arena.localhost", "127.0.0.1", "[::1]"] {
        let origin = format!("http://{own}:8080");
        check(&origin, network, Some("http://192.168.1.7:8080"));
        check(&origin, None, None);
    }
    for other in ["https://arena.example", "http://192.168.1.7:8080"] {
        check(other, network, Some(other));
        check(other, None, Some(other));
    }
    check("nothing", network, None);
}
