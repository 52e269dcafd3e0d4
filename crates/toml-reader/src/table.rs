//! Reads a TOML document and collects every problem instead of stopping at the first.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ops::{Range, RangeInclusive};

use leitai_game::text::LocalizedText;
use serde_json::{Map, Value};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::problem::{Problem, both};

/// A value with its place in the text.
pub type Item<'t> = Spanned<DeValue<'t>>;

/// The text and its problems so far.
pub struct Reader<'t> {
    text: &'t str,
    problems: RefCell<Vec<Problem>>,
    /// Whether the text is not TOML everywhere: what seems to be missing may stand there.
    is_broken: bool,
}

impl<'t> Reader<'t> {
    /// Parses as much of the text as is TOML.
    pub fn parse(text: &'t str) -> (Reader<'t>, DeTable<'t>) {
        let (table, errors) = DeTable::parse_recoverable(text);
        let reader = Reader {
            text,
            problems: RefCell::default(),
            is_broken: !errors.is_empty(),
        };
        for error in errors {
            let why = error.message().replace('\n', " ");
            reader.add(
                error.span().unwrap_or(0..0),
                both(
                    format!("this is not TOML: {why}"),
                    format!("不是合法的 TOML：{why}"),
                ),
                both(
                    "write KEY = VALUE, with text in quotes",
                    "请写成 键 = 值，文本加引号",
                ),
            );
        }
        (reader, table.into_inner())
    }

    /// Adds a problem at this place of the text.
    pub fn add(&self, span: Range<usize>, what: LocalizedText, cure: LocalizedText) {
        let before = &self.text.as_bytes()[..span.start.min(self.text.len())];
        let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
        self.problems
            .borrow_mut()
            .push(Problem { line, what, cure });
    }

    /// Every problem, in the order of lines.
    pub fn into_problems(self) -> Vec<Problem> {
        let mut problems = self.problems.into_inner();
        problems.sort_by_key(|problem| problem.line);
        problems.dedup();
        problems
    }

    /// The text of a value as it is written, shortened.
    pub fn quote(&self, span: Range<usize>) -> String {
        let written = self.text.get(span).unwrap_or_default();
        let line = written.lines().next().unwrap_or_default();
        match line.char_indices().nth(60) {
            Some((end, _)) => format!("{}…", &line[..end]),
            None => line.to_owned(),
        }
    }
}

/// A table that is read key by key.
pub struct Section<'r, 't> {
    /// The whole document.
    pub reader: &'r Reader<'t>,
    table: &'r DeTable<'t>,
    /// The name of the table, empty for the whole document.
    name: String,
    /// Where a missing key is reported.
    span: Range<usize>,
    known: RefCell<BTreeSet<&'static str>>,
}

impl<'r, 't> Section<'r, 't> {
    /// A table of the document; its keys are reported by this name.
    pub fn new(
        reader: &'r Reader<'t>,
        table: &'r DeTable<'t>,
        name: impl Into<String>,
        span: Range<usize>,
    ) -> Section<'r, 't> {
        Section {
            reader,
            table,
            name: name.into(),
            span,
            known: RefCell::default(),
        }
    }

    /// The value of a key, which is thereby known.
    pub fn get(&self, key: &'static str) -> Option<&'r Item<'t>> {
        self.known.borrow_mut().insert(key);
        self.table.get(key)
    }

    /// The name of a key with its table.
    fn full_name(&self, key: &str) -> String {
        match self.name.as_str() {
            "" => key.to_owned(),
            name => format!("{name}.{key}"),
        }
    }

    /// Where the table begins.
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// Where a key's value stands, else where the table begins.
    pub fn span_of(&self, key: &str) -> Range<usize> {
        self.table.get(key).map_or(self.span(), Spanned::span)
    }

    /// Reports a value that cannot be used.
    pub fn refuse(&self, key: &str, item: &Item<'t>, en: &str, zh: &str) {
        let (name, written) = (self.full_name(key), self.reader.quote(item.span()));
        self.reader.add(
            item.span(),
            both(
                format!("{name} = {written} cannot be used"),
                format!("{name} = {written} 不可用"),
            ),
            both(en, zh),
        );
    }

    /// Reports a missing key.
    pub fn miss(&self, key: &str, en: &str, zh: &str) {
        if self.reader.is_broken {
            return;
        }
        let name = self.full_name(key);
        self.reader.add(
            self.span(),
            both(format!("{name} is missing"), format!("缺少 {name}")),
            both(en, zh),
        );
    }

    /// A text.
    pub fn text(&self, key: &'static str) -> Option<(&'r str, Range<usize>)> {
        let item = self.get(key)?;
        let Some(text) = item.get_ref().as_str() else {
            self.refuse(key, item, "put the text in quotes", "文本请加引号");
            return None;
        };
        Some((text, item.span()))
    }

    /// A whole number within bounds.
    pub fn number(&self, key: &'static str, within: RangeInclusive<u64>) -> Option<u64> {
        let item = self.get(key)?;
        let number = whole_number(item.get_ref()).filter(|number| within.contains(number));
        if number.is_none() {
            let (least, most) = (within.start(), within.end());
            self.refuse(
                key,
                item,
                &format!("write a whole number from {least} to {most}"),
                &format!("请写 {least} 到 {most} 的整数"),
            );
        }
        number
    }

