//! `leitai match GAME A B`

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use anyhow::{Context, bail};
use leitai_game::{AnyGame, AnySetup, Replay};
use leitai_judge::{Connect, Limits, Manners, Match, Nobody, Played, Resume, play};
use leitai_sandbox::Sandbox;
use serde_json::Value;

use crate::again::Again;
use crate::cli::{ConnectArg, InReplay, MatchArgs, TableArgs};
use crate::entrant::{self, Entrants, Means, Who};
use crate::lang::t;
use crate::progress::Live;
use crate::{ask, files, isolation, outcome, stop};

/// A file where replays are kept that nobody named.
const UNNAMED: &str = "matches/replay.json";
/// Exit status of an interrupted match, as shells give it for Ctrl-C.
pub const INTERRUPTED: u8 = 130;

/// Plays a match and says how it ended.
pub fn run(args: &MatchArgs) -> anyhow::Result<ExitCode> {
    let stop = stop::on_interrupt()?;
    let game = ask::game(&args.game)?;
    let to_stdout = args.replay.as_deref().is_some_and(files::is_stdout);
    if to_stdout && args.json {
        return Err(ask::misused(t(
            "--json and --replay - both want stdout; give the replay a file",
            "--json 与 --replay - 都要写到标准输出；请为回放指定文件",
        )));
    }
    let deal = match &args.from {
        Some(from) => Deal::from(game, &args.table, from)?,
        None => Deal::new(game, &args.table)?,
    };
    let who = [Who::Word(&args.a), Who::Word(&args.b)];
    if !args.no_replay {
        files::check_writable(args.replay.as_deref().unwrap_or(Path::new(UNNAMED)))
            .context(t("nothing was played", "尚未开始比赛"))?;
    }
    let (fixture, _entrants) = seated(game, who, &args.table, deal)?;
    let names = fixture.players.each_ref().map(|player| player.name.clone());
    let mut live = Live::new(names, fixture.legs, fixture.setup.rounds(), args.json);
    let played = play(&fixture, &mut Nobody, &mut live, stop)?;
    drop(live);
    let kept = match args.no_replay {
        true => Ok(None),
        false => keep(&fixture, &played.replay, args.replay.as_ref()),
    };
    // The result of a match is worth more than its replay: it is told in any case.
    let path = kept.as_ref().ok().and_then(Option::as_deref);
    let again = Again::new(args, fixture.seed, path);
    match args.json {
        true => files::print(&format!("{}\n", outcome::json(&fixture, &played, path, &again)))?,
        false => tell(&outcome::result(&fixture, &played, path, Some(&again)), to_stdout)?,
    }
    kept.map(|_| exit_code(&played))
}

/// Tells people how it ended: on stderr where the replay goes to stdout.
pub fn tell(result: &str, replay_to_stdout: bool) -> anyhow::Result<()> {
    match replay_to_stdout {
        true => files::say(&format!("\n{result}")),
        false => files::print(&format!("\n{result}\n"))?,
    }
    Ok(())
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
    seated(game, who, table, Deal::new(game, table)?)
}

/// What is played, before anybody sits down.
struct Deal {
    config: Value,
    seed: u64,
    setup: Arc<dyn AnySetup>,
    legs: usize,
    period: Duration,
    from: Option<Resume>,
}

impl Deal {
    /// As asked.
    fn new(game: &dyn AnyGame, table: &TableArgs) -> anyhow::Result<Deal> {
        let config = ask::config(game, &table.config)?;
        let seed = ask::seed(table.seed);
        let meta = game.meta();
        Ok(Deal {
            setup: game.deal(&config, seed).map_err(|why| ask::misused(why.to_string()))?,
            config,
            seed,
            legs: table.legs.map_or(meta.legs, usize::from),
            period: table.limit.unwrap_or(meta.period_limit),
            from: None,
        })
    }

