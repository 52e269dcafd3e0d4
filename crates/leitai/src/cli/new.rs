//! `leitai new`

use std::path::PathBuf;

use clap::{Args, ValueHint};

/// Writes one of the game's templates, and prints the commands that check it and let it play.
#[derive(Args)]
#[command(after_help = NEW_EXAMPLES)]
pub struct NewArgs {
    /// The game's id (see `leitai games`).
    pub game: String,
    /// The language: python, cpp, javascript or java, where the game has it [default: the game's first].
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
  leitai new kob                                kob-bot/bot.py
  leitai new kob java                           kob-bot/Bot.java
  leitai new snakego cpp --folder ./adder       adder/bot.cpp

Beside the bot lies AGENTS.md, which tells coding agents how to check, play, analyse and submit it.
Existing files are never overwritten. The folder's name is the bot's name in matches.";
