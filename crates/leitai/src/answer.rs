//! What a command answers: text for people, or with `--json` one object for programs, whose fields
//! docs/command-line.md lists.

use std::fmt::Display;
use std::process::ExitCode;

use serde_json::{Value, json};

use crate::files::print_stdout;

/// Prints an object for programs, or text for people as it is.
pub fn print_answer(
    as_json: bool,
    object: &impl Display,
    text: impl FnOnce() -> String,
) -> anyhow::Result<ExitCode> {
    print_stdout(&match as_json {
        true => format!("{object}\n"),
        false => text(),
    })?;
    Ok(ExitCode::SUCCESS)
}

/// An answer in both forms.
#[derive(Debug)]
pub struct Answer {
    /// `{"format": "leitai-NAME/1", …}`
    object: Value,
    text: String,
}

impl Answer {
    /// The answer of the command with this name, its words joined by hyphens.
    pub fn new(name: &str, fields: Value, text: impl Into<String>) -> Answer {
        let mut object = json!({"format": format!("leitai-{name}/1")});
        if let (Value::Object(object), Value::Object(fields)) = (&mut object, fields) {
            object.extend(fields);
        }
        Answer {
            object,
            text: text.into(),
        }
    }

    /// Prints it: the text ends with a line break.
    pub fn print(self, as_json: bool) -> anyhow::Result<ExitCode> {
        match as_json {
            true => print_stdout(&format!("{}\n", self.object))?,
            false if self.text.is_empty() => {}
            false => print_stdout(&format!("{}\n", self.text.trim_end_matches('\n')))?,
        }
        Ok(ExitCode::SUCCESS)
    }
}
