//! Links the program of tests at a fixed address: they start it more than a thousand times, and most of
//! a start was writing the 390,000 addresses of its tables.

use std::path::Path;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let is = |name: &str, value: &str| std::env::var(name).is_ok_and(|found| found == value);
    let is_linux = is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu");
    // The folder of cargo's output has the name of the profile: `up`, which serves real arenas, is another.
    let out = std::env::var("OUT_DIR").unwrap_or_default();
    let is_for_tests = Path::new(&out)
        .ancestors()
        .nth(3)
        .is_some_and(|folder| folder.ends_with("debug"));
    if is_linux && is_for_tests {
        println!("cargo:rustc-link-arg-bins=-no-pie");
    }
}
