//! The list of a group's members as CSV: one person a line, with a name and perhaps a team.

use std::collections::{BTreeMap, HashMap};

use leitai_game::GameSet;
use leitai_store::database::skeletons::skeleton;
use leitai_store::{GroupMember, Timestamp};
use serde::Serialize;
use utoipa::ToSchema;

use super::names;

/// The most people on one list.
pub const MOST: usize = 500;
/// First lines that are headings.
const HEADINGS: [&str; 6] = ["name", "names", "account", "姓名", "名称", "账户"];

/// A person on the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemberLine {
    /// The line of the file, from 1.
    pub line: usize,
    /// The name of the account.
    pub name: String,
    /// The team.
    pub team: Option<String>,
}

/// A wrong line of a list, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct LineProblem {
    /// The line of the file, from 1.
    pub line: usize,
    /// What is wrong with it and how to put it right.
    pub en: String,
    /// The same in Chinese.
    pub zh: String,
}

impl LineProblem {
    fn new(line: usize, en: impl Into<String>, zh: impl Into<String>) -> LineProblem {
        LineProblem {
            line,
            en: en.into(),
            zh: zh.into(),
        }
    }
}

/// Why nobody may take a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RefusedName {
    /// Somebody gave it, or one that looks like it, up lately; it is free from then on.
    Freed(Timestamp),
    /// It looks like this name of an account.
    Alike(String),
}

/// What a list is checked against.
pub struct ListRules<'a> {
    /// The most members of a team; 0 for no teams.
    pub team_size: usize,
    /// The members of the group.
    pub members: &'a [GroupMember],
    /// The names of accounts that exist, in lower case, and when these were opened.
    pub known: &'a HashMap<String, Timestamp>,
    /// Names of no account that nobody may take, in lower case, and why.
    pub refused: &'a HashMap<String, RefusedName>,
    /// The games, whose built-in bots have names of their own.
    pub games: &'a GameSet,
}

/// Reads a list. Fields are separated by commas, semicolons or tabs and may be quoted; a heading, a
/// byte order mark and empty lines are skipped.
///
/// # Errors
/// Every line that has no name, or more than two fields.
pub fn parse_members(text: &str) -> Result<Vec<MemberLine>, Vec<LineProblem>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = Vec::new();
    let mut problems = Vec::new();
    let mut is_first = true;
    for (index, raw) in text.lines().enumerate() {
        let line = index + 1;
        if raw.trim().is_empty() {
            continue;
        }
        let was_first = std::mem::replace(&mut is_first, false);
        let fields = match split_fields(raw) {
            Some(fields) => fields,
            None => {
                problems.push(LineProblem::new(
                    line,
                    "a quotation mark is not closed; close it, or leave both out",
                    "引号没有闭合；请补上，或把两个引号都去掉",
                ));
                continue;
            }
        };
        if was_first && HEADINGS.contains(&fields[0].to_lowercase().as_str()) {
            continue;
        }
        match read_member(line, &fields) {
            Ok(member) => lines.push(member),
            Err(problem) => problems.push(problem),
        }
    }
    if problems.is_empty() {
        Ok(lines)
    } else {
        Err(problems)
    }
}

/// The member on a line with these fields.
fn read_member(line: usize, fields: &[String]) -> Result<MemberLine, LineProblem> {
    let (name, team) = match fields {
        [name] if !name.is_empty() => (name, None),
        [name, team, rest @ ..] if !name.is_empty() && rest.iter().all(String::is_empty) => {
            (name, (!team.is_empty()).then(|| team.clone()))
        }
        [name, _, ..] if !name.is_empty() => {
            let count = fields.len();
            return Err(LineProblem::new(
                line,
                format!("it has {count} fields; write only the name and, after a comma, the team"),
                format!("该行有 {count} 个字段；只写姓名，逗号后写队名（可省略）"),
            ));
        }
        _ => {
            return Err(LineProblem::new(
                line,
                "it has no name; write one in the first field, or remove the line",
                "该行没有姓名；请写在第一个字段，或删除该行",
            ));
        }
    };
    Ok(MemberLine {
        line,
        name: name.clone(),
        team,
    })
}

