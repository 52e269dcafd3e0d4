//! Recognises files that no judge can run, and advises what to submit instead.

use super::language::is_program_text;
use std::path::Path;

/// The kind of a file and the advice, if the file is often mistaken for a bot.
///
/// ```
/// use leitai_judge::build::unsupported::advise_unsupported;
/// let advice = advise_unsupported("bot.exe".as_ref(), b"MZ");
/// assert!(advice.is_some_and(|advice| advice.is.contains("Windows")));
/// assert!(advise_unsupported("bot".as_ref(), b"\x7fELF").is_none());
/// ```
pub fn advise_unsupported(path: &Path, start: &[u8]) -> Option<UnsupportedFile> {
    let name = path
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .to_lowercase();
    let by_content = CONTENTS
        .iter()
        .find(|(mark, _)| start.starts_with(mark))
        .map(|(_, advice)| *advice);
    if by_content.is_some() {
        return by_content;
    }
    if is_program_text(start) {
        return other_machine(start, std::env::consts::ARCH);
    }
    let is_one_of = |endings: &[&str]| {
        endings.iter().any(|ending| {
            name.strip_suffix(ending)
                .is_some_and(|stem| stem.ends_with('.'))
        })
    };
    ENDINGS
        .iter()
        .find(|(endings, _)| is_one_of(endings))
        .map(|(_, advice)| *advice)
}

/// A description and advice for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnsupportedFile {
    /// The kind of the file, to be printed after its name.
    pub is: &'static str,
    /// The next step.
    pub next: &'static str,
}

const WINDOWS: UnsupportedFile = UnsupportedFile {
    is: "is a Windows program, which does not run here",
    next: "give its source (.cpp, .c, …), or a folder with all of it; it is built here",
};
const MAC: UnsupportedFile = UnsupportedFile {
    is: "is a program for macOS, which does not run here",
    next: "give its source (.cpp, .c, …), or a folder with all of it; it is built here",
};
const ARCHIVE: UnsupportedFile = UnsupportedFile {
    is: "is an archive, but not a zip",
    next: "unpack it and give the folder, or pack it with zip -r bot.zip mybot",
};
const CLASSES: UnsupportedFile = UnsupportedFile {
    is: "is Java that is compiled already",
    next: "give the .java files; or a folder with it and an executable file main: #!/bin/sh and \
        exec java -jar NAME.jar (or java -cp . CLASS)",
};
const BYTES: UnsupportedFile = UnsupportedFile {
    is: "is compiled Python",
    next: "give the .py file that it was made from",
};
const OBJECT: UnsupportedFile = UnsupportedFile {
    is: "is a part of a program, not a whole one",
    next: "give the source, or the program that the linker made of it",
};
const MACHINE: UnsupportedFile = UnsupportedFile {
    is: "is a program for another kind of processor",
    next: "give its source, or build it for this machine",
};
const COMPILED: UnsupportedFile = UnsupportedFile {
    is: "is in a language that is not built here",
    next: "build it into one program and give that; or give a folder with a Makefile that builds one called main",
};
const SCRIPT: UnsupportedFile = UnsupportedFile {
    is: "is in a language whose interpreter is not started here",
    next: "name the interpreter in its first line (#!/usr/bin/env …) and make it executable: chmod +x",
};
const NOTEBOOK: UnsupportedFile = UnsupportedFile {
    is: "is a notebook, not a program",
    next: "save it as a script: jupyter nbconvert --to script NAME.ipynb",
};
const HEADER: UnsupportedFile = UnsupportedFile {
    is: "is a header, not a program",
    next: "give the .cpp or .c file that includes it; the header comes along",
};

const CONTENTS: [(&[u8], UnsupportedFile); 12] = [
    (b"MZ", WINDOWS),
    (b"\xcf\xfa\xed\xfe", MAC),
    (b"\xce\xfa\xed\xfe", MAC),
    (b"\xfe\xed\xfa\xcf", MAC),
    (b"\xca\xfe\xba\xbe", CLASSES),
    (b"\x1f\x8b", ARCHIVE),
    (b"BZh", ARCHIVE),
    (b"\xfd7zXZ", ARCHIVE),
    (b"7z\xbc\xaf", ARCHIVE),
    (b"Rar!", ARCHIVE),
    (b"\x28\xb5\x2f\xfd", ARCHIVE),
    (b"!<arch>", OBJECT),
];

const ENDINGS: [(&[&str], UnsupportedFile); 9] = [
    (&["exe", "bat", "cmd", "msi", "dll"], WINDOWS),
    (
        &["tar", "tgz", "gz", "bz2", "xz", "7z", "rar", "zst"],
        ARCHIVE,
    ),
    (&["jar", "class"], CLASSES),
    (&["pyc", "pyo"], BYTES),
    (&["o", "a", "so", "obj", "lib"], OBJECT),
    (
        &[
            "swift", "hs", "pas", "d", "zig", "nim", "scala", "f90", "ml", "vb",
        ],
        COMPILED,
    ),
    (&["rb", "lua", "pl", "php", "r", "sh", "jl"], SCRIPT),
    (&["ipynb"], NOTEBOOK),
    (&["h", "hpp", "hh"], HEADER),
];

/// ELF files that cannot run on a machine of this architecture; the type is at offset 16, the
/// machine at offset 18.
fn other_machine(start: &[u8], architecture: &str) -> Option<UnsupportedFile> {
    const PARTS: [u8; 2] = [1, 4];
    if !start.starts_with(b"\x7fELF") || start.len() < 20 {
        return None;
    }
    if PARTS.contains(&start[16]) {
        return Some(OBJECT);
    }
    // 32-bit programs of the same processor family run if the system has their libraries.
    let run: [u8; 2] = match architecture {
        "x86_64" => [62, 3],
        "aarch64" => [183, 40],
        _ => return None,
    };
    let runs = run.contains(&start[18]) && start[19] == 0;
    (!runs).then_some(MACHINE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_of_another_processor_are_named() {
        let (x86, i386, arm, arm32, mips) = (62, 3, 183, 40, 8);
        for (architecture, machine, kind, expected) in [
            ("x86_64", x86, 2, None),
            ("x86_64", i386, 2, None),
            ("x86_64", arm, 3, Some(MACHINE)),
            ("x86_64", arm32, 2, Some(MACHINE)),
            ("aarch64", arm, 3, None),
            ("aarch64", arm32, 2, None),
            ("aarch64", x86, 3, Some(MACHINE)),
            ("aarch64", i386, 2, Some(MACHINE)),
            ("aarch64", mips, 1, Some(OBJECT)),
            ("riscv64", mips, 2, None),
        ] {
            let file = [b"\x7fELF\x02\x01\x01", &[0; 9][..], &[kind, 0, machine, 0]].concat();
            let found = other_machine(&file, architecture);
            assert_eq!(found, expected, "{architecture}: {machine}, {kind}");
        }
    }
}
