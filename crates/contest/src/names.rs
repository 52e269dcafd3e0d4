//! The names of accounts and groups in a contest's file. What they mean is noted when the file is
//! published; here they are listed, and replaced by what those are called today.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::file::{Contest, WhoMayEnter};

/// What a name in a contest's file names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Named {
    /// An account: one that organises, one that may enter, or one with a handicap.
    Account,
    /// The group that may enter.
    Group,
}

impl Contest {
    /// The names in the file: of accounts, and of the group.
    pub fn names(&self) -> Vec<(Named, &str)> {
        let organisers = self.organisers.iter();
        let mut names: Vec<_> = organisers
            .map(|name| (Named::Account, name.as_str()))
            .collect();
        match &self.entry.who {
            WhoMayEnter::Accounts { accounts } => {
                names.extend(accounts.iter().map(|name| (Named::Account, name.as_str())));
            }
            WhoMayEnter::Group { group } => names.push((Named::Group, group)),
            WhoMayEnter::Everybody | WhoMayEnter::Code { .. } => {}
        }
        let handicaps = self.matches.handicaps.iter();
        let handicapped = handicaps.flat_map(|one| &one.accounts);
        names.extend(handicapped.map(|name| (Named::Account, name.as_str())));
        names
    }

    /// The rules with today's names: accounts without one are left out, a group without one keeps
    /// the name that is written.
    pub fn with_names<'n>(&self, today: impl Fn(Named, &str) -> Option<&'n str>) -> Contest {
        let accounts = |names: &[String]| -> Vec<String> {
            let named = names.iter();
            let named = named.filter_map(|name| today(Named::Account, name));
            named.map(str::to_owned).collect()
        };
        let mut rules = self.clone();
        rules.organisers = accounts(&self.organisers);
        for handicap in &mut rules.matches.handicaps {
            handicap.accounts = accounts(&handicap.accounts);
        }
        rules.entry.who = match &self.entry.who {
            WhoMayEnter::Accounts { accounts: names } => WhoMayEnter::Accounts {
                accounts: accounts(names),
            },
            WhoMayEnter::Group { group } => WhoMayEnter::Group {
                group: today(Named::Group, group).unwrap_or(group).to_owned(),
            },
            other => other.clone(),
        };
        rules
    }
}

/// The text of a file with today's names; the rest, and names without one, stay as they are written.
///
/// ```
/// use leitai_contest::names::rename_in_file;
/// let file = "# ann and her class\norganisers = [\"ann\", 'bob']\n[entry]\ngroup = \"AI 2026\"\n";
/// let today = |_, name: &str| match name {
///     "AI 2026" => Some("AI \"2027\""),
///     "bob" => Some("Bob"),
///     _ => None,
/// };
/// assert_eq!(
///     rename_in_file(file, today),
///     "# ann and her class\norganisers = [\"ann\", \"Bob\"]\n[entry]\ngroup = \"AI \\\"2027\\\"\"\n"
/// );
/// ```
pub fn rename_in_file<'n>(text: &str, today: impl Fn(Named, &str) -> Option<&'n str>) -> String {
    let (table, _) = DeTable::parse_recoverable(text);
    let table = table.get_ref();
    let entry = table
        .get("entry")
        .and_then(|entry| entry.get_ref().as_table());
    let of_entry = |key: &str| entry.and_then(|entry| entry.get(key));
    let mut renamed: Vec<(Range<usize>, &str)> = Vec::new();
    let mut rename = |kind, item: &Spanned<DeValue<'_>>| {
        let written = item.get_ref().as_str();
        let new = written.and_then(|name| Some((name, today(kind, name)?)));
        if let Some((_, new)) = new.filter(|(old, new)| old != new) {
            renamed.push((item.span(), new));
        }
    };
    let matches = table
        .get("matches")
        .and_then(|own| own.get_ref().as_table());
    let handicaps = matches.and_then(|own| own.get("handicaps")?.get_ref().as_array());
    let handicapped = handicaps.into_iter().flatten();
    let handicapped = handicapped.map(|one| one.get_ref().as_table()?.get("accounts"));
    let lists = [table.get("organisers"), of_entry("accounts")];
    for list in lists.into_iter().chain(handicapped).flatten() {
        let items = list.get_ref().as_array();
        items
            .into_iter()
            .flatten()
            .for_each(|item| rename(Named::Account, item));
    }
    if let Some(group) = of_entry("group") {
        rename(Named::Group, group);
    }
    renamed.sort_by_key(|(span, _)| span.start);
    let mut new = text.to_owned();
    for (span, name) in renamed.into_iter().rev() {
        // A JSON string is a TOML string.
        new.replace_range(span, &serde_json::Value::from(name).to_string());
    }
    new
}
