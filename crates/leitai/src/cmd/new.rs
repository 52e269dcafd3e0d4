//! `leitai new GAME [LANG]`

use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::{fs, io};

use leitai_game::{AnyGame, TemplateOf, Text};
use leitai_judge::build::protocol_marker;
use leitai_series::columns;

use crate::arguments::{self, nearest};
use crate::cli::NewArgs;
use crate::prelude::*;
use crate::rerun_command::quote_word;

/// What lies beside the bot and its SDK, for every language or for one: its name and its text. No
/// program needs it.
const BESIDE: [(Option<&str>, &str, &str); 13] = [
    (
        None,
        AGENTS_FILE,
        include_str!("../../templates/AGENTS.md.txt"),
    ),
    (None, TEST, include_str!("../../templates/kit/test.sh")),
    (
        None,
        ".vscode/tasks.json",
        include_str!("../../templates/kit/tasks.json"),
    ),
    (
        Some("python"),
        "pyproject.toml",
        include_str!("../../templates/kit/pyproject.toml"),
    ),
    (
        Some("cpp"),
        "compile_flags.txt",
        include_str!("../../templates/kit/compile_flags.txt"),
    ),
    (
        Some("java"),
        ".vscode/settings.json",
        include_str!("../../templates/kit/settings.json"),
    ),
    (
        Some("javascript"),
        "jsconfig.json",
        include_str!("../../templates/kit/jsconfig.json"),
    ),
    (
        Some("rust"),
        "Cargo.toml",
        include_str!("../../templates/kit/Cargo.toml.txt"),
    ),
    (Some("rust"), ".gitignore", "target\n"),
    (
        Some("typescript"),
        "tsconfig.json",
        include_str!("../../templates/kit/tsconfig.json"),
    ),
    (
        Some("go"),
        "go.mod",
        include_str!("../../templates/kit/go.mod.txt"),
    ),
    (
        Some("csharp"),
        "bot.csproj",
        include_str!("../../templates/kit/bot.csproj"),
    ),
    (
        Some("kotlin"),
        "build.gradle.kts",
        include_str!("../../templates/kit/build.gradle.kts"),
    ),
];
/// What coding agents look for in a folder.
const AGENTS_FILE: &str = "AGENTS.md";
/// The bot's test.
const TEST: &str = "test.sh";
const README: &str = "README.md";
/// The guide of a game that came as a file.
const GUIDE: &str = "guide.md";
const README_TEXT: Text = Text::new(
    include_str!("../../templates/kit/README.md.txt"),
    include_str!("../../templates/kit/README.zh.md.txt"),
);

/// Writes a starter kit of the game and prints the next commands.
pub fn run(lang: Localizer, args: &NewArgs) -> Result<ExitCode> {
    let game = arguments::find_game(&args.game)?;
    let template = choose_template(&*game, args.language.as_deref())?;
    let id = game.meta().id;
    let folder = args
        .folder
        .clone()
        .unwrap_or_else(|| PathBuf::from(format!("{id}-bot")));
    let path = folder.join(template.file_name);
    if !write_new(&path, template.code)? {
        return Err(usage_error(format!(
            "{} is there already and stays as it is; choose another folder with --folder",
            path.display()
        )));
    }
    let place = WrittenKit {
        game: &*game,
        named: &args.game,
        template: &template,
        folder: &folder,
    };
    place.write_files_beside(lang)?;
    print_answer(
        args.json,
        &template_json(&*game, &template, &path, &folder),
        || place.describe(lang, args.language.is_none()),
    )
}

/// A kit that is written.
struct WrittenKit<'a> {
    game: &'a dyn AnyGame,
    /// The word that named the game.
    named: &'a str,
    template: &'a TemplateOf<'a>,
    folder: &'a Path,
}

/// The written files for programs.
fn template_json(
    game: &dyn AnyGame,
    template: &TemplateOf<'_>,
    path: &Path,
    folder: &Path,
) -> Value {
    let templates = game.list_templates();
    let others = list_languages(&templates).into_iter();
    json!({
        "format": "leitai-new/1",
        "game": game.meta().id,
        "language": template.language,
        "protocol": protocol_of(game, template),
        "program": path,
        "agents_file": folder.join(AGENTS_FILE),
        "other_languages": others.filter(|name| *name != template.language).collect::<Vec<_>>(),
    })
}

/// The template in this language; without a language the game's first.
fn choose_template<'g>(game: &'g dyn AnyGame, language: Option<&str>) -> Result<TemplateOf<'g>> {
    let mut all = game.list_templates();
    let id = game.meta().id;
    let Some(asked) = language else {
        return match all.is_empty() {
            true => Err(usage_error(format!("{id} has no template"))),
            false => Ok(all.swap_remove(0)),
        };
    };
    let wanted = canonical_language(asked);
    match all.iter().position(|one| one.language == wanted) {
        Some(found) => Ok(all.swap_remove(found)),
        None => Err(usage_error(no_template(id, asked, &list_languages(&all)))),
    }
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

fn list_languages<'t>(templates: &[TemplateOf<'t>]) -> Vec<&'t str> {
    templates.iter().map(|template| template.language).collect()
}

