//! A cache of built programs: an upload is built at most once while it is cached.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

use leitai_game::{AnyGame, BotProgram, GameHandle};
use leitai_guest::LogicGame;
use leitai_judge::build::libraries::{LibraryError, hash_of};
use leitai_judge::build::{
    BuildCache, BuildError, BuildListener, Builder, LibraryList, LibrarySet, ProgramRequest,
    ReadyEntrant, RunPreference,
};
use leitai_judge::{PlayerKind, Sandbox, Transport};
use leitai_work::programs::{BuiltPrograms, unpack_program};

use super::source::{EntrantSource, JobSourceError, SourceTask};

/// The default number of cached programs.
pub const KEPT: usize = 32;

/// A cache of built programs. Clones share it.
#[derive(Clone)]
pub struct ProgramCache {
    sandbox: Option<Sandbox>,
    leitai_binary: PathBuf,
    cache: Option<BuildCache>,
    /// By the name of what is built: a version, or a bot of a game file.
    programs: Arc<BuiltPrograms<String, ReadyEntrant>>,
    /// Games whose judge programs run here.
    judges: Arc<BuiltPrograms<LogicGame, GameHandle>>,
    /// Those that were used last, and locked while they are unpacked.
    libraries: Arc<Mutex<Arc<LibrarySet>>>,
}

/// Fetches by hash.
pub type FetchLibrary<'a> = &'a dyn Fn(&str) -> Result<Vec<u8>, JobSourceError>;

/// Who watches a build.
#[derive(Default)]
pub struct BuildWatch<'a> {
    /// Receives the output of the tools while they run.
    pub listener: Option<BuildListener>,
    /// Ends the build once it is set.
    pub stop: Option<&'a AtomicBool>,
    /// Fetches a list of libraries or a package by its hash.
    pub library: Option<FetchLibrary<'a>>,
    /// Whether a source that asks for a library that is not there is refused. One that was accepted
    /// before is not.
    pub is_check: bool,
}

