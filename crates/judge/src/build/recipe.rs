//! Recipes: the way to build and run a folder.

use super::libraries::LibraryKind;
use super::product::{self, ProgramSnapshot};
use super::program::{AS_IT_IS, RecipeOutput};
use super::tool::Tool;
use super::tool_runner::ToolRunner;
use super::{BuildError, Language, hosted, java, jsoncpp};
use leitai_game::Host;
use leitai_sandbox::untrusted_folder::EntryKind;
use leitai_sandbox::{Tier, UntrustedFolder};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// The way to build and run a folder. Names are those of files directly in the folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BuildRecipe {
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
    /// `tsc` on this file and what it imports, then `node` on its JavaScript.
    TypeScript(OsString),
    /// `go build` on these files, or on the module that they are of.
    Go(Vec<OsString>),
    /// `mcs` on these files, then `mono` on the program.
    CSharp(Vec<OsString>),
    /// `kotlinc` on these files, then `java` on the archive.
    Kotlin(Vec<OsString>),
}

/// The name of a program that we compile ourselves: a name that authors do not give to files or
/// folders.
const PROGRAM: &str = "leitai-bot";

impl BuildRecipe {
    /// The recipe of a folder, by the first of these that lies directly in it: a Makefile, a
    /// CMakeLists.txt, main.py, main.js, main.ts, a source for one of the game's hosts, Java with a
    /// `main`, C++ files, C files, Cargo.toml, main.rs, Go, C# or Kotlin files, a program with a usual
    /// name, the only script. `None` if there is none.
    pub fn find_in_folder(folder: &UntrustedFolder, hosts: &'static [Host]) -> Option<BuildRecipe> {
        // A link that leads outside is found here, so that copying it says why it is refused.
        let is_link = |name: &Path| Some(folder.look_at(name).ok()?.kind == EntryKind::Link);
        let has = |name: &str| {
            let name = Path::new(name);
            folder.leads_to_file(name) || is_link(name) == Some(true)
        };
        if ["GNUmakefile", "makefile", "Makefile"]
            .iter()
            .any(|name| has(name) && !is_generated(folder, Path::new(name)))
        {
            return Some(BuildRecipe::Make);
        }
        if has("CMakeLists.txt") {
            return Some(BuildRecipe::CMake);
        }
        if let Some(script) = BuildRecipe::find_script(has) {
            return Some(script);
        }
        if let Some((host, main)) = hosted::find_in(hosts, folder) {
            return Some(BuildRecipe::Hosted(host, main));
        }
        if let Some(files) =
            files_of(folder, Language::Java).filter(|files| main_class(folder, files).is_some())
        {
            return Some(BuildRecipe::Java(files));
        }
        let cpp = files_of(folder, Language::Cpp).map(BuildRecipe::Cpp);
        cpp.or_else(|| files_of(folder, Language::C).map(BuildRecipe::C))
            .or_else(|| has("Cargo.toml").then_some(BuildRecipe::Cargo))
            .or_else(|| has("main.rs").then(|| BuildRecipe::Rust("main.rs".into())))
            .or_else(|| files_of(folder, Language::Go).map(BuildRecipe::Go))
            .or_else(|| files_of(folder, Language::CSharp).map(BuildRecipe::CSharp))
            .or_else(|| files_of(folder, Language::Kotlin).map(BuildRecipe::Kotlin))
            .or_else(|| product::usual_program(folder).map(BuildRecipe::AsItIs))
            .or_else(|| find_only_script(folder))
    }

    /// The recipe of a single file.
    pub fn of_file(language: Language, name: OsString) -> BuildRecipe {
        match language {
            Language::Python => BuildRecipe::Python(name),
            Language::JavaScript => BuildRecipe::Node(name),
            Language::Java => BuildRecipe::Java(vec![name]),
            Language::Cpp => BuildRecipe::Cpp(vec![name]),
            Language::C => BuildRecipe::C(vec![name]),
            Language::Rust => BuildRecipe::Rust(name),
            Language::TypeScript => BuildRecipe::TypeScript(name),
            Language::Go => BuildRecipe::Go(vec![name]),
            Language::CSharp => BuildRecipe::CSharp(vec![name]),
            Language::Kotlin => BuildRecipe::Kotlin(vec![name]),
        }
    }

