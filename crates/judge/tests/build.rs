//! Builds of everything that an author may submit, with the real compilers of this machine.

use leitai_game::{Host, Text};
use leitai_judge::build::Tool;
use leitai_judge::build::companions::copy_with_includes;
use leitai_judge::build::{
    BuildCache, BuildError, BuildLimits, Builder, BuiltProgram, ProgramSource, SourceBounds,
    build_source, runtime, unzip,
};
use leitai_sandbox::{ExitReason, Sandbox, StdioKind, UntrustedFolder};
use std::fs;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::time::Duration;
use zip::write::SimpleFileOptions;

use crate::table::cells;

const HELLO_C: &str = "#include <stdio.h>\nint main(void) { puts(\"hello\"); return 0; }\n";
const HELLO_CPP: &str = "#include <iostream>\nint main() { std::cout << \"hello\\n\"; }\n";
const HELLO_JAVA: &str =
    "public class Bot { public static void main(String[] a) { System.out.println(\"hello\"); } }";
const GCC_CPP: &str = "g++ -O2 -std=c++17";
const RUSTC: &str = "rustc -O --edition 2021";
const HELLO_PY: &str = "print('hello')\n";
const HELLO_RS: &str = "fn main() { println!(\"hello\"); }\n";
const CMAKE: &str =
    "cmake_minimum_required(VERSION 3.10)\nproject(b CXX)\nadd_executable(thing thing.cpp)\n";

#[test]
fn a_single_file_of_each_language_builds_and_says_hello() {
    let typescript =
        "import * as os from 'os';\nconst said: string = os.EOL && 'hello';\nconsole.log(said);\n";
    let module = "import 'fs'; console.log('hello')";
    let (java, node): (&[Tool], &[Tool]) = (&[Tool::JAVAC, Tool::JAVA], &[Tool::NODE]);
    let rows: [(&str, &str, &[Tool], &str); 10] = [
        ("bot.py", HELLO_PY, &[Tool::PYTHON], "python3"),
        ("bot.cpp", HELLO_CPP, &[Tool::CXX], GCC_CPP),
        ("bot.cc", HELLO_CPP, &[Tool::CXX], GCC_CPP),
        ("bot.c", HELLO_C, &[Tool::CC], "gcc -O2 -std=gnu17"),
        ("lower case.java", HELLO_JAVA, java, "javac"),
        ("bot.js", "console.log('hello')", node, "node"),
        ("bot.mjs", module, node, "node"),
        ("bot.rs", HELLO_RS, &[Tool::RUSTC], RUSTC),
        ("-c.py", HELLO_PY, &[Tool::PYTHON], "python3"),
        ("bot.ts", typescript, &[Tool::TSC, Tool::NODE], "tsc"),
    ];
    for (name, text, tools, how) in rows {
        Workspace::with(&[(name, text)]).says_hello(name, tools, how);
    }
}

/// Sources for Botzone include JsonCpp as that site has it; a machine without it says what to install. One that
/// brings its own is built with that.
#[test]
fn a_source_for_botzone_finds_jsoncpp() {
    const SOURCE: &str = "#include <iostream>\n#include \"jsoncpp/json.h\"\nint main() { Json::Value hello = \"hello\"; \
         std::cout << hello.asString() << std::endl; }\n";
    const OWN: &str = "#include <string>\nnamespace Json { struct Value { const char *text; Value(const char *text) : \
         text(text) {} std::string asString() const { return text; } }; }\n";
    let own = [("bot.cpp", SOURCE), ("jsoncpp/json.h", OWN)];
    Workspace::with(&own).says_hello("bot.cpp", &[Tool::CXX], GCC_CPP);
    let alone = Workspace::with(&[("bot.cpp", SOURCE)]);
    if Path::new("/usr/include/jsoncpp/json/json.h").exists() {
        alone.says_hello("bot.cpp", &[Tool::CXX], GCC_CPP);
        return;
    }
    let said = alone.build("bot.cpp").expect_err("it lacks").to_string();
    assert!(said.ends_with("apt-get install libjsoncpp-dev"), "{said}");
}

/// Their compilers are large: `./dev test --long` installs them.
const LARGE: [(&str, &str, &[Tool], &str); 3] = [
    (
        "bot.go",
        "package main\nimport \"fmt\"\nfunc main() { fmt.Println(\"hello\") }\n",
        &[Tool::GO],
        "go build",
    ),
    (
        "bot.cs",
        "class Bot { static void Main() { System.Console.WriteLine(\"hello\"); } }\n",
        &[Tool::MCS, Tool::MONO],
        "mcs",
    ),
    (
        "bot.kt",
        "fun main() = println(\"hello\")\n",
        &[Tool::KOTLINC, Tool::JAVA],
        "kotlinc",
    ),
];

mod long {
    use super::*;

    #[test]
    #[ignore = "compilers of 200 MB; ./dev long"]
    fn go_csharp_and_kotlin_build_as_files_and_as_folders() {
        for (name, text, tools, how) in LARGE {
            let ending = name.trim_start_matches("bot");
            let (file, other) = (format!("b/main{ending}"), format!("b/beside{ending}"));
            let half = match ending {
                ".go" => "package main\nfunc word() string { return \"hello\" }\n",
                ".cs" => "static class Beside { public const string Word = \"hello\"; }\n",
                _ => "fun word() = \"hello\"\n",
            };
            let uses = text.replace(
                "\"hello\"",
                match ending {
                    ".cs" => "Beside.Word",
                    _ => "word()",
                },
            );
            let named = format!("// with beside{ending}\n{uses}");
            let folder = [(&*file, &*uses), (&*other, half)];
            for (files, what) in [
                (&[(name, text)][..], name),
                (&folder, "b"),
                (&[(&*file, &*named), (&*other, half)], &*file),
                (
                    &[
                        folder[0],
                        folder[1],
                        ("b/go.mod", "module bot\n\ngo 1.19\n"),
                    ],
                    "b",
                ),
            ] {
                let built = Workspace::with(files).says_hello(what, tools, how);
                assert!(
                    built.is_some(),
                    "{what} {ending} was not built: ./dev test --long installs what it needs"
                );
            }
            let wrong = text.replace("hello", "hello\" 1 \"");
            Workspace::with(&[(name, &*wrong)]).fails(name, &[name]);
        }
    }
}

