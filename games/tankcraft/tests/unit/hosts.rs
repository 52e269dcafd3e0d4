//! Tests of `hosts`.

use leitai_tankcraft::hosts::*;

const EXAMPLE: &str = include_str!("../../../../sdk/cpp/tankcraft/example_2010.cpp");

#[test]
fn sources_of_2010_are_recognised() {
    #[track_caller]
    fn check(file_name: &str, source: &str, expected: bool) {
        assert_eq!(
            is_program_of_2010(file_name, source),
            expected,
            "{file_name}: {source}"
        );
    }
    let both = "InitiateInfo chooseType() {} Order makeOrder(DataForAI data) {}";
    check("bot.cpp", EXAMPLE, true);
    check("a.cc", &format!("#include \"Tank.h\"\r\n{both}"), true);
    check(
        "a.cpp",
        &format!("\u{feff}# include <tank.h>\n{both}"),
        true,
    );
    check("a.cpp", &format!("#include \"../TANK.H\"\n{both}"), true);
    check("a.c", EXAMPLE, false);
    check("a.cpp", both, false);
    check("a.cpp", &format!("// Tank.h\n{both}"), false);
    check(
        "a.cpp",
        "#include \"Tank.h\"\nOrder makeOrder(DataForAI data) {}",
        false,
    );
    check(
        "a.cpp",
        &format!("#include \"Tank.h\"\n{both} int main() {{}}"),
        false,
    );
    check("a.cpp", "", false);
}
