//! `leitai experiment`: sequential tests of versions in an arena.

use std::time::Duration;

use clap::ValueEnum;
use leitai_series::comparison::format_row;
use leitai_series::files::read_text;
use leitai_series::report::words::format_percent;

use crate::cli::{
    CompareArgs, EloArg, ExperimentArgs, ExperimentCommand, ExperimentListArgs,
    ExperimentStartArgs, LaneArgs, PinArgs, given_options,
};
use crate::cmd::submit::number_in;
use crate::lang::language_key;
use crate::plan::refuse_untaken;
use crate::prelude::*;
use crate::remote::account::normalize_address;
use crate::{arguments, stop, width};

/// The time between two looks.
const LOOK: Duration = Duration::from_secs(2);
/// The most pairs of an experiment.
const MOST_PAIRS: u32 = 2000;
/// The options of `leitai compare` that an experiment takes.
const OF_COMPARE: [&str; 10] = [
    "on", "elo0", "elo1", "alpha", "beta", "max", "seed", "book", "config", "json",
];
/// Exit statuses, as of `leitai compare`.
const REJECTED: u8 = 3;
const UNDECIDED: u8 = 4;
const NO_NEW_GAMES: u8 = 5;
const INTERRUPTED: u8 = 130;

/// Runs a command about experiments.
pub fn run(lang: Localizer, command: &ExperimentCommand) -> Result<ExitCode> {
    let api = ArenaClient::from_login(lang, &SavedLogin::current_login(lang)?);
    match command {
        ExperimentCommand::Start(args) => start(lang, &api, args, &Value::Null),
        ExperimentCommand::List(args) => list(lang, &api, args),
        ExperimentCommand::Watch(args) => watch(lang, &api, args.number, args.json),
        ExperimentCommand::Stop(args) => end(lang, &api, args),
        ExperimentCommand::Lane(args) => lane(lang, &api, args),
        ExperimentCommand::Pin(args) => pin(lang, &api, args),
        ExperimentCommand::Unpin(args) => {
            let bot = number_in(&api.find_own_bot(&args.bot, args.game.as_deref())?, "id")?;
            api.delete(&format!("/api/bots/{bot}/pins/{}", args.pin))?;
            let fields = json!({"bot": args.bot, "pin": args.pin});
            Answer::new("experiment-unpin", fields, "").print(args.form.json)
        }
    }
}

/// Starts an experiment; a config of null is the game's own.
fn start(
    lang: Localizer,
    api: &ArenaClient,
    args: &ExperimentStartArgs,
    config: &Value,
) -> Result<ExitCode> {
    let bot = api.find_own_bot(&args.bot, args.game.as_deref())?;
    let game = text(&bot["game"]);
    let find = |word: &String| api.find_bot(word, &game);
    let against = args.against.as_ref().map(find).transpose()?;
    let pool = args.pool.iter().map(find);
    let pool = pool.collect::<Result<Vec<u64>>>()?;
    let bounds = json!({
        "elo0": args.elo0, "elo1": args.elo1, "alpha": args.alpha, "beta": args.beta,
        "most_pairs": args.pairs,
    });
    let book = args.book.as_deref().map(read_text).transpose()?;
    let body = json!({
        "book": book, "config": config,
        "bot": number_in(&bot, "id")?, "version": args.version, "against": against,
        "against_version": args.against_version, "bounds": bounds, "seed": args.seed,
        "promotes": args.promote, "variants": args.variants, "pool": pool,
        "neighbours": args.neighbours, "settings": args.settings,
        "against_settings": args.against_settings,
    });
    let made = api.post_json("/api/experiments", &body)?;
    let id = number_in(&made, "id")?;
    if args.watch {
        return watch(lang, api, id, args.json);
    }
    print_answer(args.json, &made, || {
        let page = api.page_url(&format!("/experiments/{id}"));
        let variants = made["variants"].as_array().map_or(1, Vec::len).max(1);
        let pairs = args.pairs as usize * variants;
        let minutes = minutes_of(&made, pairs as f64);
        let cost = match minutes {
            Some(minutes) => lang.fill(
                "it costs at most {} pairs, about {} min of play on one slot",
                &[&pairs, &minutes],
            ),
            None => lang.fill("it costs at most {} pairs", &[&pairs]),
        };
        let begun = lang.fill("experiment {} has begun: {}", &[&id, &page]);
        format!("{begun}\n{cost}\n")
    })
}

