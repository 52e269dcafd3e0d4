//! Finds the files that a source refers to: C includes, script imports, Java class names,
//! names of files.
//!
//! The text is scanned for words and quotes; no language is parsed. A name in a comment counts,
//! too: then one file more is copied. A computed name is not found.

use super::java;
use std::path::{Component, Path, PathBuf};

/// The language, by which a file names other files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum IncludeSyntax {
    C,
    Python,
    Java,
    JavaScript,
    Rust,
    /// Files of one package see each other without a word: a comment names those that belong together.
    ByName,
}

/// The files that `text`, the content of `file`, may name, as paths inside the folder that `file`
/// is relative to. Most of them do not exist: a name can mean several files. A path that leads out
/// of the folder keeps its `..`.
///
/// ```
/// use leitai_judge::build::includes::named_by;
/// use std::path::{Path, PathBuf};
/// let named = named_by(Path::new("a.cpp"), "#include \"lib/b.h\"\n");
/// assert_eq!(named, [PathBuf::from("lib/b.h")]);
/// ```
pub fn named_by(file: &Path, text: &str) -> Vec<PathBuf> {
    let home = file.parent().unwrap_or(Path::new(""));
    let mut named = match include_syntax(file, text) {
        Some(IncludeSyntax::C) => by_c(home, text),
        Some(IncludeSyntax::Python) => by_python(home, text),
        Some(IncludeSyntax::Java) => by_java(home, text),
        Some(IncludeSyntax::JavaScript) => by_javascript(home, text),
        Some(IncludeSyntax::Rust) => by_rust(file, text),
        Some(IncludeSyntax::ByName) => by_name(file, text),
        None => Vec::new(),
    };
    named.iter_mut().for_each(|path| *path = without_dots(path));
    named.sort_unstable();
    named.dedup();
    named
}

/// Whether a file is source, by its ending.
pub fn is_source(file: &Path) -> bool {
    include_syntax(file, "").is_some()
}

fn include_syntax(file: &Path, text: &str) -> Option<IncludeSyntax> {
    let ending = file
        .extension()
        .and_then(|ending| ending.to_str())
        .unwrap_or_default()
        .to_ascii_lowercase();
    match ending.as_str() {
        "c" | "cc" | "cpp" | "cxx" | "h" | "hh" | "hpp" | "hxx" | "inc" | "inl" | "ipp" | "tpp"
        | "def" => Some(IncludeSyntax::C),
        "py" => Some(IncludeSyntax::Python),
        "java" => Some(IncludeSyntax::Java),
        "js" | "mjs" | "cjs" | "ts" => Some(IncludeSyntax::JavaScript),
        "rs" => Some(IncludeSyntax::Rust),
        "go" | "cs" | "kt" => Some(IncludeSyntax::ByName),
        _ => by_first_line(text.lines().next()?.strip_prefix("#!")?),
    }
}

fn by_first_line(interpreter: &str) -> Option<IncludeSyntax> {
    let named = |name: &str| interpreter.contains(name);
    let script = named("python").then_some(IncludeSyntax::Python);
    script.or_else(|| named("node").then_some(IncludeSyntax::JavaScript))
}

/// Names in quotes and angle brackets of preprocessor lines, and includes of the assembler.
fn by_c(home: &Path, text: &str) -> Vec<PathBuf> {
    let text = text.replace("\\\r\n", "").replace("\\\n", "");
    let lines = text.lines().filter(|line| {
        let line = line.trim_start();
        line.starts_with('#') || line.starts_with("%:") || line.contains(".incbin")
    });
    let names = lines.flat_map(|line| {
        find_quoted(line, &['"'])
            .into_iter()
            .chain(text_between(line, '<', '>'))
    });
    names
        .flat_map(|name| [home.join(name), PathBuf::from(name)])
        .collect()
}

fn by_python(home: &Path, text: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let joined = text
        .replace("\\\r\n", " ")
        .replace("\\\n", " ")
        .replace("from.", "from .");
    for statement in joined.split(['\n', ';']) {
        found.extend(python_import(home, statement));
    }
    for call in ["__import__", "import_module"] {
        for after in joined.split(call).skip(1) {
            let name = after
                .lines()
                .next()
                .and_then(|line| find_quoted(line, &['"', '\'']).first().copied());
            found.extend(
                name.into_iter()
                    .flat_map(|name| find_modules(home, name, &[])),
            );
        }
    }
    found
}

