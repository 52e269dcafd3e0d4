//! `leitai bots GAME`

use leitai_game::text::TextOf;
use leitai_game::{AnyGame, RatingScale};

use crate::arguments;
use crate::cli::BotsArgs;
use crate::prelude::*;
use crate::width::{self, wrap_list};

/// Lists a game's built-in bots, protocols and hosts.
pub fn run(lang: Localizer, args: &BotsArgs) -> Result<ExitCode> {
    let game = arguments::find_game(&args.game)?;
    if args.json {
        print_stdout(&format!("{}\n", list_as_json(lang, &*game)))?;
        return Ok(ExitCode::SUCCESS);
    }
    let bots = format_list(
        lang,
        [
            lang.label("built-in bot"),
            lang.label("how it plays (weakest first)"),
        ],
        &game.list_bots(),
    );
    let dialects = format_list(
        lang,
        [
            lang.label("protocol"),
            lang.label("used by (default first)"),
        ],
        &game.list_protocols(),
    );
    let hosts: Vec<_> = game
        .list_hosts()
        .iter()
        .map(|host| (host.name, host.about))
        .collect();
    let hosts = match &hosts[..] {
        [] => String::new(),
        hosts => format!(
            "\n\n{}",
            format_list(
                lang,
                [lang.label("host"), lang.label("what it runs")],
                hosts
            )
        ),
    };
    let scale = game
        .rating_scale()
        .map_or_else(String::new, |scale| describe_scale(lang, scale));
    print_stdout(&format!("{bots}{scale}\n\n{dialects}{hosts}\n"))?;
    Ok(ExitCode::SUCCESS)
}

/// The same for programs, the weakest bot and the default protocol first.
fn list_as_json(lang: Localizer, game: &dyn AnyGame) -> Value {
    let list = |rows: &[(&str, TextOf<'_>)]| -> Vec<Value> {
        let row =
            |(name, about): &(&str, TextOf<'_>)| json!({"name": name, "about": lang.pick(*about)});
        rows.iter().map(row).collect()
    };
    let hosts: Vec<_> = (game.list_hosts().iter())
        .map(|host| (host.name, host.about))
        .collect();
    let scale = game.rating_scale().map(|scale| {
        let levels = scale.levels.iter();
        let levels = levels.map(|level| json!({"name": level.name, "rating": level.rating}));
        json!({"name": scale.name, "levels": levels.collect::<Vec<_>>()})
    });
    json!({
        "format": "leitai-bots/1",
        "game": game.meta().id,
        "bots": list(&game.list_bots()),
        "protocols": list(&game.list_protocols()),
        "hosts": list(&hosts),
        "scale": scale,
    })
}

/// The scale of the levels, and how the levels of earlier ones are named.
fn describe_scale(lang: Localizer, scale: &RatingScale) -> String {
    let mut lines = vec![lang.fill("levels and ratings: scale {}", &[&scale.name])];
    for (number, earlier) in (1..).zip(scale.earlier) {
        // Those that play under another name today.
        let pairs: Vec<String> = (1..)
            .zip(earlier.levels)
            .map(|(level, today)| (format!("level{level}"), today))
            .filter(|(name, today)| name != *today)
            .map(|(name, today)| format!("{name}@{number} = {today}"))
            .collect();
        let values: [&dyn std::fmt::Display; 2] = [&earlier.scale, &pairs.join(lang.label(", "))];
        lines.push(lang.fill("levels of {}: {}", &values));
    }
    lines
        .iter()
        .map(|line| format!("\n\n{}", wrap_list(line, 2)))
        .collect()
}

fn format_list(lang: Localizer, header: [&str; 2], rows: &[(&str, TextOf<'_>)]) -> String {
    let mut table = width::new_table();
    table.set_header(header);
    rows.iter().for_each(|(name, about)| {
        table.add_row([*name, lang.pick(*about)]);
    });
    table.trim_fmt()
}
