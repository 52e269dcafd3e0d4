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
//! | [`along`], [`includes`] | what comes along with a program of one file |
//! | [`foreign`] | files that are mistaken for bots |
//! | [`unzip`] | the same for archives |
//! | [`tools`] | compilers: where they are, how they are run |
//! | [`allowance`] | the time of a build |
//! | [`cache`] | builds that are kept |
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

pub mod allowance;
pub mod along;
pub mod cache;
pub mod dialect;
pub mod error;
pub mod foreign;
pub mod hosted;
pub mod includes;
pub mod java;
pub mod product;
pub mod ready;
pub mod recipe;
pub mod runtime;
pub mod source;
pub mod tools;
pub mod tree;
pub mod unzip;

pub use cache::Cache;
pub use error::BuildError;
pub use hosted::wrap;
pub use ready::{Ready, Request, Wish};
pub use source::{Language, Source};
pub use tools::Ear;
pub use tree::Bounds;

use leitai_game::Host;
use leitai_sandbox::{Program, Sandbox, Tier, Workroom};
use recipe::{Made, Recipe};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tools::{Tool, Workshop};

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
    /// Whether it was built before, and kept.
    pub kept: bool,
    /// Whether its source speaks of the file in which other sites hand a program its input.
    pub names_input_file: bool,
}

/// What a build may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// CPU time of all tools of one build together; then they are killed. 30 s unless told.
    pub cpu: Duration,
    /// Wall time of all tools together, and what the machine withheld in addition. Four times the CPU time unless told.
    pub wall: Duration,
    /// How much is copied or unpacked.
    pub bounds: Bounds,
    /// What a tool may use, [`leitai_sandbox::Limits::TOOL`] unless told.
    pub process: leitai_sandbox::Limits,
}

impl Default for Limits {
    fn default() -> Self {
        Limits::of_cpu_time(Duration::from_secs(30))
    }
}

impl Limits {
    /// For builds that compute so long.
    pub fn of_cpu_time(cpu: Duration) -> Limits {
        let process = leitai_sandbox::Limits::TOOL;
        Limits { cpu, wall: cpu.saturating_mul(4), bounds: Bounds::FOLDER, process }
    }

    /// What the kernel lets a single process compute: a little more, so that the judge is there first and says why.
    fn kernel_seconds(&self) -> Option<u64> {
        Some(self.cpu.as_secs().saturating_add(2))
    }
}

/// What programs are built with.
#[derive(Clone, Copy, Debug)]
pub struct Builder<'a> {
    /// Where tools run.
    pub sandbox: &'a Sandbox,
    /// What a build may take.
    pub limits: Limits,
    /// The programs of other entrants, none of which is ever taken along.
    pub others: &'a [PathBuf],
    /// Where builds are kept; `None` for nowhere.
    pub cache: Option<&'a Cache>,
    /// Hears what the tools say while they run.
    pub ear: Option<&'a Ear>,
}

/// Builds `source` in a fresh folder inside `work` with the usual limits of nothing but these: see [`Builder::build`].
///
/// # Errors
/// As [`Builder::build`].
pub fn build(
    source: &Source,
    work: &Path,
    limits: &Limits,
    hosts: &'static [Host],
    sandbox: &Sandbox,
) -> Result<Built, BuildError> {
    Builder { limits: *limits, ..Builder::new(sandbox) }.build(source, work, hosts)
}

