//! `leitai tournament GAME ENTRANTS… | FILE.toml`

use std::cell::Cell;
use std::time::Instant;

use leitai_series::report::csv;
use leitai_series::tournament::plan::read_configs;
use leitai_series::tournament::{
    FormatKind, PlanFile, Tournament, TournamentPlan, TournamentReport, TournamentUpdate,
    build_format,
};
use serde_json::Map;

use crate::cli::{FormatArg, MatchOptionArgs, OutputArg, SeriesArgs, TournamentArgs, parse_limit};
use crate::plan::SeriesPlan;
use crate::prelude::*;
use crate::series::{
    INTERRUPTED, NO_NEW_GAMES, describe_time_left, format_game, print_notice, print_progress,
    progress_bar,
};
use crate::standings_table::format_standings;
use crate::width::wrap_sentence;
use crate::wording::with_note;
use crate::{arguments, files, stop};

/// The exit status of a finished tournament with void matches.
const VOID: u8 = 4;

/// Plays or resumes a tournament, and prints the standings.
pub fn run(lang: Localizer, args: TournamentArgs) -> Result<ExitCode> {
    let (output, unit) = (args.output, args.elo.into());
    let stop = stop::on_interrupt()?;
    let TournamentRequest {
        plan,
        series,
        configs,
    } = TournamentRequest::new(lang, args)?;
    let Some(mut ready) = series.prepare(lang, stop)? else {
        return Ok(ExitCode::from(INTERRUPTED));
    };
    if !configs.is_empty() {
        ready.roster.configs = configs;
    }
    let roster = &ready.roster;
    let names = roster.entrant_names();
    let quiet = output != OutputArg::Table;
    let bar = progress_bar(quiet);
    let (begun, begun_with) = (Instant::now(), Cell::new(0));
    let listener = |update: &TournamentUpdate<'_>| {
        let [finished, all] = update.finished;
        bar.set_length(all as u64);
        bar.set_position(finished as u64);
        let line = format_game(&names, update.game);
        print_progress(&bar, quiet, finished as u64, || {
            let left = describe_time_left(lang, &bar, begun_with.get());
            format!("{finished}/{all}  {line}{left}")
        });
        bar.set_message(line);
    };
    let mut tournament = Tournament::open_tournament(&plan, roster, listener)?;
    let [before, _] = tournament.count_finished();
    begun_with.set(before as u64);
    if before > 0 && !quiet {
        print_resumed(lang, &plan.folder, before);
    }
    let ended = ready.play(lang, &mut tournament, stop)?;
    bar.finish_and_clear();
    let report = TournamentReport::new(&tournament, unit);
    report.write_reports(lang)?;
    let [finished, _] = report.finished;
    let pace = (finished - before) as f64 / begun.elapsed().as_secs_f64().max(1e-9);
    let next = next_steps(lang, &report, &plan.folder, ended, pace);
    files::print_stdout(&format_report(lang, &report, output, &next))?;
    Ok(match (ended, report.voids.is_empty()) {
        (true, _) if report.has_no_new_games => ExitCode::from(NO_NEW_GAMES),
        (true, true) => ExitCode::SUCCESS,
        (true, false) => ExitCode::from(VOID),
        (false, _) => ExitCode::from(INTERRUPTED),
    })
}

/// The report in the asked form; `next` is what to do then.
fn format_report(
    lang: Localizer,
    report: &TournamentReport<'_>,
    output: OutputArg,
    next: &str,
) -> String {
    match output {
        OutputArg::Json => format!("{}\n", report.to_json()),
        OutputArg::Csv => csv::standings_csv(&report.standings),
        OutputArg::Table => {
            let copies: String = (report.copies_text(lang).lines())
                .map(|line| wrap_sentence(line, 0) + "\n")
                .collect();
            let standings = format_standings(lang, &report.standings);
            let void = report.void_text(lang);
            format!("{standings}\n{copies}{void}{next}")
        }
    }
}

fn print_resumed(lang: Localizer, folder: &Path, finished: usize) {
    let (words, colon) = (lang.label("continues; matches found"), lang.label(": "));
    let folder = folder.display();
    print_notice(&format!("{folder}{colon}{words}{colon}{finished}"));
}

fn next_steps(
    lang: Localizer,
    report: &TournamentReport<'_>,
    folder: &Path,
    ended: bool,
    pace: f64,
) -> String {
    let folder = folder.display();
    let [finished, _] = report.finished;
    let state = match ended {
        true => lang.fill_count("{} match", "{} matches", finished),
        false => lang.fill_count(
            "{} match so far; run the same command to continue",
            "{} matches so far; run the same command to continue",
            finished,
        ),
    };
    let (report, replays) = (lang.label("report"), lang.label("replays"));
    let state = with_note(lang, &state, &format!("{pace:.1}/s"));
    let colon = lang.label(": ");
    format!("{state}\n{report}{colon}{folder}/report.html   {replays}{colon}{folder}/replays/\n")
}

/// The plan, from the command line and the plan's file.
struct TournamentRequest {
    plan: TournamentPlan,
    series: SeriesPlan,
    /// The configs that matches use in turn; empty for that of the options.
    configs: Vec<Value>,
}

