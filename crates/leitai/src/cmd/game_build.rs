//! `leitai game build`: compiles the source in a folder to `rules.wasm`, by the compilers that the
//! author has. It runs the author's own code, as any compiler does.

use std::ffi::OsString;
use std::fs;
use std::process::{Command, Stdio};

use anyhow::anyhow;
use leitai_guest::file::parts::RULES;

use crate::cli::GameBuildArgs;
use crate::files::{print_stderr, write_bytes};
use crate::prelude::*;
use crate::rerun_command::quote_word;

/// The header for games in C++.
pub const HEADER: &str = "leitai_game.hpp";
/// Its text.
pub const HEADER_TEXT: &str = include_str!("../../../../sdk/cpp/leitai_game.hpp");

const TARGET: &str = "wasm32-unknown-unknown";

/// How clang makes a module: for WebAssembly alone, small and without a runtime of C++.
const CLANG: [&str; 16] = [
    "--target=wasm32",
    "-std=c++20",
    "-O2",
    "-mbulk-memory",
    "-ffreestanding",
    "-fno-exceptions",
    "-fno-rtti",
    "-fno-threadsafe-statics",
    "-fvisibility=hidden",
    "-Wall",
    "-Wextra",
    "-nostdlib",
    "-Wl,--no-entry",
    "-Wl,--stack-first",
    "-Wl,-zstack-size=32768",
    "-Wl,--strip-all",
];

/// Compiles the folder.
pub fn run(lang: Localizer, args: &GameBuildArgs) -> Result<ExitCode> {
    let folder = &args.folder;
    if !has_source(folder) {
        let name = folder.display();
        return Err(usage_error(format!(
            "{name} has neither rules.cpp nor Cargo.toml; leitai game new NAME writes a first game"
        )));
    }
    let Some((output, size)) = build(folder)? else {
        print_stderr(lang.label("the game does not compile: see above"));
        return Ok(ExitCode::FAILURE);
    };
    let path = output.display();
    let words = lang.fill("{}: {} bytes", &[&path, &size]);
    let name = quote_word(&folder.display().to_string());
    let text = format!("{words}\n{}  leitai game check {name}", lang.label("next"));
    let fields = json!({"file": output.display().to_string(), "bytes": size});
    Answer::new("game-build", fields, text).print(args.form.json)
}

/// Whether there is something to compile.
pub fn has_source(folder: &Path) -> bool {
    ["rules.cpp", "Cargo.toml"]
        .iter()
        .any(|name| folder.join(name).is_file())
}

/// Compiles the source in a folder; gives the module's path and its size in bytes, or `None` if the
/// compiler refuses it, which says why.
pub fn build(folder: &Path) -> Result<Option<(PathBuf, usize)>> {
    let built = match folder.join("rules.cpp").is_file() {
        true => build_cpp(folder)?,
        false => build_rust(folder)?,
    };
    let Some(module) = built else {
        return Ok(None);
    };
    let output = folder.join(RULES);
    write_bytes(&output, &module)?;
    Ok(Some((output, module.len())))
}

/// A game in C++; `None` if the compiler refuses it, which says why.
fn build_cpp(folder: &Path) -> Result<Option<Vec<u8>>> {
    let clang = find_clang()?;
    let place = tempfile::tempdir().context("cannot make a temporary folder")?;
    fs::write(place.path().join(HEADER), HEADER_TEXT).context("cannot write the header")?;
    let output = place.path().join(RULES);
    let status = Command::new(&clang)
        .args(CLANG)
        .arg("-I")
        .arg(place.path())
        .arg(folder.join("rules.cpp"))
        .arg("-o")
        .arg(&output)
        .stdin(Stdio::null())
        .stdout(Stdio::inherit())
        .status()
        .with_context(|| format!("cannot run {}", clang.display()))?;
    match status.success() {
        true => Ok(Some(fs::read(&output).context("cannot read the module")?)),
        false => Ok(None),
    }
}

/// A clang that can link for WebAssembly.
fn find_clang() -> Result<PathBuf> {
    let versions = (14..=30).rev().map(|version| format!("clang++-{version}"));
    let names = std::iter::once("clang++".to_owned()).chain(versions);
    let found = names.filter_map(|name| find_program(&name)).next();
    let Some(clang) = found else {
        return Err(anyhow!(
            "clang is missing, which compiles C++ to WebAssembly: apt-get install clang lld"
        ));
    };
    let asked = Command::new(&clang)
        .arg("--print-prog-name=wasm-ld")
        .output()
        .with_context(|| format!("cannot run {}", clang.display()))?;
    let linker = String::from_utf8_lossy(&asked.stdout).trim().to_owned();
    match Path::new(&linker).is_absolute() || find_program(&linker).is_some() {
        true => Ok(clang),
        false => Err(anyhow!(
            "wasm-ld is missing, which links WebAssembly: apt-get install lld"
        )),
    }
}

fn find_program(name: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    let mut candidates = std::env::split_paths(&folders).map(|folder| folder.join(name));
    candidates.find(|path| path.is_file())
}

/// A game in Rust; `None` if it does not compile.
fn build_rust(folder: &Path) -> Result<Option<Vec<u8>>> {
    check_rust(folder)?;
    let output = Command::new("cargo")
        .args(["rustc", "--lib", "--crate-type", "cdylib", "--release"])
        .args(["--target", TARGET, "--message-format"])
        .arg("json-render-diagnostics")
        .args(["--", "-C", "link-arg=-zstack-size=65536"])
        .args(["-C", "strip=symbols"])
        .current_dir(folder)
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .context("cannot run cargo")?;
    if !output.status.success() {
        return Ok(None);
    }
    let told = String::from_utf8_lossy(&output.stdout);
    let module = told.lines().rev().find_map(module_of);
    let module = module.context("cargo named no module; is [lib] in Cargo.toml?")?;
    let bytes = fs::read(&module).with_context(|| format!("cannot read {module}"))?;
    Ok(Some(bytes))
}

/// The module that a line of cargo names.
fn module_of(line: &str) -> Option<String> {
    let told: serde_json::Value = serde_json::from_str(line).ok()?;
    let files = told.get("filenames")?.as_array()?.iter();
    let mut files = files.filter_map(|file| file.as_str());
    files
        .find(|file| file.ends_with(".wasm"))
        .map(str::to_owned)
}

/// Says what is missing before cargo does, whose words about targets help few.
fn check_rust(folder: &Path) -> Result<()> {
    if find_program("cargo").is_none() {
        return Err(anyhow!(
            "cargo is missing, which compiles Rust: https://rustup.rs installs it; then rustup target add wasm32-unknown-unknown"
        ));
    }
    let libraries = Command::new("rustc")
        .args(["--print", "target-libdir", "--target", TARGET])
        .current_dir(folder)
        .output()
        .context("cannot run rustc")?;
    let path = PathBuf::from(OsString::from(
        String::from_utf8_lossy(&libraries.stdout).trim(),
    ));
    match libraries.status.success() && path.is_dir() {
        true => Ok(()),
        false => Err(anyhow!(
            "Rust's library for WebAssembly is missing: rustup target add wasm32-unknown-unknown"
        )),
    }
}
