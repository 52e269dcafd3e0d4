//! `leitai group`

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};
use leitai_store::SourceLanguages;

use super::storage::{self, parse_size};
use super::values::JsonArg;

#[derive(Subcommand)]
pub enum GroupCommand {
    /// List the groups that you belong to; for administrators all.
    List(GroupListArgs),
    /// Make a group, such as a class; for administrators.
    New(GroupNewArgs),
    /// Show the members of a group and their teams.
    Show(GroupShowArgs),
    /// Import a list of members from a CSV file, and write their one-time passwords.
    Import(GroupImportArgs),
    /// Show the quotas of a group for its members, or set some of them.
    Quota(GroupQuotaArgs),
}

#[derive(Args)]
pub struct GroupListArgs {
    /// Print one JSON object per group.
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
#[command(after_help = "Example:\n  leitai group new 'AI 2026' --team-size 3 --organiser ada")]
pub struct GroupNewArgs {
    /// The group's name.
    pub name: String,
    /// The most members of a team; 0: the group has no teams.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u8).range(..=20))]
    pub team_size: u8,
    /// The account of the first organiser [default: yours].
    #[arg(long, value_name = "ACCOUNT")]
    pub organiser: Option<String>,
    #[command(flatten)]
    pub form: JsonArg,
}

#[derive(Args)]
pub struct GroupShowArgs {
    /// The group's number or name.
    pub group: String,
    /// Print the group as one JSON object.
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  leitai group import 'AI 2026' students.csv --check
  leitai group import 'AI 2026' students.csv --passwords passwords.csv

The file has one person a line: the name of the account and, after a comma, perhaps a team. Accounts
that do not exist are created with a one-time password, which must be changed at the first login;
accounts that exist join the group. If a line is wrong, every wrong line is named and nothing is
imported.

Exit status: 0 when the list was imported or is right, 1 when it is not.")]
pub struct GroupImportArgs {
    /// The group's number or name.
    pub group: String,
    /// The list; `-` reads it from stdin.
    #[arg(value_hint = ValueHint::FilePath)]
    pub file: PathBuf,
    /// Only check the list.
    #[arg(long)]
    pub check: bool,
    /// Write names, teams and one-time passwords into this new file, readable by you alone
    /// [default: stdout].
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "check")]
    pub passwords: Option<PathBuf>,
    #[command(flatten)]
    pub form: JsonArg,
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  leitai group quota 'AI 2026'
  leitai group quota 'AI 2026' --uploads 10 --languages python,cpp
  leitai group quota 'AI 2026' --uploads none

Quotas bind the members of the group, not its organisers. They can only be stricter than the arena's,
unless an administrator allowed this group to be looser. Who is in several groups has the strictest of
what they set. Quotas that are not named stay as they are; `none` takes one away.")]
pub struct GroupQuotaArgs {
    /// The group's number or name.
    pub group: String,
    /// Uploads of one member within an hour, or `none`.
    #[arg(long, value_name = "N", value_parser = parse_count)]
    pub uploads: Option<QuotaWord<u64>>,
    /// Friendly matches that one member asks for within 24 hours, or `none`.
    #[arg(long, value_name = "N", value_parser = parse_count)]
    pub friendlies: Option<QuotaWord<u64>>,
    /// CPU seconds of these matches within 24 hours, or `none`.
    #[arg(long, value_name = "SECONDS", value_parser = parse_count)]
    pub cpu_seconds: Option<QuotaWord<u64>>,
    /// Versions that one bot keeps, or `none`.
    #[arg(long, value_name = "N", value_parser = parse_count)]
    pub versions: Option<QuotaWord<u64>>,
    /// The largest upload, such as 64KiB, or `none`.
    #[arg(long, value_name = "SIZE", value_parser = parse_source_size)]
    pub source_size: Option<QuotaWord<u64>>,
    /// Languages that sources may have, with commas between them (c, cpp, java, javascript, python,
    /// rust, typescript, go, csharp, kotlin, make, cmake, binary), or `none` for no limit.
    #[arg(long, value_name = "LIST", value_parser = parse_languages)]
    pub languages: Option<QuotaWord<SourceLanguages>>,
    /// Whether quotas may go beyond the arena's; for administrators.
    #[arg(long, value_name = "on|off", value_parser = parse_switch)]
    pub looser: Option<bool>,
    /// Print the quotas as one JSON object.
    #[arg(long)]
    pub json: bool,
}

/// A quota that is set, or taken away.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuotaWord<T>(pub Option<T>);

fn parse_count(word: &str) -> Result<QuotaWord<u64>, String> {
    if word == "none" {
        return Ok(QuotaWord(None));
    }
    let count = word.parse().map_err(|_| {
        format!("`{word}` is not a whole number; write, for example, 10, or none for no limit")
    });
    Ok(QuotaWord(Some(count?)))
}

fn parse_source_size(word: &str) -> Result<QuotaWord<u64>, String> {
    if word == "none" {
        return Ok(QuotaWord(None));
    }
    let size = parse_size(word).ok().filter(|size| *size < u64::MAX);
    size.map(|size| QuotaWord(Some(size))).ok_or_else(|| {
        format!("`{word}` is not a size; write, for example, 64KiB, or none for no limit")
    })
}

fn parse_languages(word: &str) -> Result<QuotaWord<SourceLanguages>, String> {
    if word == "none" {
        return Ok(QuotaWord(None));
    }
    storage::parse_languages(word).map(|languages| QuotaWord(Some(languages)))
}

fn parse_switch(word: &str) -> Result<bool, String> {
    match word {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err(format!("`{word}` is neither on nor off")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotas_are_read() {
        assert_eq!(parse_count("0"), Ok(QuotaWord(Some(0))));
        assert_eq!(parse_count("none"), Ok(QuotaWord(None)));
        assert_eq!(parse_source_size("64KiB"), Ok(QuotaWord(Some(64 << 10))));
        assert_eq!(parse_languages("none"), Ok(QuotaWord(None)));
        assert!(parse_languages("cpp, python").is_ok_and(|word| word.0.is_some()));
        for word in ["", "-1", "many", "1.5"] {
            assert!(parse_count(word).is_err_and(|why| why.contains("whole number")));
        }
        for word in ["unlimited", "64 MB", ""] {
            assert!(parse_source_size(word).is_err_and(|why| why.contains("64KiB")));
        }
        for word in ["cobol", "", "cpp,"] {
            assert!(parse_languages(word).is_err_and(|why| why.contains("javascript")));
        }
    }
}
