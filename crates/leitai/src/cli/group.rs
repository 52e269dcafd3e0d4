//! `leitai group`

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};

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
}