impl TournamentRequest {
    /// Options of the command line have priority over the file.
    fn new(lang: Localizer, args: TournamentArgs) -> Result<TournamentRequest> {
        let (path, named, words) = split_words(&args);
        let file = path
            .as_deref()
            .map_or_else(|| Ok(PlanFile::default()), PlanFile::read)?;
        let game_id = named.map(str::to_owned).or(file.game.clone());
        let game_id = game_id.ok_or_else(|| no_game(lang))?;
        let game = arguments::find_game(&game_id)?;
        let mut entrants = arguments::read_entrants(&*game, words)?;
        entrants.extend(file.entrants(&*game)?);
        let players = entrants.len();
        if players < 2 {
            return Err(usage_error(format!(
                "a tournament has two or more entrants, not {players}"
            )));
        }
        let kind = args.format.map(FormatKind::from).or(file.format);
        let plan = TournamentPlan {
            format: build_format(
                kind.unwrap_or(FormatKind::RoundRobin),
                args.rounds.or(file.rounds),
                args.heads.or(file.heads),
                players,
            )?,
            matches: args.matches.or(file.matches).unwrap_or(1),
            seeds: (file.seeds.clone())
                .filter(|_| args.series.options.seed.is_none())
                .unwrap_or_default(),
            seed: args.series.options.seed.or(file.seed).unwrap_or(1),
            folder: tournament_folder(&args, &file, path.as_deref(), &game_id),
        };
        plan.check_size(players)?;
        let jobs = file.jobs.and_then(|jobs| u16::try_from(jobs).ok());
        let series = SeriesArgs {
            jobs: args.series.jobs.or(jobs),
            book: (args.series.book).or(file.book.as_ref().map(|path| file.resolve_path(path))),
            options: merge_options(args.series.options, &file)?,
            ..args.series
        };
        let own = arguments::parse_choices(&series.options.config)?;
        if series.book.is_some() && (file.configs.is_some() || file.maps.is_some()) {
            return Err(usage_error(
                "a book's positions bring their config along; leave out maps and configs",
            ));
        }
        Ok(TournamentRequest {
            configs: read_configs(&*game, &own, &file_configs(&file)?)?,
            series: SeriesPlan::of_matches(
                &game,
                entrants,
                &series,
                (&plan.folder, args.elo.into()),
            )?,
            plan,
        })
    }
}

fn no_game(lang: Localizer) -> anyhow::Error {
    usage_error(
        lang.label("which game? Add `game = \"…\"` to the file (`leitai games` lists them)"),
    )
}

/// The plan's file, the game and the entrants of the command line.
fn split_words(args: &TournamentArgs) -> (Option<PathBuf>, Option<&str>, &[String]) {
    match (&args.words[..], args.game.as_deref()) {
        ([only], game) if only.ends_with(".toml") => (Some(PathBuf::from(only)), game, &[]),
        (words, Some(game)) => (None, Some(game), words),
        ([game, words @ ..], None) => (None, Some(game), words),
        ([], None) => (None, None, &[]),
    }
}

fn tournament_folder(
    args: &TournamentArgs,
    file: &PlanFile,
    path: Option<&Path>,
    game: &str,
) -> PathBuf {
    let named = file.folder.as_ref().map(|folder| file.resolve_path(folder));
    args.folder.clone().or(named).unwrap_or_else(|| {
        let stem = path.and_then(Path::file_stem);
        Path::new("tournaments").join(stem.map_or_else(|| game.into(), PathBuf::from))
    })
}

/// The options of matches: those of the command line, then those of the file.
fn merge_options(mut options: MatchOptionArgs, file: &PlanFile) -> Result<MatchOptionArgs> {
    let read = |text: &Option<String>| {
        let time = text.as_deref().map(parse_limit).transpose();
        time.map_err(usage_error)
    };
    options.limit = options.limit.or(read(&file.limit)?);
    options.bank = options.bank.or(read(&file.bank)?);
    options.increment = options.increment.or(read(&file.increment)?);
    if options.bank.is_none() && options.increment.is_some() {
        return Err(usage_error(
            "an increment needs a time bank: give `bank`, too",
        ));
    }
    options.grace = options.grace.or(read(&file.grace)?);
    options.strikes = options.strikes.or(file.strikes);
    if options.grace.is_some() != options.strikes.is_some()
        || options
            .strikes
            .is_some_and(|strikes| !(1..=1000).contains(&strikes))
    {
        return Err(usage_error(
            "grace and strikes go together: a time such as \"200ms\", and a number from 1 to 1000",
        ));
    }
    options.keep |= file.keep;
    options.legs = options.legs.or(file.legs);
    options.config.splice(0..0, config_words(&file.config));
    Ok(options)
}

fn config_words(config: &Map<String, Value>) -> Vec<String> {
    let word = |(key, value): (&String, &Value)| match value {
        Value::String(text) => format!("{key}={text}"),
        value => format!("{key}={value}"),
    };
    config.iter().map(word).collect()
}

/// The configs of the file, and one for each map.
fn file_configs(file: &PlanFile) -> Result<Vec<Map<String, Value>>> {
    let mut configs = file.configs.clone().unwrap_or_default();
    for map in file.maps.iter().flatten() {
        let path = file.resolve_path(map);
        let word = if path.is_file() { &path } else { map };
        let choice = format!("map={}", word.display());
        configs.push(arguments::parse_choices(&[choice])?);
    }
    Ok(configs)
}

impl From<FormatArg> for FormatKind {
    fn from(format: FormatArg) -> FormatKind {
        match format {
            FormatArg::RoundRobin => FormatKind::RoundRobin,
            FormatArg::Gauntlet => FormatKind::Gauntlet,
            FormatArg::Swiss => FormatKind::Swiss,
            FormatArg::Single => FormatKind::Single,
            FormatArg::Double => FormatKind::Double,
        }
    }
}
