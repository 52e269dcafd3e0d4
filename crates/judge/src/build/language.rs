//! What the name and the first bytes of a file tell of a program.

use std::path::Path;

/// The languages of single source files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Language {
    /// `.py`
    Python,
    /// `.cpp`, `.cc`, `.cxx`
    Cpp,
    /// `.c`
    C,
    /// `.java`
    Java,
    /// `.js`, `.mjs`
    JavaScript,
    /// `.rs`
    Rust,
    /// `.ts`, but not `.d.ts`
    TypeScript,
    /// `.go`, but not `_test.go`
    Go,
    /// `.cs`
    CSharp,
    /// `.kt`
    Kotlin,
}

impl Language {
    /// The language of a file name, if its suffix is known.
    ///
    /// ```
    /// use leitai_judge::build::Language;
    /// assert_eq!(Language::from_path("bots/greedy.cc".as_ref()), Some(Language::Cpp));
    /// assert_eq!(Language::from_path("GREEDY.PY".as_ref()), Some(Language::Python));
    /// assert_eq!(Language::from_path("readme.txt".as_ref()), None);
    /// assert_eq!(Language::from_path("node.d.ts".as_ref()), None);
    /// ```
    pub fn from_path(path: &Path) -> Option<Language> {
        let ending = path.extension()?.to_str()?;
        // Endings in capitals, as Windows keeps them. The compilers know Java by small letters only,
        // and `.C` as C++.
        let stem = path.file_stem()?.to_string_lossy();
        let small = ending.to_ascii_lowercase();
        Some(match small.as_str() {
            "java" if ending != "java" => return None,
            "c" if ending == "C" => Language::Cpp,
            "py" => Language::Python,
            "cpp" | "cc" | "cxx" => Language::Cpp,
            "c" => Language::C,
            "java" => Language::Java,
            "js" | "mjs" => Language::JavaScript,
            "rs" => Language::Rust,
            "ts" | "go" if stem.ends_with(".d") || stem.ends_with("_test") => return None,
            "ts" => Language::TypeScript,
            "go" => Language::Go,
            "cs" => Language::CSharp,
            "kt" => Language::Kotlin,
            _ => return None,
        })
    }
}

/// Whether the kernel runs a file with this beginning: an ELF program, or a script with its
/// interpreter.
pub(super) fn is_program_text(start: &[u8]) -> bool {
    start.starts_with(b"\x7fELF") || start.starts_with(b"#!")
}

/// The bytes of a file that tell whether it is a program.
pub const PROGRAM_START: u64 = 20;
