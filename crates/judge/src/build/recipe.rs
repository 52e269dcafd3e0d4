//! How a folder is built and run.

use super::tools::{Tool, Workshop};
use super::{BuildError, Language, hosted, java, product::Snapshot};
use leitai_game::Host;
use std::ffi::{OsStr, OsString};
use std::io::Read;
use std::path::{Path, PathBuf};

/// How a folder is built and run. Names are those of files directly in the folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Recipe {
    /// A program that only has to be started.
    AsItIs(OsString),
    /// `make`, then the program it wrote.
    Make,
    /// `cmake`, then the program it wrote.
    CMake,
    /// `python3 main.py`
    Python(OsString),
    /// `node main.js`
    Node(OsString),
    /// A host of the game, with the bot's main source.
    Hosted(&'static Host, OsString),
    /// `javac` on these files, then the class with the `main`.
    Java(Vec<OsString>),
    /// `g++` on these files.
    Cpp(Vec<OsString>),
    /// `gcc` on these files.
    C(Vec<OsString>),
    /// `cargo build --release`
    Cargo,
    /// `rustc` on this file.
    Rust(OsString),
}

/// What a recipe made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Made {
    /// The command that starts it.
    pub argv: Vec<OsString>,
    /// What made it, see [`Built::how`](super::Built::how).
    pub how: String,
}

/// The name of a program that we compile ourselves: one that no contestant has given to a file or folder.
const PROGRAM: &str = "leitai-bot";

impl Recipe {
    /// What the folder asks for, in this order: a Makefile, a CMakeLists.txt, main.py, main.js, a source for one of
    /// the game's hosts, Java with a `main`, C++ files, C files, Cargo.toml, main.rs. `None` if there is nothing of
    /// that directly in it.
    pub fn find(dir: &Path, hosts: &'static [Host]) -> Option<Recipe> {
        let has = |name: &str| dir.join(name).is_file();
        if ["GNUmakefile", "makefile", "Makefile"]
            .iter()
            .any(|name| has(name) && !is_generated(&dir.join(name)))
        {
            return Some(Recipe::Make);
        }
        if has("CMakeLists.txt") {
            return Some(Recipe::CMake);
        }
        if let Some(script) = Recipe::find_script(dir) {
            return Some(script);
        }
        if let Some((host, main)) = hosted::find_in(hosts, dir) {
            return Some(Recipe::Hosted(host, main));
        }
        if let Some(files) = files_of(dir, Language::Java).filter(|files| main_class(dir, files).is_some()) {
            return Some(Recipe::Java(files));
        }
        let cpp = files_of(dir, Language::Cpp).map(Recipe::Cpp);
        cpp.or_else(|| files_of(dir, Language::C).map(Recipe::C))
            .or_else(|| has("Cargo.toml").then_some(Recipe::Cargo))
            .or_else(|| has("main.rs").then(|| Recipe::Rust("main.rs".into())))
    }

    /// How a single file is run.
    pub fn of_file(language: Language, name: OsString) -> Recipe {
        match language {
            Language::Python => Recipe::Python(name),
            Language::JavaScript => Recipe::Node(name),
            Language::Java => Recipe::Java(vec![name]),
            Language::Cpp => Recipe::Cpp(vec![name]),
            Language::C => Recipe::C(vec![name]),
            Language::Rust => Recipe::Rust(name),
        }
    }

