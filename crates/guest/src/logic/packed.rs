//! The judge program of a game, packed and built. A server that runs nothing keeps it packed.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use leitai_game::clean_text::clean_line;
use leitai_judge::OwnedFolder;
use leitai_judge::build::unzip::unpack_zip;
use leitai_judge::build::{BuildError, BuildLimits, ProgramSource, SourceBounds, build_source};
use leitai_sandbox::{Program, Sandbox, SandboxLimits, Tier};

/// The files of a judge program as an archive.
#[derive(Clone)]
pub(super) struct PackedProgram {
    /// A zip.
    pub(super) bytes: Arc<[u8]>,
    /// What is built: a path in the archive.
    pub(super) path: String,
}

/// A built program.
pub(super) struct BuiltLogic {
    pub(super) program: Program,
    /// Where the process may write its own replay.
    pub(super) replay: String,
    /// The folder in which it runs, which goes with the value.
    _folder: OwnedFolder,
}

/// A program that is built when it is first needed.
pub(super) struct LazyProgram {
    packed: PackedProgram,
    /// Locked during the build, so that it is built once. An error is not kept: a full disk may have room
    /// again.
    built: Mutex<Option<Arc<BuiltLogic>>>,
}

/// The most of a compiler's words that a message about a match repeats, in characters.
const SAID: usize = 1500;

impl LazyProgram {
    pub(super) fn new(packed: PackedProgram) -> LazyProgram {
        LazyProgram {
            packed,
            built: Mutex::default(),
        }
    }

    /// The built program; the first who asks builds it.
    pub(super) fn build_once(&self, sandbox: &Sandbox) -> Result<Arc<BuiltLogic>, BuildError> {
        let mut built = self.built.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(built) = &*built {
            return Ok(built.clone());
        }
        let made = Arc::new(self.packed.build(sandbox)?);
        *built = Some(made.clone());
        Ok(made)
    }

    /// The same; the error is the end of a sentence.
    pub(super) fn ready(&self, sandbox: &Sandbox) -> Result<Arc<BuiltLogic>, String> {
        self.build_once(sandbox).map_err(|why| {
            let said: String = clean_line(&why.to_string()).chars().take(SAID).collect();
            format!("cannot be built: {said}")
        })
    }
}

impl PackedProgram {
    fn build(&self, sandbox: &Sandbox) -> Result<BuiltLogic, BuildError> {
        let folder = OwnedFolder::new().map_err(BuildError::from_io(
            "create a folder in",
            &std::env::temp_dir(),
        ))?;
        let place = folder.folder_path();
        let (archive, source) = (place.join("logic.zip"), place.join("source"));
        std::fs::write(&archive, &self.bytes).map_err(BuildError::from_io("write", &archive))?;
        std::fs::create_dir(&source).map_err(BuildError::from_io("create", &source))?;
        unpack_zip(&archive, &source, SourceBounds::SOURCE)?;
        let program = ProgramSource::detect_path(&source.join(&self.path), &[])?;
        let built = build_source(&program, place, &BuildLimits::default(), &[], sandbox)?;
        let replay = match sandbox.tier() {
            Tier::None => place.join("replay.json"),
            _ => PathBuf::from("/tmp/replay.json"),
        };
        Ok(BuiltLogic {
            program: built.program.with_limits(SandboxLimits::BOT),
            replay: replay.to_string_lossy().into_owned(),
            _folder: folder,
        })
    }
}
