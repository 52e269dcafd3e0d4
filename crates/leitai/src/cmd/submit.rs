//! `leitai submit GAME PROGRAM`

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use leitai_game::clean_text::{Breaks, clean_text};
use leitai_judge::check::CheckFinding;
use leitai_series::naming;

use crate::cli::SubmitArgs;
use crate::cmd::check;
use crate::lang::language_key;
use crate::prelude::*;
use crate::remote::pack::{PackedSource, pack_source};
use crate::{arguments, stop};

/// The interval at which the arena is polled.
const LOOK: Duration = Duration::from_millis(700);

/// Uploads a program and shows its build and checks.
pub fn run(lang: Localizer, args: &SubmitArgs) -> Result<ExitCode> {
    let stop = stop::on_interrupt()?;
    let game = arguments::find_game(&args.game).map(|game| game.meta().id.to_owned());
    let packed = pack_source(&args.program).map_err(UsageError::wrap)?;
    let api = ArenaClient::from_login(lang, &SavedLogin::current_login(lang)?);
    let game = match game {
        Err(_) if is_played_there(&api, &args.game)? => args.game.clone(),
        known => known?,
    };
    let name = args
        .bot
        .clone()
        .map_or_else(|| name_of(&args.program), Ok)?;
    let (bot, version) = upload_version(&api, &game, &name, &packed, &args.notes)?;
    let said = [("by_agent", args.by_agent), ("fetchable", args.fetchable)];
    for (name, value) in said {
        if let Some(value) = value {
            api.patch_json(&format!("/api/bots/{bot}"), &json!({ name: value }))?;
        }
    }
    let (id, number) = (number_in(&version, "id")?, number_in(&version, "number")?);
    let page = api.page_url(&format!("/bots/{bot}/versions/{number}"));
    if !args.json {
        print_stdout(&format!(
            "{name} {} {number}   {page}\n",
            lang.label("version")
        ))?;
    }
    if args.no_wait {
        return print_outcome(args, &version, ExitCode::SUCCESS);
    }
    let version = wait_for_check(lang, args, &api, id, &page, stop)?;
    if version["state"] == "failed" {
        print_status(args, &describe_failure(lang, &version))?;
        return print_outcome(args, &version, ExitCode::FAILURE);
    }
    if args.activate && version["active"] != true {
        activate_version(&api, bot, number)?;
    }
    let answered = describe_situations(lang, &version);
    print_status(args, &(answered + lang.label("accepted")))?;
    if !args.activate && version["active"] != true {
        say_of_test(lang, args, &api, bot)?;
    }
    print_outcome(args, &version, ExitCode::SUCCESS)
}

/// What it answered in the situations that it was asked: a line for each pack, and an empty one.
fn describe_situations(lang: Localizer, version: &Value) -> String {
    let asked = version["situations"].as_array().into_iter().flatten();
    let lines = asked.map(|own| {
        let name = clean_line(own["name"][language_key(lang)].as_str().unwrap_or_default());
        let of = own["moments"].as_array().map_or(0, Vec::len);
        let name = lang.fill("situations: {}", &[&name]);
        let count = lang.fill("{} of {} passed", &[&own["passed"], &of]);
        format!("{name}{}{count}\n", lang.label(": "))
    });
    let lines: String = lines.collect();
    match lines.is_empty() {
        true => lines,
        false => lines + "\n",
    }
}

/// Says what the test of a candidate costs, if the bot has such a lane.
fn say_of_test(lang: Localizer, args: &SubmitArgs, api: &ArenaClient, bot: u64) -> Result<()> {
    // A token that may not read it has submitted all the same.
    let lane = api.get(&format!("/api/bots/{bot}/lane")).ok();
    let Some(lane) = lane.filter(|lane| lane["lane"] == "automatic") else {
        return Ok(());
    };
    let most = &lane["most_matches"];
    let text = lang.fill(
        "a test decides whether it plays, in at most {} matches: leitai experiment list",
        &[most],
    );
    print_status(args, &text)
}

/// Whether the arena has this game, which may come from a game file that is only there.
fn is_played_there(api: &ArenaClient, id: &str) -> Result<bool> {
    let games = api.get("/api/games")?;
    let mut games = games.as_array().into_iter().flatten();
    Ok(games.any(|game| game["id"] == id))
}

/// Uploads the source for the caller's bot of this name, which is created if there is none. Returns
/// the bot and the version.
fn upload_version(
    api: &ArenaClient,
    game: &str,
    name: &str,
    packed: &PackedSource,
    notes: &str,
) -> Result<(u64, Value)> {
    if let Some(bot) = find_own_bot(api, game, name)? {
        let path = format!("/api/bots/{bot}/versions");
        return Ok((bot, upload_source(api, &path, &[], packed, notes)?));
    }
    let fields = [("game", game), ("name", name)];
    first_version(
        api,
        &upload_source(api, "/api/bots", &fields, packed, notes)?,
    )
}

/// Shows the steps of the check until the version is ready or has failed.
fn wait_for_check(
    lang: Localizer,
    args: &SubmitArgs,
    api: &ArenaClient,
    id: u64,
    page: &str,
    stop: &AtomicBool,
) -> Result<Value> {
    let (mut shown, mut waiting) = (0, String::new());
    loop {
        let version = api.get(&format!("/api/versions/{id}"))?;
        if !args.json {
            shown = show_new_steps(lang, &version, shown)?;
            waiting = show_waiting(lang, &version, waiting)?;
        }
        if matches!(version["state"].as_str(), Some("ready" | "failed")) {
            return Ok(version);
        }
        if stop.load(Ordering::Relaxed) {
            bail!(
                "{} {page}",
                lang.label("no longer watching; it continues at")
            );
        }
        std::thread::sleep(LOOK);
    }
}

