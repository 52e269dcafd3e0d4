//! Builds: from a path on the command line, or an upload, to a program that can be started.
//!
//! A [`ProgramSource`] is recognised by its path; [`build_source`] copies it into a fresh folder,
//! builds it there with the tools of this machine and returns the command that runs the result. The
//! author's own folder is never written to.
//!
//! | module | noun |
//! |---|---|
//! | [`ready`] | entrants that are ready to play, from paths |
//! | [`source`] | the submitted source |
//! | [`language`] | what the name and the first bytes of a file tell |
//! | [`libraries`] | libraries that bots may use, and what a bot asks for |
//! | [`program`] | what a build may take, and what it gives |
//! | [`recipe`] | the way to build and run a folder |
//! | [`hosted`] | bots that a host of the game runs |
//! | [`folder_copy`] | bounded copies of files and folders |
//! | [`companions`], [`includes`] | files that a program of one file includes or imports |
//! | [`unsupported`] | files that are mistaken for bots |
//! | [`unzip`] | bounded unpacking of archives |
//! | [`tool`], [`tool_runner`] | compilers, and their execution |
//! | [`time_limit`] | the time of a build |
//! | [`cache`] | cached builds |
//! | [`runtime`] | the real paths of tools |
//! | [`product`] | the program among the files after a build |
//! | [`java`] | the class with the `main` |
//! | `jsoncpp` | JsonCpp, as Botzone's compilers have it |
//! | [`protocol_marker`] | the marker that names a protocol |
//! | [`error`] | errors of builds |
//!
//! ```no_run
//! use leitai_judge::build::{BuildLimits, ProgramSource, build_source};
//! use leitai_sandbox::Sandbox;
//! use std::path::Path;
//!
//! let source = ProgramSource::detect_path(Path::new("./mybot"), &[])?;
//! let folder = Path::new("/tmp/leitai");
//! let sandbox = Sandbox::without_isolation();
//! let built = build_source(&source, folder, &BuildLimits::default(), &[], &sandbox)?;
//! println!("mybot built with {} in {:.1} s", built.how, built.took.as_secs_f64());
//! # Ok::<(), leitai_judge::build::BuildError>(())
//! ```

pub mod cache;
pub mod companions;
pub mod error;
pub mod folder_copy;
pub mod hosted;
pub mod includes;
pub mod java;
mod jsoncpp;
pub mod language;
pub mod libraries;
pub mod product;
pub mod program;
pub mod protocol_marker;
pub mod ready;
pub mod recipe;
pub mod runtime;
pub mod source;
pub mod time_limit;
pub mod tool;
pub mod tool_runner;
pub mod unsupported;
pub mod unzip;

pub use cache::BuildCache;
pub use error::BuildError;
pub use folder_copy::SourceBounds;
pub use hosted::wrap_in_host;
pub use language::Language;
pub use libraries::{LibraryList, LibrarySet};
pub use program::{AS_IT_IS, BuildLimits, BuiltProgram, RecipeOutput};
pub use ready::{ProgramRequest, ReadyEntrant, RunPreference, unpack_bot};
pub use source::ProgramSource;
pub use tool::Tool;
pub use tool_runner::BuildListener;

use leitai_game::Host;
use leitai_sandbox::{OwnedFolder, Sandbox, Tier, UntrustedFolder};
use libraries::{LibraryKind, demand, manifests::Manifest};
use recipe::BuildRecipe;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;
use tool_runner::ToolRunner;

/// The environment of a build.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Builder<'a> {
    /// The sandbox of the tools.
    pub sandbox: &'a Sandbox,
    pub limits: BuildLimits,
    /// The programs of other entrants, which are never copied.
    pub others: &'a [PathBuf],
    /// The cache, if there is one.
    pub cache: Option<&'a BuildCache>,
    /// Receives the output of the tools while they run.
    pub listener: Option<&'a BuildListener>,
    /// The libraries that programs find.
    pub libraries: Option<&'a Arc<LibrarySet>>,
    /// Whether a source that asks for others is refused.
    pub demands_libraries: bool,
    /// Whether programs are compiled for a debugger: with symbols and without optimisation.
    pub debug_info: bool,
    /// Ends a build with [`BuildError::Interrupted`] once it is set.
    pub stop: Option<&'a AtomicBool>,
}

/// Builds `source` in a fresh folder inside `work` with a default [`Builder`] and these limits: see
/// [`Builder::build_source`].
///
/// # Errors
/// As [`Builder::build_source`].
pub fn build_source(
    source: &ProgramSource,
    work: &Path,
    limits: &BuildLimits,
    hosts: &'static [Host],
    sandbox: &Sandbox,
) -> Result<BuiltProgram, BuildError> {
    Builder {
        limits: *limits,
        ..Builder::new(sandbox)
    }
    .build_source(source, work, hosts)
}