/// The fields of a line; `None` if a quoted one does not end.
pub fn split_fields(line: &str) -> Option<Vec<String>> {
    let mut fields = vec![String::new()];
    let mut quoted = false;
    let mut signs = line.chars().peekable();
    while let Some(sign) = signs.next() {
        let field = fields.last_mut().expect("there is always one");
        match sign {
            '"' if quoted && signs.peek() == Some(&'"') => {
                signs.next();
                field.push('"');
            }
            '"' if quoted || field.trim().is_empty() => quoted = !quoted,
            ',' | ';' | '\t' | '，' if !quoted => fields.push(String::new()),
            sign => field.push(sign),
        }
    }
    (!quoted).then(|| fields.iter().map(|field| field.trim().to_owned()).collect())
}

/// Every problem of a list, by line; empty if it can be imported.
pub fn check_members(lines: &[MemberLine], rules: &ListRules<'_>) -> Vec<LineProblem> {
    let mut problems = Vec::new();
    if lines.is_empty() {
        problems.push(LineProblem::new(
            1,
            "the list has nobody on it; write one name a line",
            "名单是空的；请每行写一个姓名",
        ));
    }
    if lines.len() > MOST {
        problems.push(LineProblem::new(
            lines[MOST].line,
            format!(
                "the list has {} people; import at most {MOST} at a time",
                lines.len()
            ),
            format!("名单共有 {} 人；每次最多导入 {MOST} 人", lines.len()),
        ));
    }
    check_names(lines, rules, &mut problems);
    check_looks(lines, rules, &mut problems);
    check_teams(lines, rules, &mut problems);
    problems.sort_by_key(|problem| problem.line);
    problems
}

fn check_names(lines: &[MemberLine], rules: &ListRules<'_>, problems: &mut Vec<LineProblem>) {
    let mut seen: HashMap<String, usize> = HashMap::new();
    for own in lines {
        let folded = own.name.to_lowercase();
        if let Err(error) = names::check_name(&own.name) {
            problems.push(LineProblem::new(
                own.line,
                format!("{:?}: {error}", own.name),
                format!(
                    "“{}”不能作为账户名：须为 2 至 24 个字符，只用字母、数字、汉字和 - _ .",
                    own.name
                ),
            ));
        } else if let Some(why) = rules.refused.get(&folded) {
            problems.push(describe_refused(own, why));
        } else if !rules.known.contains_key(&folded)
            && names::check_reserved(&own.name, rules.games).is_err()
        {
            problems.push(LineProblem::new(
                own.line,
                format!(
                    "the name `{}` is reserved; choose another, such as one with a number",
                    own.name
                ),
                format!("名称“{}”是保留名称；请换一个，例如加上数字", own.name),
            ));
        }
        if let Some(first) = seen.insert(folded, own.line) {
            problems.push(LineProblem::new(
                own.line,
                format!(
                    "`{}` is on line {first}, too; remove one, or tell the two apart",
                    own.name
                ),
                format!(
                    "“{}”在第 {first} 行已出现；请删除一行，或改名以区分两人",
                    own.name
                ),
            ));
        }
    }
}

fn describe_refused(own: &MemberLine, why: &RefusedName) -> LineProblem {
    let name = &own.name;
    match why {
        RefusedName::Freed(until) => {
            let day = until.day();
            LineProblem::new(
                own.line,
                format!(
                    "somebody gave the name `{name}` or one that looks like it up, and nobody may take it until \
                     {day}; choose another, such as one with a number"
                ),
                format!(
                    "名称“{name}”或与之相似的名称刚被放弃，{day} 之前任何人都不能使用；请换一个，例如加上数字"
                ),
            )
        }
        RefusedName::Alike(other) => LineProblem::new(
            own.line,
            format!(
                "the name `{name}` looks like `{other}`, which another account has; choose another, such as one \
                 with a number"
            ),
            format!("名称“{name}”看起来与另一账户的“{other}”相似；请换一个，例如加上数字"),
        ),
    }
}

