//! Tests of `hosts`.

use leitai_kob::hosts::*;

#[test]
fn java_bots_are_recognised() {
    let check = |file: &str, source: &str, expected: bool| {
        assert_eq!(is_java_bot(file, source), expected, "{file}: {source}");
    };
    check(
        "Bot.java",
        "public class Bot implements java.util.function.Supplier<Integer> {",
        true,
    );
    check("a.java", "class A implements Supplier<Integer>{", true);
    check(
        "a.java",
        "class A implements Runnable, Supplier<Integer> {",
        true,
    );
    check(
        "a.java",
        "class A extends B implements com.kob.BotInterface\n{",
        true,
    );
    for name in ["UserBotInterface", "bottool.BotCodeInterface"] {
        check("a.java", &format!("class A implements {name} {{"), true);
    }
    check("a.java", "class A implements UserInterface {", false);
    check(
        "a.java",
        "class A implements Runnable { Supplier<Integer> s; }",
        false,
    );
    check("a.java", "class A implements MySupplier<Integer> {}", false);
    check(
        "Main.java",
        "class Main { public static void main(String[] s) {} }",
        false,
    );
    check("a.txt", "class A implements Supplier<Integer> {", false);
    check("a.java", "", false);
}

#[test]
fn the_sample_is_recognised() {
    assert!(is_java_bot(
        "Sample.java",
        include_str!("../../host/tests/Sample.java")
    ));
}
