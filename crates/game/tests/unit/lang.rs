//! Tests of `lang`.

use leitai_game::lang::*;

static TEXTS: Texts = Texts::new(
    r#"{"Tests": {
        "there is no {}": "没有 {}",
        "there is no game {}": "没有游戏 {}",
        "did you mean {}?": "是否想用 {}？",
        "sent the answer {}, which {}": "回答了 {}，它{}",
        "is op {}": "是操作 {}",
        "{} at line {}": "第 {1} 行：{0}",
        "has {} bytes; {} are read": "有 {} 字节；读取 {}",
        "leg {} of {}": "共 {1} 局，第 {0} 局",
        "write { bot = {} }": "请写 { bot = {} }"
    }}"#,
);

#[test]
fn a_message_is_translated_to_the_language_of_the_reader() {
    let all = Catalogue::new([&TEXTS]);
    let check = |en: &str, zh: &str| {
        assert_eq!(all.say(Lang::Zh, en), zh);
        assert_eq!(all.say(Lang::En, en), en);
    };
    check("there is no bot 7", "没有 bot 7");
    check("there is no game \"x\"", "没有游戏 \"x\"");
    check(
        "sent the answer \"a; b\", which is op 9",
        "回答了 \"a; b\"，它是操作 9",
    );
    check(
        "there is no game \"x\"; did you mean kob?",
        "没有游戏 \"x\"；是否想用 kob？",
    );
    check("sent the answer 9, which is op 9", "回答了 9，它是操作 9");
    check(
        "sent the answer 9, which has 2 bytes; 1 are read",
        "回答了 9，它有 2 字节；读取 1",
    );
    check("leg 2 of 3", "共 3 局，第 2 局");
    check("write { bot = 1 }", "请写 { bot = 1 }");
    check(
        "bot (x): sent the answer 9, which is op 9: 3",
        "bot (x)：回答了 9，它是操作 9: 3",
    );
    check("a.json: no JSON at line 7", "a.json：第 7 行：no JSON");
    check("one\nleg 2 of 3\ntwo", "one\n共 3 局，第 2 局\ntwo");
    check("what a program said", "what a program said");
    check("", "");
}

#[test]
fn no_text_makes_a_translation_panic() {
    let all = Catalogue::new([&TEXTS]);
    for text in [
        "there is no ",
        "是 {",
        "leg  of ",
        "; : ; :",
        &"; ".repeat(9000),
        "sent the answer , which ",
    ] {
        let _ = all.say(Lang::Zh, text);
    }
    assert_eq!(fill_template("{", &[]), "{");
    assert_eq!(fill_template("{7}{}", &["a".into()]), "{7}a");
}
