//! The built-in bots that a game file brings: those that `game.toml` names, with their programs in
//! `bots/` or as the function `bot` of the module.

use std::collections::BTreeSet;
use std::path::Path;

use leitai_game::{BotFile, BotProgram};
use leitai_judge::build::Language;
use leitai_toml_reader::problem::both;

use super::about::NamedBot;
use super::parts::Parts;
use super::problem::FileProblem;
use super::trees::{BOTS, owner_of};
use crate::bots::{BotKind, GuestBot};

/// The bots that `game.toml` names, each with what plays.
pub(crate) fn read_bots(
    named: &[NamedBot],
    parts: &Parts,
    module_has_bots: bool,
    problems: &mut Vec<FileProblem>,
) -> Vec<GuestBot> {
    refuse_unnamed(named, parts, problems);
    let read = |bot: &NamedBot| {
        let kind = match find_program(&bot.name, parts) {
            Ok(Some(program)) => BotKind::Program(program),
            Ok(None) if module_has_bots => BotKind::Export,
            Ok(None) => {
                problems.push(no_program(&bot.name));
                return None;
            }
            Err(problem) => {
                problems.push(*problem);
                return None;
            }
        };
        Some(GuestBot {
            name: bot.name.clone(),
            about: bot.about.clone(),
            kind,
        })
    };
    named.iter().filter_map(read).collect()
}

/// An archive has no programs that nobody named.
fn refuse_unnamed(named: &[NamedBot], parts: &Parts, problems: &mut Vec<FileProblem>) {
    for (part, _) in parts.of_tree(&BOTS) {
        let owner = owner_of(part).unwrap_or_default();
        if !named.iter().any(|bot| bot.name == owner) {
            problems.push(FileProblem::new(
                part,
                both(
                    "game.toml names no bot with this program",
                    "game.toml 中没有使用此程序的 bot",
                ),
                both(
                    "write [[bots]] with name = \"…\", or pack the folder with leitai game pack",
                    "请写 [[bots]] 及 name = \"…\"，或用 leitai game pack 打包",
                ),
            ));
        }
    }
}

fn no_program(name: &str) -> FileProblem {
    FileProblem::new(
        &format!("bots/{name}"),
        both("this bot has no program", "此 bot 没有程序"),
        both(
            format!(
                "add bots/{name}.py (or .cpp .c .java .js .ts .rs .go .cs .kt) or a folder bots/{name}, or export leitai_game_1_bot from the module"
            ),
            format!(
                "请加入 bots/{name}.py（或 .cpp .c .java .js .ts .rs .go .cs .kt）或文件夹 bots/{name}，或由模块导出 leitai_game_1_bot"
            ),
        ),
    )
}

/// The program of a bot; `None` if there are no files of it.
fn find_program(name: &str, parts: &Parts) -> Result<Option<BotProgram>, Box<FileProblem>> {
    let own = parts.of_tree(&BOTS);
    let own: Vec<(&str, &[u8])> = own
        .filter(|(part, _)| owner_of(part) == Some(name))
        .collect();
    // What is run: the file, or the folder of all files.
    let run = |part: &str| match part.strip_prefix("bots/").unwrap_or(part) {
        rest if rest.contains('/') => name.to_owned(),
        rest => rest.to_owned(),
    };
    let all: BTreeSet<String> = own.iter().map(|(part, _)| run(part)).collect();
    let Some(path) = all.first().cloned() else {
        return Ok(None);
    };
    if all.len() > 1 {
        let both_paths = all.into_iter().collect::<Vec<_>>().join(", ");
        return Err(Box::new(FileProblem::new(
            &format!("bots/{name}"),
            both(
                format!("this bot has several programs: {both_paths}"),
                format!("此 bot 有多个程序：{both_paths}"),
            ),
            both("keep one of them", "请只保留一个"),
        )));
    }
    if path != name && Language::from_path(Path::new(&path)).is_none() {
        return Err(Box::new(FileProblem::new(
            &format!("bots/{path}"),
            both("no way to run this file is known", "不知如何运行此文件"),
            both(
                "end its name with .py .cpp .c .java .js .ts .rs .go .cs or .kt, or make a folder with a Makefile",
                "文件名请以 .py .cpp .c .java .js .ts .rs .go .cs 或 .kt 结尾，或建立含 Makefile 的文件夹",
            ),
        )));
    }
    let file = |(part, bytes): (&str, &[u8])| BotFile {
        path: part.strip_prefix("bots/").unwrap_or(part).to_owned(),
        bytes: bytes.to_vec(),
    };
    Ok(Some(BotProgram {
        path,
        files: own.into_iter().map(file).collect(),
    }))
}