/// About how many minutes so many pairs take on one slot.
fn minutes_of(own: &Value, pairs: f64) -> Option<u64> {
    let each = own["pair_seconds"].as_f64()?;
    Some(((each * pairs / 60.0).round() as u64).max(1))
}

fn list(lang: Localizer, api: &ArenaClient, args: &ExperimentListArgs) -> Result<ExitCode> {
    let bot = match &args.bot {
        Some(name) => Some(number_in(&api.find_own_bot(name, None)?, "id")?),
        None => None,
    };
    let query = bot.map(|bot| ("bot", bot.to_string()));
    let query = query.into_iter().chain([("limit", "100".to_owned())]);
    let listed = api.get_with("/api/experiments", query)?;
    let all = listed["items"].as_array().cloned().unwrap_or_default();
    if args.json {
        all.iter()
            .try_for_each(|one| print_stdout(&format!("{one}\n")))?;
        return Ok(ExitCode::SUCCESS);
    }
    if all.is_empty() {
        print_stdout(&format!("{}\n", lang.label("no experiments yet")))?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut table = width::table_with_heads(lang, ["#", "game", "tested", "against", "state"]);
    for one in &all {
        table.add_row([
            one["id"].to_string(),
            text(&one["game"]),
            version_name(&one["tested"]),
            base_name(one),
            state_label(lang, one).to_owned(),
        ]);
    }
    print_stdout(&format!("{}\n", table.trim_fmt()))?;
    Ok(ExitCode::SUCCESS)
}

fn end(lang: Localizer, api: &ArenaClient, args: &ExperimentArgs) -> Result<ExitCode> {
    let path = format!("/api/experiments/{}/stop", args.number);
    let own = api.post_json(&path, &json!({}))?;
    print_answer(args.json, &own, || describe(lang, &own))
}

/// The experiment and the other variants that are tested with it.
fn family(api: &ArenaClient, own: Value) -> Result<Vec<Value>> {
    let variants = own["variants"].as_array().cloned().unwrap_or_default();
    if variants.is_empty() {
        return Ok(vec![own]);
    }
    let ids = variants.iter().map(|one| number_in(one, "id"));
    ids.map(|id| api.get(&format!("/api/experiments/{}", id?)))
        .collect()
}

/// Shows the lane of a bot, or sets what options name of it.
fn lane(lang: Localizer, api: &ArenaClient, args: &LaneArgs) -> Result<ExitCode> {
    let bot = number_in(&api.find_own_bot(&args.bot, args.game.as_deref())?, "id")?;
    let path = format!("/api/bots/{bot}/lane");
    let mut own = api.get(&path)?;
    let changes = lane_changes(args)?;
    if !changes.is_empty() {
        let mut body = json!({"bounds": {}, "book": null});
        for key in ["lane", "neighbours", "refuses"] {
            body[key] = own[key].clone();
        }
        for key in ["elo0", "elo1", "alpha", "beta", "most_pairs"] {
            body["bounds"][key] = own[key].clone();
        }
        for (place, value) in changes {
            *body.pointer_mut(place).expect("every place is there") = value;
        }
        own = api.put_json(&path, &body)?;
    }
    print_answer(args.json, &own, || describe_lane(lang, &own))
}

/// What options change of a lane, each with its place in the request.
fn lane_changes(args: &LaneArgs) -> Result<Vec<(&'static str, Value)>> {
    let book = args.book.as_deref().map(read_text).transpose()?;
    let book = book.or(args.no_book.then(String::new));
    let changes = [
        ("/lane", args.set.map(name_of)),
        ("/neighbours", args.neighbours.map(Value::from)),
        ("/refuses", args.refuses.map(name_of)),
        ("/bounds/elo0", args.elo0.map(Value::from)),
        ("/bounds/elo1", args.elo1.map(Value::from)),
        ("/bounds/alpha", args.alpha.map(Value::from)),
        ("/bounds/beta", args.beta.map(Value::from)),
        ("/bounds/most_pairs", args.pairs.map(Value::from)),
        ("/book", book.map(Value::from)),
    ];
    let given = |(place, value): (_, Option<Value>)| Some((place, value?));
    Ok(changes.into_iter().filter_map(given).collect())
}

fn name_of(choice: impl ValueEnum) -> Value {
    let choice = choice.to_possible_value().expect("none is hidden");
    choice.get_name().into()
}

fn describe_lane(lang: Localizer, own: &Value) -> String {
    let lane = match own["lane"].as_str() {
        Some("automatic") => lang.label("automatic: an upload plays once a test accepts it"),
        Some("hand") => lang.label("by hand: an upload plays when you say so"),
        _ => lang.label("off: an upload plays at once"),
    };
    let pairs = own["most_pairs"].as_f64().unwrap_or_default();
    let matches = &own["most_matches"];
    let cost = match minutes_of(own, pairs) {
        Some(minutes) => lang.fill(
            "at most {} matches, about {} min of play on one slot",
            &[matches, &minutes],
        ),
        None => lang.fill("at most {} matches", &[matches]),
    };
    let opponents = match own["neighbours"].as_u64().unwrap_or(0) {
        0 => lang.label("the active version").to_owned(),
        most => lang.fill("both against {} neighbours on the ladder", &[&most]),
    };
    let refuses = match own["refuses"].as_str() {
        Some("nothing") => lang.label("no situation"),
        Some("packs") => lang.label("pins and packs"),
        _ => lang.label("pins"),
    };
    let rows = [
        (lang.label("lane"), lane.to_owned()),
        (lang.label("against"), opponents),
        ("Elo", format!("{} / {}", own["elo0"], own["elo1"])),
        (lang.label("error rates"), error_rates(own)),
        (lang.label("refused by"), refuses.to_owned()),
        (lang.label("starts from"), book_words(lang, own)),
        (lang.label("a test costs"), cost),
    ];
    let rows: String = rows
        .iter()
        .map(|(label, value)| format_row(label, value))
        .collect();
    let pins = own["pins"].as_array().into_iter().flatten();
    let pins: String = pins.map(|pin| describe_pin(lang, pin)).collect();
    rows + &pins
}

/// `5.0 % / 5.0 %`
fn error_rates(own: &Value) -> String {
    let rates = ["alpha", "beta"].map(|key| own[key].as_f64().unwrap_or_default());
    rates.map(format_percent).join(" / ")
}

/// Where matches start.
fn book_words(lang: Localizer, own: &Value) -> String {
    let book = &own["book"];
    match book["positions"].as_u64() {
        Some(positions) => {
            let hash: String = text(&book["hash"]).chars().take(12).collect();
            lang.fill("{} positions of the book {}", &[&positions, &hash])
        }
        None => lang.label("at the game's beginning").to_owned(),
    }
}

fn describe_pin(lang: Localizer, pin: &Value) -> String {
    let played = pin["played"].as_array().into_iter().flatten().map(text);
    let played = played.collect::<Vec<_>>().join(" ");
    let line = lang.fill(
        "pin {}: match {}, leg {}, round {}: {}  {}",
        &[
            &pin["id"],
            &pin["match"],
            &pin["leg"],
            &pin["round"],
            &played,
            &text(&pin["why"]),
        ],
    );
    format!("{}\n", line.trim_end())
}

fn pin(lang: Localizer, api: &ArenaClient, args: &PinArgs) -> Result<ExitCode> {
    let bot = number_in(&api.find_own_bot(&args.bot, args.game.as_deref())?, "id")?;
    let body = json!({
        "match": args.match_id, "leg": args.leg, "round": args.round,
        "why": args.why.as_deref().unwrap_or_default(),
    });
    let path = format!("/api/bots/{bot}/pins");
    let made = api.post_json(&path, &body)?;
    print_answer(args.json, &made, || describe_pin(lang, &made))
}

/// Shows how an experiment and its variants go on until they end, and how they ended.
fn watch(lang: Localizer, api: &ArenaClient, id: u64, json: bool) -> Result<ExitCode> {
    let Some(all) = wait_for_end(lang, api, id, json)? else {
        return Ok(ExitCode::from(INTERRUPTED));
    };
    let say = |own: &Value| match json {
        true => format!("{own}\n"),
        false => describe(lang, own),
    };
    print_stdout(&all.iter().map(say).collect::<String>())?;
    let accepted = all.iter().find(|own| own["state"] == "accepted");
    Ok(exit_code(accepted.unwrap_or(&all[0])))
}

/// Shows how an experiment and its variants go on until they end; `None` if it was interrupted.
pub fn wait_for_end(
    lang: Localizer,
    api: &ArenaClient,
    id: u64,
    json: bool,
) -> Result<Option<Vec<Value>>> {
    let stop = stop::on_interrupt()?;
    let mut shown = None;
    loop {
        let all = family(api, api.get(&format!("/api/experiments/{id}"))?)?;
        if all.iter().all(|own| own["state"] != "running") {
            return Ok(Some(all));
        }
        let counted: u64 = all.iter().filter_map(|own| own["counted"].as_u64()).sum();
        if !json && shown != Some(counted) {
            for own in all.iter().filter(|own| own["state"] == "running") {
                let name = match all.len() {
                    1 => String::new(),
                    _ => format!("{}  ", version_name(&own["tested"])),
                };
                eprintln!("{name}{}", progress_line(lang, own));
            }
            shown = Some(counted);
        }
        if stop.load(std::sync::atomic::Ordering::Relaxed) {
            let page = api.page_url(&format!("/experiments/{id}"));
            eprintln!(
                "{} {page}",
                lang.label("no longer watching; the experiment goes on at")
            );
            return Ok(None);
        }
        std::thread::sleep(LOOK);
    }
}

fn progress_line(lang: Localizer, own: &Value) -> String {
    let result = &own["result"];
    if own["benchmark"].is_object() {
        let elo = |value: &Value| value.as_f64().map_or("?".to_owned(), |x| format!("{x:.0}"));
        let [low, high] = [0, 1].map(|side| elo(&result["rating_interval"][side]));
        let rating = elo(&result["rating"]);
        let values: [&dyn std::fmt::Display; 4] = [&own["counted"], &rating, &low, &high];
        return lang.fill("pairs {}  rating {} [{}, {}]", &values);
    }
    let number = |value: &Value| value.as_f64().map_or("?".to_owned(), |x| format!("{x:.2}"));
    let llr = number(&result["llr"]);
    let [low, high] = [0, 1].map(|side| number(&result["llr_bounds"][side]));
    let to_go = own["pairs_to_go"].as_u64();
    let to_go = to_go.map_or("?".to_owned(), |pairs| pairs.to_string());
    lang.fill(
        "pairs {}  LLR {} ({}, {})  ~{} pairs to go",
        &[&own["counted"], &llr, &low, &high, &to_go],
    )
}

/// The experiment in lines of a label and a value.
fn describe(lang: Localizer, own: &Value) -> String {
    let (tested, base) = (version_name(&own["tested"]), base_name(own));
    let state = state_label(lang, own);
    let head = lang.fill(
        "experiment {}: {} against {}: {}",
        &[&own["id"], &tested, &base, &state],
    );
    let lines = own["lines"][language_key(lang)].as_array();
    let rows: String = lines
        .into_iter()
        .flatten()
        .map(|row| format_row(&text(&row[0]), &text(&row[1])))
        .collect();
    let pool: Vec<String> = own["pool"]
        .as_array()
        .into_iter()
        .flatten()
        .map(version_name)
        .collect();
    let rows = match pool.is_empty() || own["benchmark"].is_object() {
        true => rows,
        false => {
            let pool = pool.join(", ");
            format_row(lang.label("pool"), &pool) + &rows
        }
    };
    let rows = match own["book"].is_object() {
        true => format_row(lang.label("starts from"), &book_words(lang, own)) + &rows,
        false => rows,
    };
    let note = text(&own["note"][language_key(lang)]);
    let missing = own["missing_pairs"]
        .as_u64()
        .map_or(String::new(), |pairs| {
            lang.fill("about {} more pairs would decide it", &[&pairs])
        });
    let lost = own["lost_matches"]
        .as_array()
        .filter(|lost| !lost.is_empty());
    let lost = lost.map_or(String::new(), |lost| {
        let lost: Vec<String> = lost.iter().map(Value::to_string).collect();
        lang.fill("it lost matches {}", &[&lost.join(", ")])
    });
    let lines = [note, missing, lost]
        .into_iter()
        .filter(|line| !line.is_empty());
    let lines: String = lines.map(|line| line + "\n").collect();
    format!("{head}\n{rows}{lines}")
}

/// `hunter v3`
fn version_name(version: &Value) -> String {
    let number = version["number"].as_u64();
    let number = number.map_or("?".to_owned(), |number| number.to_string());
    let settings = version["settings"].as_str();
    let settings = settings.map_or(String::new(), |own| format!(" {}", clean_line(own)));
    format!("{} v{number}{settings}", text(&version["name"]))
}

/// Against whom: the other version, or the scale of a benchmark.
fn base_name(own: &Value) -> String {
    match own["benchmark"]["scale"].as_str() {
        Some(scale) => clean_line(scale).into_owned(),
        None => version_name(&own["base"]),
    }
}

fn state_label(lang: Localizer, own: &Value) -> &'static str {
    match own["state"].as_str() {
        Some("running") => lang.label("running"),
        Some("accepted") => lang.label("accepted"),
        Some("rejected") => lang.label("rejected"),
        Some("undecided") => lang.label("undecided"),
        Some("exhausted") => lang.label("no new games"),
        Some("measured") => lang.label("measured"),
        Some("cancelled") => lang.label("stopped"),
        _ => lang.label("failed"),
    }
}

