//! `leitai config show`

use crate::cli::JsonArg;
use crate::config::{KEYS, own_file, settings};
use crate::prelude::*;
use crate::width;

/// Lists the keys, and what the environment and the files say of them. The command line goes before both.
pub fn show(lang: Localizer, form: &JsonArg) -> Result<ExitCode> {
    let mut rows: Vec<(String, Option<String>, String)> = Vec::new();
    for key in &KEYS {
        let variable = key
            .variable
            .and_then(|name| Some((name, std::env::var(name).ok()?)));
        let variable = variable.filter(|(_, value)| !value.is_empty());
        let common = settings()
            .iter()
            .rfind(|one| one.key == key.name && one.command.is_none());
        rows.push(match (variable, common) {
            (Some((name, value)), _) => (key.name.to_owned(), Some(value), name.to_owned()),
            (None, Some(one)) => (
                key.name.to_owned(),
                Some(one.value.clone()),
                one.place.clone(),
            ),
            (None, None) => (key.name.to_owned(), None, "-".to_owned()),
        });
        for one in settings().iter().filter(|one| one.key == key.name) {
            if let Some(command) = one.command {
                let name = format!("{command}.{}", one.key);
                rows.push((name, Some(one.value.clone()), one.place.clone()));
            }
        }
    }
    let mut table = width::table_with_heads(lang, ["key", "value", "from"]);
    for (name, value, from) in &rows {
        let built_in = lang.label("default").to_owned();
        table.add_row([
            name.clone(),
            value.clone().unwrap_or(built_in),
            from.clone(),
        ]);
    }
    let keys: Vec<_> = rows
        .iter()
        .map(|(name, value, from)| {
            let from = (from != "-").then_some(from);
            json!({"key": name, "value": value, "from": from})
        })
        .collect();
    let file = own_file().map(|path| path.display().to_string());
    let fields = json!({"file": file, "keys": keys});
    Answer::new("config-show", fields, table.trim_fmt()).print(form.json)
}
