//! Who and what may enter a contest: the section `entry` of its file.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::problem::both;
use crate::table::{Section, nearest, read_size};

/// The most entrants of a contest.
pub const MAX_ENTRANTS: u32 = 1_000;

/// The largest `entry.source-size`, in bytes.
const MAX_SOURCE: u64 = 1 << 30;

/// Who may enter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct EntryRules {
    /// Who.
    pub who: WhoMayEnter,
    /// The most members of an entrant; with 1 there are no teams.
    pub team_size: u32,
    /// With fewer entrants at the freeze the contest is annulled.
    pub least: u32,
    /// The most entrants.
    pub most: u32,
    /// What the versions that play may be written in; empty: anything.
    pub languages: Vec<SourceLanguage>,
    /// The largest upload of a version that plays, in bytes; `None`: the arena's own limit.
    pub source_size: Option<u64>,
    /// The most versions of an entrant within 24 hours until the freeze; `None`: the arena's own.
    pub daily_versions: Option<u32>,
    /// How versions of its bots become active until the freeze; `None`: as their authors like.
    pub candidates: Option<CandidateRule>,
}

/// What a contest says of the lane in which the versions of its bots become active.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CandidateRule {
    /// Only versions that a test against the active one accepted.
    Required,
    /// Uploads play at once; none is tested first.
    Forbidden,
}

/// Who may enter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum WhoMayEnter {
    /// Everybody with an account.
    Everybody,
    /// Who knows this code.
    Code {
        /// The code.
        #[serde(skip_serializing)]
        code: String,
    },
    /// The members of a group.
    Group {
        /// Its name.
        group: String,
    },
    /// These accounts.
    Accounts {
        /// Their names.
        accounts: Vec<String>,
    },
}

/// What a version is written in, as far as its build tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SourceLanguage {
    /// C, by a compiler that the arena runs.
    C,
    /// C++, by a compiler that the arena runs.
    Cpp,
    /// Java.
    Java,
    /// JavaScript.
    JavaScript,
    /// Python.
    Python,
    /// Rust.
    Rust,
    /// TypeScript.
    TypeScript,
    /// Go.
    Go,
    /// C#.
    CSharp,
    /// Kotlin.
    Kotlin,
    /// Whatever a `Makefile` builds.
    Make,
    /// Whatever a `CMakeLists.txt` builds.
    CMake,
    /// A program that is not built.
    Binary,
}

impl SourceLanguage {
    /// The languages with their words in files.
    pub const ALL: [(&str, SourceLanguage); 13] = [
        ("c", SourceLanguage::C),
        ("cpp", SourceLanguage::Cpp),
        ("java", SourceLanguage::Java),
        ("javascript", SourceLanguage::JavaScript),
        ("python", SourceLanguage::Python),
        ("rust", SourceLanguage::Rust),
        ("typescript", SourceLanguage::TypeScript),
        ("go", SourceLanguage::Go),
        ("csharp", SourceLanguage::CSharp),
        ("kotlin", SourceLanguage::Kotlin),
        ("make", SourceLanguage::Make),
        ("cmake", SourceLanguage::CMake),
        ("binary", SourceLanguage::Binary),
    ];