fn exit_code(own: &Value) -> ExitCode {
    match own["state"].as_str() {
        Some("accepted" | "measured") => ExitCode::SUCCESS,
        Some("rejected") => ExitCode::from(REJECTED),
        Some("undecided") => ExitCode::from(UNDECIDED),
        Some("exhausted") => ExitCode::from(NO_NEW_GAMES),
        _ => ExitCode::FAILURE,
    }
}

/// A bot of an arena in words: `BOT` or `BOT@VERSION`.
pub fn split_version(word: &str) -> Result<(&str, Option<u32>)> {
    let Some((name, version)) = word.rsplit_once('@') else {
        return Ok((word, None));
    };
    let number = version.trim_start_matches('v').parse().ok();
    let number = number.filter(|number| *number > 0 && !name.is_empty());
    let number = number
        .ok_or_else(|| usage_error(format!("{word}: write BOT or BOT@VERSION, such as hydra@7")))?;
    Ok((name, Some(number)))
}

/// The arena that `--on` names, which has to be that of the login.
pub fn named_client(lang: Localizer, arena: &str) -> Result<ArenaClient> {
    let login = SavedLogin::current_login(lang)?;
    if normalize_address(arena)? != login.server {
        return Err(usage_error(format!(
            "--on {arena}: you are logged in at {}; run `leitai login {arena}`",
            login.server
        )));
    }
    Ok(ArenaClient::from_login(lang, &login))
}