    /// As a replay has it; the time for a turn, too, unless another is asked for.
    fn from(game: &dyn AnyGame, table: &TableArgs, from: &InReplay) -> anyhow::Result<Deal> {
        let file = || from.file.display().to_string();
        let replay = Replay::parse(&files::read(&from.file)?).with_context(file)?;
        let (setup, resume) = Resume::new(game, &replay, from.moment).with_context(file)?;
        if let (Some(asked), Some(seed)) = (table.seed, replay.seed)
            && asked != seed
        {
            bail!("{} was played with seed {seed}, not {asked}; leave --seed away", file());
        }
        let recorded = replay.limits.as_ref().map(|limits| Duration::from_millis(limits.period_ms.max(1)));
        Ok(Deal {
            config: replay.config,
            seed: replay.seed.unwrap_or_else(|| ask::seed(table.seed)),
            setup,
            legs: resume.leg() + 1,
            period: table.limit.or(recorded).unwrap_or(game.meta().period_limit),
            from: Some(resume),
        })
    }
}

fn seated(
    game: &'static dyn AnyGame,
    who: [Who<'_>; 2],
    table: &TableArgs,
    deal: Deal,
) -> anyhow::Result<(Match, Entrants)> {
    let connect = match table.connect {
        ConnectArg::Stdio => Connect::Stdio,
        ConnectArg::Tcp => Connect::Tcp,
    };
    let say = &mut files::say;
    let sandbox = match who.iter().any(|who| who.is_program(game)) {
        true => isolation::open(table.isolation, say)?,
        false => Sandbox::none(),
    };
    let means = Means {
        config: &deal.config,
        connect,
        sandbox: &sandbox,
        build_limit: table.build_limit,
        names_protocol: true,
    };
    let entrants = entrant::ready(game, who, means, say)?;
    let Deal { config, seed, setup, legs, period, from } = deal;
    let fixture = Match {
        game,
        config,
        seed,
        setup,
        legs,
        players: entrants.players.clone(),
        limits: limits(game, table, Some(period)),
        resources: resources(table),
        sandbox,
        recorded: Some(humantime::format_rfc3339_seconds(SystemTime::now()).to_string()),
        from,
        manners: Manners::Usual,
    };
    Ok((fixture, entrants))
}

/// What programs may use, where the referee looks.
pub fn limits(game: &dyn AnyGame, table: &TableArgs, period: Option<Duration>) -> Limits {
    let meta = game.meta();
    Limits {
        start: table.start_limit,
        total: table.match_limit,
        pondering: table.pondering,
        log: usize::try_from(table.log).unwrap_or(usize::MAX),
        ..Limits::new(period.unwrap_or(meta.period_limit), message(table).unwrap_or(meta.message_limit))
    }
}

fn message(table: &TableArgs) -> Option<usize> {
    usize::try_from(table.message?).ok()
}

/// What else programs may use.
pub fn resources(table: &TableArgs) -> leitai_sandbox::Limits {
    leitai_sandbox::Limits {
        memory: Some(table.memory),
        processes: Some(table.processes),
        open_files: Some(table.open_files),
        file: Some(table.file_size),
        disk: Some(table.disk),
        ..leitai_sandbox::Limits::BOT
    }
}

/// Writes the replay where it was asked, or under `matches/`; gives the file, if it is one.
pub fn keep(
    fixture: &Match,
    replay: &leitai_game::Replay,
    asked: Option<&PathBuf>,
) -> anyhow::Result<Option<PathBuf>> {
    let path = match asked {
        Some(path) => path.clone(),
        None => {
            let today = fixture.recorded.as_deref().unwrap_or_default();
            let date: String = today.chars().take(10).filter(char::is_ascii_digit).collect();
            files::free_replay_path(&date, fixture.game.meta().id, fixture.seed)?
        }
    };
    files::write(&path, &replay.to_text())?;
    Ok(path.is_file().then_some(path).filter(|path| !files::is_stdout(path)))
}
