//! `leitai logs MATCH`

use leitai_game::clean_text::{Breaks, clean_text};

use crate::cli::LogsArgs;
use crate::files::print_stderr;
use crate::prelude::*;

/// Prints the output of the caller's own bots, leg by leg, with the period of each piece.
pub fn run(lang: Localizer, args: &LogsArgs) -> Result<ExitCode> {
    let api = ArenaClient::from_login(lang, &SavedLogin::current_login(lang)?);
    let one = api.get(&format!("/api/matches/{}", args.number))?;
    let legs = one["leg_outcomes"].as_array().map_or(0, Vec::len).max(1);
    let (mut any, mut all) = (false, Vec::new());
    for leg in (1..=legs).filter(|leg| args.leg.is_none_or(|asked| asked == *leg)) {
        let logs = api.get(&format!("/api/matches/{}/logs?leg={leg}", args.number))?;
        let list = logs
            .as_array()
            .or(logs["items"].as_array())
            .cloned()
            .unwrap_or_default();
        for log in &list {
            match args.json {
                true => all.push(log_json(leg, &one, log)),
                false => print_stdout(&format_line(lang, leg, &one, log))?,
            }
            any = true;
        }
    }
    if args.json {
        let object = json!({"format": "leitai-logs/1", "match": args.number, "logs": all});
        print_stdout(&format!("{object}\n"))?;
    } else if !any {
        print_stderr(lang.label("your bots wrote nothing to stderr in this match"));
    }
    Ok(ExitCode::SUCCESS)
}

/// A piece of output for programs.
fn log_json(leg: usize, one: &Value, log: &Value) -> Value {
    let side = log["entrant"].as_str().unwrap_or_default().to_lowercase();
    json!({
        "leg": leg, "entrant": log["entrant"], "name": one[&side]["name"],
        "period": log["period"], "text": log["text"],
    })
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