    /// One of several words.
    pub fn word<T: Copy>(&self, key: &'static str, words: &[(&str, T)]) -> Option<T> {
        let item = self.get(key)?;
        let text = item.get_ref().as_str();
        let found = text.and_then(|text| words.iter().find(|(word, _)| *word == text));
        if found.is_none() {
            let all: Vec<String> = words.iter().map(|(word, _)| format!("{word:?}")).collect();
            let all = all.join(", ");
            let near = text.and_then(|text| nearest(text, words.iter().map(|(word, _)| *word)));
            let (en, zh) = match near {
                Some(near) => (
                    format!("did you mean {near:?}? Write one of {all}"),
                    format!("是否想写 {near:?}？可选：{all}"),
                ),
                None => (format!("write one of {all}"), format!("可选：{all}")),
            };
            self.refuse(key, item, &en, &zh);
        }
        found.map(|(_, value)| *value)
    }

    /// A table below this one.
    pub fn section(&self, key: &'static str) -> Option<Section<'r, 't>> {
        let item = self.get(key)?;
        let Some(table) = item.get_ref().as_table() else {
            let (en, zh) = (
                format!("write a table [{key}]"),
                format!("请写成表 [{key}]"),
            );
            self.refuse(key, item, &en, &zh);
            return None;
        };
        let name = self.full_name(key);
        Some(Section::new(self.reader, table, name, item.span()))
    }

    /// The items of a list.
    pub fn list(&self, key: &'static str) -> Option<Vec<&'r Item<'t>>> {
        let item = self.get(key)?;
        let Some(list) = item.get_ref().as_array() else {
            self.refuse(key, item, "write a list: [A, B]", "请写成列表：[A, B]");
            return None;
        };
        Some(list.iter().collect())
    }

    /// Texts in a list.
    pub fn words(&self, key: &'static str) -> Vec<(&'r str, &'r Item<'t>)> {
        let read = |item: &'r Item<'t>| {
            let text = item.get_ref().as_str();
            if text.is_none() {
                self.refuse(key, item, "put each text in quotes", "文本请加引号");
            }
            text.map(|text| (text, item))
        };
        let list = self.list(key).unwrap_or_default();
        list.into_iter().filter_map(read).collect()
    }

    /// A text in both languages: a table with `en` and `zh`, or one text for both.
    pub fn localized(&self, key: &'static str) -> Option<LocalizedText> {
        let item = self.get(key)?;
        if let Some(text) = item.get_ref().as_str() {
            return Some(both(text, text));
        }
        let section = self.section(key)?;
        let (en, zh) = (section.text("en"), section.text("zh"));
        section.finish();
        let some = en.as_ref().or(zh.as_ref());
        if some.is_none() {
            section.miss(
                "en",
                "write en = \"…\", zh = \"…\" or both",
                "请写 en = \"…\"、zh = \"…\" 或两者",
            );
        }
        let some = some?.0;
        let of =
            |text: Option<(&str, Range<usize>)>| text.map_or(some, |(text, _)| text).to_owned();
        Some(both(en.clone().map_or(some, |(text, _)| text), of(zh)))
    }

    /// Reports the keys that nobody asked for.
    pub fn finish(&self) {
        let known = self.known.borrow();
        for (key, _) in self.table.iter() {
            let (name, span) = (key.get_ref(), key.span());
            if known.contains(name.as_ref()) {
                continue;
            }
            let all: Vec<&str> = known.iter().copied().collect();
            let all = all.join(", ");
            let full = self.full_name(name);
            let (en, zh) = match nearest(name, known.iter().copied()) {
                Some(near) => (
                    format!("did you mean {near}? The keys here are {all}"),
                    format!("是否想写 {near}？可用的键：{all}"),
                ),
                None => (
                    format!("the keys here are {all}"),
                    format!("可用的键：{all}"),
                ),
            };
            self.reader.add(
                span,
                both(format!("unknown key {full}"), format!("未知的键 {full}")),
                both(en, zh),
            );
        }
    }
}

/// The most similar word, if one is similar enough.
pub fn nearest<'w>(text: &str, words: impl Iterator<Item = &'w str>) -> Option<&'w str> {
    words
        .map(|word| (strsim::damerau_levenshtein(text, word), word))
        .filter(|(distance, word)| *distance <= word.len().max(text.len()) / 3 + 1)
        .min()
        .map(|(_, word)| word)
}

/// A value as a number that is not negative.
pub fn whole_number(value: &DeValue<'_>) -> Option<u64> {
    let number = value.as_integer()?;
    u64::from_str_radix(&number.as_str().replace('_', ""), number.radix()).ok()
}

/// A size with its unit, such as `64KiB` or `512M`, in bytes.
pub fn read_size(text: &str) -> Option<u64> {
    let at = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(at);
    let bits = match unit.trim() {
        "KiB" | "K" => 10,
        "MiB" | "M" => 20,
        "GiB" | "G" => 30,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(1 << bits)
}

/// A value as JSON.
pub fn to_json(value: &DeValue<'_>) -> Value {
    match value {
        DeValue::String(text) => Value::String(text.to_string()),
        DeValue::Integer(number) => {
            let (text, radix) = (number.as_str().replace('_', ""), number.radix());
            i64::from_str_radix(&text, radix).map_or(Value::String(text), Value::from)
        }
        DeValue::Float(number) => {
            let value = number.as_str().replace('_', "").parse::<f64>();
            value.map_or(Value::Null, Value::from)
        }
        DeValue::Boolean(value) => Value::Bool(*value),
        DeValue::Datetime(date) => Value::String(date.to_string()),
        DeValue::Array(list) => list.iter().map(|item| to_json(item.get_ref())).collect(),
        DeValue::Table(table) => table_to_json(table),
    }
}

/// A table as a JSON object.
pub fn table_to_json(table: &DeTable<'_>) -> Value {
    let entries = table
        .iter()
        .map(|(key, item)| (key.get_ref().to_string(), to_json(item.get_ref())));
    Value::Object(entries.collect::<Map<_, _>>())
}
