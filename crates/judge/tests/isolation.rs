//! Whole bots, honest and hostile ones, from the submitted source to the program's output in the
//! sandbox: in every tier that this machine offers, without isolation, and once more as an ordinary
//! user. This binary is also its own helper process, so it has a `main` of its own.

use leitai_judge::build::Tool;
use leitai_judge::build::libraries::{Library, LibraryKind, LibraryList, LibrarySet, hash_of};
use leitai_judge::build::{
    BuildCache, BuildError, BuildLimits, Builder, BuiltProgram, ProgramSource, build_source,
    runtime,
};
use leitai_sandbox::{ExitReason, OwnedFolder, Sandbox, StdioKind, Tier};
use std::fs;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;
use zip::write::SimpleFileOptions;

/// Set when this binary runs once more as an ordinary user.
const AGAIN: &str = "LEITAI_TEST_AGAIN";
const SECRET: &str = "the secret of the host";

fn main() {
    leitai_sandbox::run_if_called();
    let sandboxes: Vec<Sandbox> = Tier::ALL.into_iter().filter_map(open).collect();
    for sandbox in &sandboxes {
        first_lines_show_nothing(sandbox);
        links_show_nothing(sandbox);
        leftovers_of_builds_are_not_opened(sandbox);
        dots_are_resolved(sandbox);
        scripts_find_their_runtimes(sandbox);
        java_has_room_for_a_pool(sandbox);
        compilers_of_kits_have_what_they_need(sandbox);
        libraries_are_found_and_held(sandbox);
        println!("tier {}: ok", sandbox.tier());
    }
    if rustix::process::geteuid().is_root() && std::env::var_os(AGAIN).is_none() {
        once_more_as_nobody();
    }
}

fn open(tier: Tier) -> Option<Sandbox> {
    match Sandbox::of_tier(Path::new("/proc/self/exe"), tier) {
        Ok(sandbox) => Some(sandbox),
        Err(why) => {
            // What hangs here may be our own fault, which must not pass for a machine without it.
            assert!(!why.why.contains("does not end"), "{why}");
            println!("skipped: {why}");
            None
        }
    }
}

/// A user of this process alone: without namespaces the kernel counts all processes of a user.
fn once_more_as_nobody() {
    let nobody = 65_000 + std::process::id() % 500;
    let folder = tempfile::tempdir().expect("a folder");
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).expect("our own");
    let (own, home) = (folder.path().join("isolation"), folder.path().join("home"));
    fs::copy(std::env::current_exe().expect("known"), &own).expect("copied");
    fs::create_dir(&home).expect("made");
    std::os::unix::fs::chown(&home, Some(nobody), Some(nobody)).expect("root may");
    let mut command = Command::new(own);
    command
        .env(AGAIN, "1")
        .env("HOME", &home)
        .env("PATH", "/usr/local/bin:/usr/bin:/bin");
    let status = command
        .current_dir(&home)
        .uid(nobody)
        .gid(nobody)
        .status()
        .expect("it starts");
    assert!(status.success(), "as an ordinary user: {status}");
}

/// Asserts that no submission reads the host's files by a `#!` line that leads outside.
fn first_lines_show_nothing(sandbox: &Sandbox) {
    if sandbox.tier() == Tier::None {
        return;
    }
    const LINES: [&str; 8] = [
        "/srv/../bin/sh",
        "/opt/../bin/sh -e",
        "/usr/bin/env /srv/../bin/sh",
        "/usr/bin/env -S /srv/../bin/sh -e",
        "/etc/../bin/sh",
        "/srv/bin/sh",
        "/usr/bin/no-such-interpreter",
        "/usr/lib",
    ];
    for line in LINES {
        let script = format!("#!{line}\n");
        let maker = format!("main:\n\tprintf '%s\\n' '#!{line}' > main\n\tchmod +x main\n");
        for (name, files) in [
            ("bot", vec![("bot", script.as_str())]),
            ("place/bot", vec![("place/bot", script.as_str())]),
            ("folder", vec![("folder/Makefile", maker.as_str())]),
            ("bot.zip", vec![("Makefile", maker.as_str())]),
        ] {
            let test = IsolationTest::with(name, &files);
            if name == "place/bot" {
                test.chmod(name);
            }
            match test.build(name, sandbox) {
                Err(error @ BuildError::Interpreter { .. }) => {
                    assert!(!error.is_infrastructure_error(), "{line} {name}: {error}")
                }
                other => panic!("tier {}: {line} {name}: {other:?}", sandbox.tier()),
            }
        }
    }
}