    /// The word in files.
    pub fn word(self) -> &'static str {
        let found = SourceLanguage::ALL.iter().find(|(_, one)| *one == self);
        found.map_or("", |(word, _)| word)
    }

    /// The language of a version that was built so (`g++ -std=c++17`, `make, python3`, `host java`).
    ///
    /// ```
    /// use leitai_contest::file::SourceLanguage;
    /// assert_eq!(SourceLanguage::of_build("g++ -std=c++17"), Some(SourceLanguage::Cpp));
    /// assert_eq!(SourceLanguage::of_build("make, python3"), Some(SourceLanguage::Make));
    /// assert_eq!(SourceLanguage::of_build("as it is"), Some(SourceLanguage::Binary));
    /// ```
    pub fn of_build(how: &str) -> Option<SourceLanguage> {
        let first = how.trim_start_matches("host ").split([' ', ',']).next()?;
        Some(match first {
            "gcc" | "cc" => SourceLanguage::C,
            "g++" | "c++" => SourceLanguage::Cpp,
            "javac" | "java" => SourceLanguage::Java,
            "node" => SourceLanguage::JavaScript,
            "python3" | "python" => SourceLanguage::Python,
            "cargo" | "rustc" => SourceLanguage::Rust,
            "tsc" => SourceLanguage::TypeScript,
            "go" => SourceLanguage::Go,
            "mcs" => SourceLanguage::CSharp,
            "kotlinc" => SourceLanguage::Kotlin,
            "make" => SourceLanguage::Make,
            "cmake" => SourceLanguage::CMake,
            "as" => SourceLanguage::Binary,
            _ => return None,
        })
    }
}

impl EntryRules {
    /// Why a version that was built so, from an upload of so many bytes, may not play.
    pub fn describe_refusal(&self, how: Option<&str>, bytes: u64) -> Option<String> {
        if let Some(most) = self.source_size.filter(|most| bytes > *most) {
            return Some(format!(
                "its upload has {bytes} bytes; this contest takes at most {most}"
            ));
        }
        if self.languages.is_empty() {
            return None;
        }
        let language = how.and_then(SourceLanguage::of_build);
        if language.is_some_and(|one| self.languages.contains(&one)) {
            return None;
        }
        let words: Vec<&str> = self.languages.iter().map(|one| one.word()).collect();
        let (words, how) = (words.join(", "), how.unwrap_or("nothing"));
        Some(format!(
            "it is built with {how}; this contest takes only {words}"
        ))
    }
}

#[derive(Clone, Copy, PartialEq)]
enum WhoWord {
    Everybody,
    Code,
    Accounts,
    Group,
}

/// The section `entry`.
pub(crate) fn read_entry(root: &Section<'_, '_>) -> Option<EntryRules> {
    let everybody = EntryRules {
        who: WhoMayEnter::Everybody,
        team_size: 1,
        least: 2,
        most: MAX_ENTRANTS,
        languages: Vec::new(),
        source_size: None,
        daily_versions: None,
        candidates: None,
    };
    if root.get("entry").is_none() {
        return Some(everybody);
    }
    let entry = root.section("entry")?;
    let words = [
        ("everybody", WhoWord::Everybody),
        ("code", WhoWord::Code),
        ("accounts", WhoWord::Accounts),
        ("group", WhoWord::Group),
    ];
    let asked = entry.get("who").is_some();
    let word = entry.word("who", &words);
    let who = read_who(&entry, word.or((!asked).then_some(WhoWord::Everybody)));
    let team_size = entry.number("team-size", 1..=20).unwrap_or(1);
    let least = entry
        .number("least", 2..=u64::from(MAX_ENTRANTS))
        .unwrap_or(2);
    let most = entry
        .number("most", 2..=u64::from(MAX_ENTRANTS))
        .unwrap_or(u64::from(MAX_ENTRANTS));
    let languages = read_languages(&entry);
    let source_size = read_source_size(&entry);
    let daily_versions = entry.number("daily-versions", 1..=1_000);
    let rules = [
        ("required", CandidateRule::Required),
        ("forbidden", CandidateRule::Forbidden),
    ];
    let candidates = entry.word("candidates", &rules);
    entry.finish();
    refuse_no_size(&entry, least, most);
    Some(EntryRules {
        who: who?,
        team_size: team_size as u32,
        least: least as u32,
        most: most as u32,
        languages,
        source_size,
        daily_versions: daily_versions.map(|most| most as u32),
        candidates,
    })
}

/// Refuses a least number of entrants that is over the most.
fn refuse_no_size(entry: &Section<'_, '_>, least: u64, most: u64) {
    if least > most {
        entry.reader.add(
            entry.span_of("least"),
            both(
                format!("entry.least = {least} is more than entry.most = {most}"),
                format!("entry.least = {least} 大于 entry.most = {most}"),
            ),
            both("lower least or raise most", "请减小 least 或增大 most"),
        );
    }
}

