//! Libraries for bots: ranges of versions, manifests, packages that are not what they should be, and what
//! a build says that asks for more than there is.

use std::io::{Cursor, Write};
use std::sync::Arc;

use leitai_game::lang::Message;
use leitai_judge::build::libraries::manifests::{
    AskedLibrary, read_cargo, read_package, read_pom, read_requirements,
};
use leitai_judge::build::libraries::versions::{Version, VersionRange};
use leitai_judge::build::libraries::{Library, LibraryKind, LibraryList, hash_of};
use leitai_judge::build::{BuildError, Builder, LibrarySet, ProgramSource};
use leitai_sandbox::Sandbox;
use zip::write::SimpleFileOptions;

use crate::table::cells;

/// An archive of these files; a wheel is one.
fn packed(files: &[(&str, &str)]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in files {
        zip.start_file(*name, SimpleFileOptions::default())
            .expect("it can be written");
        zip.write_all(text.as_bytes()).expect("it can be written");
    }
    zip.finish().expect("it can be written").into_inner()
}

fn library(name: &str, version: &str, bytes: &[u8]) -> Library {
    Library {
        kind: LibraryKind::Python,
        name: name.to_owned(),
        version: version.to_owned(),
        sha256: hash_of(bytes),
        size: bytes.len() as u64,
        origin: None,
    }
}

fn unpack(library: Library, bytes: &[u8]) -> Result<LibrarySet, String> {
    let list = LibraryList {
        libraries: vec![library],
    };
    LibrarySet::unpack(list, |_| Ok::<_, String>(bytes.to_vec())).map_err(|error| error.to_string())
}

#[test]
fn a_package_that_is_not_the_one_of_the_list_or_leads_out_is_refused() {
    let good = packed(&[("snakes/__init__.py", "")]);
    unpack(library("snakes", "1.0", &good), &good).expect("it is sound");
    let other = packed(&[("snakes/__init__.py", "import os")]);
    let refused = unpack(library("snakes", "1.0", &good), &other).expect_err("another file");
    assert!(refused.contains("not the one of the list"), "{refused}");
    for name in ["../snakes.py", "/etc/snakes.py", "a/../../snakes.py"] {
        let evil = packed(&[(name, "x")]);
        let refused = unpack(library("snakes", "1.0", &evil), &evil).expect_err(name);
        assert!(refused.contains("cannot be unpacked"), "{refused}");
    }
    let noise = b"no archive";
    assert!(unpack(library("snakes", "1.0", noise), noise).is_err());
    for (name, version) in [
        ("../x", "1"),
        ("x", "../1"),
        (".x", "1"),
        ("", "1"),
        ("x", ""),
        ("@a/b", "1"),
    ] {
        let list = LibraryList {
            libraries: vec![library(name, version, noise)],
        };
        assert_eq!(
            LibraryList::parse(&list.to_bytes()),
            None,
            "{name} {version}"
        );
    }
    let twice = vec![library("a", "1", noise), library("a", "2", noise)];
    assert_eq!(
        LibraryList::parse(&LibraryList { libraries: twice }.to_bytes()),
        None
    );
}

/// What a folder with a `main.py` and this manifest is told, where snakes 1.0 is the only library.
fn told(manifest: &[u8]) -> Result<(), BuildError> {
    let wheel = packed(&[("snakes/__init__.py", "")]);
    let set = Arc::new(unpack(library("snakes", "1.0", &wheel), &wheel).expect("it is sound"));
    let bot = tempfile::tempdir().expect("a folder");
    std::fs::write(bot.path().join("main.py"), "import snakes").expect("our own");
    std::fs::write(bot.path().join("requirements.txt"), manifest).expect("our own");
    let sandbox = Sandbox::without_isolation();
    let builder = Builder {
        libraries: Some(&set),
        ..Builder::new(&sandbox)
    };
    let (source, work) = (
        ProgramSource::detect_path(bot.path(), &[])?,
        tempfile::tempdir().expect("a folder"),
    );
    let built = builder.build_source(&source, work.path(), &[])?;
    assert!(built.log.contains("snakes 1.0"), "{}", built.log);
    Ok(())
}