#[test]
fn the_first_build_recipe_of_a_folder_wins() {
    let (make, cmake) = (
        &[Tool::MAKE, Tool::CC],
        &[Tool::CMAKE, Tool::CXX, Tool::MAKE],
    );
    let (x, thing) = (("x.c", HELLO_C), ("thing.cpp", HELLO_CPP));
    let first = ("Makefile", "main: x.c\n\tcc -o main x.c\n");
    check_folder(&[first, x, ("main.py", "")], make, "make");
    let second = ("makefile", "all:\n\tcc -o out/thing x.c\n");
    check_folder(&[second, x, ("out/k", "")], make, "make");
    let idle = ("Makefile", "all:\n\techo nothing\n");
    check_folder(
        &[idle, ("main.py", HELLO_PY)],
        &[Tool::MAKE],
        "make, python3",
    );
    let list = ("CMakeLists.txt", CMAKE);
    check_folder(&[list, thing, ("main.py", "")], cmake, "cmake");
    let made = ("Makefile", "# CMAKE generated file: DO NOT EDIT!\n");
    let stale = ["CMakeCache.txt", "build/CMakeCache.txt"].map(|name| (name, "old"));
    check_folder(&[made, list, stale[0], stale[1], thing], cmake, "cmake");
    let python = [("main.py", HELLO_PY), ("main.js", "")];
    check_folder(&python, &[Tool::PYTHON], "python3");
    let main = ("main.js", "console.log(require('./a').a)");
    check_folder(
        &[main, ("a.js", "exports.a='hello'")],
        &[Tool::NODE],
        "node",
    );
    check_folder(&[("main.c", HELLO_C)], &[Tool::CC], "gcc -O2 -std=gnu17");
    let cpp = [
        ("a.cpp", "void f(); int main() { f(); }"),
        ("b.cpp", "#include <cstdio>\nvoid f() { puts(\"hello\"); }"),
    ];
    check_folder(&cpp, &[Tool::CXX], GCC_CPP);
}

#[test]
fn java_folders_find_the_class_with_the_main() {
    let tools = &[Tool::JAVAC, Tool::JAVA];
    let say = "class Say { static String word() { return \"hello\"; } }";
    let main = "package p.q; /* class Y { static void main */\n// class Wrong { static void main\nclass Z { class In {} public static final void \
        main(String... a) { System.out.println(\"hel\" + 'l' + \"o\"); } }";
    check_folder(&[("Z.java", main), ("main.cpp", "")], tools, "javac");
    let uses = "public class Main { public static void main(String[] a) { System.out.println(Say.word()); } }";
    check_folder(&[("Main.java", uses), ("Say.java", say)], tools, "javac");
}

#[test]
fn cargo_folders_build() {
    let manifest = "[package]\nname = \"b\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
    let files = [("Cargo.toml", manifest), ("src/main.rs", HELLO_RS)];
    check_folder(&files, &[Tool::CARGO], "cargo build --release");
}

fn check_folder(files: &[(&str, &str)], tools: &[Tool], how: &str) {
    let workspace = Workspace::with(&[]);
    for (name, text) in files {
        workspace.write(&format!("bot/{name}"), text);
    }
    workspace.says_hello("bot", tools, how);
}

/// A compiled program names the files that it was made from, but opens its data.
#[test]
fn sources_of_an_executable_are_not_left_behind() {
    let workspace = Workspace::with(&[
        ("bot", "\u{7f}ELF\0main.c\0helper.h\0weights.bin\0"),
        ("main.c", ""),
        ("helper.h", ""),
        ("weights.bin", ""),
    ]);
    workspace.chmod("bot", 0o755);
    let path = workspace.at("bot");
    let to = tempfile::tempdir().expect("a folder");
    let copied = copy_with_includes(&path, to.path(), &[], SourceBounds::PROGRAM);
    let (_, notes) = copied.expect("it is copied");
    assert_eq!(notes.len(), 1);
    check_note(&notes, "left behind: weights.bin: only");
}

#[test]
fn an_executable_runs_alone_in_a_copy() {
    let workspace = Workspace::with(&[
        ("tool", "#!/bin/sh\nls; cat data.txt\n"),
        ("data.txt", "hello\n"),
    ]);
    for mode in [0o644, 0o755] {
        workspace.chmod("tool", mode);
        let built = workspace.build("tool").expect("it is a program");
        assert_eq!(names_in(&built.program.dir), ["tool"]);
        check_note(&built.notes, "left behind: data.txt: only what");
        let after = fs::metadata(workspace.at("tool")).expect("it is there");
        let after = after.permissions().mode() & 0o777;
        assert_eq!(after, mode, "the author's file is unchanged");
    }
}

#[test]
fn a_folder_with_an_executable_main_has_its_files() {
    let workspace = Workspace::with(&[
        ("b/main", "#!/bin/sh\ncat data.txt\n"),
        ("b/data.txt", "hello\n"),
    ]);
    workspace.says_hello("b", &[], "as it is");
}

/// A `#!` line names an interpreter in the system's folders or one that the judge itself found. No
/// `#!` line of a stranger makes another folder readable.
#[test]
fn an_interpreter_line_never_makes_a_folder_readable() {
    let python = runtime::ToolRuntime::find_runtime(Tool::PYTHON).expect("python3 is needed");
    let refused = [
        ("/srv/../bin/sh", "`..`"),
        ("/opt/..", "`..`"),
        ("/var/../bin/sh -x", "`..`"),
        ("/etc/../bin/sh", "`..`"),
        ("/usr/../bin/sh", "`..`"),
        ("../bin/sh", "`..`"),
        (" \t/srv/../bin/sh", "`..`"),
        ("/usr/bin/env /srv/../bin/sh", "`..`"),
        ("/usr/bin/env -i A=b /srv/../bin/sh", "`..`"),
        ("/usr/bin/env -S /srv/../bin/sh -x", "`..`"),
        ("/usr/bin/env -S/srv/../bin/sh", "`..`"),
        ("/usr/bin/env --split-string=/srv/../bin/sh", "`..`"),
        ("/bin/env ../sh", "`..`"),
        ("/srv/bin/sh", "outside"),
        ("/srv", "outside"),
        ("/", "outside"),
        ("/home/somebody/bin/sh", "outside"),
        ("/proc/self/root/bin/sh", "outside"),
        ("/tmp/bin/sh\0/usr", "outside"),
        ("/usr2/bin/sh", "outside"),
        ("/usr/bin/env /root/.ssh/id", "outside"),
        ("/tmp/\u{1b}]52;c;x\u{7}", "outside"),
        ("/usr/bin/no-such-thing", "not on this machine"),
        ("/usr/lib", "not a program"),
        ("/bin/sh\r", "carriage return"),
    ];
    let workspace = Workspace::with(&[]);
    let script = workspace.0.path().join("script");
    let folder = UntrustedFolder::open(workspace.0.path()).expect("it is there");
    let of_script = || runtime::of_script(&folder, Path::new("script"));
    let write = |text: &str| fs::write(&script, text).expect("writable");
    for (line, why) in refused {
        write(&format!("#!{line}\necho\n"));
        let said = of_script().expect_err(line).to_string();
        let is_told = said.contains(why) && said.contains("script cannot be run");
        assert!(is_told, "{line:?}: {said}");
        assert!(!said.contains(char::is_control), "{line:?}: {said:?}");
    }
    let own = workspace.0.path().join("venv/bin/python");
    let own = own.to_str().expect("it is text");
    let found = python.file.to_str().expect("it is text");
    let allowed = [
        ("/bin/sh", None),
        (" /bin/sh -e", None),
        ("/usr/bin/env sh", None),
        ("/usr/bin/env -S no-such-thing -x", None),
        ("interpreter", None),
        ("", None),
        (own, None),
        ("/usr/bin/env python3", Some(&python)),
        ("/usr/bin/env -S python3 -u", Some(&python)),
        ("/usr/bin/env -Spython -u", Some(&python)),
        (found, (!python.reads.is_empty()).then_some(&python)),
    ];
    for (line, runtime) in allowed {
        write(&format!("#!{line}\necho\n"));
        let given = of_script().expect(line);
        assert_eq!(given.as_ref(), runtime, "{line:?}");
    }
    write("no first line\n");
    assert_eq!(of_script().expect("no script is no error"), None);
    let nothing = runtime::of_script(&folder, Path::new("nothing"));
    assert_eq!(nothing.expect("there is no script"), None);
}

