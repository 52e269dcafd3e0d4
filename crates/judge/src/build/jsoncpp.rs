//! JsonCpp for sources that include it as Botzone's compilers have it: `#include "jsoncpp/json.h"`. Nearly
//! every program in C++ for that site does, bots and judge programs alike.

use std::ffi::OsString;
use std::fs;
use std::path::Path;

use super::BuildError;
use super::tool_runner::ToolRunner;

/// What such sources include.
const INCLUDED: &str = "jsoncpp/json.h";
/// Where Debian's `libjsoncpp-dev` has it.
const HEADERS: &str = "/usr/include/jsoncpp";
/// How much of a source is looked at.
const MOST: u64 = 1 << 20;

/// Puts the file that these sources include beside them, where it leads to this machine's JsonCpp; returns
/// the compiler's flags for it, none if the sources do without or bring their own.
///
/// # Errors
/// The file cannot be written.
pub(super) fn lend(
    runner: &ToolRunner,
    files: &[OsString],
) -> Result<&'static [&'static str], BuildError> {
    let (folder, own) = (runner.open_folder()?, Path::new("jsoncpp"));
    let includes = |name: &OsString| {
        let source = folder.start_of(Path::new(name), MOST).unwrap_or_default();
        let source = String::from_utf8_lossy(&source);
        let mut lines = source.lines().map(str::trim_start);
        lines.any(|line| line.starts_with('#') && line.contains(INCLUDED))
    };
    let is_here = Path::new(HEADERS).join("json/json.h").exists();
    if !is_here || !files.iter().any(includes) || folder.look_at(own).is_ok() {
        return Ok(&[]);
    }
    let place = runner.work_folder().join(own);
    fs::create_dir(&place).map_err(BuildError::from_io("create", &place))?;
    let written = folder.replace_file(Path::new(INCLUDED), b"#include <json/json.h>\n");
    written.map_err(BuildError::from_io("write", &place))?;
    Ok(&["-I/usr/include/jsoncpp", "-ljsoncpp"])
}

/// What is to be installed, if that is what a compiler said.
pub(super) fn find_missing(log: &str) -> Option<BuildError> {
    let mut lines = log.lines();
    let is_said = lines.any(|line| line.contains("fatal") && line.contains(INCLUDED));
    is_said.then_some(BuildError::ToolMissing {
        tool: INCLUDED,
        package: "libjsoncpp-dev",
    })
}
