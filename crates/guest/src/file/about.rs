//! What `game.toml` says of a game.

use std::ops::RangeInclusive;
use std::path::{Component, Path};
use std::time::Duration;

use leitai_game::text::LocalizedText;
use leitai_game::{BySeat, Seat};
use leitai_toml_reader::problem::{Problem, both};
use leitai_toml_reader::table::{Item, Reader, Section, read_size, whole_number};
use serde_json::{Map, Value};

use crate::meta::{Choice, ChoiceKind, GuestMeta, LogicProtocol};

/// The most choices of a config, and the most words of one.
const MOST_CHOICES: usize = 20;

/// The most rounds of a leg where `game.toml` does not say.
const DEFAULT_ROUNDS: u64 = 1000;

/// What the game is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct About {
    /// The id.
    pub id: String,
    /// The rule set and its version.
    pub rules: String,
    /// The name.
    pub name: LocalizedText,
    /// One sentence.
    pub about: LocalizedText,
    /// The default number of legs.
    pub legs: usize,
    /// The time of a period.
    pub time: Duration,
    /// The most bytes of a message.
    pub message: usize,
    /// Whether players may know everything.
    pub is_open: bool,
    /// What each player may not know: paths in the view of everything.
    pub secret: BySeat<Vec<String>>,
    /// The choices of a config.
    pub choices: Vec<Choice>,
    /// Who wrote it.
    pub authors: Vec<String>,
    /// Under which licence.
    pub licence: String,
    /// The judge program that leads the game, where the rules are none of ours: a path inside the folder.
    pub logic: Option<String>,
    /// What that program speaks.
    pub logic_protocol: LogicProtocol,
    /// The most rounds of its legs.
    pub rounds: u32,
    /// The built-in bots, weakest first.
    pub bots: Vec<NamedBot>,
}

/// A bot that `game.toml` names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedBot {
    /// What it is called.
    pub name: String,
    /// One sentence on how it plays.
    pub about: LocalizedText,
}

impl About {
    /// Reads the text of `game.toml`.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn read(text: &str) -> Result<About, Vec<Problem>> {
        let (reader, table) = Reader::parse(text);
        let root = Section::new(&reader, &table, "", 0..0);
        let about = read_root(&root);
        root.finish();
        match (reader.into_problems(), about) {
            (problems, Some(about)) if problems.is_empty() => Ok(about),
            (problems, _) => Err(problems),
        }
    }

    /// Whether the text of `game.toml` names a logic process, right or wrong as the rest may be.
    pub fn names_logic(text: &str) -> bool {
        let (_, table) = Reader::parse(text);
        table.contains_key("logic")
    }

    /// The path that `logic` names, right or wrong as the rest may be.
    pub(super) fn logic_of(text: &str) -> Option<String> {
        let (_, table) = Reader::parse(text);
        let named = table.get("logic")?.get_ref().as_str()?;
        Some(named.to_owned())
    }

    /// The names of its bots, as far as they can be read.
    pub(super) fn names_of_bots(text: &str) -> Vec<String> {
        let (_, table) = Reader::parse(text);
        let bots = table.get("bots").and_then(|item| item.get_ref().as_array());
        let name = |item: &Item<'_>| {
            let name = item.get_ref().as_table()?.get("name")?;
            Some(name.get_ref().as_str()?.to_owned())
        };
        bots.map_or(Vec::new(), |bots| bots.iter().filter_map(name).collect())
    }

    /// The same for the rules, with a guide.
    pub fn meta(&self, guide: LocalizedText) -> GuestMeta {
        GuestMeta {
            id: self.id.clone(),
            title: self.name.clone(),
            about: self.about.clone(),
            rules: self.rules.clone(),
            legs: self.legs,
            period_limit: self.time,
            message_limit: self.message,
            is_open: self.is_open,
            choices: self.choices.clone(),
            rounds: self.rounds,
            guide,
        }
    }

    /// The config of all defaults.
    pub fn default_config(&self) -> Value {
        let defaults = self.choices.iter();
        let defaults = defaults.map(|choice| (choice.key.clone(), choice.default()));
        Value::Object(defaults.collect::<Map<_, _>>())
    }
}

