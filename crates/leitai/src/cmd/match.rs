//! `leitai match GAME A B`

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use leitai_game::{AnySetup, ByEntrant, Entrant, GameHandle, Replay};
use leitai_judge::{
    MatchSpec, NoHumans, PlayedMatch, ResumePoint, TimeBank, TrafficLog, play_match,
};
use leitai_series::EntrantRequest;
use leitai_series::entrant::{self, EntrantSpec, ReadyEntrants};

use crate::cli::{MatchArgs, MatchOptionArgs, ReplayPointArg};
use crate::plan::MatchPlan;
use crate::prelude::*;
use crate::progress::ProgressLine;
use crate::rerun_command::RerunCommand;
use crate::series::{INTERRUPTED, print_build_notice};
use crate::{arguments, files, outcome, stop, watch};

/// The default file of a replay.
const UNNAMED: &str = "matches/replay.json";

/// Plays a match and prints its result, once or after each save.
pub fn run(lang: Localizer, args: &MatchArgs) -> Result<ExitCode> {
    let (words, config) = ([&args.a[..], &args.b], &args.options.config);
    match args.watch {
        true => watch::at_each_save(lang, &args.game, &words, config, || play(lang, args)),
        false => play(lang, args),
    }
}

fn play(lang: Localizer, args: &MatchArgs) -> Result<ExitCode> {
    let stop = stop::on_interrupt()?;
    let game = arguments::find_game(&args.game)?;
    let to_stdout = args.replay.as_deref().is_some_and(files::is_stdout);
    if to_stdout && args.json {
        return Err(arguments::usage_error(lang.label(
            "--json and --replay - both want stdout; give the replay a file",
        )));
    }
    let read = |word: &str| EntrantRequest::parse(&*game, word).map(EntrantSpec::Bot);
    let entrants = [read(&args.a)?, read(&args.b)?];
    if !args.no_replay {
        files::check_writable(args.replay.as_deref().unwrap_or(Path::new(UNNAMED)))
            .context(lang.label("nothing was played"))?;
    }
    let (mut spec, _entrants) =
        make_match(lang, &game, &entrants, &args.options, args.from.as_ref())?;
    spec.traffic = match &args.log_traffic {
        Some(path) => Some(TrafficLog::new(files::create_log(path)?)),
        None => None,
    };
    match args.matches {
        1 => Ok(exit_code(&play_one(lang, args, &spec, stop)?)),
        _ => play_several(lang, args, spec, stop),
    }
}

/// Plays matches one after the other, with what the programs keep.
fn play_several(
    lang: Localizer,
    args: &MatchArgs,
    mut spec: MatchSpec,
    stop: &AtomicBool,
) -> Result<ExitCode> {
    let mut sum = Sum::default();
    for _ in 0..args.matches {
        spec.setup = spec.game.deal_setup(&spec.config, spec.seed)?;
        let played = play_one(lang, args, &spec, stop)?;
        let Some(verdict) = &played.verdict else {
            return Ok(exit_code(&played));
        };
        sum.add(verdict.winner);
        spec.seed = spec.seed.wrapping_add(1);
        spec.kept = played.kept;
    }
    print_answer(args.json, &sum.to_json(args.options.keep), || {
        format!("\n{}\n", sum.to_text(lang, &spec, args.options.keep))
    })
}

/// The results of several matches.
#[derive(Default)]
struct Sum {
    won: ByEntrant<u32>,
    drawn: u32,
}

impl Sum {
    fn add(&mut self, winner: Option<Entrant>) {
        match winner {
            Some(winner) => self.won[winner] += 1,
            None => self.drawn += 1,
        }
    }

    fn to_json(&self, keeps: bool) -> Value {
        let won = Entrant::BOTH.map(|entrant| self.won[entrant]);
        json!({
            "format": "leitai-matches/1", "matches": won[0] + won[1] + self.drawn, "won": won,
            "drawn": self.drawn, "independent": !keeps,
        })
    }

    fn to_text(&self, lang: Localizer, spec: &MatchSpec, keeps: bool) -> String {
        let [a, b] = Entrant::BOTH.map(|entrant| &spec.players[entrant].name);
        let [won, lost] = Entrant::BOTH.map(|entrant| self.won[entrant]);
        let all = won + lost + self.drawn;
        let line = lang.fill(
            "of {} matches {} won {}, {} won {}, {} were drawn",
            &[&all, &a, &won, &b, &lost, &self.drawn],
        );
        let note = lang.label(
            "no interval: programs that remember earlier games play games that are not independent",
        );
        match keeps {
            true => format!("{line}\n{note}"),
            false => line,
        }
    }
}