/// Errors of the cache.
#[derive(Debug, thiserror::Error)]
pub enum ProgramCacheError {
    /// This machine cannot isolate uploaded programs.
    #[error(
        "this machine offers no isolation for uploaded programs; `leitai doctor` says what is missing"
    )]
    NoIsolation,
    /// The source could not be fetched.
    #[error("cannot fetch the upload: {0}")]
    Source(#[from] JobSourceError),
    /// The libraries could not be unpacked.
    #[error(transparent)]
    Libraries(#[from] LibraryError),
    /// It could not be built.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The program's folder could not be written.
    #[error("cannot write the upload to build it: {0}; free some disk space")]
    Room(#[from] std::io::Error),
}

impl ProgramCacheError {
    /// Whether it is an infrastructure error and not a fault of the upload.
    pub fn is_infrastructure_error(&self) -> bool {
        match self {
            ProgramCacheError::Build(error) => error.is_infrastructure_error(),
            _ => true,
        }
    }
}

/// A cache of the default size.
pub fn make_program_cache(sandbox: Option<Sandbox>) -> ProgramCache {
    let leitai_binary = std::env::current_exe().unwrap_or_else(|_| "/proc/self/exe".into());
    ProgramCache::new(sandbox, KEPT, leitai_binary)
}

impl ProgramCache {
    /// A cache that runs tools and programs in this sandbox; without one it refuses all uploads. It
    /// keeps at most `most` programs. `leitai_binary` is its path, which some hosts of
    /// games need.
    pub fn new(sandbox: Option<Sandbox>, most: usize, leitai_binary: PathBuf) -> ProgramCache {
        ProgramCache {
            sandbox,
            leitai_binary,
            cache: None,
            programs: Arc::new(BuiltPrograms::new(most.max(2))),
            judges: Arc::new(BuiltPrograms::new(most.max(2))),
            libraries: Arc::default(),
        }
    }

    /// Keeps builds on disk for the next run.
    pub fn with_build_cache(self, cache: Option<BuildCache>) -> ProgramCache {
        ProgramCache { cache, ..self }
    }

    /// The sandbox of programs; `None` where uploads are refused.
    pub fn program_sandbox(&self) -> Option<&Sandbox> {
        self.sandbox.as_ref()
    }

    /// The same game, led here: if a judge program leads it, that runs in the sandbox, and is built by the
    /// first leg of this process.
    ///
    /// # Errors
    /// [`ProgramCacheError::NoIsolation`].
    pub fn open_game(&self, game: &GameHandle) -> Result<GameHandle, ProgramCacheError> {
        let Some(logic) = LogicGame::of(&**game) else {
            return Ok(game.clone());
        };
        let sandbox = self
            .program_sandbox()
            .ok_or(ProgramCacheError::NoIsolation)?;
        let open = || Ok::<_, ProgramCacheError>(Arc::new(logic.open(sandbox)).into());
        let opened = self.judges.build_once(logic.clone(), open)?;
        Ok(GameHandle::clone(&opened))
    }

    /// An upload that is ready to play as long as the returned value lives. `fetch` returns its
    /// bytes if it must be built.
    ///
    /// # Errors
    /// [`ProgramCacheError`]; a source that only fails to compile is a broken player instead.
    pub fn ready_program(
        &self,
        game: &dyn AnyGame,
        source: &SourceTask,
        watch: &BuildWatch<'_>,
        fetch: impl FnOnce() -> Result<Vec<u8>, JobSourceError>,
    ) -> Result<Arc<ReadyEntrant>, ProgramCacheError> {
        let sandbox = self
            .program_sandbox()
            .ok_or(ProgramCacheError::NoIsolation)?;
        let list = source.libraries.as_deref();
        let key = format!("version {} {}", source.version, list.unwrap_or_default());
        self.programs.build_once(key, || {
            self.build_version(game, source, &fetch()?, sandbox, watch)
        })
    }

    /// A built-in bot that came with its game as a program, ready to play as an upload is.
    fn ready_packed_bot(
        &self,
        game: &dyn AnyGame,
        (name, program): (&str, &BotProgram),
        watch: &BuildWatch<'_>,
    ) -> Result<Arc<ReadyEntrant>, ProgramCacheError> {
        let sandbox = self
            .program_sandbox()
            .ok_or(ProgramCacheError::NoIsolation)?;
        // Every version of a game file has rules of its own.
        let key = format!("{} {name}", game.meta().rules);
        self.programs.build_once(key, || {
            let libraries = Arc::default();
            let builder = self.builder(sandbox, watch, &libraries);
            let leitai = &self.leitai_binary;
            let ready = builder.make_packed_bot(game, (name, program), Transport::Stdio, leitai);
            Ok(ready?)
        })
    }

    /// How an entrant of a task plays, and what keeps its program, if it has one.
    ///
    /// # Errors
    /// As [`ProgramCache::ready_program`].
    pub fn make_entrant(
        &self,
        game: &dyn AnyGame,
        entrant: &EntrantSource,
        watch: &BuildWatch<'_>,
        fetch: impl FnOnce(&SourceTask) -> Result<Vec<u8>, JobSourceError>,
    ) -> Result<(PlayerKind, Option<Arc<ReadyEntrant>>), ProgramCacheError> {
        let ready = match entrant {
            EntrantSource::BuiltIn(word) => match packed_program(game, word) {
                None => return Ok((PlayerKind::BuiltIn(word.clone()), None)),
                Some(packed) => self.ready_packed_bot(game, packed, watch)?,
            },
            EntrantSource::Program(upload) => {
                self.ready_program(game, upload, watch, || fetch(upload))?
            }
        };
        Ok((ready.player.kind.clone(), Some(ready)))
    }

    /// The libraries of a list, unpacked; those of another list are forgotten.
    fn library_set(
        &self,
        list: Option<&str>,
        watch: &BuildWatch<'_>,
    ) -> Result<Arc<LibrarySet>, ProgramCacheError> {
        let Some(hash) = list else {
            return Ok(Arc::default());
        };
        let mut kept = self
            .libraries
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if kept.hash() != hash {
            let fetch = |hash: &str| match watch.library {
                Some(fetch) => fetch(hash),
                None => Err(JobSourceError::Refused("no library is here".to_owned())),
            };
            let bytes = fetch(hash)?;
            let list = Some(&bytes).filter(|bytes| hash_of(bytes) == hash);
            let list = list.and_then(|bytes| LibraryList::parse(bytes));
            let wrong = || JobSourceError::Refused("the list of libraries is damaged".to_owned());
            let set = LibrarySet::unpack(list.ok_or_else(wrong)?, |one| fetch(&one.sha256))?;
            *kept = Arc::new(set);
        }
        Ok(kept.clone())
    }

    fn builder<'b>(
        &'b self,
        sandbox: &'b Sandbox,
        watch: &'b BuildWatch<'_>,
        libraries: &'b Arc<LibrarySet>,
    ) -> Builder<'b> {
        Builder {
            libraries: Some(libraries),
            demands_libraries: watch.is_check,
            listener: watch.listener.as_ref(),
            stop: watch.stop,
            cache: self.cache.as_ref(),
            ..Builder::new(sandbox)
        }
    }

    fn build_version(
        &self,
        game: &dyn AnyGame,
        source: &SourceTask,
        bytes: &[u8],
        sandbox: &Sandbox,
        watch: &BuildWatch<'_>,
    ) -> Result<ReadyEntrant, ProgramCacheError> {
        let (_folder, path) = unpack_program(file_name(&source.file_name), bytes)?;
        let request = ProgramRequest {
            name: &source.name,
            path: &path,
            preference: RunPreference::Found,
            connect: Transport::Stdio,
        };
        let libraries = self.library_set(source.libraries.as_deref(), watch)?;
        let builder = self.builder(sandbox, watch, &libraries);
        Ok(builder.make_ready(game, &request, &self.leitai_binary)?)
    }
}

/// The program of a built-in bot that came with the game as one.
pub fn packed_program<'g>(game: &'g dyn AnyGame, word: &str) -> Option<(&'g str, &'g BotProgram)> {
    let name = game.find_bot(word)?;
    Some((name, game.bot_program(name)?))
}

/// The file name of an upload: its own, if that is valid.
pub fn file_name(asked: &str) -> &str {
    const LONGEST: usize = 200;
    let own = Path::new(asked).file_name().and_then(|name| name.to_str());
    own.filter(|own| *own == asked && own.len() <= LONGEST && !own.contains('\0'))
        .unwrap_or("program")
}
