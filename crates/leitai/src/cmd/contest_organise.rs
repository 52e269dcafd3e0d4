//! `leitai contest update|pause|resume|disqualify|replay|take-back|annul|export`: what an organiser
//! does with a contest of an arena.

use crate::arguments::MISUSED;
use crate::cli::{
    ContestAnnulArgs, ContestDisqualifyArgs, ContestExportArgs, ContestNameArgs,
    ContestPublishArgs, ContestReplayArgs, ContestTakeBackArgs,
};
use crate::cmd::contest_arena::contest_path;
use crate::cmd::contest_file::read_for_arena;
use crate::files::{check_writable, is_stdout, write_from};
use crate::prelude::*;

/// Replaces the file of a published contest.
pub fn update_file(lang: Localizer, args: &ContestPublishArgs) -> Result<ExitCode> {
    let Some((id, body)) = read_for_arena(lang, &args.file, args.json)? else {
        return Ok(ExitCode::from(MISUSED));
    };
    let answer = post(lang, &id, "update", &body)?;
    print_answer(args.json, &answer, || {
        format!("{}\n", lang.fill("contest {} has a new file", &[&id]))
    })
}

/// Pauses or resumes a contest.
pub fn set_paused(
    lang: Localizer,
    ContestNameArgs { name, form }: &ContestNameArgs,
    paused: bool,
) -> Result<ExitCode> {
    let (action, done) = match paused {
        true => ("pause", lang.fill("contest {} is paused", &[&name])),
        false => ("resume", lang.fill("contest {} goes on", &[&name])),
    };
    post(lang, name, action, &json!({}))?;
    let fields = json!({"contest": name, "paused": paused});
    Answer::new(&format!("contest-{action}"), fields, done).print(form.json)
}

/// Disqualifies the entrant with this bot.
pub fn disqualify_bot(lang: Localizer, args: &ContestDisqualifyArgs) -> Result<ExitCode> {
    let contest = ArenaClient::for_reading(lang)?.get(&contest_path(&args.name))?;
    let wanted = args.bot.to_lowercase();
    let entries = contest["entries"].as_array().map_or(&[][..], Vec::as_slice);
    let named = |entry: &&Value| {
        let name = entry["name"].as_str().unwrap_or_default();
        entry["left"].is_null() && name.to_lowercase() == wanted
    };
    let entry = entries.iter().find(named).with_context(|| {
        format!(
            "no bot {:?} plays in contest {}; leitai contest status {} --json lists its entries",
            args.bot, args.name, args.name
        )
    })?;
    let body = json!({"entry": entry["id"], "why": args.why});
    post(lang, &args.name, "disqualify", &body)?;
    let done = lang.fill("{} is disqualified in contest {}", &[&args.bot, &args.name]);
    let fields = json!({"contest": args.name, "bot": args.bot, "entry": entry["id"]});
    Answer::new("contest-disqualify", fields, done).print(args.form.json)
}

/// Has a match played again.
pub fn replay_match(lang: Localizer, args: &ContestReplayArgs) -> Result<ExitCode> {
    let body = json!({"match": args.id, "why": args.why});
    post(lang, &args.name, "take-back-match", &body)?;
    let id = args.id.to_string();
    let done = lang.fill("match {} of contest {} is played again", &[&id, &args.name]);
    let fields = json!({"contest": args.name, "match": args.id});
    Answer::new("contest-replay", fields, done).print(args.form.json)
}

/// Takes a stage back.
pub fn take_back_stage(lang: Localizer, args: &ContestTakeBackArgs) -> Result<ExitCode> {
    let name = &args.reason.name;
    let body = json!({"stage": args.stage, "why": args.reason.why});
    post(lang, name, "take-back-stage", &body)?;
    let stage = args.stage.to_string();
    let done = lang.fill("stage {} of contest {} begins anew", &[&stage, name]);
    let fields = json!({"contest": name, "stage": args.stage});
    Answer::new("contest-take-back", fields, done).print(args.form.json)
}

/// Ends a contest without a result.
pub fn annul_contest(lang: Localizer, args: &ContestAnnulArgs) -> Result<ExitCode> {
    let name = &args.reason.name;
    if !args.yes {
        bail!(
            "contest {name} would end without a result, and its unfinished matches would be \
             cancelled; add --yes to annul it"
        );
    }
    post(lang, name, "annul", &json!({"why": args.reason.why}))?;
    let done = lang.fill("contest {} is annulled", &[name]);
    Answer::new("contest-annul", json!({"contest": name}), done).print(args.form.json)
}

/// Fetches the ZIP of a contest.
pub fn export_contest(lang: Localizer, args: &ContestExportArgs) -> Result<ExitCode> {
    let path = contest_path(&args.name);
    let name = path.rsplit('/').next().unwrap_or("contest");
    let default = || PathBuf::from(format!("{name}.zip"));
    let file = args.out.clone().unwrap_or_else(default);
    check_writable(&file)?;
    let api = ArenaClient::from_login(lang, &SavedLogin::current_login(lang)?);
    let mut archive = api.get_archive(&format!("{path}/export"))?;
    let bytes = write_from(&file, &mut archive)?;
    if is_stdout(&file) {
        return Ok(ExitCode::SUCCESS);
    }
    let file = clean_line(&file.display().to_string()).into_owned();
    let (wrote, unit) = (lang.label("wrote"), lang.label("bytes"));
    let fields = json!({"contest": args.name, "file": file, "bytes": bytes});
    Answer::new(
        "contest-export",
        fields,
        format!("{wrote} {file} ({bytes} {unit})"),
    )
    .print(args.form.json)
}

/// Sends an action on a contest.
fn post(lang: Localizer, name: &str, action: &str, body: &Value) -> Result<Value> {
    let api = ArenaClient::from_login(lang, &SavedLogin::current_login(lang)?);
    let path = format!("{}/{action}", contest_path(name));
    api.post_json(&path, body)
}
