//! What `./dev release` makes, from the program of the tests: the Debian package's contents, and that
//! the README's first lines work with it. `deploy/release/try` tries the real ones in a bare root.

use crate::place::{says, table};
use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

fn root() -> &'static Path {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    folder
        .ancestors()
        .nth(2)
        .expect("the crate lies in the workspace")
}

fn run(command: &mut Command) -> String {
    let output = command.output().expect("the command starts");
    let (out, errors) = (output.stdout, String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{command:?}: {errors}");
    String::from_utf8(out).expect("it prints text")
}

/// The package of a program for this machine, or another: not compressed, since only what lies in it
/// is looked at.
fn make_package(folder: &Path, machine: &str, program: &Path) -> PathBuf {
    run(Command::new(root().join("deploy/release/make"))
        .arg("deb")
        .env("LEITAI_DIST", folder)
        .env("LEITAI_RELEASE_FOR", machine)
        .env("LEITAI_RELEASE_BINARY", program)
        .env("LEITAI_DEB_COMPRESSION", "none"));
    let version = env!("CARGO_PKG_VERSION");
    folder.join(format!("leitai_{version}_{}.deb", debian(machine)))
}

/// Debian's name of a machine.
fn debian(machine: &str) -> &str {
    match machine {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => panic!("releases are not for {other}"),
    }
}

/// Mode and owner of each file of a package, by its name.
fn list_files(package: &Path) -> BTreeMap<String, String> {
    let text = run(Command::new("dpkg-deb").arg("--contents").arg(package));
    let read = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let name = words.get(5)?.trim_start_matches('.').to_owned();
        Some((name, format!("{} {}", words[0], words[1])))
    };
    text.lines().filter_map(read).collect()
}

#[test]
fn the_debian_package_has_its_program_service_manual_and_user() {
    let folder = TempDir::new().expect("a folder");
    let own = std::env::consts::ARCH;
    let package = make_package(folder.path(), own, env!("CARGO_BIN_EXE_leitai").as_ref());
    let files = list_files(&package);
    for [name, expected] in table(
        "
/usr/bin/leitai | -rwxr-xr-x root/root
/usr/lib/systemd/system/leitai.service | -rw-r--r-- root/root
/usr/lib/systemd/system/leitai-worker.service | -rw-r--r-- root/root
/etc/leitai/arena.env | -rw------- root/root
/etc/leitai/worker.env | -rw------- root/root
/usr/share/man/man1/leitai.1.gz | -rw-r--r-- root/root
/usr/share/man/man1/leitai-match.1.gz | -rw-r--r-- root/root
/usr/share/bash-completion/completions/leitai | -rw-r--r-- root/root
/usr/share/doc/leitai/copyright | -rw-r--r-- root/root
/usr/share/doc/leitai/operating.md | -rw-r--r-- root/root
",
    ) {
        assert_eq!(
            files.get(name).map(String::as_str),
            Some(expected),
            "{name}: {files:?}"
        );
    }
    let control = run(Command::new("dpkg-deb").arg("--field").arg(&package));
    for line in [
        format!("Version: {}", env!("CARGO_PKG_VERSION")),
        format!("Architecture: {}", debian(own)),
    ] {
        assert!(control.lines().any(|one| one == line), "{control}");
    }
    let unpacked = folder.path().join("unpacked");
    run(Command::new("dpkg-deb")
        .arg("--raw-extract")
        .arg(&package)
        .arg(&unpacked));
    let service = fs::read_to_string(unpacked.join("usr/lib/systemd/system/leitai.service"));
    let service = service.expect("the service is text");
    for line in ["ExecStart=/usr/bin/leitai serve", "User=leitai"] {
        assert!(service.lines().any(|one| one == line), "{service}");
    }
    assert!(!service.contains("/usr/local"), "{service}");
    let kept = fs::read_to_string(unpacked.join("DEBIAN/conffiles")).expect("there are settings");
    for name in kept.lines() {
        assert!(
            files.contains_key(name),
            "{name} is kept at upgrades, but not there"
        );
    }
    for script in ["postinst", "prerm", "postrm"] {
        run(Command::new("sh")
            .arg("-n")
            .arg(unpacked.join("DEBIAN").join(script)));
    }
    let sums = fs::read_to_string(folder.path().join("SHA256SUMS")).expect("there are checksums");
    assert!(sums.contains(&format!("_{}.deb", debian(own))), "{sums}");
    run(Command::new("sha256sum")
        .args(["--check", "--quiet", "SHA256SUMS"])
        .current_dir(folder.path()));
}

/// The program in it is a script that says what the real one would: nothing is compiled.
#[test]
fn a_package_is_for_the_machine_that_was_chosen() {
    let folder = TempDir::new().expect("a folder");
    let program = folder.path().join("program");
    fs::write(&program, "#!/bin/sh\n[ $1 != man ] || echo >$2/leitai.1\n").expect("writable");
    fs::set_permissions(&program, Permissions::from_mode(0o755)).expect("it is ours");
    for machine in ["x86_64", "aarch64"] {
        let package = make_package(folder.path(), machine, &program);
        let field = ["--field", &package.to_string_lossy(), "Architecture"].map(str::to_owned);
        assert_eq!(
            run(Command::new("dpkg-deb").args(field)).trim(),
            debian(machine)
        );
    }
}

#[test]
fn what_is_not_made_is_named_with_what_is() {
    for [part, machines, binary, expected] in table(
        "
snap | x86_64 | | no part snap; the parts are: binary deb wheel
deb | riscv64 | | no machine riscv64; the machines are: x86_64 aarch64
deb | x86_64 aarch64 | /bin/true | LEITAI_RELEASE_BINARY is for one machine
",
    ) {
        let output = Command::new(root().join("deploy/release/make"))
            .arg(part)
            .env("LEITAI_RELEASE_FOR", machines)
            .env("LEITAI_RELEASE_BINARY", binary)
            .output();
        let output = output.expect("the script starts");
        assert_eq!(output.status.code(), Some(2));
        says(&String::from_utf8_lossy(&output.stderr), &[expected]);
    }
}