    /// The kind of libraries that it uses.
    pub fn libraries(&self) -> Option<LibraryKind> {
        Some(match self {
            BuildRecipe::Python(_) => LibraryKind::Python,
            BuildRecipe::Node(_) | BuildRecipe::TypeScript(_) => LibraryKind::JavaScript,
            BuildRecipe::Java(_) => LibraryKind::Java,
            BuildRecipe::Cargo => LibraryKind::Rust,
            _ => return None,
        })
    }

    /// The host of the game that runs it, if there is one.
    pub fn bot_host(&self) -> Option<&'static Host> {
        match self {
            BuildRecipe::Hosted(host, _) => Some(host),
            _ => None,
        }
    }

    /// The files that may contain a protocol marker, the most likely first.
    pub fn source_files(&self) -> Vec<OsString> {
        let usual = |first: &str| {
            let names = [
                first,
                "main.cpp",
                "main.cc",
                "main.c",
                "main.py",
                "src/main.cpp",
                "src/main.c",
            ];
            names.iter().map(OsString::from).collect()
        };
        match self {
            BuildRecipe::AsItIs(name)
            | BuildRecipe::Python(name)
            | BuildRecipe::Node(name)
            | BuildRecipe::TypeScript(name)
            | BuildRecipe::Rust(name) => {
                vec![name.clone()]
            }
            BuildRecipe::Hosted(_, main) => vec![main.clone()],
            BuildRecipe::Java(files)
            | BuildRecipe::Cpp(files)
            | BuildRecipe::C(files)
            | BuildRecipe::Go(files)
            | BuildRecipe::CSharp(files)
            | BuildRecipe::Kotlin(files) => files.clone(),
            BuildRecipe::Make => usual("Makefile"),
            BuildRecipe::CMake => usual("CMakeLists.txt"),
            BuildRecipe::Cargo => vec!["src/main.rs".into(), "Cargo.toml".into()],
        }
    }

    /// Whether tools make files from the source that can be cached.
    pub fn needs_compiler(&self) -> bool {
        !matches!(
            self,
            BuildRecipe::AsItIs(_) | BuildRecipe::Python(_) | BuildRecipe::Node(_)
        )
    }

    /// The tools that the recipe needs in any case.
    pub fn needed_tools(&self) -> Vec<Tool> {
        match self {
            BuildRecipe::AsItIs(_) => Vec::new(),
            BuildRecipe::Make => vec![Tool::MAKE],
            BuildRecipe::CMake => vec![Tool::CMAKE],
            BuildRecipe::Python(_) => vec![Tool::PYTHON],
            BuildRecipe::Node(_) => vec![Tool::NODE],
            BuildRecipe::Hosted(host, _) => hosted::tools_of(host).collect(),
            BuildRecipe::Java(_) => vec![Tool::JAVAC, Tool::JAVA],
            BuildRecipe::Cpp(_) => vec![Tool::CXX],
            BuildRecipe::C(_) => vec![Tool::CC],
            BuildRecipe::Cargo => vec![Tool::CARGO, Tool::RUSTC],
            BuildRecipe::Rust(_) => vec![Tool::RUSTC],
            BuildRecipe::TypeScript(_) => vec![Tool::TSC, Tool::NODE],
            BuildRecipe::Go(_) => vec![Tool::GO],
            BuildRecipe::CSharp(_) => vec![Tool::MCS, Tool::MONO],
            BuildRecipe::Kotlin(_) => vec![Tool::KOTLINC, Tool::JAVA],
        }
    }

    /// Builds in the tool runner's folder.
    ///
    /// # Errors
    /// As [`build_source`](super::build_source), without those of copying.
    pub fn run_build(&self, runner: &mut ToolRunner) -> Result<RecipeOutput, BuildError> {
        match self {
            BuildRecipe::AsItIs(name) => {
                make_executable(&runner.open_folder()?, Path::new(name))?;
                let program = runner.work_folder().join(name);
                Ok(output_program([program.into()], AS_IT_IS))
            }
            BuildRecipe::Make => run_make(runner),
            BuildRecipe::CMake => run_cmake(runner),
            BuildRecipe::Python(name) => Ok(output_program(
                [runner.need_tool(Tool::PYTHON)?, file_argument(name)],
                "python3",
            )),
            BuildRecipe::Node(name) => run_by_node(runner, name, "node"),
            BuildRecipe::Hosted(host, main) => {
                hosted::make_hosted(host, &file_argument(main), runner)
            }
            BuildRecipe::Java(files) => compile_java(runner, files),
            BuildRecipe::Cpp(files) => compile_cpp(runner, files),
            BuildRecipe::C(files) => run_compiler(
                runner,
                Tool::CC,
                &[optimisation(runner), &["-std=gnu17"]].concat(),
                files,
                &[CHAR, "-I.", "-pthread", "-lm"],
            ),
            BuildRecipe::Cargo => run_cargo(runner),
            BuildRecipe::TypeScript(name) => compile_typescript(runner, name),
            BuildRecipe::Go(files) => compile_go(runner, files),
            BuildRecipe::CSharp(files) => compile_csharp(runner, files),
            BuildRecipe::Kotlin(files) => compile_kotlin(runner, files),
            BuildRecipe::Rust(name) => {
                let files = std::slice::from_ref(name);
                run_compiler(
                    runner,
                    Tool::RUSTC,
                    match runner.wants_debug_info() {
                        true => &["-g", "--edition", "2021"],
                        false => &["-O", "--edition", "2021"],
                    },
                    files,
                    &["--crate-name", "bot"],
                )
            }
        }
    }

    fn find_script(has: impl Fn(&str) -> bool) -> Option<BuildRecipe> {
        let found = |name: &str| has(name).then(|| OsString::from(name));
        let python = found("main.py").map(BuildRecipe::Python);
        python.or_else(|| {
            let script = found("main.js").or_else(|| found("main.mjs"));
            let script = script.map(BuildRecipe::Node);
            script.or_else(|| found("main.ts").map(BuildRecipe::TypeScript))
        })
    }
}

