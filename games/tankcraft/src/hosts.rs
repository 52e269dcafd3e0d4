//! The host of programs of 2010, which define two functions and do not use stdin and stdout
//! (`sdk/cpp/tankcraft`).

use leitai_game::host::BOTZONE;
use leitai_game::{Host, Text};

/// Every host.
pub const ALL: &[Host] = &[SDK_2010, BOTZONE];

/// The files and the build commands are the SDK's, so that a program plays here as it does on its
/// author's machine.
const SDK_2010: Host = Host {
    name: "sdk-2010",
    about: Text::new(
        "C++ programs of 2010 as they stand: chooseType and makeOrder; play them with --config fog=sdk",
        "原样运行 2010 年的 C++ 程序：chooseType 与 makeOrder；请配合 --config fog=sdk",
    ),
    accepts: is_program_of_2010,
    files: &[
        ("Tank.h", include_str!("../../../sdk/cpp/tankcraft/Tank.h")),
        (
            "tank.h",
            include_str!("../../../sdk/cpp/tankcraft/compat/tank.h"),
        ),
        (
            "shim.cpp",
            include_str!("../../../sdk/cpp/tankcraft/shim.cpp"),
        ),
        (
            "build.sh",
            include_str!("../../../sdk/cpp/tankcraft/build.sh"),
        ),
    ],
    build: &[&["sh", "{host}/build.sh", "{src}", "{host}/program"]],
    run: &["{host}/program"],
    tools: &[("sh", "dash"), ("g++", "g++")],
    protocol: "text",
    config: &[("fog", "sdk")],
};

/// Whether a C++ file defines `makeOrder` with the header of 2010. A file with its own `main` is a
/// plain program.
#[doc(hidden)] // For tests.
pub fn is_program_of_2010(file_name: &str, source: &str) -> bool {
    let cpp = [".cpp", ".cc", ".cxx"]
        .iter()
        .any(|ending| file_name.ends_with(ending));
    let names = ["makeOrder", "chooseType"]
        .iter()
        .all(|name| source.contains(name));
    let includes = |line: &str| {
        let line = line.trim_start_matches(['\u{feff}', ' ', '\t']);
        line.starts_with('#')
            && line.contains("include")
            && line.to_ascii_lowercase().contains("tank.h")
    };
    let has_main = source.contains("int main(") || source.contains("int main (");
    cpp && names && !has_main && source.lines().any(includes)
}
