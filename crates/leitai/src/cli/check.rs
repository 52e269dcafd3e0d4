//! `leitai check`

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::match_options::MatchOptionArgs;

#[derive(Args)]
#[command(after_help = CHECK_EXAMPLES)]
#[command(mut_arg("legs", |legs| legs.hide(true)))]
#[command(mut_arg("seed", |seed| seed.help("Seed of all random choices [default: 1]")))]
pub struct CheckArgs {
    /// The game's id (see `leitai games`).
    pub game: String,
    /// The program: an executable, a source file, a folder or a zip.
    #[arg(value_hint = ValueHint::AnyPath)]
    pub program: String,
    #[command(flatten)]
    pub options: MatchOptionArgs,
    /// Then ask it situations: packs, or folders of pinned positions [default: the game's own pack].
    #[arg(long, value_name = "PACK", num_args = 0.., value_hint = ValueHint::AnyPath)]
    pub situations: Option<Vec<PathBuf>>,
    /// Build and check again whenever the program is saved, until Ctrl-C.
    #[arg(long)]
    pub watch: bool,
    /// Print the findings as one JSON object (docs/checking-a-bot.md), and nothing else on stdout.
    #[arg(long)]
    pub json: bool,
}

const CHECK_EXAMPLES: &str = "\
Examples:
  leitai check snakego ./my_folder
  leitai check kob json-lines:./bot.py --limit 1s --memory 256MiB
  leitai check kob ./bot.py --situations mine.jsonl

Marks: ✓ passed, ✗ failed, ! works, but only just or with help, i for information, - not tested.

Exit status: 0 when every required step passed; 1 otherwise; 3 when it passed them but not every
situation; 2 for invalid usage; 130 when it was interrupted. The seed is 1 by default.";
