//! `leitai match GAME A B`

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use anyhow::{Context, bail};
use leitai_game::{AnyGame, AnySetup, Replay};
use leitai_judge::{
    IoPattern, MatchSpec, NoHumans, PlayedMatch, RefereeLimits, ResumePoint, Transport, play_match,
};
use leitai_sandbox::Sandbox;
use serde_json::Value;

use crate::cli::{ConnectArg, MatchArgs, MatchOptionArgs, ReplayPointArg};
use crate::entrant::{self, BuildMeans, EntrantSpec, ReadyEntrants};
use crate::lang::translate;
use crate::progress::ProgressLine;
use crate::rerun_command::RerunCommand;
use crate::{arguments, files, isolation, outcome, stop};

/// A file where replays are kept that nobody named.
const UNNAMED: &str = "matches/replay.json";
/// Exit status of an interrupted match, as shells give it for Ctrl-C.
pub const INTERRUPTED: u8 = 130;

/// Plays a match and says how it ended.
pub fn run(args: &MatchArgs) -> anyhow::Result<ExitCode> {
    let stop = stop::on_interrupt()?;
    let game = arguments::find_game(&args.game)?;
    let to_stdout = args.replay.as_deref().is_some_and(files::is_stdout);
    if to_stdout && args.json {
        return Err(arguments::usage_error(translate(
            "--json and --replay - both want stdout; give the replay a file",
            "--json 与 --replay - 都要写到标准输出；请为回放指定文件",
        )));
    }
    let deal = match &args.from {
        Some(from) => MatchDeal::from(game, &args.table, from)?,
        None => MatchDeal::new(game, &args.table)?,
    };
    let who = [EntrantSpec::Word(&args.a), EntrantSpec::Word(&args.b)];
    if !args.no_replay {
        files::check_writable(args.replay.as_deref().unwrap_or(Path::new(UNNAMED)))
            .context(translate("nothing was played", "尚未开始比赛"))?;
    }
    let (fixture, _entrants) = seat_entrants(game, who, &args.table, deal)?;
    let names = fixture
        .players
        .each_ref()
        .map_values(|player| player.name.clone());
    let mut live = ProgressLine::new(
        crate::lang::localizer(),
        names,
        fixture.legs,
        fixture.setup.max_rounds(),
        args.json,
    );
    let played = play_match(&fixture, &mut NoHumans, &mut live, stop)?;
    drop(live);
    let kept = match args.no_replay {
        true => Ok(None),
        false => keep_replay(&fixture, &played.replay, args.replay.as_ref()),
    };
    // The result of a match is worth more than its replay: it is told in any case.
    let path = kept.as_ref().ok().and_then(Option::as_deref);
    let again = RerunCommand::new(args, fixture.seed, path);
    match args.json {
        true => files::print_stdout(&format!(
            "{}\n",
            outcome::result_json(&fixture, &played, path, &again)
        ))?,
        false => print_result(
            &outcome::format_result(&fixture, &played, path, Some(&again)),
            to_stdout,
        )?,
    }
    kept.map(|_| exit_code(&played))
}

/// Tells people how it ended: on stderr where the replay goes to stdout.
pub fn print_result(result: &str, replay_to_stdout: bool) -> anyhow::Result<()> {
    match replay_to_stdout {
        true => files::print_stderr(&format!("\n{result}")),
        false => files::print_stdout(&format!("\n{result}\n"))?,
    }
    Ok(())
}

/// The exit status of a match.
pub fn exit_code(played: &PlayedMatch) -> ExitCode {
    match (&played.verdict, &played.void) {
        (Some(_), _) => ExitCode::SUCCESS,
        (None, Some(_)) => ExitCode::FAILURE,
        (None, None) => ExitCode::from(INTERRUPTED),
    }
}