/// The language name of templates for a written form: `C++`, `.py`, `python3`.
fn canonical_language(asked: &str) -> String {
    let lower = asked.trim_start_matches('.').to_lowercase();
    match lower.as_str() {
        "py" | "python3" => "python".to_owned(),
        "c++" | "cc" | "cxx" => "cpp".to_owned(),
        "js" | "node" | "nodejs" => "javascript".to_owned(),
        "rs" => "rust".to_owned(),
        "ts" | "tsc" => "typescript".to_owned(),
        "golang" => "go".to_owned(),
        "c#" | "cs" | "dotnet" => "csharp".to_owned(),
        "kt" => "kotlin".to_owned(),
        _ => lower,
    }
}

/// Writes the file and its folders, unless there is a file of this name: that stays as it is.
fn write_new(path: &Path, text: &str) -> Result<bool> {
    let name = path.display();
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)
            .with_context(|| format!("cannot make the folder {}", folder.display()))?;
    }
    let mode = if text.starts_with("#!/bin/sh") {
        0o777
    } else {
        0o666
    };
    let file = fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(mode)
        .open(path);
    match file.and_then(|mut file| file.write_all(text.as_bytes())) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        done => done
            .map(|()| true)
            .with_context(|| format!("cannot write {name}")),
    }
}

impl WrittenKit<'_> {
    /// Writes the SDK, and what people, editors and coding agents read.
    fn write_files_beside(&self, lang: Localizer) -> Result<()> {
        let &WrittenKit {
            game,
            template,
            folder,
            ..
        } = self;
        let named = self.absolute_name();
        let protocol = protocol_of(game, template);
        let quoted = |names: Vec<&str>| {
            let names = names.iter().map(|name| format!("`{name}`"));
            names.collect::<Vec<_>>().join(", ")
        };
        let is_for_editors = |name: &&str| *name != TEST && !name.ends_with(".md");
        let beside = BESIDE
            .iter()
            .filter(|(of, ..)| of.is_none_or(|of| of == template.language));
        let editor = beside.clone().map(|(_, name, _)| *name);
        let fill = |text: &str| {
            text.replace("{game}", game.meta().id)
                .replace("{title}", lang.pick(game.meta().title))
                .replace("{where}", &named)
                .replace("{language}", template.language)
                .replace("{file}", template.file_name)
                .replace("{sdk}", &quoted(sdk_names(template)))
                .replace(
                    "{editor}",
                    &quoted(editor.clone().filter(is_for_editors).collect()),
                )
                .replace("{protocol}", &protocol)
                .replace("{opponent}", first_opponent(game))
        };
        for file in &*template.files {
            write_new(&folder.join(file.name), file.text)?;
        }
        // A game that Leitai's documents do not describe: its guide lies beside the bot.
        if !game.capabilities().guide_pictures {
            write_new(&folder.join(GUIDE), lang.pick(game.rules_guide()))?;
        }
        write_new(&folder.join(README), &fill(lang.pick(README_TEXT)))?;
        for (_, name, text) in beside {
            write_new(&folder.join(name), &fill(text))?;
        }
        Ok(())
    }

    /// The word that names the game in the folder of the bot: an id, or a whole path.
    fn absolute_name(&self) -> String {
        let path = Path::new(self.named);
        let is_path = self.named != self.game.meta().id && path.exists();
        let whole = path.canonicalize().ok().filter(|_| is_path);
        match whole {
            Some(path) => quote_word(&path.display().to_string()),
            None => self.game.meta().id.to_owned(),
        }
    }
}

fn sdk_names<'t>(template: &TemplateOf<'t>) -> Vec<&'t str> {
    template.files.iter().map(|file| file.name).collect()
}

fn first_opponent(game: &dyn AnyGame) -> &str {
    game.list_bots().first().map_or("random", |(name, _)| *name)
}

impl WrittenKit<'_> {
    /// The written files, and the next commands.
    fn describe(&self, lang: Localizer, is_default: bool) -> String {
        let &WrittenKit {
            game,
            template,
            folder,
            ..
        } = self;
        let id = &quote_word(self.named);
        let quoted = |path: &Path| quote_word(&path.display().to_string());
        let name = quoted(folder);
        let opponent = first_opponent(game);
        let mut text = format!(
            "{} {}   {}, {} {}\n",
            lang.label("wrote"),
            quoted(&folder.join(template.file_name)),
            template.language,
            lang.label("protocol"),
            protocol_of(game, template)
        );
        let beside = [&sdk_names(template)[..], &[README]].concat();
        text += &format_row(lang.label("beside it"), &beside.join("   "));
        let templates = game.list_templates();
        let others: Vec<&str> = list_languages(&templates)
            .into_iter()
            .filter(|name| *name != template.language)
            .collect();
        if is_default && !others.is_empty() {
            let mut label = lang.label("other languages");
            for some in others.chunks(4) {
                let command = format!("leitai new {id} {}", some.join("|"));
                text += &format_row(std::mem::take(&mut label), &command);
            }
        }
        for (label, command) in [
            (lang.label("test it"), quoted(&folder.join(TEST))),
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
}

/// The protocol that the bot names in its first lines; the game's first if it names none.
fn protocol_of(game: &dyn AnyGame, template: &TemplateOf<'_>) -> String {
    protocol_marker::of_text(template.code).unwrap_or_else(|| game.list_protocols()[0].0.to_owned())
}

/// A label and a command, aligned.
fn format_row(label: &str, command: &str) -> String {
    format!("  {} {command}\n", columns::pad(label, 17))
}
