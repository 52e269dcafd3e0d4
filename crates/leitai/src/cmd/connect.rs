//! `leitai connect ARENA GAME BOT`: a program plays in an arena and stays here.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use leitai_judge::PlayerKind;
use leitai_series::EntrantRequest;
use leitai_series::entrant::build_player;

use crate::arguments;
use crate::cli::ConnectArgs;
use crate::cmd::submit::number_in;
use crate::connect::line::{ArenaLine, SeatAddress};
use crate::connect::offer::Offer;
use crate::connect::seat::{HomeProgram, Seat, SeatEnd};
use crate::files::print_stderr;
use crate::lang::{format_error, language_key};
use crate::plan::MatchPlan;
use crate::prelude::*;
use crate::remote::account::{is_readable_underway, normalize_address};
use crate::series::print_build_notice;
use crate::stop;

/// So many matches in a row may fail before an offered program is withdrawn.
const MOST_FAILED: u32 = 2;

/// Runs the command.
pub fn run(lang: Localizer, args: &ConnectArgs) -> Result<ExitCode> {
    let login = find_login(lang, args)?;
    let game = arguments::find_game(&args.game)?;
    let request = EntrantRequest::parse(&*game, &args.bot)?;
    let mut plan = MatchPlan::new(&game, &args.options)?;
    plan.open_sandbox(lang, &[&request])?;
    let api = Arc::new(ArenaClient::from_login(lang, &login));
    let opponent = match &args.against {
        Some(against) => Some(api.find_bot(against, &args.game)?),
        None => None,
    };
    refuse_choices_of_opponents(lang, args)?;
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
    let connection = Connection {
        lang,
        login: &login,
        api: &api,
        home: &home,
        as_json: args.json,
        stop: stop::on_interrupt()?,
    };
    match opponent {
        Some(opponent) => connection.play_against(opponent, &protocol, args, &plan),
        None => {
            let program = [game.meta().id, &home.name, &protocol];
            let offer = Offer::new(lang, api.clone(), program, args.rated);
            connection.wait_for_opponents(offer, args.matches)
        }
    }
}

/// Whoever comes chooses what is played.
fn refuse_choices_of_opponents(lang: Localizer, args: &ConnectArgs) -> Result<()> {
    let options = &args.options;
    let chooses = options.seed.is_some() || options.legs.is_some() || !options.config.is_empty();
    if args.against.is_none() && chooses {
        return Err(usage_error(lang.label(
            "whoever plays against an offered program chooses seed, legs and config; name a bot with --against, or leave them out",
        )));
    }
    Ok(())
}

/// A program and the arena in which it plays.
struct Connection<'a> {
    lang: Localizer,
    login: &'a SavedLogin,
    api: &'a Arc<ArenaClient>,
    home: &'a HomeProgram,
    as_json: bool,
    stop: &'static AtomicBool,
}

impl Connection<'_> {
    /// Plays matches against a bot of the arena.
    fn play_against(
        &self,
        opponent: u64,
        protocol: &str,
        args: &ConnectArgs,
        plan: &MatchPlan,
    ) -> Result<ExitCode> {
        let seed = arguments::choose_seed(args.options.seed);
        let game = id_at_arena(&args.game);
        for index in 0..args.matches.unwrap_or(1) {
            let seat = if index % 2 == 0 { "a" } else { "b" };
            let seed = seed.wrapping_add(u64::from(index / 2)) & u64::from(u32::MAX);
            let wanted = json!({
                "game": game, "seat": seat, "opponent": {"bot": opponent}, "seed": seed,
                "program": {"name": self.home.name, "protocol": protocol},
                "config": plan.options.config, "legs": plan.options.legs,
            });
            let seat = self.api.post_json("/api/human-matches", &wanted)?;
            self.play_seat(&seat, Some(seed))?;
            if self.is_interrupted() {
                return Ok(ExitCode::from(crate::series::INTERRUPTED));
            }
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Plays against whoever comes, so many matches, or until an interruption.
    fn wait_for_opponents(&self, mut offer: Offer, matches: Option<u16>) -> Result<ExitCode> {
        let (mut played, mut failed) = (0, 0);
        while matches.is_none_or(|most| played < most) {
            let Some(call) = offer.wait(self.stop)? else {
                return Ok(ExitCode::from(crate::series::INTERRUPTED));
            };
            self.say_who_comes(&call.seat);
            match self.play_seat(&call.seat, None) {
                Ok(is_played) => (played, failed) = (played + u16::from(is_played), 0),
                // Somebody went away, or the arena ended the match; the next one may come.
                Err(error) if failed < MOST_FAILED && !self.is_interrupted() => {
                    failed += 1;
                    print_stderr(&format_error(self.lang, &error));
                }
                Err(error) => {
                    offer.withdraw();
                    return Err(error);
                }
            }
            if self.is_interrupted() {
                offer.withdraw();
                return Ok(ExitCode::from(crate::series::INTERRUPTED));
            }
        }
        offer.withdraw();
        Ok(ExitCode::SUCCESS)
    }

    fn is_interrupted(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Says against whom the program plays.
    fn say_who_comes(&self, seat: &Value) {
        let id = &seat["match"];
        let own = self.api.get(&format!("/api/matches/{id}"));
        let own = own.unwrap_or_default();
        let other = if seat["seat"] == "a" { "b" } else { "a" };
        let name = clean_line(own[other]["name"].as_str().unwrap_or("?")).into_owned();
        let page = self.api.page_url(&format!("/matches/{id}"));
        let text = self.lang.fill("{} has come: {}", &[&name, &page]);
        print_stderr(&text);
    }

    /// Plays a match to its end; says whether it has a result.
    fn play_seat(&self, seat: &Value, seed: Option<u64>) -> Result<bool> {
        let line = open_line(self.login, seat)?;
        let end = Seat::new(self.lang, self.home, line).play(self.stop)?;
        report(self.lang, self.api, self.as_json, (seat, seed), &end)?;
        Ok(end.summary["state"] == "finished")
    }
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
    (seat, seed): (&Value, Option<u64>),
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
        "latency {}, of which up to 1 s a question is not charged; cuts: {}",
        &[&latency, &end.cuts],
    );
    print_stdout(&format!("{head}\n  {line}\n  {page}\n"))
}