#[test]
fn a_shared_folder_is_never_a_program() {
    for shared in [
        "/", "/srv", "/opt", "/etc", "/var", "/var/lib", "/var/tmp", "/home", "/home/x", "/tmp",
        "/proc/1", "/usr/lib", "/dev/shm",
    ] {
        assert!(runtime::is_shared(Path::new(shared)), "{shared}");
    }
    let home = PathBuf::from(std::env::var_os("HOME").expect("a home"));
    assert!(runtime::is_shared(&home) && runtime::is_shared(&home.join(".local")));
    for own in ["/srv/bots/a", "/opt/node", "/home/x/bot", "/var/tmp/x"] {
        assert!(!runtime::is_shared(Path::new(own)), "{own}");
    }
}

#[test]
fn a_path_with_dots_is_the_same_program() {
    let workspace = Workspace::with(&[("x/tool", "#!/bin/sh\necho hello\n"), ("y/z", "")]);
    workspace.chmod("x/tool", 0o755);
    workspace.says_hello("y/../x/tool", &[], "as it is");
}

#[test]
fn a_source_takes_along_what_it_includes_and_nothing_else() {
    let workspace = Workspace::with(&[
        (
            "a.cpp",
            "#include \"lib/b.h\"\n// the rival's: rival.cpp, w.txt\nint main() { hi(); }\n",
        ),
        (
            "lib/b.h",
            "#include \"c.h\"\n#include <d.h>\ninline void hi() { puts(TEXT); }\n",
        ),
        ("lib/c.h", "#include <cstdio>\n"),
        ("d.h", "#define TEXT \"hello\"\n"),
        ("rival.cpp", "secret"),
        ("w.txt", "secret"),
        ("unnamed.txt", "secret"),
    ]);
    let Some(built) = workspace.says_hello("a.cpp", &[Tool::CXX], GCC_CPP) else {
        return;
    };
    assert_eq!(
        names_in(&built.program.dir),
        ["a.cpp", "d.h", "leitai-bot", "lib"]
    );
    assert_eq!(names_in(&built.program.dir.join("lib")), ["b.h", "c.h"]);
    assert_eq!(built.notes.len(), 1);
    check_note(&built.notes, "left behind: rival.cpp, w.txt: only what");
}

#[test]
fn scripts_and_classes_take_along_what_they_import() {
    let check = |name: &str, files: &[(&str, &str)], tools: &[Tool], how: &str| {
        let workspace = Workspace::with(files);
        workspace.write("rival.py", "secret");
        workspace.write("Rival.java", "class Rival { int secret }");
        let Some(built) = workspace.says_hello(name, tools, how) else {
            return;
        };
        let names = names_in(&built.program.dir);
        let came = names.concat().to_lowercase().contains("rival");
        assert!(!came, "{names:?}");
    };
    let sub = "from .other import WORD\nfrom helper import say\n";
    let rest = [
        ("pkg/__init__.py", ""),
        ("pkg/other.py", "WORD = 'hello'"),
        ("helper.py", "say = print"),
    ];
    let main = "import sys\nfrom pkg import sub\nsub.say(sub.WORD)\n";
    let [init, other, helper] = rest;
    let files = [("a.py", main), ("pkg/sub.py", sub), init, other, helper];
    check("a.py", &files, &[Tool::PYTHON], "python3");
    let script = "#!/usr/bin/env python3\nimport helper\nhelper.say('hello')\n";
    let files = [("tool", script), helper];
    check("tool", &files, &[Tool::PYTHON], "as it is");
    let uses = "public class A { public static void main(String[] a) { System.out.println(Say.word()); } }";
    let say = "class Say { static String word() { return \"hello\"; } }";
    let files = [("A.java", uses), ("Say.java", say)];
    check("A.java", &files, &[Tool::JAVAC, Tool::JAVA], "javac");
    let js = [
        ("a.js", "console.log(require('./lib/w').w)"),
        ("lib/w.js", "exports.w = 'hello'"),
    ];
    check("a.js", &js, &[Tool::NODE], "node");
    let rs = [
        ("a.rs", "mod w;\nfn main() { println!(\"{}\", w::W); }"),
        ("w.rs", "pub const W: &str = \"hello\";"),
    ];
    check("a.rs", &rs, &[Tool::RUSTC], RUSTC);
}

#[test]
fn no_entrants_program_comes_along_with_anothers() {
    let workspace = Workspace::with(&[
        ("a.py", "import b, pkg.c\n"),
        ("b.py", "secret"),
        ("pkg/c.py", "secret"),
        ("a.cpp", "#include \"b.cpp\"\nint main() {}\n"),
        ("b.cpp", "secret"),
        ("d/main.py", "import old\n"),
        ("d/old.py", "secret"),
    ]);
    let others =
        ["a.py", "b.py", "b.cpp", "pkg", "d/old.py", "gone.py"].map(|name| workspace.at(name));
    let build = |name: &str| {
        let sandbox = Sandbox::without_isolation();
        let source = ProgramSource::detect_path(&workspace.at(name), &[])?;
        Builder {
            others: &others,
            ..Builder::new(&sandbox)
        }
        .build_source(&source, &workspace.work(), &[])
    };
    let built = build("a.py").expect("Python is not built");
    let why = "another entrant's program, which nobody else may read";
    assert_eq!(built.notes, [format!("left behind: b.py, pkg/c.py: {why}")]);
    assert_eq!(names_in(&built.program.dir), ["a.py"]);
    let built = build("d").expect("Python is not built");
    assert_eq!(names_in(&built.program.dir), ["main.py"]);
    check_note(&built.notes, "left behind: old.py: another");
    if Tool::CXX.find_command().is_ok() {
        let said = build("a.cpp")
            .expect_err("what it includes is not there")
            .to_string();
        assert!(
            said.contains("left behind: b.cpp: another entrant's") && !said.contains("secret"),
            "{said}"
        );
    }
}

