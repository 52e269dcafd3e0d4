//! `leitai group`

use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::OpenOptionsExt;

use encoding_rs::{Encoding, GB18030};

use crate::cli::{
    GroupCommand, GroupImportArgs, GroupListArgs, GroupNewArgs, GroupQuotaArgs, GroupShowArgs,
};
use crate::files::is_stdout;
use crate::prelude::*;
use crate::width;

/// The longest list, in bytes.
const LONGEST: u64 = 1 << 20;

/// Runs a command about groups.
pub fn run(lang: Localizer, command: &GroupCommand) -> Result<ExitCode> {
    let api = ArenaClient::from_login(lang, &SavedLogin::current_login(lang)?);
    match command {
        GroupCommand::List(args) => list_groups(lang, &api, args),
        GroupCommand::New(args) => create_group(lang, &api, args),
        GroupCommand::Show(args) => show_group(lang, &api, args),
        GroupCommand::Import(args) => import_members(lang, &api, args),
        GroupCommand::Quota(args) => run_quota(lang, &api, args),
    }?;
    Ok(ExitCode::SUCCESS)
}

fn list_groups(lang: Localizer, api: &ArenaClient, args: &GroupListArgs) -> Result<()> {
    let groups = read_groups(api)?;
    if args.json {
        return groups
            .iter()
            .try_for_each(|group| print_stdout(&format!("{group}\n")));
    }
    if groups.is_empty() {
        return print_stdout(&format!("{}\n", lang.label("you belong to no group")));
    }
    let mut table = width::table_with_heads(lang, ["#", "group", "you are"]);
    for group in &groups {
        table.add_row([
            group["id"].to_string(),
            text(&group["name"]),
            role(lang, group),
        ]);
    }
    print_stdout(&format!("{}\n", table.trim_fmt()))
}

fn create_group(lang: Localizer, api: &ArenaClient, args: &GroupNewArgs) -> Result<()> {
    let mut wanted = json!({"name": args.name, "team_size": args.team_size});
    if let Some(organiser) = &args.organiser {
        wanted["organiser"] = json!(organiser);
    }
    let made = api.post_json("/api/groups", &wanted)?;
    let page = api.page_url(&format!("/groups/{}", made["id"]));
    let (words, colon) = (lang.label("group"), lang.label(": "));
    let text = format!("{words} {}{colon}{page}", made["id"]);
    let fields = json!({"group": made["id"], "name": args.name, "page": page});
    Answer::new("group-new", fields, text).print(args.form.json)?;
    Ok(())
}

fn show_group(lang: Localizer, api: &ArenaClient, args: &GroupShowArgs) -> Result<()> {
    let id = find_group(lang, api, &args.group)?;
    let group = api.get(&format!("/api/groups/{id}"))?;
    if args.json {
        return print_stdout(&format!("{group}\n"));
    }
    let mut table = width::table_with_heads(lang, ["account", "role", "team", ""]);
    for member in group["members"].as_array().into_iter().flatten() {
        let waits = member["password_temporary"] == true;
        let note = if waits {
            lang.label("has not logged in yet")
        } else {
            ""
        };
        table.add_row([
            text(&member["name"]),
            role(lang, member),
            text(&member["team"]["name"]),
            note.to_owned(),
        ]);
    }
    print_stdout(&format!("{}\n{}\n", text(&group["name"]), table.trim_fmt()))
}

fn import_members(lang: Localizer, api: &ArenaClient, args: &GroupImportArgs) -> Result<()> {
    let csv = read_list(lang, &args.file)?;
    let id = find_group(lang, api, &args.group)?;
    // A file that cannot be written is reported before the passwords are made.
    let file = args.passwords.as_deref().map(create_private).transpose()?;
    let path = format!("/api/groups/{id}/members");
    let done = api.post_json(&path, &json!({"csv": csv, "check": args.check}));
    let done = match done {
        Ok(done) => done,
        Err(refusal) => {
            if let Some(path) = &args.passwords {
                let _ = fs::remove_file(path);
            }
            return Err(refusal);
        }
    };
    let members = done["members"].as_array().cloned().unwrap_or_default();
    let fresh = members.iter().filter(|one| one["created"] == true).count();
    let invited = members.iter().filter(|one| one["invited"].is_string());
    let invited: Vec<&Value> = invited.collect();
    let answer = |sheet: &str| {
        let mut members = members.clone();
        let in_file = args.passwords.is_some();
        for one in members.iter_mut().filter_map(Value::as_object_mut) {
            one.retain(|key, _| key != "password" || !in_file);
        }
        let fields = json!({
            "group": id, "checked_only": args.check, "members": members,
            "passwords": args.passwords.as_ref().map(|path| path.display().to_string()),
        });
        Answer::new("group-import", fields, sheet).print(args.form.json)
    };
    if args.check {
        print_invited(lang, &invited);
        answer(&lang.fill(
            "the list is right: {} people, {} new accounts",
            &[&members.len(), &fresh],
        ))?;
        return Ok(());
    }
    let sheet = write_sheet(&members);
    match (file, &args.passwords) {
        (Some(mut file), Some(path)) => {
            file.write_all(sheet.as_bytes())
                .with_context(|| format!("cannot write {}", path.display()))?;
            eprintln!("{} {}", lang.label("wrote"), path.display());
            answer("")?;
        }
        _ => drop(answer(&sheet)?),
    }
    eprintln!(
        "{}",
        lang.fill(
            "imported {} people, {} of them with new accounts",
            &[&(members.len() - invited.len()), &fresh]
        )
    );
    print_invited(lang, &invited);
    Ok(())
}

