//! Checks that every English sentence for people in the sources has a Chinese translation, that
//! every text of a resource file is used, and that its Chinese is sound.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use leitai_game::lang::{Catalogue, Texts};
use serde_json::Value;

use super::catalogue;

/// Crates with texts for people.
const CRATES: [&str; 17] = [
    "crates/batch",
    "crates/bus",
    "crates/contest",
    "crates/game",
    "crates/guest",
    "crates/analysis",
    "crates/ladder",
    "crates/judge",
    "crates/series",
    "crates/sandbox",
    "crates/store",
    "crates/server",
    "crates/leitai",
    "crates/wasm",
    "games/snakego",
    "games/kob",
    "games/tankcraft",
];

/// Files whose sentences are no messages, with the reason.
const EXEMPT: &[(&str, &str)] = &[
    ("/conformance", "a kit of tests"),
    ("/tests.rs", "tests"),
    ("/sources.rs", "this test"),
    (
        "/encode.rs",
        "names of tensor planes, documented in English (docs/learning)",
    ),
    (
        "/encode/",
        "errors of the Python module, which are English as Python's own",
    ),
    ("/from_view.rs", "errors of the Python module"),
    ("/action.rs", "the official judge's words beside ours"),
    ("/official/export.rs", "words of the official format"),
    (
        "/mcp/",
        "what agents read, which is English as their protocol is",
    ),
    ("/agent_door.rs", "what agents read"),
    ("/layers.rs", "headers for browsers"),
    ("/metrics_registry.rs", "what /metrics says, in English"),
    (
        "/connections.rs",
        "an answer before HTTP begins, to programs",
    ),
    (
        "/error_responses.rs",
        "the document of the API, which is English",
    ),
    ("crates/guest/src/file/", "texts in both languages"),
    ("/recipe.rs", "what a file of CMake says"),
    ("/parity.rs", "differences from corpora, for developers"),
    (
        "crates/sandbox/src/messages.rs",
        "steps of the sandbox for its maintainers",
    ),
    ("/cli.rs", "help, which has a test of its own"),
    ("/cli/", "help, which has a test of its own"),
    (
        "crates/sandbox/src/init.rs",
        "steps of the sandbox for its maintainers",
    ),
    (
        "crates/sandbox/src/helper.rs",
        "steps of the sandbox for its maintainers",
    ),
    (
        "crates/sandbox/src/view.rs",
        "steps of the sandbox for its maintainers",
    ),
    (
        "crates/sandbox/src/path_rules.rs",
        "steps of the sandbox for its maintainers",
    ),
    (
        "crates/sandbox/src/sandboxed.rs",
        "steps of the sandbox for its maintainers",
    ),
    (
        "crates/sandbox/src/identity.rs",
        "steps of the sandbox for its maintainers",
    ),
    (
        "crates/sandbox/src/chown.rs",
        "steps of the sandbox for its maintainers",
    ),
    (
        "crates/sandbox/src/spawner.rs",
        "steps of the sandbox for its maintainers",
    ),
    (
        "crates/sandbox/src/bin/",
        "a helper that people do not start",
    ),
    ("crates/store/src/migrations", "SQL"),
    ("crates/store/src/overview/query_plans.rs", "SQL"),
    ("crates/store/src/database/skeletons.rs", "SQL"),
    ("crates/store/src/database/store.rs", "what SQLite says"),
    (
        "crates/store/src/removal/personal_data.rs",
        "names of columns",
    ),
    ("crates/store/src/transfer/tables.rs", "SQL"),
    (
        "crates/store/src/transfer/parts/moved.rs",
        "columns, and why tables stay, for engineers",
    ),
];

/// Code before a sentence that is not for people: logs, SQL, documents of the API, impossible
/// cases.
const NOT_FOR_PEOPLE: [&str; 16] = [
    ".description(",
    "expect(",
    "panic!(",
    "unreachable!(",
    "assert",
    "reason =",
    "doc = concat!(",
    "description =",
    "tracing::",
    "info!(",
    "warn!(",
    "stream_archive(",
    "error!(",
    "describe_",
    "title =",
    "example =",
];

