//! Finds the real location of a tool of this machine. Homes may contain version managers: then
//! `PATH` leads to a script that looks for the tool, and the sandbox can see neither. So the tool
//! itself is asked once.

use super::BuildError;
use super::libraries::{LibraryKind, normal_name};
use super::tool::{Tool, is_program_file, rustup_home};
use leitai_sandbox::UntrustedFolder;
use std::collections::{BTreeMap, HashMap};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;

/// A tool, and the folders that it must be able to read besides the system's.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub struct ToolRuntime {
    pub file: PathBuf,
    /// The folders that it needs.
    pub reads: Vec<PathBuf>,
}

/// Folders that every sandboxed program can read.
const SYSTEM: [&str; 6] = ["/usr", "/bin", "/sbin", "/lib", "/lib64", "/nix/store"];

static KNOWN: Mutex<Option<HashMap<&'static str, ToolRuntime>>> = Mutex::new(None);

impl Tool {
    /// The runtime of the tool in the sandbox.
    ///
    /// # Errors
    /// [`BuildError::ToolMissing`], [`BuildError::ToolUnusable`].
    pub fn find_usable(self) -> Result<ToolRuntime, BuildError> {
        let runtime = ToolRuntime::find_runtime(self)?;
        if runtime.file.ends_with("rustup") {
            return Err(BuildError::ToolUnusable {
                tool: self.name,
                file: runtime.file,
                why: "it is rustup, which has no toolchain for this user",
                next: "set RUSTUP_HOME to where its toolchains are, or run rustup default stable"
                    .to_owned(),
            });
        }
        Ok(runtime)
    }
}

impl ToolRuntime {
    /// Finds the runtime of a tool; the result is cached for the process.
    ///
    /// # Errors
    /// [`BuildError::ToolMissing`].
    pub fn find_runtime(tool: Tool) -> Result<ToolRuntime, BuildError> {
        let mut known = KNOWN
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        let known = known.get_or_insert_default();
        if let Some(runtime) = known.get(tool.name) {
            return Ok(runtime.clone());
        }
        let found = PathBuf::from(tool.find_command()?);
        let runtime = ToolRuntime::resolve_runtime(tool, &found);
        known.insert(tool.name, runtime.clone());
        Ok(runtime)
    }

    fn resolve_runtime(tool: Tool, found: &Path) -> ToolRuntime {
        let real = found.canonicalize().unwrap_or_else(|_| found.to_owned());
        if in_system(found) && in_system(&real) {
            return ToolRuntime {
                file: found.to_owned(),
                reads: Vec::new(),
            };
        }
        ask_tool(tool, found)
            .filter(|runtime| runtime.file.is_file())
            .unwrap_or_else(|| ToolRuntime::from_file(real))
    }

    /// The runtime of a tool that lies in the `bin` of its folder. If the folder contains other
    /// things, too, only the file is made readable.
    fn from_file(file: PathBuf) -> ToolRuntime {
        let file = file.canonicalize().unwrap_or(file);
        let bin = file.parent().unwrap_or(Path::new("/usr/bin"));
        let root = bin
            .parent()
            .filter(|root| bin.ends_with("bin") && !is_shared(root))
            .unwrap_or(bin);
        let reads = if in_system(root) || is_shared(root) {
            vec![file.clone()]
        } else {
            vec![root.to_owned()]
        };
        ToolRuntime { file, reads }
    }

    /// Whether a file belongs to the runtime.
    fn contains_path(&self, path: &Path) -> bool {
        self.reads.iter().any(|read| path.starts_with(read))
    }
}

/// The interpreter that the first line of a script names, if the script needs more than the
/// system's folders to run. The line is untrusted: it only chooses among the folders that the judge
/// found itself, and adds none.
///
/// # Errors
/// [`BuildError::Interpreter`] for a line that no sandbox can run.
pub fn of_script(folder: &UntrustedFolder, name: &Path) -> Result<Option<ToolRuntime>, BuildError> {
    let Some(line) = first_line(folder, name) else {
        return Ok(None);
    };
    let mut words = line
        .split(|byte| b" \t\0".contains(byte))
        .filter(|word| !word.is_empty());
    let Some(first) = words.next().map(as_path) else {
        return Ok(None);
    };
    let path = folder.path().join(name);
    let folder = path.parent().unwrap_or(&path);
    let found = find_interpreter(first, folder).and_then(|found| match env_command(first, words) {
        Some(name) if name.as_os_str().as_bytes().contains(&b'/') => find_interpreter(name, folder),
        Some(name) => Ok(runtime_named(name)),
        None => Ok(found),
    });
    found.map_err(|why| BuildError::Interpreter {
        script: path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned(),
        why,
    })
}

