//! The programs of batches: each is built once by a worker, and kept as long as it is used.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use leitai_game::AnyGame;
use leitai_judge::build::{BuildCache, ReadyEntrant};
use leitai_judge::{Player, PlayerKind, Sandbox, Transport};
use leitai_series::MatchOptions;
use leitai_series::entrant::{BuildNotice, build_named_player};
use leitai_work::programs::{BuiltPrograms, unpack_program};

use crate::message::{MatchTerms, ProgramSource, hash_of};

/// The number of programs that are kept.
const KEPT: usize = 64;
/// The longest name of a file, in bytes.
const LONGEST_NAME: usize = 250;

/// A built program, or why it is broken. Its folder lives as long as this value.
pub struct BuiltProgram {
    /// How it plays.
    pub kind: PlayerKind,
    /// What was said about the build; the name in it is that of the first job.
    pub notices: Vec<BuildNotice>,
    _folder: Option<ReadyEntrant>,
}

impl BuiltProgram {
    /// Why it cannot be built.
    pub fn broken(&self) -> Option<String> {
        match &self.kind {
            PlayerKind::Broken(why) => Some(why.clone()),
            _ => None,
        }
    }
}

/// Builds programs and keeps them.
pub struct Programs {
    /// The sandbox of builds and programs; without one programs are refused.
    pub sandbox: Option<Sandbox>,
    /// Keeps builds for the next run.
    pub build_cache: Option<&'static BuildCache>,
    /// The `leitai` program.
    pub leitai: PathBuf,
    built: BuiltPrograms<BuildKey, BuiltProgram>,
}

/// What a build depends on.
#[derive(PartialEq, Eq)]
struct BuildKey {
    game: String,
    source: ProgramSource,
    transport: Transport,
    limit: Duration,
}

impl Programs {
    /// Keeps nothing yet.
    pub fn new(
        sandbox: Option<Sandbox>,
        build_cache: Option<&'static BuildCache>,
        leitai: PathBuf,
    ) -> Programs {
        Programs {
            sandbox,
            build_cache,
            leitai,
            built: BuiltPrograms::new(KEPT),
        }
    }

    /// The options of a match with these terms, on this machine.
    ///
    /// # Errors
    /// The reason in words.
    pub fn match_options(
        &self,
        game: &dyn AnyGame,
        terms: &MatchTerms,
    ) -> Result<MatchOptions, String> {
        let options = MatchOptions::new(game).map_err(|error| error.to_string())?;
        Ok(MatchOptions {
            limits: terms.limits,
            resources: terms.resources,
            transport: terms.transport,
            sandbox: self
                .sandbox
                .clone()
                .unwrap_or_else(Sandbox::without_isolation),
            build_limit: terms.build_limit,
            build_cache: self.build_cache,
            leitai: self.leitai.clone(),
            ..options
        })
    }

    /// A program, built at most once while it is kept. `fetch` gives its bytes.
    ///
    /// # Errors
    /// If this machine cannot say whether the program is sound; the reason in words.
    pub fn build(
        &self,
        game: &dyn AnyGame,
        name: &str,
        source: &ProgramSource,
        terms: &MatchTerms,
        fetch: impl FnOnce() -> Result<Vec<u8>, String>,
    ) -> Result<Arc<BuiltProgram>, String> {
        if self.sandbox.is_none() {
            return Err(
                "this worker offers no isolation for programs; `leitai doctor` says what is \
                 missing there"
                    .to_owned(),
            );
        }
        let key = BuildKey {
            game: game.meta().id.to_owned(),
            source: source.clone(),
            transport: terms.transport,
            limit: terms.build_limit,
        };
        self.built.build_once(key, || {
            let bytes = fetch()?;
            if hash_of(&bytes) != source.hash {
                return Err("the program on the bus is not the one that was uploaded".to_owned());
            }
            self.build_bytes(game, name, source, terms, &bytes)
        })
    }

    fn build_bytes(
        &self,
        game: &dyn AnyGame,
        name: &str,
        source: &ProgramSource,
        terms: &MatchTerms,
        bytes: &[u8],
    ) -> Result<BuiltProgram, String> {
        check_file_name(&source.file_name)?;
        let (folder, path) = unpack_program(&source.file_name, bytes)
            .map_err(|error| format!("cannot write a program to build it: {error}"))?;
        let path = path
            .to_str()
            .ok_or("the folder for temporary files has no name in UTF-8")?;
        let word = match &source.prefix {
            Some(prefix) => format!("{prefix}:{path}"),
            None => path.to_owned(),
        };
        let options = self.match_options(game, terms)?;
        let mut notices = Vec::new();
        let built = build_named_player(game, name, &word, &[&word], &options, &mut |notice| {
            notices.push(notice.clone());
        });
        let (Player { kind, .. }, ready) = built.map_err(|error| format!("{error:#}"))?;
        // Folders of this machine say nothing to the person who asked.
        let here = format!("{}/", folder.folder_path().display());
        let without_folder = |text: String| text.replace(&here, "");
        let kind = match kind {
            PlayerKind::Broken(why) => PlayerKind::Broken(without_folder(why)),
            kind => kind,
        };
        let notices = notices
            .into_iter()
            .map(|notice: BuildNotice| notice.map_texts(&mut |text| without_folder(text)))
            .collect();
        Ok(BuiltProgram {
            kind,
            notices,
            _folder: ready,
        })
    }
}

/// Refuses a name that is more than the name of a file.
fn check_file_name(name: &str) -> Result<(), String> {
    let is_plain = |c: char| c.is_alphanumeric() || "._-+".contains(c);
    let is_fine = !name.is_empty()
        && name.len() <= LONGEST_NAME
        && !name.starts_with(['.', '-'])
        && name.chars().all(is_plain);
    match is_fine {
        true => Ok(()),
        false => Err(format!(
            "{name:?} is not the name of a file that a worker takes"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_lead_out_of_the_folder_are_refused() {
        for name in ["bot.py", "mybot.zip", "蛇.cpp"] {
            assert_eq!(check_file_name(name), Ok(()), "{name}");
        }
        let long = "a".repeat(300);
        for name in [
            "",
            "..",
            ".bashrc",
            "../bot.py",
            "a/b.py",
            "/etc/passwd",
            "-rf",
            "a\0b",
            "a\nb",
            &long,
        ] {
            assert!(check_file_name(name).is_err(), "{name:?}");
        }
    }
}