/// A string literal with the code before it.
struct Literal {
    text: String,
    before: String,
    line: usize,
}

fn literals(source: &str) -> Vec<Literal> {
    let (bytes, mut at, mut found) = (source.as_bytes(), 0, Vec::new());
    while at < bytes.len() {
        at = match &bytes[at..] {
            [b'/', b'/', ..] => source[at..].find('\n').map_or(bytes.len(), |end| at + end),
            [b'\'', b'\\', _, ..] => source[at + 3..]
                .find('\'')
                .map_or(bytes.len(), |end| at + end + 4),
            [b'\'', _, b'\'', ..] => at + 3,
            [b'r', b'"', ..] | [b'r', b'#', b'"', ..] => raw_end(source, at),
            [b'"', ..] => {
                let (text, end) = literal(source, at + 1);
                let from = (0..=at.saturating_sub(300))
                    .rev()
                    .find(|from| source.is_char_boundary(*from));
                let before = source[from.unwrap_or(0)..at].to_owned();
                found.push(Literal {
                    text,
                    before,
                    line: source[..at].lines().count(),
                });
                end
            }
            _ => at + 1,
        };
    }
    found
}

fn raw_end(source: &str, at: usize) -> usize {
    let open = source[at..].find('"').unwrap_or(0);
    let close = format!("\"{}", "#".repeat(open - 1));
    source[at + open + 1..]
        .find(&close)
        .map_or(source.len(), |end| at + open + 1 + end + close.len())
}

/// The text of the literal that begins here, and its end.
fn literal(source: &str, from: usize) -> (String, usize) {
    let (mut text, mut chars) = (String::new(), source[from..].char_indices().peekable());
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return (text, from + at + 1),
            '\\' => match chars.next().map(|(_, c)| c) {
                Some('\n') => while chars.next_if(|(_, c)| c.is_whitespace()).is_some() {},
                Some('n') => text.push('\n'),
                Some(other) => text.push(other),
                None => {}
            },
            c => text.push(c),
        }
    }
    (text, source.len())
}

/// The text in the form of a catalogue: `{}` for every value, and adjacent values as one.
fn pattern(text: &str) -> String {
    let (mut out, mut chars) = (String::new(), text.chars().peekable());
    while let Some(c) = chars.next() {
        match c {
            '{' | '}' if chars.next_if_eq(&c).is_some() => out.push(c),
            '{' => {
                chars.by_ref().find(|c| *c == '}');
                if !out.ends_with("{}") {
                    out.push_str("{}");
                }
            }
            c => out.push(c),
        }
    }
    out
}

fn is_chinese(text: &str) -> bool {
    text.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c))
}

/// Whether the text has three English words in a row, outside of code.
fn is_sentence(text: &str) -> bool {
    let plain: String = text.split('`').step_by(2).collect::<Vec<_>>().join(" § ");
    let plain: Vec<&str> = plain
        .lines()
        .map(|line| line.split("leitai ").next().unwrap_or(line))
        .collect();
    let plain = plain.join("\n");
    let is_word = |word: &str| {
        let word = word.trim_end_matches([',', ';', ':', '.']);
        !word.is_empty() && word.chars().all(|c| c.is_ascii_alphabetic() || c == '\'')
    };
    let words: Vec<bool> = plain.split([' ', '\n']).map(is_word).collect();
    words.windows(3).any(|three| three == [true; 3])
}

fn sources(folder: &Path, all: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of sources").flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, all);
        } else if path.extension().is_some_and(|end| end == "rs") {
            all.push(path);
        }
    }
}

/// What the engine in the page says itself; the command line has no such texts.
static ENGINE: Texts = Texts::new(include_str!("../../../wasm/messages.json"));

/// The texts of every crate: the catalogue of the command line, and the engine's.
fn every_text() -> Catalogue {
    catalogue().clone().with(Catalogue::new([&ENGINE]))
}