/// Asserts that a bot with an honest `#!` line, or none, does not read the host's files by links or
/// by their names.
fn links_show_nothing(sandbox: &Sandbox) {
    if sandbox.tier() == Tier::None {
        return;
    }
    let test = IsolationTest::with("", &[("secret", SECRET), ("bot/Makefile", ""), ("spy", "")]);
    let secret = test.path("secret");
    let look = format!(
        "cat {0} /proc/1/root{0} /proc/self/root{0} link 2>&1; ls {1} 2>&1; echo looked",
        secret.display(),
        test.path("").display()
    );
    test.write(
        "spy",
        &format!("#!/bin/sh\nln -s {} link\n{look}\n", secret.display()),
    );
    check_blind(&test, "spy", sandbox);
    let maker = format!(
        "main:\n\tln -s {0} link; ln -s {0} main.py; printf '#!/bin/sh\\n{look}\\n' > main; chmod +x main\n",
        secret.display()
    );
    test.write("bot/Makefile", &maker);
    check_blind(&test, "bot", sandbox);
    // A program that is itself a link is refused.
    test.write("bot/Makefile", "main:\n\tln -s /bin/sh main\n");
    assert!(
        matches!(
            test.build("bot", sandbox),
            Err(BuildError::NoProgram { .. })
        ),
        "tier {}",
        sandbox.tier()
    );
    fs::remove_file(test.path("bot/Makefile")).expect("our own");
    symlink(&secret, test.path("bot/main.py")).expect("made");
    assert!(
        matches!(test.build("bot", sandbox), Err(BuildError::BadEntry { .. })),
        "tier {}",
        sandbox.tier()
    );
}

/// Asserts that what a build leaves under the names that the judge looks at is neither waited for nor
/// read with the judge's rights: pipes, links, devices, and folders that are links.
fn leftovers_of_builds_are_not_opened(sandbox: &Sandbox) {
    let secret = format!("{SECRET}\nleitai: protocol=secret input.txt\n");
    let test = IsolationTest::with(
        "",
        &[
            ("secret/main.cpp", &secret),
            ("bot/src/main.cpp", "int main() {}\n"),
        ],
    );
    let place = test.path("secret");
    fs::set_permissions(place.join("main.cpp"), fs::Permissions::from_mode(0o600)).expect("ours");
    let lines = [
        "printf '\\043!/bin/sh\\necho hello\\n' > bot; chmod +x bot",
        "mkfifo main.cpp main.py build main leitai-bot; mkdir sub; mkfifo sub/Makefile",
        &format!("ln -s {}/main.cpp main.cc", place.display()),
        &format!("rm -r src; ln -s {} src", place.display()),
        "ln -s /dev/zero main.c; mknod a.out c 1 5 2>/dev/null || true",
    ];
    let makefile = lines.map(|line| format!("\t{line}\n")).concat();
    test.write("bot/Makefile", &format!("all:\n{makefile}"));
    let cache = BuildCache::open_folder(&test.work.folder_path().join("cache")).expect("ours");
    let builder = Builder {
        cache: Some(&cache),
        ..Builder::new(sandbox)
    };
    let source = ProgramSource::detect_path(&test.path("bot"), &[]).expect("a Makefile");
    let built = builder.build_source(&source, test.work.folder_path(), &[]);
    let built = built.unwrap_or_else(|error| panic!("tier {}: {error}", sandbox.tier()));
    assert_eq!(
        (built.names_input_file, built.protocol.as_deref()),
        (false, None)
    );
    let (_, out, err) = run(built, sandbox);
    assert_eq!(out, "hello\n", "tier {}: {err}", sandbox.tier());
    // Only a file of this folder counts as a script that nothing had to build.
    let look = format!("all:\n\tln -s {}/main.cpp main.py\n", place.display());
    test.write("bot/Makefile", &look);
    let refused = test.build("bot", sandbox);
    assert!(
        matches!(refused, Err(BuildError::NoProgram { .. })),
        "{refused:?}"
    );
}

