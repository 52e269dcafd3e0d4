//! `leitai logs MATCH`

use std::process::ExitCode;

use leitai_game::clean_text::{Breaks, clean_line, clean_text};
use serde_json::Value;

use crate::cli::LogsArgs;
use crate::files::{print_stderr, print_stdout};
use crate::lang::Localizer;
use crate::remote::{ArenaClient, SavedLogin};

/// Prints the output of the caller's own bots, leg by leg, with the period of each piece.
pub fn run(lang: Localizer, args: &LogsArgs) -> anyhow::Result<ExitCode> {
    let api = ArenaClient::from_login(lang, &SavedLogin::current_login(lang)?);
    let one = api.get(&format!("/api/matches/{}", args.number))?;
    let legs = one["leg_outcomes"].as_array().map_or(0, Vec::len).max(1);
    let mut any = false;
    for leg in (1..=legs).filter(|leg| args.leg.is_none_or(|asked| asked == *leg)) {
        let logs = api.get(&format!("/api/matches/{}/logs?leg={leg}", args.number))?;
        let list = logs
            .as_array()
            .or(logs["items"].as_array())
            .cloned()
            .unwrap_or_default();
        for log in &list {
            any = true;
            print_stdout(&format_line(lang, leg, &one, log))?;
        }
    }
    if !any {
        print_stderr(lang.label("your bots wrote nothing to stderr in this match"));
    }
    Ok(ExitCode::SUCCESS)
}

fn format_line(lang: Localizer, leg: usize, one: &Value, log: &Value) -> String {
    let side = log["entrant"].as_str().unwrap_or_default().to_lowercase();
    let name = one[&side]["name"].as_str().unwrap_or(&side).to_owned();
    let (name, text) = (
        clean_line(&name),
        clean_text(log["text"].as_str().unwrap_or_default(), Breaks::Kept),
    );
    let text = text.trim_end();
    let head = format!(
        "[{} {leg}, {} {}, {name}] ",
        lang.label("leg"),
        lang.label("period"),
        log["period"]
    );
    text.lines().map(|line| format!("{head}{line}\n")).collect()
}
