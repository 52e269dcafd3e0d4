//! `leitai completions SHELL` and `leitai man FOLDER`

use std::process::ExitCode;

use anyhow::Context;
use clap::CommandFactory;

use crate::cli::{self, Cli, CompletionsArgs, ManArgs};
use crate::files;
use crate::lang::Localizer;

/// Prints completions for a shell.
pub fn print_completions(args: &CompletionsArgs) -> anyhow::Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "leitai", &mut script);
    files::print_stdout(&String::from_utf8(script).context("the generator writes UTF-8")?)?;
    Ok(ExitCode::SUCCESS)
}

/// Writes a man page for the program and every command.
pub fn write_man_pages(lang: Localizer, args: &ManArgs) -> anyhow::Result<ExitCode> {
    std::fs::create_dir_all(&args.folder)
        .with_context(|| format!("cannot make the folder {}", args.folder.display()))?;
    clap_mangen::generate_to(cli::commands(lang.lang()), &args.folder)
        .with_context(|| format!("cannot write to {}", args.folder.display()))?;
    let folder = args.folder.display();
    files::print_stdout(&lang.say(&format!(
        "man pages are in {folder}; read one with: man {folder}/leitai.1\n"
    )))?;
    Ok(ExitCode::SUCCESS)
}