/// The script to run where none has the usual name: one called `main` in other letters (`Main.py`),
/// or the only one in the folder.
fn find_only_script(folder: &UntrustedFolder) -> Option<BuildRecipe> {
    let languages = [
        Language::Python,
        Language::JavaScript,
        Language::TypeScript,
        Language::Rust,
    ];
    let scripts = languages.into_iter().flat_map(|language| {
        let files = files_of(folder, language).unwrap_or_default();
        files.into_iter().map(move |name| (language, name))
    });
    let scripts: Vec<(Language, OsString)> = scripts.collect();
    let is_main = |name: &OsString| {
        let stem = Path::new(name).file_stem();
        stem.is_some_and(|stem| stem.eq_ignore_ascii_case("main"))
    };
    let mains: Vec<&(Language, OsString)> =
        scripts.iter().filter(|(_, name)| is_main(name)).collect();
    match (mains.as_slice(), scripts.as_slice()) {
        ([(language, name)], _) | ([], [(language, name)]) => {
            Some(BuildRecipe::of_file(*language, name.clone()))
        }
        _ => None,
    }
}

fn run_make(runner: &mut ToolRunner) -> Result<RecipeOutput, BuildError> {
    let before = ProgramSnapshot::take_snapshot(runner.work_folder());
    runner.run(Tool::MAKE, &[])?;
    let folder = runner.open_folder()?;
    match (
        program_since(runner, &before),
        BuildRecipe::find_script(|name| folder.leads_to_file(Path::new(name))),
    ) {
        (Some(program), _) => Ok(output_program([program.into()], "make")),
        (None, Some(script)) => {
            let script = script.run_build(runner)?;
            Ok(RecipeOutput {
                how: format!("make, {}", script.how),
                ..script
            })
        }
        (None, None) => Err(runner.no_program("make")),
    }
}