#[test]
fn what_a_bot_asks_for_is_named_before_it_is_built() {
    told(b"snakes>=1,<2\n").expect("it is there");
    told(b"\xef\xbb\xbfSnakes # ours").expect("it is there");
    let check = |manifest: &[u8], parts: &[&str]| {
        let error = told(manifest).expect_err("it is not there");
        let said = error.to_string();
        assert!(!error.is_infrastructure_error(), "{said}");
        assert!(parts.iter().all(|part| said.contains(part)), "{said}");
    };
    let rows = "
snakes>=2 | requirements.txt | snakes>=2 | there are: snakes 1.0
-r ../../etc/passwd | is an option of pip
--index-url https://example.org/simple | is an option of pip
a @ file:///etc/passwd | a file or an address
";
    cells(rows).for_each(|row| check(row[0].as_bytes(), &row[1..]));
    let parts = ["not here: no-such-thing==3.1;", "snakes 1.0"];
    check(b"snakes\nno-such-thing==3.1", &parts);
    check(&vec![b'a'; 70_000], &["more than 64 KiB"]);
    check(&vec![b'\n'; 3000], &["at most 2000 lines"]);
    check(b"\xff\xfes\0n\0", &["not UTF-8"]);
    check(b"x\x1b]0;evil\x07", &["`x"]);
}

#[test]
fn ranges_of_all_four_languages() {
    type Read = fn(&str) -> Option<VersionRange>;
    let check = |read: Read, range: &str, inside: &[&str], outside: &[&str]| {
        let read = read(range).unwrap_or_else(|| panic!("{range}"));
        let holds = |text: &&str| read.contains(&Version::parse(text).expect("a version"));
        assert!(inside.iter().all(holds), "{range} {inside:?}");
        assert!(!outside.iter().any(holds), "{range} {outside:?}");
    };
    let python = VersionRange::of_python;
    let (inside, outside) = (["2", "2.9.1", "2.0.0"], ["1.9", "3.0", "2.0rc1"]);
    check(python, ">=2, <3", &inside, &outside);
    check(python, "==2.2.*", &["2.2", "2.2.7"], &["2.20", "2.3"]);
    let outside = ["2.2.1", "2.2.0.post1"];
    check(python, "==2.2.0", &["2.2", "2.2.0+cpu"], &outside);
    check(python, "~=2.2", &["2.2", "2.9"], &["2.1", "3.0"]);
    check(python, "~=1.4.5", &["1.4.9"], &["1.5", "1.4.4"]);
    check(python, "!=1.5,>1", &["1.6"], &["1.5", "1"]);
    check(python, "===1.0", &["1.0"], &["1.1"]);
    check(python, "", &["0"], &[]);
    let cargo = VersionRange::of_cargo;
    check(cargo, "1.2", &["1.2.0", "1.9"], &["1.1", "2.0"]);
    check(cargo, "0.2.3", &["0.2.9"], &["0.3.0", "0.2.2"]);
    check(cargo, "0", &["0.9"], &["1.0"]);
    check(cargo, "~1.2.3", &["1.2.4"], &["1.3.0"]);
    check(cargo, ">=1, <1.5", &["1.4"], &["1.5"]);
    check(cargo, "=1.0.3", &["1.0.3"], &["1.0.4"]);
    check(cargo, "1.*", &["1.7"], &["2.0"]);
    let npm = VersionRange::of_npm;
    let outside = ["2.0.0", "1.2.2", "1.2.3-beta.1"];
    check(npm, "^1.2.3", &["1.3.0"], &outside);
    check(npm, ">= 1.2 < 2", &["1.5.0"], &["2.0.0"]);
    check(npm, "1.x || 3", &["1.9.9", "3.1.0"], &["2.0.0"]);
    check(npm, "1.2 - 2", &["1.2.0", "2.0.0"], &["2.0.1"]);
    check(npm, "1.2.3", &["1.2.3"], &["1.2.4"]);
    check(npm, "*", &["9.0.0"], &[]);
    let maven = VersionRange::of_maven;
    check(maven, "2.10.1", &["2.10.1", "2.11"], &["2.9", "3.0"]);
    check(maven, "[1.0,2.0)", &["1.0", "1.9"], &["2.0"]);
    check(maven, "[1.2]", &["1.2"], &["1.3"]);
    check(maven, "33.0-jre", &["33.0"], &["34"]);
}