/// Path and code of every source file, without its tests.
fn all_sources() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut paths = Vec::new();
    CRATES
        .iter()
        .for_each(|name| sources(&root.join(name).join("src"), &mut paths));
    paths.sort();
    let read = |path: &PathBuf| {
        let text = fs::read_to_string(path).expect("a source");
        let text = text
            .split("#[cfg(test)]\nmod tests {")
            .next()
            .unwrap_or_default()
            .to_owned();
        let shown = path
            .strip_prefix(&root)
            .expect("it is below the root")
            .display()
            .to_string();
        (shown, text)
    };
    paths.iter().map(read).collect()
}

/// The sentences of a file without Chinese, either beside them or in a catalogue.
fn untranslated(path: &str, source: &str, catalogue: &Catalogue) -> Vec<String> {
    let all = literals(source);
    let chinese = |at: Option<usize>| {
        at.and_then(|at| all.get(at))
            .is_some_and(|it| is_chinese(&it.text))
    };
    let is_known = |text: &str| {
        let wanted = pattern(text);
        // A message may consist of several literals.
        let pieces: Vec<&str> = wanted
            .split("{}")
            .map(|piece| piece.trim_matches([' ', ',', ';']))
            .collect();
        let is_part = |known: &str| pieces.iter().all(|piece| known.contains(piece));
        catalogue.labels().any(|known| known.en == wanted)
            || catalogue.messages().any(|known| is_part(known.en))
            || catalogue.say(leitai_game::Lang::Zh, &wanted) != wanted
    };
    // If `match` chooses the language, its arms are separate literals.
    let near = if path.starts_with("crates/leitai/") {
        5
    } else {
        2
    };
    let is_ours = |literal: &Literal| {
        let call = literal
            .before
            .rsplit([';', '{', '}'])
            .next()
            .unwrap_or_default();
        !NOT_FOR_PEOPLE.iter().any(|mark| call.contains(mark))
    };
    let untranslated = all.iter().enumerate().filter(|(at, literal)| {
        is_sentence(&literal.text)
            && !is_chinese(&literal.text)
            && !(1..=near).any(|far| chinese(at.checked_sub(far)) || chinese(Some(at + far)))
            && is_ours(literal)
            && !is_known(&literal.text)
    });
    untranslated
        .map(|(_, literal)| format!("{path}:{}: {:?}", literal.line, pattern(&literal.text)))
        .collect()
}

#[test]
fn every_sentence_for_people_is_there_in_both_languages() {
    let is_exempt = |path: &str| EXEMPT.iter().any(|(part, _)| path.contains(part));
    let known = every_text();
    let untranslated: Vec<String> = all_sources()
        .iter()
        .filter(|(path, _)| !is_exempt(path))
        .flat_map(|(path, source)| untranslated(path, source, &known))
        .collect();
    assert!(
        untranslated.is_empty(),
        "add these to messages.json of their crate:\n{}",
        untranslated.join("\n")
    );
}

#[test]
fn every_message_is_found_by_its_id() {
    let known: BTreeSet<&str> = every_text().messages().map(|text| text.en).collect();
    let is_exempt = |path: &str| EXEMPT.iter().any(|(part, _)| path.contains(part));
    let is_lost = |literal: &Literal| {
        let id = pattern(&literal.text);
        literal.before.trim_end().ends_with("say!(")
            && id.contains(|c: char| c.is_ascii_alphabetic())
            && !known.contains(&*id)
    };
    let sources = all_sources();
    let sources = sources.iter().filter(|(path, _)| !is_exempt(path));
    let lost = sources.flat_map(|(path, source)| {
        let lost = literals(source).into_iter().filter(is_lost);
        lost.map(move |literal| format!("{path}:{}: {:?}", literal.line, pattern(&literal.text)))
    });
    let lost: Vec<String> = lost.collect();
    assert!(
        lost.is_empty(),
        "add these ids to messages.json:\n{}",
        lost.join("\n")
    );
}

