//! Tests of `bots::routes::upload`.

use leitai_server::bots::routes::upload::*;
use leitai_store::SourceLanguages;
use std::path::PathBuf;

#[test]
fn archives_are_built_by_what_lies_where_the_judge_looks() {
    for (paths, expected) in [
        (&["Makefile", "main.c"][..], Some("make")),
        (&["bot/Makefile", "bot/main.c"], Some("make")),
        (&["lib/Makefile", "main.py"], None),
        (&["CMakeLists.txt", "src/Makefile"], Some("cmake")),
        (&["bot/CMakeLists.txt", "other/x.c"], None),
        (&["main.py"], None),
    ] {
        let paths: Vec<PathBuf> = paths.iter().map(PathBuf::from).collect();
        let found = built_by(&paths);
        assert_eq!(
            found,
            expected.map(SourceLanguages::from_known),
            "{paths:?}"
        );
    }
}

#[test]
fn languages_have_the_words_of_contests() {
    use leitai_contest::file::SourceLanguage;
    let words = SourceLanguage::ALL.map(|(word, _)| word);
    assert_eq!(words, SourceLanguages::NAMES);
}

#[test]
fn file_names_are_cleaned() {
    for (name, expected) in [
        ("bot.py", Some("bot.py")),
        ("my bot.py", Some("my_bot.py")),
        ("C:\\bots\\bot.cpp", Some("bot.cpp")),
        ("../../etc/passwd", Some("passwd")),
        ("/bot.py", Some("bot.py")),
        ("蛇.py", Some("蛇.py")),
        ("", None),
        ("..", None),
        ("a/..", None),
        (".bashrc", None),
        ("-rf", None),
        ("a\nb.py", None),
        ("a\0.py", None),
        ("a\u{202e}yp.exe", None),
        ("$(reboot).py", None),
    ] {
        assert_eq!(checked_name(name).ok().as_deref(), expected, "{name:?}");
    }
    assert!(checked_name(&format!("{}.py", "a".repeat(200))).is_err());
}