fn check_blind(test: &IsolationTest, name: &str, sandbox: &Sandbox) {
    let built = test
        .build(name, sandbox)
        .unwrap_or_else(|error| panic!("{name}: {error}"));
    let (_, out, err) = run(built, sandbox);
    assert!(
        out.contains("looked") && !out.contains(SECRET),
        "tier {}: {name}: {out}{err}",
        sandbox.tier()
    );
}

fn dots_are_resolved(sandbox: &Sandbox) {
    let test = IsolationTest::with(
        "",
        &[("bot/run", "#!/bin/sh\necho hello\n"), ("other/x", "")],
    );
    test.chmod("bot/run");
    says_hello(&test, "other/../bot/run", sandbox);
}

fn scripts_find_their_runtimes(sandbox: &Sandbox) {
    let test = IsolationTest::with(
        "",
        &[
            ("sh", "#! /bin/sh -e\necho hello\n"),
            ("here/own", ""),
            ("here/sh", ""),
        ],
    );
    says_hello(&test, "sh", sandbox);
    for (tool, name, text) in [
        (
            Tool::PYTHON,
            "py",
            "#!/usr/bin/env python3\nprint('hello')\n",
        ),
        (
            Tool::PYTHON,
            "py-s",
            "#!/usr/bin/env -S python3 -u\nprint('hello')\n",
        ),
        (
            Tool::NODE,
            "js",
            "#!/usr/bin/env node\nconsole.log('hello')\n",
        ),
    ] {
        // In tier C the program of a root judge passes through the host's folders as another user.
        let closed = sandbox.tier() == Tier::C && rustix::process::geteuid().is_root();
        match runtime::ToolRuntime::find_runtime(tool) {
            Ok(found) if found.reads.is_empty() || !closed => {
                test.write(name, text);
                says_hello(&test, name, sandbox);
            }
            other => println!("skipped {name} in tier {}: {other:?}", sandbox.tier()),
        }
    }
}

/// Each thread of a Java program reserves a stack of 64 MiB, the virtual machine a few hundred MiB
/// more.
fn java_has_room_for_a_pool(sandbox: &Sandbox) {
    const POOL: &str = r#"
        import java.util.*;
        import java.util.concurrent.*;
        public class Main {
            public static void main(String[] words) throws Exception {
                CyclicBarrier all = new CyclicBarrier(64);
                ExecutorService pool = Executors.newFixedThreadPool(64);
                List<Future<Integer>> done = new ArrayList<>();
                for (int i = 0; i < 64; i++) done.add(pool.submit(() -> { all.await(); return 1; }));
                for (Future<Integer> one : done) one.get();
                pool.shutdown();
                byte[][] memory = new byte[150][];
                for (int i = 0; i < 150; i++) { memory[i] = new byte[1 << 20]; Arrays.fill(memory[i], (byte) 1); }
                System.out.println(memory[149][7] == 1 ? "hello" : "bad");
            }
        }"#;
    if Tool::JAVAC.find_command().is_err() {
        return println!("skipped: there is no javac");
    }
    let test = IsolationTest::with("", &[("Main.java", POOL)]);
    says_hello(&test, "Main.java", sandbox);
}

/// Set by `./dev test --long`, which installs all compilers of starter kits: none may be missing then.
const ALL_KITS: &str = "LEITAI_ALL_KITS";