/// Names of accounts to be created that look like others of these on the list.
fn check_looks(lines: &[MemberLine], rules: &ListRules<'_>, problems: &mut Vec<LineProblem>) {
    let mut seen: HashMap<String, &MemberLine> = HashMap::new();
    for own in lines {
        let folded = own.name.to_lowercase();
        if rules.known.contains_key(&folded) {
            continue;
        }
        let first = *seen.entry(skeleton(&own.name)).or_insert(own);
        if first.name.to_lowercase() != folded {
            let (name, other, line) = (&own.name, &first.name, first.line);
            problems.push(LineProblem::new(
                own.line,
                format!(
                    "`{name}` looks like `{other}` on line {line}; tell the two apart, for example by a number"
                ),
                format!("“{name}”看起来与第 {line} 行的“{other}”相似；请加以区分，例如加上数字"),
            ));
        }
    }
}

/// Names of teams that are reserved, or look like others of the group or the list.
fn check_team_looks<'a>(
    (own, team): (&MemberLine, &'a str),
    rules: &ListRules<'_>,
    looks: &mut HashMap<String, &'a str>,
    problems: &mut Vec<LineProblem>,
) {
    let is_new = !looks.contains_key(&skeleton(team));
    if is_new && names::check_reserved(team, rules.games).is_err() {
        problems.push(LineProblem::new(
            own.line,
            format!("the name of the team {team} is reserved; choose another"),
            format!("队名“{team}”是保留名称；请换一个"),
        ));
    }
    let alike = *looks.entry(skeleton(team)).or_insert(team);
    if alike.to_lowercase() != team.to_lowercase() {
        problems.push(LineProblem::new(
            own.line,
            format!("the team {team} looks like the team {alike}; write the same name, or tell the two apart"),
            format!("队名“{team}”看起来与“{alike}”相似；请写成同一个，或加以区分"),
        ));
    }
}

fn check_teams(lines: &[MemberLine], rules: &ListRules<'_>, problems: &mut Vec<LineProblem>) {
    let mut sizes: BTreeMap<String, usize> = BTreeMap::new();
    let mut teams: HashMap<String, &str> = HashMap::new();
    let mut looks: HashMap<String, &str> = HashMap::new();
    for member in rules.members {
        if let Some((_, team)) = &member.team {
            looks.insert(skeleton(team), team);
            *sizes.entry(team.to_lowercase()).or_default() += 1;
            teams.insert(member.name.to_lowercase(), team);
        }
    }
    for own in lines {
        let Some(team) = &own.team else { continue };
        if rules.team_size == 0 {
            problems.push(LineProblem::new(
                own.line,
                "the group has no teams; leave the team out, or set the size of teams first",
                "该小组不分队；请去掉队名，或先设定队伍人数",
            ));
            continue;
        }
        if let Err(error) = names::check_name(team) {
            problems.push(LineProblem::new(
                own.line,
                format!("the team {team:?}: {error}"),
                format!("“{team}”不能作为队名：须为 2 至 24 个字符，只用字母、数字、汉字和 - _ ."),
            ));
        }
        check_team_looks((own, team), rules, &mut looks, problems);
        match teams.get(&own.name.to_lowercase()) {
            Some(present) if present.to_lowercase() == team.to_lowercase() => continue,
            Some(present) => problems.push(LineProblem::new(
                own.line,
                format!(
                    "{} is in the team {present} already; leave the team out, or take {} out of {present} first",
                    own.name, own.name
                ),
                format!("{} 已在队伍 {present} 中；请去掉队名，或先让其退出该队", own.name),
            )),
            None => {}
        }
        let size = sizes.entry(team.to_lowercase()).or_default();
        *size += 1;
        if *size > rules.team_size {
            problems.push(LineProblem::new(
                own.line,
                format!(
                    "with {} the team {team} has {size} members, and may have {}; choose another team",
                    own.name, rules.team_size
                ),
                format!(
                    "加上 {}，队伍 {team} 有 {size} 人，而最多 {} 人；请换一个队",
                    own.name, rules.team_size
                ),
            ));
        }
    }
}
