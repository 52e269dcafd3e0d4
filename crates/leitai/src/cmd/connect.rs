//! `leitai connect ARENA GAME BOT --against BOT`: a program plays in an arena and stays here.

use leitai_judge::PlayerKind;
use leitai_series::EntrantRequest;
use leitai_series::entrant::build_player;

use crate::arguments;
use crate::cli::ConnectArgs;
use crate::cmd::submit::number_in;
use crate::connect::line::{ArenaLine, SeatAddress};
use crate::connect::seat::{HomeProgram, Seat, SeatEnd};
use crate::files::print_stderr;
use crate::lang::language_key;
use crate::plan::MatchPlan;
use crate::prelude::*;
use crate::remote::account::{is_readable_underway, normalize_address};
use crate::series::print_build_notice;
use crate::stop;

/// Runs the command.
pub fn run(lang: Localizer, args: &ConnectArgs) -> Result<ExitCode> {
    let login = find_login(lang, args)?;
    let game = arguments::find_game(&args.game)?;
    let request = EntrantRequest::parse(&*game, &args.bot)?;
    let mut plan = MatchPlan::new(&game, &args.options)?;
    plan.open_sandbox(lang, &[&request])?;
    let api = ArenaClient::from_login(lang, &login);
    let opponent = api.find_bot(&args.against, &args.game)?;
    let (player, _folder) = build_player(&*game, &request, &plan.options, &mut |notice| {
        print_build_notice(lang, notice);
    })?;
    let (program, protocol, transport) = match player.kind {
        PlayerKind::Program {
            program,
            protocol,
            connect,
        } => (program, protocol, connect),
        PlayerKind::Broken(why) => bail!("{why}"),
        _ => {
            return Err(usage_error(
                lang.label("a built-in bot needs no home: name a program of yours"),
            ));
        }
    };
    let home = HomeProgram {
        program: request.settings.apply_to(&program, plan.options.resources),
        transport,
        sandbox: plan.options.sandbox.clone(),
        name: player.name,
    };
    let seed = arguments::choose_seed(args.options.seed);
    let stop = stop::on_interrupt()?;
    for index in 0..args.matches {
        let seat = if index % 2 == 0 { "a" } else { "b" };
        let seed = seed.wrapping_add(u64::from(index / 2)) & u64::from(u32::MAX);
        let wanted = json!({
            "game": args.game, "seat": seat, "opponent": {"bot": opponent}, "seed": seed,
            "program": {"name": home.name, "protocol": protocol},
            "config": plan.options.config, "legs": plan.options.legs,
        });
        let body = wanted.to_string();
        let seat = api.post_bytes("/api/human-matches", "application/json", body.as_bytes())?;
        let end = Seat::new(lang, &home, open_line(&login, &seat)?).play(stop)?;
        report(lang, &api, args.json, (&seat, seed), &end)?;
        if stop.load(std::sync::atomic::Ordering::Relaxed) {
            return Ok(ExitCode::from(crate::series::INTERRUPTED));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The account of `--token`, or of the login at this arena.
fn find_login(lang: Localizer, args: &ConnectArgs) -> Result<SavedLogin> {
    let server = normalize_address(&args.arena)?;
    if is_readable_underway(&server) {
        print_stderr(&lang.fill(
            "warning: {} is reached without https: whoever is on the way there reads password and token",
            &[&server],
        ));
    }
    if let Some(token) = &args.token {
        return Ok(SavedLogin {
            server,
            name: String::new(),
            token: token.clone(),
        });
    }
    let login = SavedLogin::current_login(lang)?;
    if login.server != server {
        return Err(usage_error(lang.fill(
            "you are logged in at {}; run `leitai login {}`, or give --token",
            &[&login.server, &server],
        )));
    }
    Ok(login)
}

fn open_line(login: &SavedLogin, seat: &Value) -> Result<ArenaLine> {
    let id = number_in(seat, "match")?;
    let token = seat["token"].as_str().unwrap_or_default().to_owned();
    // `http` becomes `ws`, and `https` becomes `wss`.
    let place = login.server.strip_prefix("http").unwrap_or(&login.server);
    ArenaLine::open(SeatAddress {
        url: format!("ws{place}/api/matches/{id}/play"),
        account_token: login.token.clone(),
        seat_token: token,
    })
}

fn report(
    lang: Localizer,
    api: &ArenaClient,
    as_json: bool,
    (seat, seed): (&Value, u64),
    end: &SeatEnd,
) -> Result<()> {
    let own = &end.summary;
    let millis = |us: u64| format!("{:.1} ms", us as f64 / 1000.0);
    if as_json {
        let latency = end.latency.map(|one| json!([one.least, one.most]));
        let line = json!({
            "match": own, "seat": seat["seat"], "seed": seed, "latency_us": latency,
            "cuts": end.cuts,
        });
        return print_stdout(&format!("{line}\n"));
    }
    let name = |side: &str| clean_line(own[side]["name"].as_str().unwrap_or("?")).into_owned();
    let result = match own["winner"].as_str() {
        Some("draw") => lang.label("a draw").to_owned(),
        Some(side) => lang.fill("{} won", &[&name(side)]),
        None => lang.label("no result").to_owned(),
    };
    let why = own["reason"][language_key(lang)].as_str();
    let why = clean_line(why.unwrap_or_default()).into_owned();
    let page = api.page_url(&format!("/matches/{}", seat["match"]));
    let latency = end.latency.map_or("?".to_owned(), |one| {
        format!("{} – {}", millis(one.least), millis(one.most))
    });
    let (a, b) = (name("a"), name("b"));
    let head = lang.fill("{} : {}: {} ({})", &[&a, &b, &result, &why]);
    let line = lang.fill(
        "latency {}, of which up to 1 s a question is not charged; cuts: {}; not rated",
        &[&latency, &end.cuts],
    );
    print_stdout(&format!("{head}\n  {line}\n  {page}\n"))
}