fn run_cmake(runner: &mut ToolRunner) -> Result<RecipeOutput, BuildError> {
    forget_cmake_cache(&runner.open_folder()?)?;
    let before = ProgramSnapshot::take_snapshot(runner.work_folder());
    runner.run(
        Tool::CMAKE,
        &to_os_strings(&[
            "-S",
            ".",
            "-B",
            "build",
            match runner.wants_debug_info() {
                true => "-DCMAKE_BUILD_TYPE=Debug",
                false => "-DCMAKE_BUILD_TYPE=Release",
            },
            "-DONLINE_JUDGE=1",
            "--no-warn-unused-cli",
        ]),
    )?;
    runner.run(Tool::CMAKE, &to_os_strings(&["--build", "build"]))?;
    let program = program_since(runner, &before).ok_or_else(|| runner.no_program("cmake"))?;
    Ok(output_program([program.into()], "cmake"))
}

/// Deletes a CMake cache in the source, which contains the author's folder; cmake would refuse it
/// or build there.
fn forget_cmake_cache(folder: &UntrustedFolder) -> Result<(), BuildError> {
    for cache in ["CMakeCache.txt", "build/CMakeCache.txt"].map(Path::new) {
        if folder.leads_to_file(cache) {
            let place = folder.follow_inside(cache).unwrap_or(cache.to_owned());
            let removed = folder.remove_file(&place);
            removed.map_err(BuildError::from_io("remove", cache))?;
        }
    }
    Ok(())
}

fn run_cargo(runner: &mut ToolRunner) -> Result<RecipeOutput, BuildError> {
    const HOW: &str = "cargo build --release";
    let symbols: &[&str] = match runner.wants_debug_info() {
        true => &[
            "--config",
            "profile.release.debug=2",
            "--config",
            "profile.release.opt-level=0",
        ],
        false => &[],
    };
    let line = [&["build", "--release", "--target-dir", "target"], symbols].concat();
    let mut line = to_os_strings(&line);
    if let Some(sources) = runner.libraries(LibraryKind::Rust) {
        let sources = format!("source.leitai.directory={:?}", sources.to_string_lossy());
        let replaced = "source.crates-io.replace-with=\"leitai\"";
        line.extend(to_os_strings(&[
            "--offline",
            "--config",
            replaced,
            "--config",
            &sources,
        ]));
    }
    runner.run(Tool::CARGO, &line)?;
    let release = ProgramSnapshot::take_snapshot(&runner.work_folder().join("target/release"));
    let program = release
        .made_since(&ProgramSnapshot::default())
        .ok_or_else(|| runner.no_program(HOW))?;
    Ok(output_program([program.as_os_str().to_owned()], HOW))
}

/// Compiles as C++17, and as C++20 if that fails. If both fail, the standard with fewer errors was
/// meant, or else the newer; the log begins with what was tried.
fn compile_cpp(runner: &mut ToolRunner, files: &[OsString]) -> Result<RecipeOutput, BuildError> {
    let flags = [&[CHAR, "-I.", "-pthread"], jsoncpp::lend(runner, files)?].concat();
    let with = |runner: &mut ToolRunner, standard| {
        run_compiler(
            runner,
            Tool::CXX,
            &[optimisation(runner), &[standard]].concat(),
            files,
            &flags,
        )
    };
    let older = match with(runner, "-std=c++17") {
        Err(BuildError::Failed { command, exit, log }) => (command, exit, log),
        made => return made,
    };
    runner.forget_log();
    match with(runner, "-std=gnu++20") {
        Err(BuildError::Failed { command, exit, log }) => {
            let newer = (command, exit, log);
            let meant = if older.2.len() < newer.2.len() {
                older
            } else {
                newer
            };
            let (command, exit, log) = meant;
            if let Some(missing) = jsoncpp::find_missing(&log) {
                return Err(missing);
            }
            let log = format!("{}\n{log}", describe_standards(runner));
            Err(BuildError::Failed { command, exit, log })
        }
        made => made,
    }
}