/// Messages of libraries and of the system, which our sources do not contain.
fn is_foreign(en: &str) -> bool {
    let begins = [
        "missing field",
        "unknown",
        "invalid",
        "expected",
        "EOF",
        "key must",
        "trailing",
        "recursion",
        "string values",
    ];
    let others = [
        "(os error ",
        " at line ",
        " at path ",
        "stream did not",
        "cannot parse integer",
        "number too",
        "time unit",
    ];
    begins.iter().any(|begin| en.starts_with(begin)) || others.iter().any(|part| en.contains(part))
}

#[test]
fn every_message_of_a_catalogue_is_written_by_some_source() {
    let texts = |(_, source): &(String, String)| -> Vec<String> {
        let all = literals(source).into_iter();
        all.map(|literal| pattern(&literal.text)).collect()
    };
    let written = all_sources()
        .iter()
        .flat_map(texts)
        .collect::<Vec<_>>()
        .join("\n\n");
    // A message may consist of several literals, so two adjacent words are enough.
    let is_written = |en: &str| {
        let words: Vec<&str> = en.split_whitespace().collect();
        let mut runs = words
            .windows(4)
            .filter(|run| run.iter().all(|word| !word.contains("{}")))
            .peekable();
        runs.peek().is_none()
            || runs.any(|run| run.windows(2).any(|two| written.contains(&two.join(" "))))
    };
    let stale: Vec<&str> = every_text()
        .messages()
        .map(|known| known.en)
        .filter(|en| !is_foreign(en) && !is_written(en))
        .collect();
    assert!(
        stale.is_empty(),
        "no source writes these any more: {stale:#?}"
    );
}

/// The labels and templates that a file passes to a `Localizer`.
fn labels_used(source: &str) -> Vec<String> {
    let is_label = |literal: &Literal| {
        let call = literal.before.trim_end();
        let is_second = call
            .rsplit_once(".fill_count(")
            .is_some_and(|(_, first)| first.matches('"').count() == 2 && first.ends_with(','));
        let calls = [".label(", ".fill(", ".fill_count("];
        // What heads the column of numbers, or nothing, is the same in both languages.
        let heads: String = call.split_whitespace().collect();
        let heads = heads.rsplit_once("table_with_heads(lang,[");
        let is_head = heads.is_some_and(|(_, heads)| !heads.contains(']'))
            && literal.text.chars().filter(|c| c.is_alphabetic()).count() > 1;
        is_second || is_head || calls.iter().any(|name| call.ends_with(name))
    };
    let found = literals(source).into_iter().filter(is_label);
    found.map(|literal| literal.text).collect()
}

#[test]
fn labels_are_those_that_the_sources_use() {
    let used: BTreeSet<String> = all_sources()
        .iter()
        .filter(|(path, _)| !path.ends_with("game/src/lang.rs"))
        .flat_map(|(_, source)| labels_used(source))
        .collect();
    let known: BTreeSet<String> = catalogue()
        .labels()
        .map(|text| text.en.to_owned())
        .collect();
    assert_eq!(
        catalogue().labels().count(),
        known.len(),
        "a label stands twice"
    );
    let missing: Vec<_> = used.difference(&known).collect();
    let stale: Vec<_> = known.difference(&used).collect();
    assert!(
        missing.is_empty() && stale.is_empty(),
        "add to labels.json: {missing:#?}\nno source uses: {stale:#?}"
    );
}

/// The resource files: each English text of each section, with the file and its Chinese.
fn resources() -> Vec<(String, Value)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let names = ["messages.json", "labels.json", "help.json"];
    let paths = CRATES
        .iter()
        .flat_map(|folder| names.map(|name| format!("{folder}/{name}")));
    let read = |path: String| {
        let text = fs::read_to_string(root.join(&path)).ok()?;
        Some((path, serde_json::from_str(&text).expect("a file of texts")))
    };
    paths.filter_map(read).collect()
}