impl<'a> Builder<'a> {
    /// A builder with default limits, without a cache, for one player.
    pub fn new(sandbox: &'a Sandbox) -> Builder<'a> {
        Builder {
            sandbox,
            limits: BuildLimits::default(),
            others: &[],
            cache: None,
            listener: None,
            libraries: None,
            demands_libraries: true,
            debug_info: false,
            stop: None,
        }
    }

    /// Builds `source` in a fresh folder inside `work`, which is created if necessary.
    ///
    /// On success the fresh folder stays, because the program runs there: it lives as long as the
    /// caller keeps `work`. On failure it is removed. A host that accepts the source builds and
    /// runs it.
    ///
    /// # Errors
    /// Every [`BuildError`]; [`BuildError::is_infrastructure_error`] distinguishes infrastructure
    /// errors from the author's.
    pub fn build_source(
        &self,
        source: &ProgramSource,
        work: &Path,
        hosts: &'static [Host],
    ) -> Result<BuiltProgram, BuildError> {
        let start = Instant::now();
        let folder = fresh_folder(work)?;
        let (files, tmp) = (
            folder.folder_path().join("files"),
            folder.folder_path().join("tmp"),
        );
        for dir in [&files, &tmp] {
            std::fs::create_dir(dir).map_err(BuildError::from_io("create", dir))?;
        }
        let laid = self.lay_out(source, &files, hosts)?;
        let copy = open_folder(&laid.dir)?;
        self.meet_libraries(&copy, &laid.recipe)?;
        let marked = || {
            let names = laid.recipe.source_files();
            let mut names = names.iter().map(Path::new);
            names.find_map(|name| protocol_marker::of_file(&copy, name))
        };
        let host = laid.recipe.bot_host();
        let protocol = host.map(|host| host.protocol.to_owned()).or_else(marked);
        // What the author wrote counts, not what his build leaves.
        let names_input_file = host.is_none() && names_input_file(&copy, &laid.recipe);
        let runner = ToolRunner::new(laid.dir.clone(), tmp, &self.limits, self.sandbox.clone());
        let mut runner = runner
            .with_listener(self.listener.cloned())
            .with_debug_info(self.debug_info)
            .with_libraries(self.libraries.cloned())
            .with_stop(self.stop);
        folder_copy::open_to_all(folder.folder_path());
        let made = self.run_recipe(&laid.recipe, folder.folder_path(), &mut runner);
        let (made, kept) = made.map_err(|error| error.with_notes(&laid.notes).with_hosts(hosts))?;
        if let Some(line) = self.library_line(&laid.recipe) {
            runner.append_log(&line);
        }
        if let Some(file) = made.argv.first() {
            runner.add_program(Path::new(file), &made.how)?;
        }
        folder_copy::open_to_all(folder.folder_path());
        folder.keep_folder();
        let notes = laid.notes;
        let (how, host, took) = (made.how, host.map(|host| host.name), start.elapsed());
        Ok(BuiltProgram {
            program: runner.make_program(made.argv),
            how,
            took,
            log: runner.into_log(),
            notes,
            protocol,
            host,
            kept,
            names_input_file,
        })
    }

    /// Names what a source asks for and does not find, and leads Node's modules to the libraries.
    fn meet_libraries(
        &self,
        copy: &UntrustedFolder,
        recipe: &BuildRecipe,
    ) -> Result<(), BuildError> {
        let Some(libraries) = self.libraries else {
            return Ok(());
        };
        if self.demands_libraries
            && let Some(manifest) = Manifest::find(copy, recipe)?
        {
            demand::check(&manifest, libraries.list())?;
        }
        let modules = libraries.folder_of(LibraryKind::JavaScript);
        if let (BuildRecipe::Node(_) | BuildRecipe::TypeScript(_), Some(modules)) =
            (recipe, modules)
            && copy.look_at(Path::new(MODULES)).is_err()
        {
            let link = copy.path().join(MODULES);
            let made = std::os::unix::fs::symlink(modules, &link);
            made.map_err(BuildError::from_io("create", &link))?;
        }
        Ok(())
    }

    /// The libraries that a recipe may use, for its log.
    fn library_line(&self, recipe: &BuildRecipe) -> Option<String> {
        self.libraries?.log_line(recipe.libraries()?)
    }

    /// Builds the source, or takes the result from the cache.
    fn run_recipe(
        &self,
        recipe: &BuildRecipe,
        folder: &Path,
        runner: &mut ToolRunner,
    ) -> Result<(RecipeOutput, bool), BuildError> {
        // Without isolation a build can read any file, so its own files do not determine the
        // result.
        let cache = self
            .cache
            .filter(|_| recipe.needs_compiler() && self.sandbox.tier() != Tier::None)
            .filter(|_| !self.debug_info);
        let Some((cache, key)) = cache
            .and_then(|cache| Some((cache, cache::BuildKey::from_folder(folder, recipe, runner)?)))
        else {
            return Ok((recipe.run_build(runner)?, false));
        };
        if let Some(kept) = cache.restore_build(&key, folder) {
            let known = [recipe.needed_tools(), Tool::ALL.to_vec()].concat();
            let tools = known
                .into_iter()
                .filter(|tool| kept.tools.iter().any(|name| name == tool.name));
            tools
                .into_iter()
                .try_for_each(|tool| runner.need_tool(tool).map(drop))?;
            runner.append_log(&kept.log);
            return Ok((kept.made, true));
        }
        let made = recipe.run_build(runner)?;
        cache.keep_build(&key, folder, &made, runner);
        Ok((made, false))
    }

    fn lay_out(
        &self,
        source: &ProgramSource,
        files: &Path,
        hosts: &'static [Host],
    ) -> Result<BuildFolder, BuildError> {
        let along = |path: &Path, bounds: SourceBounds| {
            companions::copy_with_includes(path, files, self.others, bounds)
        };
        match source {
            ProgramSource::Executable { path } => {
                let (name, notes) = along(path, SourceBounds::PROGRAM)?;
                Ok(BuildFolder {
                    dir: files.to_owned(),
                    recipe: BuildRecipe::AsItIs(name),
                    notes,
                })
            }
            ProgramSource::File { path, language } => {
                let (name, notes) = along(path, SourceBounds::SOURCE)?;
                let recipe = match hosted::host_of(hosts, &open_folder(files)?, &name) {
                    Some(host) => BuildRecipe::Hosted(host, name),
                    None => BuildRecipe::of_file(*language, name),
                };
                Ok(BuildFolder {
                    dir: files.to_owned(),
                    recipe,
                    notes,
                })
            }
            ProgramSource::Folder { path } => {
                let notes = folder_copy::copy_folder(path, files, self.others, self.limits.bounds)?;
                lay_out_folder(path, files.to_owned(), notes, hosts)
            }
            ProgramSource::Zip { path } => {
                unzip::unpack_zip(path, files, self.limits.bounds)?;
                lay_out_folder(path, unzip::enter_single_folder(files), Vec::new(), hosts)
            }
        }
    }
}

/// Whether one of its sources contains the name of the input file of other sites.
fn names_input_file(copy: &UntrustedFolder, recipe: &BuildRecipe) -> bool {
    const LOOKED_AT: u64 = 1 << 20;
    // A program that is linked statically has its texts behind the code of the libraries.
    const OF_A_PROGRAM: u64 = 16 << 20;
    let most = match recipe {
        BuildRecipe::AsItIs(_) => OF_A_PROGRAM,
        _ => LOOKED_AT,
    };
    recipe.source_files().iter().any(|name| {
        let Some(text) = copy.start_of(Path::new(name), most) else {
            return false;
        };
        // Compilers put the first eight bytes of a short text into an instruction.
        let looked_for = match text.starts_with(b"\x7fELF") {
            true => &INPUT_FILE.as_bytes()[..8],
            false => INPUT_FILE.as_bytes(),
        };
        text.windows(looked_for.len())
            .any(|window| window == looked_for)
    })
}

fn open_folder(dir: &Path) -> Result<UntrustedFolder, BuildError> {
    UntrustedFolder::open(dir).map_err(BuildError::from_io("open", dir))
}

fn fresh_folder(work: &Path) -> Result<OwnedFolder, BuildError> {
    std::fs::create_dir_all(work).map_err(BuildError::from_io("create", work))?;
    let work = work
        .canonicalize()
        .map_err(BuildError::from_io("find", work))?;
    OwnedFolder::make_inside(&work, "bot-")
        .map_err(BuildError::from_io("create a folder in", &work))
}

/// The folder in which Node looks for libraries, beside a script or above it.
const MODULES: &str = "node_modules";

/// The input file of programs on other sites.
pub(crate) const INPUT_FILE: &str = "input.txt";

/// A copy of the source, ready to be built.
struct BuildFolder {
    dir: PathBuf,
    recipe: BuildRecipe,
    notes: Vec<String>,
}

fn lay_out_folder(
    from: &Path,
    dir: PathBuf,
    notes: Vec<String>,
    hosts: &'static [Host],
) -> Result<BuildFolder, BuildError> {
    let copy = open_folder(&dir)?;
    match BuildRecipe::find_in_folder(&copy, hosts) {
        Some(recipe) => Ok(BuildFolder { dir, recipe, notes }),
        None => Err(BuildError::nothing_usable(from, &copy, hosts)),
    }
}