/// The text after `#!` in the first line, as far as the kernel reads it.
fn first_line(folder: &UntrustedFolder, name: &Path) -> Option<Vec<u8>> {
    const KERNEL_READS: u64 = 256;
    folder
        .read_start(name, KERNEL_READS)
        .ok()?
        .strip_prefix(b"#!")?
        .split(|byte| *byte == b'\n')
        .next()
        .map(<[u8]>::to_vec)
}

fn as_path(bytes: &[u8]) -> &Path {
    Path::new(OsStr::from_bytes(bytes))
}

/// The command that `env` would run, if the interpreter is `env`.
fn env_command<'a>(first: &Path, words: impl Iterator<Item = &'a [u8]>) -> Option<&'a Path> {
    const SPLIT: [&[u8]; 3] = [b"--split-string=", b"-vS", b"-S"];
    let glued = |word: &'a [u8]| {
        SPLIT
            .iter()
            .find_map(|option| word.strip_prefix(*option))
            .unwrap_or(word)
    };
    let is_command =
        |word: &&[u8]| !word.is_empty() && !word.starts_with(b"-") && !word.contains(&b'=');
    (first.file_name() == Some(OsStr::new("env")))
        .then(|| words.map(glued).find(is_command).map(as_path))?
}

/// The runtime that a script finds in its `PATH` under this name.
fn runtime_named(name: &Path) -> Option<ToolRuntime> {
    let name = name.to_str()?;
    let is_python = name
        .strip_prefix("python")
        .is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit() || c == '.'));
    match name {
        "node" | "nodejs" => ToolRuntime::find_runtime(Tool::NODE).ok(),
        _ if is_python => ToolRuntime::find_runtime(Tool::PYTHON).ok(),
        _ => None,
    }
}

/// The runtime that contains a path; `None` if the path is in the system's folders or among the
/// script's own files; otherwise the reason why it cannot be run. Neither the written nor the
/// resolved path may lead elsewhere.
fn find_interpreter(name: &Path, folder: &Path) -> Result<Option<ToolRuntime>, String> {
    let said = show_path(name);
    if name.components().any(|part| part == Component::ParentDir) {
        return Err(format!("its first line names {said}, which has `..` in it"));
    }
    if name.as_os_str().as_bytes().ends_with(b"\r") {
        return Err(
            "its first line ends with a carriage return, as on Windows; save it with Unix line ends".into()
        );
    }
    if name.is_relative() || name.starts_with(folder) {
        return Ok(None);
    }
    let runtime = if in_system(name) {
        None
    } else {
        list_installed()
            .into_iter()
            .find(|runtime| runtime.contains_path(name))
    };
    if runtime.is_none() && !in_system(name) {
        return Err(format!(
            "its first line names {said}, which is outside the system's folders and those of this machine's Python and Node"
        ));
    }
    let real = name
        .canonicalize()
        .map_err(|_| format!("its first line names {said}, which is not on this machine"))?;
    let allowed = in_system(&real)
        || runtime
            .as_ref()
            .is_some_and(|runtime| runtime.contains_path(&real));
    let linked = if allowed {
        None
    } else {
        list_installed()
            .into_iter()
            .find(|runtime| runtime.contains_path(&real))
    };
    if !allowed && linked.is_none() {
        return Err(format!(
            "its first line names {said}, which leads out of the system's folders"
        ));
    }
    match is_program_file(&real) {
        true => Ok(runtime.or(linked)),
        false => Err(format!(
            "its first line names {said}, which is not a program"
        )),
    }
}

/// The runtimes of scripts on this machine.
fn list_installed() -> Vec<ToolRuntime> {
    [Tool::PYTHON, Tool::NODE]
        .into_iter()
        .filter_map(|tool| ToolRuntime::find_runtime(tool).ok())
        .collect()
}

/// A path from an untrusted file, short and without control characters.
fn show_path(name: &Path) -> String {
    const SHOWN: usize = 100;
    name.to_string_lossy()
        .chars()
        .take(SHOWN)
        .flat_map(char::escape_debug)
        .collect()
}

/// The value of `PATH` for programs that look for these tools themselves.
pub fn search_path(runtimes: &[ToolRuntime]) -> OsString {
    let own = runtimes
        .iter()
        .filter_map(|runtime| runtime.file.parent())
        .filter(|dir| !in_system(dir));
    let system = ["/usr/local/bin", "/usr/bin", "/bin"].map(Path::new);
    std::env::join_paths(own.chain(system))
        .unwrap_or_else(|_| "/usr/local/bin:/usr/bin:/bin".into())
}