/// What was tried where C++ does not compile, for who wrote it for a newer compiler.
fn describe_standards(runner: &mut ToolRunner) -> String {
    runner.forget_log();
    let asked = runner.run(Tool::CXX, &to_os_strings(&["-dumpfullversion"]));
    let version = asked.map(|()| runner.log_text());
    let version = version.unwrap_or_default();
    format!("{} {}{NEITHER_STANDARD}", Tool::CXX.name, version.trim())
}

/// The end of the line that says what was tried: `g++ 12.2.0 takes it neither as C++17 nor as C++20`.
pub(super) const NEITHER_STANDARD: &str = " takes it neither as C++17 nor as C++20";

/// The optimisation of the C and C++ compilers.
fn optimisation(runner: &ToolRunner) -> &'static [&'static str] {
    match runner.wants_debug_info() {
        true => &["-O0", "-g"],
        false => &["-O2"],
    }
}

/// `char` has no sign on ARM, where `char c; while ((c = getchar()) != EOF)` never ends: programs
/// behave as on their authors' machines.
const CHAR: &str = "-fsigned-char";

/// Runs a compiler that makes one program from files.
fn run_compiler(
    runner: &mut ToolRunner,
    tool: Tool,
    shown: &[&str],
    files: &[OsString],
    flags: &[&str],
) -> Result<RecipeOutput, BuildError> {
    let files: Vec<OsString> = files.iter().map(|name| file_argument(name)).collect();
    let (before, after) = flags
        .iter()
        .partition::<Vec<&str>, _>(|flag| !flag.starts_with("-l"));
    let out = ["-o", PROGRAM];
    let line = [
        to_os_strings(shown),
        to_os_strings(&before),
        to_os_strings(&out),
        files,
        to_os_strings(&after),
    ]
    .concat();
    runner.run(tool, &line)?;
    let how = std::iter::once(tool.name)
        .chain(shown.iter().copied())
        .collect::<Vec<_>>()
        .join(" ");
    Ok(output_program(
        [runner.work_folder().join(PROGRAM).into()],
        &how,
    ))
}

fn compile_java(runner: &mut ToolRunner, files: &[OsString]) -> Result<RecipeOutput, BuildError> {
    let folder = runner.open_folder()?;
    let Some((file, class)) = main_class(&folder, files) else {
        let files = files
            .iter()
            .map(|name| name.to_string_lossy())
            .collect::<Vec<_>>()
            .join(", ");
        return Err(BuildError::NoMainClass {
            files,
            hosts: String::new(),
        });
    };
    let renamed = rename_to_class(&folder, &file, &class)?;
    let names = files
        .iter()
        .map(|name| file_argument(if *name == file { &renamed } else { name }));
    let symbols = runner.wants_debug_info().then(|| OsString::from("-g"));
    // A compiler that runs for a second is not worth being optimised itself: that takes a third of its
    // time.
    let flags = to_os_strings(&[
        "-J-XX:TieredStopAtLevel=1",
        "-J-XX:+UseSerialGC",
        "-encoding",
        "UTF-8",
        "-Xprefer:source",
        "-d",
        ".",
    ]);
    runner.run(
        Tool::JAVAC,
        &symbols
            .into_iter()
            .chain(flags)
            .chain(names)
            .collect::<Vec<_>>(),
    )?;
    run_by_java(runner, &[&class], "javac")
}

/// The program that the virtual machine of Java runs.
fn run_by_java(
    runner: &mut ToolRunner,
    program: &[&str],
    how: &str,
) -> Result<RecipeOutput, BuildError> {
    let memory = [
        "-XX:+UseSerialGC",
        "-XX:MaxRAM={memory}",
        "-XX:MaxRAMPercentage=60",
        "-Xss64m",
    ];
    let run = to_os_strings(&[&memory[..], &java::WARNINGS_TO_STDERR, program].concat());
    let java = runner.need_tool(Tool::JAVA)?;
    Ok(output_program([java].into_iter().chain(run), how))
}

/// The program that Node.js runs.
fn run_by_node(
    runner: &mut ToolRunner,
    script: &OsStr,
    how: &str,
) -> Result<RecipeOutput, BuildError> {
    let memory = "--max-heap-size={memory_mb}".into();
    let words = [runner.need_tool(Tool::NODE)?, memory, file_argument(script)];
    Ok(output_program(words, how))
}