/// Every key is read before one that is missing ends it, so that all problems are found.
fn read_root(root: &Section<'_, '_>) -> Option<About> {
    read_interface(root);
    let id = read_id(root);
    let rules = read_rules(root, id.as_deref());
    let name = read_text(root, "name", "name = \"…\" or { en = \"…\", zh = \"…\" }");
    let about = read_text(root, "about", "about = \"…\" or { en = \"…\", zh = \"…\" }");
    let legs = root.number("legs", 1..=64);
    let time = read_time(root);
    let message = read_message(root);
    let is_open = read_switch(root, "open");
    let secret = read_secret(root, is_open.unwrap_or(false));
    let choices = read_choices(root);
    let authors = read_authors(root);
    let bots = read_bots(root);
    let logic = read_logic(root);
    let logic_protocol = match logic {
        Some(_) => read_logic_protocol(root),
        None => LogicProtocol::Saiblo,
    };
    let rounds = root.number("rounds", 1..=1_000_000);
    let licence = root.text("licence");
    if licence.is_none() && root.get("licence").is_none() {
        root.miss(
            "licence",
            "write its SPDX name, such as licence = \"MIT\"",
            "请写 SPDX 名称，例如 licence = \"MIT\"",
        );
    }
    Some(About {
        id: id?,
        rules: rules?,
        name: name?,
        about: about?,
        legs: legs.unwrap_or(2) as usize,
        time: time.unwrap_or(Duration::from_secs(1)),
        message: message.unwrap_or(64 << 10),
        is_open: is_open.unwrap_or(false),
        secret,
        choices,
        authors,
        licence: clean(licence?.0),
        logic,
        logic_protocol,
        rounds: rounds.unwrap_or(DEFAULT_ROUNDS) as u32,
        bots,
    })
}

fn read_authors(root: &Section<'_, '_>) -> Vec<String> {
    let authors = root.words("authors").into_iter();
    let authors: Vec<String> = authors.map(|(author, _)| clean(author)).collect();
    let given = root.get("authors");
    if authors.is_empty() && given.is_none_or(|item| item.get_ref().is_array()) {
        root.miss(
            "authors",
            "write authors = [\"…\"]",
            "请写 authors = [\"…\"]",
        );
    }
    authors
}

/// Texts of strangers are shown in terminals.
fn clean(text: &str) -> String {
    leitai_game::clean_text::clean_line(text).into_owned()
}

fn read_interface(root: &Section<'_, '_>) {
    const KNOWN: [(&str, ()); 1] = [(leitai_module::wire::INTERFACE, ())];
    if root.word("interface", &KNOWN).is_none() && root.get("interface").is_none() {
        root.miss(
            "interface",
            "write interface = \"leitai-game/1\"",
            "请写 interface = \"leitai-game/1\"",
        );
    }
}

fn read_id(root: &Section<'_, '_>) -> Option<String> {
    let (en, zh) = (
        "write 2 to 32 of a-z, 0-9 and -, beginning with a letter, such as id = \"othello\"",
        "请写 2 到 32 个 a-z、0-9、-，以字母开头，例如 id = \"othello\"",
    );
    let Some(item) = root.get("id") else {
        root.miss("id", en, zh);
        return None;
    };
    let is_id = |text: &&str| {
        let of = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-');
        let begins = text.starts_with(|first: char| first.is_ascii_lowercase());
        (2..=32).contains(&text.len()) && text.bytes().all(of) && begins && !text.ends_with('-')
    };
    let id = item.get_ref().as_str().filter(is_id);
    if id.is_none() {
        root.refuse("id", item, en, zh);
    }
    id.map(str::to_owned)
}

/// `ID/VERSION`: a replay is verified under the same rule set only.
fn read_rules(root: &Section<'_, '_>, id: Option<&str>) -> Option<String> {
    let id = id.unwrap_or("othello");
    let (en, zh) = (
        format!("write rules = \"{id}/1\"; count up when the rules change"),
        format!("请写 rules = \"{id}/1\"；规则改变时增大数字"),
    );
    let Some(item) = root.get("rules") else {
        root.miss("rules", &en, &zh);
        return None;
    };
    let is_version = |version: &str| {
        (1..=9).contains(&version.len()) && version.bytes().all(|byte| byte.is_ascii_digit())
    };
    let rules = item.get_ref().as_str();
    let rules = rules.filter(|text| {
        let parts = text.split_once('/');
        parts.is_some_and(|(of, version)| of == id && is_version(version))
    });
    if rules.is_none() {
        root.refuse("rules", item, &en, &zh);
    }
    rules.map(str::to_owned)
}

/// The most bots of a game file.
const MOST_BOTS: usize = 16;

/// Whether a text is the name of a bot: 2 to 24 of a-z, 0-9 and -, beginning with a letter; not one
/// that Leitai gives.
fn is_name(text: &str) -> bool {
    let of = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-');
    let begins = text.starts_with(|first: char| first.is_ascii_lowercase());
    let level = text.strip_prefix("level");
    let is_level = level.is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()));
    let is_ours = is_level || matches!(text, "random" | "me");
    (2..=24).contains(&text.len())
        && text.bytes().all(of)
        && begins
        && !text.ends_with('-')
        && !is_ours
}