#[test]
fn what_is_no_range_is_refused() {
    for text in [
        "2.0",
        ">=",
        "=> 1",
        ">=1 <2",
        "==1.*.2",
        "@ file:///etc/passwd",
        "~=1",
    ] {
        assert!(VersionRange::of_python(text).is_none(), "{text}");
    }
    for text in "file:../x git+https://a/b npm:x@1 workspace:* 1..2".split_whitespace() {
        assert!(VersionRange::of_npm(text).is_none(), "{text}");
    }
    let long = format!(">={}", "9".repeat(5000));
    assert!(VersionRange::of_python(&long).is_none());
    assert!(Version::parse(&"9".repeat(30)).is_none());
}

fn names(read: Result<Vec<AskedLibrary>, Message>) -> Result<String, String> {
    let each = read
        .map_err(String::from)?
        .into_iter()
        .map(|one| format!("{}{}", one.name, one.wanted));
    Ok(each.collect::<Vec<_>>().join(" "))
}

#[test]
fn requirements_are_read_and_what_is_more_than_a_name_is_refused() {
    let good = [
        ("numpy==2.2.0\n", "numpy==2.2.0"),
        (
            "# all\nNumPy >=2,<3  # fast\r\n\nscipy",
            "numpy>=2,<3 scipy",
        ),
        ("ruamel.yaml[jinja2]>=0.1", "ruamel-yaml>=0.1"),
        ("a (>=1)", "a>=1"),
        (
            "a==1 \\\n    --hash=sha256:00 \\\n    --hash=sha256:11\nb",
            "a==1 b",
        ),
        (
            "a; sys_platform == 'win32'\nb; python_version >= '3.8'",
            "b",
        ),
        ("a;os_name=='nt' or sys_platform=='linux'", "a"),
    ];
    for (text, expected) in good {
        assert_eq!(
            names(read_requirements(text)).as_deref(),
            Ok(expected),
            "{text}"
        );
    }
    let bad = [
        "-r ../../etc/passwd",
        "--index-url https://example.org",
        "-e .",
        "a @ https://example.org/a.whl",
        "https://example.org/a.whl",
        "./a.whl",
        "../../etc/passwd",
        "a=>1",
        "naïve",
        "$(id)",
    ];
    for text in bad {
        assert!(read_requirements(text).is_err(), "{text}");
    }
}

#[test]
fn the_manifests_of_the_other_languages_are_read() {
    let package = r#"{"name": "bot", "dependencies": {"@a/b": "^1.0.0", "c": "*"}, "devDependencies": {"d": "1"}}"#;
    assert_eq!(names(read_package(package)).as_deref(), Ok("@a/b^1.0.0 c*"));
    assert!(read_package(r#"{"dependencies": {"c": "git+https://x/y"}}"#).is_err());
    assert!(read_package(&"[".repeat(60_000)).is_err());
    assert!(read_package(r#"{"dependencies": {"../x": "1"}}"#).is_err());
    let cargo = "[package]\nname='b'\n[dependencies]\nrand='0.8'\nown={path='own'}\nr={package='rayon',version='1'}\n\
        [dev-dependencies]\nx='1'\n[target.'cfg(unix)'.dependencies]\nlibc='0.2'";
    assert_eq!(
        names(read_cargo(cargo)).as_deref(),
        Ok("rayon1 rand0.8 libc0.2")
    );
    assert!(read_cargo("[dependencies]\na={git='https://x/y'}").is_err());
    let pom = "<?xml version='1.0'?><!-- <dependency> --><project xmlns='x'><properties><v>2.10.1</v></properties>\
        <build><plugins><plugin><dependencies><dependency><artifactId>p</artifactId></dependency></dependencies></plugin></plugins></build>\
        <dependencies><dependency><groupId>com.google.code.gson</groupId><artifactId>gson</artifactId>\
        <version>${v}</version></dependency><dependency><artifactId>junit</artifactId><scope>test</scope></dependency></dependencies></project>";
    assert_eq!(names(read_pom(pom)).as_deref(), Ok("gson2.10.1"));
    for hostile in [
        "<!DOCTYPE a [<!ENTITY b 'c'>]><project/>",
        "<project>",
        "<a></b>",
        "<",
        &"<a>".repeat(10_000),
    ] {
        assert!(
            read_pom(hostile).is_err(),
            "{}",
            &hostile[..hostile.len().min(40)]
        );
    }
}
