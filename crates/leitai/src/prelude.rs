//! What every command uses: paths, errors, JSON, the language, answers, and the arena elsewhere.

pub use std::path::{Path, PathBuf};
pub use std::process::ExitCode;

pub use anyhow::{Context, Result, bail, ensure};
pub use leitai_game::clean_text::clean_line;
pub use serde_json::{Value, json};

pub use crate::answer::{Answer, print_answer};
pub use crate::arguments::{UsageError, id_at_arena, usage_error};
pub use crate::files::print_stdout;
pub use crate::lang::Localizer;
pub use crate::remote::api::text;
pub use crate::remote::{ArenaClient, SavedLogin};