#[test]
fn files_outside_the_folder_of_a_source_are_not_copied() {
    let workspace = Workspace::with(&[
        ("x/a.py", "import link\n"),
        ("x/a.cpp", "#include \"../o.h\"\nint main() {}"),
        ("o.h", ""),
    ]);
    symlink(workspace.at("o.h"), workspace.at("x/link.py")).expect("a link");
    let built = workspace.build("x/a.py").expect("Python is not built");
    assert_eq!(names_in(&built.program.dir), ["a.py"]);
    check_note(&built.notes, "left behind: link.py: outside the folder");
    if Tool::CXX.find_command().is_ok() {
        workspace.fails(
            "x/a.cpp",
            &["left behind: ../o.h: outside the folder", "No such file"],
        );
    }
}

#[test]
fn an_archive_is_unpacked_and_a_single_folder_in_it_entered() {
    for prefix in ["", "mybot/", "我的 bot/"] {
        let workspace = Workspace::with(&[]);
        workspace.zip(&[
            (&format!("{prefix}main.py"), "print(open('w').read())"),
            (&format!("{prefix}w"), "hello"),
        ]);
        workspace.says_hello("bot.zip", &[Tool::PYTHON], "python3");
    }
    let workspace = Workspace::with(&[]);
    workspace.zip(&[
        ("b\\main.py", HELLO_PY),
        ("__MACOSX/b/._main.py", ""),
        (".DS_Store", ""),
    ]);
    workspace.says_hello("bot.zip", &[Tool::PYTHON], "python3");
}

#[test]
fn archives_keep_the_x_bit() {
    let workspace = Workspace::with(&[]);
    let script = SimpleFileOptions::default().unix_permissions(0o755);
    workspace.zip_with(|zip| {
        zip.start_file("configure", script)?;
        zip.write_all(b"#!/bin/sh\necho 'print(\"hello\")' > main.py\n")?;
        zip.start_file("Makefile", SimpleFileOptions::default())?;
        Ok(zip.write_all(b"all:\n\t./configure\n")?)
    });
    workspace.says_hello("bot.zip", &[Tool::MAKE, Tool::PYTHON], "make, python3");
}

/// An archive from Windows has no x bits: what the kernel runs gets them, and nothing else.
#[test]
fn programs_in_archives_without_x_bits_can_be_run() {
    let workspace = Workspace::with(&[]);
    workspace.zip(&[
        ("engine", "#!/bin/sh\necho hello\n"),
        ("notes", "no program"),
        (
            "main.py",
            "import os, subprocess\nassert not os.access('notes', os.X_OK)\nsubprocess.run('./engine', check=True)\n",
        ),
    ]);
    workspace.says_hello("bot.zip", &[Tool::PYTHON], "python3");
}

/// What is not copied from a folder is not looked at in an archive.
#[test]
fn virtual_environments_in_archives_are_left_out() {
    let workspace = Workspace::with(&[]);
    workspace.zip_with(|zip| {
        let plain = SimpleFileOptions::default();
        zip.add_symlink("b/env/bin/python3", "/usr/bin/python3", plain)?;
        zip.start_file("b/env/pyvenv.cfg", plain)?;
        zip.start_file("b/main.py", plain)?;
        Ok(zip.write_all(HELLO_PY.as_bytes())?)
    });
    let built = workspace.says_hello("bot.zip", &[Tool::PYTHON], "python3");
    if let Some(built) = built {
        assert!(!built.program.dir.join("env").exists());
    }
}

/// In a folder or an archive, as alone, the only script is the bot, whatever its name.
#[test]
fn the_only_script_of_a_folder_may_have_any_name() {
    for name in ["Main.py", "viper.py", "VIPER.PY"] {
        let workspace = Workspace::with(&[(&format!("b/{name}"), HELLO_PY), ("b/map.txt", "")]);
        workspace.zip(&[(name, HELLO_PY), ("map.txt", "")]);
        workspace.says_hello("b", &[Tool::PYTHON], "python3");
        workspace.says_hello("bot.zip", &[Tool::PYTHON], "python3");
    }
    let workspace = Workspace::with(&[
        ("two/a.py", HELLO_PY),
        ("two/b.py", HELLO_PY),
        ("b/Main.py", HELLO_PY),
        ("b/other.py", ""),
        ("UPPER.PY", HELLO_PY),
    ]);
    workspace.fails("two", &["there is a.py, b.py"]);
    workspace.says_hello("b", &[Tool::PYTHON], "python3");
    workspace.says_hello("UPPER.PY", &[Tool::PYTHON], "python3");
}

#[test]
fn archives_of_other_methods_are_refused_with_their_name() {
    let workspace = Workspace::with(&[]);
    workspace.zip_with(|zip| {
        let stored =
            SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
        zip.start_file("main.py", stored)?;
        Ok(zip.write_all(HELLO_PY.as_bytes())?)
    });
    let path = workspace.at("bot.zip");
    let mut bytes = fs::read(&path).expect("it was written");
    // The method stands in the head of the file and in the list at the end.
    let listed = bytes.windows(4).position(|window| window == b"PK\x01\x02");
    let listed = listed.expect("an archive has a list");
    (bytes[8], bytes[listed + 10]) = (12, 12);
    fs::write(&path, bytes).expect("writable");
    workspace.fails(
        "bot.zip",
        &["by the method 12 (bzip2); only deflate", "zip -r bot.zip"],
    );
}

#[test]
fn archives_that_reach_outside_are_refused() {
    let (deep, long) = (format!("{}x", "d/".repeat(32)), "n".repeat(300));
    for (name, words) in [
        ("../evil", "leads out"),
        ("a/../../evil", "leads out"),
        ("a\\..\\..\\evil", "leads out"),
        ("/tmp/evil", "absolute"),
        ("C:\\evil", "absolute"),
        (&deep, "32 folders inside each other"),
        (&long, "too long a name"),
        ("main.py/x", "clashes with another"),
        ("./main.py", "clashes with another"),
    ] {
        let workspace = Workspace::with(&[]);
        workspace.zip(&[("main.py", ""), (name, "x")]);
        workspace.fails("bot.zip", &[words]);
        let left = names_in(&workspace.work());
        assert!(left.is_empty(), "{name}: the work folder is empty");
    }
}

#[test]
fn links_in_archives_are_refused() {
    let workspace = Workspace::with(&[]);
    workspace
        .zip_with(|zip| zip.add_symlink("main.py", "/etc/passwd", SimpleFileOptions::default()));
    workspace.fails("bot.zip", &["\"main.py\" is a link"]);
}

#[test]
fn archives_are_limited_by_their_unpacked_size() {
    let workspace = Workspace::with(&[]);
    workspace.zip_with(|zip| {
        zip.start_file("zeros", SimpleFileOptions::default())?;
        for _ in 0..100 {
            zip.write_all(&[0; 1 << 20])?;
        }
        Ok(())
    });
    assert!(
        fs::metadata(workspace.at("bot.zip"))
            .expect("written")
            .len()
            < 1 << 20
    );
    workspace.fails("bot.zip", &["zeros", "more than 64 MiB"]);
    // The same with a header that claims one byte: the size stands at offset 24 of the central
    // entry and at 22 of the local one.
    let path = workspace.at("bot.zip");
    let mut bytes = fs::read(&path).expect("written");
    for (mark, offset) in [(b"PK\x01\x02", 24), (b"PK\x03\x04", 22)] {
        let at = bytes
            .windows(4)
            .rposition(|four| four == mark)
            .expect("a header")
            + offset;
        bytes[at..at + 4].copy_from_slice(&1_u32.to_le_bytes());
    }
    fs::write(&path, bytes).expect("writable");
    workspace.fails("bot.zip", &["cannot be unpacked"]);
}