/// A match from the words of the command line, its programs built.
pub fn make_match(
    game: &str,
    who: [EntrantSpec<'_>; 2],
    table: &MatchOptionArgs,
) -> anyhow::Result<(MatchSpec, ReadyEntrants)> {
    let game = arguments::find_game(game)?;
    seat_entrants(game, who, table, MatchDeal::new(game, table)?)
}

/// What is played, before anybody sits down.
struct MatchDeal {
    config: Value,
    seed: u64,
    setup: Arc<dyn AnySetup>,
    legs: usize,
    period: Duration,
    from: Option<ResumePoint>,
}

impl MatchDeal {
    /// As asked.
    fn new(game: &dyn AnyGame, table: &MatchOptionArgs) -> anyhow::Result<MatchDeal> {
        let config = arguments::read_config(game, &table.config)?;
        let seed = arguments::choose_seed(table.seed);
        let meta = game.meta();
        Ok(MatchDeal {
            setup: game
                .deal_setup(&config, seed)
                .map_err(|why| arguments::usage_error(why.to_string()))?,
            config,
            seed,
            legs: table.legs.map_or(meta.legs, usize::from),
            period: table.limit.unwrap_or(meta.period_limit),
            from: None,
        })
    }

    /// As a replay has it; the time for a turn, too, unless another is asked for.
    fn from(
        game: &dyn AnyGame,
        table: &MatchOptionArgs,
        from: &ReplayPointArg,
    ) -> anyhow::Result<MatchDeal> {
        let file = || from.file.display().to_string();
        let replay = Replay::parse(&files::read(&from.file)?).with_context(file)?;
        let (setup, resume) = ResumePoint::new(game, &replay, from.moment).with_context(file)?;
        if let (Some(asked), Some(seed)) = (table.seed, replay.seed)
            && asked != seed
        {
            bail!(
                "{} was played with seed {seed}, not {asked}; leave --seed away",
                file()
            );
        }
        let recorded = replay
            .limits
            .as_ref()
            .map(|limits| Duration::from_millis(limits.period_ms.max(1)));
        Ok(MatchDeal {
            config: replay.config,
            seed: replay
                .seed
                .unwrap_or_else(|| arguments::choose_seed(table.seed)),
            setup,
            legs: resume.leg_index() + 1,
            period: table.limit.or(recorded).unwrap_or(game.meta().period_limit),
            from: Some(resume),
        })
    }
}

fn seat_entrants(
    game: &'static dyn AnyGame,
    who: [EntrantSpec<'_>; 2],
    table: &MatchOptionArgs,
    deal: MatchDeal,
) -> anyhow::Result<(MatchSpec, ReadyEntrants)> {
    let connect = match table.connect {
        ConnectArg::Stdio => Transport::Stdio,
        ConnectArg::Tcp => Transport::Tcp,
    };
    let say = &mut files::print_stderr;
    let sandbox = match who.iter().any(|who| who.is_program(game)) {
        true => isolation::open_sandbox(crate::lang::localizer(), table.isolation, say)?,
        false => Sandbox::without_isolation(),
    };
    let means = BuildMeans {
        config: &deal.config,
        connect,
        sandbox: &sandbox,
        build_limit: table.build_limit,
    };
    let entrants = entrant::make_ready(game, who, means, say)?;
    let MatchDeal {
        config,
        seed,
        setup,
        legs,
        period,
        from,
    } = deal;
    let fixture = MatchSpec {
        game,
        config,
        seed,
        setup,
        legs,
        players: entrants.players.clone(),
        limits: referee_limits(game, table, Some(period)),
        resources: sandbox_limits(table),
        sandbox,
        recorded: Some(humantime::format_rfc3339_seconds(SystemTime::now()).to_string()),
        from,
        io_pattern: IoPattern::Usual,
    };
    Ok((fixture, entrants))
}

/// What programs may use, where the referee looks.
pub fn referee_limits(
    game: &dyn AnyGame,
    table: &MatchOptionArgs,
    period: Option<Duration>,
) -> RefereeLimits {
    let meta = game.meta();
    RefereeLimits {
        start: table.start_limit,
        total: table.match_limit,
        pondering: table.pondering,
        log: usize::try_from(table.log).unwrap_or(usize::MAX),
        ..RefereeLimits::new(
            period.unwrap_or(meta.period_limit),
            message_limit(table).unwrap_or(meta.message_limit),
        )
    }
}

fn message_limit(table: &MatchOptionArgs) -> Option<usize> {
    usize::try_from(table.message?).ok()
}

/// What else programs may use.
pub fn sandbox_limits(table: &MatchOptionArgs) -> leitai_sandbox::SandboxLimits {
    leitai_sandbox::SandboxLimits {
        memory: Some(table.memory),
        processes: Some(table.processes),
        open_files: Some(table.open_files),
        file: Some(table.file_size),
        disk: Some(table.disk),
        ..leitai_sandbox::SandboxLimits::BOT
    }
}

/// Writes the replay where it was asked, or under `matches/`; gives the file, if it is one.
pub fn keep_replay(
    fixture: &MatchSpec,
    replay: &leitai_game::Replay,
    asked: Option<&PathBuf>,
) -> anyhow::Result<Option<PathBuf>> {
    let path = match asked {
        Some(path) => path.clone(),
        None => {
            let today = fixture.recorded.as_deref().unwrap_or_default();
            let date: String = today
                .chars()
                .take(10)
                .filter(char::is_ascii_digit)
                .collect();
            files::free_replay_path(&date, fixture.game.meta().id, fixture.seed)?
        }
    };
    files::write(&path, &replay.to_text())?;
    Ok(path
        .is_file()
        .then_some(path)
        .filter(|path| !files::is_stdout(path)))
}
