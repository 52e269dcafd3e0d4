//! `leitai games`

use std::process::ExitCode;

use crate::files::print_stdout;
use crate::lang::Localizer;
use crate::width;

/// Lists the games.
pub fn run(lang: Localizer) -> anyhow::Result<ExitCode> {
    let mut table = width::new_table();
    table.set_header([
        lang.label("game"),
        lang.label("name"),
        lang.label("legs"),
        lang.label("time a turn"),
        lang.label("what it is"),
    ]);
    for game in leitai_games::ALL {
        let meta = game.meta();
        let (legs, limit) = (
            meta.legs.to_string(),
            leitai_judge::show_duration(meta.period_limit),
        );
        table.add_row([
            meta.id,
            lang.pick(meta.title),
            &legs,
            &limit,
            lang.pick(meta.about),
        ]);
    }
    print_stdout(&format!("{}\n", table.trim_fmt()))?;
    Ok(ExitCode::SUCCESS)
}