#[test]
fn archives_whose_entries_overlap_are_refused() {
    let workspace = Workspace::with(&[]);
    let names: Vec<String> = (10..30).map(|n| n.to_string()).collect();
    let large: String = (0..2000).map(|n| n.to_string()).collect();
    let texts = std::iter::once(large.as_str()).chain(std::iter::repeat("x"));
    let files: Vec<(&str, &str)> = names.iter().map(String::as_str).zip(texts).collect();
    workspace.zip(&files);
    // Every central entry gets the checksum and sizes (offset 16) and the archive offset (offset
    // 42) of the first one.
    let path = workspace.at("bot.zip");
    let mut bytes = fs::read(&path).expect("written");
    let centrals: Vec<usize> = (0..bytes.len() - 4)
        .filter(|at| bytes[*at..].starts_with(b"PK\x01\x02"))
        .collect();
    for at in &centrals[1..] {
        bytes.copy_within(centrals[0] + 16..centrals[0] + 28, at + 16);
        bytes.copy_within(centrals[0] + 42..centrals[0] + 46, at + 42);
    }
    fs::write(&path, bytes).expect("writable");
    workspace.fails("bot.zip", &["its entries overlap"]);
}

#[test]
fn archives_of_too_many_entries_are_refused() {
    let workspace = Workspace::with(&[]);
    let names: Vec<String> = (0..40).map(|n| format!("{n}/x")).collect();
    let files: Vec<(&str, &str)> = names.iter().map(|name| (&**name, "")).collect();
    workspace.zip(&files);
    workspace.exceeds("bot.zip", "more than 60 files", |bounds| bounds.files = 60);
}

#[test]
fn broken_archives_are_refused() {
    let workspace = Workspace::with(&[
        ("cut.zip", "PK\u{3}\u{4} and then nothing"),
        ("text.zip", "hello"),
    ]);
    workspace.fails("cut.zip", &["cannot be unpacked", "zip -r"]);
    workspace.fails("text.zip", &["cannot be unpacked"]);
    workspace.zip(&[("main.py", HELLO_PY)]);
    let path = workspace.at("bot.zip");
    let mut bytes = fs::read(&path).expect("written");
    bytes[40] ^= 0xff;
    fs::write(&path, bytes).expect("writable");
    workspace.fails("bot.zip", &["cannot be unpacked"]);
}

#[test]
fn folders_are_bounded_too() {
    let workspace = Workspace::with(&[("b/main.py", HELLO_PY), ("b/deep/er/x", "")]);
    workspace.exceeds("b", "more than 10 bytes", |bounds| bounds.bytes = 10);
    workspace.exceeds("b", "more than 3 files", |bounds| bounds.files = 3);
    let folders = "more than 2 folders inside each other";
    workspace.exceeds("b", folders, |bounds| bounds.depth = 2);
}

#[test]
fn links_of_a_folder_stay_inside() {
    let workspace = Workspace::with(&[
        ("b/main.py", "print(open('link/w').read())"),
        ("b/real/w", "hello"),
        ("out", ""),
    ]);
    symlink(workspace.at("b/real"), workspace.at("b/link")).expect("a link");
    symlink("nowhere", workspace.at("b/dangling")).expect("a link");
    let built = workspace
        .says_hello("b", &[], "python3")
        .expect("no tools asked for");
    let note = &built.notes[0];
    assert!(note.contains("dangling leads nowhere"), "{note}");
    let copied = fs::read_link(built.program.dir.join("link")).expect("a link");
    assert!(copied.starts_with(&built.program.dir), "{copied:?}");
    symlink("../out", workspace.at("b/outside")).expect("a link");
    workspace.fails(
        "b",
        &["outside", "leads outside", "put the file itself there"],
    );
}

#[test]
fn special_files_and_caches_are_not_copied() {
    let workspace = Workspace::with(&[
        ("b/main.py", HELLO_PY),
        ("b/.git/x", ""),
        ("b/t/CACHEDIR.TAG", ""),
        ("b/v/pyvenv.cfg", ""),
    ]);
    let built = workspace
        .says_hello("b", &[], "python3")
        .expect("no tools asked for");
    assert_eq!(names_in(&built.program.dir), ["main.py"]);
    let _socket = std::os::unix::net::UnixListener::bind(workspace.at("b/s")).expect("a socket");
    workspace.fails("b", &["\"s\" is not a regular file"]);
}

#[test]
fn pipes_are_not_waited_for() {
    let workspace = Workspace::with(&[("b/notes.txt", "")]);
    let make_pipe = |name: &str| {
        let (kind, mode) = (rustix::fs::FileType::Fifo, rustix::fs::Mode::RWXU);
        let path = workspace.at(name);
        rustix::fs::mknodat(rustix::fs::CWD, path, kind, mode, 0).expect("made");
    };
    let names = "Makefile main.py Bot.js Main.java a.cpp main a.exe";
    names
        .split(' ')
        .for_each(|name| make_pipe(&format!("b/{name}")));
    make_pipe("bot.py");
    for (name, said) in [
        ("b", "nothing in"),
        ("bot.py", "is neither a program nor source"),
    ] {
        let refused = ProgramSource::detect_path(&workspace.at(name), &HOSTS);
        let refused = refused.expect_err(name).to_string();
        assert!(refused.contains(said), "{name}: {refused}");
    }
}

#[test]
fn a_copy_inside_the_folder_does_not_copy_itself() {
    let workspace = Workspace::with(&[("main.py", HELLO_PY)]);
    let source = ProgramSource::detect_path(&workspace.src(), &[]).expect("main.py");
    let built = build_source(
        &source,
        &workspace.at("work"),
        &BuildLimits::default(),
        &[],
        &Sandbox::without_isolation(),
    )
    .expect("it builds");
    assert_eq!(names_in(&built.program.dir), ["main.py"]);
}

/// A test host of no game: it takes files with a marker, copies the bot's text in its build, and
/// prints hello with it.
const PARROT: Host = Host {
    name: "parrot",
    about: Text::new("says what it is told", ""),
    accepts: |name, text| name.ends_with(".js") && text.contains("for the parrot"),
    files: &[(
        "build.sh",
        "grep -q hello \"$1\" || { echo \"$1:1: says nothing\"; exit 1; }; cp \"$1\" \"$2/text\"",
    )],
    build: &[&["sh", "{host}/build.sh", "{src}", "{host}"]],
    run: &["sh", "-c", "grep -o hello {host}/text"],
    tools: &[("sh", "dash")],
    protocol: "feathers",
    config: &[],
};
static HOSTS: [Host; 1] = [PARROT];