    /// The host of the game that runs it, if one does.
    pub fn host(&self) -> Option<&'static Host> {
        match self {
            Recipe::Hosted(host, _) => Some(host),
            _ => None,
        }
    }

    /// Where a dialect marker may stand, the likeliest first.
    pub fn sources(&self) -> Vec<OsString> {
        let usual = |first: &str| {
            let names = [first, "main.cpp", "main.cc", "main.c", "main.py", "src/main.cpp", "src/main.c"];
            names.iter().map(OsString::from).collect()
        };
        match self {
            Recipe::AsItIs(name) | Recipe::Python(name) | Recipe::Node(name) | Recipe::Rust(name) => {
                vec![name.clone()]
            }
            Recipe::Hosted(_, main) => vec![main.clone()],
            Recipe::Java(files) | Recipe::Cpp(files) | Recipe::C(files) => files.clone(),
            Recipe::Make => usual("Makefile"),
            Recipe::CMake => usual("CMakeLists.txt"),
            Recipe::Cargo => vec!["src/main.rs".into(), "Cargo.toml".into()],
        }
    }

    /// Builds in the workshop's folder.
    ///
    /// # Errors
    /// As [`build`](super::build()), without those of copying.
    pub fn make(&self, shop: &mut Workshop) -> Result<Made, BuildError> {
        match self {
            Recipe::AsItIs(name) => Ok(made([shop.dir().join(name).into()], "as it is")),
            Recipe::Make => make(shop),
            Recipe::CMake => cmake(shop),
            Recipe::Python(name) => Ok(made([shop.tool(Tool::PYTHON)?, argument(name)], "python3")),
            Recipe::Node(name) => {
                let memory = "--max-heap-size={memory_mb}".into();
                Ok(made([shop.tool(Tool::NODE)?, memory, argument(name)], "node"))
            }
            Recipe::Hosted(host, main) => hosted::make(host, &argument(main), shop),
            Recipe::Java(files) => compile_java(shop, files),
            Recipe::Cpp(files) => compile_cpp(shop, files),
            Recipe::C(files) => {
                compile(shop, Tool::CC, &["-O2", "-std=gnu17"], files, &["-I.", "-pthread", "-lm"])
            }
            Recipe::Cargo => cargo(shop),
            Recipe::Rust(name) => {
                let files = std::slice::from_ref(name);
                compile(shop, Tool::RUSTC, &["-O", "--edition", "2021"], files, &["--crate-name", "bot"])
            }
        }
    }

    fn find_script(dir: &Path) -> Option<Recipe> {
        let found = |name: &str| dir.join(name).is_file().then(|| OsString::from(name));
        let python = found("main.py").map(Recipe::Python);
        python.or_else(|| found("main.js").or_else(|| found("main.mjs")).map(Recipe::Node))
    }
}

fn make(shop: &mut Workshop) -> Result<Made, BuildError> {
    let before = Snapshot::of(shop.dir());
    shop.run(Tool::MAKE, &[])?;
    match (program_since(shop, &before), Recipe::find_script(shop.dir())) {
        (Some(program), _) => Ok(made([program.into()], "make")),
        (None, Some(script)) => {
            let script = script.make(shop)?;
            Ok(Made { how: format!("make, {}", script.how), ..script })
        }
        (None, None) => Err(shop.no_program("make")),
    }
}

fn cmake(shop: &mut Workshop) -> Result<Made, BuildError> {
    forget_cmake_cache(shop.dir())?;
    let before = Snapshot::of(shop.dir());
    shop.run(
        Tool::CMAKE,
        &words(&[
            "-S",
            ".",
            "-B",
            "build",
            "-DCMAKE_BUILD_TYPE=Release",
            "-DONLINE_JUDGE=1",
            "--no-warn-unused-cli",
        ]),
    )?;
    shop.run(Tool::CMAKE, &words(&["--build", "build"]))?;
    let program = program_since(shop, &before).ok_or_else(|| shop.no_program("cmake"))?;
    Ok(made([program.into()], "cmake"))
}

/// A cache that came along names the contestant's own folder; cmake would refuse it or build there.
fn forget_cmake_cache(dir: &Path) -> Result<(), BuildError> {
    for cache in ["CMakeCache.txt", "build/CMakeCache.txt"].map(|name| dir.join(name)) {
        if cache.is_file() {
            std::fs::remove_file(&cache).map_err(BuildError::io("remove", &cache))?;
        }
    }
    Ok(())
}

fn cargo(shop: &mut Workshop) -> Result<Made, BuildError> {
    const HOW: &str = "cargo build --release";
    shop.run(Tool::CARGO, &words(&["build", "--release", "--target-dir", "target"]))?;
    let release = Snapshot::of(&shop.dir().join("target/release"));
    let program = release.made_since(&Snapshot::default()).ok_or_else(|| shop.no_program(HOW))?;
    Ok(made([program.as_os_str().to_owned()], HOW))
}

/// As C++17; what that refuses may be C++20. If neither will do, the language that was meant has the fewer complaints.
fn compile_cpp(shop: &mut Workshop, files: &[OsString]) -> Result<Made, BuildError> {
    let with = |shop: &mut Workshop, standard| {
        compile(shop, Tool::CXX, &["-O2", standard], files, &["-I.", "-pthread"])
    };
    let older = match with(shop, "-std=c++17") {
        Err(BuildError::Failed { command, exit, log }) => (command, exit, log),
        made => return made,
    };
    shop.forget_log();
    match with(shop, "-std=gnu++20") {
        Err(BuildError::Failed { log, .. }) if older.2.len() <= log.len() => {
            let (command, exit, log) = older;
            Err(BuildError::Failed { command, exit, log })
        }
        made => made,
    }
}

