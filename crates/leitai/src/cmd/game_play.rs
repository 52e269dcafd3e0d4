//! `leitai game play`: an arena of its own for the author of a game, who plays while he writes.

use std::ffi::OsStr;

use anyhow::anyhow;
use clap::builder::Resettable;
use clap::{Args, FromArgMatches};
use leitai_game::{GameHandle, GameSet};
use leitai_guest::file::parts::RULES;
use leitai_server::config::GameSave;
use tempfile::TempDir;
use tokio::sync::watch::{self, Sender};

use super::game_build;
use super::serve::{self, WrittenGame};
use crate::cli::{GamePlayArgs, ServeArgs};
use crate::files::print_stderr;
use crate::game_files;
use crate::lang::format_error;
use crate::prelude::*;
use crate::watch::{LOOK, SavedFile, list_saved};

/// Serves the game, and each version of it that is saved, until Ctrl-C.
pub fn run(lang: Localizer, args: &GamePlayArgs) -> Result<ExitCode> {
    let folder = args.folder.clone();
    if !folder.is_dir() {
        let name = folder.display();
        return Err(usage_error(format!(
            "{name} is no folder; leitai game new NAME writes a first game"
        )));
    }
    let seen = list_sources(&folder);
    let game = load(lang, &folder)?;
    let id = game.meta().id.to_owned();
    let games = GameSet::from(leitai_games::ALL);
    games.put(game);
    let (sender, saves) = watch::channel(GameSave {
        game: id.clone(),
        number: 1,
        problem: None,
    });
    let written = WrittenGame {
        games: games.clone(),
        id,
        saves,
    };
    std::thread::spawn(move || put_saves(lang, &folder, &games, seen, &sender));
    let data = TempDir::new().context("cannot make a temporary folder")?;
    serve::serve(lang, &serve_args(&data, &args.listen)?, Some(written))
}

/// Those of an arena that nobody else uses, whatever the environment says of other ones.
fn serve_args(data: &TempDir, listen: &str) -> Result<ServeArgs> {
    let own = ["serve", "--listen", listen, "--slots", "1"];
    let fixed = ["--ladder-every", "never", "--no-exhibitions", "--data"];
    let words = own.iter().chain(&fixed).map(OsStr::new);
    let words = words.chain([data.path().as_os_str()]);
    let command = ServeArgs::augment_args(clap::Command::new("serve"));
    let command = command.mut_args(|arg| arg.env(Resettable::Reset));
    let matches = command.try_get_matches_from(words)?;
    Ok(ServeArgs::from_arg_matches(&matches)?)
}

/// Compiles the folder if there is something to compile, and checks its file.
fn load(lang: Localizer, folder: &Path) -> Result<GameHandle> {
    if game_build::has_source(folder) && game_build::build(folder)?.is_none() {
        return Err(anyhow!(lang.label("the game does not compile: see above")));
    }
    Ok(game_files::read_any(folder)?.into_game())
}

/// Puts each version that is saved among the games, until the process ends.
fn put_saves(
    lang: Localizer,
    folder: &Path,
    games: &GameSet,
    mut seen: Vec<SavedFile>,
    saves: &Sender<GameSave>,
) {
    loop {
        std::thread::sleep(LOOK);
        let now = list_sources(folder);
        if now == seen {
            continue;
        }
        std::thread::sleep(LOOK);
        // An editor may write in steps, and several files.
        if list_sources(folder) != now {
            continue;
        }
        seen = now;
        let problem = put(lang, folder, games, &saves.borrow().game.clone()).err();
        let problem = problem.map(|error| format_error(lang, &error));
        saves.send_modify(|save| {
            save.number += 1;
            save.problem.clone_from(&problem);
        });
        let number = saves.borrow().number;
        let played = || lang.fill("save {} is played", &[&number]);
        print_stderr(&problem.unwrap_or_else(played));
    }
}

fn put(lang: Localizer, folder: &Path, games: &GameSet, id: &str) -> Result<()> {
    let game = load(lang, folder)?;
    let now = game.meta().id;
    if now != id {
        return Err(usage_error(format!(
            "the game was {id} and is {now} now; end with Ctrl-C and begin anew"
        )));
    }
    games.put(game);
    Ok(())
}

/// What the author saves: a module that is compiled here is no save of his.
fn list_sources(folder: &Path) -> Vec<SavedFile> {
    let mut files = list_saved(&[folder.to_owned()]);
    if game_build::has_source(folder) {
        let module: PathBuf = folder.join(RULES);
        files.retain(|(path, ..)| *path != module);
    }
    files
}
