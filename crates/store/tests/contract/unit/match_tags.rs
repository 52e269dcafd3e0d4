use leitai_store::{MatchTags, TagProblem, clean_tag};

#[test]
fn tags_are_cleaned_and_bounded() {
    let rows = [
        ("Final", Some("final")),
        (" ##final ", Some("final")),
        ("late \t game", Some("late-game")),
        ("v1.2_b", Some("v1.2_b")),
        ("决赛", Some("决赛")),
        ("abcdefghijklmnopqrstuvwx", Some("abcdefghijklmnopqrstuvwx")),
        ("abcdefghijklmnopqrstuvwxy", None),
        // A capital letter of which two small ones are made.
        ("İİİİİİİİİİİİİİİİİİİİİİİİ", None),
        ("", None),
        ("-._", None),
        ("a,b", None),
        ("a\u{202e}b", None),
        ("a\0b", None),
        ("<b>", None),
    ];
    for (written, kept) in rows {
        assert_eq!(clean_tag(written).ok().as_deref(), kept, "{written:?}");
    }
}

#[test]
fn a_match_has_few_tags() {
    let many: Vec<String> = (0..9).map(|at| at.to_string()).collect();
    let all = |count: usize| MatchTags::parse(many[..count].iter().map(String::as_str));
    assert_eq!(all(8).map(|tags| tags.words().len()), Ok(8));
    assert_eq!(all(9), Err(TagProblem::Many(9)));
    let same = MatchTags::parse(["a"; 100]).expect("it is one tag");
    assert_eq!(same.words(), ["a"]);
}