/// `[[bots]]`: the built-in bots, weakest first.
fn read_bots(root: &Section<'_, '_>) -> Vec<NamedBot> {
    let list = root.list("bots").unwrap_or_default();
    if let Some(item) = list.get(MOST_BOTS) {
        root.refuse(
            "bots",
            item,
            &format!("keep at most {MOST_BOTS} bots"),
            &format!("最多 {MOST_BOTS} 个 bot"),
        );
    }
    let mut bots: Vec<NamedBot> = Vec::new();
    for item in list {
        let Some(table) = item.get_ref().as_table() else {
            let (en, zh) = ("write a table [[bots]]", "请写成表 [[bots]]");
            root.refuse("bots", item, en, zh);
            continue;
        };
        let section = Section::new(root.reader, table, "bots", item.span());
        let name = read_bot_name(&section, &bots);
        let about = read_text(
            &section,
            "about",
            "about = \"…\" or { en = \"…\", zh = \"…\" }",
        );
        section.finish();
        if let (Some(name), Some(about)) = (name, about) {
            bots.push(NamedBot { name, about });
        }
    }
    bots
}

fn read_bot_name(section: &Section<'_, '_>, before: &[NamedBot]) -> Option<String> {
    let Some(item) = section.get("name") else {
        let (en, zh) = ("write name = \"minimax\"", "请写 name = \"minimax\"");
        section.miss("name", en, zh);
        return None;
    };
    let name = item.get_ref().as_str().filter(|name| is_name(name));
    let is_new = |name: &&str| before.iter().all(|bot| bot.name != *name);
    if name.is_none() {
        let (en, zh) = (
            "write 2 to 24 of a-z, 0-9 and -, beginning with a letter; random, me and levels are Leitai's",
            "请写 2 到 24 个 a-z、0-9、-，以字母开头；random、me 与 level 系列为 Leitai 所有",
        );
        section.refuse("name", item, en, zh);
    } else if name.filter(is_new).is_none() {
        let (en, zh) = ("give each bot a name of its own", "每个 bot 的名字不能相同");
        section.refuse("name", item, en, zh);
    }
    name.filter(is_new).map(str::to_owned)
}

/// A path inside the folder of the game.
fn read_logic(root: &Section<'_, '_>) -> Option<String> {
    let (text, _) = root.text("logic")?;
    let is_inside = |part: Component<'_>| matches!(part, Component::CurDir | Component::Normal(_));
    if text.is_empty() || !Path::new(text).components().all(is_inside) {
        let (en, zh) = (
            "name a program inside this folder, such as logic = \"./main.py\"",
            "请写此文件夹内的程序，例如 logic = \"./main.py\"",
        );
        root.refuse("logic", root.get("logic")?, en, zh);
        return None;
    }
    Some(text.to_owned())
}

fn read_logic_protocol(root: &Section<'_, '_>) -> LogicProtocol {
    match root.text("logic-protocol") {
        None | Some(("saiblo", _)) => {}
        Some(("botzone", _)) => return LogicProtocol::Botzone,
        Some(_) => {
            let (en, zh) = (
                "write \"saiblo\" or \"botzone\"",
                "请写 \"saiblo\" 或 \"botzone\"",
            );
            let item = root.get("logic-protocol").expect("it has a text");
            root.refuse("logic-protocol", item, en, zh);
        }
    }
    LogicProtocol::Saiblo
}

fn read_text(root: &Section<'_, '_>, key: &'static str, en: &str) -> Option<LocalizedText> {
    if root.get(key).is_none() {
        root.miss(key, &format!("write {en}"), &format!("请写 {en}"));
    }
    let text = root.localized(key)?;
    Some(both(clean(&text.en), clean(&text.zh)))
}

fn read_time(root: &Section<'_, '_>) -> Option<Duration> {
    let (text, _) = root.text("time")?;
    let within = Duration::from_millis(10)..=Duration::from_mins(10);
    let time = humantime::parse_duration(text);
    let time = time.ok().filter(|time| within.contains(time));
    if time.is_none() {
        let (en, zh) = (
            "write a time from 10ms to 10m, such as \"500ms\" or \"2s\"",
            "请写 10ms 到 10m 的时间，例如 \"500ms\" 或 \"2s\"",
        );
        root.refuse("time", root.get("time")?, en, zh);
    }
    time
}

fn read_message(root: &Section<'_, '_>) -> Option<usize> {
    let (text, _) = root.text("message")?;
    let bytes = read_size(text).filter(|bytes| (1 << 10..=4 << 20).contains(bytes));
    if bytes.is_none() {
        let (en, zh) = (
            "write a size from 1KiB to 4MiB, such as \"64KiB\"",
            "请写 1KiB 到 4MiB 的大小，例如 \"64KiB\"",
        );
        root.refuse("message", root.get("message")?, en, zh);
    }
    bytes.map(|bytes| bytes as usize)
}