/// The common shape of compilers that turn files into one program.
fn compile(
    shop: &mut Workshop,
    tool: Tool,
    shown: &[&str],
    files: &[OsString],
    flags: &[&str],
) -> Result<Made, BuildError> {
    let files: Vec<OsString> = files.iter().map(|name| argument(name)).collect();
    let (before, after) = flags.iter().partition::<Vec<&str>, _>(|flag| !flag.starts_with("-l"));
    let out = ["-o", PROGRAM];
    let line = [words(shown), words(&before), words(&out), files, words(&after)].concat();
    shop.run(tool, &line)?;
    let how = std::iter::once(tool.name).chain(shown.iter().copied()).collect::<Vec<_>>().join(" ");
    Ok(made([shop.dir().join(PROGRAM).into()], &how))
}

fn compile_java(shop: &mut Workshop, files: &[OsString]) -> Result<Made, BuildError> {
    let Some((file, class)) = main_class(shop.dir(), files) else {
        let files = files.iter().map(|name| name.to_string_lossy()).collect::<Vec<_>>().join(", ");
        return Err(BuildError::NoMainClass { files });
    };
    let renamed = rename_to_class(shop.dir(), &file, &class)?;
    let names = files.iter().map(|name| argument(if *name == file { &renamed } else { name }));
    let flags = words(&["-encoding", "UTF-8", "-Xprefer:source", "-cp", ".", "-d", "."]);
    shop.run(Tool::JAVAC, &flags.into_iter().chain(names).collect::<Vec<_>>())?;
    let memory = ["-XX:+UseSerialGC", "-XX:MaxRAM={memory}", "-XX:MaxRAMPercentage=60"];
    let run = words(&[&memory[..], &java::WARNINGS_TO_STDERR, &["-Xss64m", "-cp", ".", &class]].concat());
    Ok(made([shop.tool(Tool::JAVA)?].into_iter().chain(run), "javac"))
}

/// The first of `files` with a `main`, and the class that has it. `Main.java` is looked at first.
fn main_class(dir: &Path, files: &[OsString]) -> Option<(OsString, String)> {
    const LOOKED_AT: u64 = 4 << 20;
    let text_of = |name: &OsString| {
        let mut bytes = Vec::new();
        std::fs::File::open(dir.join(name)).ok()?.take(LOOKED_AT).read_to_end(&mut bytes).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    };
    let main_first = files.iter().filter(|name| *name == "Main.java").chain(files);
    main_first.into_iter().find_map(|name| Some((name.clone(), java::main_class(&text_of(name)?)?)))
}

/// A public class must be in a file of its name; contestants call the file as they like. Returns the file's name.
fn rename_to_class(dir: &Path, file: &OsStr, class: &str) -> Result<OsString, BuildError> {
    let simple = class.rsplit('.').next().unwrap_or(class);
    let wanted = OsString::from(format!("{simple}.java"));
    let (from, to) = (dir.join(file), dir.join(&wanted));
    if wanted == file || to.exists() {
        return Ok(file.to_owned());
    }
    std::fs::rename(&from, &to).map_err(BuildError::io("rename", &from))?;
    Ok(wanted)
}

fn program_since(shop: &Workshop, before: &Snapshot) -> Option<PathBuf> {
    Snapshot::of(shop.dir()).made_since(before).map(Path::to_owned)
}

/// The names of all files of a language directly in `dir`, in alphabetical order; `None` if there are none.
fn files_of(dir: &Path, language: Language) -> Option<Vec<OsString>> {
    let entries = std::fs::read_dir(dir).ok()?.flatten();
    let files =
        entries.filter(|entry| entry.path().is_file() && Language::of(&entry.path()) == Some(language));
    let mut names: Vec<OsString> = files.map(|entry| entry.file_name()).collect();
    names.sort_unstable();
    (!names.is_empty()).then_some(names)
}

/// A Makefile that `cmake .` wrote into the source folder leads back to where it was written: the CMakeLists.txt
/// beside it is the real recipe.
fn is_generated(makefile: &Path) -> bool {
    let mut start = [0_u8; 64];
    let count = std::fs::File::open(makefile).and_then(|mut file| file.read(&mut start)).unwrap_or(0);
    start[..count].starts_with(b"# CMAKE generated file")
}

fn made(argv: impl IntoIterator<Item = OsString>, how: &str) -> Made {
    Made { argv: argv.into_iter().collect(), how: how.to_owned() }
}

fn words(words: &[&str]) -> Vec<OsString> {
    words.iter().map(OsString::from).collect()
}

/// A file name as an argument: one that begins with a hyphen would be taken for an option, one with an at sign for
/// a list of arguments.
fn argument(name: &OsStr) -> OsString {
    if name.as_encoded_bytes().starts_with(b"-") || name.as_encoded_bytes().starts_with(b"@") {
        Path::new(".").join(name).into_os_string()
    } else {
        name.to_owned()
    }
}