/// Whether a folder contains more than one program: the root and the folders directly in it, homes
/// and the folders above them, and the usual shared folders of systems and people.
pub fn is_shared(folder: &Path) -> bool {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let depth = folder
        .components()
        .filter(|part| matches!(part, Component::Normal(_)))
        .count();
    let in_home = |home: &PathBuf| {
        [".local", ".config", ".cache"]
            .iter()
            .any(|name| home.join(name) == folder)
    };
    let homes = [
        home,
        Some("/root".into()),
        Some("/home".into()),
        Some(std::env::temp_dir()),
    ];
    homes
        .into_iter()
        .flatten()
        .any(|home| home.starts_with(folder) || in_home(&home))
        || depth < 2
        || folder
            .parent()
            .is_some_and(|above| above == Path::new("/home") || above == Path::new("/var"))
        || ["/dev", "/proc", "/run", "/sys"]
            .iter()
            .any(|system| folder.starts_with(system))
        || in_system(folder)
}

fn in_system(path: &Path) -> bool {
    SYSTEM.iter().any(|system| path.starts_with(system))
}

/// Asks a tool for its location.
fn ask_tool(tool: Tool, found: &Path) -> Option<ToolRuntime> {
    const PYTHON: &str =
        "import sys; print(sys.executable); print(sys.prefix); print(sys.base_prefix)";
    match tool.name {
        "python3" => {
            let lines = run_query(found, &["-I", "-c", PYTHON])?;
            let (file, roots) = lines.split_first()?;
            let shown = |root: &&PathBuf| {
                let real = root.canonicalize();
                [Some(*root), real.as_ref().ok()]
                    .into_iter()
                    .flatten()
                    .all(|root| !in_system(root) && !is_shared(root))
            };
            Some(ToolRuntime {
                file: file.clone(),
                reads: roots.iter().filter(shown).cloned().collect(),
            })
        }
        "node" => Some(ToolRuntime::from_file(
            run_query(found, &["-p", "process.execPath"])?
                .first()?
                .clone(),
        )),
        "rustc" | "cargo" => {
            let root = run_query(&found.with_file_name("rustc"), &["--print", "sysroot"])?
                .first()?
                .clone();
            Some(ToolRuntime {
                file: root.join("bin").join(tool.name),
                reads: vec![root],
            })
        }
        _ => None,
    }
}

/// The versions of those of these packages that Python finds by itself.
pub(super) fn python_versions(names: &[&str]) -> BTreeMap<String, String> {
    const ASKED: &str = "import importlib.metadata\n\
        [print(d.metadata['Name'],d.version)for d in importlib.metadata.distributions()]";
    let found = ToolRuntime::find_runtime(Tool::PYTHON);
    let found = found.ok().filter(|_| !names.is_empty());
    let lines = found.and_then(|python| run_query(&python.file, &["-I", "-c", ASKED]));
    let pair = |line: PathBuf| {
        let line = line.into_os_string().into_string().ok()?;
        let (name, version) = line.split_once(' ')?;
        let name = normal_name(LibraryKind::Python, name);
        let asked = names.contains(&&*name);
        asked.then(|| (name, version.to_owned()))
    };
    lines.into_iter().flatten().filter_map(pair).collect()
}

/// The first line of what each tool says of its version, of those that are installed.
pub fn tool_versions() -> Vec<(&'static str, String)> {
    let version = |tool: &Tool| {
        let runtime = ToolRuntime::find_runtime(*tool).ok()?;
        let said = run_query(&runtime.file, &["--version"])?;
        let line = said.first()?.to_str()?.chars().take(100).collect();
        Some((tool.name, line))
    };
    Tool::ALL.iter().filter_map(version).collect()
}

/// Runs a query in `/`, because the current folder may contain files of a user that version
/// managers and tools read.
fn run_query(tool: &Path, words: &[&str]) -> Option<Vec<PathBuf>> {
    let mut command = Command::new(tool);
    command
        .args(words)
        .current_dir("/")
        .stdin(Stdio::null())
        .stderr(Stdio::null());
    command.envs(rustup_home().map(|home| ("RUSTUP_HOME", home)));
    let output = command.output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| {
        text.lines()
            .map(|line| PathBuf::from(OsStr::new(line)))
            .collect()
    })
}
