//! `leitai debug`

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::values::parse_whole;

#[derive(Args)]
#[command(after_help = DEBUG_EXAMPLES)]
pub struct DebugArgs {
    /// The replay.
    #[arg(value_hint = ValueHint::FilePath)]
    pub replay: PathBuf,
    /// The program: an executable, a source file, a folder or a zip.
    #[arg(value_hint = ValueHint::AnyPath)]
    pub bot: String,
    /// The leg, if the replay has several.
    #[arg(long, value_name = "N", value_parser = parse_whole::<usize>)]
    pub leg: Option<usize>,
    /// The debugger takes over when the bot is asked in this round.
    #[arg(long, value_name = "N")]
    pub round: u32,
    /// Whose place the program takes: A, B or a name [default: the program's own name, the only
    /// program, or who lost the leg].
    #[arg(long, value_name = "WHO")]
    pub entrant: Option<String>,
    /// Start no debugger: print how to attach one, and wait until Enter is pressed.
    #[arg(long)]
    pub wait: bool,
}

const DEBUG_EXAMPLES: &str = "\
Examples:
  leitai debug matches/20261121-snakego-7.json --leg 2 --round 37 ./mybot
  leitai debug matches/20261121-kob-7.json --leg 1 --round 12 each-turn:./bot.py --wait

The program is built with symbols and without optimisation. It gets the bytes that it got in the
match, and the recorded replies are played whatever it answers; the first answer that differs is
shown. Nothing is timed. When it is asked in the round, gdb (native programs), pdb (Python), jdb
(Java) or node inspect (JavaScript) takes over in this terminal. It runs without the sandbox: debug
only what you would run yourself.";
