//! The fields of JSON answers, as docs/command-line.md lists them.

use std::collections::BTreeSet;

use serde_json::Value;

/// The names in backquotes in the second column of a row.
pub fn documented(document: &str, row: &str) -> BTreeSet<String> {
    let line = document.lines().find(|line| line.starts_with(row));
    let line = line.unwrap_or_else(|| panic!("no row {row}"));
    let fields = line.rsplit_once(" | ").expect("two columns").1;
    let named = fields.split('`').skip(1).step_by(2);
    named.map(str::to_owned).collect()
}

/// Compares the fields of an answer with those of the row of its command in both documents.
#[track_caller]
pub fn check_row(command: &str, found: &Value) {
    let own = found.as_object().expect("an object");
    let own: BTreeSet<String> = own.keys().cloned().collect();
    for document in [
        include_str!("../../../../docs/command-line.md"),
        include_str!("../../../../docs/command-line.zh.md"),
    ] {
        assert_eq!(
            documented(document, &format!("| `{command}` |")),
            own,
            "{command}"
        );
    }
    let format = format!("leitai-{}/1", command.replace(' ', "-"));
    assert_eq!(found["format"], format.as_str());
}