impl<'a> Builder<'a> {
    /// With the usual limits. Nothing is kept, and nobody else plays.
    pub fn new(sandbox: &'a Sandbox) -> Builder<'a> {
        Builder { sandbox, limits: Limits::default(), others: &[], cache: None, ear: None }
    }

    /// Builds `source` in a fresh folder inside `work`, which is created if need be.
    ///
    /// On success the fresh folder stays, because the program runs there: it lives as long as the caller keeps `work`.
    /// On failure it is removed. A source that one of the game's `hosts` takes is built and run by that.
    ///
    /// # Errors
    /// Everything in [`BuildError`]; [`BuildError::is_ours`] tells the contestant's mistakes from this machine's.
    pub fn build(&self, source: &Source, work: &Path, hosts: &'static [Host]) -> Result<Built, BuildError> {
        let start = Instant::now();
        let room = fresh_folder(work)?;
        let (files, tmp) = (room.path().join("files"), room.path().join("tmp"));
        for dir in [&files, &tmp] {
            std::fs::create_dir(dir).map_err(BuildError::io("create", dir))?;
        }
        let laid = self.lay_out(source, &files, hosts)?;
        let marked = || laid.recipe.sources().iter().find_map(|name| dialect::of_file(&laid.dir.join(name)));
        let host = laid.recipe.host();
        let dialect = host.map(|host| host.dialect.to_owned()).or_else(marked);
        let shop = Workshop::new(laid.dir.clone(), tmp, &self.limits, self.sandbox.clone());
        let mut shop = shop.heard_by(self.ear.cloned());
        tree::open_to_all(room.path());
        let made = self.make(&laid.recipe, room.path(), &mut shop);
        let (made, kept) = made.map_err(|error| error.with_notes(&laid.notes).with_hosts(hosts))?;
        if let Some(file) = made.argv.first() {
            shop.add_program(Path::new(file), &made.how)?;
        }
        tree::open_to_all(room.path());
        room.keep();
        let names_input_file = host.is_none() && names_input_file(&laid.dir, &laid.recipe);
        let notes = laid.notes;
        let (how, host, took) = (made.how, host.map(|host| host.name), start.elapsed());
        Ok(Built {
            program: shop.program(made.argv),
            how,
            took,
            log: shop.into_log(),
            notes,
            dialect,
            host,
            kept,
            names_input_file,
        })
    }

    /// Builds it, or takes what was built of the same before; says which.
    fn make(&self, recipe: &Recipe, room: &Path, shop: &mut Workshop) -> Result<(Made, bool), BuildError> {
        // Without isolation a build reads what it likes, so its own files do not tell its outcome.
        let cache = self.cache.filter(|_| recipe.compiles() && self.sandbox.tier() != Tier::None);
        let Some((cache, key)) = cache.and_then(|cache| Some((cache, cache::Key::of(room, recipe, shop)?)))
        else {
            return Ok((recipe.make(shop)?, false));
        };
        if let Some(kept) = cache.restore(&key, room) {
            let known = [recipe.tools(), Tool::ALL.to_vec()].concat();
            let tools = known.into_iter().filter(|tool| kept.tools.iter().any(|name| name == tool.name));
            tools.into_iter().try_for_each(|tool| shop.tool(tool).map(drop))?;
            shop.say(&kept.log);
            return Ok((kept.made, true));
        }
        let made = recipe.make(shop)?;
        cache.keep(&key, room, &made, shop);
        Ok((made, false))
    }

    fn lay_out(&self, source: &Source, files: &Path, hosts: &'static [Host]) -> Result<LaidOut, BuildError> {
        let along = |path: &Path, bounds: Bounds| along::copy_with_includes(path, files, self.others, bounds);
        match source {
            Source::Executable { path } => {
                let (name, notes) = along(path, Bounds::PROGRAM)?;
                Ok(LaidOut { dir: files.to_owned(), recipe: Recipe::AsItIs(name), notes })
            }
            Source::File { path, language } => {
                let (name, notes) = along(path, Bounds::SOURCE)?;
                let recipe = match hosted::host_of(hosts, &files.join(&name)) {
                    Some(host) => Recipe::Hosted(host, name),
                    None => Recipe::of_file(*language, name),
                };
                Ok(LaidOut { dir: files.to_owned(), recipe, notes })
            }
            Source::Folder { path } => {
                let notes = tree::copy_folder(path, files, self.others, self.limits.bounds)?;
                lay_out_folder(path, files.to_owned(), notes, hosts)
            }
            Source::Zip { path } => {
                unzip::unzip(path, files, self.limits.bounds)?;
                lay_out_folder(path, unzip::enter_single_folder(files), Vec::new(), hosts)
            }
        }
    }
}

/// Whether one of its sources speaks of the file by which other sites hand a program its input.
fn names_input_file(dir: &Path, recipe: &Recipe) -> bool {
    const LOOKED_AT: u64 = 1 << 20;
    recipe.sources().iter().any(|name| {
        let mut bytes = Vec::new();
        let read =
            std::fs::File::open(dir.join(name)).and_then(|file| file.take(LOOKED_AT).read_to_end(&mut bytes));
        read.is_ok() && bytes.windows(INPUT_FILE.len()).any(|window| window == INPUT_FILE.as_bytes())
    })
}

fn fresh_folder(work: &Path) -> Result<Workroom, BuildError> {
    std::fs::create_dir_all(work).map_err(BuildError::io("create", work))?;
    let work = work.canonicalize().map_err(BuildError::io("find", work))?;
    Workroom::inside(&work, "bot-").map_err(BuildError::io("create a folder in", &work))
}

/// Where other sites put a program's input.
const INPUT_FILE: &str = "input.txt";

/// A copy of what was handed in, ready to be built.
struct LaidOut {
    dir: PathBuf,
    recipe: Recipe,
    notes: Vec<String>,
}

fn lay_out_folder(
    from: &Path,
    dir: PathBuf,
    notes: Vec<String>,
    hosts: &'static [Host],
) -> Result<LaidOut, BuildError> {
    match Recipe::find(&dir, hosts) {
        Some(recipe) => Ok(LaidOut { dir, recipe, notes }),
        None => Err(BuildError::nothing_usable(from, &dir, hosts)),
    }
}
