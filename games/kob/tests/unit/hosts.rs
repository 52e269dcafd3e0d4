//! Tests of `hosts`.

use leitai_kob::hosts::*;

use crate::table::table;

#[test]
fn java_bots_are_recognised() {
    let rows = "
yes | Bot.java | public class Bot implements java.util.function.Supplier<Integer> {
yes | a.java | class A implements Supplier<Integer>{
yes | a.java | class A implements Runnable, Supplier<Integer> {
yes | a.java | class A implements UserBotInterface {
yes | a.java | class A implements bottool.BotCodeInterface {
no | a.java | class A implements UserInterface {
no | a.java | class A implements Runnable { Supplier<Integer> s; }
no | a.java | class A implements MySupplier<Integer> {}
no | Main.java | class Main { public static void main(String[] s) {} }
no | a.txt | class A implements Supplier<Integer> {
no | a.java |
";
    for [expected, file, source] in table(rows) {
        assert_eq!(
            is_java_bot(file, source),
            expected == "yes",
            "{file}: {source}"
        );
    }
    let lines = "class A extends B implements com.kob.BotInterface\n{";
    assert!(is_java_bot("a.java", lines));
}

#[test]
fn the_sample_is_recognised() {
    assert!(is_java_bot(
        "Sample.java",
        include_str!("../../host/tests/Sample.java")
    ));
}