/// Plays a match, prints its result and writes its replay.
fn play_one(
    lang: Localizer,
    args: &MatchArgs,
    spec: &MatchSpec,
    stop: &AtomicBool,
) -> Result<PlayedMatch> {
    let to_stdout = args.replay.as_deref().is_some_and(files::is_stdout);
    let names = spec
        .players
        .each_ref()
        .map_values(|player| player.name.clone());
    let mut live = ProgressLine::new(lang, names, spec.legs, spec.setup.max_rounds(), args.json);
    let played = play_match(spec, &mut NoHumans, &mut live, stop)?;
    drop(live);
    let traffic_error = spec.traffic.as_ref().and_then(TrafficLog::take_error);
    let kept = match args.no_replay {
        true => Ok(None),
        false => keep_replay(spec, &played.replay, args.replay.as_ref()),
    };
    // The result is printed even if the replay cannot be written.
    let path = kept.as_ref().ok().and_then(Option::as_deref);
    let again = RerunCommand::new(args, spec.seed, path);
    match args.json {
        true => files::print_stdout(&format!(
            "{}\n",
            outcome::result_json(spec, &played, path, &again)
        ))?,
        false => print_result(
            &outcome::format_result(lang, spec, &played, path, Some(&again)),
            to_stdout,
        )?,
    }
    if let (Some(why), Some(path)) = (traffic_error, &args.log_traffic) {
        return Err(why).with_context(|| format!("cannot write {}", path.display()));
    }
    kept.map(|_| played)
}

/// Prints the result, on stderr if the replay goes to stdout.
pub fn print_result(result: &str, replay_to_stdout: bool) -> Result<()> {
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

/// The match of the given arguments, with built programs; from its start, or from a moment of a
/// replay.
pub fn make_match(
    lang: Localizer,
    game: &GameHandle,
    entrants: &[EntrantSpec; 2],
    args: &MatchOptionArgs,
    from: Option<&ReplayPointArg>,
) -> Result<(MatchSpec, ReadyEntrants)> {
    let deal = match from {
        Some(from) => MatchDeal::from_replay(game, args, from)?,
        None => MatchDeal::new(game, args)?,
    };
    deal.make_match(lang, entrants)
}

/// The match before its programs are built.
struct MatchDeal {
    plan: MatchPlan,
    seed: u64,
    setup: Arc<dyn AnySetup>,
    from: Option<ResumePoint>,
}

impl MatchDeal {
    /// The match of the given options.
    fn new(game: &GameHandle, args: &MatchOptionArgs) -> Result<MatchDeal> {
        let plan = MatchPlan::new(game, args)?;
        let seed = arguments::choose_seed(args.seed);
        let setup = game
            .deal_setup(&plan.options.config, seed)
            .map_err(|why| arguments::usage_error(why.to_string()))?;
        Ok(MatchDeal {
            plan,
            seed,
            setup,
            from: None,
        })
    }

    /// The match of a replay, including the time limit of a turn unless another is given.
    fn from_replay(
        game: &GameHandle,
        args: &MatchOptionArgs,
        from: &ReplayPointArg,
    ) -> Result<MatchDeal> {
        let file = || from.file.display().to_string();
        let text = arguments::read_named_file("--from", &from.file)?;
        let replay = Replay::parse(&text).with_context(file);
        let replay = replay.map_err(UsageError::wrap)?;
        let (setup, resume) = ResumePoint::new(&**game, &replay, from.moment)
            .with_context(file)
            .map_err(UsageError::wrap)?;
        if let (Some(asked), Some(seed)) = (args.seed, replay.seed)
            && asked != seed
        {
            return Err(arguments::usage_error(format!(
                "{} was played with seed {seed}, not {asked}; leave out --seed",
                file()
            )));
        }
        let mut plan = MatchPlan::new(game, args)?;
        let options = &mut plan.options;
        if let (None, None, Some(recorded)) = (args.limit, args.bank, &replay.limits) {
            options.limits.period = Duration::from_millis(recorded.period_ms.max(1));
            options.limits.bank = TimeBank::of_record(recorded);
        }
        options.config = replay.config;
        options.legs = resume.leg_index() + 1;
        Ok(MatchDeal {
            plan,
            seed: replay
                .seed
                .unwrap_or_else(|| arguments::choose_seed(args.seed)),
            setup,
            from: Some(resume),
        })
    }

    /// Builds the entrants.
    fn make_match(
        self,
        lang: Localizer,
        entrants: &[EntrantSpec; 2],
    ) -> Result<(MatchSpec, ReadyEntrants)> {
        let mut plan = self.plan;
        let bots: Vec<&EntrantRequest> = entrants.iter().filter_map(EntrantSpec::bot).collect();
        plan.open_sandbox(lang, &bots)?;
        let MatchPlan { game, options, .. } = plan;
        let ready = entrant::make_ready(&*game, entrants, &options, &mut |notice| {
            print_build_notice(lang, notice)
        })?;
        let players = ready.players.clone();
        let spec = MatchSpec {
            from: self.from,
            settings: ready.settings.clone(),
            ..options.make_match(&game, players, self.seed, self.setup)
        };
        Ok((spec, ready))
    }
}

/// Writes the replay to the given file, or under `matches/`; returns the file, if it is one.
pub fn keep_replay(
    spec: &MatchSpec,
    replay: &leitai_game::Replay,
    asked: Option<&PathBuf>,
) -> Result<Option<PathBuf>> {
    let path = match asked {
        Some(path) => path.clone(),
        None => {
            let today = spec.recorded.as_deref().unwrap_or_default();
            let date: String = today
                .chars()
                .take(10)
                .filter(char::is_ascii_digit)
                .collect();
            files::free_replay_path(&date, spec.game.meta().id, spec.seed)?
        }
    };
    files::write(&path, &replay.to_text())?;
    Ok(path
        .is_file()
        .then_some(path)
        .filter(|path| !files::is_stdout(path)))
}
