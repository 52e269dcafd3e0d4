//! Where a tool of this machine really is. In somebody's home there are version managers: what `PATH` finds is a script
//! that looks for the tool, and the sandbox shows a program neither. So the tool itself is asked, once.

use super::BuildError;
use super::tools::Tool;
use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;

/// A tool, and what it needs to be readable besides the system's folders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Runtime {
    /// Its file.
    pub file: PathBuf,
    /// Folders that it needs.
    pub reads: Vec<PathBuf>,
}

/// Folders that every sandboxed program can read.
const SYSTEM: [&str; 6] = ["/usr", "/bin", "/sbin", "/lib", "/lib64", "/nix/store"];

static KNOWN: Mutex<Option<HashMap<&'static str, Runtime>>> = Mutex::new(None);

impl Runtime {
    /// Of a tool.
    ///
    /// # Errors
    /// [`BuildError::ToolMissing`].
    pub fn of(tool: Tool) -> Result<Runtime, BuildError> {
        let mut known = KNOWN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let known = known.get_or_insert_default();
        if let Some(runtime) = known.get(tool.name) {
            return Ok(runtime.clone());
        }
        let found = PathBuf::from(tool.find()?);
        let runtime = Runtime::at(tool, &found);
        known.insert(tool.name, runtime.clone());
        Ok(runtime)
    }

    fn at(tool: Tool, found: &Path) -> Runtime {
        let real = found.canonicalize().unwrap_or_else(|_| found.to_owned());
        if in_system(found) && in_system(&real) {
            return Runtime { file: found.to_owned(), reads: Vec::new() };
        }
        told(tool, found).filter(|runtime| runtime.file.is_file()).unwrap_or_else(|| Runtime::around(real))
    }

    /// For a tool that lies in the `bin` of its folder.
    fn around(file: PathBuf) -> Runtime {
        let bin = file.parent().unwrap_or(Path::new("/usr/bin"));
        let root = bin.parent().filter(|root| bin.ends_with("bin") && !is_shared(root)).unwrap_or(bin);
        let reads =
            if in_system(root) || is_shared(root) { vec![file.clone()] } else { vec![root.to_owned()] };
        Runtime { file, reads }
    }
}

/// The interpreter that the first line of a script names, if it is one of ours: for a script that is run as it is.
pub fn of_script(path: &Path) -> Option<Runtime> {
    let mut start = Vec::new();
    std::fs::File::open(path).ok()?.take(256).read_to_end(&mut start).ok()?;
    let line = std::str::from_utf8(start.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?).ok()?;
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    let first = Path::new(words.first()?);
    let name = if first.ends_with("env") { Path::new(words.get(1)?) } else { first };
    if name.is_absolute() {
        return (!in_system(name)).then(|| Runtime::around(name.to_owned()));
    }
    let tool = [Tool::PYTHON, Tool::NODE].into_iter().find(|tool| Path::new(tool.name) == name)?;
    Runtime::of(tool).ok()
}

/// `PATH` for programs that look for these tools themselves.
pub fn search_path(runtimes: &[Runtime]) -> OsString {
    let own = runtimes.iter().filter_map(|runtime| runtime.file.parent()).filter(|dir| !in_system(dir));
    let system = ["/usr/local/bin", "/usr/bin", "/bin"].map(Path::new);
    std::env::join_paths(own.chain(system)).unwrap_or_else(|_| "/usr/local/bin:/usr/bin:/bin".into())
}

/// Whether a folder holds more than one program: the root, homes, and what is above them.
pub fn is_shared(folder: &Path) -> bool {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let homes = [home, Some("/root".into()), Some("/home".into()), Some(std::env::temp_dir())];
    homes.into_iter().flatten().any(|home| home.starts_with(folder))
        || folder.parent() == Some(Path::new("/home"))
        || in_system(folder)
}

fn in_system(path: &Path) -> bool {
    SYSTEM.iter().any(|system| path.starts_with(system))
}

/// What a tool says of itself.
fn told(tool: Tool, found: &Path) -> Option<Runtime> {
    const PYTHON: &str = "import sys; print(sys.executable); print(sys.prefix); print(sys.base_prefix)";
    match tool.name {
        "python3" => {
            let lines = ask(found, &["-c", PYTHON])?;
            let (file, roots) = lines.split_first()?;
            let reads = roots.iter().filter(|root| !in_system(root) && !is_shared(root)).cloned();
            Some(Runtime { file: file.clone(), reads: reads.collect() })
        }
        "node" => Some(Runtime::around(ask(found, &["-p", "process.execPath"])?.first()?.clone())),
        "rustc" | "cargo" => {
            let root = ask(&found.with_file_name("rustc"), &["--print", "sysroot"])?.first()?.clone();
            Some(Runtime { file: root.join("bin").join(tool.name), reads: vec![root] })
        }
        _ => None,
    }
}

fn ask(tool: &Path, words: &[&str]) -> Option<Vec<PathBuf>> {
    let mut command = Command::new(tool);
    command.args(words).stdin(Stdio::null()).stderr(Stdio::null());
    command.envs(super::tools::rustup_home().map(|home| ("RUSTUP_HOME", home)));
    let output = command.output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.lines().map(|line| PathBuf::from(OsStr::new(line))).collect())
}
