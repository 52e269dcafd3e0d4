//! `leitai parity GAME FILE…`

use std::process::ExitCode;

use crate::cli::ParityArgs;
use crate::lang::Localizer;
use crate::{arguments, files};

/// The most differences that are printed in full; others are only counted.
const SHOWN: usize = 20;

/// Compares the engine with corpora and fails unless every case agrees.
pub fn run(lang: Localizer, args: &ParityArgs) -> anyhow::Result<ExitCode> {
    let game = arguments::find_game(&args.game)?;
    let (mut cases, mut agree) = (0usize, 0usize);
    for file in &args.files {
        let text = files::read(file)?;
        let before = cases;
        game.compare_corpus(&text, &mut |case| {
            cases += 1;
            match case.result {
                Ok(()) => agree += 1,
                Err(why) if cases - agree <= SHOWN => files::print_stderr(&format!(
                    "{}: {}: {}",
                    file.display(),
                    lang.say(&case.id),
                    lang.say(&why)
                )),
                Err(_) => {}
            }
        });
        if cases == before {
            files::print_stderr(&lang.say(&format!("{}: no games in it", file.display())));
        }
    }
    if cases - agree > SHOWN {
        files::print_stderr(
            &lang.say(&format!("… and {} more that differ", cases - agree - SHOWN)),
        );
    }
    files::print_stdout(&lang.say(&format!("{cases} games, {agree} agree\n")))?;
    Ok(if cases > 0 && agree == cases {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