/// Each program uses what its language brings, threads and 100 MiB of memory.
fn compilers_of_kits_have_what_they_need(sandbox: &Sandbox) {
    const TYPESCRIPT: &str = "
        import * as fs from 'fs';
        const all: Uint8Array[] = [];
        for (let i = 0; i < 100; i++) all.push(new Uint8Array(1 << 20).fill(1));
        console.log(fs.existsSync('main.ts') && all[99][7] === 1 ? 'hello' : 'bad');";
    const GO: &str = r#"package main
        import ("fmt"; "sync")
        func main() {
            var all [100][]byte
            var wait sync.WaitGroup
            for i := range all {
                wait.Add(1)
                go func(i int) {
                    all[i] = make([]byte, 1<<20)
                    for at := range all[i] { all[i][at] = 1 }
                    wait.Done()
                }(i)
            }
            wait.Wait()
            if all[99][7] == 1 { fmt.Println("hello") }
        }"#;
    const CSHARP: &str = r#"
        using System; using System.Collections.Generic; using System.Linq;
        class Bot { static void Main() {
            var all = new byte[100][];
            for (int i = 0; i < 100; i++) all[i] = Enumerable.Repeat((byte)1, 1 << 20).ToArray();
            var seen = new HashSet<(int, int)> { (1, 2) };
            if (all[99][7] == 1 && seen.Contains((1, 2))) Console.WriteLine("hello");
        } }"#;
    const KOTLIN: &str = r#"import kotlin.concurrent.thread
        fun main() {
            val all = arrayOfNulls<ByteArray>(100)
            (0..9).map { i -> thread { for (j in 0..9) all[i * 10 + j] = ByteArray(1 shl 20) { 1 } } }.forEach { it.join() }
            if (all[99]!![7] == 1.toByte()) println("hello")
        }"#;
    for (name, text, tool) in [
        ("main.ts", TYPESCRIPT, Tool::TSC),
        ("main.go", GO, Tool::GO),
        ("main.cs", CSHARP, Tool::MCS),
        ("main.kt", KOTLIN, Tool::KOTLINC),
    ] {
        let is_quick = tool == Tool::TSC;
        if !is_quick && std::env::var_os(ALL_KITS).is_none() {
            continue;
        }
        if is_quick && tool.find_command().is_err() {
            println!("skipped: there is no {}", tool.name);
            continue;
        }
        let start = std::time::Instant::now();
        let test = IsolationTest::with("", &[(name, text)]);
        if tool == Tool::MCS && sandbox.tier() == Tier::C {
            let refused = test
                .build(name, sandbox)
                .expect_err("Mono does not start there");
            assert!(refused.to_string().contains("use tier A or B"), "{refused}");
            continue;
        }
        says_hello(&test, name, sandbox);
        println!(
            "tier {}: {name}: {:.1} s",
            sandbox.tier(),
            start.elapsed().as_secs_f64()
        );
    }
}

