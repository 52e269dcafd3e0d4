//! Games, rules, guides, protocols and templates as texts: each has a path, which is its address on the
//! server (`/rules/kob.md`) and its resource for agents (`leitai://rules/kob.md`).

use std::fmt::Write;

use leitai_game::text::TextOf;
use leitai_game::{AnyGame, GameHandle, Text};

/// What is before the path of a document in the URI of its resource.
pub const SCHEME: &str = "leitai://";
/// The path of the list of games.
const GAMES: &str = "games.md";

/// Documents about all games: path, title, text.
const GENERAL: [(&str, &str, Text); 2] = [
    (
        "protocols",
        "How a program talks to Leitai",
        Text::new(
            include_str!("../../../../docs/protocols.md"),
            include_str!("../../../../docs/protocols.zh.md"),
        ),
    ),
    (
        "http-api",
        "The HTTP API",
        Text::new(
            include_str!("../../../../docs/http-api.md"),
            include_str!("../../../../docs/http-api.zh.md"),
        ),
    ),
];

/// A document in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentEntry {
    /// The path, without a slash at its beginning.
    pub path: String,
    /// What it is.
    pub title: String,
}

/// A document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// The media type.
    pub kind: &'static str,
    /// The text.
    pub text: String,
}

const MARKDOWN: &str = "text/markdown; charset=utf-8";
const PLAIN: &str = "text/plain; charset=utf-8";

/// All documents about these games.
pub fn list_documents(games: &[GameHandle]) -> Vec<DocumentEntry> {
    let mut all = vec![new_entry(GAMES, "The games of this arena")];
    for (name, title, _) in GENERAL {
        all.push(new_entry(&format!("{name}.md"), title));
        all.push(new_entry(
            &format!("{name}.zh.md"),
            &format!("{title} (简体中文)"),
        ));
    }
    for game in games {
        let meta = game.meta();
        let (id, title) = (meta.id, meta.title.en);
        for (folder, what) in [("rules", "Rules"), ("guides", "Guide for players")] {
            let what = format!("{what} of {title}");
            all.push(new_entry(&format!("{folder}/{id}.md"), &what));
            all.push(new_entry(
                &format!("{folder}/{id}.zh.md"),
                &format!("{what} (简体中文)"),
            ));
        }
        for template in game.list_templates() {
            let (file, language) = (template.file_name, template.language);
            all.push(new_entry(
                &format!("templates/{id}/{file}"),
                &format!("A {title} bot to start from, in {language}"),
            ));
            let sdk = template.files.iter().map(|file| {
                let what =
                    format!("The SDK of {title} in {language}; an upload that names it gets it");
                new_entry(&format!("templates/{id}/{}", file.name), &what)
            });
            all.extend(sdk);
        }
    }
    all
}

fn new_entry(path: &str, title: &str) -> DocumentEntry {
    DocumentEntry {
        path: path.to_owned(),
        title: title.to_owned(),
    }
}

/// The document at a path, if there is one.
pub fn find_document(games: &[GameHandle], path: &str) -> Option<Document> {
    if path == GAMES {
        return Some(markdown(describe_games(games)));
    }
    let (folder, name) = path.split_once('/').unwrap_or(("", path));
    if folder == "templates" {
        let (id, file) = name.split_once('/')?;
        let game = find_game(games, id)?;
        let text = game.list_templates().iter().find_map(|template| {
            let sdk = template.files.iter().find(|own| own.name == file);
            let own = (template.file_name == file).then_some(template.code);
            Some(own.or(sdk.map(|file| file.text))?.to_owned())
        })?;
        return Some(Document { kind: PLAIN, text });
    }
    let name = name.strip_suffix(".md")?;
    let (name, is_chinese) = match name.strip_suffix(".zh") {
        Some(name) => (name, true),
        None => (name, false),
    };
    let text = match folder {
        "" => GENERAL.iter().find(|(own, ..)| *own == name)?.2,
        "rules" => return in_language(find_game(games, name)?.full_rules(), is_chinese),
        "guides" => return in_language(find_game(games, name)?.rules_guide(), is_chinese),
        _ => return None,
    };
    in_language(text, is_chinese)
}

fn in_language(text: leitai_game::text::TextOf<'_>, is_chinese: bool) -> Option<Document> {
    let text = if is_chinese { text.zh } else { text.en };
    Some(markdown(without_relative_links(text)))
}