#[test]
fn a_source_that_a_host_takes_is_built_and_run_by_it() {
    let bot = "// hello, for the parrot\n// leitai: dialect=other\n";
    let check = |name: &str, files: &[(&str, &str)], hosts: &'static [Host], is_taken: bool| {
        let workspace = Workspace::with(files);
        let made = workspace.build_for(name, hosts);
        let taken = made.as_ref().ok().filter(|built| built.host.is_some());
        let expected = is_taken.then(|| "parrot feathers".to_owned());
        assert_eq!(taken.map(run_words), expected, "{name}: {made:?}");
    };
    check("a b.js", &[("a b.js", bot)], &HOSTS, true);
    check("-b.js", &[("-b.js", bot)], &HOSTS, true);
    check("a.js", &[("a.js", bot)], &[], false);
    check("a.js", &[("a.js", "// hello")], &HOSTS, false);
    check("d", &[("d/a.js", "// nothing")], &HOSTS, false);
    for (other, of_other, is_taken) in [
        ("d/z.js", "// hello", true),
        ("d/a.js", "// for the parrot", true),
        ("d/main.py", HELLO_PY, false),
    ] {
        let files = [(other, of_other), ("d/bot.js", bot)];
        check("d", &files, &HOSTS, is_taken);
    }
}

fn run_words(built: &BuiltProgram) -> String {
    // The work folder has a blank and quotes in its name: no shell interprets the words of a host's
    // command.
    for (word, end) in [(0, "/sh"), (2, "/host/text")] {
        let word = built.program.argv[word].to_string_lossy();
        assert!(word.ends_with(end), "{}", built.program);
    }
    format!(
        "{} {}",
        built.host.unwrap_or_default(),
        built.protocol.as_deref().unwrap_or_default()
    )
}

#[test]
fn the_output_of_a_host_is_shown() {
    let workspace = Workspace::with(&[("a.js", "// for the parrot")]);
    let said = workspace
        .build_for("a.js", &HOSTS)
        .expect_err("it says nothing")
        .to_string();
    assert!(said.contains("a.js:1: says nothing"), "{said}");
    assert_eq!(
        names_in(&workspace.work()),
        Vec::<String>::new(),
        "the work folder is empty"
    );
}

#[test]
fn a_host_whose_tools_are_missing_names_the_package() {
    static BARE: [Host; 1] = [Host {
        tools: &[("sh", "dash"), ("squawk-9", "parrot-tools")],
        ..PARROT
    }];
    let workspace = Workspace::with(&[("a.js", "// hello, for the parrot")]);
    let error = workspace
        .build_for("a.js", &BARE)
        .expect_err("there is no such tool");
    assert_eq!(
        error.to_string(),
        "squawk-9 is needed but not installed: apt-get install parrot-tools"
    );
    assert!(error.is_infrastructure_error());
}

#[test]
fn the_output_of_a_compiler_is_shown() {
    let workspace = Workspace::with(&[
        ("a.cpp", "int main() { return nonsense; }"),
        ("b.c", "int f(void) { return 1; }"),
    ]);
    workspace.fail_rows(
        "
a.cpp | `g++ -O2 | failed with exit code 1 | nonsense | not declared | build again
b.c | undefined reference to `main'
",
    );
    let fails = "all:\n\t@echo first; echo second >&2; exit 3\n";
    workspace.write("c/Makefile", fails);
    workspace.fails("c", &["`make` failed with exit code 2:\nfirst\nsecond\n"]);
}

#[test]
fn a_build_that_makes_nothing_says_so() {
    let workspace = Workspace::with(&[
        ("b/Makefile", "all:\n\t@echo done\n"),
        ("d/Bot.java", "class Bot {}"),
        ("J.java", "class J {}"),
    ]);
    let left = "make succeeded but left no program:\ndone\n";
    workspace.fails("b", &[left, "called `main`"]);
    workspace.fails("d", &["nothing in", "Bot.java"]);
    workspace.fails("J.java", &["no class in J.java has a `static void main`"]);
    let said = workspace.build_for("J.java", &HOSTS).expect_err("no main");
    assert!(
        said.to_string()
            .ends_with("; this game also takes says what it is told"),
        "{said}"
    );
}

#[test]
fn a_build_that_loops_is_stopped_with_its_children() {
    let workspace = Workspace::with(&[(
        "b/Makefile",
        "all:\n\t@echo begun; sh -c 'while :; do :; done' & while :; do :; done\n",
    )]);
    let limits = BuildLimits {
        cpu: Duration::from_millis(300),
        ..BuildLimits::default()
    };
    let error = workspace.build_with("b", &limits).expect_err("it loops");
    assert!(
        matches!(&error, BuildError::TimedOut { log, .. } if log == "begun\n"),
        "{error}"
    );
    assert!(
        error.to_string().contains(" of CPU time of 300 ms") && !error.is_infrastructure_error(),
        "{error}"
    );
}

#[test]
fn a_build_that_sleeps_is_stopped_by_wall_time() {
    let workspace = Workspace::with(&[("b/Makefile", "all:\n\t@sleep 1000\n")]);
    let limits = BuildLimits {
        wall: Duration::from_millis(200),
        ..BuildLimits::default()
    };
    let error = workspace.build_with("b", &limits).expect_err("it sleeps");
    // A machine so busy that it withholds four times the limit causes an infrastructure error.
    let said = error.to_string();
    assert!(
        said.contains(" of 200 ms, computing ")
            || error.is_infrastructure_error() && said.contains("busy"),
        "{said}"
    );
}

#[test]
fn a_build_without_isolation_is_not_kept() {
    let workspace = Workspace::with(&[("a.c", HELLO_C)]);
    let (cache, sandbox) = (
        BuildCache::open_folder(&workspace.work().join("cache")).expect("our own"),
        Sandbox::without_isolation(),
    );
    let source = ProgramSource::detect_path(&workspace.at("a.c"), &[]).expect("a source");
    for _ in 0..2 {
        let builder = Builder {
            cache: Some(&cache),
            ..Builder::new(&sandbox)
        };
        let Ok(built) = builder.build_source(&source, &workspace.work(), &[]) else {
            return;
        };
        assert!(!built.kept && names_in(&workspace.work().join("cache")).is_empty());
    }
}

#[test]
fn a_folder_that_others_may_change_keeps_nothing() {
    let workspace = Workspace::with(&[("file", "")]);
    let check = |mode: u32, good: bool| {
        let folder = workspace.work().join("cache");
        fs::create_dir_all(&folder).expect("a folder");
        fs::set_permissions(&folder, fs::Permissions::from_mode(mode)).expect("our own");
        let opened = BuildCache::open_folder(&folder);
        assert_eq!(opened.is_ok(), good, "{mode:o}: {opened:?}");
    };
    check(0o700, true);
    check(0o755, true);
    check(0o777, false);
    check(0o770, false);
    symlink(
        workspace.work().join("cache"),
        workspace.work().join("link"),
    )
    .expect("a link");
    let refused = BuildCache::open_folder(&workspace.work().join("link"))
        .expect_err("a link may lead anywhere")
        .to_string();
    assert!(
        refused.contains("builds are not kept") && refused.contains("LEITAI_CACHE"),
        "{refused}"
    );
    assert!(BuildCache::open_folder(&workspace.at("file")).is_err());
}

