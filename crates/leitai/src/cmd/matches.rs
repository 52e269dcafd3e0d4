//! `leitai matches`

use comfy_table::ColumnConstraint;

use crate::cli::MatchesArgs;
use crate::cmd::submit::number_in;
use crate::lang::language_key;
use crate::prelude::*;
use crate::width;

/// Of so many queued matches it is said what they wait for.
const SHOWN_WAITING: usize = 3;

/// Lists matches, the newest first.
pub fn run(lang: Localizer, args: &MatchesArgs) -> Result<ExitCode> {
    let api = ArenaClient::for_reading(lang)?;
    let matches = fetch_matches(&api, args)?;
    if args.json {
        matches
            .iter()
            .try_for_each(|one| print_stdout(&format!("{one}\n")))?;
        return Ok(ExitCode::SUCCESS);
    }
    if matches.is_empty() {
        let is_filtered = args.home || args.ladder.is_some() || args.tag.is_some();
        let has_bots = || api.own_bots().is_ok_and(|bots| !bots.is_empty());
        print_stdout(if is_filtered {
            lang.label("no such matches\n")
        } else if has_bots() {
            lang.label("no matches yet; `leitai standing` says how your bots are\n")
        } else {
            lang.label("no matches yet; upload a bot with `leitai submit`\n")
        })?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut table = width::table_with_heads(
        lang,
        [
            "match",
            "when (UTC)",
            "game",
            "kind",
            "A",
            "B",
            "result",
            "scores",
            "faults",
        ],
    );
    matches.iter().for_each(|one| {
        table.add_row(match_cells(lang, one));
    });
    // A number and a date are in one line however narrow the terminal is.
    for column in table.column_iter_mut().take(2) {
        column.set_constraint(ColumnConstraint::ContentWidth);
    }
    print_stdout(&format!("{}\n", table.trim_fmt()))?;
    print_waiting(lang, &api, &matches)?;
    Ok(ExitCode::SUCCESS)
}

/// Prints what the queued ones wait for: of the oldest, whose turn comes first.
fn print_waiting(lang: Localizer, api: &ArenaClient, matches: &[Value]) -> Result<()> {
    let queued = matches.iter().rev().filter(|one| one["state"] == "queued");
    for one in queued.take(SHOWN_WAITING) {
        let id = &one["id"];
        let own = api.get(&format!("/api/matches/{id}"))?;
        if let Some(waits) = own["waiting"][language_key(lang)].as_str() {
            print_stdout(&format!(
                "{}\n",
                lang.fill("match {}: {}", &[id, &clean_line(waits)])
            ))?;
        }
    }
    Ok(())
}

/// Requests page by page.
fn fetch_matches(api: &ArenaClient, args: &MatchesArgs) -> Result<Vec<Value>> {
    let game = args.game.as_deref().map(id_at_arena);
    let named = [
        ("game", &game),
        ("ladder", &args.ladder),
        ("tag", &args.tag),
    ];
    let mut query: Vec<(&str, String)> = named
        .into_iter()
        .filter_map(|(name, value)| Some((name, value.clone()?)))
        .collect();
    if let Some(name) = &args.bot {
        let bot = api.find_own_bot(name, args.game.as_deref())?;
        query.push(("bot", number_in(&bot, "id")?.to_string()));
    }
    if args.home {
        let me = api.get("/api/me")?;
        let name = me["name"].as_str().or(me["user"]["name"].as_str());
        let name = name.context("the answer of the arena has no name")?;
        query.push(("home", name.to_owned()));
    }
    let (mut matches, mut before) = (Vec::new(), None);
    let most = args.limit as usize;
    while matches.len() < most {
        let limit = (most - matches.len()).min(100).to_string();
        let of_page = [("limit", limit)].into_iter().chain(before);
        let page = api.get_with("/api/matches", query.iter().cloned().chain(of_page))?;
        let items = page["items"]
            .as_array()
            .context("the arena's answer has no list")?;
        matches.extend(items.iter().cloned());
        let Some(next) = page["next"]
            .as_str()
            .map(str::to_owned)
            .or(page["next"].as_u64().map(|n| n.to_string()))
        else {
            break;
        };
        before = Some(("before", next));
    }
    Ok(matches)
}

fn match_cells(lang: Localizer, one: &Value) -> [String; 9] {
    let entrant = |side: &str| {
        let entrant = &one[side];
        match entrant["version"].as_u64() {
            Some(version) => format!("{} v{version}", text(&entrant["name"])),
            None => text(&entrant["name"]),
        }
    };
    let result = match one["winner"].as_str() {
        Some("a") => "A".to_owned(),
        Some("b") => "B".to_owned(),
        Some("draw") => lang.label("draw").to_owned(),
        _ => text(&one["state"]),
    };
    let scores = one["scores"].as_array().into_iter().flatten();
    let scores: Vec<String> = scores.map(|leg| format!("{}:{}", leg[0], leg[1])).collect();
    let faults = one["faults"].as_array().into_iter().flatten();
    let faults: Vec<String> = faults
        .map(|fault| {
            format!(
                "{} {}",
                text(&fault["entrant"]).to_uppercase(),
                text(&fault["code"])
            )
        })
        .collect();
    let when = text(&one["created"])
        .chars()
        .take(16)
        .collect::<String>()
        .replace('T', " ");
    [
        one["id"].to_string(),
        when,
        text(&one["game"]),
        text(&one["kind"]),
        entrant("a"),
        entrant("b"),
        result,
        scores.join(" "),
        faults.join(" "),
    ]
}
