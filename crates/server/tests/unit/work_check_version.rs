//! Tests of `work::check_version`.

use leitai_server::work::check_version::*;

#[test]
fn names_are_one_word_for_a_shell() {
    let check = |word: &str, expected: &str| assert_eq!(quote_word(word), expected);
    check("main.py", "main.py");
    check("我的.cpp", "我的.cpp");
    check("my bot.py", "'./my bot.py'");
    check("it's.py", "'./it'\\''s.py'");
    check("-rf", "'./-rf'");
    check("", "'./'");
}

#[test]
fn folders_of_this_machine_are_not_revealed() {
    let said =
        "/var/tmp/leitai-1-2-3-xy/notes.txt is neither a program nor source: give /usr/bin/x";
    assert_eq!(
        without_local_paths(said),
        "notes.txt is neither a program nor source: give /usr/bin/x"
    );
}