/// Names the accounts that were there before and are only asked to join.
fn print_invited(lang: Localizer, invited: &[&Value]) {
    for one in invited {
        let day = text(&one["invited"]).chars().take(10).collect::<String>();
        eprintln!(
            "{}",
            lang.fill(
                "{} has an account since {}; it is asked to join, and belongs to the group once its holder accepts: look \
                 whether it is the person on the list",
                &[&text(&one["name"]), &day]
            )
        );
    }
}

/// The quotas by their keys in the API, with their labels.
fn label_quotas(lang: Localizer) -> [(&'static str, &'static str); 6] {
    [
        ("hourly_uploads", lang.label("uploads an hour")),
        ("daily_friendlies", lang.label("friendly matches a day")),
        ("daily_cpu_seconds", lang.label("CPU seconds of these")),
        ("versions", lang.label("versions of a bot")),
        ("source_bytes", lang.label("bytes of a source")),
        ("languages", lang.label("languages")),
    ]
}

fn run_quota(lang: Localizer, api: &ArenaClient, args: &GroupQuotaArgs) -> Result<()> {
    let path = format!("/api/groups/{}/quota", find_group(lang, api, &args.group)?);
    let mut quota = api.get(&path)?;
    let changes = args.changes();
    if !changes.is_empty() {
        let mut wanted = json!({});
        for (key, _) in label_quotas(lang) {
            wanted[key] = quota[key].clone();
        }
        for (key, value) in changes {
            wanted[key] = value;
        }
        quota = api.put_json(&path, &wanted)?;
    }
    if args.json {
        return print_stdout(&format!("{quota}\n"));
    }
    let mut table = width::table_with_heads(lang, ["quota", "members of the group", "everybody"]);
    for (key, label) in label_quotas(lang) {
        let (own, arena) = (&quota[key], &quota["arena"][key]);
        table.add_row([
            label.to_owned(),
            limit(own, lang.label("as for everybody")),
            limit(arena, lang.label("no limit")),
        ]);
    }
    print_stdout(&format!("{}\n", table.trim_fmt()))?;
    if quota["looser"] == true {
        let note = lang.label("this group may go beyond the quotas of everybody");
        print_stdout(&format!("{note}\n"))?;
    }
    Ok(())
}

/// A limit for people; `none` if there is none.
fn limit(value: &Value, none: &str) -> String {
    match value {
        Value::Number(number) => number.to_string(),
        Value::Array(words) => {
            let words: Vec<String> = words.iter().map(text).collect();
            words.join(", ")
        }
        _ => none.to_owned(),
    }
}

impl GroupQuotaArgs {
    /// What is to be changed, by key in the API.
    fn changes(&self) -> Vec<(&'static str, Value)> {
        let numbers = [
            ("hourly_uploads", &self.uploads),
            ("daily_friendlies", &self.friendlies),
            ("daily_cpu_seconds", &self.cpu_seconds),
            ("versions", &self.versions),
            ("source_bytes", &self.source_size),
        ];
        let numbers = numbers.into_iter();
        let mut changes: Vec<(&str, Value)> = numbers
            .filter_map(|(key, word)| Some((key, json!(word.as_ref()?.0))))
            .collect();
        if let Some(word) = &self.languages {
            let names = word.0.map(|all| all.names().collect::<Vec<_>>());
            changes.push(("languages", json!(names)));
        }
        if let Some(looser) = self.looser {
            changes.push(("looser", json!(looser)));
        }
        changes
    }
}