/// Programs find the libraries of their language, read-only, and what is native in them is held as the
/// program is.
fn libraries_are_found_and_held(sandbox: &Sandbox) {
    const MODULE: &str = "import ctypes, os\nhere = os.path.dirname(__file__)\n\
        native = ctypes.CDLL(os.path.join(here, 'native.so'))\n\
        def writes():\n try: open(os.path.join(here, 'new'), 'w')\n except OSError: return False\n return True\n";
    const NATIVE: &str = "#include <sys/socket.h>\n#include <netinet/in.h>\n#include <unistd.h>\n\
        int reaches(int port) { struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port)};\n\
        to.sin_addr.s_addr = htonl(INADDR_LOOPBACK); int s = socket(AF_INET, SOCK_STREAM, 0);\n\
        int done = s >= 0 && connect(s, (struct sockaddr *) &to, sizeof to) == 0; close(s); return done; }\n";
    let place = tempfile::tempdir().expect("a folder");
    let (source, native) = (
        place.path().join("native.c"),
        place.path().join("native.so"),
    );
    fs::write(&source, NATIVE).expect("our own");
    let made = Command::new("cc")
        .args(["-shared", "-fPIC", "-o"])
        .arg(&native)
        .arg(&source)
        .status();
    if !made.is_ok_and(|status| status.success()) {
        return println!("skipped: there is no cc");
    }
    let wheel = packed(&[
        ("snakes/__init__.py", MODULE.as_bytes()),
        ("snakes/native.so", &fs::read(&native).expect("made")),
    ]);
    let pit = packed(&[
        ("package.json", b"{\"main\": \"pit.js\"}"),
        ("pit.js", b"exports.hello = 'hello'"),
    ]);
    let crate_files: [(&str, &[u8]); 2] = [
        (
            "Cargo.toml",
            b"[package]\nname = 'viper'\nversion = '0.1.0'\nedition = '2021'\n",
        ),
        (
            "src/lib.rs",
            b"pub fn hello() -> &'static str { \"hello\" }",
        ),
    ];
    let viper = packed(&crate_files);
    let packages = [
        (LibraryKind::Python, "snakes", "1.0", wheel),
        (LibraryKind::Java, "boa", "1.0", jar(place.path())),
        (LibraryKind::JavaScript, "pit", "1.0.0", pit),
        (LibraryKind::Rust, "viper", "0.1.0", viper),
    ];
    let listed = packages.iter().map(|(kind, name, version, bytes)| Library {
        kind: *kind,
        name: (*name).to_owned(),
        version: (*version).to_owned(),
        sha256: hash_of(bytes),
        size: bytes.len() as u64,
        origin: Some(hash_of(b"the crate")),
    });
    let list = LibraryList {
        libraries: listed.collect(),
    };
    let bytes_of = |one: &Library| {
        packages
            .iter()
            .find(|package| package.1 == one.name)
            .map(|package| package.3.clone())
    };
    let set = LibrarySet::unpack(list, |one| bytes_of(one).ok_or("no such package"));
    let set = Arc::new(set.expect("they are sound"));
    // The canary: only a program without a sandbox reaches it.
    let canary = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = canary.local_addr().expect("it has one").port();
    let python = format!(
        "import snakes\nprint('hello' if (snakes.native.reaches({port}), snakes.writes()) == ({0}, {0}) else 'bad')\n",
        if sandbox.tier() == Tier::None {
            "1"
        } else {
            "0"
        },
    );
    let java = "public class Main { public static void main(String[] w) { System.out.println(boa.Boa.HELLO); } }";
    let cargo = "[package]\nname = 'bot'\nversion = '0.1.0'\nedition = '2021'\n[dependencies]\nviper = '0.1'\n";
    let rust = "fn main() { println!(\"{}\", viper::hello()); }";
    let rows: [(Tool, &[(&str, &str)]); 4] = [
        (
            Tool::PYTHON,
            &[("main.py", &python), ("requirements.txt", "snakes==1.0")],
        ),
        (Tool::JAVAC, &[("Main.java", java), ("pom.xml", POM)]),
        (
            Tool::NODE,
            &[
                ("main.mjs", "import pit from 'pit'; console.log(pit.hello)"),
                ("package.json", "{\"dependencies\": {\"pit\": \"^1.0\"}}"),
            ],
        ),
        (Tool::CARGO, &[("Cargo.toml", cargo), ("src/main.rs", rust)]),
    ];
    for (tool, files) in rows {
        let closed = sandbox.tier() == Tier::C && rustix::process::geteuid().is_root();
        match runtime::ToolRuntime::find_runtime(tool) {
            Ok(found) if found.reads.is_empty() || !closed => {}
            other => {
                println!(
                    "skipped libraries of {} in tier {}: {other:?}",
                    tool.name,
                    sandbox.tier()
                );
                continue;
            }
        }
        let test = IsolationTest::with("bot.zip", files);
        let builder = Builder {
            libraries: Some(&set),
            ..Builder::new(sandbox)
        };
        let source = ProgramSource::detect_path(&test.path("bot.zip"), &[]).expect("a zip");
        let built = builder.build_source(&source, test.work.folder_path(), &[]);
        let built =
            built.unwrap_or_else(|error| panic!("tier {}: {}: {error}", sandbox.tier(), tool.name));
        let (exit, out, err) = run(built, sandbox);
        let said = (exit, out.trim());
        assert_eq!(
            said,
            (Some(ExitReason::Code(0)), "hello"),
            "tier {}: {}: {err}",
            sandbox.tier(),
            tool.name
        );
    }
}

const POM: &str = "<project><dependencies><dependency><groupId>a</groupId><artifactId>boa</artifactId>\
    <version>1.0</version></dependency></dependencies></project>";