fn read_switch(section: &Section<'_, '_>, key: &'static str) -> Option<bool> {
    let item = section.get(key)?;
    let value = item.get_ref().as_bool();
    if value.is_none() {
        section.refuse(key, item, "write true or false", "请写 true 或 false");
    }
    value
}

/// `[secret]`: for each seat the paths of what it may not know, such as `deck` or `first.hand`.
fn read_secret(root: &Section<'_, '_>, is_open: bool) -> BySeat<Vec<String>> {
    let Some(section) = root.section("secret") else {
        return BySeat::default();
    };
    let mut secret = BySeat::default();
    for (seat, key) in [(Seat::First, "first"), (Seat::Second, "second")] {
        let words = section.words(key).into_iter();
        secret[seat] = words.map(|(word, _)| clean(word)).collect();
    }
    section.finish();
    if let Some(item) = root.get("open").filter(|_| is_open) {
        let (en, zh) = (
            "write open = false, or leave [secret] out: an open game has no secrets",
            "请写 open = false，或删去 [secret]：公开的游戏没有秘密",
        );
        root.refuse("open", item, en, zh);
    }
    secret
}

fn read_choices(root: &Section<'_, '_>) -> Vec<Choice> {
    let list = root.list("config").unwrap_or_default();
    if list.len() > MOST_CHOICES {
        let item = root.get("config").expect("it is a list");
        root.refuse(
            "config",
            item,
            &format!("keep at most {MOST_CHOICES} choices"),
            &format!("最多 {MOST_CHOICES} 项"),
        );
    }
    list.into_iter()
        .filter_map(|item| read_choice(root, item))
        .collect()
}

fn read_choice<'t>(root: &Section<'_, 't>, item: &Item<'t>) -> Option<Choice> {
    let Some(table) = item.get_ref().as_table() else {
        root.refuse(
            "config",
            item,
            "write a table [[config]]",
            "请写成表 [[config]]",
        );
        return None;
    };
    let section = Section::new(root.reader, table, "config", item.span());
    let key = section.text("key").map(|(key, _)| key.to_owned());
    if key.is_none() && section.get("key").is_none() {
        section.miss("key", "write key = \"size\"", "请写 key = \"size\"");
    }
    let title = section.localized("title");
    let kind = read_kind(&section);
    section.finish();
    let key = key?;
    Some(Choice {
        title: title.unwrap_or_else(|| both(&*key, &*key)),
        key,
        kind: kind?,
    })
}

/// Words, a number within bounds, or a switch.
fn read_kind(section: &Section<'_, '_>) -> Option<ChoiceKind> {
    let default = section.get("default");
    if section.get("words").is_some() {
        let words = section.words("words");
        let words: Vec<String> = words.into_iter().map(|(word, _)| clean(word)).collect();
        let chosen = default.and_then(|item| item.get_ref().as_str());
        let default = words.iter().position(|word| Some(&**word) == chosen);
        return match default {
            Some(default) => Some(ChoiceKind::Word { words, default }),
            None => refuse_default(section, "write one of its words", "请写其中一个词"),
        };
    }
    let bound = |key| {
        section
            .number(key, 0..=u64::from(u32::MAX))
            .map(|n| n as u32)
    };
    if section.get("least").is_some() || section.get("most").is_some() {
        let within: RangeInclusive<u32> =
            bound("least").unwrap_or(0)..=bound("most").unwrap_or(u32::MAX);
        let number = default.and_then(|item| whole_number(item.get_ref()));
        let number = number.and_then(|number| u32::try_from(number).ok());
        return match number.filter(|number| within.contains(number)) {
            Some(default) => Some(ChoiceKind::Number { within, default }),
            None => refuse_default(
                section,
                "write a whole number from least to most",
                "请写 least 到 most 的整数",
            ),
        };
    }
    match default.and_then(|item| item.get_ref().as_bool()) {
        Some(default) => Some(ChoiceKind::Switch { default }),
        None => refuse_default(
            section,
            "write true or false, or name words = [\"…\"] or least and most before it",
            "请写 true 或 false，或先给出 words = [\"…\"]，或 least 与 most",
        ),
    }
}

fn refuse_default(section: &Section<'_, '_>, en: &str, zh: &str) -> Option<ChoiceKind> {
    match section.get("default") {
        Some(item) => section.refuse("default", item, en, zh),
        None => section.miss("default", en, zh),
    }
    None
}
