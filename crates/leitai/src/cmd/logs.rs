//! `leitai logs MATCH`

use std::process::ExitCode;

use leitai_game::clean_text::{Breaks, clean_line, clean_text};
use serde_json::Value;

use crate::cli::LogsArgs;
use crate::files::{print_stderr, print_stdout};
use crate::lang::translate;
use crate::remote::{ArenaClient, SavedLogin};

/// Prints what the caller's own bots wrote, leg by leg, each piece with its period.
pub fn run(args: &LogsArgs) -> anyhow::Result<ExitCode> {
    let api = ArenaClient::of(&SavedLogin::current_login()?);
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
            print_stdout(&format_line(leg, &one, log))?;
        }
    }
    if !any {
        print_stderr(translate(
            "your bots wrote nothing to stderr in this match",
            "您的程序在这场比赛中没有向 stderr 写入内容",
        ));
    }
    Ok(ExitCode::SUCCESS)
}

fn format_line(leg: usize, one: &Value, log: &Value) -> String {
    let side = log["entrant"].as_str().unwrap_or_default().to_lowercase();
    let name = one[&side]["name"].as_str().unwrap_or(&side).to_owned();
    let (name, text) = (
        clean_line(&name),
        clean_text(log["text"].as_str().unwrap_or_default(), Breaks::Kept),
    );
    let text = text.trim_end();
    let head = format!(
        "[{} {leg}, {} {}, {name}] ",
        translate("leg", "局"),
        translate("period", "周期"),
        log["period"]
    );
    text.lines().map(|line| format!("{head}{line}\n")).collect()
}
