//! `leitai new GAME [LANG]`

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{fs, io};

use anyhow::Context;
use leitai_game::{AnyGame, Template};
use leitai_judge::build::protocol_marker;
use leitai_series::columns;
use serde_json::{Value, json};

use crate::arguments::{self, nearest, usage_error};
use crate::cli::NewArgs;
use crate::files::print_stdout;
use crate::lang::Localizer;
use crate::rerun_command::quote_word;

/// What coding agents look for in a folder.
const AGENTS_FILE: &str = "AGENTS.md";
const AGENTS: &str = include_str!("../../templates/AGENTS.md.txt");

/// Writes a template of the game and prints the next commands.
pub fn run(lang: Localizer, args: &NewArgs) -> anyhow::Result<ExitCode> {
    let game = arguments::find_game(&args.game)?;
    let template = choose_template(&*game, args.language.as_deref())?;
    let id = game.meta().id;
    let folder = args
        .folder
        .clone()
        .unwrap_or_else(|| PathBuf::from(format!("{id}-bot")));
    let path = folder.join(template.file_name);
    write_new(&path, template.code)?;
    write_agents_file(&*game, template, &folder)?;
    print_stdout(&match args.json {
        true => format!("{}\n", template_json(&*game, template, &path, &folder)),
        false => describe_template(lang, &*game, template, &path, args.language.is_none()),
    })?;
    Ok(ExitCode::SUCCESS)
}

/// The written files for programs.
fn template_json(game: &dyn AnyGame, template: &Template, path: &Path, folder: &Path) -> Value {
    let others = list_languages(game.list_templates()).into_iter();
    json!({
        "format": "leitai-new/1",
        "game": game.meta().id,
        "language": template.language,
        "protocol": protocol_of(game, template, path),
        "program": path,
        "agents_file": folder.join(AGENTS_FILE),
        "other_languages": others.filter(|name| *name != template.language).collect::<Vec<_>>(),
    })
}

/// The template in this language; without a language the game's first, which is the shortest.
fn choose_template(
    game: &dyn AnyGame,
    language: Option<&str>,
) -> anyhow::Result<&'static Template> {
    let all = game.list_templates();
    let id = game.meta().id;
    let Some(asked) = language else {
        return all
            .first()
            .ok_or_else(|| usage_error(format!("{id} has no template")));
    };
    let wanted = canonical_language(asked);
    let found = all.iter().find(|template| template.language == wanted);
    found.ok_or_else(|| usage_error(no_template(id, asked, &list_languages(all))))
}

fn no_template(id: &str, asked: &str, languages: &[&str]) -> String {
    let has = languages.join(", ");
    match nearest(asked, languages.iter().copied()) {
        Some(near) => format!(
            "{id} has no template in {asked:?}; did you mean {near}? It has {has}. A program in any language can \
             play: docs/protocols.md says what it reads and writes"
        ),
        None => format!(
            "{id} has no template in {asked:?}; it has {has}. A program in any language can play: \
             docs/protocols.md says what it reads and writes"
        ),
    }
}

fn list_languages(templates: &[Template]) -> Vec<&'static str> {
    templates.iter().map(|template| template.language).collect()
}

/// The language name of templates for a written form: `C++`, `.py`, `python3`.
fn canonical_language(asked: &str) -> String {
    let lower = asked.trim_start_matches('.').to_lowercase();
    match lower.as_str() {
        "py" | "python3" => "python".to_owned(),
        "c++" | "cc" | "cxx" => "cpp".to_owned(),
        "js" | "node" | "nodejs" => "javascript".to_owned(),
        _ => lower,
    }
}

/// Writes the file and its folders; an existing file stays unchanged.
fn write_new(path: &Path, code: &str) -> anyhow::Result<()> {
    let name = path.display();
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)
            .with_context(|| format!("cannot make the folder {}", folder.display()))?;
    }
    let file = fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(path);
    match file.and_then(|mut file| file.write_all(code.as_bytes())) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(usage_error(format!(
            "{name} is there already and stays as it is; choose another folder with --folder"
        ))),
        done => done.with_context(|| format!("cannot write {name}")),
    }
}

/// Writes what a coding agent should know, beside the bot; a file of this name stays as it is.
fn write_agents_file(game: &dyn AnyGame, template: &Template, folder: &Path) -> anyhow::Result<()> {
    let path = folder.join(AGENTS_FILE);
    let protocol = protocol_of(game, template, Path::new(template.file_name));
    let text = AGENTS
        .replace("{game}", game.meta().id)
        .replace("{file}", template.file_name)
        .replace("{protocol}", &protocol)
        .replace("{opponent}", first_opponent(game));
    let file = fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(&path);
    match file.and_then(|mut file| file.write_all(text.as_bytes())) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
            Err(error).with_context(|| format!("cannot write {}", path.display()))
        }
        _ => Ok(()),
    }
}

fn first_opponent(game: &dyn AnyGame) -> &'static str {
    game.list_bots().first().map_or("random", |(name, _)| *name)
}

/// The written file, and the next commands.
fn describe_template(
    lang: Localizer,
    game: &dyn AnyGame,
    template: &Template,
    path: &Path,
    is_default: bool,
) -> String {
    let (id, name) = (game.meta().id, quote_word(&path.display().to_string()));
    let opponent = first_opponent(game);
    let protocol = protocol_of(game, template, path);
    let (wrote, speaks) = (lang.label("wrote"), lang.label("protocol"));
    let mut text = format!(
        "{wrote} {name}   {}, {speaks} {protocol}\n",
        template.language
    );
    let others: Vec<&str> = list_languages(game.list_templates())
        .into_iter()
        .filter(|name| *name != template.language)
        .collect();
    if is_default && !others.is_empty() {
        let commands: Vec<String> = others
            .iter()
            .map(|name| format!("leitai new {id} {name}"))
            .collect();
        text += &format_row(lang.label("other languages"), &commands.join("   "));
    }
    for (label, command) in [
        (lang.label("check it"), format!("leitai check {id} {name}")),
        (
            lang.label("let it play"),
            format!("leitai match {id} {name} {opponent}"),
        ),
        (lang.label("what it is told"), format!("leitai bots {id}")),
    ] {
        text += &format_row(label, &command);
    }
    text
}

fn protocol_of(game: &dyn AnyGame, template: &Template, path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let of_host = || {
        let mut hosts = game.list_hosts().iter();
        let host = hosts.find(|host| (host.accepts)(&name, template.code))?;
        Some(host.protocol.to_owned())
    };
    let marked = protocol_marker::of_text(template.code);
    marked
        .or_else(of_host)
        .unwrap_or_else(|| game.list_protocols()[0].0.to_owned())
}

/// A label and a command, aligned.
fn format_row(label: &str, command: &str) -> String {
    format!("  {} {command}\n", columns::pad(label, 17))
}