/// A jar with one class; without a compiler an empty one.
fn jar(place: &Path) -> Vec<u8> {
    fs::create_dir_all(place.join("boa")).expect("our own");
    let source = "package boa; public class Boa { public static final String HELLO = \"hel\".concat(\"lo\"); }";
    fs::write(place.join("boa/Boa.java"), source).expect("our own");
    let made = Command::new("javac")
        .arg("boa/Boa.java")
        .current_dir(place)
        .status();
    match made.is_ok_and(|status| status.success()) {
        true => packed(&[(
            "boa/Boa.class",
            &fs::read(place.join("boa/Boa.class")).expect("made"),
        )]),
        false => packed(&[]),
    }
}

fn packed(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, bytes) in files {
        zip.start_file(*name, SimpleFileOptions::default())
            .expect("it can be written");
        zip.write_all(bytes).expect("it can be written");
    }
    zip.finish().expect("it can be written").into_inner()
}

fn says_hello(test: &IsolationTest, name: &str, sandbox: &Sandbox) {
    let built = test
        .build(name, sandbox)
        .unwrap_or_else(|error| panic!("tier {}: {name}: {error}", sandbox.tier()));
    let (exit, out, err) = run(built, sandbox);
    assert_eq!(
        (exit, out.trim()),
        (Some(ExitReason::Code(0)), "hello"),
        "tier {}: {name}: {err}",
        sandbox.tier()
    );
}

/// The exit reason and both outputs.
fn run(built: BuiltProgram, sandbox: &Sandbox) -> (Option<ExitReason>, String, String) {
    let program = built
        .program
        .with_limits(leitai_sandbox::SandboxLimits::BOT);
    let mut child = sandbox
        .spawn_program(&program, StdioKind::Separate)
        .unwrap_or_else(|error| panic!("{error}"));
    let exit = child
        .wait_for(Duration::from_secs(120))
        .expect("our own child");
    (
        exit,
        read_all(child.stdout.take()),
        read_all(child.stderr.take()),
    )
}

fn read_all(pipe: Option<OwnedFd>) -> String {
    let pipe = pipe.expect("a pipe");
    rustix::io::ioctl_fionbio(&pipe, false).expect("it is open");
    let mut text = String::new();
    fs::File::from(pipe)
        .read_to_string(&mut text)
        .expect("it is text");
    text
}

/// The submitted files, in a folder that everybody may read, and a folder to build in.
struct IsolationTest {
    files: TempDir,
    work: OwnedFolder,
}

impl IsolationTest {
    /// A name that ends in `.zip` makes an archive of the files.
    fn with(name: &str, files: &[(&str, &str)]) -> IsolationTest {
        let test = IsolationTest {
            files: tempfile::tempdir().expect("a folder"),
            work: OwnedFolder::new().expect("a folder"),
        };
        fs::set_permissions(test.files.path(), fs::Permissions::from_mode(0o755)).expect("our own");
        if name.ends_with(".zip") {
            let mut zip = zip::ZipWriter::new(fs::File::create(test.path(name)).expect("writable"));
            for (name, text) in files {
                zip.start_file(*name, SimpleFileOptions::default())
                    .expect("it can be written");
                zip.write_all(text.as_bytes()).expect("it can be written");
            }
            zip.finish().expect("it can be written");
        } else {
            files.iter().for_each(|(name, text)| test.write(name, text));
        }
        test
    }

    fn path(&self, name: &str) -> PathBuf {
        self.files.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::create_dir_all(self.path(name).parent().expect("it is in a folder")).expect("our own");
        fs::write(self.path(name), text).expect("our own");
    }

    fn chmod(&self, name: &str) {
        fs::set_permissions(self.path(name), fs::Permissions::from_mode(0o755)).expect("our own");
    }

    fn build(&self, name: &str, sandbox: &Sandbox) -> Result<BuiltProgram, BuildError> {
        build_source(
            &ProgramSource::detect_path(&self.path(name), &[])?,
            self.work.folder_path(),
            &BuildLimits::default(),
            &[],
            sandbox,
        )
    }
}