#[test]
fn every_resource_file_is_in_the_catalogue() {
    let known: BTreeSet<&str> = every_text()
        .messages()
        .chain(every_text().labels())
        .chain(super::HELP.iter().copied())
        .map(|text| text.en)
        .collect();
    let files = resources();
    let texts = files.iter().flat_map(|(path, file)| {
        let sections = file.as_object().into_iter().flat_map(|file| file.values());
        let texts = sections.filter_map(Value::as_object).flatten();
        texts.map(move |(en, _)| (path, en))
    });
    let lost: Vec<_> = texts.filter(|(_, en)| !known.contains(&***en)).collect();
    assert!(files.len() > 15, "{} files", files.len());
    assert!(lost.is_empty(), "no catalogue reads these: {lost:#?}");
}

#[test]
fn both_languages_have_the_same_values() {
    let is_punctuation = |en: &str| !en.chars().any(char::is_alphanumeric);
    let labels = catalogue()
        .labels()
        .filter(|known| !is_punctuation(known.en));
    for known in every_text().messages().chain(labels) {
        let (en, zh) = (
            known.en.matches("{}").count(),
            known.zh.matches("{}").count(),
        );
        let numbered = (0..en)
            .filter(|at| known.zh.contains(&format!("{{{at}}}")))
            .count();
        assert!(
            zh + numbered == en,
            "{:?} and {:?} have other values",
            known.en,
            known.zh
        );
        // The Chinese glossary has this word.
        let is_bot = known.zh == "Bot";
        assert!(
            is_bot || is_chinese(known.zh),
            "{:?} is no Chinese",
            known.zh
        );
    }
}

/// Words that are replaced by another term, and that term.
const TERMS: &[(&str, &str)] = &[
    ("\u{5f55}\u{50cf}", "回放"),
    ("\u{91cd}\u{64ad}", "回放"),
    ("\u{8d2a}\u{98df}\u{86c7}", "贪吃蛇"),
    ("贪吃蛇大\u{4f5c}战", "贪吃蛇围棋"),
    ("\u{4e2a}坦克", "辆坦克"),
    ("\u{53ea}坦克", "辆坦克"),
    ("\u{67b6}坦克", "辆坦克"),
    ("\u{65b9}\u{8a00}", "协议"),
    ("小\u{5c40}", "局"),
    ("\u{5185}\u{7f6e}程序", "内置 Bot"),
    ("账\u{53f7}", "账户"),
    ("工作\u{673a}令牌", "工作进程令牌"),
    ("擂主\u{8d5b}", "挑战赛"),
    ("\u{64c2}\u{53f0}赛", "挑战赛"),
    ("\u{8f66}轮战", "挑战赛"),
    ("参赛\u{7a0b}序", "参赛方"),
    ("无效对\u{5c40}", "无效比赛"),
    ("\u{4eba}\u{7c7b}比赛", "真人比赛"),
];

/// Words of a rule's source, quoted as written there.
const QUOTED: &str = "\u{83b7}\u{5f97}\u{6bcf}\u{4e2a}坦克的指令";

fn texts(folder: &Path, all: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let (path, name) = (
            entry.path(),
            entry.file_name().to_string_lossy().into_owned(),
        );
        let is_ours = !name.starts_with('.')
            && !["target", "node_modules", "dist", "paraglide"].contains(&&*name);
        let ends = ["md", "rs", "ts", "json", "svelte", "html", "py", "toml"];
        if path.is_dir() && !path.is_symlink() && is_ours {
            texts(&path, all);
        } else if path
            .extension()
            .is_some_and(|end| ends.iter().any(|known| end == *known))
        {
            all.push(path);
        }
    }
}

#[test]
fn one_term_has_one_chinese_translation() {
    let mut all = Vec::new();
    texts(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."),
        &mut all,
    );
    let wrong = |path: &PathBuf| -> Vec<String> {
        let text = fs::read_to_string(path)
            .unwrap_or_default()
            .replace(QUOTED, "");
        let found = TERMS.iter().filter(|(word, _)| text.contains(word));
        found
            .map(|(word, term)| format!("{}: {word} is called {term}", path.display()))
            .collect()
    };
    let wrong: Vec<String> = all.iter().flat_map(wrong).collect();
    assert!(
        all.len() > 500 && wrong.is_empty(),
        "{} files: {wrong:#?}",
        all.len()
    );
}
