//! `leitai contest`

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use leitai_contest::date::format_date;
use leitai_contest::dry_run::{Advice, Assumptions, DryRun, dry_run};
use leitai_contest::file::{Contest, is_contest_id};
use leitai_contest::template::contest_file;
use leitai_game::lang::Lang;
use leitai_game::{AnyGame, GameHandle, ToMove};
use leitai_judge::{NoHumans, play_match};
use leitai_series::run::SeriesJob;
use leitai_series::{EntrantRequest, MatchOptions, Roster};
use rustix::time::{ClockId, clock_gettime};

use crate::arguments;
use crate::cli::{ContestCheckArgs, ContestCommand, ContestNewArgs};
use crate::cmd::contest_file::{check_packs, read_file};
use crate::cmd::{contest_arena, contest_organise};
use crate::files;
use crate::prelude::*;
use crate::wording::with_note;
use crate::{stop, width};

/// Runs a command about contests.
pub fn run(lang: Localizer, command: &ContestCommand) -> Result<ExitCode> {
    match command {
        ContestCommand::New(args) => write_new_file(lang, args),
        ContestCommand::Check(args) => check_file(lang, args),
        ContestCommand::Publish(args) => contest_arena::publish_file(lang, args),
        ContestCommand::Status(args) => contest_arena::show_status(lang, args),
        ContestCommand::Join(args) => contest_arena::join_contest(lang, args),
        ContestCommand::Update(args) => contest_organise::update_file(lang, args),
        ContestCommand::Pause(args) => contest_organise::set_paused(lang, args, true),
        ContestCommand::Resume(args) => contest_organise::set_paused(lang, args, false),
        ContestCommand::Disqualify(args) => contest_organise::disqualify_bot(lang, args),
        ContestCommand::Replay(args) => contest_organise::replay_match(lang, args),
        ContestCommand::TakeBack(args) => contest_organise::take_back_stage(lang, args),
        ContestCommand::Annul(args) => contest_organise::annul_contest(lang, args),
        ContestCommand::Export(args) => contest_organise::export_contest(lang, args),
    }
}

fn write_new_file(lang: Localizer, args: &ContestNewArgs) -> Result<ExitCode> {
    let game = arguments::find_game(&args.game)?;
    if !is_contest_id(&args.name) {
        return Err(usage_error(format!(
            "{:?} cannot be a contest's name: write 2 to 40 lowercase letters, \
             digits and hyphens, such as spring-2027",
            args.name
        )));
    }
    let path = PathBuf::from(format!("{}.toml", args.name));
    ensure!(
        !path.exists(),
        "{} exists; choose another name",
        path.display()
    );
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.map_or(0, |now| now.as_secs().cast_signed());
    files::write(&path, &contest_file(&args.name, game.meta().id, now))?;
    let path = path.display().to_string();
    let text = format!(
        "{path}\n  {}  leitai contest check {path} --dry-run",
        lang.label("check it")
    );
    let fields = json!({"contest": args.name, "file": path});
    Answer::new("contest-new", fields, text).print(args.form.json)
}

