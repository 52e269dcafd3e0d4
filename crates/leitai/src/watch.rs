//! `--watch`: a command is done again whenever its programs, or the files of its config, were saved.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::Ordering;
use std::time::{Duration, SystemTime};

use leitai_game::AnyGame;
use leitai_judge::build::folder_copy::{is_cache_folder, is_left_out};
use leitai_series::EntrantRequest;
use leitai_series::entrant::{is_built_in, program_path};

use crate::arguments::{config_files, find_game, usage_error};
use crate::lang::Localizer;
use crate::{failure, files, stop};

/// How often files are looked at, and how long an editor must have been quiet.
pub const LOOK: Duration = Duration::from_millis(300);
/// The most files that are looked at.
const MOST_FILES: usize = 20_000;
/// Where matches leave their replays by default, perhaps beside a program.
const REPLAYS: &str = "matches";

/// Does it now and after each save of a program among these words, or of a file of the config, until
/// Ctrl-C. What goes wrong is shown as without `--watch`, and ends nothing.
pub fn at_each_save(
    lang: Localizer,
    game: &str,
    words: &[&str],
    config: &[String],
    mut act: impl FnMut() -> anyhow::Result<ExitCode>,
) -> anyhow::Result<ExitCode> {
    let stop = stop::on_interrupt()?;
    let game = find_game(game)?;
    let mut programs = programs_of(&*game, words)?;
    programs.extend(config_files(config));
    if programs.is_empty() {
        return match words.iter().all(|word| is_built_in(&*game, word)) {
            true => Err(usage_error(lang.label(
                "--watch waits until a program is saved; built-in bots are never saved",
            ))),
            // It says what is wrong with the word.
            false => act(),
        };
    }
    let is_stopped = || stop.load(Ordering::Relaxed);
    loop {
        // A save while it runs counts, too.
        let seen = list_saved(&programs);
        let code = act().unwrap_or_else(|error| failure::report(lang, &error));
        if is_stopped() {
            return Ok(code);
        }
        let names: Vec<_> = programs
            .iter()
            .map(|path| path.display().to_string())
            .collect();
        let names = names.join(", ");
        let waiting = lang.fill("waiting for a save of {}; Ctrl-C ends", &[&names]);
        files::print_stderr(&format!("\n{waiting}"));
        while list_saved(&programs) == seen {
            if is_stopped() {
                return Ok(ExitCode::SUCCESS);
            }
            std::thread::sleep(LOOK);
        }
        wait_until_quiet(&programs);
    }
}

/// An editor may write in steps, and several files.
fn wait_until_quiet(programs: &[PathBuf]) {
    loop {
        let before = list_saved(programs);
        std::thread::sleep(LOOK);
        if list_saved(programs) == before {
            return;
        }
    }
}

fn programs_of(game: &dyn AnyGame, words: &[&str]) -> anyhow::Result<Vec<PathBuf>> {
    let mut programs = Vec::new();
    for word in words {
        let request = EntrantRequest::parse(game, word)?;
        programs.extend(program_path(game, &request.word));
    }
    Ok(programs)
}

/// A file with its time and size.
pub type SavedFile = (PathBuf, Option<SystemTime>, u64);

/// Every file that belongs to the programs: those of a folder, or a file and those of its kind beside
/// it, which it may include.
pub fn list_saved(programs: &[PathBuf]) -> Vec<SavedFile> {
    let mut saved = Vec::new();
    for program in programs {
        if program.is_dir() {
            list_folder(program, &mut saved);
            continue;
        }
        let kind = program.extension();
        let beside = program.parent().into_iter().flat_map(entries_of);
        let own = beside.filter(|path| path.extension() == kind || is_header(path));
        own.chain([program.clone()])
            .for_each(|path| note_file(path, &mut saved));
    }
    saved.sort();
    saved.dedup();
    saved
}

fn is_header(path: &Path) -> bool {
    path.extension()
        .is_some_and(|kind| kind == "h" || kind == "hpp")
}

fn entries_of(folder: &Path) -> Vec<PathBuf> {
    let folder = match folder.as_os_str().is_empty() {
        true => Path::new("."),
        false => folder,
    };
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).take(MOST_FILES).collect()
}

fn list_folder(folder: &Path, saved: &mut Vec<SavedFile>) {
    for path in entries_of(folder) {
        let name = path.file_name().unwrap_or_default();
        if saved.len() >= MOST_FILES || is_left_out(name) || name == REPLAYS || path.is_symlink() {
            continue;
        }
        match path.is_dir() {
            true if is_cache_folder(&path) => {}
            true => list_folder(&path, saved),
            false => note_file(path, saved),
        }
    }
}

fn note_file(path: PathBuf, saved: &mut Vec<SavedFile>) {
    if let Ok(about) = path.metadata()
        && about.is_file()
    {
        saved.push((path, about.modified().ok(), about.len()));
    }
}