/// `leitai compare GAME BOT@7 BOT@5 --on https://arena…`: the arena plays, and its result is shown here.
pub fn compare_in_arena(lang: Localizer, args: &CompareArgs, arena: &str) -> Result<ExitCode> {
    let series = &args.played.series;
    let given = given_options(lang);
    // Elo is about legs in an arena.
    let unit = (args.elo == EloArg::Leg).then_some("elo-per");
    let taken: Vec<&str> = OF_COMPARE.into_iter().chain(unit).collect();
    refuse_untaken(lang, &given, &taken)?;
    if given.iter().any(|name| name == "max") && args.max > u64::from(MOST_PAIRS) {
        return Err(usage_error(lang.fill(
            "--max {}: an experiment in an arena has at most {} pairs; ask for as many or fewer",
            &[&args.max, &MOST_PAIRS],
        )));
    }
    let config = match &series.options.config[..] {
        [] => Value::Null,
        words => Value::Object(arguments::parse_choices(words)?),
    };
    let api = named_client(lang, arena)?;
    let ((new, version), (base, against_version)) =
        (split_version(&args.new)?, split_version(&args.base)?);
    let game = Some(args.game.clone());
    let against = (base != new).then(|| base.to_owned());
    let start = ExperimentStartArgs {
        settings: None,
        against_settings: None,
        bot: new.to_owned(),
        game,
        version,
        against,
        against_version,
        elo0: args.elo0,
        elo1: args.elo1,
        alpha: args.alpha,
        beta: args.beta,
        pairs: u32::try_from(args.max).unwrap_or(u32::MAX).min(MOST_PAIRS),
        seed: series.options.seed,
        promote: false,
        variants: Vec::new(),
        pool: Vec::new(),
        neighbours: 0,
        book: series.book.clone(),
        watch: true,
        json: args.played.json,
    };
    self::start(lang, &api, &start, &config)
}