fn markdown(text: String) -> Document {
    Document {
        kind: MARKDOWN,
        text,
    }
}

fn find_game<'a>(games: &'a [GameHandle], id: &str) -> Option<&'a GameHandle> {
    games.iter().find(|game| game.meta().id == id)
}

/// The games with what a program needs to know first.
fn describe_games(games: &[GameHandle]) -> String {
    let mut text = "# Games\n".to_owned();
    for game in games {
        describe_game(&mut text, &**game);
    }
    text
}

fn describe_game(text: &mut String, game: &dyn AnyGame) {
    let meta = game.meta();
    let names = |all: Vec<(&str, TextOf<'_>)>| {
        let names: Vec<&str> = all.iter().map(|(name, _)| *name).collect();
        names.join(", ")
    };
    let limit = meta.period_limit.as_millis();
    let (id, bots) = (meta.id, names(game.list_bots()));
    let protocols = names(game.list_protocols());
    // Writing to a string cannot fail.
    _ = write!(
        text,
        "\n## {} (`{id}`)\n{}\n\n- rules: {SCHEME}rules/{id}.md, guide with the bytes of the protocols: \
         {SCHEME}guides/{id}.md\n- a match has {} legs; a turn has {limit} ms\n- protocols, the default \
         first: {protocols}\n- built-in bots, the weakest first: {bots}\n",
        meta.title.en, meta.about.en, meta.legs
    );
}

/// The text with the words of links to other files of the repository, which are not here, but without
/// their targets. Blocks of code stay.
fn without_relative_links(text: &str) -> String {
    let mut is_code = false;
    let mut lines = Vec::new();
    for line in text.lines() {
        is_code ^= line.trim_start().starts_with("```");
        lines.push(match is_code {
            true => line.to_owned(),
            false => unlink_line(line),
        });
    }
    lines.join("\n") + "\n"
}

fn unlink_line(line: &str) -> String {
    let (mut rest, mut kept) = (line, String::with_capacity(line.len()));
    while let Some(middle) = rest.find("](") {
        let (before, target) = (&rest[..middle], &rest[middle + 2..]);
        let (Some(open), Some(close)) = (before.rfind('['), target.find(')')) else {
            kept += &rest[..middle + 2];
            rest = target;
            continue;
        };
        let stays = target.starts_with("http") || target.starts_with('#');
        match stays {
            true => kept += &rest[..middle + 2 + close + 1],
            false => {
                kept += &before[..open];
                kept += &before[open + 1..];
            }
        }
        rest = &target[close + 1..];
    }
    kept + rest
}

/// `/llms.txt`: what an agent finds here, and how it comes in. `origin` is the arena's address, if it
/// is known.
pub fn write_llms_txt(games: &[GameHandle], origin: &str) -> String {
    let mut text = format!(
        "# Leitai\n\n> An arena for game-playing programs: upload a bot in any language, it is built, checked \
         and ranked by rated matches; every match can be replayed and analysed.\n\n\
         Agents are welcome; limits and ladders are those of people. The tools are at {origin}/mcp (Model Context \
         Protocol over streamable HTTP, `Authorization: Bearer TOKEN`; reading needs no token) and in the \
         command `leitai mcp` (stdio), which also checks, plays and analyses on your own machine. A token \
         with the scopes `submit` and `play` is made on the page of the account.\n"
    );
    for (heading, wanted) in [
        ("Start here", ["games.md", "protocols.md", "http-api.md"]),
        (
            "Rules, guides, bots to start from",
            ["rules/", "guides/", "templates/"],
        ),
    ] {
        _ = write!(text, "\n## {heading}\n");
        let all = list_documents(games);
        let fits = |path: &str| {
            let is_english = !path.ends_with(".zh.md");
            is_english && wanted.iter().any(|start| path.starts_with(start))
        };
        for entry in all.iter().filter(|entry| fits(&entry.path)) {
            _ = writeln!(text, "- [{}]({origin}/{})", entry.title, entry.path);
        }
    }
    let api = "every route with its fields";
    text + &format!(
        "- [OpenAPI document]({origin}/api/openapi.json): {api}\n\n## Optional\n\
         Every text has a Chinese twin: `.zh.md` instead of `.md`.\n"
    )
}