/// The number of the caller's bot of this name, if there is one.
fn find_own_bot(api: &ArenaClient, game: &str, name: &str) -> Result<Option<u64>> {
    let bots = api.own_bots()?;
    let same = |bot: &&Value| {
        bot["game"] == game
            && bot["name"]
                .as_str()
                .is_some_and(|own| own.to_lowercase() == name.to_lowercase())
    };
    bots.iter()
        .find(same)
        .map(|bot| number_in(bot, "id"))
        .transpose()
}

/// A bot that was created together with its first version: its number, and the version.
fn first_version(api: &ArenaClient, bot: &Value) -> Result<(u64, Value)> {
    let version = number_in(&bot["versions"][0], "id")?;
    Ok((
        number_in(bot, "id")?,
        api.get(&format!("/api/versions/{version}"))?,
    ))
}

/// Sends the bytes and these fields as a form.
fn upload_source(
    api: &ArenaClient,
    path: &str,
    fields: &[(&str, &str)],
    packed: &PackedSource,
    notes: &str,
) -> Result<Value> {
    let boundary = format!("leitai-{:016x}", fresh_number(&packed.bytes));
    let name = packed.file_name.replace(['"', '\r', '\n', '\\'], "_");
    let mut body = String::new();
    for (field, text) in fields.iter().chain(&[("notes", notes)]) {
        body += &format!(
            "--{boundary}\r\nContent-Disposition: form-data; name=\"{field}\"\r\n\r\n{text}\r\n"
        );
    }
    body += &format!(
        "--{boundary}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\
         Content-Type: application/octet-stream\r\n\r\n"
    );
    let mut body = body.into_bytes();
    body.extend(&packed.bytes);
    body.extend(format!("\r\n--{boundary}--\r\n").as_bytes());
    api.post_bytes(
        path,
        &format!("multipart/form-data; boundary={boundary}"),
        &body,
    )
}

/// A number whose hexadecimal form the bytes do not contain.
fn fresh_number(bytes: &[u8]) -> u64 {
    let holds = |number: u64| {
        let text = format!("leitai-{number:016x}");
        bytes
            .windows(text.len())
            .any(|window| window == text.as_bytes())
    };
    (0..)
        .find(|number| !holds(*number))
        .expect("a file does not hold every number")
}

/// Prints the new steps, and returns their total number.
fn show_new_steps(lang: Localizer, version: &Value, shown: usize) -> Result<usize> {
    let steps = version["steps"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    for step in steps.iter().skip(shown) {
        let finding: CheckFinding = serde_json::from_value(step.clone())
            .context("the arena's check has a step this version does not know")?;
        print_stdout(&format!(
            "{}\n",
            check::format_finding(lang, &finding, step["command"].as_str())
        ))?;
    }
    Ok(steps.len().max(shown))
}

/// Prints why the version waits, unless it is printed already; returns the text.
fn show_waiting(lang: Localizer, version: &Value, said: String) -> Result<String> {
    let words = &version["waiting"];
    let Some(words) = words[language_key(lang)]
        .as_str()
        .filter(|words| *words != said)
    else {
        return Ok(said);
    };
    print_stdout(&format!("{}\n", clean_line(words)))?;
    Ok(words.to_owned())
}

fn activate_version(api: &ArenaClient, bot: u64, number: u64) -> Result<()> {
    api.patch_json(&format!("/api/bots/{bot}"), &json!({"active": number}))?;
    Ok(())
}

fn describe_failure(lang: Localizer, version: &Value) -> String {
    let words = &version["failure"];
    let said = words[language_key(lang)]
        .as_str()
        .or(words["en"].as_str())
        .unwrap_or_default();
    let log = version["log"].as_str().unwrap_or_default().trim_end();
    let said = lang.label("not accepted").to_owned() + lang.label(": ") + &clean_line(said);
    // Indented, so that no line of it looks like ours.
    let log = clean_text(log, Breaks::Kept).replace('\n', "\n  ");
    if log.is_empty() {
        said
    } else {
        format!("{said}\n\n  {log}")
    }
}

fn print_status(args: &SubmitArgs, text: &str) -> Result<()> {
    if args.json {
        Ok(())
    } else {
        print_stdout(&format!("\n{text}\n"))
    }
}

fn print_outcome(args: &SubmitArgs, version: &Value, code: ExitCode) -> Result<ExitCode> {
    if args.json {
        print_stdout(&format!("{version}\n"))?;
    }
    Ok(code)
}

pub fn number_in(value: &Value, member: &str) -> Result<u64> {
    value[member]
        .as_u64()
        .with_context(|| format!("the arena's answer has no {member:?}"))
}

/// The program's name, in the characters that an arena accepts.
fn name_of(path: &Path) -> Result<String> {
    path.canonicalize()
        .with_context(|| format!("cannot read {}", path.display()))?;
    Ok(naming::of_program(path)
        .chars()
        .map(|c| {
            if c.is_alphanumeric() || "-_".contains(c) {
                c
            } else {
                '-'
            }
        })
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_boundary_does_not_occur_in_the_file() {
        assert_eq!(fresh_number(b"print(1)"), 0);
        assert_eq!(
            fresh_number(b"x leitai-0000000000000000 leitai-0000000000000001"),
            2
        );
    }
}
