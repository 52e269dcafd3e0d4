//! Compilers and interpreters by their commands.

use super::BuildError;
use std::ffi::OsString;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// A tool by its command, and its Debian package.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Tool {
    pub name: &'static str,
    pub package: &'static str,
}

macro_rules! tools {
    ($($constant:ident $name:literal $package:literal,)*) => {
        /// The tools that a build may need.
        impl Tool {
            $(#[doc = concat!("`", $name, "`")] pub const $constant: Tool = Tool { name: $name, package: $package };)*
            /// Every tool.
            pub const ALL: &[Tool] = &[$(Tool::$constant),*];
        }
    };
}

tools! {
    MAKE "make" "make",
    CMAKE "cmake" "cmake",
    CXX "g++" "g++",
    CC "gcc" "gcc",
    JAVAC "javac" "default-jdk",
    JAVA "java" "default-jre",
    NODE "node" "nodejs",
    PYTHON "python3" "python3",
    RUSTC "rustc" "rustc",
    CARGO "cargo" "cargo",
    GO "go" "golang-go",
    MCS "mcs" "mono-mcs",
    MONO "mono" "mono-runtime",
    KOTLINC "kotlinc" "kotlin",
    TSC "tsc" "node-typescript",
}

impl Tool {
    /// The path of the tool, looked up in `PATH`.
    ///
    /// # Errors
    /// [`BuildError::ToolMissing`].
    pub fn find_command(self) -> Result<OsString, BuildError> {
        self.find_in(&std::env::var_os("PATH").unwrap_or_default())
    }

    /// The path of the tool in another search path.
    ///
    /// # Errors
    /// [`BuildError::ToolMissing`].
    pub fn find_in(self, search_path: &std::ffi::OsStr) -> Result<OsString, BuildError> {
        std::env::split_paths(search_path)
            .filter(|dir| dir.is_absolute())
            .map(|dir| dir.join(self.name))
            .find(|file| is_program_file(file))
            .map(PathBuf::into_os_string)
            .ok_or(BuildError::ToolMissing {
                tool: self.name,
                package: self.package,
            })
    }
}

/// Whether a file of this machine may be executed by any user.
pub(super) fn is_program_file(file: &Path) -> bool {
    file.metadata()
        .is_ok_and(|meta| meta.is_file() && meta.mode() & 0o111 != 0)
}

/// The folder of rustup's toolchains: from the environment, in this user's home, or in the home
/// that contains the `rustc` of the search path.
pub(super) fn rustup_home() -> Option<PathBuf> {
    let named = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let beside = || {
        Some(
            PathBuf::from(Tool::RUSTC.find_command().ok()?)
                .parent()?
                .parent()?
                .parent()?
                .join(".rustup"),
        )
    };
    let own = || {
        named("HOME")
            .map(|home| home.join(".rustup"))
            .filter(|path| path.is_dir())
    };
    named("RUSTUP_HOME")
        .or_else(own)
        .or_else(|| beside().filter(|path| path.is_dir()))
}