fn check_file(lang: Localizer, args: &ContestCheckArgs) -> Result<ExitCode> {
    let Some((contest, text)) = read_file(lang, &args.file, args.json)? else {
        return Ok(ExitCode::FAILURE);
    };
    check_packs(&args.file, &contest, &text)?;
    let dry = match args.dry_run {
        true => Some(dry_run(&contest, &assume(args, &contest)?)),
        false => None,
    };
    let text = match (args.json, &dry) {
        (true, _) => {
            let all = json!({"problems": [], "contest": contest, "dry-run": dry});
            format!("{all}\n")
        }
        (false, None) => describe_contest(lang, &args.file, &contest),
        (false, Some(dry)) => describe_dry_run(lang, &contest, dry),
    };
    print_stdout(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// The title in the reader's language.
fn title(lang: Localizer, contest: &Contest) -> &str {
    contest.title.in_language(lang.lang())
}

fn describe_contest(lang: Localizer, path: &Path, contest: &Contest) -> String {
    let date = |second: i64| format_date(second, &contest.time_zone);
    let mut lines = vec![format!(
        "{}{}{}",
        path.display(),
        lang.label(": "),
        lang.label("the file is valid")
    )];
    lines.push(with_note(lang, &title(lang, contest), &contest.game));
    lines.push(format!(
        "  {}  {}",
        date(contest.opens),
        lang.label("submission opens")
    ));
    lines.push(format!(
        "  {}  {}",
        date(contest.freezes),
        lang.label("versions are frozen")
    ));
    for stage in &contest.stages {
        let name = stage.name.in_language(lang.lang());
        let starts = stage
            .starts
            .map_or_else(|| lang.label("after the stage before").to_owned(), date);
        lines.push(format!("  {starts}  {name}"));
    }
    lines.push(format!(
        "{}  leitai contest check {} --dry-run --entrants 16",
        lang.label("estimate it:"),
        path.display()
    ));
    lines.join("\n") + "\n"
}

/// What the dry run assumes: from the options, and measured.
fn assume(args: &ContestCheckArgs, contest: &Contest) -> Result<Assumptions> {
    let game = arguments::find_game(&contest.game)?;
    // Before a match is measured.
    let entrants = choose_entrants(args, contest)?;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let cpu = match args.match_time {
        Some(time) => time,
        None => measure_match(&game, contest)?,
    };
    Ok(Assumptions {
        entrants,
        workers: args.workers.map_or(cores, |workers| workers as usize),
        match_seconds: cpu.as_secs_f64(),
        match_cpu_seconds: cpu.as_secs_f64(),
        longest_match_seconds: longest_match(&*game, contest)?.max(cpu).as_secs_f64(),
        spread: f64::from(args.spread),
        seed: 1,
    })
}

/// The number of entrants that is asked for, if so many may enter.
fn choose_entrants(args: &ContestCheckArgs, contest: &Contest) -> Result<usize> {
    const USUAL: usize = 16;
    let most = contest.entry.most as usize;
    match args.entrants {
        None => Ok(USUAL.min(most)),
        Some(entrants) if (1..=most).contains(&entrants) => Ok(entrants),
        Some(entrants) => Err(usage_error(format!(
            "--entrants {entrants}: from 1 to {most} may enter; entry.most in the file says so"
        ))),
    }
}

/// The options of the contest's matches.
fn match_options(game: &dyn AnyGame, contest: &Contest) -> Result<MatchOptions> {
    let mut options = MatchOptions::new(game)?;
    let rules = &contest.matches;
    options.config = rules.configs[0].clone();
    options.legs = rules.legs.map_or(options.legs, usize::from);
    options.limits.period = rules.longest_turn().unwrap_or(options.limits.period);
    Ok(options)
}

/// The processor time of a match between the game's two strongest built-in bots. Its wall time would
/// be that of a busy machine.
fn measure_match(game: &GameHandle, contest: &Contest) -> Result<Duration> {
    let bots = game.list_bots();
    let strongest = bots
        .iter()
        .rev()
        .filter(|(name, _)| game.is_on_ladder(name))
        .take(2);
    let mut asked: Vec<EntrantRequest> = strongest
        .map(|(name, _)| EntrantRequest::from_word(name))
        .collect();
    // A game file may have one bot alone: it plays itself.
    if let [only] = &asked[..] {
        asked.push(only.clone());
    }
    let id = game.meta().id;
    ensure!(
        asked.len() == 2,
        "{id} has no built-in bot to measure; give --match-time"
    );
    let options = match_options(&**game, contest)?;
    let roster = Roster::build_entrants(game, &asked, &options, &mut |_| {})?;
    let job = SeriesJob {
        tag: (),
        pair: [0, 1],
        seed: 1,
        config: 0,
        legs: None,
        settings: None,
    };
    let cpu = || Duration::try_from(clock_gettime(ClockId::ProcessCPUTime)).unwrap_or_default();
    let before = cpu();
    let stop = stop::on_interrupt()?;
    play_match(&roster.make_match(&job)?, &mut NoHumans, &mut (), stop)?;
    Ok(cpu().saturating_sub(before))
}

/// The longest match: every period takes the whole limit.
fn longest_match(game: &dyn AnyGame, contest: &Contest) -> Result<Duration> {
    let options = match_options(game, contest)?;
    let setup = game.deal_setup(&options.config, 1)?;
    let seats = match setup.start_leg().to_move() {
        ToMove::Both => 1,
        _ => 2,
    };
    let seat = contest
        .matches
        .longest_leg(options.limits.period, setup.max_rounds());
    Ok(seat.saturating_mul(seats * options.legs as u32))
}

fn describe_dry_run(lang: Localizer, contest: &Contest, dry: &DryRun) -> String {
    let zone = &contest.time_zone;
    let mut table = width::table_with_heads(
        lang,
        [
            "stage",
            "entrants",
            "matches",
            "CPU hours",
            "begins",
            "ends",
            "ends at the latest",
        ],
    );
    for stage in &dry.stages {
        table.add_row([
            stage.name.in_language(lang.lang()),
            &stage.entrants.to_string(),
            &format_range(stage.matches),
            &format!("{:.2}", stage.cpu_hours),
            &format_date(stage.begins, zone),
            &format_date(stage.ends, zone),
            &format_date(stage.ends_at_the_latest, zone),
        ]);
    }
    let assumed = &dry.assumptions;
    let mut lines = vec![
        lang.fill(
            "{}: {} entrants, {} matches at a time, {} s a match (at most {} s)",
            &[
                &title(lang, contest),
                &assumed.entrants,
                &assumed.workers,
                &format!("{:.1}", assumed.match_seconds),
                &format!("{:.0}", assumed.longest_match_seconds),
            ],
        ),
        table.trim_fmt(),
        lang.fill(
            "{} matches, {} CPU hours, ends {}",
            &[
                &format_range(dry.matches),
                &format!("{:.2}", dry.cpu_hours),
                &format_date(dry.ends, zone),
            ],
        ),
    ];
    lines.extend(describe_quality(lang, dry));
    let warnings = dry.warnings.iter();
    lines.extend(warnings.map(|text| format!("! {}", text.in_language(lang.lang()))));
    lines.join("\n") + "\n"
}

fn format_range([least, most]: [u64; 2]) -> String {
    match least == most {
        true => most.to_string(),
        false => format!("{least}–{most}"),
    }
}

fn format_percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

fn describe_quality(lang: Localizer, dry: &DryRun) -> Vec<String> {
    let (quality, spread) = (&dry.quality, dry.assumptions.spread);
    let mut lines = vec![
        lang.fill(
            "the best entrant wins: {} (± {}; strengths spread by {} Elo, {} simulated contests)",
            &[
                &format_percent(quality.best_wins),
                &format_percent(quality.best_wins_error),
                &format!("{spread:.0}"),
                &quality.runs,
            ],
        ),
        lang.fill(
            "ranking error: {} places an entrant",
            &[&format!("{:.1}", quality.ranking_error)],
        ),
    ];
    let advise = |title: &str, advice: &Option<Advice>| match advice {
        Some(advice) => {
            let change = advice.change.in_language(lang.lang());
            let values: [&dyn std::fmt::Display; 4] = [
                &change,
                &advice.matches,
                &format_percent(advice.quality.best_wins),
                &format!("{:.1}", advice.quality.ranking_error),
            ];
            let text = lang.fill("{}: {} matches, best wins {}, ranking error {}", &values);
            format!("{title} {text}")
        }
        None => format!("{title} {}", lang.label("no change that was tried does")),
    };
    lines.push(advise(
        lang.label("to halve the chance of a wrong winner:"),
        &dry.halves_wrong_winner,
    ));
    lines.push(advise(
        lang.label("to halve the ranking error:"),
        &dry.halves_ranking_error,
    ));
    if lang.lang() == Lang::Zh {
        lines
            .iter_mut()
            .for_each(|line| *line = line.replace(" ± ", "±"));
    }
    lines
}
