//! `leitai standing BOT`

use serde_json::Map;

use crate::cli::StandingArgs;
use crate::cmd::submit::number_in;
use crate::lang::language_key;
use crate::prelude::*;
use crate::width;

/// Opts the bot out of ladders and in again as asked, then shows its place on each.
pub fn run(lang: Localizer, args: &StandingArgs) -> Result<ExitCode> {
    let changes = read_changes(args)?;
    let api = ArenaClient::from_login(lang, &SavedLogin::current_login(lang)?);
    let mut bot = api.find_own_bot(&args.bot, args.game.as_deref())?;
    if !changes.is_empty() {
        let path = format!("/api/bots/{}", number_in(&bot, "id")?);
        bot = api.patch_json(&path, &json!({"ladders": changes}))?;
    }
    print_answer(args.json, &bot, || {
        format!("{}\n", format_places(lang, &bot))
    })
}

/// Whether the bot plays on each ladder that is named.
fn read_changes(args: &StandingArgs) -> Result<Map<String, Value>> {
    if let Some(twice) = args.opt_in.iter().find(|name| args.opt_out.contains(name)) {
        return Err(usage_error(format!(
            "--opt-out {twice} and --opt-in {twice} contradict each other; leave one of them out"
        )));
    }
    let out = args.opt_out.iter().map(|name| (name.clone(), json!(false)));
    let back = args.opt_in.iter().map(|name| (name.clone(), json!(true)));
    Ok(out.chain(back).collect())
}

fn format_places(lang: Localizer, bot: &Value) -> String {
    let mut table = width::table_with_heads(
        lang,
        [
            "ladder", "title", "rank", "rating", "matches", "W/D/L", "faults", "state",
        ],
    );
    table.add_row(place_cells(lang, "standard", bot));
    for place in bot["ladders"].as_array().into_iter().flatten() {
        let name = place["name"].as_str().unwrap_or_default();
        table.add_row(place_cells(lang, name, place));
    }
    table.trim_fmt()
}

fn place_cells(lang: Localizer, ladder: &str, place: &Value) -> [String; 8] {
    let rank = match (place["rank"][0].as_u64(), place["rank"][1].as_u64()) {
        (Some(best), Some(worst)) if best == worst => best.to_string(),
        (Some(best), Some(worst)) => format!("{best}-{worst}"),
        _ => "-".to_owned(),
    };
    let rating = &place["rating"];
    let rating = match (rating["value"].as_f64(), rating["error"].as_f64()) {
        (Some(value), Some(error)) => format!("{value:.0} ±{error:.0}"),
        _ => "-".to_owned(),
    };
    let state = match place {
        place if place["plays"] == false => lang.label("opted out"),
        place if !place["rest"].is_null() => lang.label("rests"),
        place if !place["rank"].is_null() => lang.label("plays"),
        _ => "-",
    };
    let results = ["wins", "draws", "losses"].map(|key| place[key].to_string());
    [
        clean_line(ladder).into_owned(),
        text(&place["title"][language_key(lang)]),
        rank,
        rating,
        place["games"].to_string(),
        results.join("/"),
        place["faults"].to_string(),
        state.to_owned(),
    ]
}
