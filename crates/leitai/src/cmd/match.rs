//! `leitai match GAME A B`

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::SystemTime;

use leitai_judge::{Connect, Limits, Match, Nobody, Played, play};
use leitai_sandbox::Sandbox;

use crate::cli::{ConnectArg, MatchArgs, TableArgs};
use crate::entrant::{self, Entrants, Who};
use crate::progress::Live;
use crate::{ask, files, isolation, outcome, stop};

/// Exit status of an interrupted match, as shells give it for Ctrl-C.
const INTERRUPTED: u8 = 130;

/// Plays a match and says how it ended.
pub fn run(args: &MatchArgs) -> anyhow::Result<ExitCode> {
    let stop = stop::on_interrupt()?;
    let (fixture, _entrants) = fixture(&args.game, [Who::Word(&args.a), Who::Word(&args.b)], &args.table)?;
    let names = fixture.players.each_ref().map(|player| player.name.clone());
    let mut live = Live::new(names, fixture.legs, fixture.setup.rounds(), args.json);
    let played = play(&fixture, &mut Nobody, &mut live, stop)?;
    drop(live);
    let path =
        if args.no_replay { None } else { Some(keep(&fixture, &played.replay, args.replay.as_ref())?) };
    let text = match args.json {
        true => format!("{}\n", outcome::json(&fixture, &played, path.as_deref())),
        false => format!("\n{}\n", outcome::result(&fixture, &played, path.as_deref())),
    };
    files::print(&text)?;
    Ok(exit_code(&played))
}

/// The exit status of a match.
pub fn exit_code(played: &Played) -> ExitCode {
    match (&played.verdict, &played.void) {
        (Some(_), _) => ExitCode::SUCCESS,
        (None, Some(_)) => ExitCode::FAILURE,
        (None, None) => ExitCode::from(INTERRUPTED),
    }
}

/// A match from the words of the command line, its programs built.
pub fn fixture(game: &str, who: [Who<'_>; 2], table: &TableArgs) -> anyhow::Result<(Match, Entrants)> {
    let game = ask::game(game)?;
    let config = ask::config(game, &table.config)?;
    let seed = ask::seed(table.seed);
    let setup = game.deal(&config, seed)?;
    let connect = match table.connect {
        ConnectArg::Stdio => Connect::Stdio,
        ConnectArg::Tcp => Connect::Tcp,
    };
    let say = &mut |line: &str| anstream::eprintln!("{line}");
    let sandbox = match who.iter().any(|who| who.is_program(game)) {
        true => isolation::open(table.isolation, say)?,
        false => Sandbox::none(),
    };
    let entrants = entrant::ready(game, who, connect, &sandbox, say)?;
    let meta = game.meta();
    let fixture = Match {
        game,
        config,
        seed,
        setup,
        legs: table.legs.map_or(meta.legs, usize::from),
        players: entrants.players.clone(),
        limits: Limits {
            start: table.start_limit,
            total: table.match_limit,
            pondering: table.pondering,
            ..Limits::new(table.limit.unwrap_or(meta.period_limit), meta.message_limit)
        },
        resources: leitai_sandbox::Limits {
            memory: Some(table.memory),
            processes: Some(table.processes),
            ..leitai_sandbox::Limits::BOT
        },
        sandbox,
        recorded: Some(humantime::format_rfc3339_seconds(SystemTime::now()).to_string()),
    };
    Ok((fixture, entrants))
}

/// Writes the replay where it was asked, or under `matches/`.
pub fn keep(
    fixture: &Match,
    replay: &leitai_game::Replay,
    asked: Option<&PathBuf>,
) -> anyhow::Result<PathBuf> {
    let path = match asked {
        Some(path) => path.clone(),
        None => {
            let today = fixture.recorded.as_deref().unwrap_or_default();
            let date: String = today.chars().take(10).filter(char::is_ascii_digit).collect();
            files::free_replay_path(&date, fixture.game.meta().id, fixture.seed)?
        }
    };
    files::write(&path, &replay.to_text())?;
    Ok(path)
}