#[test]
fn a_build_with_much_output_is_read_to_its_end() {
    let workspace = Workspace::with(&[("b/main.py", HELLO_PY)]);
    workspace.write(
        "b/Makefile",
        "all:\n\t@echo first; head -c 10000000 /dev/zero | tr '\\0' x; echo last\n",
    );
    let built = workspace.build("b").expect("it builds");
    assert!(built.log.starts_with("first\nxxx") && built.log.ends_with("xxxlast\n"));
    assert!(
        built.log.contains("[9934475 bytes left out]"),
        "{}",
        &built.log[32_700..32_900]
    );
    assert!(built.log.len() < 66_000);
}

#[test]
fn a_compiler_that_swallows_memory_is_stopped() {
    let workspace = Workspace::with(&[("a.c", "#include \"/dev/zero\"\n")]);
    let mut limits = BuildLimits::default();
    limits.process.memory = Some(100 << 20);
    limits.cpu = Duration::from_secs(5);
    // Without isolation the memory limit is generous; on a slow machine the time limit comes first.
    let error = workspace
        .build_with("a.c", &limits)
        .expect_err("it reads for ever");
    assert!(
        matches!(
            error,
            BuildError::Failed { .. } | BuildError::TimedOut { .. }
        ),
        "{error}"
    );
}

#[test]
fn the_program_is_found_among_what_make_left() {
    let rows: [(&str, &str); 5] = [
        ("cc -o main x.c; cc -o zzz y.c", "main"),
        ("cc -o bot x.c; cc -o zzz y.c", "bot"),
        ("cc x.c; cc -o zzz y.c", "a.out"),
        (
            "cc -o helper y.c; touch -d 2001-01-01 helper; cc -o mine x.c",
            "mine",
        ),
        (
            "cc -o mine x.c; cc -shared -fPIC -o libx.so x.c; mkdir CMakeFiles; cc -o CMakeFiles/main y.c",
            "mine",
        ),
    ];
    for (commands, program) in rows {
        let workspace = Workspace::with(&[
            ("b/x.c", HELLO_C),
            ("b/y.c", "int main(void) { return 1; }"),
        ]);
        workspace.write("b/Makefile", &format!("all:\n\t{commands}\n"));
        let Some(built) = workspace.says_hello("b", &[Tool::MAKE, Tool::CC], "make") else {
            return;
        };
        assert_eq!(
            built.program.argv,
            [built.program.dir.join(program)],
            "{commands}"
        );
    }
}

#[test]
fn the_program_that_make_built_replaces_an_old_one() {
    let workspace = Workspace::with(&[("b/x.c", HELLO_C), ("b/main", "#!/bin/sh\necho old\n")]);
    workspace.chmod("b/main", 0o755);
    workspace.write("b/Makefile", "bot: x.c\n\tcc -o bot x.c\n");
    workspace.says_hello("b", &[Tool::MAKE, Tool::CC], "make");
    workspace.write("b/Makefile", "all:\n");
    workspace.write("b/main", "#!/bin/sh\necho hello\n");
    workspace.says_hello("b", &[Tool::MAKE], "make");
}

#[test]
fn files_mistaken_for_bots_get_a_hint() {
    let workspace = Workspace::with(&[
        ("bot.exe", "MZ\u{0}"),
        ("bot.tar.gz", "\u{1f}"),
        ("bot.swift", "print(1)"),
        ("bot.jar", "PK\u{3}\u{4}"),
        ("bot.rb", "puts 1"),
        ("g/main.swift", "print(1)"),
        ("j/Bot.java", "class Bot { int move() { return 0; } }"),
        ("input.py", "print(open('input.txt').read())"),
    ]);
    fs::write(workspace.at("renamed"), b"MZ\x90\0").expect("writable");
    fs::write(workspace.at("packed"), b"\x1f\x8b\x08\0").expect("writable");
    let mips = [b"\x7fELF\x02\x01\x01", &[0; 9][..], &[2, 0, 8, 0]].concat();
    fs::write(workspace.at("mips"), mips).expect("writable");
    for name in ["bot.exe", "renamed", "bot.swift", "bot.jar"] {
        workspace.chmod(name, 0o755);
    }
    workspace.fail_rows(
        "
bot.exe | is a Windows program | give its source
renamed | is a Windows program
bot.tar.gz | an archive, but not a zip | unpack it
packed | an archive, but not a zip
bot.swift | is in a language that is not built here
bot.jar | compiled already | .java
bot.rb | #!/usr/bin/env
mips | another kind of processor
g | nothing in | main.swift is in a language
j | nothing in | Bot.java has no class with a `static void main`
",
    );
    let built = workspace.build("input.py").expect("Python is not built");
    assert!(built.names_input_file);
}