/// The list as text; spreadsheets write other encodings as well.
fn read_list(lang: Localizer, file: &Path) -> Result<String> {
    let shown = file.display();
    let bytes = match is_stdout(file) {
        true => read_bytes(std::io::stdin()).context("cannot read the list from stdin")?,
        false => fs::File::open(file)
            .and_then(read_bytes)
            .with_context(|| format!("cannot read {shown}"))
            .map_err(UsageError::wrap)?,
    };
    let Some((text, encoding)) = decode_list(bytes) else {
        return Err(usage_error(lang.fill(
            "{} is not UTF-8; save it as CSV UTF-8 in the spreadsheet",
            &[&shown],
        )));
    };
    if let Some(encoding) = encoding {
        let note = lang.fill(
            "{} is read as {}: look whether the names are right",
            &[&shown, &encoding],
        );
        crate::files::print_stderr(&note);
    }
    Ok(text)
}

fn read_bytes(reader: impl Read) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader.take(LONGEST).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The text and, if it is not UTF-8, its encoding: UTF-16 with its mark in front, or the encoding of
/// Chinese Windows.
fn decode_list(bytes: Vec<u8>) -> Option<(String, Option<&'static str>)> {
    let bytes = match String::from_utf8(bytes) {
        Ok(text) => return Some((text, None)),
        Err(other) => other.into_bytes(),
    };
    let (encoding, mark) = Encoding::for_bom(&bytes).unwrap_or((GB18030, 0));
    let text = encoding.decode_without_bom_handling_and_without_replacement(&bytes[mark..])?;
    Some((text.into_owned(), Some(encoding.name())))
}

/// Makes a new file that nobody else reads.
fn create_private(path: &Path) -> Result<fs::File> {
    let made = fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path);
    made.with_context(|| format!("cannot write {}; give a new name", path.display()))
}

/// Names, teams and passwords as CSV. Names have none of the signs that need quotes.
fn write_sheet(members: &[Value]) -> String {
    let mut sheet = "name,team,password\n".to_owned();
    for member in members {
        let [name, team, password] = ["name", "team", "password"].map(|key| text(&member[key]));
        sheet += &format!("{name},{team},{password}\n");
    }
    sheet
}

fn read_groups(api: &ArenaClient) -> Result<Vec<Value>> {
    let groups = api.get("/api/groups")?;
    groups["items"]
        .as_array()
        .cloned()
        .context("the arena's answer has no list")
}

/// The number of a group, by its number or name.
fn find_group(lang: Localizer, api: &ArenaClient, wanted: &str) -> Result<i64> {
    if let Ok(number) = wanted.parse() {
        return Ok(number);
    }
    let groups = read_groups(api)?;
    let folded = wanted.to_lowercase();
    let named = |group: &&Value| text(&group["name"]).to_lowercase() == folded;
    if let Some(id) = groups
        .iter()
        .find(named)
        .and_then(|group| group["id"].as_i64())
    {
        return Ok(id);
    }
    let names: Vec<String> = groups.iter().map(|group| text(&group["name"])).collect();
    bail!(lang.fill(
        "you belong to no group {}; your groups: {}",
        &[&format!("{wanted:?}"), &names.join(", ")]
    ))
}

fn role(lang: Localizer, row: &Value) -> String {
    match row["role"].as_str() {
        Some("organiser") => lang.label("organiser").to_owned(),
        Some("member") => lang.label("member").to_owned(),
        _ => String::new(),
    }
}

/// A text of the arena, safe for a terminal; empty if there is none.
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_spreadsheets_are_read_in_their_encodings() {
        let check = |bytes: &[u8], expected: Option<(&str, Option<&str>)>| {
            let found = decode_list(bytes.to_vec());
            let found = found
                .as_ref()
                .map(|(text, encoding)| (text.as_str(), *encoding));
            assert_eq!(found, expected, "{bytes:x?}");
        };
        check("王小明\n".as_bytes(), Some(("王小明\n", None)));
        check(
            b"\xcd\xf5\xd0\xa1\xc3\xf7\n",
            Some(("王小明\n", Some("gb18030"))),
        );
        check(b"\xff\xfe\x8b\x73\n\0", Some(("王\n", Some("UTF-16LE"))));
        check(b"\xfe\xff\x73\x8b\0\n", Some(("王\n", Some("UTF-16BE"))));
        check(b"\xff\xff\n", None);
    }
}