/// `import a.b as c, d` and `from .a import b, c`, at any place in a line. Of names in parentheses
/// only those of the first line are used; whole packages need no more.
fn python_import(home: &Path, statement: &str) -> Vec<PathBuf> {
    let words: Vec<&str> = statement
        .split(|c: char| c.is_whitespace() || "(),:".contains(c))
        .filter(|w| !w.is_empty())
        .collect();
    let Some(at) = words.iter().position(|word| *word == "import") else {
        return Vec::new();
    };
    let names = &words[at + 1..];
    match at
        .checked_sub(2)
        .and_then(|from| (words[from] == "from").then_some(words[at - 1]))
    {
        Some(module) => find_modules(home, module, names),
        None => names
            .iter()
            .flat_map(|name| find_modules(home, name, &[]))
            .collect(),
    }
}

/// The files of a module, of the packages that contain it, and of its parts with these names.
fn find_modules(home: &Path, dotted: &str, parts: &[&str]) -> Vec<PathBuf> {
    let name = dotted.trim_start_matches('.');
    let up = dotted.len() - name.len();
    let mut folder = if up == 0 {
        PathBuf::new()
    } else {
        home.to_owned()
    };
    (1..up).for_each(|_| folder.push(".."));
    let mut found = Vec::new();
    let mut module = |folder: &Path, name: &str| {
        let files = [".py", ".so", ".abi3.so"].map(|ending| folder.join(format!("{name}{ending}")));
        found.extend(files);
        found.push(folder.join(name).join("__init__.py"));
    };
    for part in name.split('.').filter(|part| !part.is_empty()) {
        module(&folder, part);
        folder.push(part);
    }
    parts.iter().for_each(|part| module(&folder, part));
    found
}

/// Every word may be a class of the same package; classes of other packages are named in full, or
/// by a star.
fn by_java(home: &Path, text: &str) -> Vec<PathBuf> {
    let words = java::split_words(text);
    let mut folders = vec![home.to_owned()];
    let mut found = Vec::new();
    for (at, _) in words
        .iter()
        .enumerate()
        .filter(|(_, word)| *word == "import")
    {
        let name = words[at + 1..]
            .iter()
            .take_while(|word| *word != ";" && *word != "import");
        let path: PathBuf = name
            .filter(|word| *word != "." && *word != "static")
            .collect();
        if path.ends_with("*") {
            folders.extend(path.parent().map(Path::to_owned));
        } else {
            found.extend([
                path.with_extension("java"),
                path.parent().map(java_file).unwrap_or_default(),
            ]);
        }
    }
    let mut names: Vec<&String> = words.iter().filter(|word| is_name(word)).collect();
    names.sort_unstable();
    names.dedup();
    let of_folder = |folder: &PathBuf| {
        names
            .iter()
            .map(|name| folder.join(format!("{name}.java")))
            .collect()
    };
    found.extend(
        folders
            .iter()
            .flat_map(|folder| -> Vec<PathBuf> { of_folder(folder) }),
    );
    found
}

fn java_file(class: &Path) -> PathBuf {
    class.with_extension("java")
}

fn is_name(word: &str) -> bool {
    word.chars().all(is_of_name)
}

fn is_of_name(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_' || letter == '$'
}

/// Quoted paths that begin with a dot; and the file that defines the kind of all modules.
fn by_javascript(home: &Path, text: &str) -> Vec<PathBuf> {
    const ENDINGS: [&str; 8] = [
        "",
        ".js",
        ".mjs",
        ".cjs",
        ".json",
        "/index.js",
        ".ts",
        "/index.ts",
    ];
    let texts = text
        .lines()
        .flat_map(|line| find_quoted(line, &['"', '\'', '`']));
    let names = texts.filter(|name| name.starts_with("./") || name.starts_with("../"));
    let files = names.flat_map(|name| ENDINGS.map(|ending| home.join(format!("{name}{ending}"))));
    files.chain([PathBuf::from("package.json")]).collect()
}

/// `mod name;`, and quoted paths in lines with `include` or `path`.
fn by_rust(file: &Path, text: &str) -> Vec<PathBuf> {
    let home = file.parent().unwrap_or(Path::new(""));
    let folders = [home.to_owned(), file.with_extension("")];
    let mut found = Vec::new();
    for line in text.lines() {
        let name = line
            .split_once("mod ")
            .and_then(|(_, rest)| rest.split(';').next())
            .map(str::trim);
        if let Some(name) = name.filter(|name| is_name(name)) {
            let in_folder = |folder: &PathBuf| {
                [
                    folder.join(format!("{name}.rs")),
                    folder.join(name).join("mod.rs"),
                ]
            };
            found.extend(folders.iter().flat_map(in_folder));
        }
        if line.contains("include") || line.contains("path") {
            found.extend(
                find_quoted(line, &['"'])
                    .into_iter()
                    .map(|name| home.join(name)),
            );
        }
    }
    found
}

