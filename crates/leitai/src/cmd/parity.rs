//! `leitai parity GAME FILE…`

use crate::cli::ParityArgs;
use crate::prelude::*;
use crate::{arguments, files};

/// The most differences that are printed in full; others are only counted.
const SHOWN: usize = 20;

/// Compares the engine with corpora and fails unless every case agrees.
pub fn run(lang: Localizer, args: &ParityArgs) -> Result<ExitCode> {
    let game = arguments::find_game(&args.game)?;
    let (mut cases, mut agree) = (0usize, 0usize);
    let mut differences = Vec::new();
    for file in &args.files {
        let text = files::read(file)?;
        let before = cases;
        game.compare_corpus(&text, &mut |case| {
            cases += 1;
            match case.result {
                Ok(()) => agree += 1,
                Err(why) if args.json => differences.push(json!({
                    "file": file.display().to_string(), "game": lang.say(&case.id), "why": lang.say(&why),
                })),
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
    if args.json {
        let answer = json!({
            "format": "leitai-parity/1", "game": game.meta().id, "games": cases, "agree": agree,
            "differences": differences,
        });
        files::print_stdout(&format!("{answer}\n"))?;
        return Ok(exit_code(cases, agree));
    }
    if cases - agree > SHOWN {
        files::print_stderr(
            &lang.say(&format!("… and {} more that differ", cases - agree - SHOWN)),
        );
    }
    files::print_stdout(&lang.say(&format!("{cases} games, {agree} agree\n")))?;
    Ok(exit_code(cases, agree))
}

/// Nothing compared is no agreement.
fn exit_code(cases: usize, agree: usize) -> ExitCode {
    match cases > 0 && agree == cases {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}
