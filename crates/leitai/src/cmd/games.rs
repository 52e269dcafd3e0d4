//! `leitai games`

use crate::cli::GamesArgs;
use crate::prelude::*;
use crate::width;

/// Lists the games.
pub fn run(lang: Localizer, args: &GamesArgs) -> Result<ExitCode> {
    if args.json {
        let games = leitai_games::ALL.iter().map(|game| {
            let meta = game.meta();
            json!({
                "id": meta.id, "rules": meta.rules, "title": lang.pick(meta.title),
                "about": lang.pick(meta.about), "legs": meta.legs,
                "period_ms": meta.period_limit.as_millis() as u64,
            })
        });
        let games: Vec<Value> = games.collect();
        let answer = json!({"format": "leitai-games/1", "games": games});
        print_stdout(&format!("{answer}\n"))?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut table =
        width::table_with_heads(lang, ["game", "name", "legs", "time a turn", "what it is"]);
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
