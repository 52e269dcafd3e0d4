//! Tests of `similar::tokens`.

use leitai_server::similar::tokens::*;

fn codes(family: Family, text: &str) -> Vec<u64> {
    let tokens = read_tokens(family, text, MOST);
    tokens.iter().map(|token| token.code).collect()
}

#[test]
fn keywords_are_sorted() {
    assert!(KEYWORDS.is_sorted());
}

#[test]
fn names_values_comments_and_layout_do_not_count() {
    let plain = "int best = 0; for (int i = 0; i < n; i++) { best += score(i, \"a\"); }";
    let other = "#include <x>\nlong top=17;\n// words\nfor (long k /* here */ = 3;\n k < size; k++)\n\
                 { top += worth(k, \"b // no comment\"); }";
    assert_eq!(codes(Family::C, plain), codes(Family::C, other));
    let changed = plain.replace("+=", "-=");
    assert_ne!(codes(Family::C, plain), codes(Family::C, &changed));
    let plain = "import os\ndef f(a):\n    return a['x'] + 1  # note\n";
    let other = "def walk(tree):\n\t'''no comment'''\n\treturn tree[\"#\"] + 22";
    assert_eq!(
        codes(Family::Python, plain).len() + 1,
        codes(Family::Python, other).len()
    );
}

#[test]
fn tables_lifetimes_and_open_texts_are_read() {
    let (short, long) = ("x = [1, 2];", "x = [1, 2, 3, 4.5e3, 0xff, 6];");
    assert_eq!(codes(Family::C, short), codes(Family::C, long));
    assert_eq!(
        codes(Family::C, "fn f<'a>(x: &'a str) { g('b', '\\'') }").len(),
        codes(Family::C, "fn f<'z>(x: &'z str) { g('c', 'd') }").len()
    );
    for text in [
        "\"open",
        "/* open",
        "'''open",
        "'",
        "\\",
        "`",
        "é\u{202e}",
        "#",
    ] {
        codes(Family::C, text);
        codes(Family::Python, text);
    }
    assert_eq!(read_tokens(Family::C, &"a ".repeat(100), 10).len(), 10);
}
