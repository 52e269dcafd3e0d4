//! Blocks of commands in a document, and how each is tested.

use std::fs;
use std::path::Path;

/// What a block is.
#[derive(Debug, PartialEq, Eq)]
pub enum Kind {
    /// Commands alone.
    Commands,
    /// Commands after `$ ` and what they print.
    Session,
    /// Commands that a test cannot run, with the document's reason.
    NotRun,
    /// Another language, or the output of a program.
    Other,
    /// A block that a document must not contain, with the reason.
    Unclear(&'static str),
}

/// A block.
#[derive(Debug)]
pub struct Block {
    document: String,
    line: usize,
    /// What stands behind the fence: `sh`, `rust`, `bytes saiblo first 1`.
    pub language: String,
    pub kind: Kind,
    pub text: String,
    /// Whether the output is compared with the document.
    pub is_compared: bool,
}

/// The languages of blocks without commands.
const OTHER: &[&str] = &[
    "rust", "python", "json", "toml", "text", "cpp", "java", "svelte", "ts", "html", "yaml", "ini",
    "position", "bytes", "js", "c",
];

impl Block {
    pub fn place(&self) -> String {
        format!("{}:{}", self.document, self.line)
    }

    /// The commands without comments: mostly the same in every language of the document.
    pub fn essence(&self) -> String {
        let is_command = |line: &&str| self.is_compared || line.starts_with("$ ");
        let lines = self.text.lines().filter(is_command);
        lines
            .map(|line| line.split(" # ").next().unwrap_or(line).trim_end())
            .collect::<Vec<_>>()
            .join("\n")
    }
}

/// The blocks of a document.
pub fn of(root: &Path, document: &str) -> Vec<Block> {
    let text = fs::read_to_string(root.join(document)).expect("UTF-8");
    if document.ends_with(".md") {
        fenced(document, &text)
    } else {
        commented(document, &text)
    }
}

fn fenced(document: &str, text: &str) -> Vec<Block> {
    let (mut blocks, mut marker) = (Vec::new(), String::new());
    let mut lines = text.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        let Some(language) = line.trim_start().strip_prefix("```") else {
            if !line.trim().is_empty() {
                marker = line.trim().to_owned();
            }
            continue;
        };
        let inside = lines
            .by_ref()
            .map(|(_, line)| line)
            .take_while(|line| line.trim() != "```");
        let text = inside.collect::<Vec<_>>().join("\n");
        let kind = kind(language.trim(), &text, &marker);
        let is_compared = !marker.starts_with("<!-- output differs: ");
        blocks.push(Block {
            document: document.to_owned(),
            line: number + 1,
            language: language.trim().to_owned(),
            kind,
            text,
            is_compared,
        });
        marker.clear();
    }
    blocks
}

/// The language of an info string: `bytes` of `bytes saiblo first`.
fn first_word(info: &str) -> &str {
    info.split(' ').next().unwrap_or(info)
}

fn kind(language: &str, text: &str, marker: &str) -> Kind {
    let begins = |start: &str| text.lines().any(|line| line.starts_with(start));
    let has_reason = marker
        .strip_prefix("<!-- not run: ")
        .is_some_and(|rest| rest.trim() != "-->");
    match language {
        "sh" | "bash" | "console" if has_reason => Kind::NotRun,
        "console" if begins("$ ") => Kind::Session,
        "console" => Kind::Unclear("a console without `$ COMMAND`; is it ```sh or ```text?"),
        "sh" | "bash" => Kind::Commands,
        "text" if begins("leitai ") || begins("$ ") => Kind::Unclear(
            "commands in a block of text; make it ```sh, or ```console with its output",
        ),
        known if OTHER.contains(&first_word(known)) => Kind::Other,
        _ => Kind::Unclear("say what the block is: ```sh, ```console or ```text"),
    }
}

/// Commands in comments of a file of deploy/: lines that begin with `#   `.
fn commented(document: &str, text: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let (mut before, mut goes_on) = ("", false);
    for (number, line) in text.lines().enumerate() {
        let command = line.strip_prefix("#   ");
        match (command, blocks.last_mut()) {
            (Some(command), Some(block)) if goes_on => {
                block.text = format!("{}\n{command}", block.text)
            }
            (Some(command), _) => {
                let is_marked = before.starts_with("# Not run by tests: ");
                let kind = if is_marked {
                    Kind::NotRun
                } else {
                    Kind::Commands
                };
                let (document, text) = (document.to_owned(), command.to_owned());
                blocks.push(Block {
                    document,
                    line: number + 1,
                    language: "sh".to_owned(),
                    kind,
                    text,
                    is_compared: false,
                });
            }
            (None, _) => before = line,
        }
        goes_on = command.is_some();
    }
    blocks
}

#[test]
fn kinds_of_blocks_are_distinguished() {
    let check = |text: &str, kind: &Kind| {
        let blocks = fenced("a.md", text);
        assert_eq!(&blocks[0].kind, kind, "{text}");
    };
    check("```sh\nleitai games\n```\n", &Kind::Commands);
    check(
        "<!-- not run: needs Docker -->\n```sh\ndocker build .\n```\n",
        &Kind::NotRun,
    );
    check("```console\n$ leitai games\nkob\n```\n", &Kind::Session);
    check("```toml\na = 1\n```\n", &Kind::Other);
    let is_unclear = |text: &str| {
        assert!(
            matches!(fenced("a.md", text)[0].kind, Kind::Unclear(_)),
            "{text}"
        );
    };
    is_unclear("```\n$ leitai games\n```\n");
    is_unclear("```text\nleitai games\n```\n");
    is_unclear("```brainfuck\n+\n```\n");
    let two = fenced(
        "a.md",
        "<!-- not run: - -->\nWords.\n```sh\na\nb # c\n```\n\n```sh\nd\n```",
    );
    assert_eq!(
        two.iter().map(|block| block.line).collect::<Vec<_>>(),
        [3, 8]
    );
    assert_eq!(
        (two[0].kind == Kind::Commands, two[0].essence()),
        (true, "a\nb".to_owned())
    );
}
