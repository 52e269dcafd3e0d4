//! From a path on the command line, or an upload, to a program that can be started.
//!
//! A [`Source`] is recognised by looking at the path; [`build()`] copies it into a fresh folder, builds it there with
//! the tools of this machine and says how to run the outcome. The contestant's own folder is never written to.
//!
//! | module | noun |
//! |---|---|
//! | [`ready`] | from a path to an entrant that is ready to play |
//! | [`source`] | what was handed in |
//! | [`recipe`] | how a folder is built and run |
//! | [`hosted`] | bots that a host of the game runs |
//! | [`tree`] | bounded copies of files and folders |
//! | [`unzip`] | the same for archives |
//! | [`tools`] | compilers: where they are, how they are run |
//! | [`runtime`] | where a tool really is |
//! | [`product`] | the program among the files that a build left |
//! | [`java`] | which class has the `main` |
//! | [`dialect`] | the marker that names a dialect |
//! | [`error`] | what goes wrong |
//!
//! ```no_run
//! use leitai_judge::build::{Limits, Source, build};
//! use leitai_sandbox::Sandbox;
//! use std::path::Path;
//!
//! let source = Source::detect(Path::new("./mybot"), &[])?;
//! let built = build(&source, Path::new("/tmp/leitai"), &Limits::default(), &[], &Sandbox::none())?;
//! println!("mybot built with {} in {:.1} s", built.how, built.took.as_secs_f64());
//! # Ok::<(), leitai_judge::build::BuildError>(())
//! ```

pub mod dialect;
pub mod error;
pub mod hosted;
pub mod java;
pub mod product;
pub mod ready;
pub mod recipe;
pub mod runtime;
pub mod source;
pub mod tools;
pub mod tree;
pub mod unzip;

pub use error::BuildError;
pub use hosted::wrap;
pub use ready::{Ready, Wish, ready};
pub use source::{Language, Source};
pub use tools::Ear;
pub use tree::Bounds;

use leitai_game::Host;
use leitai_sandbox::{Program, Sandbox, Tier, Workroom};
use recipe::Recipe;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tools::Workshop;

/// A program that can be started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Built {
    /// How to start it. Its working directory holds the files that were handed in beside it. It has no limits yet.
    pub program: Program,
    /// What built it, or what runs it if nothing had to be built: `make`, `g++ -O2 -std=c++17`, `python3`,
    /// `as it is`, `host java`.
    pub how: String,
    /// How long copying and building took.
    pub took: Duration,
    /// What the tools said, for instance warnings; the beginning and the end if it was much.
    pub log: String,
    /// What the contestant should know although the build succeeded, one sentence each.
    pub notes: Vec<String>,
    /// The dialect that the host speaks, or that the main source file asks for, see [`dialect`]; the latter is not
    /// checked against any game.
    pub dialect: Option<String>,
    /// The host of the game that runs it, by name.
    pub host: Option<&'static str>,
}

/// What a build may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Wall time of all tools of one build together; then they are killed. 60 s unless told.
    pub wall: Duration,
    /// How much is copied or unpacked.
    pub bounds: Bounds,
    /// What a tool may use, [`leitai_sandbox::Limits::TOOL`] unless told.
    pub process: leitai_sandbox::Limits,
}

impl Default for Limits {
    fn default() -> Self {
        let process = leitai_sandbox::Limits::TOOL;
        Limits { wall: Duration::from_secs(60), bounds: Bounds::FOLDER, process }
    }
}

/// Builds `source` in a fresh folder inside `work`, which is created if need be.
///
/// On success the fresh folder stays, because the program runs there: it lives as long as the caller keeps `work`.
/// On failure it is removed. A source that one of the game's `hosts` takes is built and run by that. An executable file is not copied: it runs where it is, in its own folder.
///
/// # Errors
/// Everything in [`BuildError`]; [`BuildError::is_ours`] tells the contestant's mistakes from this machine's.
pub fn build(
    source: &Source,
    work: &Path,
    limits: &Limits,
    hosts: &'static [Host],
    sandbox: &Sandbox,
) -> Result<Built, BuildError> {
    build_heard(source, work, limits, hosts, sandbox, None)
}

/// The same, and somebody hears what the tools say while they run.
///
/// # Errors
/// As [`build`].
pub fn build_heard(
    source: &Source,
    work: &Path,
    limits: &Limits,
    hosts: &'static [Host],
    sandbox: &Sandbox,
    ear: Option<Ear>,
) -> Result<Built, BuildError> {
    let start = Instant::now();
    let mut built = match source {
        Source::Executable { path, runnable: true } if may_stay(path, sandbox) => {
            run_in_place(path, sandbox)?
        }
        _ => build_in_fresh_folder(source, work, limits, hosts, sandbox, ear)?,
    };
    built.took = start.elapsed();
    Ok(built)
}