/// Every word that ends as the file does, as `leitai_kob.go`.
fn by_name(file: &Path, text: &str) -> Vec<PathBuf> {
    let home = file.parent().unwrap_or(Path::new(""));
    let words = text.split(|c: char| !(is_of_name(c) || matches!(c, '.' | '-' | '/')));
    let words = words.map(|word| word.trim_end_matches('.'));
    words
        .filter(|word| is_path(word) && Path::new(word).extension() == file.extension())
        .map(|word| home.join(word))
        .collect()
}

/// The texts between quotes of one kind in a line.
fn find_quoted<'a>(line: &'a str, quotes: &[char]) -> Vec<&'a str> {
    quotes
        .iter()
        .flat_map(|quote| line.split(*quote).skip(1).step_by(2))
        .filter(|name| is_path(name))
        .collect()
}

fn text_between(line: &str, open: char, close: char) -> Option<&str> {
    line.split_once(open)?
        .1
        .split_once(close)
        .map(|(name, _)| name)
        .filter(|name| is_path(name))
}

/// Whether the text can be a path: not empty, and not longer than systems allow.
fn is_path(name: &str) -> bool {
    !name.is_empty() && name.len() < 1024 && !name.contains('\0') && !name.starts_with('/')
}

/// The path without `.` and, where that is possible, without `..`.
fn without_dots(path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if clean.file_name().is_some() => {
                clean.pop();
            }
            part => clean.push(part),
        }
    }
    clean
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(file: &str, text: &str, expected: &[&str]) {
        let named = named_by(Path::new(file), text);
        for path in expected {
            assert!(
                named.contains(&PathBuf::from(path)),
                "{file}: {path} is not in {named:?}"
            );
        }
    }

    #[test]
    fn names_of_files_are_found_in_each_language() {
        check(
            "a.cpp",
            "# include \"x/b.h\" // c\n#include <d.hpp>\n",
            &["x/b.h", "d.hpp"],
        );
        check(
            "x/b.h",
            "#include \"../e.h\"\n#define H \"f.h\"",
            &["e.h", "x/f.h", "f.h"],
        );
        check(
            "a.c",
            "#include \\\n \"b.h\"\n__asm__(\".incbin \\\"w\\\"\");",
            &["b.h"],
        );
        check(
            "a.py",
            "import os, b as c; import d.e\n",
            &["b.py", "d/__init__.py", "d/e.py"],
        );
        check(
            "a.py",
            "from b import (c,\n d)\ntry: import e\n",
            &["b.py", "b/c.py", "e.py"],
        );
        check(
            "p/a.py",
            "from .b import c\nfrom . import d\nfrom ..e import f",
            &["p/b.py", "p/d.py", "e.py"],
        );
        check(
            "a.py",
            "m = __import__('b')\nimportlib.import_module(\"c.d\")",
            &["b.py", "c/d.py"],
        );
        check("bot", "#!/usr/bin/env python3\nimport b", &["b.py"]);
        check(
            "Bot.java",
            "import u.V; import static s.T.t; import w.*; class Bot { Say s; }",
            &["u/V.java", "s/T.java", "w/Say.java", "Say.java"],
        );
        check(
            "a.js",
            "const b = require('./b'); import('./c/d.mjs')",
            &["b.js", "c/d.mjs", "package.json"],
        );
        check(
            "a.rs",
            "pub mod b;\nstatic W: &[u8] = include_bytes!(\"w.bin\");",
            &["b.rs", "a/b.rs", "w.bin"],
        );
        check("a.ts", "import { b } from './b'", &["b.ts"]);
        check(
            "a.go",
            "// With: leitai_b.go, c.go.",
            &["leitai_b.go", "c.go"],
        );
        check("x/a.kt", "// With b.kt", &["x/b.kt"]);
        check("a.rs", "#[path = \"x/y.rs\"]\nmod z;", &["x/y.rs"]);
    }

    #[test]
    fn names_that_lead_out_keep_their_dots() {
        check("a.cpp", "#include \"../b.h\"", &["../b.h"]);
        assert_eq!(
            named_by(Path::new("a.cpp"), "#include \"/etc/passwd\""),
            Vec::<PathBuf>::new()
        );
        assert_eq!(
            named_by(Path::new("notes.txt"), "import b"),
            Vec::<PathBuf>::new()
        );
    }
}
