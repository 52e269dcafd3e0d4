//! `leitai new`

use std::path::PathBuf;

use clap::{Args, ValueHint};

/// Writes a starter kit of the game: a bot, its SDK, a test, what editors read; prints the next commands.
#[derive(Args)]
#[command(after_help = NEW_EXAMPLES)]
pub struct NewArgs {
    /// The game's id (see `leitai games`).
    pub game: String,
    /// The language: python, cpp, java, javascript, rust, typescript, go, csharp or kotlin, where the game has it
    /// [default: the game's first].
    #[arg(value_name = "LANG")]
    pub language: Option<String>,
    /// Write it into this folder, which is created if it does not exist [default: GAME-bot].
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub folder: Option<PathBuf>,
    /// Print what was written as one JSON object, and nothing else on stdout.
    #[arg(long)]
    pub json: bool,
}

const NEW_EXAMPLES: &str = "\
Examples:
  leitai new kob                                kob-bot/main.py
  leitai new kob java                           kob-bot/Main.java
  leitai new snakego cpp --folder ./adder       adder/main.cpp

Beside the bot lie the SDK of the game (types, reading, answering, drawing), test.sh, README.md, what editors read,
and AGENTS.md, which tells coding agents how to check, play, analyse and submit it.
Existing files are never overwritten. The folder's name is the bot's name in matches.";
