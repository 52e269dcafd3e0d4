//! `leitai contest publish|status|join`: contests of an arena.

use crate::arguments::MISUSED;
use crate::cli::{ContestJoinArgs, ContestPublishArgs, ContestStatusArgs};
use crate::cmd::contest_file::read_for_arena;
use crate::lang::language_key;
use crate::prelude::*;
use crate::width;
use crate::wording::with_note;

/// Checks a file here and publishes it.
pub fn publish_file(lang: Localizer, args: &ContestPublishArgs) -> Result<ExitCode> {
    let Some((id, body)) = read_for_arena(lang, &args.file, args.json)? else {
        return Ok(ExitCode::from(MISUSED));
    };
    let api = ArenaClient::from_login(lang, &SavedLogin::current_login(lang)?);
    let made = api.post_json("/api/contests", &body)?;
    print_answer(args.json, &made, || {
        format!(
            "{}   {}\n  leitai contest status {id}\n",
            lang.fill("contest {} is published", &[&id]),
            api.page_url(&format!("/api/contests/{id}"))
        )
    })
}

/// Shows a contest.
pub fn show_status(lang: Localizer, args: &ContestStatusArgs) -> Result<ExitCode> {
    let api = ArenaClient::for_reading(lang)?;
    let contest = api.get(&contest_path(&args.name))?;
    print_answer(args.json, &contest, || describe_status(lang, &contest))
}

/// Enters a bot of the caller.
pub fn join_contest(lang: Localizer, args: &ContestJoinArgs) -> Result<ExitCode> {
    let api = ArenaClient::from_login(lang, &SavedLogin::current_login(lang)?);
    let contest = api.get(&contest_path(&args.name))?;
    let bot = api.find_own_bot(&args.bot, contest["game"].as_str())?;
    let body = json!({"bot": bot["id"], "code": args.code});
    let path = format!("{}/join", contest_path(&args.name));
    let entry = api.post_json(&path, &body)?;
    print_answer(args.json, &entry, || {
        let text = lang.fill("{} is in contest {}", &[&args.bot, &args.name]);
        format!("{text}\n")
    })
}

/// The path of a contest in the API.
pub fn contest_path(name: &str) -> String {
    let plain = |c: &char| c.is_ascii_alphanumeric() || "-_".contains(*c);
    let name: String = name.chars().filter(plain).collect();
    format!("/api/contests/{name}")
}

fn describe_status(lang: Localizer, contest: &Value) -> String {
    let own = |value: &Value| text(&value[language_key(lang)]);
    let entries: &[Value] = contest["entries"].as_array().map_or(&[], Vec::as_slice);
    let name_of = |id: &Value| {
        let entry = entries.iter().find(|entry| entry["id"] == *id);
        entry.map_or_else(String::new, |entry| text(&entry["name"]))
    };
    let state = match contest["state"].as_str().unwrap_or_default() {
        "announced" => lang.label("submission has not opened"),
        "open" => lang.label("bots can join"),
        "running" => lang.label("running"),
        "finished" => lang.label("finished"),
        _ => lang.label("annulled"),
    };
    let mut lines = vec![format!(
        "{}{}{}{}",
        with_note(lang, &own(&contest["title"]), &text(&contest["game"])),
        lang.label(": "),
        state,
        match contest["paused"] == true {
            true => format!("{}{}", lang.label(", "), lang.label("paused")),
            false => String::new(),
        }
    )];
    if !contest["note"].is_null() {
        lines.push(own(&contest["note"]));
    }
    lines.push(lang.fill_count("{} entrant", "{} entrants", entries.len()));
    for stage in contest["stages"].as_array().into_iter().flatten() {
        lines.push(own(&stage["name"]));
        let Some(rows) = stage["standings"].as_array() else {
            lines.push(format!(
                "  {}",
                lang.label("standings are hidden until their date")
            ));
            continue;
        };
        let mut table = width::table_with_heads(lang, ["placed", "bot", "points"]);
        for row in rows {
            table.add_row([
                row["place"].to_string(),
                name_of(&row["entry"]),
                row["points"].to_string(),
            ]);
        }
        lines.push(table.trim_fmt());
    }
    lines.join("\n") + "\n"
}