/// Compiles to JavaScript beside the source. Without `@types/node`, which Debian has not, what Node.js
/// offers is of any type.
fn compile_typescript(runner: &mut ToolRunner, name: &OsStr) -> Result<RecipeOutput, BuildError> {
    const FLAGS: &str = "--target es2022 --lib es2022 --module commonjs --moduleResolution node --esModuleInterop \
                         --resolveJsonModule --skipLibCheck --pretty false";
    runner.need_tool(Tool::NODE)?;
    let mut line: Vec<OsString> = FLAGS.split_whitespace().map(OsString::from).collect();
    let own_types = Path::new("node_modules/@types/node/index.d.ts");
    if !runner.open_folder()?.leads_to_file(own_types) {
        let dir = runner.path_beside("host");
        std::fs::create_dir(&dir).map_err(BuildError::from_io("create", &dir))?;
        let types = Path::new("node.d.ts");
        UntrustedFolder::open(&dir)
            .and_then(|folder| folder.replace_file(types, include_bytes!("node.d.ts")))
            .map_err(BuildError::from_io("write", types))?;
        line.push(dir.join(types).into());
    }
    line.push(file_argument(name));
    runner.run(Tool::TSC, &line)?;
    let script = Path::new(name).with_extension("js");
    run_by_node(runner, script.as_os_str(), "tsc")
}

/// Compiles these files, or the module whose `go.mod` lies beside them.
fn compile_go(runner: &mut ToolRunner, files: &[OsString]) -> Result<RecipeOutput, BuildError> {
    let folder = runner.open_folder()?;
    let is_module = folder.leads_to_file(Path::new("go.mod"));
    let symbols = runner.wants_debug_info().then_some("-gcflags=-N -l");
    let flags = ["build", "-o", PROGRAM].into_iter().chain(symbols);
    let what = match is_module {
        true => vec![OsString::from(".")],
        false => beside(&folder, Language::Go, files),
    };
    let line: Vec<OsString> = flags.map(OsString::from).chain(what).collect();
    runner.run(Tool::GO, &line)?;
    let program = runner.work_folder().join(PROGRAM).into();
    Ok(output_program([program], "go build"))
}

fn compile_csharp(runner: &mut ToolRunner, files: &[OsString]) -> Result<RecipeOutput, BuildError> {
    let program = format!("{PROGRAM}.exe");
    let flags = match runner.wants_debug_info() {
        true => ["-debug", "-nologo"],
        false => ["-optimize+", "-nologo"],
    };
    let out = format!("-out:{program}");
    let flags = flags.into_iter().chain([&*out]).map(OsString::from);
    let files = beside(&runner.open_folder()?, Language::CSharp, files);
    let mono = runner.need_tool(Tool::MONO)?;
    if runner.sandbox_tier() == Tier::C {
        return Err(BuildError::ToolUnusable {
            tool: Tool::MONO.name,
            file: mono.into(),
            why: "in tier C it does not start: it reads /proc/self/maps and sets the priority of its threads",
            next: "use tier A or B: leitai doctor says what is missing".to_owned(),
        });
    }
    runner.run(Tool::MCS, &flags.chain(files).collect::<Vec<_>>())?;
    let words = [
        mono,
        "--gc-params=max-heap-size={memory_mb}m".into(),
        program.into(),
    ];
    Ok(output_program(words, "mcs"))
}

fn compile_kotlin(runner: &mut ToolRunner, files: &[OsString]) -> Result<RecipeOutput, BuildError> {
    let program = format!("{PROGRAM}.jar");
    // As with javac, a compiler that runs for seconds is not worth being optimised much.
    let flags = to_os_strings(&[
        "-J-XX:TieredStopAtLevel=1",
        "-J-XX:+UseSerialGC",
        "-J-Xmx384M",
        "-include-runtime",
        "-d",
        &program,
    ]);
    let files = beside(&runner.open_folder()?, Language::Kotlin, files);
    runner.need_tool(Tool::JAVA)?;
    runner.run(Tool::KOTLINC, &[flags, files].concat())?;
    run_by_java(runner, &["-jar", &program], "kotlinc")
}

