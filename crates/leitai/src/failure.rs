//! What a command says when it cannot do what it was asked.

use std::process::ExitCode;

use crate::arguments::{MISUSED, UsageError};
use crate::lang::{self, Localizer};
use crate::{cli, files, width};

/// Says what went wrong, and gives the exit status.
pub fn report(lang: Localizer, error: &anyhow::Error) -> ExitCode {
    let why = lang::format_error(lang, error);
    cli::print_json_error(&why);
    files::print_stderr(&width::wrap_message(&format!("leitai: {why}")));
    if error.is::<UsageError>() {
        ExitCode::from(MISUSED)
    } else {
        ExitCode::FAILURE
    }
}