#[test]
fn a_refused_source_lists_the_accepted_kinds() {
    let workspace = Workspace::with(&[
        ("notes.txt", "hi"),
        ("b/readme.md", ""),
        ("empty/x/main.py", ""),
        ("mybot.py", ""),
    ]);
    fs::create_dir(workspace.at("void")).expect("writable");
    workspace.fail_rows(
        "
notes.txt | neither a program nor source | an executable, a source file (.py .cpp
b | there is readme.md | Makefile, CMakeLists.txt, main.py
empty | there is x | not into a folder inside it
void | there is nothing at all
mybto.py | there is no | did you mean mybot.py?
MYBOT | did you mean mybot.py?
unlike | there is no | give an executable
no/such | not even the folder | ls
notes.txt/x | cannot look at
",
    );
}

#[test]
fn a_missing_tool_is_named_with_its_package() {
    let error = Tool::JAVAC
        .find_in("/no/such/folder".as_ref())
        .expect_err("it is not there");
    assert_eq!(
        error.to_string(),
        "javac is needed but not installed: apt-get install default-jdk"
    );
    assert!(
        error.is_infrastructure_error()
            && !BuildError::NotAProgram { path: "x".into() }.is_infrastructure_error()
    );
}

#[test]
fn the_dialect_marker_counts_in_the_first_20_lines() {
    let marker = "# leitai: protocol=json-lines, as in the manual\n";
    check_marker(marker, Some("json-lines"));
    check_marker(&format!("{}{marker}", "#\n".repeat(19)), Some("json-lines"));
    check_marker(&format!("{}{marker}", "#\n".repeat(20)), None);
    check_marker("# leitai: protocol=\n", None);
    check_marker(&format!("# leitai: protocol={}\n", "a".repeat(33)), None);
}

fn check_marker(text: &str, expected: Option<&str>) {
    let workspace = Workspace::with(&[
        ("a.py", text),
        ("b/main.py", text),
        ("s", &format!("#!/bin/sh\n{}", &text[2..])),
    ]);
    for name in ["a.py", "b"] {
        assert_eq!(
            workspace
                .build(name)
                .expect("it builds")
                .protocol
                .as_deref(),
            expected,
            "{name}: {text}"
        );
    }
}

/// A folder with an author's files, whose name has spaces and Chinese characters, and a folder to
/// build in.
struct Workspace(tempfile::TempDir);

impl Workspace {
    fn with(files: &[(&str, &str)]) -> Workspace {
        let workspace = Workspace(tempfile::tempdir().expect("a folder"));
        fs::create_dir_all(workspace.src()).expect("writable");
        fs::create_dir_all(workspace.work()).expect("writable");
        files
            .iter()
            .for_each(|(name, text)| workspace.write(name, text));
        workspace
    }

    /// A path in the folder of the sources.
    fn at(&self, name: &str) -> PathBuf {
        self.src().join(name)
    }

    fn src(&self) -> PathBuf {
        self.0.path().join("源 码 'x'")
    }

    fn work(&self) -> PathBuf {
        self.0.path().join("工 作")
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.at(name);
        fs::create_dir_all(path.parent().expect("inside src")).expect("writable");
        fs::write(path, text).expect("writable");
    }

    fn chmod(&self, name: &str, mode: u32) {
        fs::set_permissions(self.at(name), fs::Permissions::from_mode(mode)).expect("our file");
    }

    fn zip(&self, files: &[(&str, &str)]) {
        self.zip_with(|zip| {
            for (name, text) in files {
                zip.start_file(*name, SimpleFileOptions::default())?;
                zip.write_all(text.as_bytes())?;
            }
            Ok(())
        });
    }

    fn zip_with(
        &self,
        fill: impl FnOnce(&mut zip::ZipWriter<fs::File>) -> zip::result::ZipResult<()>,
    ) {
        let mut zip = zip::ZipWriter::new(fs::File::create(self.at("bot.zip")).expect("writable"));
        fill(&mut zip).expect("it can be written");
        zip.finish().expect("it can be written");
    }

    fn build(&self, name: &str) -> Result<BuiltProgram, BuildError> {
        self.build_with(name, &BuildLimits::default())
    }

    fn build_with(&self, name: &str, limits: &BuildLimits) -> Result<BuiltProgram, BuildError> {
        self.build_as(name, limits, &[])
    }

    /// The same as a program of a game with these hosts.
    fn build_for(&self, name: &str, hosts: &'static [Host]) -> Result<BuiltProgram, BuildError> {
        self.build_as(name, &BuildLimits::default(), hosts)
    }

    fn build_as(
        &self,
        name: &str,
        limits: &BuildLimits,
        hosts: &'static [Host],
    ) -> Result<BuiltProgram, BuildError> {
        build_source(
            &ProgramSource::detect_path(&self.at(name), hosts)?,
            &self.work(),
            limits,
            hosts,
            &Sandbox::without_isolation(),
        )
    }

    /// Asserts that the build fails with these words within other bounds.
    fn exceeds(&self, name: &str, words: &str, change: impl FnOnce(&mut SourceBounds)) {
        let mut limits = BuildLimits::default();
        change(&mut limits.bounds);
        let error = self.build_with(name, &limits).expect_err("too much");
        assert!(error.to_string().contains(words), "{error}");
    }

    /// Builds and runs the program, and asserts that nothing was written beside the source; `None`
    /// if a tool is missing.
    fn says_hello(&self, name: &str, tools: &[Tool], how: &str) -> Option<BuiltProgram> {
        if let Some(missing) = tools.iter().find_map(|tool| tool.find_command().err()) {
            println!("skipped {name}: {missing}");
            return None;
        }
        let before = listing(&self.src());
        if name.ends_with(".zip") {
            self.looked_at(name)
                .unwrap_or_else(|error| panic!("{name}: {error}"));
        }
        let built = self
            .build(name)
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(run(&built), "hello\n", "{name}");
        assert_eq!(built.how, how, "{name}");
        assert_eq!(
            listing(&self.src()),
            before,
            "{name}: something was written into the source folder"
        );
        Some(built)
    }

    /// Asserts that the build fails with these words and leaves no file.
    fn fails(&self, name: &str, words: &[&str]) {
        let said = self.refused(name);
        for word in words {
            assert!(said.contains(word), "{name}: {word:?} is not in: {said}");
        }
    }

    /// The same of rows: `name | words | words`.
    fn fail_rows(&self, rows: &str) {
        cells(rows).for_each(|row| self.fails(row[0], &row[1..]));
    }

    fn refused(&self, name: &str) -> String {
        let before = names_in(&self.work());
        let said = self.build(name).expect_err(name).to_string();
        assert_eq!(names_in(&self.work()), before, "{name}");
        if name.ends_with(".zip") {
            // The check of an archive before it is unpacked refuses it with the same message.
            assert_eq!(self.looked_at(name).expect_err(name).to_string(), said);
        }
        said
    }

    fn looked_at(&self, name: &str) -> Result<(), BuildError> {
        let path = self.at(name);
        unzip::check_archive(
            &fs::read(&path).expect("it was written"),
            &path,
            SourceBounds::FOLDER,
        )
    }
}

fn run(built: &BuiltProgram) -> String {
    let mut child = Sandbox::without_isolation()
        .spawn_program(&built.program, StdioKind::Separate)
        .expect("it starts");
    let exit = child
        .wait_for(Duration::from_secs(60))
        .expect("our own child");
    let (out, err) = (read_all(child.stdout.take()), read_all(child.stderr.take()));
    assert_eq!(exit, Some(ExitReason::Code(0)), "{}: {err}", built.program);
    out
}

/// Reads to the end of the pipe. The end can come a moment after the program's: a child forked by
/// another test holds the pipe until its `exec`.
fn read_all(pipe: Option<OwnedFd>) -> String {
    let pipe = pipe.expect("a pipe");
    rustix::io::ioctl_fionbio(&pipe, false).expect("it is open");
    let mut text = String::new();
    fs::File::from(pipe)
        .read_to_string(&mut text)
        .expect("it is text");
    text
}

/// The first of these notes begins so.
#[track_caller]
fn check_note(notes: &[String], start: &str) {
    assert!(notes[0].starts_with(start), "{notes:?}");
}

fn names_in(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).expect("a folder").flatten();
    let mut names: Vec<String> = entries
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort_unstable();
    names
}

/// Every file with its size and modification time.
fn listing(dir: &Path) -> Vec<(PathBuf, u64, std::time::SystemTime)> {
    let mut all = Vec::new();
    for entry in fs::read_dir(dir).expect("a folder").flatten() {
        let meta = entry.metadata().expect("it is there");
        if meta.is_dir() {
            all.extend(listing(&entry.path()));
        }
        all.push((entry.path(), meta.len(), meta.modified().expect("a time")));
    }
    all.sort_unstable();
    all
}