fn read_who(entry: &Section<'_, '_>, word: Option<WhoWord>) -> Option<WhoMayEnter> {
    let code = entry.text("code");
    let accounts = read_accounts(entry, "accounts");
    let group = entry.text("group");
    match word? {
        WhoWord::Group => {
            let Some((group, _)) = group else {
                if entry.get("group").is_none() {
                    let (en, zh) = (
                        "write group = \"…\" with the name of a group of the arena",
                        "请写 group = \"…\"，即擂台上小组的名称",
                    );
                    entry.miss("group", en, zh);
                }
                return None;
            };
            Some(WhoMayEnter::Group {
                group: group.to_owned(),
            })
        }
        WhoWord::Everybody => Some(WhoMayEnter::Everybody),
        WhoWord::Code => {
            let Some((code, _)) = code else {
                if entry.get("code").is_none() {
                    let (en, zh) = (
                        "write code = \"…\" with the word that people enter to join",
                        "请写 code = \"…\"，即报名口令",
                    );
                    entry.miss("code", en, zh);
                }
                return None;
            };
            if !(4..=64).contains(&code.chars().count()) || code.contains(char::is_control) {
                let (en, zh) = ("write 4 to 64 characters", "请写 4 到 64 个字符");
                entry.refuse("code", entry.get("code")?, en, zh);
            }
            Some(WhoMayEnter::Code {
                code: code.to_owned(),
            })
        }
        WhoWord::Accounts if accounts.is_empty() => {
            let (en, zh) = (
                "write accounts = [\"ann\", \"bob\"]",
                "请写 accounts = [\"ann\", \"bob\"]",
            );
            entry.miss("accounts", en, zh);
            None
        }
        WhoWord::Accounts => Some(WhoMayEnter::Accounts { accounts }),
    }
}

/// The names of accounts in a list, each once.
pub(crate) fn read_accounts(section: &Section<'_, '_>, key: &'static str) -> Vec<String> {
    if section.get(key).is_none() {
        return Vec::new();
    }
    let mut seen = BTreeSet::new();
    let mut names = Vec::new();
    for (name, item) in section.words(key) {
        if seen.insert(name.to_lowercase()) {
            names.push(name.to_owned());
        } else {
            let (en, zh) = ("list each account once", "同一账户不要重复");
            section.refuse(key, item, en, zh);
        }
    }
    names
}

pub(crate) fn read_languages(entry: &Section<'_, '_>) -> Vec<SourceLanguage> {
    let mut found = Vec::new();
    for (word, item) in entry.words("languages") {
        let known = SourceLanguage::ALL.iter().find(|(one, _)| *one == word);
        match known.map(|(_, language)| *language) {
            Some(one) if !found.contains(&one) => found.push(one),
            Some(_) => entry.refuse("languages", item, "list it once", "不要重复"),
            None => {
                let words = SourceLanguage::ALL.map(|(word, _)| word);
                let all = words.join(", ");
                let (en, zh) = match nearest(word, words.into_iter()) {
                    Some(near) => (
                        format!("did you mean {near:?}? Choose from {all}"),
                        format!("是否想写 {near:?}？可选：{all}"),
                    ),
                    None => (format!("choose from {all}"), format!("可选：{all}")),
                };
                entry.refuse("languages", item, &en, &zh);
            }
        }
    }
    found
}

fn read_source_size(entry: &Section<'_, '_>) -> Option<u64> {
    let (text, _) = entry.text("source-size")?;
    let bytes = read_size(text).filter(|bytes| (1..=MAX_SOURCE).contains(bytes));
    if bytes.is_none() {
        let (en, zh) = (
            "write a size up to 1GiB, such as \"64KiB\"",
            "请写不超过 1GiB 的大小，例如 \"64KiB\"",
        );
        entry.refuse("source-size", entry.get("source-size")?, en, zh);
    }
    bytes
}