/// All files of the language that came along, as arguments: those of one package see each other, so that
/// a file given alone comes with others only where it names them.
fn beside(folder: &UntrustedFolder, language: Language, files: &[OsString]) -> Vec<OsString> {
    let all = files_of(folder, language).unwrap_or_else(|| files.to_vec());
    all.iter().map(|name| file_argument(name)).collect()
}

/// The first of `files` with a `main`, and the class that contains it. `Main.java` is searched
/// first.
fn main_class(folder: &UntrustedFolder, files: &[OsString]) -> Option<(OsString, String)> {
    const LOOKED_AT: u64 = 4 << 20;
    let text_of = |name: &OsString| {
        let bytes = folder.start_of(Path::new(name), LOOKED_AT)?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    };
    let main_first = files
        .iter()
        .filter(|name| *name == "Main.java")
        .chain(files);
    main_first
        .into_iter()
        .find_map(|name| Some((name.clone(), java::main_class(&text_of(name)?)?)))
}

/// Renames a file to its public class, as Java requires and authors may not have done. Returns the
/// file's name.
fn rename_to_class(
    folder: &UntrustedFolder,
    file: &OsStr,
    class: &str,
) -> Result<OsString, BuildError> {
    let simple = class.rsplit('.').next().unwrap_or(class);
    let wanted = OsString::from(format!("{simple}.java"));
    if wanted == file {
        return Ok(wanted);
    }
    match folder.rename(Path::new(file), Path::new(&wanted)) {
        Ok(()) => Ok(wanted),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(file.to_owned()),
        Err(error) => Err(BuildError::from_io("rename", Path::new(file))(error)),
    }
}

/// Makes a file of a folder executable for everybody.
fn make_executable(folder: &UntrustedFolder, name: &Path) -> Result<(), BuildError> {
    let place = folder.follow_inside(name).unwrap_or(name.to_owned());
    folder
        .set_mode(&place, 0o755)
        .map_err(BuildError::from_io("make executable", name))
}

fn program_since(runner: &ToolRunner, before: &ProgramSnapshot) -> Option<PathBuf> {
    ProgramSnapshot::take_snapshot(runner.work_folder())
        .made_since(before)
        .map(Path::to_owned)
}

/// The names of all files of a language directly in `dir`, in alphabetical order; `None` if there
/// are none.
fn files_of(folder: &UntrustedFolder, language: Language) -> Option<Vec<OsString>> {
    const LOOKED_AT: usize = 100_000;
    let entries = folder.list(Path::new(""), LOOKED_AT).ok()?;
    let mut names: Vec<OsString> = entries.into_iter().map(|(name, _)| name).collect();
    names.retain(|name| {
        let path = Path::new(name);
        Language::from_path(path) == Some(language) && folder.leads_to_file(path)
    });
    names.sort_unstable();
    (!names.is_empty()).then_some(names)
}

/// Whether `cmake .` generated this Makefile in the source folder: it contains the folder in which
/// it was generated, so the CMakeLists.txt beside it is the recipe.
pub(super) fn is_generated(folder: &UntrustedFolder, makefile: &Path) -> bool {
    let start = folder.start_of(makefile, 64);
    start.is_some_and(|start| start.starts_with(b"# CMAKE generated file"))
}

fn output_program(argv: impl IntoIterator<Item = OsString>, how: &str) -> RecipeOutput {
    RecipeOutput {
        argv: argv.into_iter().collect(),
        how: how.to_owned(),
    }
}

fn to_os_strings(words: &[&str]) -> Vec<OsString> {
    words.iter().map(OsString::from).collect()
}

/// A file name as an argument that no tool takes for an option (a leading hyphen) or a list of
/// arguments (a leading at sign).
fn file_argument(name: &OsStr) -> OsString {
    if name.as_encoded_bytes().starts_with(b"-") || name.as_encoded_bytes().starts_with(b"@") {
        Path::new(".").join(name).into_os_string()
    } else {
        name.to_owned()
    }
}