/// Whether a program may be run where it is. In the sandbox its folder is what it can read: a folder that holds other
/// things, too, is not shown to it, and neither can one be shown that is closed to other users. Then it is copied.
fn may_stay(path: &Path, sandbox: &Sandbox) -> bool {
    let Ok(path) = absolute(path) else { return false };
    let Some(folder) = path.parent() else { return false };
    let open = |path: &Path, bits: u32| std::fs::metadata(path).is_ok_and(|meta| meta.mode() & bits == bits);
    let shown = !runtime::is_shared(folder) && open(folder, 0o005) && open(&path, 0o005);
    sandbox.tier() == Tier::None || shown
}

/// The absolute path of a file, without `..` and links on the way there: the view of a program has only the folders that
/// the path names. A link at its end is not resolved: the folder it lies in is the one that the contestant means.
fn absolute(path: &Path) -> std::io::Result<PathBuf> {
    let path = std::path::absolute(path)?;
    match (path.parent(), path.file_name()) {
        (Some(folder), Some(name)) => Ok(folder.canonicalize()?.join(name)),
        _ => path.canonicalize(),
    }
}

fn run_in_place(path: &Path, sandbox: &Sandbox) -> Result<Built, BuildError> {
    let path = absolute(path).map_err(BuildError::io("find", path))?;
    let dir = path.parent().expect("a file is in a folder").to_owned();
    let mut shop = Workshop::new(dir.clone(), dir.join("tmp"), &Limits::default(), sandbox.clone());
    shop.add_interpreter(&path)?;
    Ok(Built {
        dialect: dialect::of_file(&path),
        program: shop.program(vec![path.into_os_string()]),
        how: "as it is".into(),
        took: Duration::ZERO,
        log: String::new(),
        notes: Vec::new(),
        host: None,
    })
}

fn build_in_fresh_folder(
    source: &Source,
    work: &Path,
    limits: &Limits,
    hosts: &'static [Host],
    sandbox: &Sandbox,
    ear: Option<Ear>,
) -> Result<Built, BuildError> {
    let room = fresh_folder(work)?;
    let (files, tmp) = (room.path().join("files"), room.path().join("tmp"));
    for dir in [&files, &tmp] {
        std::fs::create_dir(dir).map_err(BuildError::io("create", dir))?;
    }
    let laid = lay_out(source, &files, limits.bounds, hosts)?;
    let marked = || laid.recipe.sources().iter().find_map(|name| dialect::of_file(&laid.dir.join(name)));
    let host = laid.recipe.host();
    let dialect = host.map(|host| host.dialect.to_owned()).or_else(marked);
    let mut shop = Workshop::new(laid.dir, tmp, limits, sandbox.clone()).heard_by(ear);
    tree::open_to_all(room.path());
    let made = laid.recipe.make(&mut shop)?;
    if let Some(file) = made.argv.first() {
        shop.add_program(Path::new(file), &made.how)?;
    }
    tree::open_to_all(room.path());
    room.keep();
    Ok(Built {
        program: shop.program(made.argv),
        how: made.how,
        took: Duration::ZERO,
        log: shop.into_log(),
        notes: laid.notes,
        dialect,
        host: host.map(|host| host.name),
    })
}

fn fresh_folder(work: &Path) -> Result<Workroom, BuildError> {
    std::fs::create_dir_all(work).map_err(BuildError::io("create", work))?;
    let work = work.canonicalize().map_err(BuildError::io("find", work))?;
    Workroom::inside(&work, "bot-").map_err(BuildError::io("create a folder in", &work))
}

/// A copy of what was handed in, ready to be built.
struct LaidOut {
    dir: PathBuf,
    recipe: Recipe,
    notes: Vec<String>,
}

fn lay_out(
    source: &Source,
    files: &Path,
    bounds: Bounds,
    hosts: &'static [Host],
) -> Result<LaidOut, BuildError> {
    match source {
        Source::Executable { path, .. } => {
            let (name, notes) = tree::copy_file_and_siblings(path, files)?;
            tree::make_executable(&files.join(&name))?;
            Ok(LaidOut { dir: files.to_owned(), recipe: Recipe::AsItIs(name), notes })
        }
        Source::File { path, language } => {
            let (name, notes) = tree::copy_file_and_siblings(path, files)?;
            let recipe = match hosted::host_of(hosts, &files.join(&name)) {
                Some(host) => Recipe::Hosted(host, name),
                None => Recipe::of_file(*language, name),
            };
            Ok(LaidOut { dir: files.to_owned(), recipe, notes })
        }
        Source::Folder { path } => {
            let notes = tree::copy_folder(path, files, bounds)?;
            lay_out_folder(path, files.to_owned(), notes, hosts)
        }
        Source::Zip { path } => {
            unzip::unzip(path, files, bounds)?;
            lay_out_folder(path, unzip::enter_single_folder(files), Vec::new(), hosts)
        }
    }
}

fn lay_out_folder(
    from: &Path,
    dir: PathBuf,
    notes: Vec<String>,
    hosts: &'static [Host],
) -> Result<LaidOut, BuildError> {
    match Recipe::find(&dir, hosts) {
        Some(recipe) => Ok(LaidOut { dir, recipe, notes }),
        None => Err(BuildError::nothing_usable(from, &dir)),
    }
}
